/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "base/limits.h"
#include "decode/history.h"
#include "trace_testing.h"

#define ID "4bf92f3577b34da6a3ce929d0e0e4736"
#define HEAD "{\"projectId\": \"p\", \"traceId\": \"" ID "\", \"spans\": ["
#define TIMES                                                                  \
	"\"startTime\": \"2026-11-21T11:00:00Z\", "                            \
	"\"endTime\": \"2026-11-21T11:00:01Z\""
/* 2026-11-21T11:00:00Z */
#define START_NS INT64_C(1795258800000000000)

static bool decode(struct str bytes)
{
	return decode_as(FORMAT_CLOUD_TRACE_JSON, bytes, NULL);
}

static void decode_text(const char *text)
{
	decode_text_as(FORMAT_CLOUD_TRACE_JSON, text);
}

/* One span with these labels. */
static void decode_labels(const char *labels)
{
	char text[4096];

	snprintf(text, sizeof text,
		 HEAD "{\"spanId\": \"1\", \"name\": \"n\", " TIMES
		      ", \"labels\": {%s}}]}",
		 labels);
	decode_text(text);
	assert_int_equal(trace.span_count, 1);
}

static void check_str(struct str text, const char *want)
{
	if (!str_equal(text, str_from(want)))
		fail_msg("\"%.*s\" instead of \"%s\"", STR_ARGS(text), want);
}

static uint32_t find(uint64_t span_id)
{
	uint32_t i = trace_find_span(&trace, span_id);

	assert_int_not_equal(i, SPAN_NONE);
	return i;
}

static struct str process(uint32_t span, const char *key)
{
	return resource_attr(&trace, trace.spans[span].resource, str_from(key));
}

static void check_process(uint32_t span, const char *key, const char *want)
{
	check_str(process(span, key), want);
}

static void check_attr(uint32_t span, const char *key, const char *want)
{
	check_str(span_attr(&trace, span, str_from(key)), want);
}

static void test_a_trace_of_three_services(void **state)
{
	struct str bytes = oracle_load("google/trace.json");
	uint32_t root, client, gateway, auth, query;

	(void)state;
	if (!decode(bytes))
		fail_msg("%s", err.message);
	assert_int_equal(trace.span_count, 5);
	assert_int_equal(trace.service_count, 3);
	assert_int_equal(trace.root_count, 1);
	assert_false(trace.is_partial);
	root = find(UINT64_C(2205310701640571284));
	client = find(UINT64_MAX);
	gateway = find(1);
	/* Two ids that are one as floating-point numbers. */
	auth = find(UINT64_C(9007199254740993));
	query = find(UINT64_C(9007199254740995));
	assert_int_equal(trace.spans[root].parent, SPAN_NONE);
	assert_int_equal(trace.spans[client].parent, root);
	assert_int_equal(trace.spans[gateway].parent, client);
	assert_int_equal(trace.spans[auth].parent, gateway);
	assert_int_equal(trace.spans[query].parent, auth);
	assert_int_equal(trace.spans[root].start_ns, START_NS);
	assert_int_equal(trace.spans[root].end_ns, START_NS + 612000000);
	assert_int_equal(trace.spans[client].start_ns, START_NS + 4000000);
	assert_int_equal(trace.spans[client].end_ns, START_NS + 600123456);
	assert_int_equal(trace.spans[root].kind, SPAN_KIND_SERVER);
	assert_int_equal(trace.spans[client].kind, SPAN_KIND_CLIENT);
	assert_int_equal(trace.spans[auth].kind, SPAN_KIND_SERVER);
	check_str(span_service(&trace, root), "frontend-service");
	check_str(span_service(&trace, gateway), "api-gateway-service");
	check_str(span_service(&trace, auth), "auth-service");
	assert_int_equal(trace.spans[root].resource,
			 trace.spans[client].resource);
	assert_int_equal(trace.spans[auth].resource,
			 trace.spans[query].resource);
	check_process(root, "service.version", "frontend-service-00007-abc");
	check_process(root, "cloud.region", "europe-west1");
	check_process(gateway, "service.version", "1.0.0");
	check_process(gateway, "k8s.pod.name", "api-gateway-5d9");
	check_process(gateway, "k8s.namespace.name", "shop");
	check_process(gateway, "k8s.container.name", "gateway");
	check_process(gateway, "cloud.availability_zone", "europe-west1-b");
	check_process(gateway, "telemetry.sdk.language", "go");
	check_attr(root, "http.method", "GET");
	check_attr(root, "http.route", "/checkout");
	check_attr(root, "http.status_code", "503");
	check_attr(client, "rpc.method", "Checkout");
	check_attr(client, "peer.service", "api-gateway-service");
	check_attr(query, "db.statement", "SELECT * FROM tokens WHERE id = ?");
	check_attr(auth, "error.type", "TimeoutError");
	assert_true(trace.spans[root].flags & SPAN_IS_ERROR);
	assert_true(trace.spans[client].flags & SPAN_IS_ERROR);
	assert_false(trace.spans[gateway].flags & SPAN_IS_ERROR);
	assert_true(trace.spans[auth].flags & SPAN_IS_ERROR);
	assert_false(trace.spans[query].flags & SPAN_IS_ERROR);
	check_str(trace_text(&trace, trace.spans[client].status_message),
		  "upstream unavailable");
	check_str(trace_text(&trace, trace.spans[auth].status_message),
		  "validating took too long");
	trace_release(&trace);
	drop(bytes);
}

/* Who says its own name is believed before the place that it runs in. */
static void test_names_of_services(void **state)
{
	static const struct {
		const char *labels;
		const char *service;
	} rows[] = {
		{ "\"service.name\": \"a\"", "a" },
		{ "\"g.co/r/cloud_run_revision/service_name\": \"b\", "
		  "\"service.name\": \"a\"",
		  "a" },
		{ "\"service.name\": \"a\", "
		  "\"g.co/r/cloud_run_revision/service_name\": \"b\"",
		  "a" },
		{ "\"g.co/gae/app/module\": \"c\"", "c" },
		{ "\"g.co/r/gae_app/module_id\": \"c\"", "c" },
		{ "\"g.co/r/cloud_function/function_name\": \"d\"", "d" },
		{ "\"g.co/r/generic_task/job\": \"e\"", "e" },
		{ "\"g.co/r/gae_instance/module_id\": \"c\"", "c" },
		{ "\"g.co/r/generic_task/job\": \"unknown_service:py\", "
		  "\"faas.name\": \"f\"",
		  "f" },
		{ "\"faas.name\": \"f\"", "f" },
		{ "\"g.co/r/k8s_container/container_name\": \"g\"", "g" },
		{ "\"g.co/r/k8s_container/container_name\": \"g\", "
		  "\"faas.name\": \"f\"",
		  "f" },
		{ "\"k8s.container.name\": \"h\"", "h" },
		{ "\"service.name\": \"unknown_service:go\", "
		  "\"k8s.container.name\": \"h\"",
		  "h" },
		{ "\"service.name\": \"unknown_service:go\"",
		  "unknown_service:go" },
		{ "\"service.name\": \"\", "
		  "\"g.co/gae/app/module\": \"default\"",
		  "default" },
		{ "\"/http/host\": \"shop\", \"g.co/agent\": \"x\"", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		decode_labels(rows[i].labels);
		check_str(span_service(&trace, 0), rows[i].service);
		trace_release(&trace);
	}
}

static void test_what_is_a_failure(void **state)
{
	static const struct {
		const char *labels;
		bool is_error;
	} rows[] = {
		{ "", false },
		{ "\"/http/status_code\": \"499\"", false },
		{ "\"/http/status_code\": \"500\"", true },
		{ "\"/http/status_code\": \"599\"", true },
		{ "\"/http/status_code\": \"600\"", false },
		{ "\"/http/status_code\": \"x\"", false },
		{ "\"http.response.status_code\": \"502\"", true },
		{ "\"g.co/status/code\": \"0\"", false },
		{ "\"g.co/status/code\": \"2\"", true },
		{ "\"otel.status_code\": \"OK\"", false },
		{ "\"otel.status_code\": \"ERROR\"", true },
		{ "\"error\": \"false\"", false },
		{ "\"error\": \"true\"", true },
		{ "\"/error/message\": \"\"", true },
		{ "\"/error/name\": \"E\"", true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		decode_labels(rows[i].labels);
		if (!!(trace.spans[0].flags & SPAN_IS_ERROR) !=
		    rows[i].is_error)
			fail_msg("%s", rows[i].labels);
		trace_release(&trace);
	}
}

static void test_kinds(void **state)
{
	static const struct {
		const char *member;
		enum span_kind kind;
	} rows[] = {
		{ "\"kind\": \"RPC_SERVER\"", SPAN_KIND_SERVER },
		{ "\"kind\": \"RPC_CLIENT\"", SPAN_KIND_CLIENT },
		{ "\"kind\": \"SPAN_KIND_UNSPECIFIED\"", SPAN_KIND_INTERNAL },
		{ "\"kind\": 1", SPAN_KIND_SERVER },
		{ "\"kind\": 2", SPAN_KIND_CLIENT },
		{ "\"kind\": null", SPAN_KIND_INTERNAL },
		{ "\"kind\": \"NEW\"", SPAN_KIND_INTERNAL },
		{ "\"labels\": {\"span.kind\": \"producer\"}",
		  SPAN_KIND_PRODUCER },
		{ "\"labels\": {\"g.co/spankind\": \"CONSUMER\"}",
		  SPAN_KIND_CONSUMER },
		{ "\"kind\": \"RPC_CLIENT\", "
		  "\"labels\": {\"/span/kind\": \"server\"}",
		  SPAN_KIND_CLIENT },
	};
	char text[1024];

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		snprintf(text, sizeof text,
			 HEAD "{\"spanId\": \"1\", " TIMES ", %s}]}",
			 rows[i].member);
		decode_text(text);
		assert_int_equal(trace.spans[0].kind, rows[i].kind);
		trace_release(&trace);
	}
}

static void test_fractions_of_seconds(void **state)
{
	static const struct {
		const char *time;
		int64_t ns;
	} rows[] = {
		{ "2026-11-21T11:00:01Z", 1000000000 },
		{ "2026-11-21T11:00:01.5Z", 1500000000 },
		{ "2026-11-21T11:00:01.123Z", 1123000000 },
		{ "2026-11-21T11:00:01.123456Z", 1123456000 },
		{ "2026-11-21T11:00:01.123456789Z", 1123456789 },
		{ "2026-11-21T12:00:01+01:00", 1000000000 },
	};
	char text[1024];

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		snprintf(text, sizeof text,
			 HEAD "{\"spanId\": 1, \"startTime\": "
			      "\"2026-11-21T11:00:00Z\", \"endTime\": "
			      "\"%s\"}]}",
			 rows[i].time);
		decode_text(text);
		assert_int_equal(trace.spans[0].end_ns - START_NS, rows[i].ns);
		trace_release(&trace);
	}
}

/* Whatever order the keys have, and however many traces there are. */
static void test_shapes_of_documents(void **state)
{
	static const char *const texts[] = {
		HEAD "{\"spanId\": \"1\", " TIMES "}]}",
		"{\"spans\": [{\"spanId\": \"1\", " TIMES
		"}], \"traceId\": \"" ID "\"}",
		"{\"traces\": [" HEAD "{\"spanId\": \"1\", " TIMES
		"}]}], \"nextPageToken\": \"x\"}",
		"[" HEAD "{\"spanId\": \"1\", " TIMES "}]}]",
		"{\"nextPageToken\": \"x\"}\n{\"traces\": [" HEAD
		"{\"spanId\": \"1\", \"parentSpanId\": \"0\", \"new\": {}, "
		"" TIMES "}]}]}",
		HEAD "{\"spanId\": \"1\", \"parentSpanId\": null, \"name\": "
		     "null, \"labels\": null, " TIMES "}], \"x\": 1}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		decode_text(texts[i]);
		assert_int_equal(trace.span_count, 1);
		assert_int_equal(trace.orphan_count, 0);
		trace_release(&trace);
	}
}

static bool count_service(void *context, struct str service,
			  struct error *ignored)
{
	unsigned *spans = context;

	(void)ignored;
	assert_int_equal(service.len, 0);
	++*spans;
	return true;
}

/* The last one of a page, too, whether its spans come behind its id or before
 * it. */
static void test_each_trace_of_a_page_once(void **state)
{
	static const char span[] = "{\"spanId\": \"1\", " TIMES "}";
	unsigned spans = 0;
	struct service_watch watch = { count_service, &spans, 0 };
	char text[1024];

	(void)state;
	snprintf(text, sizeof text,
		 "{\"traces\": [" HEAD "%s]}, {\"spans\": [%s], "
		 "\"traceId\": \"" ID "\"}], \"nextPageToken\": \"x\"}",
		 span, span);
	assert_true(decode_cloud_trace_services(str_from(text), &watch, &err));
	assert_int_equal(watch.trace_count, 2);
	assert_int_equal(spans, 2);
}

static void test_nothing_in_it(void **state)
{
	static const char *const texts[] = {
		"{}",
		"{\"traces\": []}",
		"{\"traces\": [{\"projectId\": \"p\", \"traceId\": \"" ID
		"\"}]}",
		"{\"projectId\": \"p\", \"traceId\": \"" ID "\"}",
		HEAD "]}",
		"{\"spans\": null}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		decode_text(texts[i]);
		assert_int_equal(trace.span_count, 0);
		trace_release(&trace);
	}
}

static void test_what_cannot_be_read(void **state)
{
	static const struct {
		const char *text;
		const char *part;
	} rows[] = {
		{ HEAD "{\"spanId\": \"abc\", " TIMES "}]}", "no span id" },
		{ HEAD "{\"spanId\": \"-1\", " TIMES "}]}", "no span id" },
		{ HEAD "{\"spanId\": \"18446744073709551616\"}]}",
		  "no span id" },
		{ HEAD "{\"spanId\": \"1.5\"}]}", "no span id" },
		{ HEAD "{\"spanId\": \"1\", \"parentSpanId\": \"0x1\"}]}",
		  "no span id" },
		{ HEAD "{\"spanId\": {}}]}", "Cloud Trace JSON" },
		{ HEAD "{\"spanId\": \"1\", \"startTime\": \"yesterday\"}]}",
		  "no time" },
		{ "{\"traceId\": \"xyz\", \"spans\": []}", "no trace id" },
		{ "{\"spans\": [{\"spanId\": \"1\"}]}", "without an id" },
		{ "{\"spans\": [{\"spanId\": \"x\"}], \"traceId\": \"" ID "\"}",
		  "no span id" },
		{ HEAD "{\"spanId\": \"1\"", "cut-off" },
		{ HEAD "1]}", "Cloud Trace JSON" },
		{ "{\"traces\": [1]}", "Cloud Trace JSON" },
		{ "1", "Cloud Trace JSON" },
		{ HEAD "{\"labels\": []}]}", "Cloud Trace JSON" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		assert_false(decode(str_from(rows[i].text)));
		assert_int_equal(err.code, ERROR_FORMAT);
		if (!strstr(err.message, rows[i].part))
			fail_msg("%s: %s", rows[i].text, err.message);
		trace_release(&trace);
	}
}

/* Labels that are no strings, or too long to be one of those that count, are
 * left out; so is a second "spans" before the id. */
static void test_strange_labels(void **state)
{
	char labels[2048] = "\"x\": 1, \"y\": {\"z\": []}, \"", *end;

	(void)state;
	end = labels + strlen(labels);
	memset(end, 'k', 300);
	strncpy(end + 300,
		"\": \"v\", \"service.name\": \"a\", "
		"\"service.name\": \"b\"",
		sizeof labels - 350);
	decode_labels(labels);
	check_str(span_service(&trace, 0), "a");
	trace_release(&trace);
}

static void decode_spans(size_t count)
{
	size_t size = 200 + count * 120, len;
	char *text = malloc(size);

	assert_non_null(text);
	len = (size_t)snprintf(text, size, HEAD);
	for (size_t i = 1; i <= count; i++)
		len += (size_t)snprintf(text + len, size - len,
					"%s{\"spanId\": \"%zu\", " TIMES "}",
					i > 1 ? "," : "", i);
	snprintf(text + len, size - len, "]}");
	decode_text(text);
	free(text);
	assert_int_equal(trace.span_count, count);
}

static bool has_note(const char *part)
{
	for (size_t i = 0; i < notes.count; i++)
		if (strstr(notes.text[i], part))
			return true;
	return false;
}

static void test_the_most_spans_that_there_are(void **state)
{
	(void)state;
	decode_spans(9999);
	assert_false(trace.is_partial);
	assert_false(has_note("at most 10,000 spans"));
	trace_release(&trace);
	decode_spans(10000);
	assert_true(trace.is_partial);
	assert_true(has_note("at most 10,000 spans"));
	trace_release(&trace);
}

static void test_times_that_cannot_be(void **state)
{
	(void)state;
	decode_text(HEAD "{\"spanId\": \"1\", " TIMES "}, "
			 "{\"spanId\": \"2\", \"startTime\": "
			 "\"1900-01-01T00:00:00Z\", \"endTime\": "
			 "\"1900-01-01T00:00:01Z\"}, "
			 "{\"spanId\": \"3\", \"startTime\": "
			 "\"2026-11-21T11:00:00Z\"}]}");
	assert_int_equal(trace.span_count, 3);
	assert_true(trace.spans[find(3)].flags & SPAN_IS_UNFINISHED);
	assert_true(trace.start_ns <= START_NS);
	assert_int_equal(trace.oddities.open_count, 1);
	trace_release(&trace);
}

UNIT_TESTS(cloud_trace_json)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_trace_of_three_services),
		cmocka_unit_test(test_names_of_services),
		cmocka_unit_test(test_what_is_a_failure),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_fractions_of_seconds),
		cmocka_unit_test(test_shapes_of_documents),
		cmocka_unit_test(test_each_trace_of_a_page_once),
		cmocka_unit_test(test_nothing_in_it),
		cmocka_unit_test(test_what_cannot_be_read),
		cmocka_unit_test(test_strange_labels),
		cmocka_unit_test(test_the_most_spans_that_there_are),
		cmocka_unit_test(test_times_that_cannot_be),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
