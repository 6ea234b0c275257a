/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "../unit.h"
#include "model/checks.h"

struct room {
	struct arena arena;
	struct checks checks;
};

static void room_init(struct room *r, size_t max_bytes)
{
	arena_init(&r->arena, max_bytes);
	checks_init(&r->checks, &r->arena);
}

static void test_the_first_failure_decides(void **state)
{
	struct room r;
	struct checks *c = &r.checks;

	(void)state;
	room_init(&r, MIB);
	assert_int_equal(checks_exit_code(c), 0);
	check_ok(c, "traces", "url", "%s", "here");
	check_warn(c, "traces", "clock", "some");
	assert_int_equal(checks_exit_code(c), 0);
	check_fail(c, ERROR_NOT_FOUND, "trace", "found", "gone");
	check_fail(c, ERROR_AUTH, "profiles", "login", "no");
	assert_int_equal(checks_exit_code(c), 5);
	assert_int_equal(checks_count(c, CHECK_FAILED), 2);
	assert_int_equal(checks_count(c, CHECK_WARNING), 1);
	assert_int_equal(checks_count(c, CHECK_OK), 1);
	arena_release(&r.arena);
}

static void test_every_kind_has_its_code(void **state)
{
	static const struct {
		enum error_code code;
		int status;
	} kinds[] = { { ERROR_NETWORK, 6 },
		      { ERROR_AUTH, 3 },
		      { ERROR_NOT_FOUND, 5 },
		      { ERROR_PARTIAL, 4 },
		      { ERROR_INTERNAL, 1 } };

	(void)state;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		struct room r;

		room_init(&r, MIB);
		check_fail(&r.checks, kinds[i].code, "", "x", "y");
		assert_int_equal(checks_exit_code(&r.checks), kinds[i].status);
		arena_release(&r.arena);
	}
}

static void test_fix_belongs_to_the_last(void **state)
{
	struct room r;

	(void)state;
	room_init(&r, MIB);
	check_fix(&r.checks, "nothing to fix yet");
	check_ok(&r.checks, "", "a", "well");
	check_warn(&r.checks, "", "b", "not so");
	check_fix(&r.checks, "--pad %s", "30m");
	assert_int_equal(r.checks.items[0].fix.len, 0);
	assert_true(str_equal(r.checks.items[1].fix, STR("--pad 30m")));
	arena_release(&r.arena);
}

static void test_number_of_checks(void **state)
{
	struct room r;

	(void)state;
	room_init(&r, MIB);
	for (unsigned i = 0; i < LIMIT_CHECKS; i++)
		check_ok(&r.checks, "", "x", "y");
	assert_int_equal(r.checks.count, LIMIT_CHECKS);
	assert_int_equal(r.checks.dropped, 0);
	check_ok(&r.checks, "", "x", "y");
	check_fix(&r.checks, "of one that is not there");
	assert_int_equal(r.checks.count, LIMIT_CHECKS);
	assert_int_equal(r.checks.dropped, 1);
	assert_int_equal(r.checks.items[LIMIT_CHECKS - 1].fix.len, 0);
	arena_release(&r.arena);
}

/* The text fills its room up to the last byte; one more is cut, and a
 * character is not cut in two. */
static void test_length_of_texts(void **state)
{
	char text[LIMIT_CHECK_BYTES + 2];
	struct room r;

	(void)state;
	room_init(&r, MIB);
	memset(text, 'a', sizeof text);
	text[LIMIT_CHECK_BYTES - 1] = '\0';
	check_ok(&r.checks, "", "x", "%s", text);
	assert_int_equal(r.checks.items[0].text.len, LIMIT_CHECK_BYTES - 1);
	memcpy(text + LIMIT_CHECK_BYTES - 2, "\xC3\xA9", 3);
	check_ok(&r.checks, "", "x", "%s", text);
	assert_int_equal(r.checks.items[1].text.len, LIMIT_CHECK_BYTES - 2);
	arena_release(&r.arena);
}

static void test_lack_of_memory_is_told(void **state)
{
	char text[1024];
	struct error err = { 0 };
	struct room r;

	(void)state;
	room_init(&r, 64);
	memset(text, 'a', sizeof text);
	text[sizeof text - 1] = '\0';
	check_ok(&r.checks, "", "x", "%s", text);
	assert_false(checks_end(&r.checks, &err));
	assert_non_null(strstr(err.message, "the checks"));
	arena_release(&r.arena);
}

UNIT_TESTS(checks)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_first_failure_decides),
		cmocka_unit_test(test_every_kind_has_its_code),
		cmocka_unit_test(test_fix_belongs_to_the_last),
		cmocka_unit_test(test_number_of_checks),
		cmocka_unit_test(test_length_of_texts),
		cmocka_unit_test(test_lack_of_memory_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
