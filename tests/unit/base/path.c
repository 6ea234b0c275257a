/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "base/limits.h"
#include "base/path.h"
#include "testing.h"

static void check_clean(const char *path, const char *wanted)
{
	struct buf out;

	buf_init(&out, KIB);
	path_clean(str_from(path), &out);
	assert_string_equal(buf_text(&out), wanted);
	buf_release(&out);
}

static void test_clean(void **state)
{
	(void)state;
	check_clean("", ".");
	check_clean("./", ".");
	check_clean("a//b/./c", "a/b/c");
	check_clean("a/../b", "b");
	check_clean("a/b/../../..", "..");
	check_clean("../../a/..", "../..");
	check_clean("/", "/");
	check_clean("/..", "/");
	check_clean("/a/../../b/", "/b");
	check_clean("//a", "/a");
	check_clean("a/..", ".");
}

static void check_trim(const char *path, const char *trim, const char *search,
		       const char *wanted)
{
	struct str left =
		path_trim(str_from(path), str_from(trim), str_from(search));

	if (!str_equal(left, str_from(wanted)))
		fail_msg("%s: %.*s, not %s", path, (int)left.len, left.ptr,
			 wanted);
}

static void test_trim(void **state)
{
	(void)state;
	check_trim("/src/app/main.c", "", "", "/src/app/main.c");
	check_trim("/src/app/main.c", "/src", "", "app/main.c");
	check_trim("/src/app/main.c", "/src/", "", "app/main.c");
	check_trim("/src/app/main.c", "/sr", "", "/src/app/main.c");
	check_trim("/src/app/main.c", "/x:/src/app", "", "main.c");
	check_trim("/proc/self/cwd/a.c", "", "", "a.c");
	check_trim("/proc/self/cwd/./a.c", "", "", "a.c");
	/* Nothing to cut is told: the last part of a search folder is it. */
	check_trim("/build/app/x/main.c", "", "/home/me/app", "x/main.c");
	check_trim("/build/app/x/main.c", "", "/q:/home/me/app/", "x/main.c");
	check_trim("/build/app/x/main.c", "/build", "/home/me/x",
		   "app/x/main.c");
	check_trim("app/main.c", "", "/home/app", "app/main.c");
}

static void test_base(void **state)
{
	(void)state;
	assert_true(str_equal(path_base(STR("/a/b.c")), STR("b.c")));
	assert_true(str_equal(path_base(STR("b.c")), STR("b.c")));
	assert_int_equal(path_base(STR("a/")).len, 0);
}

UNIT_TESTS(path)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clean),
		cmocka_unit_test(test_trim),
		cmocka_unit_test(test_base),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
