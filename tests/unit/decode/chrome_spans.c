/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "base/limits.h"
#include "base/num.h"
#include "trace_testing.h"

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
	if (!decode_as(FORMAT_CHROME_SPANS, quoted(copy), NULL))
		fail_msg("%s", err.message);
}

static void expect_failure(const char *text, const char *message)
{
	char copy[512];

	snprintf(copy, sizeof copy, "%s", text);
	assert_false(decode_as(FORMAT_CHROME_SPANS, quoted(copy), NULL));
	assert_int_equal(err.code, ERROR_FORMAT);
	if (!strstr(err.message, message))
		fail_msg("%s", err.message);
	assert_null(strchr(err.message, '\n'));
	trace_release(&trace);
}

static uint32_t find(const char *name)
{
	uint32_t found = SPAN_NONE;

	for (uint32_t i = 0; i < trace.span_count; i++)
		if (str_equal(span_name(&trace, i), str_from(name))) {
			assert_int_equal(found, SPAN_NONE);
			found = i;
		}
	if (found == SPAN_NONE)
		fail_msg("no span %s", name);
	return found;
}

static void expect_within(const char *name, const char *parent)
{
	assert_int_equal(trace.spans[find(name)].parent,
			 parent ? find(parent) : SPAN_NONE);
}

static void expect_attr(const char *name, const char *key, const char *value)
{
	struct str found = span_attr(&trace, find(name), str_from(key));

	if (!str_equal(found, str_from(value)))
		fail_msg("%s: %.*s", key, STR_ARGS(found));
}

static void test_recorded(void **state)
{
	struct str bytes = oracle_load("chrome/spans.json");
	const struct span *compile;

	(void)state;
	if (!decode_as(FORMAT_CHROME_SPANS, bytes, NULL))
		fail_msg("%s", err.message);
	assert_int_equal(trace.span_count, 8);
	assert_int_equal(trace.service_count, 2);
	compile = &trace.spans[find("compile")];
	assert_int_equal(compile->start_ns, 51234567940000);
	assert_int_equal(span_duration_ns(compile), 900000);
	assert_int_equal(compile->child_count, 2);
	expect_within("write", "link");
	expect_within("link", NULL);
	expect_within("resolve", "fetch");
	/* It is of a thread, those are of an id. */
	expect_within("serve", NULL);
	assert_true(trace.spans[find("serve")].flags & SPAN_IS_UNFINISHED);
	assert_int_equal(span_duration_ns(&trace.spans[find("link")]), 500500);
	expect_attr("link", "thread.name", "main");
	expect_attr("link", "thread.id", "11");
	assert_true(
		str_equal(span_service(&trace, find("link")), STR("builder")));
	assert_true(str_equal(span_service(&trace, find("fetch")),
			      STR("process 2")));
	trace_release(&trace);
	drop(bytes);
}

/* Who is within whom where spans touch, overlap or have one time. */
static void test_nesting(void **state)
{
	(void)state;
	decode_text("[{'ph':'X','name':'a','ts':5,'dur':10},"
		    "{'ph':'X','name':'b','ts':15,'dur':10},"
		    "{'ph':'X','name':'c','ts':20,'dur':9},"
		    "{'ph':'X','name':'d','ts':15,'dur':4},"
		    "{'ph':'X','name':'e','ts':15,'dur':4},"
		    "{'ph':'X','name':'f','ts':16,'dur':1,'tid':2},"
		    "{'ph':'X','name':'g','ts':16,'dur':1,'pid':2}]");
	expect_within("a", NULL);
	expect_within("b", NULL);
	expect_within("c", "b");
	expect_within("d", "b");
	expect_within("e", "d");
	expect_within("f", NULL);
	expect_within("g", NULL);
	trace_release(&trace);
	decode_text(
		"[{'ph':'B','name':'a','ts':1},{'ph':'B','name':'b','ts':2},"
		"{'ph':'X','name':'c','ts':3,'dur':1},"
		"{'ph':'E','ts':6},{'ph':'E','ts':9},{'ph':'E','ts':10}]");
	expect_within("c", "b");
	expect_within("b", "a");
	assert_int_equal(span_duration_ns(&trace.spans[find("a")]), 8000);
	trace_release(&trace);
	decode_text("[{'ph':'S','name':'a','id':1,'cat':'x','ts':1},"
		    "{'ph':'S','name':'b','id':1,'cat':'x','ts':2},"
		    "{'ph':'F','name':'a','id':1,'cat':'x','ts':5},"
		    "{'ph':'b','name':'c','id2':{'local':'0x1'},'ts':2},"
		    "{'ph':'e','name':'c','id2':{'local':'0x1'},'ts':4}]");
	assert_int_equal(span_duration_ns(&trace.spans[find("a")]), 4000);
	assert_int_equal(span_duration_ns(&trace.spans[find("c")]), 2000);
	expect_within("b", NULL);
	trace_release(&trace);
}

/* Over where names are cut. */
#define TWIN "0000000000000000000000000000000000000000000000000000000000000000"

/* An end is of what it names, though something else began later: goroutines
 * take turns on a lane of go build -debug-trace, requests share an id. */
#define TURNS(begin, end, lane)                                                \
	"[{" begin lane ",'name':'a','ts':1}"                                  \
	",{" begin lane ",'name':'b','ts':2}"                                  \
	",{" begin lane ",'name':'" TWIN "1','ts':3}"                          \
	",{" begin lane ",'name':'" TWIN "2','ts':3}"                          \
	",{" end lane ",'name':'none','ts':4}"                                 \
	",{" end lane ",'name':'a','ts':5}"                                    \
	",{" end lane ",'name':'" TWIN "1','ts':6}"                            \
	",{" end lane ",'name':'" TWIN "2','ts':7}"                            \
	",{" end lane ",'name':'b','ts':9}]"

static void expect_us(const char *name, int64_t us)
{
	assert_int_equal(span_duration_ns(&trace.spans[find(name)]), us * 1000);
}

static void test_ends_are_paired_by_name(void **state)
{
	static const char *const texts[] = {
		TURNS("'ph':'B',", "'ph':'E',", "'tid':7"),
		TURNS("'ph':'b',", "'ph':'e',", "'id':7,'cat':'x'"),
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		decode_text(texts[i]);
		assert_int_equal(trace.span_count, 4);
		expect_us("a", 4);
		expect_us("b", 7);
		expect_us(TWIN "1", 3);
		expect_us(TWIN "2", 4);
		trace_release(&trace);
	}
}

/* Of one name inside the other, the inner one ends first; one without a name
 * ends what began last. */
static void test_ends_without_choice(void **state)
{
	(void)state;
	decode_text("[{'ph':'B','name':'a','ts':1,'args':{'path':'1'}},"
		    "{'ph':'B','name':'a','ts':2,'args':{'path':'2'}},"
		    "{'ph':'E','name':'c','ts':4},"
		    "{'ph':'E','name':'a','ts':6},{'ph':'E','ts':9}]");
	expect_us("a 2", 4);
	expect_us("a 1", 8);
	trace_release(&trace);
}

/* Compilers have one name for all files; which it is stands beside it. */
static void test_names_tell_files(void **state)
{
	(void)state;
	decode_text(
		"[{'ph':'X','ts':1,'dur':9,'name':'check','args':{'path':'/a'}},"
		"{'args':{'fileName':'b','kind':1},'ph':'X','ts':11,'dur':9,"
		"'name':'find'},"
		"{'ph':'X','ts':31,'dur':9,'name':'Source',"
		"'args':{'detail':'c.h'}},"
		"{'ph':'X','ts':51,'dur':9,'name':'n','args':{'path':7}}]");
	expect_us("check /a", 9);
	expect_us("find b", 9);
	expect_us("Source c.h", 9);
	expect_us("n", 9);
	trace_release(&trace);
}

/* Clocks that begin at 0, and those of which it is known when that was. */
static void test_origin(void **state)
{
	(void)state;
	decode_text("[{'ph':'X','name':'a','ts':0,'dur':2},"
		    "{'ph':'X','name':'b','ts':-1,'dur':9}]");
	assert_int_equal(trace.span_count, 2);
	assert_int_equal(trace.spans[find("a")].start_ns -
				 trace.spans[find("b")].start_ns,
			 1000);
	expect_within("a", "b");
	trace_release(&trace);
	decode_text("{'traceEvents':[{'ph':'X','name':'a','ts':0,'dur':2},"
		    "{'ph':'X','name':'Total a','ts':0,'dur':2,'tid':7,"
		    "'args':{'count':1,'avg ms':2}}],"
		    "'beginningOfTime':1763812336250000}");
	assert_int_equal(trace.span_count, 1);
	assert_int_equal(trace.spans[0].start_ns, 1763812336250000000);
	trace_release(&trace);
}

/* As render/chrome.c writes it: ids, parents, kinds and failures come back. */
static void test_own(void **state)
{
	(void)state;
	decode_text(
		"{'otherData':{'trace_id':'6921a3f000000000f2b1c4d5e6f70819',"
		"'start':'2025-11-22T11:52:16.250000000Z'},'traceEvents':["
		"{'ph':'M','name':'process_name','pid':1,'args':{'name':'x'}},"
		"{'ph':'X','name':'a','cat':'server','pid':1,'tid':1,'ts':0,"
		"'dur':100.5,'args':{'span_id':'00000000000000a1',"
		"'parent_span_id':null,'error':true,'status_message':'late',"
		"'attributes':{'http.route':'/cart'}}},"
		"{'ph':'X','name':'b','cat':'client','pid':1,'tid':2,'ts':10,"
		"'dur':20,'args':{'span_id':'00000000000000a2',"
		"'parent_span_id':'00000000000000a1','error':false,"
		"'status_message':''}}]}");
	assert_int_equal(trace.span_count, 2);
	assert_int_equal(trace.id.bytes[15], 0x19);
	expect_within("b", "a");
	assert_int_equal(trace.spans[find("a")].span_id, 0xa1);
	assert_int_equal(trace.spans[find("a")].kind, SPAN_KIND_SERVER);
	assert_int_equal(trace.spans[find("a")].start_ns, 1763812336250000000);
	assert_true(trace.spans[find("a")].flags & SPAN_IS_ERROR);
	assert_true(str_equal(
		trace_text(&trace, trace.spans[find("a")].status_message),
		STR("late")));
	expect_attr("a", "http.route", "/cart");
	assert_false(trace.spans[find("b")].flags & SPAN_IS_ERROR);
	trace_release(&trace);
}

static void test_empty(void **state)
{
	(void)state;
	decode_text("[]");
	assert_int_equal(trace.span_count, 0);
	trace_release(&trace);
	decode_text("{'traceEvents':null}");
	trace_release(&trace);
	expect_failure("[{'ph':'P','name':'Profile'},null,{'ph':7},{}]",
		       "the Chrome trace has no spans (its samples: tracefind "
		       "profile)");
}

/* The format lets a list go without its end. */
static void test_list_without_end(void **state)
{
	static const char *const ends[] = { "]", "", ",", " ,\n" };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(ends); i++) {
		char text[256];

		snprintf(text, sizeof text,
			 "[{'ph':'X','name':'a','ts':1,'dur':9},"
			 "{'ph':'X','name':'b','ts':2,'dur':3}%s",
			 ends[i]);
		decode_text(text);
		assert_int_equal(trace.span_count, 2);
		expect_within("b", "a");
		assert_int_equal(notes.count, i > 0);
		if (i)
			assert_string_equal(notes.text[0],
					    "the list of the Chrome trace has "
					    "no end: it may be cut off");
		trace_release(&trace);
	}
}

static void test_damage(void **state)
{
	(void)state;
	expect_failure("[{'ph':'X'", "damaged or cut-off Chrome trace");
	expect_failure("{'traceEvents':[{'ph':'X'}",
		       "damaged or cut-off Chrome trace");
	expect_failure("[{'ph':'X'}] []", "damaged or cut-off Chrome trace");
	expect_failure("[7]", "damaged or cut-off Chrome trace");
	expect_failure("[{'ph':'X','ts':'soon'}]",
		       "'soon' is no time in microseconds");
	expect_failure("[{'ph':'X','name':7}]",
		       "damaged or cut-off Chrome trace");
}

/* Texts at and over where they are cut. */
static void test_long_text(void **state)
{
	struct buf text;

	(void)state;
	for (size_t over = 0; over < 2; over++) {
		buf_init(&text, MIB);
		buf_add_text(&text, "[{\"ph\":\"X\",\"ts\":1,\"dur\":1,"
				    "\"args\":{\"http.url\":\"");
		for (size_t i = 0; i < LIMIT_STRING_BYTES + over; i++)
			buf_add_char(&text, 'u');
		buf_add_text(&text, "\",\"url.full\":[\"");
		for (size_t i = 0; i < LIMIT_STRING_BYTES - 4 + over; i++)
			buf_add_char(&text, 'f');
		buf_add_text(&text, "\"]}}]");
		assert_true(
			decode_as(FORMAT_CHROME_SPANS, buf_str(&text), NULL));
		assert_int_equal(span_attr(&trace, 0, STR("http.url")).len,
				 LIMIT_STRING_BYTES);
		assert_int_equal(span_attr(&trace, 0, STR("url.full")).len,
				 LIMIT_STRING_BYTES);
		assert_int_equal(trace.oddities.trimmed_count, 2 * over);
		trace_release(&trace);
		buf_release(&text);
	}
}

/* An id at and over where it is cut: beyond, it tells nothing apart. A zero is
 * a character like any other. */
static void test_ids(void **state)
{
	char text[512], id[72];

	(void)state;
	for (unsigned over = 0; over < 2; over++) {
		memset(id, 'i', sizeof id);
		id[63 + over] = '\0';
		snprintf(text, sizeof text,
			 "[{'ph':'X','name':'a','ts':1,'dur':9,'tid':'%sx'},"
			 "{'ph':'X','name':'b','ts':2,'dur':1,'tid':'%sy'}]",
			 id, id);
		decode_text(text);
		expect_within("b", over ? "a" : NULL);
		trace_release(&trace);
	}
	decode_text("[{'ph':'X','name':'a','ts':1,'dur':9,'pid':'p\\u0000x'},"
		    "{'ph':'X','name':'b','ts':2,'dur':1,'pid':'p\\u0000y'}]");
	expect_within("b", NULL);
	trace_release(&trace);
}

/* Numbers that stand in for ids are not those of another file. */
static void test_two_files(void **state)
{
	static const char *const texts[] = {
		"[{\"ph\":\"X\",\"ts\":1,\"dur\":9,\"name\":\"a\"},"
		"{\"ph\":\"X\",\"ts\":2,\"dur\":3,\"name\":\"b\"}]",
		"[{\"ph\":\"X\",\"ts\":1,\"dur\":8,\"name\":\"c\"},"
		"{\"ph\":\"X\",\"ts\":2,\"dur\":4,\"name\":\"d\"}]",
	};
	struct trace_source sources[COUNT_OF(texts)];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		sources[i] = (struct trace_source){
			.format = FORMAT_CHROME_SPANS,
			.feed = decode_feed(FORMAT_CHROME_SPANS,
					    str_from(texts[i]), &err),
		};
		assert_non_null(sources[i].feed);
	}
	notes_init(&notes);
	trace_init(&trace);
	assert_true(decode_trace_sources(sources, COUNT_OF(texts), NULL, &trace,
					 &notes, &err));
	assert_int_equal(trace.span_count, 4);
	expect_within("a", NULL);
	expect_within("b", "a");
	expect_within("c", NULL);
	expect_within("d", "c");
	trace_release(&trace);
	for (size_t i = 0; i < COUNT_OF(texts); i++)
		feed_free(sources[i].feed);
}

/* As many spans as a trace may have, and one more: it is left out, and said. */
static void test_many_spans(void **state)
{
	struct buf text;

	(void)state;
	for (uint32_t over = 0; over < 2; over++) {
		buf_init(&text, 64 * MIB);
		buf_add_char(&text, '[');
		for (uint32_t i = 0; i < LIMIT_SPANS - 1 + over; i++)
			buf_add_text(&text, "{\"ph\":\"X\",\"ts\":1},");
		buf_add_text(&text, "{\"ph\":\"B\",\"ts\":2},"
				    "{\"ph\":\"E\",\"ts\":9}]");
		assert_true(
			decode_as(FORMAT_CHROME_SPANS, buf_str(&text), NULL));
		assert_int_equal(trace.span_count, LIMIT_SPANS);
		assert_int_equal(trace.is_partial, over);
		trace_release(&trace);
		buf_release(&text);
	}
}

/* How long was recorded, and what repeats others, is no work. */
static void test_recorders_are_no_work(void **state)
{
	(void)state;
	decode_text(
		"{'traceEvents':["
		"{'ph':'M','pid':9,'name':'process_name','args':{'name':'py'}},"
		"{'ph':'M','pid':9,'name':'process_labels',"
		"'args':{'labels':'CPU'}},"
		"{'ph':'M','pid':0,'name':'process_name','args':{'name':'py'}},"
		"{'ph':'M','pid':0,'name':'process_labels',"
		"'args':{'labels':'GPU 0'}},"
		"{'ph':'X','cat':'Trace','name':'PyTorch Profiler (0)',"
		"'pid':'Spans','tid':'PyTorch Profiler','ts':1,'dur':99},"
		"{'ph':'X','name':'PyTorch Profiler','cat':'cpu_op','pid':9,"
		"'tid':1,'ts':2,'dur':90},"
		"{'ph':'X','cat':'critical path component','name':'action',"
		"'pid':9,'tid':0,'ts':2,'dur':90},"
		"{'ph':'X','cat':'kernel','name':'gemm','pid':0,'tid':7,"
		"'ts':3,'dur':50}]}");
	assert_int_equal(trace.span_count, 2);
	assert_true(str_equal(span_service(&trace, find("gemm")),
			      STR("py (GPU 0)")));
	assert_true(str_equal(span_service(&trace, find("PyTorch Profiler")),
			      STR("py")));
	trace_release(&trace);
}

UNIT_TESTS(chrome_spans)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recorded),
		cmocka_unit_test(test_recorders_are_no_work),
		cmocka_unit_test(test_nesting),
		cmocka_unit_test(test_ends_are_paired_by_name),
		cmocka_unit_test(test_ends_without_choice),
		cmocka_unit_test(test_names_tell_files),
		cmocka_unit_test(test_origin),
		cmocka_unit_test(test_own),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_list_without_end),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_long_text),
		cmocka_unit_test(test_ids),
		cmocka_unit_test(test_two_files),
		cmocka_unit_test(test_many_spans),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
