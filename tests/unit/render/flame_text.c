/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../unit.h"
#include "render/page.h"

static void assert_end(const char *name, size_t columns, const char *want)
{
	struct str found = name_fit(str_from(name), columns);

	if (!str_equal(found, str_from(want)))
		fail_msg("%s in %zu columns: \"%.*s\", not \"%s\"", name,
			 columns, STR_ARGS(found), want);
}

/* As much as fits; to the column. */
static void test_longest_end_that_fits(void **state)
{
	static const char name[] = "github.com/a/b.(*Cache).Get";

	(void)state;
	assert_end(name, 14, "b.(*Cache).Get");
	assert_end(name, 13, "(*Cache).Get");
	assert_end(name, 12, "(*Cache).Get");
	assert_end(name, 11, "Get");
	assert_end(name, 2, "Get");
	assert_end("runtime.mallocgc", 16, "runtime.mallocgc");
	assert_end("runtime.mallocgc", 15, "mallocgc");
	assert_end("main.main.func1", 10, "main.func1");
	assert_end("com.acme.shop.Cart.total(int, long)", 20,
		   "total(int, long)");
	assert_end("注文.検索", 8, "検索");
}

/* Separators within brackets are those of types and arguments. */
static void test_brackets(void **state)
{
	(void)state;
	assert_end("std::map<a::b, c::d>::find(e::f const&)", 20,
		   "find(e::f const&)");
	assert_end("core::iter::Map<I,F>::fold", 12, "fold");
	assert_end("slices.Sort[go.shape.int]", 12, "Sort[go.shape.int]");
	assert_end("std::operator<", 12, "operator<");
	/* One that does not open leaves the whole. */
	assert_end("a.b::operator->", 5, "a.b::operator->");
	assert_end("x<y.z", 2, "z");
}

/* What follows no separator, or is none of a name, is no part. */
static void test_no_parts(void **state)
{
	(void)state;
	assert_end("", 5, "");
	assert_end("abcdef", 3, "abcdef");
	assert_end("libc.so.6", 4, "so.6");
	assert_end("handle app.py:12", 8, "py:12");
	assert_end("ends.", 3, "ends.");
	assert_end("a..", 1, "a..");
	assert_end("::", 1, "::");
	assert_end("x::", 2, "x::");
	assert_end(".", 0, ".");
}

UNIT_TESTS(flame_text)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_longest_end_that_fits),
		cmocka_unit_test(test_brackets),
		cmocka_unit_test(test_no_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
