/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "trace_testing.h"

static bool decode(struct str bytes)
{
	return decode_as(FORMAT_OTLP_JSON, bytes, NULL);
}

static bool has_note(const char *text)
{
	for (size_t i = 0; i < notes.count; i++)
		if (!strcmp(notes.text[i], text))
			return true;
	return false;
}

static void compare(const char *path)
{
	struct str bytes;
	char *expected, *got;

	if (strstr(path, "zipkin"))
		return;
	bytes = oracle_load(path);
	expected = oracle_dump_json(bytes, NULL, 0);
	got = oracle_decode(FORMAT_OTLP_JSON, bytes, NULL, 0);
	assert_true(strlen(expected) > 100);
	oracle_compare(path, got, expected);
	drop(bytes);
	free(expected);
	free(got);
}

static void test_fixtures_as_jansson_reads_them(void **state)
{
	(void)state;
	assert_int_equal(oracle_each("tempo/trace-*/body.json", compare), 24);
	assert_int_equal(oracle_each("tempo/trace-*/body.json.gz", compare), 1);
	assert_int_equal(oracle_each("jaeger/trace-*-v3*/body.json", compare),
			 15);
	assert_int_equal(oracle_each("otlp/*.json", compare), 13);
	assert_int_equal(oracle_each("otlp/f.json.gz", compare), 1);
}

/* One request a line, four traces: each can be asked for. */
static void test_file_of_the_collector(void **state)
{
	static const char *const ids[] = {
		"5b8efff798038103d269b633813fc700",
		"00c0ffee00000000000000000000fa17",
		"9a9a9a9a9a9a9a9a9a9a9a9a9a9a9a9a",
	};
	struct str bytes = oracle_load("otlp/file-exporter.jsonl");

	(void)state;
	for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
		char *expected = oracle_dump_json(bytes, ids[i], 0);
		char *got = oracle_decode(FORMAT_OTLP_JSON, bytes, ids[i], 0);

		assert_true(strlen(expected) > 100);
		oracle_compare(ids[i], got, expected);
		free(expected);
		free(got);
	}
	assert_true(decode(bytes));
	assert_int_equal(trace.oddities.trace_count, 3);
	trace_release(&trace);
	drop(bytes);
}

static void test_missing_trace(void **state)
{
	struct str bytes = oracle_load("tempo/miss-v2-json/body.json");

	(void)state;
	assert_true(decode(bytes));
	assert_int_equal(trace.span_count, 0);
	assert_int_equal(notes.count, 0);
	trace_release(&trace);
	drop(bytes);
	bytes = oracle_load("jaeger/miss-v3/body.json");
	assert_false(decode(bytes));
	assert_int_equal(err.code, ERROR_NOT_FOUND);
	assert_non_null(strstr(err.message, "No traces found"));
	trace_release(&trace);
	drop(bytes);
	assert_true(decode(STR("")));
	assert_int_equal(trace.span_count, 0);
	trace_release(&trace);
}

static void test_partial(void **state)
{
	struct str bytes =
		oracle_load("tempo/trace-too-large-v2-partial-json/body.json");

	(void)state;
	assert_true(decode(bytes));
	assert_true(trace.is_partial);
	assert_true(has_note("the server returned only a part of the trace: "
			     "Trace exceeds maximum size of 5000 bytes, a "
			     "partial trace is returned"));
	trace_release(&trace);
	drop(bytes);
}

static void test_remarks_of_jaeger(void **state)
{
	struct str bytes =
		oracle_load("jaeger/trace-b-too-many-spans-v3/body.json");

	(void)state;
	assert_true(decode(bytes));
	assert_int_equal(trace.span_count, 40);
	assert_true(trace.is_partial);
	assert_true(trace.oddities.is_cut_by_server);
	trace_release(&trace);
	drop(bytes);
	bytes = oracle_load("jaeger/trace-d-skew-v3-adjusted/body.json");
	assert_true(decode(bytes));
	assert_false(trace.is_partial);
	assert_int_equal(trace.oddities.moved_count, 3);
	trace_release(&trace);
	drop(bytes);
}

#define GROUP(spans)                                                           \
	"{\"resource\":{\"attributes\":[{\"key\":\"service.name\",\"value\":"  \
	"{\"stringValue\":\"web\"}}]},\"scopeSpans\":[{\"spans\":[" spans      \
	"]}]}"
#define SPAN(id)                                                               \
	"{\"traceId\":\"5b8efff798038103d269b633813fc700\",\"spanId\":\"" id   \
	"\",\"startTimeUnixNano\":\"5\",\"endTimeUnixNano\":9}"

/* Jaeger v3 may stream: results back to back, an error at the end. */
static void test_several_results_and_an_error(void **state)
{
	(void)state;
	assert_true(decode(STR("{\"result\":{\"resourceSpans\":[" GROUP(SPAN(
		"00000000000000a1")) "]}}\n"
				     "{\"result\":{"
				     "\"resourceSpans\":[" GROUP(SPAN(
					     "00000000000000a2")) "]}}"
								  "{\"error\":{"
								  "\"httpCode\""
								  ":"
								  "500,"
								  "\"message\":"
								  "\"gone\"}}"
								  "\n")));
	assert_int_equal(trace.span_count, 2);
	assert_int_equal(trace.resource_count, 1);
	assert_true(trace.is_partial);
	assert_true(has_note("the server ended with an error, the trace may "
			     "be incomplete: gone"));
	trace_release(&trace);
}

static void decode_one_span(const char *members)
{
	char text[2048];

	snprintf(text, sizeof text,
		 "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{%s}]}]}]}",
		 members);
	if (!decode(str_from(text)))
		fail_msg("%s", err.message);
	assert_int_equal(trace.span_count, 1);
}

static void expect_ids(const char *trace_id, const char *span_id)
{
	char members[300], got[33], span[17];

	snprintf(members, sizeof members,
		 "\"traceId\":\"%s\",\"spanId\":\"%s\"", trace_id, span_id);
	decode_one_span(members);
	trace_id_format(&trace.id, got);
	assert_string_equal(got, "5b8efff798038103d269b633813fc700");
	span_id_format(trace.spans[0].span_id, span);
	assert_string_equal(span, "eee19b7ec3c1b1fa");
	trace_release(&trace);
}

static void test_every_form_of_id(void **state)
{
	char got[33];

	(void)state;
	expect_ids("5b8efff798038103d269b633813fc700", "eee19b7ec3c1b1fa");
	expect_ids("5B8EFFF798038103D269B633813FC700", "EEE19B7EC3C1B1FA");
	expect_ids("W47/95gDgQPSabYzgT/HAA==", "7uGbfsPBsfo=");
	expect_ids("W47/95gDgQPSabYzgT/HAA", "7uGbfsPBsfo");
	expect_ids("W47_95gDgQPSabYzgT_HAA==", "7uGbfsPBsfo=");
	/* base64 of the hex digits */
	expect_ids("NWI4ZWZmZjc5ODAzODEwM2QyNjliNjMzODEzZmM3MDA=",
		   "ZWVlMTliN2VjM2MxYjFmYQ==");
	decode_one_span("\"traceId\":\"00000000c0dec0de\",\"spanId\":null,"
			"\"parentSpanId\":\"\"");
	trace_id_format(&trace.id, got);
	assert_string_equal(got, "000000000000000000000000c0dec0de");
	trace_release(&trace);
}

static void expect_failure(const char *text, const char *message)
{
	assert_false(decode(str_from(text)));
	assert_int_equal(err.code, ERROR_FORMAT);
	if (!strstr(err.message, message))
		fail_msg("%s", err.message);
	trace_release(&trace);
}

static void test_damage_is_told(void **state)
{
	(void)state;
	expect_failure("{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{"
		       "\"traceId\":\"5b8g\"}]}]}]}",
		       "'5b8g' is no trace id");
	expect_failure("{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{"
		       "\"spanId\":\"zz8efff798038103\"}]}]}]}",
		       "is no span id");
	expect_failure("{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{"
		       "\"startTimeUnixNano\":\"soon\"}]}]}]}",
		       "'soon' is no whole number");
	expect_failure("{\"resourceSpans\":{}}", "an array");
	expect_failure("{\"resourceSpans\":[]} x", "damaged or cut-off OTLP");
	expect_failure("[]", "an object");
}

static void expect_kind(const char *kind, enum span_kind expected)
{
	char members[100];

	snprintf(members, sizeof members, "\"kind\":%s", kind);
	decode_one_span(members);
	assert_int_equal(trace.spans[0].kind, expected);
	trace_release(&trace);
}

static void test_enums_as_names_and_numbers(void **state)
{
	(void)state;
	expect_kind("\"SPAN_KIND_SERVER\"", SPAN_KIND_SERVER);
	expect_kind("2", SPAN_KIND_SERVER);
	expect_kind("\"3\"", SPAN_KIND_CLIENT);
	expect_kind("5", SPAN_KIND_CONSUMER);
	expect_kind("0", SPAN_KIND_INTERNAL);
	expect_kind("17", SPAN_KIND_INTERNAL);
	expect_kind("-1", SPAN_KIND_INTERNAL);
	expect_kind("null", SPAN_KIND_INTERNAL);
	expect_kind("\"SPAN_KIND_NEW\"", SPAN_KIND_INTERNAL);
	decode_one_span("\"status\":{\"message\":\"m\",\"code\":"
			"\"STATUS_CODE_ERROR\"}");
	assert_true(trace.spans[0].flags & SPAN_IS_ERROR);
	assert_true(str_equal(trace_text(&trace, trace.spans[0].status_message),
			      STR("m")));
	trace_release(&trace);
	decode_one_span("\"status\":{\"code\":1}");
	assert_false(trace.spans[0].flags & SPAN_IS_ERROR);
	trace_release(&trace);
}

static void test_snake_case_and_old_names(void **state)
{
	(void)state;
	assert_true(decode(STR(
		"{\"resource_spans\":[{\"instrumentation_library_spans\":[{"
		"\"spans\":[{\"trace_id\":\"5b8efff798038103d269b633813fc700\","
		"\"span_id\":\"00000000000000a2\",\"parent_span_id\":"
		"\"00000000000000a1\",\"start_time_unix_nano\":1795228418000000"
		"000,\"end_time_unix_nano\":\"1795228418000000001\"}]}],"
		"\"resource\":{\"attributes\":[{\"value\":{\"string_value\":"
		"\"late\"},\"key\":\"service.name\"}]}}]}")));
	assert_int_equal(trace.span_count, 1);
	assert_int_equal(trace.spans[0].parent_id, 0xa1);
	assert_true(trace.spans[0].start_ns == 1795228418000000000);
	assert_int_equal(span_duration_ns(&trace.spans[0]), 1);
	assert_true(str_equal(span_service(&trace, 0), STR("late")));
	trace_release(&trace);
}

static void check_value(const char *value, const char *expected)
{
	char members[1024];
	struct str found;

	snprintf(members, sizeof members,
		 "\"attributes\":[{\"key\":\"http.route\",\"value\":%s}]",
		 value);
	decode_one_span(members);
	found = span_attr(&trace, 0, STR("http.route"));
	if (!str_equal(found, str_from(expected)))
		fail_msg("%s gave %.*s", value, STR_ARGS(found));
	trace_release(&trace);
}

static void test_values_become_text(void **state)
{
	(void)state;
	check_value("{\"stringValue\":\"a\\\"b\"}", "a\"b");
	check_value("{\"stringValue\":null}", "");
	check_value("{}", "");
	check_value("null", "");
	check_value("{\"intValue\":\"-9223372036854775808\"}",
		    "-9223372036854775808");
	check_value("{\"intValue\":5}", "5");
	check_value("{\"doubleValue\":0.1}", "0.1");
	check_value("{\"doubleValue\":8080.0}", "8080");
	check_value("{\"doubleValue\":\"NaN\"}", "NaN");
	check_value("{\"boolValue\":true}", "true");
	check_value("{\"bytesValue\":\"AQI=\"}", "AQI=");
	check_value("\"plain\"", "plain");
	check_value("{\"arrayValue\":{}}", "[]");
	check_value("{\"arrayValue\":{\"values\":[{\"intValue\":\"1\"},{},"
		    "{\"stringValue\":\"a\\\"\\n\"},{\"boolValue\":false}]}}",
		    "[1,null,\"a\\\"\\u000a\",false]");
	check_value("{\"kvlistValue\":{\"values\":[{\"key\":\"k\",\"value\":{"
		    "\"arrayValue\":{\"values\":[{\"doubleValue\":1.5}]}}},"
		    "{\"key\":\"n\"}]}}",
		    "{\"k\":[1.5],\"n\":null}");
}

/* Keys decide what is kept in whatever order they come. */
static void test_unkept_attributes_are_not_stored(void **state)
{
	(void)state;
	decode_one_span("\"attributes\":[{\"key\":\"a\",\"value\":{"
			"\"stringValue\":\"x\"}},{\"value\":{\"stringValue\":"
			"\"y\"},\"key\":\"b\"},{\"value\":{\"stringValue\":"
			"\"z\"}},null]");
	assert_int_equal(trace.spans[0].attr_count, 0);
	assert_int_equal(symtab_find(&trace.symtab, STR("y")), TEXT_NONE);
	trace_release(&trace);
}

static void nested(unsigned depth)
{
	struct buf text;

	buf_init(&text, MIB);
	buf_add_text(&text,
		     "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{"
		     "\"attributes\":[{\"key\":\"http.route\",\"value\":");
	for (unsigned i = 0; i < depth; i++)
		buf_add_text(&text, "{\"arrayValue\":{\"values\":[");
	buf_add_text(&text, "{\"intValue\":1}");
	for (unsigned i = 0; i < depth; i++)
		buf_add_text(&text, "]}}");
	buf_add_text(&text, "}]}]}]}]}");
	decode(buf_str(&text));
	buf_release(&text);
}

static void test_depth_has_a_limit(void **state)
{
	/* Document, groups, group, scopes, scope, spans, span, attributes,
	 * attribute and the innermost value; each list takes three. */
	unsigned most = (LIMIT_JSON_DEPTH - 10) / 3;

	(void)state;
	nested(most);
	assert_int_equal(err.code, ERROR_NONE);
	assert_int_equal(span_attr(&trace, 0, STR("http.route")).len,
			 2 * most + 1);
	trace_release(&trace);
	nested(most + 1);
	assert_int_equal(err.code, ERROR_LIMIT);
	trace_release(&trace);
}

static void test_long_text_is_cut(void **state)
{
	struct buf text;

	(void)state;
	buf_init(&text, MIB);
	buf_add_text(&text, "{\"resourceSpans\":[{\"scopeSpans\":[{"
			    "\"spans\":[{\"name\":\"");
	for (size_t i = 0; i <= LIMIT_STRING_BYTES; i++)
		buf_add_char(&text, 'n');
	buf_add_text(&text, "\"}]}]}]}");
	assert_true(decode(buf_str(&text)));
	assert_int_equal(span_name(&trace, 0).len, LIMIT_STRING_BYTES);
	assert_int_equal(trace.oddities.trimmed_count, 1);
	trace_release(&trace);
	buf_release(&text);
}

/* JSON says where it ends: nothing short of that is accepted. */
static void test_cut_at_every_byte(void **state)
{
	struct str bytes = oracle_load("tempo/trace-e1-orphan-v2-json/"
				       "body.json");

	(void)state;
	for (size_t len = 1; len < bytes.len; len++) {
		char *copy = malloc(len);

		memcpy(copy, bytes.ptr, len);
		assert_false(decode((struct str){ copy, len }));
		assert_int_equal(err.code, ERROR_FORMAT);
		trace_release(&trace);
		free(copy);
	}
	drop(bytes);
}

static void test_byte_order_mark(void **state)
{
	(void)state;
	assert_true(decode(STR("\xef\xbb\xbf{\"batches\":[" GROUP(
		SPAN("00000000000000a1")) "]}")));
	assert_int_equal(trace.span_count, 1);
	trace_release(&trace);
}

/* A line of OtlpJsonLoggingSpanExporter of the Java SDK: no list around it. */
static void test_resources_alone(void **state)
{
	struct str bytes = STR(GROUP(SPAN("00000000000000a1")) "\n" GROUP(
		SPAN("00000000000000a2")) "\n");

	(void)state;
	assert_int_equal(format_sniff(bytes, NULL, 0), FORMAT_OTLP_JSON);
	assert_true(decode(bytes));
	assert_int_equal(trace.span_count, 2);
	assert_int_equal(trace.service_count, 1);
	trace_release(&trace);
}

UNIT_TESTS(otlp_json)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fixtures_as_jansson_reads_them),
		cmocka_unit_test(test_file_of_the_collector),
		cmocka_unit_test(test_resources_alone),
		cmocka_unit_test(test_missing_trace),
		cmocka_unit_test(test_partial),
		cmocka_unit_test(test_remarks_of_jaeger),
		cmocka_unit_test(test_several_results_and_an_error),
		cmocka_unit_test(test_every_form_of_id),
		cmocka_unit_test(test_damage_is_told),
		cmocka_unit_test(test_enums_as_names_and_numbers),
		cmocka_unit_test(test_snake_case_and_old_names),
		cmocka_unit_test(test_values_become_text),
		cmocka_unit_test(test_unkept_attributes_are_not_stored),
		cmocka_unit_test(test_depth_has_a_limit),
		cmocka_unit_test(test_long_text_is_cut),
		cmocka_unit_test(test_cut_at_every_byte),
		cmocka_unit_test(test_byte_order_mark),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
