/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "base/limits.h"
#include "base/regex.h"
#include "testing.h"

static struct error err;

static struct regex *make(const char *pattern)
{
	struct regex *re = regex_new(str_from(pattern), "--focus", &err);

	if (!re)
		fail_msg("%s", err.message);
	return re;
}

static bool found(const char *pattern, struct str text)
{
	struct regex *re = make(pattern);
	bool is_match;

	assert_true(regex_match(re, text, &is_match, &err));
	regex_free(re);
	return is_match;
}

static void test_search(void **state)
{
	(void)state;
	assert_true(found("b.d", STR("abcde")));
	assert_false(found("^b.d", STR("abcde")));
	assert_true(found("^main\\.", STR("main.run")));
	assert_false(found("MAIN", STR("main.run")));
	assert_true(found("(?i)MAIN", STR("main.run")));
	assert_true(found("", STR("anything")));
	assert_true(found("^$", (struct str){ NULL, 0 }));
	assert_false(found(".", (struct str){ NULL, 0 }));
	assert_true(found("a\\x00b", STR("xa\0by")));
	assert_true(found("^.$", STR("\xC3\xA4")));
}

/* Bytes that are no UTF-8 match nothing; the rest is still searched. */
static void test_damaged_text(void **state)
{
	(void)state;
	assert_true(found("run", STR("\xFF\xFErun")));
	assert_false(found("^.run", STR("\xFFrun")));
}

static void test_bad_patterns(void **state)
{
	(void)state;
	assert_null(regex_new(STR("a(b"), "--focus", &err));
	assert_int_equal(err.code, ERROR_USAGE);
	assert_non_null(strstr(err.message, "--focus: not a regular"));
	assert_non_null(strstr(err.message, "at character 4"));
	error_clear(&err);
	assert_null(regex_new(STR("[z-a]"), "--hide", &err));
	assert_int_equal(err.code, ERROR_USAGE);
	error_clear(&err);
	assert_null(regex_new(STR("\\C"), "--hide", &err));
	assert_int_equal(err.code, ERROR_USAGE);
	error_clear(&err);
}

static void fill_nested(char *text, size_t depth)
{
	memset(text, '(', depth);
	memset(text + depth, ')', depth);
	text[2 * depth] = '\0';
}

static void test_nesting_limit(void **state)
{
	char text[2 * LIMIT_REGEX_DEPTH + 3];

	(void)state;
	fill_nested(text, LIMIT_REGEX_DEPTH);
	regex_free(make(text));
	fill_nested(text, LIMIT_REGEX_DEPTH + 1);
	assert_null(regex_new(str_from(text), "--focus", &err));
	assert_int_equal(err.code, ERROR_USAGE);
	error_clear(&err);
}

/* Each further letter doubles the work. */
static void test_step_limit(void **state)
{
	struct regex *re = make("^(a|aa)+$");
	char text[64];
	bool is_match;

	(void)state;
	memset(text, 'a', sizeof text);
	text[12] = 'b';
	assert_true(regex_match(re, (struct str){ text, 13 }, &is_match, &err));
	assert_false(is_match);
	text[12] = 'a';
	text[63] = 'b';
	assert_false(
		regex_match(re, (struct str){ text, 64 }, &is_match, &err));
	assert_int_equal(err.code, ERROR_LIMIT);
	assert_non_null(strstr(err.message, "--focus: the pattern takes too"));
	error_clear(&err);
	text[12] = 'b';
	regex_limit_steps(re, 100);
	assert_false(
		regex_match(re, (struct str){ text, 13 }, &is_match, &err));
	assert_int_equal(err.code, ERROR_LIMIT);
	error_clear(&err);
	regex_free(re);
}

UNIT_TESTS(regex)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_search),
		cmocka_unit_test(test_damaged_text),
		cmocka_unit_test(test_bad_patterns),
		cmocka_unit_test(test_nesting_limit),
		cmocka_unit_test(test_step_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
