/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "base/limits.h"
#include "trace_testing.h"

#define TRACE "'trace_id':'1-581cf771-a006649127e371903a2de979'"

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
	char copy[4096];

	assert_true((size_t)snprintf(copy, sizeof copy, "%s", text) <
		    sizeof copy);
	if (!decode_as(FORMAT_XRAY_JSON, quoted(copy), NULL))
		fail_msg("%s", err.message);
}

static void expect_failure(const char *text, const char *message)
{
	char copy[1024];

	snprintf(copy, sizeof copy, "%s", text);
	assert_false(decode_as(FORMAT_XRAY_JSON, quoted(copy), NULL));
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

static void expect_service(uint64_t id, const char *service)
{
	assert_true(
		str_equal(span_service(&trace, find(id)), str_from(service)));
}

static void expect_recorded(const char *path)
{
	struct str bytes = oracle_load(path);
	const struct span *root, *call, *pay;

	if (!decode_as(FORMAT_XRAY_JSON, bytes, NULL))
		fail_msg("%s", err.message);
	/* What X-Ray inferred of the table is not among them. */
	assert_int_equal(trace.span_count, 11);
	assert_int_equal(trace.service_count, 2);
	assert_int_equal(trace.root_count, 1);
	root = &trace.spans[find(0x10)];
	assert_int_equal(root->start_ns, 1763812336250000000);
	assert_int_equal(root->end_ns, 1763812336750000000);
	assert_int_equal(root->kind, SPAN_KIND_SERVER);
	assert_true(root->flags & SPAN_IS_ERROR);
	assert_true(str_equal(
		resource_attr(&trace, root->resource, STR("service.version")),
		STR("1.4.2")));
	assert_true(str_equal(resource_attr(&trace, root->resource,
					    STR("telemetry.sdk.language")),
			      STR("python")));
	call = &trace.spans[find(0x20)];
	assert_int_equal(call->kind, SPAN_KIND_CLIENT);
	assert_int_equal(call->parent, find(0x30));
	assert_true(str_equal(span_name(&trace, find(0x20)),
			      STR("DynamoDB.GetItem")));
	expect_attr(0x20, "db.system", "dynamodb");
	expect_attr(0x20, "db.collection.name", "carts");
	expect_attr(0x31, "db.query.text",
		    "SELECT * FROM orders WHERE customer = ?");
	expect_attr(0x31, "db.system", "PostgreSQL");
	expect_attr(0x40, "http.request.method", "POST");
	expect_attr(0x40, "http.response.status_code", "402");
	pay = &trace.spans[find(0x32)];
	assert_true(str_equal(trace_text(&trace, pay->status_message),
			      STR("card declined")));
	assert_int_equal(trace.spans[find(0x40)].parent, find(0x32));
	expect_service(0x40, "payments");
	/* Of its segment, which came later, or before. */
	expect_service(0x42, "payments");
	assert_int_equal(trace.spans[find(0x42)].parent, find(0x41));
	assert_true(trace.spans[find(0x42)].flags & SPAN_IS_UNFINISHED);
	trace_release(&trace);
	drop(bytes);
}

static void test_recorded(void **state)
{
	(void)state;
	expect_recorded("xray/batch-get-traces.json");
	expect_recorded("xray/daemon.txt");
}

/* Forms of the same segment. */
static void test_wrapped(void **state)
{
	static const char *const wrappings[] = {
		"{%s}",
		"[{%s},null]",
		"{'Traces':[{'Id':'x','Segments':[{'Document':{%s}}]}]}",
		"{'Segments':[{'Id':'y','Document':{%s}},null]}",
		"[{'Segments':[{%s}]}]",
		"[{'Id':'y','Document':{%s}}]",
		"{'format':'json','version':1}\n{%s}\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof wrappings / sizeof *wrappings; i++) {
		char text[512], inner[256];

		snprintf(inner, sizeof inner,
			 "'id':'00000000000000a1','name':'shop'," TRACE
			 ",'start_time':1.478293361271E9,"
			 "'end_time':1478293361.449");
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(text, sizeof text, wrappings[i], inner);
#pragma GCC diagnostic pop
		decode_text(text);
		assert_int_equal(trace.span_count, 1);
		assert_int_equal(trace.id.bytes[0], 0x58);
		assert_int_equal(trace.id.bytes[4], 0xa0);
		assert_int_equal(trace.id.bytes[15], 0x79);
		assert_int_equal(trace.spans[0].start_ns, 1478293361271000000);
		assert_int_equal(trace.spans[0].end_ns, 1478293361449000000);
		expect_service(0xa1, "shop");
		trace_release(&trace);
	}
}

static void test_empty(void **state)
{
	(void)state;
	decode_text("{'Traces':[],'UnprocessedTraceIds':[]}");
	assert_int_equal(trace.span_count, 0);
	trace_release(&trace);
	decode_text("{'Traces':null}");
	trace_release(&trace);
	decode_text("[]");
	trace_release(&trace);
}

static void test_partial(void **state)
{
	(void)state;
	decode_text("{'Traces':[{'LimitExceeded':true,'Segments':[]}],"
		    "'UnprocessedTraceIds':['1-2'],'NextToken':'t'}");
	assert_true(trace.is_partial);
	assert_int_equal(notes.count, 3);
	trace_release(&trace);
}

/* Subsegments sent by themselves, and the segments they are of, in an order
 * that ties them together late. */
static void test_subsegments_alone(void **state)
{
	static const char *const orders[] = { "abcds", "sdcba", "acbsd",
					      "cdabs", "csadb" };
	static const char parts[][256] = {
		['a' - 'a'] = "{'type':'subsegment','id':'00000000000000a1',"
			      "'parent_id':'00000000000000b1','name':'a'," TRACE
			      ",'start_time':5,'end_time':6}",
		['b' - 'a'] = "{'type':'subsegment','id':'00000000000000b1',"
			      "'parent_id':'00000000000000c1','name':'b'," TRACE
			      ",'start_time':5,'end_time':6}",
		['c' - 'a'] = "{'type':'subsegment','id':'00000000000000d1',"
			      "'parent_id':'00000000000000e1','name':'d'," TRACE
			      ",'start_time':5,'end_time':6}",
		['d' - 'a'] = "{'type':'subsegment','id':'00000000000000e1',"
			      "'parent_id':'00000000000000c1','name':'e'," TRACE
			      ",'start_time':5,'end_time':6}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
		char text[2048] = "";

		for (const char *at = orders[i]; *at; at++) {
			size_t len = strlen(text);

			snprintf(text + len, sizeof text - len, "%s",
				 *at == 's' ? "{'id':'00000000000000c1',"
					      "'name':'shop'," TRACE
					      ",'start_time':4,'end_time':7}"
					    : parts[*at - 'a']);
		}
		decode_text(text);
		assert_int_equal(trace.span_count, 5);
		for (uint32_t s = 0; s < 5; s++)
			assert_true(str_equal(span_service(&trace, s),
					      STR("shop")));
		trace_release(&trace);
	}
}

/* Those within come first, as SDKs send them, and their segment last: in a time
 * that grows as they do. */
static void test_many_alone(void **state)
{
	const unsigned count = 200000;
	struct buf text;

	(void)state;
	buf_init(&text, 64 * MIB);
	for (unsigned i = count; i > 1; i--)
		buf_addf(&text,
			 "{\"type\":\"subsegment\",\"id\":\"%016x\","
			 "\"parent_id\":\"%016x\",\"trace_id\":"
			 "\"1-58406520-a006649127e371903a2de979\"}",
			 i, i - 1);
	buf_add_text(&text, "{\"id\":\"0000000000000001\",\"name\":\"shop\","
			    "\"trace_id\":"
			    "\"1-58406520-a006649127e371903a2de979\"}");
	assert_true(decode_as(FORMAT_XRAY_JSON, buf_str(&text), NULL));
	assert_int_equal(trace.span_count, count);
	for (uint32_t i = 0; i < trace.span_count; i++)
		if (!str_equal(span_service(&trace, i), STR("shop")))
			fail_msg("span %u", i);
	trace_release(&trace);
	buf_release(&text);
}

/* What is below an inferred segment is its caller's, whichever comes first. */
static void test_inferred(void **state)
{
	static const char *const parts[] = {
		"{'id':'00000000000000c1','name':'shop'," TRACE
		",'start_time':4,'end_time':9}",
		"{'id':'00000000000000d1','name':'SNS','inferred':true,"
		"'parent_id':'00000000000000c1'," TRACE
		",'start_time':5,'end_time':8}",
		"{'id':'00000000000000e1','name':'mail',"
		"'parent_id':'00000000000000d1'," TRACE
		",'start_time':6,'end_time':7}",
	};
	char text[1024];

	(void)state;
	snprintf(text, sizeof text, "%s%s%s", parts[0], parts[1], parts[2]);
	decode_text(text);
	assert_int_equal(trace.span_count, 2);
	assert_int_equal(trace.spans[find(0xe1)].parent, find(0xc1));
	trace_release(&trace);
	snprintf(text, sizeof text, "%s%s%s", parts[2], parts[1], parts[0]);
	decode_text(text);
	assert_int_equal(trace.span_count, 3);
	assert_int_equal(trace.spans[find(0xe1)].parent, find(0xd1));
	trace_release(&trace);
}

static void test_in_progress(void **state)
{
	(void)state;
	decode_text("{'id':'00000000000000c1','name':'shop'," TRACE
		    ",'start_time':4,'in_progress':true}"
		    "{'id':'00000000000000c1','name':'shop'," TRACE
		    ",'start_time':4,'end_time':9}");
	assert_int_equal(trace.span_count, 1);
	assert_false(trace.spans[0].flags & SPAN_IS_UNFINISHED);
	trace_release(&trace);
}

/* Members of other kinds than the guide has. */
static void test_odd_members(void **state)
{
	(void)state;
	decode_text("{'id':'00000000000000c1','name':null," TRACE
		    ",'start_time':4,'end_time':9,'http':3,'aws':[],'sql':null,"
		    "'cause':'0123456789abcdef','annotations':[1],"
		    "'metadata':{'flat':7,'x':{'n':null}},'subsegments':{},"
		    "'links':[{'id':'00000000000000b7'},{'trace_id':"
		    "'1-581cf771-a006649127e371903a2de970','id':"
		    "'00000000000000b7'}],'error':'no','fault':1}");
	assert_int_equal(trace.span_count, 1);
	assert_false(trace.spans[0].flags & SPAN_IS_ERROR);
	trace_release(&trace);
}

static void test_damage(void **state)
{
	(void)state;
	expect_failure("{'id':'xyz'," TRACE "}",
		       "'xyz' is no id of a segment: 16 hexadecimal digits");
	expect_failure("{'id':'00000000000000001'," TRACE "}", "no id of a");
	expect_failure("{'trace_id':'1-2','id':'00000000000000c1'}",
		       "'1-2' is no trace id of X-Ray");
	expect_failure("{'trace_id':'1-581cf771_a006649127e371903a2de979'}",
		       "no trace id of X-Ray");
	expect_failure("{'id':'00000000000000c1','start_time':4}",
		       "a segment without a trace id");
	expect_failure("{" TRACE ",'start_time':4}", "a segment without an id");
	expect_failure("{'id':'00000000000000c1'," TRACE
		       ",'subsegments':[{'name':'x'}]}",
		       "a subsegment without an id");
	expect_failure("{'id':'00000000000000c1','start_time':'soon'}",
		       "'soon' is no time in seconds");
	expect_failure("{'Segments':[{'Document':'{\\'id\\':'}]}",
		       "damaged or cut-off AWS X-Ray JSON: ");
	expect_failure("{'Segments':[{'Document':'{} {}'}]}",
		       "in a segment's document: ");
	expect_failure("{'id':'00000000000000c1'", "damaged or cut-off");
	expect_failure("7", "damaged or cut-off");
}

/* Subsegments at and over the depth that is read. */
static void test_depth(void **state)
{
	struct buf text;

	(void)state;
	for (unsigned over = 0; over < 2; over++) {
		unsigned depth = LIMIT_XRAY_DEPTH + over;
		struct str bytes;

		buf_init(&text, MIB);
		for (unsigned i = 0; i <= depth; i++) {
			if (i)
				buf_add_text(&text, ",\"subsegments\":[");
			buf_addf(&text,
				 "{\"id\":\"%016x\",\"name\":\"s\","
				 "\"start_time\":4,\"end_time\":9",
				 i + 1);
		}
		for (unsigned i = 0; i < depth; i++)
			buf_add_text(&text, "}]");
		buf_add_text(&text, ",\"trace_id\":"
				    "\"1-581cf771-a006649127e371903a2de979\"}");
		bytes = buf_str(&text);
		assert_int_equal(decode_as(FORMAT_XRAY_JSON, bytes, NULL),
				 !over);
		if (over) {
			assert_non_null(strstr(err.message,
					       "subsegments more than 100 "
					       "deep"));
		} else {
			assert_int_equal(trace.span_count,
					 LIMIT_XRAY_DEPTH + 1);
		}
		trace_release(&trace);
		buf_release(&text);
	}
}

/* An annotation's value, and a stack, at and over the longest text. */
static void test_long_text(void **state)
{
	struct buf text;

	(void)state;
	for (size_t over = 0; over < 2; over++) {
		buf_init(&text, MIB);
		buf_add_text(&text, "{\"id\":\"00000000000000c1\",\"trace_id\":"
				    "\"1-581cf771-a006649127e371903a2de979\","
				    "\"annotations\":{\"http.url\":\"");
		for (size_t i = 0; i < LIMIT_STRING_BYTES + over; i++)
			buf_add_char(&text, 'u');
		buf_add_text(&text,
			     "\"},\"http\":{\"request\":{\"method\":[\"");
		for (size_t i = 0; i < LIMIT_STRING_BYTES - 4 + over; i++)
			buf_add_char(&text, 'm');
		buf_add_text(&text, "\"]}}}");
		assert_true(decode_as(FORMAT_XRAY_JSON, buf_str(&text), NULL));
		assert_int_equal(span_attr(&trace, 0, STR("http.url")).len,
				 LIMIT_STRING_BYTES);
		assert_int_equal(
			span_attr(&trace, 0, STR("http.request.method")).len,
			LIMIT_STRING_BYTES);
		assert_int_equal(trace.oddities.trimmed_count, 2 * over);
		trace_release(&trace);
		buf_release(&text);
	}
}

UNIT_TESTS(xray_json)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recorded),
		cmocka_unit_test(test_wrapped),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_partial),
		cmocka_unit_test(test_subsegments_alone),
		cmocka_unit_test(test_many_alone),
		cmocka_unit_test(test_inferred),
		cmocka_unit_test(test_in_progress),
		cmocka_unit_test(test_odd_members),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_long_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
