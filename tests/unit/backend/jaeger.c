/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "backend/rooms.h"

#include "../wire/support.h"
#include "backend/source.h"

#define ID "5b8efff798038103d269b633813fc700"

static const struct endpoint endpoint = { .url = "http://jaeger.example:16686",
					  .option_prefix = "--traces" };

static void check_path(const struct trace_query *query, unsigned attempt,
		       const char *path)
{
	struct http_request request;
	struct error err;

	assert_true(trace_request(&trace_jaeger, &endpoint, query, attempt,
				  &request, &err));
	assert_string_equal(request.path, path);
	http_request_release(&request);
}

static void test_v3_then_legacy(void **state)
{
	struct trace_query query = { .trace_id_hex = ID };

	(void)state;
	assert_int_equal(trace_jaeger.attempts, 2);
	check_path(&query, 0, "/api/v3/traces/" ID);
	check_path(&query, 1, "/api/traces/" ID);
	query.has_window = true;
	query.window =
		(struct time_range){ 1795228418500000123, 1795228423000000000 };
	check_path(&query, 0,
		   "/api/v3/traces/" ID
		   "?start_time=2026-11-21T02:33:38.500000123Z"
		   "&end_time=2026-11-21T02:33:43.000000000Z");
	check_path(&query, 1,
		   "/api/traces/" ID
		   "?start=1795228418500000&end=1795228423000000");
}

static enum answer judge(unsigned attempt, struct http_response response,
			 enum format *form, struct error *err)
{
	enum answer answer;

	error_clear(err);
	answer = trace_jaeger.trace_answer(attempt, &endpoint, &response, form,
					   err);
	http_response_release(&response);
	return answer;
}

static void test_forms(void **state)
{
	enum format form;
	struct error err;

	(void)state;
	assert_int_equal(
		judge(0, answer_load("jaeger", "trace-a-web-v3"), &form, &err),
		ANSWER_OK);
	assert_int_equal(form, FORMAT_OTLP_JSON);
	assert_int_equal(judge(1, answer_load("jaeger", "trace-a-web-legacy"),
			       &form, &err),
			 ANSWER_OK);
	assert_int_equal(form, FORMAT_JAEGER_JSON);
}

static void check(unsigned attempt, struct http_response response,
		  enum answer want, enum error_code code, const char *part)
{
	enum format form;
	struct error err;

	assert_int_equal(judge(attempt, response, &form, &err), want);
	assert_int_equal(err.code, code);
	assert_contains(err.message, part);
}

static void test_misses_are_told_from_missing_routes(void **state)
{
	(void)state;
	check(0, answer_load("jaeger", "miss-v3"), ANSWER_MISS, ERROR_NOT_FOUND,
	      "no such trace");
	check(1, answer_load("jaeger", "miss-legacy"), ANSWER_MISS,
	      ERROR_NOT_FOUND, "no such trace");
	check(1,
	      answer_make(500, "application/json",
			  "{\"errors\":[{\"msg\":\"No trace with that ID "
			  "found\"}]}"),
	      ANSWER_MISS, ERROR_NOT_FOUND, "no such trace");
	check(0, answer_load("jaeger", "err-404-api-route"), ANSWER_TRY_NEXT,
	      ERROR_NETWORK, "--traces-url");
	check(0, answer_make(404, "application/json", "{\"message\":\"nope\"}"),
	      ANSWER_TRY_NEXT, ERROR_NETWORK, "nope");
	check(0, answer_load("jaeger", "html-wrong-path"), ANSWER_TRY_NEXT,
	      ERROR_NETWORK, "HTML page");
	check(1, answer_load("jaeger", "html-ready"), ANSWER_TRY_NEXT,
	      ERROR_NETWORK, "HTML page");
}

static void test_errors_say_what_to_do(void **state)
{
	(void)state;
	check(1, answer_load("jaeger", "trace-i-edges-legacy"), ANSWER_ERROR,
	      ERROR_FORMAT, "NaN or infinite");
	check(0, answer_load("jaeger", "err-401-missing-tenant"), ANSWER_ERROR,
	      ERROR_AUTH, "--traces-header \"x-tenant: NAME\"");
	check(0, answer_load("jaeger", "err-401-unknown-tenant"), ANSWER_ERROR,
	      ERROR_AUTH, "unknown tenant");
	check(0, answer_load("jaeger", "err-400-id-v3"), ANSWER_ERROR,
	      ERROR_NETWORK,
	      "answered 400: malformed parameter trace_id: invalid length for "
	      "TraceID");
	check(1, answer_load("jaeger", "err-400-id-legacy"), ANSWER_ERROR,
	      ERROR_NETWORK, "answered 400: invalid length for TraceID");
	check(0, answer_load("jaeger", "redirect-double-slash"), ANSWER_ERROR,
	      ERROR_NETWORK, "307 and redirects to /api/v3/services");
}

static void check_probe(struct http_response response, bool want)
{
	assert_int_equal(traces_probe_matches(&trace_jaeger.probe, &response),
			 want);
	http_response_release(&response);
}

static void test_probe_needs_its_own_words(void **state)
{
	struct http_request request;
	struct error err;

	(void)state;
	assert_true(traces_probe_request(&endpoint, trace_jaeger.probe.path,
					 &request, &err));
	assert_string_equal(request.path, "/api/v3/services");
	http_request_release(&request);
	check_probe(answer_load("jaeger", "services"), true);
	check_probe(answer_make(200, "application/json", "{}"), true);
	check_probe(answer_make(200, "application/json", "{\"services\":["),
		    false);
	check_probe(answer_load("jaeger", "html-wrong-path"), false);
	check_probe(answer_load("tempo", "echo"), false);
	check_probe(answer_load("tempo", "err-404-route"), false);
	check_probe(answer_make(200, "application/json", "{\"data\":[]}"),
		    false);
	check_probe(answer_make(200, "application/json", "[]"), false);
}

static void expect_old_jaeger(int status, const char *type, const char *body,
			      bool is_likely, bool is_matched)
{
	struct http_response response = answer_make(status, type, body);

	assert_int_equal(answer_lacks_route(&response), is_likely);
	assert_int_equal(
		traces_probe_matches(&trace_jaeger.late_probe, &response),
		is_matched);
	http_response_release(&response);
}

/* Only the envelope proves it, and only a missing route leads there. */
static void test_old_jaeger(void **state)
{
	const char *json = "application/json";

	(void)state;
	expect_old_jaeger(404, "text/plain", "404 page not found", true, false);
	expect_old_jaeger(405, "text/plain", "", true, false);
	expect_old_jaeger(200, "text/html", "<!doctype html>", true, false);
	expect_old_jaeger(0, "", "", false, false);
	expect_old_jaeger(401, json, "{}", false, false);
	expect_old_jaeger(503, "text/plain", "starting", false, false);
	expect_old_jaeger(200, json, "{\"services\":[]}", false, false);
	expect_old_jaeger(200, json, "{\"data\":[\"web\"]}", false, false);
	expect_old_jaeger(200, json, "{}", false, false);
	expect_old_jaeger(200, json,
			  "{\"data\":null,\"total\":0,\"errors\":null}", false,
			  true);
	expect_old_jaeger(404, json, "{\"data\":null,\"errors\":[]}", true,
			  false);
}

UNIT_TESTS(jaeger)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_v3_then_legacy),
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_misses_are_told_from_missing_routes),
		cmocka_unit_test(test_errors_say_what_to_do),
		cmocka_unit_test(test_probe_needs_its_own_words),
		cmocka_unit_test(test_old_jaeger),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
