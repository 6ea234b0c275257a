/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "../unit.h"
#include "../wire/support.h"
#include "backend/rooms.h"
#include "backend/tempo/tempo.h"
#include "wire/har.h"

static const struct endpoint endpoint = { .url = "http://traces.example/p",
					  .option_prefix = "--traces" };

static const struct search_operation operations[] = {
	{ { "cart", 4 }, { "GET /cart", 9 }, "server" },
	{ { "cart", 4 }, { "SELECT", 6 }, "client" },
	{ { "db", 2 }, { "SELECT", 6 }, "server" },
};

/* From 12 to 22 s and a part of a second each. */
static struct search_query query_make(void)
{
	return (struct search_query){
		.root_service = STR("web"),
		.root_name = STR("GET \"/\""),
		.operations = operations,
		.operation_count = 3,
		.range = { 12500000000, 22000000001 },
		.trace_limit = 40,
	};
}

static struct error err;

/* What the server reads: the path with %xx resolved, without the select. */
static const char *decoded(const struct trace_backend *t,
			   const struct search_query *query, unsigned attempt)
{
	static char text[65536];
	struct http_request request;
	size_t len = 0;

	assert_true(traces_search_request(t, &endpoint, query, attempt,
					  &request, &err));
	assert_true(strlen(request.path) < 8192);
	for (const char *p = request.path; *p; p++) {
		unsigned byte;

		if (*p == '%' && sscanf(p + 1, "%2x", &byte) == 1) {
			text[len++] = (char)byte;
			p += 2;
		} else {
			text[len++] = *p;
		}
	}
	text[len] = '\0';
	http_request_release(&request);
	return text;
}

static void check_starts(const char *text, const char *start)
{
	if (strncmp(text, start, strlen(start)))
		fail_msg("%s\ndoes not begin with\n%s", text, start);
}

static void test_tempo_asks_for_services_and_names(void **state)
{
	struct search_query query = query_make();
	const char *text;

	(void)state;
	text = decoded(&trace_tempo, &query, 0);
	check_starts(text, "/api/search?q={rootServiceName=\"web\"&&"
			   "rootName=\"GET \\\"/\\\"\"&&"
			   "(resource.service.name=\"cart\"||"
			   "resource.service.name=\"db\")&&"
			   "(name=\"GET /cart\"||name=\"SELECT\")}|select(");
	assert_contains(text, "span.pyroscope.profile.id,");
	assert_contains(text, ",kind,status,span:parentID) "
			      "with(most_recent=true)&start=12&"
			      "end=23&limit=40&spss=100");
	query.is_root_called = true;
	check_starts(decoded(&trace_tempo, &query, 0),
		     "/api/search?q={resource.service.name=\"web\"&&"
		     "name=\"GET \\\"/\\\"\"}&&"
		     "{(resource.service.name=\"cart\"||");
	query.root_service = STR("");
	query.root_name = STR("");
	check_starts(decoded(&trace_tempo, &query, 0),
		     "/api/search?q={(resource.service.name=\"cart\"||");
	query.range = (struct time_range){ -1500000000, -1000000000 };
	assert_contains(decoded(&trace_tempo, &query, 0), "&start=-2&end=-1&");
}

static void test_tempo_asks_for_attributes(void **state)
{
	static const struct search_key keys[] = {
		{ { "cache.hit", 9 }, false },       { { "zone", 4 }, true },
		{ { "service.version", 15 }, true }, /* asked for anyway */
		{ { "not plain", 9 }, false },       { { "a\"}", 3 }, false },
	};
	struct search_query query = query_make();

	(void)state;
	query.keys = keys;
	query.key_count = COUNT(keys);
	assert_contains(decoded(&trace_tempo, &query, 0),
			",kind,status,span:parentID,span.cache.hit,"
			"resource.zone) with(");
}

/* Those that fit. */
static void test_many_attributes_stay_within_an_address(void **state)
{
	static char names[24][200];
	struct search_key keys[24];
	struct search_query query = query_make();
	const char *text;

	(void)state;
	for (size_t i = 0; i < COUNT(keys); i++) {
		memset(names[i], 'a' + (int)i, sizeof names[i]);
		keys[i] = (struct search_key){ { names[i], sizeof names[i] },
					       false };
	}
	query.keys = keys;
	query.key_count = COUNT(keys);
	text = decoded(&trace_tempo, &query, 0);
	assert_contains(text, ",span.aaaa");
	assert_contains(text, "span.nnnn");
	assert_lacks(text, "xxxx");
}

static void test_all_of_a_service_is_asked_for_without_names(void **state)
{
	static const struct search_operation any = { { "cart", 4 },
						     { "", 0 },
						     "" };
	struct search_query query = query_make();
	const char *text;

	(void)state;
	query.root_service = query.root_name = STR("");
	query.operations = &any;
	query.operation_count = 1;
	check_starts(
		decoded(&trace_tempo, &query, 0),
		"/api/search?q={(resource.service.name=\"cart\")}|select(");
	text = decoded(&trace_jaeger, &query, 0);
	assert_contains(text, "query.service_name=cart&");
	assert_null(strstr(text, "operation_name"));
}

static void test_tempo_asks_for_slow_ones(void **state)
{
	struct search_query query = query_make();

	(void)state;
	query.root_name = STR("");
	query.slow = &operations[1];
	query.min_duration_ns = 120000000;
	check_starts(decoded(&trace_tempo, &query, 0),
		     "/api/search?q={rootServiceName=\"web\"&&"
		     "(resource.service.name=\"cart\"&&name=\"SELECT\"&&"
		     "kind=client)&&duration>=120000000ns}|select(");
}

static void test_internal_spans_may_have_no_kind(void **state)
{
	const struct search_operation internal = { { "a", 1 },
						   { "b", 1 },
						   "internal" };
	struct search_query query = query_make();

	(void)state;
	query.slow = &internal;
	assert_contains(decoded(&trace_tempo, &query, 0),
			"name=\"b\"&&(kind=internal||kind=unspecified))");
}

static void test_strings_are_escaped(void **state)
{
	const struct search_operation odd = { { "a\\\"}|\n", 6 },
					      { "\xC3\xA9\xFF\0\x7F~ ", 7 },
					      "server" };
	struct search_query query = query_make();

	(void)state;
	query.operations = &odd;
	query.operation_count = 1;
	assert_contains(decoded(&trace_tempo, &query, 0),
			"(resource.service.name=\"a\\\\\\\"}|\\x0a\")&&"
			"(name=\"\\xc3\\xa9\\xff\\x00\\x7f~ \")");
	/* Jaeger takes them as they are. */
	query.root_service = STR("");
	assert_contains(decoded(&trace_jaeger, &query, 0),
			"query.service_name=a\\\"}|\n&query.operation_name=");
}

/* A server reads 1,024 bytes at a time and must not have to look past such a
 * border behind "resource.", "span." and in a duration. */
static void check_borders(const char *path)
{
	static const char *const words[] = {
		"resource.service.name",
		"resource.k8s.pod.name",
		"resource.host.name",
		"span.pyroscope.profile.id",
		"duration>=",
	};
	const char *q = strstr(path, "?q=") + 3;

	for (size_t i = 0; i < COUNT(words); i++)
		for (const char *at = strstr(q, words[i]); at;
		     at = strstr(at + 1, words[i])) {
			size_t start = (size_t)(at - q);
			size_t end = start + strlen(words[i]) + 1;

			assert_int_equal(start / 1024, end / 1024);
		}
}

static void test_words_lie_between_borders(void **state)
{
	struct search_operation many[20];
	struct search_query query = query_make();
	char name[201];

	(void)state;
	memset(name, 'n', sizeof name);
	query.operations = many;
	query.operation_count = COUNT(many);
	for (size_t len = 30; len < 110; len++) {
		for (size_t i = 0; i < COUNT(many); i++)
			many[i] = (struct search_operation){ { name, len + i },
							     { name, len + i },
							     "server" };
		query.slow = NULL;
		check_borders(decoded(&trace_tempo, &query, 0));
		query.root_name = (struct str){ name, 200 };
		many[0].service = (struct str){ name, 200 };
		many[0].name = (struct str){ name, len + 60 };
		query.slow = &many[0];
		check_borders(decoded(&trace_tempo, &query, 0));
	}
}

static void test_operations_up_to_the_limit(void **state)
{
	struct search_operation many[SEARCH_OPERATIONS + 1];
	char names[SEARCH_OPERATIONS + 1][8];
	struct search_query query = query_make();
	const char *text;

	(void)state;
	for (size_t i = 0; i < COUNT(many); i++) {
		int len = snprintf(names[i], sizeof names[i], "op%02zu", i);

		many[i] = (struct search_operation){ STR("s"),
						     { names[i], (size_t)len },
						     "server" };
	}
	query.operations = many;
	query.operation_count = COUNT(many);
	text = decoded(&trace_tempo, &query, 0);
	assert_contains(text, "name=\"op31\"");
	assert_lacks(text, "op32");
	assert_int_equal(count_of(text, "resource.service.name=\"s\""), 1);
}

static void test_long_names_stay_within_an_address(void **state)
{
	static char name[2000];
	struct search_operation many[4];
	struct search_query query = query_make();

	(void)state;
	memset(name, 'n', sizeof name);
	for (size_t i = 0; i < COUNT(many); i++)
		many[i] = (struct search_operation){ STR("s"),
						     { name, sizeof name - i },
						     "server" };
	query.operations = many;
	query.operation_count = COUNT(many);
	assert_int_equal(count_of(decoded(&trace_tempo, &query, 0), "||name="),
			 0);
	many[0].name.len = 1000;
	assert_int_equal(count_of(decoded(&trace_tempo, &query, 0), "||name="),
			 1);
}

static void test_jaeger_asks_for_one_operation(void **state)
{
	struct search_query query = query_make();

	(void)state;
	query.trace_limit = 80;
	assert_string_equal(
		decoded(&trace_jaeger, &query, 0),
		"/api/v3/traces?query.service_name=web&query.operation_name="
		"GET \"/\"&query.start_time_min=1970-01-01T00:00:12.500000000Z&"
		"query.start_time_max=1970-01-01T00:00:22.000000001Z&"
		"query.num_traces=50");
	assert_string_equal(decoded(&trace_jaeger, &query, 1),
			    "/api/traces?service=web&operation=GET \"/\"&"
			    "start=12500000&end=22000001&limit=50");
	query.root_service = STR("");
	query.trace_limit = 5;
	assert_contains(decoded(&trace_jaeger, &query, 0),
			"service_name=cart&query.operation_name=GET /cart&");
	assert_contains(decoded(&trace_jaeger, &query, 0), "num_traces=5");
	query.slow = &operations[2];
	query.min_duration_ns = 7;
	assert_contains(decoded(&trace_jaeger, &query, 0),
			"service_name=db&query.operation_name=SELECT&");
	assert_contains(decoded(&trace_jaeger, &query, 0),
			"&query.duration_min=7ns");
	assert_contains(decoded(&trace_jaeger, &query, 1), "&minDuration=7ns");
}

static enum answer judge(const struct trace_backend *t,
			 const struct search_query *q, unsigned *attempt,
			 int status, const char *type, const char *body,
			 search_decoder **form)
{
	struct http_response response = answer_make(status, type, body);
	enum answer answer =
		t->search_answer(q, attempt, &endpoint, &response, form, &err);

	http_response_release(&response);
	return answer;
}

#define TEXT "text/plain"
#define JSON "application/json"
#define PB "application/protobuf"

static void test_tempo_tries_other_forms(void **state)
{
	struct search_query query = query_make();
	unsigned attempt = 0, tries = 1;
	search_decoder *form;

	(void)state;
	while (judge(&trace_tempo, &query, &attempt, 400, TEXT,
		     "invalid TraceQL query: parse error at line 1, col 3",
		     &form) == ANSWER_TRY_NEXT)
		tries++;
	assert_int_equal(tries, 5);
	assert_contains(err.message, "parse error");
	assert_lacks(decoded(&trace_tempo, &query, 1), "most_recent");
	assert_contains(decoded(&trace_tempo, &query, 2),
			"{trace:rootService=\"web\"&&trace:rootName=\"GET");
	assert_lacks(decoded(&trace_tempo, &query, 3), "root");
	assert_lacks(decoded(&trace_tempo, &query, 4), "select");
}

static void test_tempo_asks_for_fewer_spans(void **state)
{
	static const char refusal[] =
		"spans per span set exceeds 20. received 100";
	struct search_query query = query_make();
	search_decoder *form;
	unsigned attempt = 1;

	(void)state;
	assert_int_equal(judge(&trace_tempo, &query, &attempt, 400, TEXT,
			       refusal, &form),
			 ANSWER_TRY_NEXT);
	assert_contains(decoded(&trace_tempo, &query, attempt), "&spss=20");
	/* The form that was found to serve stays. */
	assert_lacks(decoded(&trace_tempo, &query, attempt), "most_recent");
	assert_int_equal(judge(&trace_tempo, &query, &attempt, 400, TEXT,
			       refusal, &form),
			 ANSWER_TRY_NEXT);
	assert_contains(decoded(&trace_tempo, &query, attempt), "&spss=3");
	assert_int_equal(judge(&trace_tempo, &query, &attempt, 400, TEXT,
			       refusal, &form),
			 ANSWER_ERROR);
}

static void test_nothing_slow_is_asked_again(void **state)
{
	struct search_query query = query_make();
	search_decoder *form;
	unsigned attempt = 0;

	(void)state;
	/* Without the condition nothing found is an answer. */
	assert_int_equal(judge(&trace_tempo, &query, &attempt, 200, JSON,
			       "{\"traces\":[]}", &form),
			 ANSWER_OK);
	assert_true(form == decode_tempo_search_json);
	query.slow = &operations[0];
	assert_int_equal(judge(&trace_tempo, &query, &attempt, 200, JSON,
			       "{\"traces\":[]}", &form),
			 ANSWER_TRY_NEXT);
	assert_contains(decoded(&trace_tempo, &query, attempt),
			"&&trace:duration>=0ns}");
	assert_int_equal(judge(&trace_tempo, &query, &attempt, 200, JSON,
			       "{\"traces\":[]}", &form),
			 ANSWER_OK);
	attempt = 0;
	assert_int_equal(judge(&trace_tempo, &query, &attempt, 200, PB,
			       "\x12\x02\x08\x01", &form),
			 ANSWER_TRY_NEXT);
	attempt = 0;
	assert_int_equal(judge(&trace_tempo, &query, &attempt, 200, PB,
			       "\x0A\x02\x08\x01", &form),
			 ANSWER_OK);
	assert_true(form == decode_tempo_search_pb);
}

static void test_refusals_for_good(void **state)
{
	struct search_query query = query_make();
	search_decoder *form;
	unsigned attempt = 0;

	(void)state;
	assert_int_equal(
		judge(&trace_tempo, &query, &attempt, 400, TEXT,
		      "range specified by start and end exceeds 168h0m0s",
		      &form),
		ANSWER_ERROR);
	assert_contains(err.message, "168h");
	assert_int_equal(judge(&trace_tempo, &query, &attempt, 503, TEXT,
			       "Some services are not Running", &form),
			 ANSWER_ERROR);
	assert_int_equal(judge(&trace_tempo, &query, &attempt, 200, "text/html",
			       "<html>", &form),
			 ANSWER_ERROR);
	assert_int_equal(judge(&trace_jaeger, &query, &attempt, 500, TEXT,
			       "{\"error\":{\"httpCode\":500}}", &form),
			 ANSWER_ERROR);
	assert_int_equal(attempt, 0);
}

static void test_jaeger_falls_back_to_the_old_api(void **state)
{
	struct search_query query = query_make();
	search_decoder *form;
	unsigned attempt = 0;

	(void)state;
	assert_int_equal(judge(&trace_jaeger, &query, &attempt, 200, JSON,
			       "{\"result\":{}}", &form),
			 ANSWER_OK);
	assert_true(form == decode_jaeger_search);
	assert_int_equal(judge(&trace_jaeger, &query, &attempt, 404, TEXT,
			       "{\"error\":{\"httpCode\":404,\"message\":"
			       "\"No traces found\"}}",
			       &form),
			 ANSWER_MISS);
	assert_int_equal(judge(&trace_jaeger, &query, &attempt, 404, TEXT,
			       "404 page not found", &form),
			 ANSWER_TRY_NEXT);
	assert_int_equal(attempt, 1);
	assert_int_equal(judge(&trace_jaeger, &query, &attempt, 200, JSON,
			       "{\"data\":[]}", &form),
			 ANSWER_OK);
	assert_true(form == decode_jaeger_search_legacy);
	assert_int_equal(judge(&trace_jaeger, &query, &attempt, 404, TEXT,
			       "404 page not found", &form),
			 ANSWER_ERROR);
	attempt = 0;
	assert_int_equal(judge(&trace_jaeger, &query, &attempt, 200,
			       "text/html", "<!doctype html>", &form),
			 ANSWER_TRY_NEXT);
}

static void check_count(const struct trace_backend *t,
			const struct count_query *query, const char *path)
{
	struct http_request request;

	assert_true(traces_count_request(t, &endpoint, query, &request, &err));
	assert_string_equal(request.path, path);
	http_request_release(&request);
}

static void test_counts_are_asked_for(void **state)
{
	struct count_query query = { STR("c\"t"),
				     { 120000000000, 240000000000 },
				     60000000000 };

	(void)state;
	check_count(&trace_tempo, &query,
		    "/api/metrics/query_range?q=%7Bresource.service.name%3D%22c"
		    "%5C%22t%22%26%26%28kind%3Dserver%7C%7Ckind%3Dconsumer%29%"
		    "7D%7Ccount_over_time%28%29&start=120000000000&"
		    "end=240000000000&step=60000ms&exemplars=1");
	check_count(&trace_jaeger, &query,
		    "/api/v3/trace-summaries?query.service_name=c%22t&"
		    "query.start_time_min=1970-01-01T00:02:00.000000000Z&"
		    "query.start_time_max=1970-01-01T00:04:00.000000000Z&"
		    "query.num_traces=1000");
	/* A server's steps begin at multiples of their length. */
	assert_int_equal(tempo_count_step_ns(&query), 60000000000);
	query.range.from_ns++;
	assert_int_equal(tempo_count_step_ns(&query), 6000000000);
	query.step_ns = 3;
	assert_int_equal(tempo_count_step_ns(&query), NS_PER_MS);
	query = (struct count_query){
		.service = STR("c"),
		.range = { 120 * NS_PER_S, 240 * NS_PER_S },
		.step_ns = 60 * NS_PER_S,
		.name = STR("GET /\"x"),
		.root_service = STR("w"),
		.root_name = STR("load"),
	};
	check_count(&trace_tempo, &query,
		    "/api/metrics/query_range?q=%7BrootServiceName%3D%22w%22%26"
		    "%26rootName%3D%22load%22%26%26resource.service.name%3D%22c"
		    "%22%26%26name%3D%22GET%20%2F%5C%22x%22%7D%7Ccount_over_"
		    "time%28%29&start=120000000000&end=240000000000&"
		    "step=60000ms&exemplars=1");
}

static void test_no_such_server(void **state)
{
	const struct count_query count = { .service = STR("s"),
					     .range = { 0, 1 },
					     .step_ns = 1 };
	struct search_query query = query_make();
	struct http_request request;

	(void)state;
	assert_false(traces_search_request(NULL, &endpoint, &query, 0, &request,
					   &err));
	assert_false(
		traces_count_request(NULL, &endpoint, &count, &request, &err));
	query.operation_count = 0;
	assert_false(traces_search_request(&trace_tempo, &endpoint, &query, 0,
					   &request, &err));
}

/* Cases recorded before this question was asked can still be replayed. */
static void test_case_may_lack_optional_requests(void **state)
{
	struct har *har = har_new(&err);
	const struct http_settings settings = { .replay = har };
	struct http_client *client = http_client_new(&settings, &err);
	struct search_query query = query_make();
	struct http_response response;
	struct http_request request;

	(void)state;
	assert_non_null(har);
	assert_non_null(client);
	assert_true(traces_search_request(&trace_tempo, &endpoint, &query, 0,
					  &request, &err));
	assert_false(http_run(client, &request, &response, 1, &err));
	assert_int_equal(err.code, ERROR_NOT_FOUND);
	http_response_release(&response);
	request.is_optional = true;
	error_clear(&err);
	assert_true(http_run(client, &request, &response, 1, &err));
	assert_int_equal(err.code, ERROR_NONE);
	assert_int_equal(response.status, 0);
	assert_contains(response.err.message, "not in the case");
	http_response_release(&response);
	http_request_release(&request);
	http_client_free(client);
	har_free(har);
}

UNIT_TESTS(search)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tempo_asks_for_services_and_names),
		cmocka_unit_test(test_tempo_asks_for_attributes),
		cmocka_unit_test(test_many_attributes_stay_within_an_address),
		cmocka_unit_test(
			test_all_of_a_service_is_asked_for_without_names),
		cmocka_unit_test(test_tempo_asks_for_slow_ones),
		cmocka_unit_test(test_internal_spans_may_have_no_kind),
		cmocka_unit_test(test_strings_are_escaped),
		cmocka_unit_test(test_words_lie_between_borders),
		cmocka_unit_test(test_operations_up_to_the_limit),
		cmocka_unit_test(test_long_names_stay_within_an_address),
		cmocka_unit_test(test_jaeger_asks_for_one_operation),
		cmocka_unit_test(test_tempo_tries_other_forms),
		cmocka_unit_test(test_tempo_asks_for_fewer_spans),
		cmocka_unit_test(test_nothing_slow_is_asked_again),
		cmocka_unit_test(test_refusals_for_good),
		cmocka_unit_test(test_jaeger_falls_back_to_the_old_api),
		cmocka_unit_test(test_counts_are_asked_for),
		cmocka_unit_test(test_no_such_server),
		cmocka_unit_test(test_case_may_lack_optional_requests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
