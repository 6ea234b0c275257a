/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "backend/pyroscope/pyroscope_calls.h"

#include "../wire/support.h"

static const struct endpoint server = { .url = "https://profiles.example.com",
					.option_prefix = "--profiles" };

static void test_requests(void **state)
{
	struct http_request r;
	struct error err;

	(void)state;
	assert_true(pyroscope_version_request(&server, &r, &err));
	assert_string_equal(r.path, "/api/v1/status/buildinfo");
	assert_true(r.is_probe);
	http_request_release(&r);
	assert_true(pyroscope_stats_request(&server, &r, &err));
	assert_string_equal(r.path,
			    "/querier.v1.QuerierService/GetProfileStats");
	assert_string_equal(buf_text(&r.body), "{}");
	http_request_release(&r);
}

static void test_label_request(void **state)
{
	struct time_range range = { 1000 * NS_PER_MS, 2000 * NS_PER_MS };
	struct http_request r;
	struct error err;

	(void)state;
	assert_true(pyroscope_label_request(
		&server, "span_name", "{service_name=\"a\"}", range, &r, &err));
	assert_string_equal(buf_text(&r.body),
			    "{\"name\":\"span_name\",\"matchers\":["
			    "\"{service_name=\\\"a\\\"}\"],\"start\":1000,"
			    "\"end\":2000}");
	http_request_release(&r);
}

static void test_stats(void **state)
{
	struct http_response r = answer_load("pyroscope", "profile-stats");
	struct profile_stats stats;

	(void)state;
	assert_true(pyroscope_stats_read(&r, &stats));
	assert_true(stats.has_data);
	assert_int_equal(stats.oldest_ns, 1795223820000 * NS_PER_MS);
	assert_int_equal(stats.newest_ns, 1795225530000 * NS_PER_MS);
	http_response_release(&r);
	r = answer_make(200, "application/json", "{}");
	assert_true(pyroscope_stats_read(&r, &stats));
	assert_false(stats.has_data);
	http_response_release(&r);
	r = answer_make(404, "application/json", "{}");
	assert_false(pyroscope_stats_read(&r, &stats));
	http_response_release(&r);
	r = answer_make(200, "application/json", "{\"dataIngested\":1}");
	assert_false(pyroscope_stats_read(&r, &stats));
	http_response_release(&r);
}

static void test_length_limit(void **state)
{
	struct http_response r =
		answer_load("pyroscope", "error-range-too-long-json");
	char limit[STATUS_VERSION_BYTES];

	(void)state;
	assert_true(pyroscope_length_limit_read(&r, limit));
	assert_string_equal(limit, "1d");
	http_response_release(&r);
	r = answer_make(400, "application/json",
			"{\"message\":\"max_query_length\"}");
	assert_true(pyroscope_length_limit_read(&r, limit));
	assert_string_equal(limit, "");
	http_response_release(&r);
	r = answer_make(400, "application/json", "{\"message\":\"other\"}");
	assert_false(pyroscope_length_limit_read(&r, limit));
	http_response_release(&r);
}

UNIT_TESTS(pyroscope_status)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_requests),
		cmocka_unit_test(test_label_request),
		cmocka_unit_test(test_stats),
		cmocka_unit_test(test_length_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
