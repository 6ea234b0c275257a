/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "backend/rooms.h"

#include "backend/checkup.h"
#include "base/num.h"
#include "../wire/support.h"

#define ID "5b8efff798038103d269b633813fc700"
#define TEXT "text/plain"
#define JSON "application/json"

static const struct endpoint endpoint = { .url = "http://h:9411/zipkin",
					  .option_prefix = "--traces" };
/* 12.5 s to 22 s and a bit */
static const struct time_range range = { 12500000000, 22000000001 };
static struct error err;

static void check_path(struct http_request *request, const char *path)
{
	assert_string_equal(request->method, "GET");
	assert_string_equal(request->path, path);
	assert_string_equal(request->accept, JSON);
	http_request_release(request);
}

static void test_a_trace(void **state)
{
	const struct trace_query query = { ID, true, { 1, 2 } };
	struct http_request r;

	(void)state;
	assert_true(
		trace_request(&trace_zipkin, &endpoint, &query, 0, &r, &err));
	check_path(&r, "/api/v2/trace/" ID);
	assert_false(
		trace_request(&trace_zipkin, &endpoint, &query, 1, &r, &err));
}

static void check_found(const struct find_query *query, const char *path)
{
	struct http_request r;

	assert_true(traces_find_request(&trace_zipkin, &endpoint, query, 0, &r,
					&err));
	check_path(&r, path);
}

static void test_finding(void **state)
{
	struct find_query query = { .range = range, .trace_limit = 100 };

	(void)state;
	check_found(&query,
		    "/api/v2/traces?endTs=22000&lookback=9500&limit=100");
	query.service = STR("a&b");
	query.name = STR("get /");
	query.is_error = true;
	query.min_duration_ns = 1500999;
	check_found(&query, "/api/v2/traces?endTs=22000&lookback=9500&limit=100"
			    "&serviceName=a%26b&spanName=get%20%2F"
			    "&minDuration=1500&annotationQuery=error");
	/* 0 would be refused, for either. */
	query = (struct find_query){ .range = { 5, 6 },
				     .min_duration_ns = 999,
				     .trace_limit = 1 };
	check_found(&query, "/api/v2/traces?endTs=0&lookback=1&limit=1");
}

static void check_searched(const struct search_query *query, const char *path)
{
	struct http_request r;

	assert_true(traces_search_request(&trace_zipkin, &endpoint, query, 0,
					  &r, &err));
	check_path(&r, path);
}

static void test_searching(void **state)
{
	const struct search_operation operation = { STR("cart"), STR("select"),
						    "client" };
	struct search_query query = { .operations = &operation,
				      .operation_count = 1,
				      .range = range,
				      .trace_limit = 80 };

	(void)state;
	check_searched(&query,
		       "/api/v2/traces?endTs=22000&lookback=9500&limit=50"
		       "&serviceName=cart&spanName=select");
	query.root_service = STR("web");
	query.trace_limit = 5;
	check_searched(&query,
		       "/api/v2/traces?endTs=22000&lookback=9500&limit=5"
		       "&serviceName=web");
	query.slow = &operation;
	query.min_duration_ns = 2 * NS_PER_MS;
	check_searched(&query,
		       "/api/v2/traces?endTs=22000&lookback=9500&limit=5"
		       "&serviceName=cart&spanName=select&minDuration=2000");
}

static enum answer trace_judged(int status, const char *type, const char *body)
{
	struct http_response r = answer_make(status, type, body);
	enum format format = FORMAT_UNKNOWN;
	enum answer answer =
		trace_zipkin.trace_answer(0, &endpoint, &r, &format, &err);

	if (answer == ANSWER_OK)
		assert_int_equal(format, FORMAT_ZIPKIN_JSON);
	http_response_release(&r);
	return answer;
}

/* The words of the API are not those of its router. */
static void test_answers_to_a_trace(void **state)
{
	(void)state;
	assert_int_equal(trace_judged(200, JSON, " [{}]"), ANSWER_OK);
	assert_int_equal(trace_judged(404, "text/*", ID " not found"),
			 ANSWER_MISS);
	assert_int_equal(err.code, ERROR_NOT_FOUND);
	assert_int_equal(trace_judged(404, TEXT, "404 Not Found"),
			 ANSWER_ERROR);
	assert_contains(err.message, "--traces-url");
	assert_int_equal(trace_judged(404, "text/html", "<p>not found"),
			 ANSWER_ERROR);
	assert_int_equal(trace_judged(200, "text/html", "<title>Zipkin"),
			 ANSWER_ERROR);
	assert_contains(err.message, "HTML page");
	assert_int_equal(trace_judged(200, JSON, "{}"), ANSWER_ERROR);
	assert_int_equal(err.code, ERROR_FORMAT);
	assert_int_equal(trace_judged(400, "text/*", "traceId is all zeros"),
			 ANSWER_ERROR);
	assert_contains(err.message, "traceId is all zeros");
	assert_int_equal(trace_judged(302, TEXT, ""), ANSWER_ERROR);
	assert_int_equal(trace_judged(401, TEXT, ""), ANSWER_ERROR);
	assert_int_equal(err.code, ERROR_AUTH);
	assert_int_equal(trace_judged(503, TEXT, ""), ANSWER_ERROR);
	assert_int_equal(err.code, ERROR_NETWORK);
}

static void test_answers_to_a_search(void **state)
{
	struct http_response good = answer_make(200, JSON, "[]");
	struct http_response bad = answer_make(400, TEXT, "lookback <= 0");
	const struct find_query query = { .range = range };
	search_decoder *decode;
	unsigned attempt = 0;

	(void)state;
	assert_int_equal(trace_zipkin.find_answer(&query, &attempt, &endpoint,
						  &good, &decode, &err),
			 ANSWER_OK);
	assert_non_null(decode);
	assert_int_equal(trace_zipkin.find_answer(&query, &attempt, &endpoint,
						  &bad, &decode, &err),
			 ANSWER_ERROR);
	assert_contains(err.message, "zipkin: search");
	assert_contains(err.message, "lookback <= 0");
	http_response_release(&good);
	http_response_release(&bad);
}

static void check_tags(const char *tag, const char *service, const char *path)
{
	const struct tags_query query = { str_from(tag), str_from(service),
					  range };
	struct http_request r;
	bool done = traces_tags_request(&trace_zipkin, &endpoint, &query, 0, &r,
					&err);

	assert_int_equal(done, path != NULL);
	if (done)
		check_path(&r, path);
	else
		assert_int_equal(err.code, ERROR_USAGE);
}

static void test_names(void **state)
{
	(void)state;
	check_tags("service", "", "/api/v2/services");
	check_tags("resource.service.name", "", "/api/v2/services");
	check_tags("name", "a b", "/api/v2/spans?serviceName=a%20b");
	check_tags("name", "", NULL);
	check_tags("", "", NULL);
	check_tags("http.method", "a", NULL);
}

static enum answer names_judged(int status, const char *body,
				struct arena *arena, struct name_list *names)
{
	struct http_response r = answer_make(status, JSON, body);
	enum answer answer =
		trace_zipkin.names_answer(0, &endpoint, &r, arena, names, &err);

	http_response_release(&r);
	return answer;
}

static void test_answers_with_names(void **state)
{
	struct name_list names;
	struct arena arena;

	(void)state;
	arena_init(&arena, MIB);
	assert_int_equal(names_judged(200, "[\"b\",\"a\"]", &arena, &names),
			 ANSWER_OK);
	assert_int_equal(names.count, 2);
	assert_true(str_equal(names.items[0], STR("a")));
	assert_int_equal(names_judged(200, "[]", &arena, &names), ANSWER_OK);
	assert_int_equal(names.count, 0);
	assert_int_equal(names_judged(200, "[\"a\"] x", &arena, &names),
			 ANSWER_ERROR);
	assert_int_equal(names_judged(200, "{}", &arena, &names), ANSWER_ERROR);
	assert_int_equal(
		names_judged(400, "missing: serviceName", &arena, &names),
		ANSWER_ERROR);
	assert_contains(err.message, "missing: serviceName");
	arena_release(&arena);
}

static void check_probe(int status, const char *body, bool want)
{
	struct http_response r = answer_make(status, JSON, body);

	assert_int_equal(traces_probe_matches(&trace_zipkin.late_probe, &r),
			 want);
	http_response_release(&r);
}

static void test_probe(void **state)
{
	char version[STATUS_VERSION_BYTES];
	struct http_response info =
		answer_make(200, JSON, "{\"zipkin\":{\"version\":\"3.5.1\"}}");

	(void)state;
	assert_null(trace_zipkin.probe.path);
	check_probe(200, "[\"a\"]", true);
	check_probe(200, "[ ]\n", true);
	check_probe(200, "[{}]", false);
	check_probe(200, "[", false);
	check_probe(200, "{\"services\":[]}", false);
	check_probe(404, "[]", false);
	check_probe(401, "[]", false);
	assert_true(status_version_read(&info, version));
	assert_string_equal(version, "3.5.1");
	http_response_release(&info);
}

UNIT_TESTS(zipkin)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_trace),
		cmocka_unit_test(test_finding),
		cmocka_unit_test(test_searching),
		cmocka_unit_test(test_answers_to_a_trace),
		cmocka_unit_test(test_answers_to_a_search),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_answers_with_names),
		cmocka_unit_test(test_probe),
	};

	return cmocka_run_group_tests_name("backend/zipkin", tests, NULL, NULL);
}
