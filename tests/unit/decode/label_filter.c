/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "decode/profile_type.h"
#include "profile_testing.h"

/* Whether a sample with the labels "key=value key=value" passes; NULL: no
 * condition. */
static bool passes_both(const char *focus, const char *ignore,
			const char *labels)
{
	struct label_filter *f = label_filter_new(focus, ignore, &err);
	struct str rest = str_from(labels);
	bool is_wanted;

	if (!f)
		fail_msg("%s", err.message);
	/* Twice: the second time from memory. */
	for (int i = 0; i < 2; i++) {
		rest = str_from(labels);
		label_filter_begin(f);
		while (rest.len) {
			size_t end = str_find(rest, STR(" "));
			struct str label = str_slice(rest, 0, end);
			size_t at = str_find(label, STR("="));

			assert_decoded(label_filter_add(
				f, str_slice(label, 0, at),
				str_slice(label, at + 1, label.len), &err));
			rest = str_slice(rest, label.len + 1, rest.len);
		}
	}
	is_wanted = label_filter_matches(f);
	label_filter_free(f);
	return is_wanted;
}

static bool passes(const char *filter, const char *labels)
{
	return passes_both(filter, NULL, labels);
}

static void test_any_key(void **state)
{
	(void)state;
	assert_true(passes("GET", "method=GET"));
	assert_true(passes("^method:GET$", "pod=a method=GET"));
	assert_false(passes("GET", "method=POST"));
	assert_false(passes(".", ""));
	/* Each pattern must be found, in the same label or another. */
	assert_true(passes("GET,pod", "method=GET pod=a"));
	assert_false(passes("GET,pod", "method=GET"));
}

static void test_one_key(void **state)
{
	(void)state;
	assert_true(passes("method=GET", "method=GET"));
	assert_false(passes("method=GET", "verb=GET"));
	assert_false(passes("method=method", "method=GET"));
	/* One pattern is enough. */
	assert_true(passes("method=PUT,GET", "method=GET"));
	assert_false(passes("method=PUT,GET", "method=POST"));
	assert_true(passes("query=a=b", "query=a=b"));
}

static void test_ignore(void **state)
{
	(void)state;
	assert_false(passes_both(NULL, "GET", "method=GET"));
	assert_true(passes_both(NULL, "GET", "method=POST"));
	assert_true(passes_both(NULL, ".", ""));
	assert_false(passes_both(NULL, "method=PUT,GET", "method=GET"));
	assert_true(passes_both(NULL, "verb=GET", "method=GET"));
	/* All of them in one sample, as pprof has it. */
	assert_true(passes_both(NULL, "GET,pod", "method=GET"));
	assert_false(passes_both(NULL, "GET,pod", "method=GET pod=a"));
	assert_true(passes_both("GET", "pod=b", "method=GET pod=a"));
	assert_false(passes_both("GET", "pod=b", "method=GET pod=b"));
	assert_false(passes_both("GET", "pod=b", "method=POST pod=a"));
}

static void test_limit(void **state)
{
	char text[2 * LIMIT_LABEL_PATTERNS + 2];

	(void)state;
	for (size_t i = 0; i < sizeof text; i += 2)
		memcpy(text + i, "a,", 2);
	text[2 * LIMIT_LABEL_PATTERNS - 1] = '\0';
	assert_true(passes(text, "a=a"));
	text[2 * LIMIT_LABEL_PATTERNS - 1] = ',';
	text[2 * LIMIT_LABEL_PATTERNS + 1] = '\0';
	assert_null(label_filter_new(text, NULL, &err));
	assert_int_equal(err.code, ERROR_USAGE);
	assert_non_null(strstr(err.message, "--tag-focus"));
	assert_null(label_filter_new(NULL, text, &err));
	assert_int_equal(err.code, ERROR_USAGE);
	assert_non_null(strstr(err.message, "--tag-ignore"));
	assert_null(label_filter_new("a(b", NULL, &err));
	assert_int_equal(err.code, ERROR_USAGE);
	error_clear(&err);
}

UNIT_TESTS(label_filter)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_key),
		cmocka_unit_test(test_one_key),
		cmocka_unit_test(test_ignore),
		cmocka_unit_test(test_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
