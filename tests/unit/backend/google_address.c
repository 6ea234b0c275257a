/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/google/google_address.h"

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

static void check_endpoint(enum source_kind kind, const char *text,
			   const char *url, const char *project)
{
	struct endpoint e = { .url = NULL };
	struct arena arena;
	struct error err;

	arena_init(&arena, MIB);
	assert_true(google_address_is(text));
	assert_true(google_endpoint_set(&e, kind, text, &arena, &err));
	assert_string_equal(e.url, url);
	assert_string_equal(e.project, project);
	arena_release(&arena);
}

static void test_endpoints(void **state)
{
	(void)state;
	check_endpoint(SOURCE_CLOUD_TRACE, "gcp://my-project",
		       "https://cloudtrace.googleapis.com", "my-project");
	check_endpoint(SOURCE_CLOUD_PROFILER, "gcp://my-project/",
		       "https://cloudprofiler.googleapis.com", "my-project");
	check_endpoint(SOURCE_CLOUD_TRACE, "GCP://example.com:web",
		       "https://cloudtrace.googleapis.com", "example.com:web");
	check_endpoint(SOURCE_CLOUD_TRACE,
		       "gcp+http://127.0.0.1:8080/projects/my-project",
		       "http://127.0.0.1:8080", "my-project");
	check_endpoint(SOURCE_CLOUD_PROFILER,
		       "gcp+https://h/projects/a/projects/my-project",
		       "https://h/projects/a", "my-project");
}

static void test_other_addresses(void **state)
{
	(void)state;
	assert_false(google_address_is("http://gcp"));
	assert_false(google_address_is("gcp:/x"));
	assert_false(google_address_is("gcp"));
	assert_false(google_address_is(""));
}

static void test_profiles_are_those_of_the_traces_project(void **state)
{
	(void)state;
	assert_string_equal(google_profiles_url("gcp://my-project", NULL),
			    "gcp://my-project");
	assert_string_equal(google_profiles_url("gcp://my-project", "http://p"),
			    "http://p");
	assert_null(google_profiles_url("http://t", NULL));
	assert_null(google_profiles_url(NULL, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_projects_that_can_be),
		cmocka_unit_test(test_projects_that_cannot_be),
		cmocka_unit_test(test_endpoints),
		cmocka_unit_test(test_other_addresses),
		cmocka_unit_test(test_profiles_are_those_of_the_traces_project),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
