/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "base/limits.h"
#include "trace_testing.h"

#define SPAN_OF(id) "'span_id':" id ",'resource':'r','start':5"

/* With ' for ", which these documents have none of. */
static struct str quoted(char *text)
{
	for (char *at = text; *at; at++)
		if (*at == '\'')
			*at = '"';
	return str_from(text);
}

static void decode_text(const char *text)
{
	char copy[2048];

	assert_true((size_t)snprintf(copy, sizeof copy, "%s", text) <
		    sizeof copy);
	if (!decode_as(FORMAT_DATADOG_JSON, quoted(copy), NULL))
		fail_msg("%s", err.message);
}

static void expect_failure(const char *text, const char *message)
{
	char copy[512];

	snprintf(copy, sizeof copy, "%s", text);
	assert_false(decode_as(FORMAT_DATADOG_JSON, quoted(copy), NULL));
	assert_int_equal(err.code, ERROR_FORMAT);
	if (!strstr(err.message, message))
		fail_msg("%s", err.message);
	assert_null(strchr(err.message, '\n'));
	trace_release(&trace);
}

static uint32_t find(uint64_t id)
{
	for (uint32_t i = 0; i < trace.span_count; i++)
		if (trace.spans[i].span_id == id)
			return i;
	fail_msg("no span %llx", (unsigned long long)id);
	return 0;
}

static void expect_attr(uint64_t id, const char *key, const char *value)
{
	struct str found = span_attr(&trace, find(id), str_from(key));

	if (!str_equal(found, str_from(value)))
		fail_msg("%s: %.*s", key, STR_ARGS(found));
}

static void expect_name(uint64_t id, const char *name)
{
	assert_true(str_equal(span_name(&trace, find(id)), str_from(name)));
}

static void expect_id(const char *hex)
{
	char text[33];

	trace_id_format(&trace.id, text);
	assert_string_equal(text, hex);
}

#define FIRST 0xffffffffffffff01

static void expect_recorded(const char *path, int64_t slack_ns)
{
	struct str bytes = oracle_load(path);
	const struct span *root, *query, *call;

	if (!decode_as(FORMAT_DATADOG_JSON, bytes, NULL))
		fail_msg("%s", err.message);
	expect_id("6921a3f000000000f2b1c4d5e6f70819");
	assert_int_equal(trace.span_count, 10);
	assert_int_equal(trace.service_count, 2);
	root = &trace.spans[find(FIRST)];
	assert_int_equal(root->kind, SPAN_KIND_SERVER);
	assert_true(root->flags & SPAN_IS_ERROR);
	assert_in_range(root->start_ns, 1763812336250000000 - slack_ns,
			1763812336250000000);
	assert_in_range(span_duration_ns(root), 420000000, 420000000);
	assert_true(str_equal(
		resource_attr(&trace, root->resource, STR("service.version")),
		STR("2.3.1")));
	assert_true(str_equal(
		resource_attr(&trace, root->resource, STR("process.pid")),
		STR("41")));
	query = &trace.spans[find(FIRST + 10)];
	assert_int_equal(query->kind, SPAN_KIND_CLIENT);
	assert_int_equal(query->parent, find(FIRST));
	expect_name(FIRST + 10, "postgres.query");
	expect_attr(FIRST + 10, "db.query.text",
		    "SELECT * FROM items WHERE id = ?");
	expect_attr(FIRST + 10, "db.response.returned_rows", "1");
	expect_attr(FIRST + 10, "peer.service", "shop-postgres");
	assert_true(
		str_equal(span_service(&trace, find(FIRST + 10)), STR("shop")));
	call = &trace.spans[find(FIRST + 20)];
	expect_name(FIRST + 20, "GET /price");
	assert_true(str_equal(trace_text(&trace, call->status_message),
			      STR("no answer within 190 ms")));
	expect_attr(FIRST + 20, "error.type", "Timeout");
	assert_int_equal(trace.spans[find(FIRST + 30)].parent,
			 find(FIRST + 20));
	trace_release(&trace);
	drop(bytes);
}

static void test_recorded(void **state)
{
	(void)state;
	expect_recorded("datadog/agent.json", 0);
	expect_recorded("datadog/logged.json", 0);
	/* Seconds in a double. */
	expect_recorded("datadog/page.json", 1000);
}

/* The upper half is told behind the spans that need it, or by the id. */
static void test_upper_half(void **state)
{
	(void)state;
	decode_text("[[{'trace_id':9,'parent_id':2," SPAN_OF(
		"1") "},"
		     "{'trace_id':9," SPAN_OF(
			     "2") ",'meta':{'_dd.p.tid':'6921a3f000000000'}}],"
				  "[{'trace_id':9,'parent_id':2," SPAN_OF(
					  "3") "}]]");
	assert_int_equal(trace.span_count, 3);
	expect_id("6921a3f0000000000000000000000009");
	trace_release(&trace);
	decode_text("[{'trace_id':9," SPAN_OF(
		"2") ",'meta':{'_dd.p.tid':'none'}}]");
	expect_id("00000000000000000000000000000009");
	trace_release(&trace);
	decode_text("{'traces':[[{'trace_id':"
		    "'6921a3f0000000000000000000000009'," SPAN_OF(
			    "'0a'") "},"
				    "{'trace_id':'9'," SPAN_OF("'0b'") "}]]}");
	assert_int_equal(trace.span_count, 2);
	expect_id("6921a3f0000000000000000000000009");
	trace_release(&trace);
}

static void expect_span_id(const char *text, uint64_t id)
{
	char document[256];

	snprintf(document, sizeof document,
		 "[[{'trace_id':1,'span_id':%s,'start':5}]]", text);
	decode_text(document);
	assert_int_equal(trace.span_count, 1);
	assert_true(trace.spans[0].span_id == id);
	trace_release(&trace);
}

static void test_ids(void **state)
{
	(void)state;
	expect_span_id("18446744073709551615", UINT64_MAX);
	expect_span_id("'18446744073709551615'", UINT64_MAX);
	expect_span_id("-1", UINT64_MAX);
	expect_span_id("'9223372036854775808'", 1ull << 63);
	expect_span_id("'00f2b1c4d5e6f708'", 0x00f2b1c4d5e6f708);
	expect_failure("[[{'span_id':18446744073709551616}]]",
		       "'18446744073709551616' is no id: a whole number of 64 "
		       "bits is expected");
	expect_failure("[[{'span_id':1.5}]]", "'1.5' is no id");
	expect_failure("[[{'span_id':1e15}]]", "'1e15' is no id");
	expect_failure("[[{'trace_id':'xyz'}]]", "'xyz' is no id");
	expect_failure("[[{'parent_id':true}]]", "damaged or cut-off Datadog");
}

static void test_names(void **state)
{
	(void)state;
	decode_text("[[{'trace_id':1,'span_id':1,'start':5,'duration':9,"
		    "'name':'only'},"
		    "{'trace_id':1,'span_id':2,'start':5,'duration':9,"
		    "'parent_id':1,'name':'redis.command','resource':'GET k',"
		    "'type':'redis'},"
		    "{'trace_id':1,'span_id':3,'start':5,'duration':9,"
		    "'parent_id':1,'name':'n','resource':'r','type':'worker',"
		    "'meta':{'span.kind':'consumer','_dd.x':'y','odd':{}},"
		    "'metrics':{'_m':1,'half':0.5,'whole':2.0}}]]");
	expect_name(1, "only");
	expect_name(2, "redis.command");
	expect_attr(2, "db.query.text", "GET k");
	expect_attr(2, "db.system", "redis");
	assert_int_equal(trace.spans[find(2)].kind, SPAN_KIND_CLIENT);
	expect_name(3, "r");
	assert_int_equal(trace.spans[find(3)].kind, SPAN_KIND_CONSUMER);
	trace_release(&trace);
}

static void test_times(void **state)
{
	(void)state;
	decode_text("[[{'trace_id':1,'span_id':1,'resource':'r','start':"
		    "1763812336250000001}]]");
	assert_int_equal(trace.spans[0].start_ns, 1763812336250000001);
	assert_true(trace.spans[0].flags & SPAN_IS_UNFINISHED);
	trace_release(&trace);
	decode_text("{'trace':{'spans':[{'trace_id':'1','span_id':'1','start':"
		    "1763812336,'duration':2}]}}");
	assert_int_equal(trace.spans[0].start_ns, 1763812336000000000);
	assert_int_equal(span_duration_ns(&trace.spans[0]), 2000000000);
	trace_release(&trace);
	expect_failure("[[{'start':'soon'}]]", "'soon' is no time");
}

static void test_empty(void **state)
{
	static const char *const texts[] = { "[]",
					     "[[],[]]",
					     "[null]",
					     "{'trace':{'spans':{}}}",
					     "{'trace':null}",
					     "{'traces':[]}" };

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		decode_text(texts[i]);
		assert_int_equal(trace.span_count, 0);
		trace_release(&trace);
	}
}

static void test_damage(void **state)
{
	(void)state;
	expect_failure("[[{'trace_id':1", "damaged or cut-off Datadog JSON");
	expect_failure("7", "damaged or cut-off Datadog JSON");
	expect_failure("[[{'name':7}]]", "damaged or cut-off Datadog JSON");
	expect_failure("[7]", "damaged or cut-off Datadog JSON");
}

/* A tag, and the resource, at and over the longest text. */
static void test_long_text(void **state)
{
	struct buf text;

	(void)state;
	for (size_t over = 0; over < 2; over++) {
		buf_init(&text, MIB);
		buf_add_text(&text,
			     "[[{\"trace_id\":1,\"span_id\":1,\"start\":5,"
			     "\"type\":\"sql\",\"name\":\"q\","
			     "\"meta\":{\"http.url\":\"");
		for (size_t i = 0; i < LIMIT_STRING_BYTES + over; i++)
			buf_add_char(&text, 'u');
		buf_add_text(&text, "\"},\"resource\":\"");
		for (size_t i = 0; i < LIMIT_STRING_BYTES + over; i++)
			buf_add_char(&text, 'r');
		buf_add_text(&text, "\"}]]");
		assert_true(
			decode_as(FORMAT_DATADOG_JSON, buf_str(&text), NULL));
		assert_int_equal(span_attr(&trace, 0, STR("http.url")).len,
				 LIMIT_STRING_BYTES);
		assert_int_equal(span_attr(&trace, 0, STR("db.query.text")).len,
				 LIMIT_STRING_BYTES);
		assert_int_equal(trace.oddities.trimmed_count, 2 * over);
		trace_release(&trace);
		buf_release(&text);
	}
}

UNIT_TESTS(datadog_json)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recorded),
		cmocka_unit_test(test_upper_half),
		cmocka_unit_test(test_ids),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_long_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
