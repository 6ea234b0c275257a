/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "../unit.h"
#include "../wire/support.h"
#include "backend/cloud_trace/cloud_trace.h"
#include "backend/rooms.h"
#include "base/num.h"

/* 2026-11-21T11:00:00Z to 12:00:00.5Z */
#define FROM_NS INT64_C(1795258800000000000)
#define TO_NS INT64_C(1795262400500000000)

#define ROOT "/v1/projects/my-project/traces"
#define TIMES                                                                  \
	"&startTime=2026-11-21T11:00:00.000000000Z"                            \
	"&endTime=2026-11-21T12:00:00.500000000Z"

static const struct endpoint endpoint = { .url = "https://h",
					  .project = "my-project",
					  .option_prefix = "--traces" };
static const struct time_range range = { FROM_NS, TO_NS };

static char path[4096];

static const char *path_of(struct http_request *request)
{
	snprintf(path, sizeof path, "%s", request->path);
	assert_string_equal(request->method, "GET");
	assert_string_equal(request->accept, "application/json");
	http_request_release(request);
	return path;
}

static const char *found_path(const struct find_query *query, unsigned attempt)
{
	struct http_request request;
	struct error err;

	assert_true(traces_find_request(&trace_cloud, &endpoint, query, attempt,
					&request, &err));
	return path_of(&request);
}

static void check_value(const char *value, const char *want)
{
	struct buf filter;

	buf_init(&filter, MIB);
	cloud_filter_add(&filter, "+span", str_from(value));
	assert_string_equal(buf_text(&filter), want);
	buf_release(&filter);
}

/* One value stays one value, whatever is in it. */
static void test_values_of_a_filter(void **state)
{
	(void)state;
	check_value("/cart", "+span:/cart");
	check_value("a.b_c-d/9", "+span:a.b_c-d/9");
	check_value("-a", "+span:\"-a\"");
	check_value("GET /cart", "+span:\"GET /cart\"");
	check_value("a:b", "+span:\"a:b\"");
	check_value("a+b", "+span:\"a+b\"");
	check_value("", "+span:\"\"");
	check_value("a\" +root:x \\", "+span:\"a\\\" +root:x \\\\\"");
	check_value("\xC3\xA9", "+span:\"\xC3\xA9\"");
}

static void test_latencies_of_a_filter(void **state)
{
	static const struct {
		int64_t ns;
		const char *want;
	} rows[] = {
		{ -1, "" },
		{ 0, "" },
		{ 1, "latency:1ns" },
		{ 999999, "latency:999999ns" },
		{ 1000000, "latency:1ms" },
		{ 1000001, "latency:1000001ns" },
		{ 3600 * NS_PER_S, "latency:3600000ms" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf filter;

		buf_init(&filter, MIB);
		cloud_filter_add_latency(&filter, rows[i].ns);
		assert_string_equal(buf_text(&filter), rows[i].want);
		buf_release(&filter);
	}
}

static void test_units(void **state)
{
	(void)state;
	assert_int_equal(cloud_trace_units(STR(ROOT "?view=ROOTSPAN")), 25);
	assert_int_equal(cloud_trace_units(STR(ROOT "/4bf9")), 1);
	assert_int_equal(
		cloud_trace_units(STR("https://h/p/v1/projects/a/traces?x")),
		25);
	assert_int_equal(cloud_trace_units(STR("/api/v3/traces?x")), 0);
	assert_int_equal(cloud_trace_units(STR("/v1/projects/a/profiles")), 0);
	assert_int_equal(cloud_trace_units(STR("")), 0);
}

static void test_a_trace(void **state)
{
	const struct trace_query query = {
		.trace_id_hex = "4bf92f3577b34da6a3ce929d0e0e4736",
		.has_window = true,
		.window = { 1, 2 },
	};
	struct http_request request;
	struct error err;

	(void)state;
	assert_int_equal(trace_cloud.attempts, 1);
	assert_true(trace_request(&trace_cloud, &endpoint, &query, 0, &request,
				  &err));
	assert_string_equal(path_of(&request),
			    ROOT "/4bf92f3577b34da6a3ce929d0e0e4736");
	assert_null(trace_cloud.probe.path);
}

static enum answer trace_answer(int status, const char *body, struct error *err)
{
	struct http_response response =
		answer_make(status, "application/json", body);
	enum format form = FORMAT_PPROF;
	enum answer answer =
		trace_cloud.trace_answer(0, &endpoint, &response, &form, err);

	if (answer == ANSWER_OK)
		assert_int_equal(form, FORMAT_CLOUD_TRACE_JSON);
	http_response_release(&response);
	return answer;
}

static void test_answers_to_a_trace(void **state)
{
	struct error err;

	(void)state;
	assert_int_equal(trace_answer(200, "{\"traceId\": \"1\"}", &err),
			 ANSWER_OK);
	assert_int_equal(trace_answer(200, "{}", &err), ANSWER_ERROR);
	assert_int_equal(trace_answer(404,
				      "{\"error\": {\"code\": 404, \"message\":"
				      " \"x\", \"status\": \"NOT_FOUND\"}}",
				      &err),
			 ANSWER_MISS);
	assert_int_equal(err.code, ERROR_NOT_FOUND);
	/* Another server altogether. */
	assert_int_equal(trace_answer(404, "<html>", &err), ANSWER_ERROR);
	assert_contains(err.message, "--traces-url");
	assert_int_equal(trace_answer(200, "<html>", &err), ANSWER_ERROR);
	assert_int_equal(trace_answer(200, "[]", &err), ANSWER_ERROR);
	assert_int_equal(err.code, ERROR_FORMAT);
	assert_int_equal(trace_answer(403,
				      "{\"error\": {\"message\": \"no\", "
				      "\"status\": \"PERMISSION_DENIED\"}}",
				      &err),
			 ANSWER_ERROR);
	assert_contains(err.message, "roles/cloudtrace.user");
}

/* Whole traces are what takes the first spans of them only. */
static void test_finding(void **state)
{
	struct find_query query = { .range = range, .trace_limit = 2000 };

	(void)state;
	assert_string_equal(found_path(&query, 0),
			    ROOT "?view=ROOTSPAN&pageSize=1000" TIMES
				 "&orderBy=start%20desc");
	query.trace_limit = 999;
	query.is_slowest_first = true;
	query.min_duration_ns = 250 * NS_PER_MS;
	query.page_token = STR("a b&c");
	assert_string_equal(found_path(&query, 0),
			    ROOT "?view=ROOTSPAN&pageSize=999" TIMES
				 "&orderBy=duration%20desc"
				 "&filter=latency%3A250ms"
				 "&pageToken=a%20b%26c");
}

static void test_finding_by_service_and_name(void **state)
{
	struct find_query query = { .range = range,
				    .trace_limit = 200,
				    .service = STR("auth"),
				    .name = STR("GET /x") };

	(void)state;
	assert_string_equal(found_path(&query, 0),
			    ROOT "?view=COMPLETE&pageSize=100" TIMES
				 "&orderBy=start%20desc"
				 "&filter=%2Bservice.name%3Aauth%20"
				 "%2Bspan%3A%22GET%20%2Fx%22");
	assert_contains(found_path(&query, 1),
			"%2Bg.co%2Fr%2Fcloud_run_revision%2Fservice_name%3A"
			"auth");
	assert_contains(found_path(&query, 2), "generic_task%2Fjob%3Aauth");
	assert_contains(found_path(&query, 3),
			"k8s_container%2Fcontainer_name%3Aauth");
	assert_contains(found_path(&query, 4), "gae%2Fapp%2Fmodule%3Aauth");
	assert_contains(found_path(&query, 5),
			"gae_instance%2Fmodule_id%3Aauth");
	assert_lacks(found_path(&query, 6), "auth");
}

static void test_finding_failures(void **state)
{
	struct find_query query = { .range = range,
				    .trace_limit = 200,
				    .service = STR("auth"),
				    .is_error = true };

	(void)state;
	assert_contains(found_path(&query, 0),
			"view=COMPLETE&pageSize=100" TIMES
			"&orderBy=start%20desc&filter="
			"%2Bg.co%2Fstatus%2Fcode%3A2%20%2Bservice.name%3Aauth");
	assert_contains(found_path(&query, 1),
			"&filter=label%3A%2Ferror%2Fmessage");
	assert_contains(found_path(&query, 2),
			"&filter=%2Fhttp%2Fstatus_code%3A5");
	assert_lacks(found_path(&query, 2), "auth");
}

static enum answer found(const struct find_query *query, unsigned *attempt,
			 const char *body)
{
	struct http_response response =
		answer_make(200, "application/json", body);
	search_decoder *form;
	struct error err;
	enum answer answer = trace_cloud.find_answer(query, attempt, &endpoint,
						     &response, &form, &err);

	http_response_release(&response);
	return answer;
}

/* Finding none by one label says nothing of the next; but of a later
 * question, or a later page, it does. */
static void test_answers_to_finding(void **state)
{
	struct find_query query = { .range = range, .trace_limit = 200 };
	unsigned attempt = 0;

	(void)state;
	assert_int_equal(found(&query, &attempt, "{\"traces\": [{}]}"),
			 ANSWER_OK);
	assert_int_equal(found(&query, &attempt, "{\"nextPageToken\": \"x\"}"),
			 ANSWER_OK);
	assert_int_equal(found(&query, &attempt, "{}"), ANSWER_MISS);
	query.service = STR("auth");
	for (unsigned i = 0; i < 5; i++) {
		attempt = i;
		assert_int_equal(found(&query, &attempt, "{}"),
				 ANSWER_TRY_NEXT);
		assert_int_equal(attempt, i + 1);
	}
	assert_int_equal(found(&query, &attempt, "{}"), ANSWER_MISS);
	attempt = 0;
	query.page_token = STR("x");
	assert_int_equal(found(&query, &attempt, "{}"), ANSWER_MISS);
	query.page_token = STR("");
	query.is_slowest_first = true;
	assert_int_equal(found(&query, &attempt, "{}"), ANSWER_MISS);
	query.is_slowest_first = false;
	query.is_error = true;
	attempt = 1;
	assert_int_equal(found(&query, &attempt, "{}"), ANSWER_TRY_NEXT);
	assert_int_equal(found(&query, &attempt, "{}"), ANSWER_MISS);
}

static const char *searched(const struct search_query *query)
{
	struct http_request request;
	struct error err;

	assert_true(traces_search_request(&trace_cloud, &endpoint, query, 0,
					  &request, &err));
	return path_of(&request);
}

static void test_searching(void **state)
{
	const struct search_operation operation = { STR("auth"), STR("Check"),
						    "server" };
	struct search_query query = { .operations = &operation,
				      .operation_count = 1,
				      .range = range,
				      .trace_limit = 30 };

	(void)state;
	assert_string_equal(searched(&query),
			    ROOT "?view=COMPLETE&pageSize=30" TIMES
				 "&orderBy=start%20desc"
				 "&filter=%2Bspan%3ACheck");
	query.root_service = STR("web");
	query.root_name = STR("GET /");
	assert_contains(searched(&query), "&filter=%2Broot%3A%22GET%20%2F%22");
	query.is_root_called = true;
	assert_contains(searched(&query), "&filter=%2Bspan%3A%22GET%20%2F%22");
	query.slow = &operation;
	query.min_duration_ns = 1500 * NS_PER_US;
	query.trace_limit = 101;
	assert_contains(searched(&query),
			"pageSize=100" TIMES "&orderBy=start%20desc"
			"&filter=%2Bspan%3ACheck%20latency%3A1500000ns");
	assert_int_equal(traces_search_limit(&trace_cloud, 101), 100);
}

static void test_what_cannot_be_asked(void **state)
{
	const struct count_query count = { STR("auth"), range, NS_PER_S };
	const struct find_query query = { .range = range,
					  .trace_limit = 1,
					  .traceql = STR("{}") };
	const struct names_query names = { TRACE_SERVICES, STR(""), range };
	struct http_request request = { 0 };
	struct error err;

	(void)state;
	assert_false(traces_count_request(&trace_cloud, &endpoint, &count,
					  &request, &err));
	assert_contains(err.message, "Cloud Trace does not count");
	assert_false(traces_find_request(&trace_cloud, &endpoint, &query, 0,
					 &request, &err));
	assert_contains(err.message, "Cloud Trace does not speak it");
	assert_false(traces_names_request(&trace_cloud, &endpoint, &names, 0,
					  &request, &err));
	assert_int_equal(err.code, ERROR_USAGE);
}

/* Without its filter the list would be one of all traces. */
static void test_a_filter_that_is_too_long(void **state)
{
	static char name[LIMIT_URL_BYTES];
	const struct find_query query = { .service = { name, sizeof name },
					  .range = range,
					  .trace_limit = 1 };
	struct http_request request = { 0 };
	struct error err;

	(void)state;
	memset(name, 'a', sizeof name);
	assert_false(traces_find_request(&trace_cloud, &endpoint, &query, 0,
					 &request, &err));
	assert_int_equal(err.code, ERROR_LIMIT);
}

UNIT_TESTS(cloud_trace)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values_of_a_filter),
		cmocka_unit_test(test_latencies_of_a_filter),
		cmocka_unit_test(test_units),
		cmocka_unit_test(test_a_trace),
		cmocka_unit_test(test_answers_to_a_trace),
		cmocka_unit_test(test_finding),
		cmocka_unit_test(test_finding_by_service_and_name),
		cmocka_unit_test(test_finding_failures),
		cmocka_unit_test(test_answers_to_finding),
		cmocka_unit_test(test_searching),
		cmocka_unit_test(test_what_cannot_be_asked),
		cmocka_unit_test(test_a_filter_that_is_too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
