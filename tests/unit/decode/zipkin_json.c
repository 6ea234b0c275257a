/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "base/limits.h"
#include "trace_testing.h"

static void decode_text(const char *text)
{
	decode_text_as(FORMAT_ZIPKIN_JSON, text);
}

static const struct span *only_kind(enum span_kind kind)
{
	const struct span *found = NULL;

	for (uint32_t i = 0; i < trace.span_count; i++)
		if (trace.spans[i].kind == kind) {
			assert_null(found);
			found = &trace.spans[i];
		}
	assert_non_null(found);
	return found;
}

static uint32_t index_of(const struct span *s)
{
	return (uint32_t)(s - trace.spans);
}

static struct str attr_of(const struct span *s, struct str key)
{
	return span_attr(&trace, index_of(s), key);
}

/* Client and server share an id; the rest hangs below the server. */
static void test_shared_id(void **state)
{
	struct str bytes = oracle_load("otlp/zipkin-shared.json");
	const struct span *client, *server, *inside, *producer;

	(void)state;
	if (!decode_as(FORMAT_ZIPKIN_JSON, bytes, NULL))
		fail_msg("%s", err.message);
	assert_int_equal(trace.span_count, 4);
	assert_int_equal(trace.service_count, 2);
	client = only_kind(SPAN_KIND_CLIENT);
	server = only_kind(SPAN_KIND_SERVER);
	inside = only_kind(SPAN_KIND_INTERNAL);
	producer = only_kind(SPAN_KIND_PRODUCER);
	assert_int_equal(server->parent, index_of(client));
	assert_int_equal(inside->parent, index_of(server));
	assert_int_equal(producer->parent, index_of(inside));
	assert_int_equal(client->start_ns, 1795228418000000000);
	assert_int_equal(client->end_ns, 1795228418090000000);
	assert_false(client->flags & SPAN_IS_ERROR);
	assert_true(server->flags & SPAN_IS_ERROR);
	assert_true(str_equal(attr_of(server, STR("error")), STR("timeout")));
	assert_true(producer->flags & SPAN_IS_UNFINISHED);
	assert_true(str_equal(span_service(&trace, index_of(client)),
			      STR("zip-client")));
	assert_true(str_equal(attr_of(client, STR("peer.service")),
			      STR("zip-server")));
	assert_true(str_equal(attr_of(client, STR("network.peer.address")),
			      STR("10.0.0.2")));
	assert_true(
		str_equal(resource_attr(&trace, client->resource, STR("ip")),
			  STR("10.0.0.1")));
	trace_release(&trace);
	drop(bytes);
}

static void test_tags(void **state)
{
	(void)state;
	decode_text("[{\"traceId\":\"1\",\"id\":\"a\",\"timestamp\":5,"
		    "\"duration\":7,\"tags\":{\"http.method\":\"GET\","
		    "\"http.status_code\":500,\"error\":\"\","
		    "\"otel.status_description\":\"gone\"}},"
		    "{\"traceId\":\"1\",\"id\":\"b\",\"parentId\":\"a\","
		    "\"timestamp\":6,\"duration\":1,\"kind\":\"ODD\","
		    "\"tags\":{\"otel.status_code\":\"ERROR\",\"x\":[1],"
		    "\"thread.name\":true}},"
		    "{\"traceId\":\"1\",\"id\":\"c\",\"parentId\":null,"
		    "\"timestamp\":6,\"duration\":0,\"tags\":null,"
		    "\"tags\":{\"error\":\"true\"},\"remoteEndpoint\":null,"
		    "\"localEndpoint\":{\"port\":1},\"shared\":null}]");
	assert_int_equal(trace.span_count, 3);
	for (uint32_t i = 0; i < 3; i++)
		assert_true(trace.spans[i].flags & SPAN_IS_ERROR);
	assert_true(str_equal(trace_text(&trace, trace.spans[0].status_message),
			      STR("gone")));
	assert_true(str_equal(span_attr(&trace, 0, STR("http.status_code")),
			      STR("500")));
	assert_null(span_attr(&trace, 0, STR("error")).ptr);
	assert_int_equal(trace.spans[1].kind, SPAN_KIND_INTERNAL);
	assert_int_equal(trace.spans[1].parent, 0);
	assert_null(span_attr(&trace, 2, STR("error")).ptr);
	trace_release(&trace);
}

/* Old producers share an id and tell no kind. */
/* Version 1: a server, and a span that both of its sides told. */
static void test_version_1(void **state)
{
	const struct span *root, *client, *server;

	(void)state;
	decode_text(
		"[{\"traceId\":\"1\",\"id\":\"a\",\"name\":\"get\","
		"\"annotations\":[{\"value\":\"sr\",\"timestamp\":1000,"
		"\"endpoint\":{\"serviceName\":\"shop\",\"ipv4\":\"10.0.0.1\"}},"
		"{\"timestamp\":1090,\"value\":\"ss\"},"
		"{\"timestamp\":1001,\"value\":\"cache miss\"}],"
		"\"binaryAnnotations\":[{\"key\":\"http.method\",\"value\":\"GET\"},"
		"{\"endpoint\":{\"serviceName\":\"phone\"},\"key\":\"ca\","
		"\"value\":true}]},"
		"{\"traceId\":\"1\",\"parentId\":\"a\",\"id\":\"b\","
		"\"timestamp\":1010,\"duration\":70,\"annotations\":["
		"{\"timestamp\":1011,\"value\":\"cs\","
		"\"endpoint\":{\"serviceName\":\"shop\"}},"
		"{\"timestamp\":1020,\"value\":\"sr\","
		"\"endpoint\":{\"serviceName\":\"db\"}},"
		"{\"timestamp\":1060,\"value\":\"ss\"},"
		"{\"timestamp\":1080,\"value\":\"cr\"}],"
		"\"binaryAnnotations\":[{\"key\":\"error\","
		"\"value\":\"timeout\"}]},"
		"{\"traceId\":\"1\",\"parentId\":\"a\",\"id\":\"c\","
		"\"annotations\":[{\"timestamp\":1005,\"value\":\"ms\"}]}]");
	assert_int_equal(trace.span_count, 4);
	client = only_kind(SPAN_KIND_CLIENT);
	root = &trace.spans[client->parent];
	assert_int_equal(root->kind, SPAN_KIND_SERVER);
	assert_int_equal(root->end_ns - root->start_ns, 90000);
	assert_true(
		str_equal(span_service(&trace, index_of(root)), STR("shop")));
	assert_true(str_equal(attr_of(root, STR("http.method")), STR("GET")));
	assert_true(
		str_equal(attr_of(root, STR("peer.service")), STR("phone")));
	assert_int_equal(client->end_ns - client->start_ns, 70000);
	assert_true(client->flags & SPAN_IS_ERROR);
	server = client;
	for (uint32_t i = 0; i < trace.span_count; i++)
		if (trace.spans[i].parent == index_of(client))
			server = &trace.spans[i];
	assert_int_equal(server->kind, SPAN_KIND_SERVER);
	assert_int_equal(server->end_ns - server->start_ns, 40000);
	assert_false(server->flags & SPAN_IS_ERROR);
	assert_true(
		str_equal(span_service(&trace, index_of(server)), STR("db")));
	assert_true(only_kind(SPAN_KIND_PRODUCER)->flags & SPAN_IS_UNFINISHED);
	trace_release(&trace);
}

static void test_shared_without_kind(void **state)
{
	(void)state;
	decode_text("[{\"traceId\":\"1\",\"id\":\"a\",\"kind\":\"CLIENT\","
		    "\"timestamp\":5,\"duration\":9},"
		    "{\"traceId\":\"1\",\"id\":\"a\",\"shared\":true,"
		    "\"timestamp\":6,\"duration\":3}]");
	assert_int_equal(trace.span_count, 2);
	assert_int_equal(only_kind(SPAN_KIND_SERVER)->parent,
			 index_of(only_kind(SPAN_KIND_CLIENT)));
	trace_release(&trace);
}

/* The same span in two reports: the one with a duration counts. */
static void test_span_in_pieces(void **state)
{
	(void)state;
	decode_text("[{\"traceId\":\"1\",\"id\":\"a\",\"name\":\"begin\","
		    "\"timestamp\":5},"
		    "{\"traceId\":\"1\",\"id\":\"a\",\"name\":\"whole\","
		    "\"timestamp\":5,\"duration\":7}]");
	assert_int_equal(trace.span_count, 1);
	assert_int_equal(span_duration_ns(&trace.spans[0]), 7000);
	assert_true(str_equal(span_name(&trace, 0), STR("whole")));
	trace_release(&trace);
}

#define TWO_TRACES                                                             \
	"[[{\"traceId\":\"000000000000000000000000000000c1\",\"id\":\"1\","    \
	"\"timestamp\":5,\"duration\":7}],"                                    \
	"[{\"traceId\":\"c2\",\"id\":\"2\",\"timestamp\":5,\"duration\":9}]]"

static void test_several_traces(void **state)
{
	struct trace_id want;

	(void)state;
	decode_text(TWO_TRACES);
	assert_int_equal(trace.span_count, 1);
	assert_int_equal(trace.spans[0].span_id, 2);
	assert_int_equal(trace.id.bytes[15], 0xc2);
	assert_int_equal(trace.oddities.trace_count, 2);
	assert_int_equal(trace.oddities.others[0].bytes[15], 0xc1);
	trace_release(&trace);
	assert_true(trace_id_parse(STR("00000000000000c1"), &want));
	assert_true(decode_as(FORMAT_ZIPKIN_JSON, STR(TWO_TRACES), &want));
	assert_int_equal(trace.span_count, 1);
	assert_int_equal(trace.spans[0].span_id, 1);
	trace_release(&trace);
}

/* Spans without a list around them. */
static void test_bare_spans(void **state)
{
	(void)state;
	decode_text("{\"traceId\":\"1\",\"id\":\"2\",\"name\":\"a\"}");
	assert_int_equal(trace.span_count, 1);
	trace_release(&trace);
	decode_text("{\"traceId\":\"1\",\"id\":\"2\"}\n"
		    "{\"traceId\":\"1\",\"id\":\"3\",\"parentId\":\"2\"}\n"
		    "[{\"traceId\":\"1\",\"id\":\"4\"}]\n");
	assert_int_equal(trace.span_count, 3);
	trace_release(&trace);
}

static void expect_failure(const char *text, const char *message)
{
	assert_false(decode_as(FORMAT_ZIPKIN_JSON, str_from(text), NULL));
	assert_int_equal(err.code, ERROR_FORMAT);
	if (!strstr(err.message, message))
		fail_msg("%s", err.message);
	trace_release(&trace);
}

static void test_damage(void **state)
{
	(void)state;
	expect_failure("[{\"traceId\":\"1\",\"id\":\"x\"}]", "no span id");
	expect_failure("[{\"traceId\":\"1\",\"id\":\"00000000000000001\"}]",
		       "no span id");
	expect_failure("[{\"traceId\":\"-\",\"id\":\"1\"}]", "no trace id");
	expect_failure("[{\"traceId\":\"1\",\"id\":\"1\"}", "damaged or cut");
	expect_failure("{\"traceId\":\"1\",\"id\":\"x\"}", "no span id");
	expect_failure("{\"traceId\":\"1\",\"id\":\"1\"", "damaged or cut");
	expect_failure("7", "damaged or cut");
	expect_failure("[{\"traceId\":\"1\",\"id\":\"1\",\"timestamp\":1.5}]",
		       "damaged or cut");
	decode_text("[]");
	assert_int_equal(trace.span_count, 0);
	trace_release(&trace);
	decode_text("[[],[]]");
	assert_int_equal(trace.span_count, 0);
	trace_release(&trace);
}

/* Times past what 64 bits of nanoseconds hold do not wrap around. */
static void test_extreme_times(void **state)
{
	(void)state;
	decode_text("[{\"traceId\":\"1\",\"id\":\"1\",\"timestamp\":"
		    "18446744073709551615,\"duration\":18446744073709551615},"
		    "{\"traceId\":\"1\",\"id\":\"2\",\"timestamp\":"
		    "1795228418000000,\"duration\":7}]");
	assert_int_equal(trace.span_count, 2);
	for (uint32_t i = 0; i < 2; i++)
		assert_true(trace.spans[i].end_ns >= trace.spans[i].start_ns);
	trace_release(&trace);
}

/* A tag's value at and over the longest text. */
static void test_long_text(void **state)
{
	size_t size = LIMIT_STRING_BYTES + 200;
	char *text = malloc(size);

	(void)state;
	assert_non_null(text);
	for (size_t over = 0; over < 2; over++) {
		size_t at = (size_t)snprintf(text, size,
					     "[{\"traceId\":\"1\",\"id\":\"1\","
					     "\"tags\":{\"http.url\":\"");
		size_t len = LIMIT_STRING_BYTES + over;

		memset(text + at, 'u', len);
		snprintf(text + at + len, size - at - len, "\"}}]");
		decode_text(text);
		assert_int_equal(span_attr(&trace, 0, STR("http.url")).len,
				 LIMIT_STRING_BYTES);
		assert_int_equal(trace.oddities.trimmed_count, over);
		trace_release(&trace);
	}
	free(text);
}

/* .next/trace: a list a line, as next build (16.4) writes it. Its times keep
 * their microseconds. */
static void test_next_js(void **state)
{
	(void)state;
	decode_text(
		"[{\"name\":\"run-webpack\",\"duration\":65241879,"
		"\"timestamp\":3090015172,\"id\":14,\"parentId\":1,\"tags\":{},"
		"\"startTime\":1795996423140,\"traceId\":\"e8dc7dfc3e9d0751\"},"
		"{\"name\":\"static-check\",\"duration\":3252781,"
		"\"timestamp\":3155308489,\"id\":882,\"parentId\":1,\"tags\":"
		"{\"page\":\"/a\"},\"startTime\":1795996488434,"
		"\"traceId\":\"e8dc7dfc3e9d0751\"}]\n"
		"[{\"name\":\"next-build\",\"duration\":150785844,"
		"\"timestamp\":3088771941,\"id\":1,\"tags\":{\"bundler\":"
		"\"webpack\"},\"startTime\":1795996421897,"
		"\"traceId\":\"e8dc7dfc3e9d0751\"}]\n");
	assert_int_equal(trace.span_count, 3);
	assert_int_equal(trace.root_count, 1);
	for (uint32_t i = 0; i < 3; i++) {
		const struct span *s = &trace.spans[i];

		assert_true(str_equal(span_service(&trace, i), STR("Next.js")));
		if (i == trace.roots[0]) {
			assert_int_equal(span_duration_ns(s), 150785844000);
			assert_int_equal(s->start_ns, 1795996421896769000);
			continue;
		}
		assert_int_equal(s->parent, trace.roots[0]);
		if (s->span_id == 14)
			assert_int_equal(s->start_ns, 1795996423140000000);
		else
			assert_int_equal(s->start_ns, 1795996488433317000);
	}
	trace_release(&trace);
}

UNIT_TESTS(zipkin_json)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shared_id),
		cmocka_unit_test(test_tags),
		cmocka_unit_test(test_version_1),
		cmocka_unit_test(test_shared_without_kind),
		cmocka_unit_test(test_span_in_pieces),
		cmocka_unit_test(test_several_traces),
		cmocka_unit_test(test_bare_spans),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_extreme_times),
		cmocka_unit_test(test_long_text),
		cmocka_unit_test(test_next_js),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
