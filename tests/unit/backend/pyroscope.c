/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "backend/rooms.h"

#include <stdio.h>

#include "backend/backends.h"
#include "backend/pyroscope/pyroscope_calls.h"
#include "backend/selector.h"
#include "../wire/support.h"

#define T0_NS 1795223820000000000
#define END_NS 1795225620000000000
#define CPU "process_cpu:cpu:nanoseconds:cpu:nanoseconds"
#define SERVICE "/querier.v1.QuerierService/"

static struct backends backends = {
	.profiles.endpoint = { .url = "http://pyroscope.example:4040",
			       .option_prefix = "--profiles" }
};
static struct side *const side = &backends.profiles;
static const struct profile_backend *const pyroscope = &profile_pyroscope;

static struct profile_query checkout(void)
{
	return (struct profile_query){ .type_id = CPU,
				       .selector =
					       "{service_name=\"checkout\"}",
				       .range = { T0_NS, END_NS } };
}

static void check_bytes(const struct profile_query *query, unsigned attempt,
			const char *method, const char *name)
{
	struct http_request request;
	struct buf want;
	struct error err;
	char path[128];

	snprintf(path, sizeof path, "answers/pyroscope/%s/request.bin", name);
	want = testdata_read(path);
	assert_true(pyroscope->profile_request(side, query, attempt, &request,
					   &err));
	snprintf(path, sizeof path, SERVICE "%s", method);
	assert_string_equal(request.path, path);
	assert_string_equal(request.method, "POST");
	assert_string_equal(request.content_type, "application/proto");
	assert_true(str_equal(buf_str(&request.body), buf_str(&want)));
	http_request_release(&request);
	buf_release(&want);
}

static void test_requests_are_those_that_were_recorded(void **state)
{
	struct profile_query query = checkout();

	(void)state;
	assert_int_equal(pyroscope->profile_attempts(&query), 4);
	assert_int_equal(pyroscope->names_attempt(&query), 2);
	check_bytes(&query, 0, "SelectMergeProfile", "merge-profile-proto");
	query.range.from_ns -= NS_PER_MS;
	check_bytes(&query, 1, "SelectMergeProfile", "merge-profile-proto");
	check_bytes(&query, 2, "SelectMergeStacktraces", "tree-proto");
}

/* The recorded request has its fields in another order: the span last. */
static void test_span_request_has_the_recorded_fields(void **state)
{
	const size_t span_bytes = 2 + 16, rest_bytes = 16;
	const uint64_t span = 0xa0000003;
	struct buf want =
		testdata_read("answers/pyroscope/span-tree-proto/request.bin");
	struct profile_query query = checkout();
	struct http_request request;
	struct error err;
	struct str body;
	size_t head;

	(void)state;
	query.span_ids = &span;
	query.span_id_count = 1;
	assert_int_equal(pyroscope->profile_attempts(&query), 2);
	assert_true(
		pyroscope->profile_request(side, &query, 0, &request, &err));
	assert_string_equal(request.path, SERVICE "SelectMergeSpanProfile");
	body = buf_str(&request.body);
	assert_int_equal(body.len, want.len);
	head = want.len - span_bytes - rest_bytes;
	assert_memory_equal(body.ptr, want.data, head);
	assert_memory_equal(body.ptr + head, want.data + head + rest_bytes,
			    span_bytes);
	assert_memory_equal(body.ptr + head + span_bytes, want.data + head,
			    rest_bytes);
	http_request_release(&request);
	buf_release(&want);
}

static void test_selectors_are_escaped(void **state)
{
	struct profile_query query = checkout();
	struct buf selector;

	(void)state;
	buf_init(&selector, KIB);
	selector_add(&selector, STR("note"), STR("say \"hi\"\\\nbye {}"));
	selector_close(&selector);
	query.selector = buf_text(&selector);
	query.range.from_ns -= NS_PER_MS;
	check_bytes(&query, 2, "SelectMergeStacktraces", "escaped-label-proto");
	buf_clear(&selector);
	selector_add(&selector, STR("k8s.pod.name"), STR("cart-0"));
	selector_close(&selector);
	query.selector = buf_text(&selector);
	check_bytes(&query, 2, "SelectMergeStacktraces", "dotted-label-proto");
	buf_clear(&selector);
	selector_add(&selector, STR("a"), STR("x"));
	selector_add(&selector, STR("1b"), STR("\x1b\x7f"));
	selector_close(&selector);
	assert_string_equal(buf_text(&selector),
			    "{a=\"x\",\"1b\"=\"\\x1b\\x7f\"}");
	buf_clear(&selector);
	selector_close(&selector);
	assert_string_equal(buf_text(&selector), "{}");
	buf_release(&selector);
}

/* Field 11, the spans, comes behind format 4, pprof; the recorded request has
 * them in this order, too. */
static void test_lines_of_spans_are_asked_for_first(void **state)
{
	const uint64_t span = 0xa0000003;
	struct profile_query query = checkout();

	(void)state;
	query.span_ids = &span;
	query.span_id_count = 1;
	query.wants_lines = true;
	assert_int_equal(pyroscope->profile_attempts(&query), 3);
	assert_int_equal(pyroscope->names_attempt(&query), 1);
	check_bytes(&query, 0, "SelectMergeStacktraces",
		    "span-stacktraces-pprof-proto");
	/* Without spans it means nothing. */
	query.span_id_count = 0;
	check_bytes(&query, 0, "SelectMergeProfile", "merge-profile-proto");
}

/* As recorded. */
static void test_render_is_asked_for_last(void **state)
{
	struct profile_query query = checkout();
	struct http_request request;
	struct error err;

	(void)state;
	query.range.from_ns -= NS_PER_MS; /* see the later attempts */
	assert_true(
		pyroscope->profile_request(side, &query, 3, &request, &err));
	assert_string_equal(request.method, "GET");
	assert_string_equal(
		request.path,
		"/pyroscope/render?query=process_cpu%3Acpu%3Ananoseconds%3Acpu"
		"%3Ananoseconds%7Bservice_name%3D%22checkout%22%7D"
		"&from=1795223820000&until=1795225619999");
	assert_int_equal(request.body.len, 0);
	http_request_release(&request);
	query.max_nodes = 77;
	assert_true(
		pyroscope->profile_request(side, &query, 3, &request, &err));
	assert_contains(request.path, "&until=1795225619999&max-nodes=77");
	http_request_release(&request);
	assert_false(
		pyroscope->profile_request(side, &query, 4, &request, &err));
	assert_int_equal(err.code, ERROR_INTERNAL);
}

/* In order, each once, all 16 digits; between the selector and the times. */
static void test_spans_of_a_cohort(void **state)
{
	static const uint64_t ids[] = { 0xffffffffffffffff, 0x1f, 2, 0x1f, 2 };
	static const char want[] = "\x1a\x10"
				   "0000000000000002"
				   "\x1a\x10"
				   "000000000000001f"
				   "\x1a\x10"
				   "ffffffffffffffff";
	struct profile_query query = checkout();
	struct http_request request;
	struct str body, spans;
	struct error err;

	(void)state;
	query.span_ids = ids;
	query.span_id_count = COUNT(ids);
	assert_true(
		pyroscope->profile_request(side, &query, 1, &request, &err));
	body = buf_str(&request.body);
	spans = (struct str){ want, sizeof want - 1 };
	assert_int_not_equal(str_find(body, spans), SIZE_MAX);
	assert_int_equal(count_of(buf_text(&request.body), "\x1a\x10"), 3);
	http_request_release(&request);
}

static void test_cohorts_are_limited(void **state)
{
	static uint64_t ids[LIMIT_COHORT_SPANS + 1];
	struct profile_query query = checkout();
	struct http_request request;
	struct error err;

	(void)state;
	for (size_t i = 0; i < COUNT(ids); i++)
		ids[i] = i + 1;
	query.span_ids = ids;
	query.span_id_count = LIMIT_COHORT_SPANS;
	assert_true(
		pyroscope->profile_request(side, &query, 0, &request, &err));
	assert_true(request.body.len > LIMIT_COHORT_SPANS * 18);
	http_request_release(&request);
	query.span_id_count++;
	assert_false(
		pyroscope->profile_request(side, &query, 0, &request, &err));
	assert_int_equal(err.code, ERROR_LIMIT);
}

static enum answer judge(const struct profile_query *query, unsigned attempt,
			 struct http_response response, struct profile_form *form,
			 struct error *err)
{
	enum answer answer;

	error_clear(err);
	answer = pyroscope->profile_answer(side, query, attempt, &response,
					   form, err);
	http_response_release(&response);
	return answer;
}

static void check_form(const char *name, size_t span_count, unsigned attempt,
		       enum format want)
{
	const uint64_t span = 0xa0000003;
	struct profile_query query = checkout();
	struct profile_form form;
	struct error err;

	query.span_ids = &span;
	query.span_id_count = span_count;
	assert_int_equal(judge(&query, attempt, answer_load("pyroscope", name),
			       &form, &err),
			 ANSWER_OK);
	assert_int_equal(form.format, want);
}

static void test_forms(void **state)
{
	(void)state;
	check_form("merge-profile-proto", 0, 0, FORMAT_PPROF);
	check_form("merge-profile-proto", 0, 1, FORMAT_PPROF);
	check_form("tree-proto", 0, 2, FORMAT_PYROSCOPE_TREE_PB);
	check_form("span-tree-proto", 1, 0, FORMAT_PYROSCOPE_TREE_PB);
	check_form("render-json", 0, 3, FORMAT_PYROSCOPE_FLAMEGRAPH_JSON);
}

/* 1.13 does not know the form nor the spans: what it sends is the flame graph
 * of the whole service. */
static void test_lines_of_spans_are_believed_as_pprof_only(void **state)
{
	const uint64_t span = 0xa0000003;
	struct profile_query query = checkout();
	struct profile_form form;
	struct error err;

	(void)state;
	query.span_ids = &span;
	query.span_id_count = 1;
	query.wants_lines = true;
	assert_int_equal(
		judge(&query, 0,
		      answer_load("pyroscope", "span-stacktraces-pprof-proto"),
		      &form, &err),
		ANSWER_OK);
	assert_int_equal(form.format, FORMAT_PYROSCOPE_TREE_PB);
	assert_int_equal(
		judge(&query, 0,
		      answer_load("pyroscope",
				  "v1.13-span-stacktraces-pprof-proto"),
		      &form, &err),
		ANSWER_TRY_NEXT);
	assert_contains(err.message, "before 2.2");
	assert_int_equal(judge(&query, 0,
			       answer_load("pyroscope", "empty-service-proto"),
			       &form, &err),
			 ANSWER_MISS);
	/* The later forms take what comes. */
	assert_int_equal(
		judge(&query, 1,
		      answer_load("pyroscope",
				  "v1.13-span-stacktraces-pprof-proto"),
		      &form, &err),
		ANSWER_OK);
}

static void test_servers_without_samples_of_spans(void **state)
{
	const uint64_t span = 1;
	struct profile_query query = checkout();
	struct profile_form form;
	struct error err;

	(void)state;
	query.span_ids = &span;
	query.span_id_count = 1;
	assert_int_equal(judge(&query, 0,
			       answer_make(404, "text/plain", "no page"), &form,
			       &err),
			 ANSWER_TRY_NEXT);
	assert_contains(err.message, "SelectMergeSpanProfile is missing (404)");
	assert_int_equal(judge(&query, 0,
			       answer_make(403, "text/plain", "no page"), &form,
			       &err),
			 ANSWER_ERROR);
}

static void check_render(struct http_response response, enum answer want,
			 const char *part)
{
	struct profile_query query = checkout();
	struct profile_form form;
	struct error err;

	assert_int_equal(judge(&query, 3, response, &form, &err), want);
	assert_contains(err.message, part);
}

static void test_render_answers(void **state)
{
	(void)state;
	check_render(answer_make(200, "application/json", "{\"names\":[]}"),
		     ANSWER_ERROR, "something other than a flame graph");
	check_render(answer_make(200, "application/json", "[1"), ANSWER_ERROR,
		     "something other than a flame graph");
	check_render(answer_make(200, "text/html", "<html>grafana"),
		     ANSWER_ERROR, "Grafana page");
	check_render(answer_make(400, "application/json",
				 "{\"code\":\"invalid_argument\",\"message\":"
				 "\"no query\"}"),
		     ANSWER_ERROR, "400: no query");
}

static void check(unsigned attempt, struct http_response response,
		  enum answer want, enum error_code code, const char *part)
{
	struct profile_query query = checkout();
	struct profile_form form;
	struct error err;

	assert_int_equal(judge(&query, attempt, response, &form, &err), want);
	assert_int_equal(err.code, code);
	assert_contains(err.message, "pyroscope: ");
	assert_contains(err.message, part);
}

static void check_case(const char *name, enum answer want, enum error_code code,
		       const char *part)
{
	check(0, answer_load("pyroscope", name), want, code, part);
}

static void test_empty_in_all_disguises(void **state)
{
	(void)state;
	check_case("empty-service-proto", ANSWER_MISS, ERROR_NOT_FOUND,
		   "no " CPU " samples of {service_name=\"checkout\"}");
	check_case("empty-wrong-type-proto", ANSWER_MISS, ERROR_NOT_FOUND,
		   "--tenant-id");
	check_case("v1-empty-service-proto", ANSWER_MISS, ERROR_NOT_FOUND,
		   "no ");
	check_case("span-unknown-tree-proto", ANSWER_MISS, ERROR_NOT_FOUND,
		   "no ");
}

static void test_unlucky_start_is_tried_once_more(void **state)
{
	(void)state;
	check_case("dual-start-at-oldest-json", ANSWER_TRY_NEXT, ERROR_NETWORK,
		   "query start time is after end time");
	check(1, answer_load("pyroscope", "dual-start-at-oldest-json"),
	      ANSWER_ERROR, ERROR_NETWORK, "query start time");
}

static void test_what_the_server_lacks_leads_on(void **state)
{
	(void)state;
	check_case("error-unknown-method", ANSWER_TRY_NEXT, ERROR_NETWORK,
		   "--profiles-url");
	check_case("v1-trace-id-json", ANSWER_TRY_NEXT, ERROR_NETWORK, "501");
	check(0,
	      answer_make(429, "application/json",
			  "{\"code\":\"resource_exhausted\",\"message\":"
			  "\"grpc: received message larger than max (1 vs. "
			  "2)\"}"),
	      ANSWER_TRY_NEXT, ERROR_NETWORK, "larger than max");
}

static void test_errors_are_unwrapped(void **state)
{
	(void)state;
	check_case("v1-span-bad-id-json", ANSWER_ERROR, ERROR_NETWORK,
		   "answered 500: invalid span id length: \"abc\"");
	check_case("v1-series-bad-matcher-json", ANSWER_ERROR, ERROR_NETWORK,
		   "500: unknown: rpc error: code = InvalidArgument desc");
	check_case("error-range-too-long-json", ANSWER_ERROR, ERROR_LIMIT,
		   "max_query_length, actual: 24h0m0.001s, limit: 1d");
	check_case("error-timeout-json", ANSWER_ERROR, ERROR_NETWORK,
		   "(504: context deadline exceeded)");
	check_case("tenant-missing-proto", ANSWER_ERROR, ERROR_AUTH,
		   "--tenant-id");
	check_case("tenant-bad", ANSWER_ERROR, ERROR_AUTH, "--tenant-id");
	check_case("error-media-type", ANSWER_ERROR, ERROR_NETWORK,
		   "answered 415");
	check_case("error-get", ANSWER_TRY_NEXT, ERROR_NETWORK, "405");
	check_case("error-double-slash", ANSWER_ERROR, ERROR_NETWORK,
		   "redirects to");
	check_case("error-profile-type-json", ANSWER_ERROR, ERROR_NETWORK,
		   "<");
	check_case("label-names-bad-accept", ANSWER_ERROR, ERROR_NETWORK,
		   "invalid media parameter");
	check(0, answer_make(401, "text/html", "<html>"), ANSWER_ERROR,
	      ERROR_AUTH, "--profiles-token-file FILE");
	check(0,
	      answer_make(500, "application/json",
			  "{\"code\":\"unknown\",\"message\":\"{\\\"code\\\":"
			  "\\\"unauthenticated\\\",\\\"message\\\":\\\"x\\\"}"
			  "\"}"),
	      ANSWER_ERROR, ERROR_AUTH, "500: x");
}

static int64_t limit_of(int status, const char *message)
{
	struct http_response response =
		answer_make(status, "application/json", message);
	int64_t limit_ns = pyroscope->window_limit_ns(&response);

	http_response_release(&response);
	return limit_ns;
}

/* 131072 as a varint is 80 80 08; the field is 5, or 6 for spans. */
static void test_a_larger_tree_is_asked_for(void **state)
{
	const uint64_t span = 1;
	struct profile_query query = { .type_id = CPU,
				       .selector = "{}",
				       .range = { NS_PER_DAY, END_NS },
				       .max_nodes = 131072 };
	struct http_request request;
	struct error err;

	(void)state;
	assert_true(
		pyroscope->profile_request(side, &query, 2, &request, &err));
	assert_int_not_equal(
		str_find(buf_str(&request.body), STR("\x28\x80\x80\x08")),
		SIZE_MAX);
	http_request_release(&request);
	query.span_ids = &span;
	query.span_id_count = 1;
	assert_true(
		pyroscope->profile_request(side, &query, 0, &request, &err));
	assert_int_not_equal(
		str_find(buf_str(&request.body), STR("\x30\x80\x80\x08")),
		SIZE_MAX);
	http_request_release(&request);
}

static int64_t nodes_of(int status, const char *message)
{
	struct http_response response =
		answer_make(status, "application/json", message);
	int64_t limit = pyroscope->node_limit(&response);

	http_response_release(&response);
	return limit;
}

static void test_node_limit_is_read_from_the_refusal(void **state)
{
	const char *refusal = "{\"code\":\"invalid_argument\",\"message\":"
			      "\"max flamegraph nodes limit 2000000 is greater "
			      "than allowed 1048576\"}";

	(void)state;
	assert_int_equal(nodes_of(400, refusal), 1048576);
	assert_int_equal(nodes_of(200, refusal), 0);
	assert_int_equal(nodes_of(400, "flamegraph nodes is greater than "
				       "allowed"),
			 0);
	assert_int_equal(nodes_of(400, "flamegraph nodes is greater than "
				       "allowed x"),
			 0);
	assert_int_equal(nodes_of(400, "is greater than allowed 7"), 0);
	assert_true(nodes_of(400, "flamegraph nodes is greater than allowed "
				  "99999999999999999999999") > INT32_MAX);
}

static void test_longest_window_is_read_from_the_refusal(void **state)
{
	struct http_response response =
		answer_load("pyroscope", "error-range-too-long-json");

	(void)state;
	assert_int_equal(pyroscope->window_limit_ns(&response), NS_PER_DAY);
	http_response_release(&response);
	assert_int_equal(limit_of(400, "{\"message\":\"(max_query_length, "
				       "actual: 2h, limit: 1h30m)\"}"),
			 90 * NS_PER_MIN);
	assert_int_equal(limit_of(400, "(max_query_length)"), NS_PER_DAY);
	assert_int_equal(limit_of(400, "(max_query_length, limit: 1y)"),
			 NS_PER_DAY);
	assert_int_equal(limit_of(400, "(max_query_length, limit: 0s)"),
			 NS_PER_DAY);
	assert_int_equal(limit_of(200, "(max_query_length, limit: 1d)"), 0);
	assert_int_equal(limit_of(400, "limit: 1d"), 0);
}

static void test_other_pages_are_no_profiles(void **state)
{
	(void)state;
	check(0, answer_make(200, "text/html", "<html>grafana"), ANSWER_ERROR,
	      ERROR_NETWORK, "Grafana page");
	check(0, answer_make(200, "text/plain", "hello"), ANSWER_ERROR,
	      ERROR_FORMAT, "text/plain");
}

static void test_metadata_requests(void **state)
{
	const struct series_query types = {
		.selector = "{service_name=\"a\\\"b\"}",
		.range = { T0_NS + 1, T0_NS + 2 }
	};
	struct http_request request;
	struct error err;

	(void)state;
	assert_true(pyroscope->services_request(
		side, (struct time_range){ T0_NS, END_NS }, &request,
		&err));
	assert_string_equal(request.path, SERVICE "LabelValues");
	assert_string_equal(request.content_type, "application/json");
	assert_string_equal(buf_text(&request.body),
			    "{\"name\":\"service_name\",\"start\":"
			    "1795223820000,\"end\":1795225619999}");
	http_request_release(&request);
	assert_true(pyroscope->types_request(side, &types, &request, &err));
	assert_string_equal(request.path, SERVICE "Series");
	/* Less than a millisecond: one inclusive point. */
	assert_string_equal(
		buf_text(&request.body),
		"{\"matchers\":[\"{service_name=\\\"a\\\\\\\"b\\\"}\"],"
		"\"labelNames\":[\"__profile_type__\"],\"start\":"
		"1795223820001,\"end\":1795223820001}");
	http_request_release(&request);
}

static void test_services_are_sorted(void **state)
{
	struct http_response r =
		answer_load("pyroscope", "label-values-service-json");
	struct name_list names;
	struct arena arena;
	struct error err;

	(void)state;
	arena_init(&arena, MIB);
	backends.arena = &arena;
	assert_true(
		pyroscope->services_answer(&backends, &r, &names, &err));
	assert_int_equal(names.count, 10);
	assert_true(str_equal(names.items[0], STR("big")));
	assert_true(str_equal(names.items[9], STR("wide")));
	http_response_release(&r);
	arena_release(&arena);
}

static void test_types_are_distinct(void **state)
{
	struct http_response r = answer_make(
		200, "application/json",
		"{\"labelsSet\":[{\"labels\":[{\"name\":\"__profile_type__\","
		"\"value\":\"b:x:c:x:c\"}]},{\"labels\":[{\"value\":"
		"\"a:x:c:x:c\"}],\"later\":{}},{\"labels\":[{\"value\":"
		"\"b:x:c:x:c\"}]}]}");
	struct name_list types;
	struct arena arena;
	struct error err;

	(void)state;
	arena_init(&arena, MIB);
	backends.arena = &arena;
	assert_true(pyroscope->types_answer(&backends, NULL, &r, &types, &err));
	assert_int_equal(types.count, 2);
	assert_true(str_equal(types.items[0], STR("a:x:c:x:c")));
	assert_true(str_equal(types.items[1], STR("b:x:c:x:c")));
	http_response_release(&r);
	arena_release(&arena);
}

static void test_series_request(void **state)
{
	static const char *const labels[] = { "service_name", "k8s.pod.name" };
	const struct series_query query = { "{a=\"b\"}",
					    labels,
					    COUNT(labels),
					    { T0_NS, END_NS } };
	struct http_request request;
	struct buf selector;
	struct error err;

	(void)state;
	buf_init(&selector, KIB);
	selector_match(&selector, STR("service_name"), "=~", STR("a\\.b"));
	selector_match(&selector, STR("pod"), "!=", STR("x"));
	selector_close(&selector);
	assert_string_equal(buf_text(&selector),
			    "{service_name=~\"a\\\\.b\",pod!=\"x\"}");
	assert_true(pyroscope->series_request(side, &query, &request, &err));
	assert_string_equal(request.path, SERVICE "Series");
	assert_string_equal(request.accept, "*/*;allow-utf8-labelnames=true");
	assert_string_equal(buf_text(&request.body),
			    "{\"matchers\":[\"{a=\\\"b\\\"}\"],\"labelNames\":["
			    "\"service_name\",\"k8s.pod.name\"],\"start\":"
			    "1795223820000,\"end\":1795225619999}");
	http_request_release(&request);
	buf_release(&selector);
}

#define SERIES_LABELS 3

static const char *const series_labels[SERIES_LABELS] = { "service_name", "pod",
							  "version" };

static bool read_series(struct http_response r, struct arena *arena,
			struct series_list *list, struct error *err)
{
	const struct series_query query = { .labels = series_labels,
					    .label_count = SERIES_LABELS };
	bool done;

	backends.arena = arena;
	done = pyroscope->series_answer(&backends, &query, &r, list, err);
	http_response_release(&r);
	return done;
}

/* Two pods of each version, eleven types. */
static void test_series_as_recorded(void **state)
{
	struct series_list list;
	struct arena arena;
	struct error err;

	(void)state;
	arena_init(&arena, MIB);
	backends.arena = &arena;
	assert_true(read_series(answer_load("pyroscope", "series-labels-json"),
				&arena, &list, &err));
	assert_int_equal(list.count, 44);
	for (size_t i = 0; i < list.count; i++) {
		const struct str *row = list.values + i * list.label_count;

		assert_true(str_equal(row[0], STR("user-db-p01")));
		assert_true(str_starts(row[1], STR("user-db-p01-")));
		assert_true(str_starts(row[2], STR("1.")));
	}
	arena_release(&arena);
}

/* Old servers send all labels, a series may lack one, order is theirs. */
static void test_series_of_any_shape(void **state)
{
	struct series_list list;
	struct arena arena;
	struct error err;

	(void)state;
	arena_init(&arena, MIB);
	backends.arena = &arena;
	assert_true(read_series(
		answer_make(200, "application/json",
			    "{\"labelsSet\":[{\"labels\":[{\"name\":\"zone\","
			    "\"value\":\"z\"},{\"value\":\"a\",\"name\":"
			    "\"pod\",\"later\":[1]}]},{\"other\":1},{\"labels\""
			    ":[]},{\"labels\":[{\"name\":\"version\"},{"
			    "\"name\":\"pod\",\"value\":\"a\"}]}],\"more\":0}"),
		&arena, &list, &err));
	assert_int_equal(list.count, 3);
	assert_null(list.values[0].ptr);
	assert_true(str_equal(list.values[1], STR("a")));
	assert_null(list.values[2].ptr);
	assert_null(list.values[4].ptr);
	assert_true(str_equal(list.values[7], STR("a")));
	assert_null(list.values[8].ptr);
	assert_true(read_series(answer_make(200, "application/json", "{}"),
				&arena, &list, &err));
	assert_int_equal(list.count, 0);
	assert_false(read_series(answer_make(200, "application/json",
					     "{\"labelsSet\":[{\"labels\":7}"),
				 &arena, &list, &err));
	assert_int_equal(err.code, ERROR_FORMAT);
	assert_false(read_series(
		answer_load("pyroscope", "v1-series-bad-matcher-json"), &arena,
		&list, &err));
	arena_release(&arena);
}

static size_t count_series(size_t sent)
{
	struct http_response r = { .status = 200,
				   .content_type = "application/json" };
	struct series_list list;
	struct arena arena;
	struct error err;

	buf_init(&r.body, 16 * MIB);
	buf_add_text(&r.body, "{\"labelsSet\":[{\"labels\":[]}");
	for (size_t i = 1; i < sent; i++)
		buf_add_text(&r.body, ",{\"labels\":[{\"name\":\"pod\","
				      "\"value\":\"x\"}]}");
	buf_add_text(&r.body, "]}");
	arena_init(&arena, 16 * MIB);
	assert_true(read_series(r, &arena, &list, &err));
	arena_release(&arena);
	return list.count;
}

static void test_series_are_limited(void **state)
{
	(void)state;
	assert_int_equal(count_series(LIMIT_SERIES), LIMIT_SERIES);
	assert_int_equal(count_series(LIMIT_SERIES + 1), LIMIT_SERIES);
}

/* Another kind of server, which answers everything with 200. */
static void test_no_list_at_all(void **state)
{
	struct http_response r = answer_make(200, "text/plain", "ready\n");
	struct name_list names;
	struct arena arena;
	struct error err;

	(void)state;
	arena_init(&arena, MIB);
	backends.arena = &arena;
	assert_false(
		pyroscope->services_answer(&backends, &r, &names, &err));
	assert_int_equal(err.code, ERROR_FORMAT);
	assert_contains(err.message, "is there a Pyroscope at this address?");
	assert_contains(err.message, "--profiles-url");
	http_response_release(&r);
	arena_release(&arena);
}

static void test_empty_and_damaged_lists(void **state)
{
	static const char *const damaged[] = { "", "[]",
					       "{\"names\":", "{\"names\":[1]}",
					       "{\"names\":{}}" };
	struct http_response r = answer_load("pyroscope", "tenant-unknown");
	struct name_list names;
	struct arena arena;
	struct error err;

	(void)state;
	arena_init(&arena, MIB);
	backends.arena = &arena;
	assert_true(
		pyroscope->services_answer(&backends, &r, &names, &err));
	assert_int_equal(names.count, 0);
	http_response_release(&r);
	for (size_t i = 0; i < COUNT(damaged); i++) {
		r = answer_make(200, "application/json", damaged[i]);
		assert_false(pyroscope->services_answer(&backends, &r, &names, &err));
		assert_int_equal(err.code, ERROR_FORMAT);
		http_response_release(&r);
	}
	r = answer_load("pyroscope", "tenant-missing");
	assert_false(pyroscope->types_answer(&backends, NULL, &r, &names, &err));
	assert_int_equal(err.code, ERROR_AUTH);
	http_response_release(&r);
	arena_release(&arena);
}

static void check_probe(struct http_response response, bool want)
{
	assert_int_equal(pyroscope_probe_matches(&response), want);
	http_response_release(&response);
}

static void test_probe(void **state)
{
	struct http_request request;
	struct error err;

	(void)state;
	assert_true(pyroscope_probe_request(&side->endpoint, END_NS, &request, &err));
	assert_string_equal(buf_text(&request.body),
			    "{\"name\":\"service_name\",\"start\":"
			    "1795222020000,\"end\":1795225619999}");
	http_request_release(&request);
	check_probe(answer_load("pyroscope", "label-values-service-json"),
		    true);
	check_probe(answer_load("pyroscope", "tenant-unknown"), true);
	check_probe(answer_load("pyroscope", "error-range-too-long-json"),
		    true);
	check_probe(answer_load("pyroscope", "tenant-missing"), false);
	check_probe(answer_load("pyroscope", "error-unknown-method"), false);
	check_probe(answer_load("jaeger", "html-ready"), false);
	check_probe(answer_load("jaeger", "services"), false);
}

UNIT_TESTS(pyroscope)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_requests_are_those_that_were_recorded),
		cmocka_unit_test(test_span_request_has_the_recorded_fields),
		cmocka_unit_test(test_selectors_are_escaped),
		cmocka_unit_test(test_lines_of_spans_are_asked_for_first),
		cmocka_unit_test(test_render_is_asked_for_last),
		cmocka_unit_test(test_spans_of_a_cohort),
		cmocka_unit_test(test_cohorts_are_limited),
		cmocka_unit_test(test_forms),
		cmocka_unit_test(
			test_lines_of_spans_are_believed_as_pprof_only),
		cmocka_unit_test(test_servers_without_samples_of_spans),
		cmocka_unit_test(test_render_answers),
		cmocka_unit_test(test_empty_in_all_disguises),
		cmocka_unit_test(test_unlucky_start_is_tried_once_more),
		cmocka_unit_test(test_what_the_server_lacks_leads_on),
		cmocka_unit_test(test_errors_are_unwrapped),
		cmocka_unit_test(test_a_larger_tree_is_asked_for),
		cmocka_unit_test(test_node_limit_is_read_from_the_refusal),
		cmocka_unit_test(test_longest_window_is_read_from_the_refusal),
		cmocka_unit_test(test_other_pages_are_no_profiles),
		cmocka_unit_test(test_metadata_requests),
		cmocka_unit_test(test_services_are_sorted),
		cmocka_unit_test(test_types_are_distinct),
		cmocka_unit_test(test_series_request),
		cmocka_unit_test(test_series_as_recorded),
		cmocka_unit_test(test_series_of_any_shape),
		cmocka_unit_test(test_series_are_limited),
		cmocka_unit_test(test_no_list_at_all),
		cmocka_unit_test(test_empty_and_damaged_lists),
		cmocka_unit_test(test_probe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
