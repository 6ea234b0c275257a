/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "backend/google/google_error.h"

#include "../wire/support.h"

static void test_projects_that_can_be(void **state)
{
	static const char *const rows[] = {
		"abcdef",                         /* 6 */
		"a23456789012345678901234567890", /* 30 */
		"my-project-7",
		"0",
		"123456789012",
		"9223372036854775807", /* 19 digits */
		"example.com:web",
		"a.example.com:x",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct error err;

		assert_true(google_project_check(str_from(rows[i]), &err));
	}
}

static void test_projects_that_cannot_be(void **state)
{
	static const char *const rows[] = {
		"",
		"abcde",                           /* 5 */
		"a234567890123456789012345678901", /* 31 */
		"My-project",
		"my_project",
		"my-project-",
		"-my-project",
		"1my-project",
		"my project",
		"my-project/traces",
		"my-project?x",
		"my-project%2F",
		"../secrets",
		"92233720368547758070", /* 20 digits */
		"example.com:",
		"example.com:Web",
		"example:web-project",
		"example..com:web",
		".com:web",
		"com.:web",
		"Example.com:web",
		"a.b:c:d",
		"my-proj\xc3\xa9t",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct error err;

		assert_false(google_project_check(str_from(rows[i]), &err));
		assert_int_equal(err.code, ERROR_USAGE);
		assert_contains(err.message, "gcp://PROJECT");
	}
}

static void test_other_addresses(void **state)
{
	(void)state;
	assert_false(google_address_is("http://gcp"));
	assert_false(google_address_is("gcp:/x"));
	assert_false(google_address_is("gcp"));
	assert_false(google_address_is(""));
}

UNIT_TESTS(google_address)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_projects_that_can_be),
		cmocka_unit_test(test_projects_that_cannot_be),
		cmocka_unit_test(test_other_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
