/* SPDX-License-Identifier: Apache-2.0
 *
 * The decoders of searches as they fill a list of traces.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../unit.h"
#include "decode/history.h"
#include "trace_oracle.h"

static struct hits hits;
static struct hit_want hit_want;
static struct history_want want;
static struct error err;

typedef bool (*decoder)(struct str bytes, struct history *history,
			const struct history_want *w, struct error *error);

static int setup(void **state)
{
	(void)state;
	hits_init(&hits);
	hit_want = (struct hit_want){ .range = { 0, INT64_MAX } };
	want = (struct history_want){ .hits = &hits, .hit_want = &hit_want };
	error_clear(&err);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	hits_release(&hits);
	return 0;
}

static void decode_file(decoder decode, const char *path)
{
	struct str bytes = oracle_load(path);
	bool is_read = decode(bytes, NULL, &want, &err);

	free((char *)(uintptr_t)bytes.ptr);
	if (!is_read)
		fail_msg("%s: %s", path, err.message);
}

static void decode_text(decoder decode, const char *text)
{
	if (!decode(str_from(text), NULL, &want, &err))
		fail_msg("%s", err.message);
}

static const struct hit *find_hit(unsigned first)
{
	size_t i = 0;

	while (i < hits.count && hits.items[i].id.bytes[0] != first)
		i++;
	assert_in_range(i + 1, 1, hits.count);
	return &hits.items[i];
}

static void check_text(struct str text, const char *expected)
{
	if (!str_equal(text, str_from(expected)))
		fail_msg("\"%.*s\" is not \"%s\"", STR_ARGS(text), expected);
}

/* Six traces, each with a POST /quote of pricing-p02 among five spans. */
static void check_tempo(decoder decode, const char *path)
{
	const struct hit *hit;

	hit_want.service = STR("pricing-p02");
	hit_want.has_span = true;
	hit_want.is_by_span = true;
	decode_file(decode, path);
	assert_int_equal(hits.count, 6);
	assert_int_equal(hits.answer_count, 6);
	hit = find_hit(0xba);
	check_text(hit->root_service, "api_server-p02");
	check_text(hit->root_name, "GET /api/cart");
	check_text(hit->service, "pricing-p02");
	check_text(hit->name, "POST /quote");
	assert_int_equal(hit->start_ns, 1795261228013741968);
	assert_int_equal(hit->trace_ns, 154 * NS_PER_MS);
	assert_int_equal(hit->duration_ns, 147574948);
	assert_int_equal(hit->span_count, 14);
	assert_int_equal(hit->error_count, 0);
}

static void test_tempo_json(void **state)
{
	(void)state;
	check_tempo(decode_tempo_search_json,
		    "tempo/search-history-json/body.json");
}

static void test_tempo_pb(void **state)
{
	(void)state;
	check_tempo(decode_tempo_search_pb, "tempo/search-history-pb/body.pb");
}

/* The bound is the span's: 89.4 ms fits 89 ms, 77.2 ms does not. */
static void test_bound_of_spans(void **state)
{
	(void)state;
	hit_want.service = STR("pricing-p02");
	hit_want.is_by_span = true;
	hit_want.slack_ns = NS_PER_MS;
	hit_want.min_duration_ns = 89355716;
	decode_file(decode_tempo_search_pb, "tempo/search-history-pb/body.pb");
	assert_int_equal(hits.count, 3);
	assert_int_equal(hits.answer_count, 6);
}

/* Tempo leaves out the part of a millisecond: 154 may be 154.9. */
static void test_bound_of_traces(void **state)
{
	(void)state;
	hit_want.min_duration_ns = 154959241;
	decode_file(decode_tempo_search_pb, "tempo/search-history-pb/body.pb");
	assert_int_equal(hits.count, 0);
	hit_want.slack_ns = NS_PER_MS;
	decode_file(decode_tempo_search_pb, "tempo/search-history-pb/body.pb");
	assert_int_equal(hits.count, 1);
	check_text(hits.items[0].name, "");
}

/* The trace of 154 ms begins at ...228.013741968. */
static void test_range(void **state)
{
	int64_t start_ns = 1795261228013741968;

	(void)state;
	hit_want.range = (struct time_range){ start_ns - 5, start_ns };
	decode_file(decode_tempo_search_pb, "tempo/search-history-pb/body.pb");
	assert_int_equal(hits.count, 0);
	hit_want.range.to_ns++;
	decode_file(decode_tempo_search_pb, "tempo/search-history-pb/body.pb");
	assert_int_equal(hits.count, 1);
	/* One that began before the window and reaches into it counts. */
	hits_release(&hits);
	hits_init(&hits);
	hit_want.range.from_ns = start_ns + 154 * NS_PER_MS;
	hit_want.range.to_ns = hit_want.range.from_ns + 1;
	decode_file(decode_tempo_search_pb, "tempo/search-history-pb/body.pb");
	assert_int_equal(hits.count, 1);
}

static void test_tempo_without_root(void **state)
{
	(void)state;
	decode_file(decode_tempo_search_json,
		    "tempo/search-root-not-yet-received/body.json");
	assert_int_equal(hits.count, 1);
	check_text(hits.items[0].root_service, "");
	check_text(hits.items[0].service, "late-back");
	assert_int_equal(hits.items[0].span_ns, 100 * NS_PER_MS);
	assert_int_equal(hits.items[0].duration_ns, 125 * NS_PER_MS);
}

static const char legacy[] =
	"{\"data\":[{\"traceID\":\"a1\",\"spans\":["
	"{\"traceID\":\"a1\",\"spanID\":\"1\",\"operationName\":\"late root\","
	"\"startTime\":900,\"duration\":10,\"processID\":\"p1\"},"
	"{\"traceID\":\"a1\",\"spanID\":\"2\",\"operationName\":\"root\","
	"\"startTime\":500,\"duration\":700,\"processID\":\"p1\"},"
	"{\"traceID\":\"a1\",\"spanID\":\"3\",\"operationName\":\"SELECT\","
	"\"references\":[{\"refType\":\"CHILD_OF\",\"traceID\":\"a1\","
	"\"spanID\":\"2\"}],\"startTime\":600,\"duration\":300,"
	"\"tags\":[{\"key\":\"error\",\"type\":\"bool\",\"value\":true}],"
	"\"processID\":\"p2\"},"
	"{\"traceID\":\"a1\",\"spanID\":\"4\",\"operationName\":\"SELECT\","
	"\"references\":[{\"refType\":\"CHILD_OF\",\"traceID\":\"a1\","
	"\"spanID\":\"2\"}],\"startTime\":700,\"duration\":400,"
	"\"processID\":\"p2\"}],"
	"\"processes\":{\"p1\":{\"serviceName\":\"web\"},"
	"\"p2\":{\"serviceName\":\"db\"}}}]}";

static void test_jaeger_legacy(void **state)
{
	const struct hit *hit = NULL;

	(void)state;
	hit_want.service = STR("db");
	hit_want.name = STR("SELECT");
	hit_want.is_by_span = hit_want.has_span = true;
	decode_text(decode_jaeger_search_legacy, legacy);
	assert_int_equal(hits.count, 1);
	hit = &hits.items[0];
	/* Of two roots the one that begins first. */
	check_text(hit->root_name, "root");
	check_text(hit->root_service, "web");
	assert_int_equal(hit->start_ns, 500 * NS_PER_US);
	assert_int_equal(hit->trace_ns, 700 * NS_PER_US);
	assert_int_equal(hit->duration_ns, 400 * NS_PER_US);
	assert_int_equal(hit->span_count, 4);
	assert_int_equal(hit->error_count, 1);
	/* The failed one is the shorter. */
	hits_release(&hits);
	hits_init(&hits);
	hit_want.is_error = true;
	decode_text(decode_jaeger_search_legacy, legacy);
	assert_int_equal(hits.items[0].duration_ns, 300 * NS_PER_US);
	/* A server that ignores what was asked. */
	hits_release(&hits);
	hits_init(&hits);
	hit_want.name = STR("INSERT");
	decode_text(decode_jaeger_search_legacy, legacy);
	assert_int_equal(hits.count, 0);
	assert_int_equal(hits.answer_count, 1);
}

static void test_jaeger_v3(void **state)
{
	(void)state;
	hit_want.service = STR("pricing-p02");
	hit_want.is_by_span = hit_want.has_span = true;
	decode_file(decode_jaeger_search,
		    "jaeger/traces-search-history/body.json");
	assert_true(hits.count > 0);
	for (size_t i = 0; i < hits.count; i++) {
		check_text(hits.items[i].service, "pricing-p02");
		check_text(hits.items[i].root_service, "api_server-p02");
		assert_true(hits.items[i].duration_ns > 0);
		assert_true(hits.items[i].duration_ns <=
			    hits.items[i].trace_ns);
	}
}

/* A damaged answer leaves nothing. */
/* ---- Cloud Trace ---- */

static const char cloud_trace[] =
	"{\"traces\": [{\"projectId\": \"p\", "
	"\"traceId\": \"a1000000000000000000000000000000\", \"spans\": ["
	"{\"spanId\": \"1\", \"kind\": \"RPC_SERVER\", \"name\": \"/cart\", "
	"\"startTime\": \"2026-11-21T11:00:00Z\", "
	"\"endTime\": \"2026-11-21T11:00:00.600Z\", \"labels\": "
	"{\"g.co/gae/app/module\": \"web\", \"/http/status_code\": \"500\"}}, "
	"{\"spanId\": \"2\", \"parentSpanId\": \"1\", \"name\": \"Check\", "
	"\"startTime\": \"2026-11-21T11:00:00.1Z\", "
	"\"endTime\": \"2026-11-21T11:00:00.2Z\", \"labels\": "
	"{\"service.name\": \"auth\"}}]}, "
	"{\"projectId\": \"p\", "
	"\"traceId\": \"b2000000000000000000000000000000\", \"spans\": ["
	"{\"spanId\": \"3\", \"parentSpanId\": \"9\", \"name\": \"/lost\", "
	"\"startTime\": \"2026-11-21T11:01:00Z\", "
	"\"endTime\": \"2026-11-21T11:01:01Z\", \"labels\": "
	"{\"g.co/gae/app/module\": \"web\"}}]}, "
	"{\"projectId\": \"p\", "
	"\"traceId\": \"c3000000000000000000000000000000\"}], "
	"\"nextPageToken\": \"more\"}";

/* 2026-11-21T11:00:00Z */
#define CLOUD_NS INT64_C(1795258800000000000)

/* Of the first spans alone nobody knows how many there are; one of them may
 * name a parent that is not there. A trace without any is none. */
static void test_cloud_trace_roots(void **state)
{
	struct buf token;
	const struct hit *hit;

	(void)state;
	buf_init(&token, MIB);
	hit_want.range.from_ns = CLOUD_NS;
	want.next_page = &token;
	want.has_roots_only = true;
	decode_text(decode_cloud_trace_search, cloud_trace);
	assert_int_equal(hits.answer_count, 3);
	assert_int_equal(hits.count, 2);
	hit = find_hit(0xa1);
	check_text(hit->root_service, "web");
	check_text(hit->root_name, "/cart");
	assert_int_equal(hit->start_ns, CLOUD_NS);
	assert_int_equal(hit->duration_ns, 600 * NS_PER_MS);
	assert_int_equal(hit->span_count, 0);
	assert_int_equal(hit->error_count, 0);
	check_text(find_hit(0xb2)->root_name, "/lost");
	assert_string_equal(buf_text(&token), "more");
	buf_release(&token);
}

static void test_cloud_trace_spans(void **state)
{
	const struct hit *hit;

	(void)state;
	hit_want.service = STR("auth");
	hit_want.has_span = true;
	hit_want.is_by_span = true;
	decode_text(decode_cloud_trace_search, cloud_trace);
	assert_int_equal(hits.count, 1);
	hit = find_hit(0xa1);
	check_text(hit->service, "auth");
	check_text(hit->name, "Check");
	assert_int_equal(hit->duration_ns, 100 * NS_PER_MS);
	assert_int_equal(hit->trace_ns, 600 * NS_PER_MS);
	assert_int_equal(hit->span_count, 2);
	assert_int_equal(hit->error_count, 1);
}

static void test_damaged(void **state)
{
	(void)state;
	assert_false(decode_tempo_search_json(
		STR("{\"traces\":[{\"traceID\":\"1\"},{"), NULL, &want, &err));
	assert_int_equal(err.code, ERROR_FORMAT);
	assert_int_equal(hits.count, 0);
	assert_false(decode_tempo_search_pb(STR("\x0a\x05\x0a\x01"), NULL,
					    &want, &err));
	assert_int_equal(hits.count, 0);
}

/* Counts and lengths past what fits. */
static void test_extremes(void **state)
{
	(void)state;
	decode_text(
		decode_tempo_search_json,
		"{\"traces\":[{\"traceID\":\"1\",\"durationMs\":"
		"18446744073709551615,\"startTimeUnixNano\":"
		"\"9223372036854775806\",\"serviceStats\":{\"a\":{\"spanCount\":"
		"18446744073709551615,\"errorCount\":4294967296},\"b\":{"
		"\"spanCount\":1}}}]}");
	assert_int_equal(hits.count, 1);
	assert_int_equal(hits.items[0].span_count, UINT32_MAX);
	assert_int_equal(hits.items[0].error_count, UINT32_MAX);
	assert_int_equal(hits.items[0].trace_ns, 0);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

UNIT_TESTS(hits)
{
	const struct CMUnitTest tests[] = {
		TEST(test_tempo_json),
		TEST(test_tempo_pb),
		TEST(test_bound_of_spans),
		TEST(test_bound_of_traces),
		TEST(test_range),
		TEST(test_tempo_without_root),
		TEST(test_jaeger_legacy),
		TEST(test_jaeger_v3),
		TEST(test_cloud_trace_roots),
		TEST(test_cloud_trace_spans),
		TEST(test_damaged),
		TEST(test_extremes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
