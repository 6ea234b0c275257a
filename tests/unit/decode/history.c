/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../unit.h"
#include "../starving.h"
#include "base/timefmt.h"
#include "decode/history.h"
#include "trace_oracle.h"

#define ALL_TIME ((struct time_range){ 0, INT64_MAX })

static const struct operation operations[] = {
	{ { "api_server-p02", 14 }, { "GET /api/cart", 13 }, SPAN_KIND_SERVER },
	{ { "api_server-p02", 14 },
	  { "userdb.UserService/ListSessions", 31 },
	  SPAN_KIND_CLIENT },
	{ { "pricing-p02", 11 }, { "POST /quote", 11 }, SPAN_KIND_SERVER },
	{ { "s", 1 }, { "op", 2 }, SPAN_KIND_INTERNAL },
	{ { "s", 1 }, { "op", 2 }, SPAN_KIND_CLIENT },
};

static struct history h;
static struct error err;
static struct history_want want;

typedef bool (*decoder)(struct str bytes, struct history *history,
			const struct history_want *w, struct error *error);

static int setup(void **state)
{
	(void)state;
	history_init(&h, operations, 5);
	h.window_count = 1;
	h.windows[0].range = ALL_TIME;
	want = (struct history_want){ .trace_limit = 40 };
	error_clear(&err);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	history_release(&h);
	return 0;
}

static void decode_file(decoder decode, const char *path)
{
	struct str bytes = oracle_load(path);
	bool is_read = decode(bytes, &h, &want, &err);

	free((char *)(uintptr_t)bytes.ptr);
	if (!is_read)
		fail_msg("%s: %s", path, err.message);
	assert_true(h.windows[0].is_answered);
}

static void decode_text(decoder decode, const char *text)
{
	if (!decode(str_from(text), &h, &want, &err))
		fail_msg("%s", err.message);
}

static void check_counts(uint32_t trace_count, uint32_t span_count)
{
	assert_int_equal(h.windows[0].trace_count, trace_count);
	assert_int_equal(h.windows[0].span_count, span_count);
}

static const struct history_span *find_span(uint64_t id)
{
	static const struct history_span none;

	for (uint32_t i = 0; i < h.windows[0].span_count; i++)
		if (h.windows[0].spans[i].span_id == id)
			return &h.windows[0].spans[i];
	fail_msg("no span %llx", (unsigned long long)id);
	return &none;
}

static void check_text(uint32_t symbol, const char *expected)
{
	assert_true(str_equal(history_text(&h, symbol), str_from(expected)));
}

/* ---- Tempo ---- */

/* Six traces with five spans listed of each, of which "SELECT sessions" and
 * the server's side of ListSessions are none of ours. */
static void check_tempo_history(void)
{
	const struct history_window *w = &h.windows[0];
	const struct history_span *s;
	char id[33];

	check_counts(6, 18);
	assert_false(w->is_sample);
	trace_id_format(&w->traces[0].id, id);
	assert_string_equal(id, "baf8db1417b330969a0d03326f85452d");
	assert_int_equal(w->traces[0].start_ns, 1795261228013741968);
	assert_int_equal(w->traces[0].duration_ns, 154 * NS_PER_MS);
	s = find_span(0x7f8e15d3f6c6034f);
	assert_int_equal(s->operation, 0);
	assert_int_equal(s->trace, 0);
	assert_int_equal(s->duration_ns, 154959241);
	assert_int_equal(s->profile_id, s->span_id);
	assert_false(s->is_error);
	assert_true(str_starts(history_text(&h, s->instance),
			       STR("api_server-p02-")));
	check_text(s->version, "1.4.0");
	s = find_span(0xd00c15803910b129);
	assert_int_equal(s->operation, 2);
	assert_int_equal(s->duration_ns, 147574948);
}

static void test_tempo_history_json(void **state)
{
	(void)state;
	decode_file(decode_tempo_search_json,
		    "tempo/search-history-json/body.json");
	check_tempo_history();
}

static void test_tempo_history_pb(void **state)
{
	(void)state;
	decode_file(decode_tempo_search_pb, "tempo/search-history-pb/body.pb");
	check_tempo_history();
}

/* What began a trace is kept where slow spans were asked for. */
static void check_roots(decoder decode, const char *path, const char *service,
			const char *name)
{
	const struct history_window *w = &h.windows[0];

	decode_file(decode, path);
	assert_int_equal(w->traces[0].root_service, 0);
	assert_int_equal(w->traces[0].root_name, 0);
	history_release(&h);
	setup(NULL);
	h.windows[0].slow_operation = 0;
	decode_file(decode, path);
	check_text(w->traces[0].root_service, service);
	check_text(w->traces[0].root_name, name);
}

static void test_tempo_roots_json(void **state)
{
	(void)state;
	check_roots(decode_tempo_search_json,
		    "tempo/search-history-json/body.json", "api_server-p02",
		    "GET /api/cart");
}

static void test_tempo_roots_pb(void **state)
{
	(void)state;
	check_roots(decode_tempo_search_pb, "tempo/search-history-pb/body.pb",
		    "api_server-p02", "GET /api/cart");
}

static void test_jaeger_roots(void **state)
{
	(void)state;
	check_roots(decode_jaeger_search,
		    "jaeger/traces-search-history/body.json", "api_server-p02",
		    "GET /api/cart");
}

static void test_as_many_as_asked_for_are_a_sample(void **state)
{
	(void)state;
	want.trace_limit = 6;
	decode_file(decode_tempo_search_pb, "tempo/search-history-pb/body.pb");
	assert_true(h.windows[0].is_sample);
}

static void test_one_trace_is_left_out(void **state)
{
	struct trace_id id;

	(void)state;
	assert_true(
		trace_id_parse(STR("baf8db1417b330969a0d03326f85452d"), &id));
	want.except = &id;
	decode_file(decode_tempo_search_json,
		    "tempo/search-history-json/body.json");
	check_counts(5, 15);
	assert_false(trace_id_equal(&h.windows[0].traces[0].id, &id));
}

static void test_other_roots_are_left_out(void **state)
{
	(void)state;
	want.root_service = STR("api_server-p02");
	want.root_name = STR("GET /api/cart");
	decode_file(decode_tempo_search_pb, "tempo/search-history-pb/body.pb");
	check_counts(6, 18);
	teardown(state);
	setup(state);
	want.root_name = STR("GET /api/car");
	decode_file(decode_tempo_search_pb, "tempo/search-history-pb/body.pb");
	check_counts(0, 0);
	want.root_name = STR("GET /api/cart");
	decode_file(decode_tempo_search_json,
		    "tempo/search-root-not-yet-received/body.json");
	check_counts(0, 0);
}

static void test_window_is_kept_to(void **state)
{
	(void)state;
	h.windows[0].range.to_ns = 1795261232605352566;
	decode_file(decode_tempo_search_json,
		    "tempo/search-history-json/body.json");
	assert_int_equal(h.windows[0].trace_count, 2);
	h.windows[0].range.to_ns++;
	teardown(state);
	setup(state);
	h.windows[0].range = (struct time_range){ 5, 6 };
	decode_file(decode_tempo_search_json,
		    "tempo/search-window-in-future/body.json");
	check_counts(0, 0);
}

static void test_nothing_found_is_an_answer(void **state)
{
	(void)state;
	decode_file(decode_tempo_search_json, "tempo/search-empty/body.json");
	decode_file(decode_tempo_search_pb, "tempo/search-empty-pb/body.pb");
	check_counts(0, 0);
	assert_false(h.windows[0].is_sample);
}

static void test_more_matched_than_listed(void **state)
{
	(void)state;
	want.trace_limit = 1000;
	decode_file(decode_tempo_search_json,
		    "tempo/search-matched-more-than-listed/body.json");
	assert_true(h.windows[0].is_sample);
}

#define ATTRS                                                                  \
	"\"attributes\":[{\"key\":\"kind\",\"value\":{\"stringValue\":"        \
	"\"internal\"}},{\"value\":{\"stringValue\":\"s\"},\"key\":"           \
	"\"service.name\"},{\"key\":\"status\",\"value\":{\"stringValue\":"    \
	"\"error\"}},{\"key\":\"host.name\",\"value\":{\"stringValue\":"       \
	"\"h1\"}}]"
#define SPAN                                                                   \
	"{\"spanID\":\"a1\",\"name\":\"op\",\"startTimeUnixNano\":\"9\","      \
	"\"durationNanos\":5," ATTRS "}"

static void test_old_servers_give_one_set(void **state)
{
	(void)state;
	decode_text(decode_tempo_search_json,
		    "{\"traces\":[{\"spanSet\":{\"spans\":[" SPAN
		    "],\"matched\":1},\"traceID\":\"c0ffee\","
		    "\"startTimeUnixNano\":9}]}");
	check_counts(1, 1);
	/* Leading zeros come back. */
	assert_int_equal(h.windows[0].traces[0].id.bytes[13], 0xc0);
	assert_int_equal(find_span(0xa1)->operation, 3);
	assert_int_equal(find_span(0xa1)->duration_ns, 5);
	assert_true(find_span(0xa1)->is_error);
	check_text(find_span(0xa1)->instance, "h1");
	assert_int_equal(find_span(0xa1)->parent_id, 0);
}

/* Without leading zeros; a root's is empty. */
static void test_parents_come_as_attributes(void **state)
{
	static const char *const given[] = { "f00d", "00000000000f00d0", "",
					     "f00d0f00d0f00d0f00d", "none" };
	static const uint64_t read[] = { 0xf00d, 0xf00d0, 0, 0, 0 };
	char text[512];

	(void)state;
	for (unsigned i = 0; i < COUNT_OF(given); i++) {
		snprintf(text, sizeof text,
			 "{\"traces\":[{\"traceID\":\"1\",\"startTimeUnixNano\":"
			 "\"9\",\"spanSets\":[{\"spans\":[{\"spanID\":\"a%u\","
			 "\"name\":\"op\",\"startTimeUnixNano\":\"9\","
			 "\"attributes\":[{\"key\":\"service.name\",\"value\":{"
			 "\"stringValue\":\"s\"}},{\"key\":\"span:parentID\","
			 "\"value\":{\"stringValue\":\"%s\"}}]}]}]}]}",
			 i, given[i]);
		decode_text(decode_tempo_search_json, text);
		assert_true(find_span(0xa0 + i)->parent_id == read[i]);
	}
}

static void test_both_sets_count_once(void **state)
{
	(void)state;
	decode_text(decode_tempo_search_json,
		    "{\"traces\":[{\"traceID\":\"1\",\"startTimeUnixNano\":\"9"
		    "\",\"spanSets\":[{\"spans\":[" SPAN "]}],\"spanSet\":{"
		    "\"spans\":[" SPAN "]}}]}");
	check_counts(1, 1);
}

/* Without select(), and with conditions that do not name the kind. */
static void test_kind_may_be_unknown(void **state)
{
	(void)state;
	decode_text(decode_tempo_search_json,
		    "{\"traces\":[{\"traceID\":\"1\",\"startTimeUnixNano\":\"9"
		    "\",\"spanSets\":[{\"spans\":[{\"spanID\":\"a1\",\"name\":"
		    "\"op\",\"startTimeUnixNano\":\"9\",\"attributes\":[{"
		    "\"key\":\"service.name\",\"value\":{\"stringValue\":\"s\"}"
		    "}]}]}]}]}");
	check_counts(1, 1);
	assert_int_equal(find_span(0xa1)->operation, 3);
}

static void add_field(struct buf *out, char tag, const void *bytes, size_t len)
{
	size_t rest = len;

	buf_add_char(out, tag);
	for (; rest > 127; rest >>= 7)
		buf_add_char(out, (char)(rest | 0x80));
	buf_add_char(out, (char)rest);
	buf_add(out, bytes, len);
}

static void add_attribute(struct buf *span, const char *key, const char *value)
{
	struct buf attribute, any;

	buf_init(&attribute, 128 * KIB);
	buf_init(&any, 128 * KIB);
	add_field(&any, 0x0A, value, strlen(value));
	add_field(&attribute, 0x0A, key, strlen(key));
	add_field(&attribute, 0x12, any.data, any.len);
	add_field(span, 0x2A, attribute.data, attribute.len);
	buf_release(&any);
	buf_release(&attribute);
}

/* A trace of one span "op" of the service "s". */
static void add_answer(struct buf *out, unsigned id, const char *kind,
		       const char *version)
{
	struct buf span, set, trace;
	char text[17];

	snprintf(text, sizeof text, "%x", id);
	buf_init(&span, 128 * KIB);
	buf_init(&set, 128 * KIB);
	buf_init(&trace, 128 * KIB);
	add_field(&span, 0x0A, text, strlen(text));
	add_field(&span, 0x12, "op", 2);
	add_field(&span, 0x2A, "", 0);
	add_attribute(&span, "service.name", "s");
	if (kind)
		add_attribute(&span, "kind", kind);
	if (version)
		add_attribute(&span, "service.version", version);
	add_field(&set, 0x0A, span.data, span.len);
	add_field(&trace, 0x0A, text, strlen(text));
	add_field(&trace, 0x3A, set.data, set.len);
	add_field(out, 0x0A, trace.data, trace.len);
	buf_release(&trace);
	buf_release(&set);
	buf_release(&span);
}

static void decode_pb(struct buf *answer)
{
	if (!decode_tempo_search_pb(buf_str(answer), &h, &want, &err))
		fail_msg("%s", err.message);
	buf_release(answer);
}

/* Of the keys that are looked at, whatever kind of value they have. */
static const struct history_key keys[] = {
	{ { "hit", 3 }, false },
	{ { "size", 4 }, false },
	{ { "zone", 4 }, true },
	{ { "service.version", 15 }, true },
};

static void look_at_keys(void)
{
	h.keys = keys;
	h.key_count = 4;
}

static void check_attr(uint64_t span, uint32_t key, const char *expected)
{
	check_text(history_attr(&h, find_span(span), key), expected);
}

static void add_value(struct buf *span, const char *key, const char *value,
		      size_t len)
{
	struct buf attribute;

	buf_init(&attribute, KIB);
	add_field(&attribute, 0x0A, key, strlen(key));
	add_field(&attribute, 0x12, value, len);
	add_field(span, 0x2A, attribute.data, attribute.len);
	buf_release(&attribute);
}

/* A trace of one span that bears hit=VALUE, size=SIZE and others. */
static void add_attributed(struct buf *out, unsigned id, const char *hit,
			   char size)
{
	const char number[] = { 0x18, size };
	struct buf span, set, trace;
	char text[17];

	snprintf(text, sizeof text, "%x", id);
	buf_init(&span, KIB);
	buf_init(&set, KIB);
	buf_init(&trace, KIB);
	add_field(&span, 0x0A, text, strlen(text));
	add_field(&span, 0x12, "op", 2);
	add_attribute(&span, "service.name", "s");
	add_attribute(&span, "kind", "internal");
	add_attribute(&span, "service.version", "7");
	add_attribute(&span, "not.wanted", "x");
	add_value(&span, "hit", hit, 2);
	add_value(&span, "size", number, sizeof number);
	add_field(&set, 0x0A, span.data, span.len);
	add_field(&trace, 0x0A, text, strlen(text));
	add_field(&trace, 0x3A, set.data, set.len);
	add_field(out, 0x0A, trace.data, trace.len);
	buf_release(&trace);
	buf_release(&set);
	buf_release(&span);
}

static void test_tempo_attributes_pb(void **state)
{
	static const char yes[] = { 0x10, 1 }, no[] = { 0x10, 0 };
	struct buf answer;

	(void)state;
	look_at_keys();
	buf_init(&answer, 4 * KIB);
	add_attributed(&answer, 0xa1, yes, 9);
	add_attributed(&answer, 0xa2, no, 9);
	add_attributed(&answer, 0xa3, yes, 8);
	decode_pb(&answer);
	check_counts(3, 3);
	check_attr(0xa1, 0, "true");
	check_attr(0xa2, 0, "false");
	check_attr(0xa3, 0, "true");
	check_attr(0xa1, 1, "9");
	check_attr(0xa3, 1, "8");
	check_attr(0xa1, 2, "");
	check_attr(0xa1, 3, "7");
	check_text(find_span(0xa1)->version, "7");
	assert_int_equal(find_span(0xa1)->attr_count, 3);
}

static void test_tempo_attributes_json(void **state)
{
	(void)state;
	look_at_keys();
	decode_text(decode_tempo_search_json,
		    "{\"traces\":[{\"traceID\":\"a\",\"spanSets\":[{\"spans\":["
		    "{\"spanID\":\"a1\",\"name\":\"op\",\"attributes\":["
		    "{\"key\":\"service.name\",\"value\":{\"stringValue\":"
		    "\"s\"}},{\"key\":\"hit\",\"value\":{\"boolValue\":false}},"
		    "{\"key\":\"size\",\"value\":{\"intValue\":\"12\"}}]},"
		    "{\"spanID\":\"a2\",\"name\":\"op\",\"attributes\":["
		    "{\"key\":\"service.name\",\"value\":{\"stringValue\":"
		    "\"s\"}}]}]}]}]}");
	check_counts(1, 2);
	check_attr(0xa1, 0, "false");
	check_attr(0xa1, 1, "12");
	assert_int_equal(find_span(0xa2)->attr_count, 0);
}

/* Neither an attribute that was met before nor the span before says anything
 * of a span that lacks one. */
static void test_spans_that_resemble_each_other(void **state)
{
	struct buf answer;

	(void)state;
	buf_init(&answer, KIB);
	add_answer(&answer, 0xa1, "client", "1");
	add_answer(&answer, 0xa2, "client", "1");
	add_answer(&answer, 0xa3, NULL, "1");
	add_answer(&answer, 0xa4, "internal", NULL);
	add_answer(&answer, 0xa5, "client", "2");
	add_answer(&answer, 0xa6, "server", "2");
	decode_pb(&answer);
	check_counts(6, 5);
	assert_int_equal(find_span(0xa1)->operation, 4);
	assert_int_equal(find_span(0xa2)->operation, 4);
	assert_int_equal(find_span(0xa3)->operation, 3);
	assert_int_equal(find_span(0xa4)->operation, 3);
	assert_int_equal(find_span(0xa5)->operation, 4);
	assert_int_equal(find_span(0xa2)->version, find_span(0xa1)->version);
	check_text(find_span(0xa3)->version, "1");
	check_text(find_span(0xa4)->version, "");
	check_text(find_span(0xa5)->version, "2");
}

/* More attributes than are kept. */
static void test_many_different_attributes(void **state)
{
	struct buf answer;
	char version[8];

	(void)state;
	want.trace_limit = 1000;
	buf_init(&answer, 64 * KIB);
	for (unsigned i = 0; i < 600; i++) {
		snprintf(version, sizeof version, "v%u", i % 300);
		add_answer(&answer, 0x100 + i, "client", version);
	}
	decode_pb(&answer);
	check_counts(600, 600);
	for (unsigned i = 0; i < 600; i++) {
		snprintf(version, sizeof version, "v%u", i % 300);
		check_text(find_span(0x100 + i)->version, version);
	}
}

static void test_text_over_the_limit_is_none(void **state)
{
	char *version = calloc(LIMIT_STRING_BYTES + 2, 1);
	struct buf answer;

	(void)state;
	assert_non_null(version);
	memset(version, 'v', LIMIT_STRING_BYTES + 1);
	buf_init(&answer, 256 * KIB);
	add_answer(&answer, 0xa1, "client", version);
	version[LIMIT_STRING_BYTES] = '\0';
	add_answer(&answer, 0xa2, "client", version);
	decode_pb(&answer);
	check_text(find_span(0xa1)->version, "");
	check_text(find_span(0xa2)->version, version);
	free(version);
}

static void test_negative_length_is_none(void **state)
{
	(void)state;
	decode_text(decode_tempo_search_json,
		    "{\"traces\":[{\"traceID\":\"1\",\"startTimeUnixNano\":\"9"
		    "\",\"spanSets\":[{\"spans\":[{\"spanID\":\"a1\",\"name\":"
		    "\"op\",\"startTimeUnixNano\":\"9\",\"durationNanos\":"
		    "\"18446744073706551616\"," ATTRS "}]}]}]}");
	assert_int_equal(find_span(0xa1)->duration_ns, 0);
	decode_file(decode_tempo_search_json,
		    "tempo/search-negative-duration-spans/body.json");
}

/* ---- Jaeger ---- */

static void test_jaeger_history(void **state)
{
	const struct history_span *s;

	(void)state;
	want.root_service = STR("api_server-p02");
	want.root_name = STR("GET /api/cart");
	decode_file(decode_jaeger_search,
		    "jaeger/traces-search-history/body.json");
	check_counts(3, 9);
	assert_int_equal(h.windows[0].traces[2].start_ns, 1795261240605573021);
	/* Of the same trace in Tempo's answer. */
	s = find_span(0xeee9451188a9720b);
	assert_int_equal(s->operation, 0);
	assert_int_equal(s->trace, 2);
	assert_int_equal(s->start_ns, 1795261240605573021);
	assert_int_equal(s->duration_ns, 84732849);
	assert_int_equal(s->profile_id, s->span_id);
	assert_true(str_starts(history_text(&h, s->instance),
			       STR("api_server-p02-")));
	check_text(s->version, "1.4.0");
	assert_int_equal(find_span(0x263bac41526cbb68)->duration_ns, 77167533);
	assert_false(h.windows[0].is_sample);
}

static void test_jaeger_other_roots(void **state)
{
	(void)state;
	want.root_name = STR("GET /api/profile");
	want.trace_limit = 3;
	decode_file(decode_jaeger_search,
		    "jaeger/traces-search-history/body.json");
	check_counts(0, 0);
	assert_true(h.windows[0].is_sample);
}

#define RESOURCE                                                               \
	"\"resource\":{\"attributes\":[{\"key\":\"service.name\",\"value\":{"  \
	"\"stringValue\":\"s\"}},{\"key\":\"service.instance.id\",\"value\":{" \
	"\"stringValue\":\"i\"}}]}"
#define SPANS                                                                  \
	"\"scopeSpans\":[{\"spans\":[{\"traceId\":"                            \
	"\"0000000000000000000000000000000a\",\"spanId\":\"00000000000000a1\"" \
	",\"name\":\"op\",\"startTimeUnixNano\":\"10\",\"endTimeUnixNano\":"   \
	"\"30\",\"status\":{\"code\":2},\"attributes\":[{\"key\":"             \
	"\"service.name\",\"value\":{\"stringValue\":\"other\"}}]}]}]"

static void test_jaeger_resource_may_come_last(void **state)
{
	(void)state;
	decode_text(decode_jaeger_search,
		    "{\"result\":{\"resourceSpans\":[{" SPANS "," RESOURCE
		    "}]}}\n{\"error\":{\"message\":\"gone\"}}");
	check_counts(1, 1);
	assert_int_equal(find_span(0xa1)->operation, 3);
	assert_int_equal(find_span(0xa1)->duration_ns, 20);
	assert_true(find_span(0xa1)->is_error);
	check_text(find_span(0xa1)->instance, "i");
	assert_int_equal(h.windows[0].traces[0].duration_ns, 20);
	/* An error behind traces: not all came. */
	assert_true(h.windows[0].is_sample);
}

/* Whatever kind of value it has. */
static void test_jaeger_version_is_a_number(void **state)
{
	(void)state;
	decode_text(decode_jaeger_search,
		    "{\"result\":{\"resourceSpans\":[{\"resource\":{"
		    "\"attributes\":[{\"key\":\"service.name\",\"value\":{"
		    "\"stringValue\":\"s\"}},{\"key\":\"service.version\","
		    "\"value\":{\"intValue\":\"3\"}}]}," SPANS "}]}}");
	check_counts(1, 1);
	check_text(find_span(0xa1)->version, "3");
}

static const char legacy[] =
	"{\"data\":[{\"traceID\":\"a\",\"spans\":[{\"traceID\":\"a\","
	"\"spanID\":\"a1\",\"operationName\":\"op\",\"references\":[],"
	"\"startTime\":7,\"duration\":3,\"tags\":[{\"key\":\"span.kind\","
	"\"type\":\"string\",\"value\":\"client\"},{\"key\":\"error\","
	"\"type\":\"bool\",\"value\":true},{\"key\":\"pyroscope.profile.id\","
	"\"value\":\"00000000000000ab\"}],\"processID\":\"p1\"},"
	"{\"traceID\":\"a\",\"spanID\":\"a2\",\"operationName\":\"op\","
	"\"references\":[{\"refType\":\"CHILD_OF\",\"traceID\":\"a\","
	"\"spanID\":\"a1\"}],\"startTime\":8,\"duration\":1,\"tags\":["
	"{\"key\":\"span.kind\",\"value\":\"server\"}],\"processID\":\"p1\"}],"
	"\"processes\":{\"p1\":{\"serviceName\":\"s\",\"tags\":[{\"key\":"
	"\"k8s.pod.name\",\"value\":\"pod\"},{\"key\":\"service.version\","
	"\"value\":\"v2\"}]}}}],\"errors\":null}";

/* ---- Cloud Trace ---- */

static const char cloud_trace[] =
	"{\"traces\": [{\"traceId\": \"a1000000000000000000000000000000\", "
	"\"spans\": [{\"spanId\": \"1\", \"kind\": \"RPC_SERVER\", "
	"\"name\": \"POST /quote\", "
	"\"startTime\": \"2026-11-21T11:00:00Z\", "
	"\"endTime\": \"2026-11-21T11:00:00.600Z\", \"labels\": "
	"{\"g.co/r/k8s_container/container_name\": \"pricing-p02\", "
	"\"g.co/r/k8s_container/pod_name\": \"pricing-1\", "
	"\"service.version\": \"1.5.0\", "
	"\"pyroscope.profile.id\": \"00000000000000ff\"}}, "
	"{\"spanId\": \"2\", \"parentSpanId\": \"1\", \"kind\": "
	"\"RPC_CLIENT\", \"name\": \"op\", "
	"\"startTime\": \"2026-11-21T11:00:00.1Z\", "
	"\"endTime\": \"2026-11-21T11:00:00.3Z\", \"labels\": "
	"{\"service.name\": \"s\", \"/error/name\": \"E\"}}, "
	"{\"spanId\": \"3\", \"parentSpanId\": \"1\", \"name\": \"other\"}]}, "
	"{\"traceId\": \"b2000000000000000000000000000000\"}]%s}";

static const char *cloud_page(const char *rest)
{
	static char text[2048];

	snprintf(text, sizeof text, cloud_trace, rest);
	return text;
}

static void test_cloud_trace_history(void **state)
{
	const struct history_span *s;

	(void)state;
	decode_text(decode_cloud_trace_search, cloud_page(""));
	check_counts(2, 2);
	assert_true(h.windows[0].is_answered);
	assert_false(h.windows[0].is_sample);
	s = find_span(1);
	assert_int_equal(s->operation, 2);
	assert_int_equal(s->start_ns, 1795258800000000000);
	assert_int_equal(s->duration_ns, 600 * NS_PER_MS);
	assert_int_equal(s->profile_id, 255);
	assert_false(s->is_error);
	check_text(s->instance, "pricing-1");
	check_text(s->version, "1.5.0");
	s = find_span(2);
	assert_int_equal(s->parent_id, 1);
	assert_int_equal(s->operation, 4);
	assert_int_equal(s->duration_ns, 200 * NS_PER_MS);
	assert_true(s->is_error);
	/* Nothing is left of the process before. */
	check_text(s->instance, "");
	check_text(s->version, "");
}

static void test_cloud_trace_has_more_pages(void **state)
{
	(void)state;
	decode_text(decode_cloud_trace_search,
		    cloud_page(", \"nextPageToken\": \"x\""));
	assert_true(h.windows[0].is_sample);
}

static void test_cloud_trace_other_roots(void **state)
{
	(void)state;
	want.root_service = STR("pricing-p02");
	want.root_name = STR("POST /quote");
	decode_text(decode_cloud_trace_search, cloud_page(""));
	check_counts(1, 2);
	want.root_name = STR("GET /");
	decode_text(decode_cloud_trace_search, cloud_page(""));
	check_counts(1, 2);
}

static void test_cloud_trace_that_is_damaged(void **state)
{
	(void)state;
	assert_false(decode_cloud_trace_search(
		STR("{\"traces\": [{\"traceId\": \"x\"}]}"), &h, &want, &err));
	assert_int_equal(err.code, ERROR_FORMAT);
	assert_false(h.windows[0].is_answered);
	decode_text(decode_cloud_trace_search, "{}");
	assert_true(h.windows[0].is_answered);
}

/* Of the span and of its process, which is described behind it. */
static void test_jaeger_legacy_attributes(void **state)
{
	(void)state;
	look_at_keys();
	decode_text(
		decode_jaeger_search_legacy,
		"{\"data\":[{\"traceID\":\"a\",\"spans\":[{\"traceID\":\"a\","
		"\"spanID\":\"a1\",\"operationName\":\"op\",\"startTime\":7,"
		"\"duration\":3,\"processID\":\"p1\",\"tags\":[{\"key\":"
		"\"hit\",\"type\":\"bool\",\"value\":true},{\"key\":\"size\","
		"\"type\":\"int64\",\"value\":5}]},{\"traceID\":\"a\","
		"\"spanID\":\"a2\",\"operationName\":\"op\",\"startTime\":8,"
		"\"duration\":1,\"processID\":\"p1\",\"tags\":[]}],"
		"\"processes\":{\"p1\":{\"serviceName\":\"s\",\"tags\":[{"
		"\"key\":\"zone\",\"type\":\"string\",\"value\":\"z1\"}]}}}"
		"]}");
	check_counts(1, 2);
	check_attr(0xa1, 0, "true");
	check_attr(0xa1, 1, "5");
	check_attr(0xa1, 2, "z1");
	check_attr(0xa2, 0, "");
	check_attr(0xa2, 2, "z1");
}

static void test_jaeger_attributes(void **state)
{
	static const struct history_key recorded[] = {
		{ { "http.route", 10 }, false },
		{ { "k8s.deployment.name", 19 }, true },
	};

	(void)state;
	h.keys = recorded;
	h.key_count = 2;
	decode_file(decode_jaeger_search,
		    "jaeger/traces-search-history/body.json");
	check_attr(0xeee9451188a9720b, 0, "/api/cart");
	check_attr(0xeee9451188a9720b, 1, "api_server-p02");
}

static void test_jaeger_legacy(void **state)
{
	(void)state;
	want.root_service = STR("s");
	decode_text(decode_jaeger_search_legacy, legacy);
	check_counts(1, 1);
	assert_int_equal(find_span(0xa1)->operation, 4);
	assert_int_equal(find_span(0xa1)->start_ns, 7000);
	assert_int_equal(find_span(0xa1)->duration_ns, 3000);
	assert_int_equal(find_span(0xa1)->profile_id, 0xab);
	assert_true(find_span(0xa1)->is_error);
	check_text(find_span(0xa1)->instance, "pod");
	check_text(find_span(0xa1)->version, "v2");
	decode_file(decode_jaeger_search_legacy,
		    "jaeger/trace-b-nplus1-legacy/body.json");
}

/* ---- damage ---- */

static void check_damaged(decoder decode, const char *text)
{
	if (decode(str_from(text), &h, &want, &err))
		fail_msg("taken: %s", text);
	assert_int_equal(err.code, ERROR_FORMAT);
	assert_false(h.windows[0].is_answered);
	check_counts(0, 0);
	error_clear(&err);
}

static void test_damaged_answers(void **state)
{
	(void)state;
	check_damaged(decode_tempo_search_json, "");
	check_damaged(decode_tempo_search_json, "[]");
	check_damaged(decode_tempo_search_json, "{\"traces\":[{]}");
	check_damaged(decode_tempo_search_json, "{\"traces\":5}");
	check_damaged(decode_tempo_search_json, "{} {}");
	check_damaged(decode_tempo_search_json,
		      "{\"traces\":[{\"traceID\":\"zz\"}]}");
	check_damaged(decode_tempo_search_json,
		      "{\"traces\":[{\"traceID\":\"1\",\"spanSet\":{\"spans\":"
		      "7}}]}");
	check_damaged(decode_tempo_search_pb, "\x0A\x7F");
	check_damaged(decode_tempo_search_pb, "\x0A\x03\x0A\x01z");
	check_damaged(decode_jaeger_search,
		      "{\"result\":{\"resourceSpans\":7}");
	check_damaged(decode_jaeger_search, "{\"result\":{\"resourceSpans\":["
					    "{\"scopeSpans\":[{\"spans\":7}]}]"
					    "}}");
	check_damaged(decode_jaeger_search_legacy,
		      "{\"data\":[{\"spans\":7}]}");
}

/* Every cut of a recorded answer, and every allocation that fails. */
static void test_cut_answers(void **state)
{
	struct str all = oracle_load("tempo/search-history-pb/body.pb");

	for (size_t len = all.len - 1; len > 40; len -= 37) {
		struct str part = { all.ptr, len };

		/* Behind a whole trace a cut cannot be seen. */
		if (decode_tempo_search_pb(part, &h, &want, &err))
			continue;
		assert_int_equal(err.code, ERROR_FORMAT);
		check_counts(0, 0);
	}
	free((char *)(uintptr_t)all.ptr);
	for (size_t len = strlen(legacy) - 1; len > 0; len--) {
		struct str part = { legacy, len };

		teardown(state);
		setup(state);
		assert_false(
			decode_jaeger_search_legacy(part, &h, &want, &err));
	}
}

/* Refused, or all there: order can be had without memory. */
static void starve(decoder decode, void (*gate)(long), const char *path,
		   struct str bytes)
{
	bool was_refused = true;
	uint32_t trace_count, span_count;

	teardown(NULL);
	setup(NULL);
	assert_true(decode(bytes, &h, &want, &err));
	trace_count = h.windows[0].trace_count;
	span_count = h.windows[0].span_count;
	for (long n = 0; was_refused; n++) {
		bool is_read;

		teardown(NULL);
		setup(NULL);
		gate(n);
		is_read = decode(bytes, &h, &want, &err);
		was_refused = stop_starving();
		if (!is_read && !was_refused)
			fail_msg("%s: allocation %ld", path, n);
		if (is_read)
			check_counts(trace_count, span_count);
		else
			assert_int_equal(err.code, ERROR_MEMORY);
	}
}

static void test_lack_of_memory(void **state)
{
	struct str pb = oracle_load("tempo/search-history-pb/body.pb");

	(void)state;
	starve(decode_tempo_search_pb, starve_after, "protobuf", pb);
	starve(decode_tempo_search_pb, starve_once_after, "protobuf", pb);
	starve(decode_jaeger_search_legacy, starve_after, "legacy",
	       str_from(legacy));
	starve(decode_jaeger_search_legacy, starve_once_after, "legacy",
	       str_from(legacy));
	starve(decode_jaeger_search, starve_once_after, "v3",
	       STR("{\"result\":{\"resourceSpans\":[{" SPANS "," RESOURCE
		   "}]}}"));
	starve(decode_tempo_search_json, starve_once_after, "search",
	       STR("{\"traces\":[{\"spanSet\":{\"spans\":[" SPAN "]}}]}"));
	free((char *)(uintptr_t)pb.ptr);
}

/* ---- counts ---- */

static void check_steps(const struct step_counts *c, const int64_t *expected)
{
	for (uint32_t i = 0; i < c->step_count; i++)
		assert_int_equal(c->counts[i], expected[i]);
}

/* Recorded: 43 up to 11:37, 47 up to 11:38, 33 up to 11:39 (seconds
 * 1795261020, 1795261080, 1795261140). */
static void test_tempo_counts(void **state)
{
	int64_t counts[3] = { -1, -1, -1 };
	struct step_counts out = { 1795260960 * NS_PER_S, 60 * NS_PER_S, counts,
				   3 };
	struct str bytes = oracle_load("tempo/metrics-range-count/body.json");

	(void)state;
	assert_true(decode_tempo_counts(bytes, out.step_ns, &out, &err));
	check_steps(&out, (const int64_t[]){ 43, 47, 33 });
	/* One step of two minutes. */
	counts[0] = -1;
	out.step_ns *= 2;
	out.step_count = 1;
	assert_true(decode_tempo_counts(bytes, 60 * NS_PER_S, &out, &err));
	check_steps(&out, (const int64_t[]){ 90 });
	free((char *)(uintptr_t)bytes.ptr);
}

/* The newest steps are left out by the server; without a value: none. */
static void test_unknown_and_empty_steps(void **state)
{
	int64_t counts[3] = { -1, -1, -1 };
	struct step_counts out = { 0, 10 * NS_PER_S, counts, 3 };
	const char *fine = "{\"series\":[{\"samples\":["
			   "{\"timestampMs\":\"5000\"},"
			   "{\"timestampMs\":\"10000\"},"
			   "{\"timestampMs\":\"15000\",\"value\":2}]}]}";

	(void)state;
	assert_true(
		decode_tempo_counts(str_from(fine), 5 * NS_PER_S, &out, &err));
	check_steps(&out, (const int64_t[]){ 0, -1, -1 });
	assert_true(decode_tempo_counts(STR("{\"series\":[]}"), 5 * NS_PER_S,
					&out, &err));
	assert_false(decode_tempo_counts(STR("{\"series\":[{]}"), 5 * NS_PER_S,
					 &out, &err));
	assert_int_equal(err.code, ERROR_FORMAT);
}

static void test_jaeger_counts(void **state)
{
	int64_t counts[2] = { -1, -1 };
	struct step_counts out = { 1795261200 * NS_PER_S, 60 * NS_PER_S, counts,
				   2 };
	struct str bytes = oracle_load("jaeger/summaries-history/body.json");
	uint32_t trace_count;

	(void)state;
	assert_true(decode_jaeger_counts(bytes, &out, &trace_count, &err));
	assert_int_equal(trace_count, 39);
	check_steps(&out, (const int64_t[]){ 39, 0 });
	free((char *)(uintptr_t)bytes.ptr);
	counts[0] = -1;
	out.from_ns = 10;
	out.step_ns = 5;
	assert_true(decode_jaeger_counts(
		STR("{\"summaries\":[{\"minStartTimeUnixNano\":\"10\"},"
		    "{\"minStartTimeUnixNano\":14},{\"minStartTimeUnixNano\":"
		    "\"15\"},{\"minStartTimeUnixNano\":\"20\"},{}]}"),
		&out, &trace_count, &err));
	assert_int_equal(trace_count, 5);
	check_steps(&out, (const int64_t[]){ 2, 1 });
	assert_false(decode_jaeger_counts(STR("{\"summaries\":["), &out,
					  &trace_count, &err));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

UNIT_TESTS(history)
{
	const struct CMUnitTest tests[] = {
		TEST(test_tempo_history_json),
		TEST(test_tempo_history_pb),
		TEST(test_tempo_attributes_pb),
		TEST(test_tempo_attributes_json),
		TEST(test_jaeger_attributes),
		TEST(test_jaeger_legacy_attributes),
		TEST(test_tempo_roots_json),
		TEST(test_tempo_roots_pb),
		TEST(test_jaeger_roots),
		TEST(test_as_many_as_asked_for_are_a_sample),
		TEST(test_one_trace_is_left_out),
		TEST(test_other_roots_are_left_out),
		TEST(test_window_is_kept_to),
		TEST(test_nothing_found_is_an_answer),
		TEST(test_more_matched_than_listed),
		TEST(test_old_servers_give_one_set),
		TEST(test_parents_come_as_attributes),
		TEST(test_both_sets_count_once),
		TEST(test_kind_may_be_unknown),
		TEST(test_spans_that_resemble_each_other),
		TEST(test_many_different_attributes),
		TEST(test_text_over_the_limit_is_none),
		TEST(test_negative_length_is_none),
		TEST(test_jaeger_history),
		TEST(test_jaeger_other_roots),
		TEST(test_jaeger_resource_may_come_last),
		TEST(test_jaeger_version_is_a_number),
		TEST(test_jaeger_legacy),
		TEST(test_cloud_trace_history),
		TEST(test_cloud_trace_has_more_pages),
		TEST(test_cloud_trace_other_roots),
		TEST(test_cloud_trace_that_is_damaged),
		TEST(test_damaged_answers),
		TEST(test_cut_answers),
		TEST(test_lack_of_memory),
		TEST(test_tempo_counts),
		TEST(test_unknown_and_empty_steps),
		TEST(test_jaeger_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
