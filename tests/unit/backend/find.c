/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "../wire/support.h"
#include "backend/rooms.h"
#include "backend/tempo/tempo.h"
#include "base/num.h"

static const struct endpoint endpoint = { .url = "http://traces.example/p",
					  .option_prefix = "--traces" };

static struct error err;

static struct find_query query_make(void)
{
	return (struct find_query){
		.range = { 12500000000, 22000000001 },
		.trace_limit = 40,
	};
}

/* What the server reads: the path with %xx and + resolved. Releases. */
static const char *decoded(struct http_request *request)
{
	static char text[65536];
	size_t len = 0;

	for (const char *p = request->path; *p; p++) {
		unsigned value = 0;

		if (*p == '%') {
			for (int i = 1; i <= 2; i++) {
				char c = p[i];

				value = value * 16 +
					(unsigned)(c <= '9' ? c - '0'
							    : (c | 32) - 'a' +
								      10);
			}
			text[len++] = (char)value;
			p += 2;
		} else {
			text[len++] = *p;
		}
	}
	text[len] = '\0';
	http_request_release(request);
	return text;
}

static const char *asked(const struct trace_backend *t,
			 const struct find_query *query, unsigned attempt)
{
	struct http_request request = { 0 };

	if (!traces_find_request(t, &endpoint, query, attempt, &request, &err))
		fail_msg("%s", err.message);
	return decoded(&request);
}

static void test_tempo_question(void **state)
{
	struct find_query q = query_make();

	(void)state;
	assert_string_equal(
		asked(&trace_tempo, &q, 0),
		"/api/search?q={}|select(resource.service.name,name,status) "
		"with(most_recent=true)&start=12&end=23&limit=40&spss=20");
	q.min_duration_ns = 5;
	assert_contains(asked(&trace_tempo, &q, 0), "q={traceDuration>=5ns}|");
	assert_contains(asked(&trace_tempo, &q, 2), "q={trace:duration>=5ns}|");
	assert_contains(asked(&trace_tempo, &q, 3),
			"q={traceDuration>=5ns}&start");
	q.service = STR("cart");
	q.name = STR("GET /");
	q.is_error = true;
	assert_contains(asked(&trace_tempo, &q, 0),
			"q={resource.service.name=\"cart\"&&name=\"GET /\"&&"
			"status=error&&duration>=5ns}|select(");
	/* A block with an absurd span: the trace's duration instead. */
	assert_contains(asked(&trace_tempo, &q, 4), "&&traceDuration>=5ns}|");
}

static const char *counted(const struct find_query *query, unsigned attempt)
{
	struct http_request request = { 0 };

	if (!traces_durations_request(&trace_tempo, &endpoint, query, attempt,
				      &request, &err))
		fail_msg("%s", err.message);
	return decoded(&request);
}

static void test_tempo_durations(void **state)
{
	struct find_query q = query_make();

	(void)state;
	assert_int_equal(traces_counted(&trace_tempo, &q), FIND_COUNTS_TRACES);
	assert_string_equal(
		counted(&q, 0),
		"/api/metrics/query?q={nestedSetParent<0}|"
		"histogram_over_time(traceDuration)&start=12500000000&"
		"end=22000000001");
	q.uncounted_names = STR(".*/ping");
	assert_contains(counted(&q, 0),
			"q={nestedSetParent<0&&name!~\".*/ping\"}|");
	q.min_duration_ns = 5;
	q.service = STR("a\"b");
	assert_int_equal(traces_counted(&trace_tempo, &q),
			 FIND_COUNTS_REQUESTS);
	/* 9.5 s in 60 steps: whole seconds. */
	assert_string_equal(
		counted(&q, 1),
		"/api/metrics/query_range?q={resource.service.name=\"a\\\"b\"&&"
		"(kind=server||kind=consumer)&&name!~\".*/ping\"&&"
		"duration>=5ns}|histogram_over_time(duration)&"
		"start=12500000000&end=22000000001&step=1s&exemplars=1");
	/* Who names a health check wants it. */
	q.name = STR("GET /ping");
	q.is_error = true;
	assert_int_equal(traces_counted(&trace_tempo, &q), FIND_COUNTS_SPANS);
	assert_contains(counted(&q, 0),
			"&&name=\"GET /ping\"&&status=error&&duration>=5ns}|");
}

/* What no server counts as the search does. */
static void test_durations_that_no_server_counts(void **state)
{
	struct find_query q = query_make();
	struct http_request request = { 0 };

	(void)state;
	assert_int_equal(traces_counted(&trace_jaeger, &q), FIND_COUNTS_NONE);
	assert_false(traces_durations_request(&trace_jaeger, &endpoint, &q, 0,
					      &request, &err));
	q.is_error = true;
	assert_int_equal(traces_counted(&trace_tempo, &q), FIND_COUNTS_NONE);
	q.is_error = false;
	q.traceql = STR("{}");
	assert_int_equal(traces_counted(&trace_tempo, &q), FIND_COUNTS_NONE);
}

static enum answer count_answer(unsigned attempt, int status, const char *body)
{
	struct http_response r = answer_make(status, "application/json", body);
	enum answer answer =
		trace_tempo.durations_answer(attempt, &endpoint, &r, &err);

	http_response_release(&r);
	return answer;
}

static void test_tempo_durations_answers(void **state)
{
	(void)state;
	assert_int_equal(count_answer(0, 200, "{\"series\":[]}"), ANSWER_OK);
	assert_int_equal(count_answer(0, 200, "{\"metrics\":{}}"), ANSWER_OK);
	assert_int_equal(count_answer(0, 200, "{}"), ANSWER_ERROR);
	assert_int_equal(count_answer(0, 200, "<html>"), ANSWER_ERROR);
	assert_int_equal(count_answer(0, 404, "404 page not found"),
			 ANSWER_TRY_NEXT);
	assert_int_equal(count_answer(1, 404, "404 page not found"),
			 ANSWER_ERROR);
	assert_int_equal(count_answer(0, 400, "metrics query time range"),
			 ANSWER_ERROR);
	assert_int_equal(count_answer(0, 500, "empty ring"), ANSWER_ERROR);
}

static int64_t count_limit(unsigned attempt, int status, const char *body)
{
	struct http_response r = answer_make(status, "text/plain", body);
	int64_t limit_ns = trace_tempo.durations_limit_ns(attempt, &r);

	http_response_release(&r);
	return limit_ns;
}

static void test_tempo_durations_limit(void **state)
{
	static const char refusal[] =
		"metrics query time range exceeds the maximum allowed "
		"duration of 24h0m0s";

	(void)state;
	assert_int_equal(count_limit(0, 400, refusal), NS_PER_DAY);
	assert_int_equal(count_limit(0, 400,
				     "maximum allowed duration of "
				     "3h30m0s\n"),
			 3 * NS_PER_HOUR + 30 * NS_PER_MIN);
	/* Of range queries parts do not add up. */
	assert_int_equal(count_limit(1, 400, refusal), 0);
	assert_int_equal(count_limit(0, 200, refusal), 0);
	assert_int_equal(count_limit(0, 400, "end must be greater than start"),
			 0);
	assert_int_equal(count_limit(0, 400, "maximum allowed duration of 0s"),
			 0);
	assert_int_equal(count_limit(0, 400, "maximum allowed duration of "),
			 0);
}

/* Values stay values. */
static void test_tempo_injection(void **state)
{
	struct find_query q = query_make();

	(void)state;
	q.service = STR("a\"}|{\\\n\xff");
	assert_contains(asked(&trace_tempo, &q, 0),
			"q={resource.service.name=\"a\\\"}|{\\\\\\x0a\\xff\"}|"
			"select(");
	q = query_make();
	q.traceql = STR("{}&limit=9");
	assert_contains(asked(&trace_tempo, &q, 0), "q={}&limit=9&start");
	{
		struct http_request request = { 0 };

		assert_true(traces_find_request(&trace_tempo, &endpoint, &q, 0,
						&request, &err));
		assert_lacks(request.path, "&limit=9");
		http_request_release(&request);
	}
}

static void test_tempo_own(void **state)
{
	struct find_query q = query_make();

	(void)state;
	q.traceql = STR("{ a } >> { b }");
	assert_contains(asked(&trace_tempo, &q, 0), "q={ a } >> { b }&start");
	assert_false(find_is_by_span(&q));
	q.min_duration_ns = 7;
	assert_contains(asked(&trace_tempo, &q, 0),
			"q=({ a } >> { b })&&({traceDuration>=7ns})&start");
	assert_true(traces_find_is_bounded(&trace_tempo, &q, 0));
	assert_contains(asked(&trace_tempo, &q, 4), "q={ a } >> { b }&start");
	assert_false(traces_find_is_bounded(&trace_tempo, &q, 4));
}

static enum answer judge(const struct trace_backend *t,
			 const struct find_query *q, unsigned *attempt,
			 struct http_response response, search_decoder **form)
{
	enum answer answer =
		t->find_answer(q, attempt, &endpoint, &response, form, &err);

	http_response_release(&response);
	return answer;
}

static void test_tempo_answers(void **state)
{
	struct find_query q = query_make();
	search_decoder *form = NULL;
	unsigned attempt = 0;

	(void)state;
	assert_int_equal(judge(&trace_tempo, &q, &attempt,
			       answer_make(400, "text/plain",
					   "invalid TraceQL query: x"),
			       &form),
			 ANSWER_TRY_NEXT);
	assert_int_equal(attempt, 1);
	attempt = 3;
	assert_int_equal(judge(&trace_tempo, &q, &attempt,
			       answer_make(400, "text/plain", "invalid"),
			       &form),
			 ANSWER_ERROR);
	attempt = 0;
	assert_int_equal(
		judge(&trace_tempo, &q, &attempt,
		      answer_make(400, "text/plain",
				  "range specified by start and end exceeds"),
		      &form),
		ANSWER_ERROR);
	assert_int_equal(
		judge(&trace_tempo, &q, &attempt,
		      answer_make(200, "application/json", "{\"traces\":[]}"),
		      &form),
		ANSWER_OK);
	assert_true(form == decode_tempo_search_json);
	/* Nothing with a bound on spans is asked again by traces, once. */
	q.service = STR("cart");
	q.min_duration_ns = 5;
	assert_int_equal(
		judge(&trace_tempo, &q, &attempt,
		      answer_make(200, "application/json", "{\"traces\":[]}"),
		      &form),
		ANSWER_TRY_NEXT);
	assert_int_equal(attempt, 4);
	assert_int_equal(
		judge(&trace_tempo, &q, &attempt,
		      answer_make(200, "application/json", "{\"traces\":[]}"),
		      &form),
		ANSWER_OK);
	assert_int_equal(judge(&trace_tempo, &q, &attempt,
			       answer_make(200, "application/protobuf",
					   "\x12\x02 \x01"),
			       &form),
			 ANSWER_OK);
	assert_true(form == decode_tempo_search_pb);
}

/* What comes in the place of an answer. */
static const struct {
	int status;
	const char *type, *body;
} nothings[] = {
	{ 200, "text/html", "<html>Sign in</html>" },
	{ 200, "", "" },
	{ 200, "application/json", "" },
	{ 200, "application/protobuf", "" },
	{ 200, "text/plain", "{}" },
	{ 200, "application/json", "{\"status\":\"ok\"}" },
	{ 204, "", "" },
	{ 400, "text/plain", "bad request" },
	{ 404, "text/html", "<html>404 Not Found</html>" },
	{ 410, "text/plain", "gone" },
	{ 413, "text/plain", "too large" },
	{ 422, "application/json", "{\"error\":\"no\"}" },
	{ 429, "text/plain", "slow down" },
	{ 501, "text/plain", "not here" },
};

/* Whatever the attempts, the last says what was wrong. */
static void test_what_is_no_answer(void **state)
{
	const struct trace_backend *all[] = { &trace_tempo, &trace_jaeger,
					      &trace_zipkin };
	struct find_query q = query_make();

	(void)state;
	for (size_t k = 0; k < COUNT(all); k++) {
		for (size_t i = 0; i < COUNT(nothings); i++) {
			enum answer answer;
			unsigned attempt = 0;
			search_decoder *form;

			do
				answer = judge(all[k], &q, &attempt,
					       answer_make(nothings[i].status,
							   nothings[i].type,
							   nothings[i].body),
					       &form);
			while (answer == ANSWER_TRY_NEXT);
			assert_int_equal(answer, ANSWER_ERROR);
			assert_int_not_equal(err.code, ERROR_NOT_FOUND);
			assert_int_not_equal(err.code, ERROR_NONE);
		}
	}
}

static void test_jaeger(void **state)
{
	struct find_query q = query_make();
	search_decoder *form = NULL;
	struct http_request request = { 0 };
	unsigned attempt = 0;

	(void)state;
	assert_string_equal(
		asked(&trace_jaeger, &q, 0),
		"/api/v3/traces?query.start_time_min=1970-01-01T00:00:12."
		"500000000Z&query.start_time_max=1970-01-01T00:00:22."
		"000000001Z&query.num_traces=40");
	q.service = STR("a&b");
	q.name = STR("GET /");
	q.is_error = true;
	q.min_duration_ns = 1500999;
	assert_contains(asked(&trace_jaeger, &q, 0),
			"&query.service_name=a&b&query.operation_name=GET /"
			"&query.attributes={\"error\":\"true\"}"
			"&query.duration_min=1500999ns");
	assert_string_equal(asked(&trace_jaeger, &q, 1),
			    "/api/traces?start=12500000&end=22000001&limit=40"
			    "&service=a&b&operation=GET /&tags={\"error\":"
			    "\"true\"}&minDuration=1500us");
	assert_int_equal(
		judge(&trace_jaeger, &q, &attempt,
		      answer_make(404, "text/plain", "404 page not found"),
		      &form),
		ANSWER_TRY_NEXT);
	assert_int_equal(attempt, 1);
	assert_int_equal(
		judge(&trace_jaeger, &q, &attempt,
		      answer_make(200, "application/json", "{\"data\":[]}"),
		      &form),
		ANSWER_OK);
	assert_true(form == decode_jaeger_search_legacy);
	attempt = 0;
	assert_int_equal(
		judge(&trace_jaeger, &q, &attempt,
		      answer_make(404, "text/plain",
				  "{\"error\":{\"httpCode\":404,\"message\":"
				  "\"No traces found\"}}"),
		      &form),
		ANSWER_MISS);
	q.service = STR("");
	assert_int_equal(
		judge(&trace_jaeger, &q, &attempt,
		      answer_make(400, "text/plain",
				  "{\"error\":{\"message\":\"service name is "
				  "required\"}}"),
		      &form),
		ANSWER_ERROR);
	assert_int_equal(err.code, ERROR_USAGE);
	assert_contains(err.message, "--service");
	q.traceql = STR("{}");
	assert_false(traces_find_request(&trace_jaeger, &endpoint, &q, 0,
					 &request, &err));
	assert_int_equal(err.code, ERROR_USAGE);
}

static const char *names_asked(const struct trace_backend *t,
			       enum trace_names what, unsigned attempt)
{
	struct http_request request = { 0 };
	const struct names_query query = { what,
					   STR("a\"b"),
					   { 12 * NS_PER_S, 20 * NS_PER_S } };

	assert_true(traces_names_request(t, &endpoint, &query, attempt,
					 &request, &err));
	return decoded(&request);
}

static void test_names_questions(void **state)
{
	(void)state;
	assert_string_equal(names_asked(&trace_tempo, TRACE_SERVICES, 0),
			    "/api/v2/search/tag/resource.service.name/values"
			    "?start=12&end=21");
	assert_string_equal(names_asked(&trace_tempo, TRACE_OPERATIONS, 0),
			    "/api/v2/search/tag/name/values?start=12&end=21"
			    "&q={resource.service.name=\"a\\\"b\"}");
	assert_string_equal(names_asked(&trace_tempo, TRACE_SERVICES, 1),
			    "/api/search/tag/service.name/values");
	assert_string_equal(names_asked(&trace_jaeger, TRACE_SERVICES, 0),
			    "/api/v3/services");
	assert_string_equal(names_asked(&trace_jaeger, TRACE_OPERATIONS, 0),
			    "/api/v3/operations?service=a\"b");
	assert_string_equal(names_asked(&trace_jaeger, TRACE_OPERATIONS, 1),
			    "/api/services/a\"b/operations");
}

static void assert_tags_asked(const char *tag, const char *service,
			      unsigned attempt, const char *expected)
{
	const struct tags_query q = { str_from(tag),
				      str_from(service),
				      { 12 * NS_PER_S, 20 * NS_PER_S } };
	struct http_request request = { 0 };

	assert_true(traces_tags_request(&trace_tempo, &endpoint, &q, attempt,
					&request, &err));
	assert_string_equal(decoded(&request), expected);
}

static void test_tags_questions(void **state)
{
	(void)state;
	assert_tags_asked("", "", 0, "/api/v2/search/tags?start=12&end=21");
	assert_tags_asked("", "a", 0,
			  "/api/v2/search/tags?start=12&end=21"
			  "&q={resource.service.name=\"a\"}");
	assert_tags_asked("", "a", 1, "/api/search/tags");
	assert_tags_asked("span.x", "", 0,
			  "/api/v2/search/tag/span.x/values?start=12&end=21");
	assert_tags_asked("x y", "", 0,
			  "/api/v2/search/tag/.x y/values?start=12&end=21");
	assert_tags_asked("span:kind", "", 0,
			  "/api/v2/search/tag/span:kind/values"
			  "?start=12&end=21");
	assert_tags_asked("status", "", 0,
			  "/api/v2/search/tag/status/values?start=12&end=21");
	assert_tags_asked("service", "", 1,
			  "/api/search/tag/service.name/values");
	assert_tags_asked(".x", "", 1, "/api/search/tag/x/values");
}

/* A scope may say its name after its tags, or be no scope at all. */
static void test_tags_answer(void **state)
{
	struct http_response r = answer_make(
		200, "application/json",
		"{\"scopes\":[{\"tags\":[\"b\",7],\"name\":\"span\"},3,"
		"{\"name\":\"intrinsic\",\"tags\":[\"name\"]},"
		"{\"name\":9,\"tags\":{}}]}");
	struct name_list names;
	struct arena arena;

	(void)state;
	arena_init(&arena, MIB);
	assert_int_equal(trace_tempo.names_answer(0, &endpoint, &r, &arena,
						  &names, &err),
			 ANSWER_OK);
	assert_int_equal(names.count, 2);
	assert_true(str_equal(names.items[0], STR("name")));
	assert_true(str_equal(names.items[1], STR("span.b")));
	http_response_release(&r);
	arena_release(&arena);
}

static void test_more_behind_names(void **state)
{
	struct http_response r = answer_make(200, "application/json",
					     "{\"tagValues\":[\"a\"]}\xff");
	struct name_list names;
	struct arena arena;

	(void)state;
	arena_init(&arena, MIB);
	assert_int_equal(trace_tempo.names_answer(0, &endpoint, &r, &arena,
						  &names, &err),
			 ANSWER_ERROR);
	assert_non_null(strstr(err.message, "more behind the answer"));
	http_response_release(&r);
	arena_release(&arena);
}

static void test_names_answers(void **state)
{
	static const struct {
		const struct trace_backend *server;
		const char *body;
	} rows[] = {
		{ &trace_tempo,
		  "{\"tagValues\":[{\"type\":\"string\",\"value\":\"b\"},"
		  "{\"type\":\"string\"},"
		  "{\"type\":\"string\",\"value\":\"a\"}],"
		  "\"metrics\":{}}" },
		{ &trace_tempo, "{\"tagValues\":[\"b\",\"a\",\"b\"]}" },
		{ &trace_jaeger, "{\"services\":[\"a\",\"b\"]}" },
		{ &trace_jaeger,
		  "{\"operations\":[{\"name\":\"b\",\"spanKind\":\"server\"},"
		  "{\"name\":\"a\",\"spanKind\":\"client\"},"
		  "{\"name\":\"a\",\"spanKind\":\"server\"}]}" },
		{ &trace_jaeger,
		  "{\"data\":[\"b\",\"a\"],\"total\":2,\"errors\":null}" },
	};
	struct name_list names;
	struct arena arena;

	(void)state;
	arena_init(&arena, MIB);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct http_response r =
			answer_make(200, "application/json", rows[i].body);

		assert_int_equal(rows[i].server->names_answer(0, &endpoint, &r,
							      &arena, &names,
							      &err),
				 ANSWER_OK);
		assert_int_equal(names.count, 2);
		assert_true(str_equal(names.items[0], STR("a")));
		assert_true(str_equal(names.items[1], STR("b")));
		http_response_release(&r);
	}
	{
		struct http_response r =
			answer_make(404, "text/plain", "404 page not found");

		assert_int_equal(trace_jaeger.names_answer(0, &endpoint, &r,
							   &arena, &names,
							   &err),
				 ANSWER_TRY_NEXT);
		assert_int_equal(trace_jaeger.names_answer(1, &endpoint, &r,
							   &arena, &names,
							   &err),
				 ANSWER_ERROR);
		assert_int_equal(names.count, 0);
		http_response_release(&r);
	}
	arena_release(&arena);
}

UNIT_TESTS(find)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tempo_question),
		cmocka_unit_test(test_tempo_durations),
		cmocka_unit_test(test_durations_that_no_server_counts),
		cmocka_unit_test(test_tempo_durations_answers),
		cmocka_unit_test(test_tempo_durations_limit),
		cmocka_unit_test(test_tempo_injection),
		cmocka_unit_test(test_tempo_own),
		cmocka_unit_test(test_tempo_answers),
		cmocka_unit_test(test_what_is_no_answer),
		cmocka_unit_test(test_jaeger),
		cmocka_unit_test(test_names_questions),
		cmocka_unit_test(test_more_behind_names),
		cmocka_unit_test(test_names_answers),
		cmocka_unit_test(test_tags_questions),
		cmocka_unit_test(test_tags_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
