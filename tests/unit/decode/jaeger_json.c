/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "trace_testing.h"

static bool decode(struct str bytes)
{
	return decode_as(FORMAT_JAEGER_JSON, bytes, NULL);
}

static void decode_text(const char *text)
{
	decode_text_as(FORMAT_JAEGER_JSON, text);
}

static void compare(const char *path)
{
	struct str bytes;
	char *expected, *got;

	if (strstr(path, "trace-i-edges"))
		return; /* an error answer */
	bytes = oracle_load(path);
	expected = oracle_dump_json(bytes, NULL, 0);
	got = oracle_decode(FORMAT_JAEGER_JSON, bytes, NULL, 0);
	assert_true(strlen(expected) > 100);
	oracle_compare(path, got, expected);
	drop(bytes);
	free(expected);
	free(got);
}

static void test_fixtures_as_jansson_reads_them(void **state)
{
	(void)state;
	assert_int_equal(
		oracle_each("jaeger/trace-*-legacy*/body.json", compare), 11);
}

static void test_error_answers(void **state)
{
	struct str bytes = oracle_load("jaeger/miss-legacy/body.json");

	(void)state;
	assert_false(decode(bytes));
	assert_int_equal(err.code, ERROR_NOT_FOUND);
	assert_non_null(strstr(err.message, "trace not found"));
	trace_release(&trace);
	drop(bytes);
	bytes = oracle_load("jaeger/trace-i-edges-legacy/body.json");
	assert_false(decode(bytes));
	assert_int_equal(err.code, ERROR_FORMAT);
	assert_non_null(strstr(err.message, "unsupported value: +Inf"));
	trace_release(&trace);
	drop(bytes);
	decode_text("{\"data\":[],\"errors\":null}");
	assert_int_equal(trace.span_count, 0);
	trace_release(&trace);
}

static uint32_t find(uint64_t id)
{
	uint32_t at = trace_find_span(&trace, id);

	assert_int_equal(trace.span_count > at, 1);
	return at;
}

/* A bare trace; members in an order nobody writes. */
static void test_order_of_members_is_free(void **state)
{
	(void)state;
	decode_text("{\"spans\":[{\"tags\":[{\"value\":\"server\",\"type\":"
		    "\"string\",\"key\":\"span.kind\"}],\"processID\":\"p1\","
		    "\"references\":[{\"spanID\":\"a\",\"traceID\":\"1\","
		    "\"refType\":\"CHILD_OF\"}],\"duration\":7,\"startTime\":5,"
		    "\"spanID\":\"b\",\"traceID\":\"1\"},"
		    "{\"traceID\":\"1\",\"spanID\":\"a\",\"startTime\":4,"
		    "\"duration\":9,\"processID\":\"p2\"}],"
		    "\"processes\":{\"p2\":{\"tags\":[{\"key\":\"hostname\","
		    "\"type\":\"string\",\"value\":\"h\"}],\"serviceName\":"
		    "\"front\"},\"p1\":{\"serviceName\":\"back\"}}}");
	assert_int_equal(trace.span_count, 2);
	assert_int_equal(trace.spans[find(0xb)].parent, find(0xa));
	assert_int_equal(trace.spans[find(0xb)].start_ns, 5000);
	assert_int_equal(trace.spans[find(0xb)].end_ns, 12000);
	assert_int_equal(trace.spans[find(0xb)].kind, SPAN_KIND_SERVER);
	assert_true(str_equal(span_service(&trace, find(0xb)), STR("back")));
	assert_true(str_equal(span_service(&trace, find(0xa)), STR("front")));
	assert_true(
		str_equal(resource_attr(&trace, trace.spans[find(0xa)].resource,
					STR("hostname")),
			  STR("h")));
	trace_release(&trace);
}

/* References of a span b in trace 1 that has a span a. */
static void expect_parent(const char *references, uint64_t parent_id,
			  bool is_follower)
{
	char text[1024];
	const struct span *s;

	snprintf(text, sizeof text,
		 "{\"data\":[{\"spans\":[{\"traceID\":\"1\",\"spanID\":\"b\","
		 "\"references\":[%s]}],\"processes\":{}}]}",
		 references);
	decode_text(text);
	s = &trace.spans[find(0xb)];
	assert_int_equal(s->parent_id, parent_id);
	assert_int_equal(s->flags & SPAN_IS_FOLLOWS_FROM,
			 is_follower ? SPAN_IS_FOLLOWS_FROM : 0);
	trace_release(&trace);
}

#define REF(type, trace_id, id)                                                \
	"{\"refType\":\"" type "\",\"traceID\":\"" trace_id                    \
	"\",\"spanID\":\"" id "\"}"

static void test_references(void **state)
{
	(void)state;
	expect_parent("", 0, false);
	expect_parent(REF("CHILD_OF", "1", "a"), 0xa, false);
	expect_parent(REF("CHILD_OF", "00000000000000000000000000000001", "a"),
		      0xa, false);
	expect_parent(REF("CHILD_OF", "2", "c") "," REF("CHILD_OF", "1", "a"),
		      0xa, false);
	expect_parent(REF("CHILD_OF", "2", "c"), 0, false);
	expect_parent(REF("FOLLOWS_FROM", "1", "a"), 0xa, true);
	expect_parent(
		REF("FOLLOWS_FROM", "1", "d") "," REF("CHILD_OF", "1", "a"),
		0xa, false);
	expect_parent(
		REF("FOLLOWS_FROM", "1", "d") "," REF("FOLLOWS_FROM", "1", "a"),
		0xd, true);
	expect_parent("{\"refType\":\"CHILD_OF\",\"spanID\":\"a\"}", 0xa,
		      false);
}

static void decode_tags(const char *tags)
{
	char text[1024];

	snprintf(text, sizeof text,
		 "{\"spans\":[{\"traceID\":\"1\",\"spanID\":\"b\",\"tags\":"
		 "[%s]}]}",
		 tags);
	decode_text(text);
}

static void expect_error(const char *tags, bool is_error)
{
	decode_tags(tags);
	assert_int_equal(trace.spans[0].flags & SPAN_IS_ERROR,
			 is_error ? SPAN_IS_ERROR : 0);
	trace_release(&trace);
}

static void test_what_counts_as_failed(void **state)
{
	(void)state;
	expect_error("", false);
	expect_error("{\"key\":\"error\",\"type\":\"bool\",\"value\":true}",
		     true);
	expect_error("{\"key\":\"error\",\"type\":\"bool\",\"value\":false}",
		     false);
	expect_error("{\"key\":\"error\",\"type\":\"string\",\"value\":"
		     "\"true\"}",
		     true);
	expect_error("{\"key\":\"error\",\"type\":\"string\",\"value\":"
		     "\"timeout\"},{\"key\":\"error\",\"type\":\"bool\","
		     "\"value\":false}",
		     true);
	expect_error("{\"key\":\"otel.status_code\",\"type\":\"string\","
		     "\"value\":\"ERROR\"}",
		     true);
	expect_error("{\"key\":\"otel.status_code\",\"type\":\"string\","
		     "\"value\":\"OK\"}",
		     false);
}

static void test_tags(void **state)
{
	(void)state;
	decode_tags("{\"key\":\"http.status_code\",\"type\":\"int64\","
		    "\"value\":500},"
		    "{\"key\":\"thread.id\",\"type\":\"int64\",\"value\":"
		    "\"9007199254740993\"},"
		    "{\"key\":\"process.pid\",\"value\":7.50,\"type\":"
		    "\"float64\"},"
		    "{\"key\":\"error\",\"type\":\"string\",\"value\":"
		    "\"timeout\"},"
		    "{\"key\":\"error\",\"type\":\"bool\",\"value\":true},"
		    "{\"key\":\"http.route\",\"type\":\"binary\",\"value\":"
		    "\"AQI=\"},"
		    "{\"key\":\"otel.status_description\",\"type\":\"string\","
		    "\"value\":\"why\"}");
	assert_true(str_equal(span_attr(&trace, 0, STR("http.status_code")),
			      STR("500")));
	assert_true(str_equal(span_attr(&trace, 0, STR("thread.id")),
			      STR("9007199254740993")));
	assert_true(str_equal(span_attr(&trace, 0, STR("process.pid")),
			      STR("7.5")));
	assert_true(
		str_equal(span_attr(&trace, 0, STR("error")), STR("timeout")));
	assert_true(str_equal(span_attr(&trace, 0, STR("http.route")),
			      STR("AQI=")));
	assert_true(str_equal(trace_text(&trace, trace.spans[0].status_message),
			      STR("why")));
	trace_release(&trace);
}

static void test_embedded_process(void **state)
{
	(void)state;
	decode_text("{\"spans\":[{\"traceID\":\"1\",\"spanID\":\"b\","
		    "\"process\":{\"serviceName\":\"in\",\"tags\":[{\"key\":"
		    "\"ip\",\"type\":\"string\",\"value\":\"10.0.0.1\"}]},"
		    "\"tags\":[{\"key\":\"http.route\",\"type\":\"string\","
		    "\"value\":\"/\"}]},"
		    "{\"traceID\":\"1\",\"spanID\":\"c\",\"process\":null}]}");
	assert_true(str_equal(span_service(&trace, find(0xb)), STR("in")));
	assert_int_equal(trace.spans[find(0xb)].attr_count, 1);
	assert_true(str_equal(span_service(&trace, find(0xc)), STR("")));
	trace_release(&trace);
	assert_false(decode(STR("{\"spans\":[{\"process\":{\"serviceName\":"
				"1}}]}")));
	assert_int_equal(err.code, ERROR_FORMAT);
	trace_release(&trace);
}

/* Each trace has processes of its own; p1 of one is not p1 of the other. */
static void test_several_traces(void **state)
{
	struct trace_id want;

	(void)state;
	assert_true(trace_id_parse(STR("2"), &want));
	notes_init(&notes);
	trace_init(&trace);
	assert_true(decode_trace(
		FORMAT_JAEGER_JSON,
		STR("{\"data\":[{\"spans\":[{\"traceID\":\"1\",\"spanID\":"
		    "\"a\",\"processID\":\"p1\"}],\"processes\":{\"p1\":{"
		    "\"serviceName\":\"one\"}}},{\"spans\":[{\"traceID\":"
		    "\"2\",\"spanID\":\"a\",\"processID\":\"p1\"}],"
		    "\"processes\":{\"p1\":{\"serviceName\":\"two\"}}}],"
		    "\"errors\":[{\"code\":404,\"msg\":\"3 is missing\"}]}"),
		&want, &trace, &notes, &err));
	assert_int_equal(trace.span_count, 1);
	assert_true(str_equal(span_service(&trace, 0), STR("two")));
	assert_true(trace.is_partial);
	assert_string_equal(notes.text[0],
			    "the server ended with an error, the trace may be "
			    "incomplete: 3 is missing");
	trace_release(&trace);
}

static void test_times_out_of_range(void **state)
{
	(void)state;
	decode_text("{\"spans\":[{\"spanID\":\"a\",\"startTime\":"
		    "1795228418000000,\"duration\":10},"
		    "{\"spanID\":\"b\",\"startTime\":9223372036854775807,"
		    "\"duration\":9223372036854775807},"
		    "{\"spanID\":\"c\",\"startTime\":1795228418000002,"
		    "\"duration\":-1},"
		    "{\"spanID\":\"d\",\"startTime\":1795228418000003}]}");
	assert_int_equal(trace.span_count, 4);
	assert_int_equal(trace.end_ns - trace.start_ns, 10000);
	assert_int_equal(trace.oddities.impossible_count, 1);
	assert_int_equal(trace.oddities.backwards_count, 1);
	assert_int_equal(trace.oddities.open_count, 1);
	trace_release(&trace);
}

/* As the server writes a length below 0; and a trace says its id once. */
static void test_length_near_two_to_the_64(void **state)
{
	(void)state;
	decode_text("{\"traceID\":\"ab\",\"spans\":[{\"spanID\":\"a\","
		    "\"startTime\":1795228418000000,\"duration\":"
		    "18446744073709551611},{\"spanID\":\"b\",\"startTime\":"
		    "1795228418000000,\"duration\":10,\"tags\":[{\"key\":"
		    "\"otel.status_code\",\"value\":\"error\"}]}]}");
	assert_int_equal(trace.span_count, 2);
	assert_int_equal(trace.id.bytes[15], 0xab);
	assert_true(trace.spans[find(0xb)].flags & SPAN_IS_ERROR);
	trace_release(&trace);
}

static void test_damage(void **state)
{
	(void)state;
	assert_false(decode(STR("{\"spans\":[{\"spanID\":\"xyz\"}]}")));
	assert_non_null(strstr(err.message, "'xyz' is no span id"));
	trace_release(&trace);
	assert_false(decode(STR("{\"data\":{}}")));
	assert_non_null(strstr(err.message, "damaged or cut-off Jaeger JSON"));
	trace_release(&trace);
}

static void test_cut_at_every_byte(void **state)
{
	struct str bytes =
		oracle_load("jaeger/trace-e1-orphan-legacy/body.json");
	struct str text = str_trim(bytes);

	(void)state;
	for (size_t len = 1; len < text.len; len++) {
		char *copy = malloc(len);

		memcpy(copy, text.ptr, len);
		assert_false(decode((struct str){ copy, len }));
		assert_int_equal(err.code, ERROR_FORMAT);
		trace_release(&trace);
		free(copy);
	}
	drop(bytes);
}

/* A span that is not kept may tell so only behind its process. */
static void test_process_of_another_trace(void **state)
{
	const char *text =
		"{\"data\":[{\"spans\":[{\"process\":{\"serviceName\":"
		"\"other\"},\"spanID\":\"a1\",\"startTime\":1700000000000000,"
		"\"duration\":1,\"traceID\":\"000000000000000000000000000000aa\""
		"},{\"process\":{\"serviceName\":\"shop\"},\"spanID\":\"b1\","
		"\"startTime\":1700000000000000,\"duration\":9,\"traceID\":"
		"\"000000000000000000000000000000bb\"}]}]}";
	struct trace_id want;

	(void)state;
	assert_true(
		trace_id_parse(STR("000000000000000000000000000000bb"), &want));
	assert_true(decode_as(FORMAT_JAEGER_JSON, str_from(text), &want));
	assert_int_equal(trace.span_count, 1);
	assert_int_equal(trace.spans[0].span_id, 0xb1);
	assert_true(str_equal(trace_text(&trace, trace.resources[0].service),
			      STR("shop")));
	trace_release(&trace);
}

UNIT_TESTS(jaeger_json)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fixtures_as_jansson_reads_them),
		cmocka_unit_test(test_error_answers),
		cmocka_unit_test(test_order_of_members_is_free),
		cmocka_unit_test(test_references),
		cmocka_unit_test(test_what_counts_as_failed),
		cmocka_unit_test(test_tags),
		cmocka_unit_test(test_embedded_process),
		cmocka_unit_test(test_several_traces),
		cmocka_unit_test(test_times_out_of_range),
		cmocka_unit_test(test_length_near_two_to_the_64),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_cut_at_every_byte),
		cmocka_unit_test(test_process_of_another_trace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
