/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "backend/tempo/tempo.h"

#include "../wire/support.h"
#include "backend/rooms.h"

#define ID "4bf92f3577b34da6a3ce929d0e0e4736"

static const struct endpoint endpoint = { .url = "http://tempo.example:3200/p",
					  .option_prefix = "--traces" };

static void check_request(const struct trace_query *query, unsigned attempt,
			  const char *path, const char *accept)
{
	struct http_request request;
	struct error err;

	assert_true(trace_request(&trace_tempo, &endpoint, query, attempt,
				  &request, &err));
	assert_string_equal(request.method, "GET");
	assert_string_equal(request.path, path);
	assert_string_equal(request.accept, accept);
	assert_ptr_equal(request.endpoint, &endpoint);
	http_request_release(&request);
}

static void test_attempts_go_from_best_to_last(void **state)
{
	const struct trace_query query = { .trace_id_hex = ID };
	struct http_request request;
	struct error err;

	(void)state;
	assert_int_equal(trace_tempo.attempts, 4);
	check_request(&query, 0, "/api/v2/traces/" ID, "application/protobuf");
	check_request(&query, 1, "/api/traces/" ID, "application/protobuf");
	check_request(&query, 2, "/api/v2/traces/" ID, "application/json");
	check_request(&query, 3, "/api/traces/" ID, "application/json");
	assert_false(trace_request(&trace_tempo, &endpoint, &query, 4, &request,
				   &err));
}

static void test_window_is_whole_seconds(void **state)
{
	struct trace_query query = { .trace_id_hex = ID, .has_window = true };

	(void)state;
	query.window =
		(struct time_range){ 1795228418500000000, 1795228423000000001 };
	check_request(&query, 0,
		      "/api/v2/traces/" ID "?start=1795228418&end=1795228424",
		      "application/protobuf");
	/* Equal ends would be refused: the end must lie behind. */
	query.window.to_ns = query.window.from_ns;
	check_request(&query, 1,
		      "/api/traces/" ID "?start=1795228418&end=1795228419",
		      "application/protobuf");
	query.window.from_ns = -1;
	query.window.to_ns = -1;
	check_request(&query, 1, "/api/traces/" ID "?start=-1&end=0",
		      "application/protobuf");
}

static void test_ids_are_checked(void **state)
{
	static const char *const bad[] = { NULL, "", "4bf9", ID "0",
					   "4bf92f3577b34da6a3ce929d0e0e473/" };
	struct http_request request;
	struct error err;

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		const struct trace_query query = { .trace_id_hex = bad[i] };

		assert_false(trace_request(&trace_tempo, &endpoint, &query, 0,
					   &request, &err));
		assert_int_equal(err.code, ERROR_USAGE);
	}
}

static enum answer judge(const struct endpoint *e, unsigned attempt,
			 struct http_response response, enum format *form,
			 struct error *err)
{
	enum answer answer;

	error_clear(err);
	answer = trace_tempo.trace_answer(attempt, e, &response, form, err);
	http_response_release(&response);
	if (answer != ANSWER_OK)
		assert_true(str_starts(str_from(err->message), STR("tempo: ")));
	return answer;
}

static void check_form(const char *name, unsigned attempt, enum format want)
{
	enum format form;
	struct error err;

	assert_int_equal(judge(&endpoint, attempt, answer_load("tempo", name),
			       &form, &err),
			 ANSWER_OK);
	assert_int_equal(form, want);
}

static void test_content_type_decides_the_form(void **state)
{
	(void)state;
	check_form("trace-c-fanout-v2-pb", 0, FORMAT_TEMPO_PB);
	check_form("trace-a-web-v1-pb", 1, FORMAT_OTLP_PB);
	check_form("trace-e1-orphan-v2-json", 2, FORMAT_OTLP_JSON);
	check_form("trace-e1-orphan-v1-json", 3, FORMAT_OTLP_JSON);
	/* JSON though protobuf was asked for. */
	check_form("accept-x-protobuf-v2", 0, FORMAT_OTLP_JSON);
}

static void check_miss(const char *name, unsigned attempt)
{
	const struct endpoint acme = { .url = "http://h", .tenant_id = "acme" };
	enum format form;
	struct error err;

	assert_int_equal(
		judge(&acme, attempt, answer_load("tempo", name), &form, &err),
		ANSWER_MISS);
	assert_int_equal(err.code, ERROR_NOT_FOUND);
	assert_contains(err.message, "tenant \"acme\" sent");
}

static void test_misses(void **state)
{
	enum format form;
	struct error err;

	(void)state;
	check_miss("miss-v2-pb", 0);
	check_miss("miss-v1-pb", 1);
	check_miss("miss-v2-json", 2);
	check_miss("miss-v1", 3);
	check_miss("tenant-unknown-v2-json", 2);
	assert_int_equal(
		judge(&endpoint, 1,
		      answer_make(404, "text/plain", "trace not found"), &form,
		      &err),
		ANSWER_MISS);
	assert_contains(err.message, "--tenant-id");
}

static void test_missing_route_leads_to_the_next_attempt(void **state)
{
	enum format form;
	struct error err;

	(void)state;
	for (unsigned attempt = 0; attempt < 4; attempt++) {
		assert_int_equal(
			judge(&endpoint, attempt,
			      answer_load("tempo", "err-404-prefix-forgotten"),
			      &form, &err),
			ANSWER_TRY_NEXT);
		assert_contains(err.message, "--traces-url");
		assert_contains(err.message, "404 page not found");
	}
}

static void check_error(struct http_response response, enum error_code code,
			const char *part, const char *other)
{
	enum format form;
	struct error err;

	assert_int_equal(judge(&endpoint, 0, response, &form, &err),
			 ANSWER_ERROR);
	assert_int_equal(err.code, code);
	assert_contains(err.message, part);
	assert_contains(err.message, other);
	assert_null(strchr(err.message, '\n'));
}

static void test_errors_say_what_to_do(void **state)
{
	(void)state;
	check_error(answer_load("tempo", "err-401-no-org-id"), ERROR_AUTH,
		    "no org id", "--tenant-id");
	check_error(answer_load("tempo", "trace-too-large-v1-422"), ERROR_LIMIT,
		    "trace exceeds max size (max bytes: 5000)",
		    "max_bytes_per_trace");
	check_error(answer_make(422, "text/plain", "no such field"),
		    ERROR_NETWORK, "answered 422", "no such field");
	check_error(answer_make(500, "text/plain", "x: trace exceeds max size"),
		    ERROR_LIMIT, "over the server's size limit",
		    "max_bytes_per_trace");
	check_error(answer_load("tempo", "err-400-start-after-end"),
		    ERROR_NETWORK, "answered 400", "start must be before end");
	check_error(answer_load("tempo", "err-400-tenant-character"),
		    ERROR_NETWORK, "answered 400", "unsupported character");
	check_error(answer_make(401, "text/plain", "nope\nmore"), ERROR_AUTH,
		    "--traces-token-file FILE", "--traces-password-file");
	check_error(answer_make(403, "text/plain", ""), ERROR_AUTH,
		    "--traces-token-file", "--tenant-id");
	check_error(
		answer_make(429, "text/plain", "too many outstanding requests"),
		ERROR_NETWORK, "429", "too many outstanding requests");
	check_error(answer_make(503, "text/plain", ""), ERROR_NETWORK,
		    "not available (503)", "try again");
	check_error(answer_make(504, "text/plain", ""), ERROR_NETWORK, "504",
		    "shorter window");
	check_error(answer_make(200, "text/html", "<html>Grafana</html>"),
		    ERROR_NETWORK, "Grafana page", "--traces-url");
}

static void test_redirect_shows_the_place(void **state)
{
	(void)state;
	check_error(answer_load("tempo", "redirect-double-slash"),
		    ERROR_NETWORK, "301", "redirects to /api/echo");
}

static void test_transport_failures_pass_through(void **state)
{
	struct http_response response = { .status = 0 };

	(void)state;
	error_set(&response.err, ERROR_NETWORK, "h:1 refused the connection");
	check_error(response, ERROR_NETWORK, "tempo: h:1 refused", "refused");
}

static void test_strange_types_are_not_decoded(void **state)
{
	enum format form;
	struct error err;

	(void)state;
	assert_int_equal(judge(&endpoint, 0,
			       answer_make(200, "image/png", "\x89PNG"), &form,
			       &err),
			 ANSWER_TRY_NEXT);
	assert_contains(err.message, "image/png");
}

static void test_probe(void **state)
{
	struct http_response echo = answer_load("tempo", "echo");
	struct http_response other = answer_load("jaeger", "html-ready");
	struct http_response denied = answer_make(401, "text/plain", "echo");
	struct http_request request;
	struct error err;

	(void)state;
	assert_true(traces_probe_request(&endpoint, trace_tempo.probe.path,
					 &request, &err));
	assert_string_equal(request.path, "/api/echo");
	assert_true(request.is_probe);
	assert_true(traces_probe_matches(&trace_tempo.probe, &echo));
	assert_false(traces_probe_matches(&trace_tempo.probe, &other));
	assert_false(traces_probe_matches(&trace_tempo.probe, &denied));
	http_request_release(&request);
	http_response_release(&echo);
	http_response_release(&other);
	http_response_release(&denied);
}

UNIT_TESTS(tempo)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_attempts_go_from_best_to_last),
		cmocka_unit_test(test_window_is_whole_seconds),
		cmocka_unit_test(test_ids_are_checked),
		cmocka_unit_test(test_content_type_decides_the_form),
		cmocka_unit_test(test_misses),
		cmocka_unit_test(test_missing_route_leads_to_the_next_attempt),
		cmocka_unit_test(test_errors_say_what_to_do),
		cmocka_unit_test(test_redirect_shows_the_place),
		cmocka_unit_test(test_transport_failures_pass_through),
		cmocka_unit_test(test_strange_types_are_not_decoded),
		cmocka_unit_test(test_probe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
