/* SPDX-License-Identifier: Apache-2.0
 *
 * Inputs that resemble no recorded answer: each is the shortest one that
 * meets a rule which no other test of the decoders comes upon.
 */
#include "../unit.h"
#include "altered.h"
#include "pprof_making.h"

#include <unistd.h>

#include "base/arena.h"
#include "base/wirew.h"
#include "decode/formats.h"

#define TRACE_ID "0123456789abcdef0123456789abcdef"
#define SPAN_ID "0123456789abcdef"

static void refuse(teller tell, struct str bytes, enum error_code code,
		   const char *part)
{
	struct told t;

	told_read(&t, tell, bytes);
	assert_false(t.is_read);
	assert_int_equal(t.err.code, code);
	if (!strstr(t.err.message, part))
		fail_msg("\"%s\" lacks \"%s\"", t.err.message, part);
	told_release(&t);
}

static void expect(teller tell, struct str bytes, const char *part)
{
	struct told t;

	told_read(&t, tell, bytes);
	if (!t.is_read || !strstr(buf_text(&t.text), part))
		fail_msg("%s%s lacks \"%s\"", t.err.message, buf_text(&t.text),
			 part);
	told_release(&t);
}

/* ---- traces ---- */

/* Of the trace the first detail is an event, or a link. */
#define OTLP_SPAN(parts)                                                            \
	"{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{\"traceId\":\"" TRACE_ID \
	"\",\"spanId\":\"" SPAN_ID "\",\"name\":\"a\","                             \
	"\"startTimeUnixNano\":\"5\",\"endTimeUnixNano\":\"9\"," parts              \
	"}]}]}]}"

static void test_first_details_in_json(void **state)
{
	(void)state;
	expect_starving_told("event", tell_otlp_json,
			     STR(OTLP_SPAN("\"events\":[{\"timeUnixNano\":"
					   "\"6\",\"name\":\"e\"}]")));
	expect_starving_told("link", tell_otlp_json,
			     STR(OTLP_SPAN("\"links\":[{\"traceId\":\"" TRACE_ID
					   "\",\"spanId\":\"" SPAN_ID "\"}]")));
	expect_starving_told(
		"log", tell_jaeger,
		STR("{\"data\":[{\"traceID\":\"" TRACE_ID "\",\"spans\":["
		    "{\"traceID\":\"" TRACE_ID "\",\"spanID\":\"" SPAN_ID
		    "\",\"operationName\":\"a\",\"startTime\":5,\"duration\":9,"
		    "\"logs\":[{\"timestamp\":6,\"fields\":[{\"key\":\"event\","
		    "\"value\":\"e\"}]}],\"processID\":\"p\"}],\"processes\":"
		    "{\"p\":{\"serviceName\":\"s\"}}}]}"));
}

static void put_fixed64(struct buf *b, unsigned number, uint64_t value)
{
	put_varint(b, WIRE_TAG(number, WIRE_FIXED64));
	for (unsigned i = 0; i < 8; i++)
		buf_add_char(b, (char)(value >> (8 * i)));
}

/* Resource spans with one span of trace `id`, and a part of it. */
static void put_group(struct buf *b, char id, uint64_t end_ns, unsigned number,
		      struct str part)
{
	char trace_id[16] = { 0 };
	size_t group = wirew_open(b, 1), scope = wirew_open(b, 2),
	       span = wirew_open(b, 2);

	trace_id[15] = id;
	put_bytes(b, 1, (struct str){ trace_id, sizeof trace_id });
	put_bytes(b, 2, STR("spanspan"));
	put_bytes(b, 5, STR("name"));
	put_fixed64(b, 7, 5);
	put_fixed64(b, 8, end_ns);
	if (number)
		put_bytes(b, number, part);
	wirew_close(b, span);
	wirew_close(b, scope);
	wirew_close(b, group);
}

static void test_first_details_in_protobuf(void **state)
{
	struct buf b, part;

	(void)state;
	buf_init(&part, MIB);
	put_fixed64(&part, 1, 6);
	buf_init(&b, MIB);
	put_group(&b, 1, 9, 11, buf_str(&part));
	expect_starving_told("event", tell_otlp_pb, buf_str(&b));
	buf_clear(&part);
	put_bytes(&part, 1, STR("tracetracetrace1"));
	put_bytes(&part, 2, STR("spanspan"));
	buf_clear(&b);
	put_group(&b, 1, 9, 13, buf_str(&part));
	expect_starving_told("link", tell_otlp_pb, buf_str(&b));
	buf_clear(&part);
	put_bytes(&part, 2, STR("short"));
	buf_clear(&b);
	put_group(&b, 1, 9, 13, buf_str(&part));
	refuse(tell_otlp_pb, buf_str(&b), ERROR_FORMAT,
	       "neither 16 nor 8 bytes");
	buf_release(&part);
	buf_release(&b);
}

/* The longest trace stands first: the rest is not read a second time. */
static void test_groups_behind_the_chosen_trace(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, MIB);
	put_group(&b, 7, 900, 0, STR(""));
	put_group(&b, 8, 90, 0, STR(""));
	put_group(&b, 9, 91, 0, STR(""));
	expect(tell_otlp_pb, buf_str(&b), "00000000000000000000000000000007\n");
	buf_release(&b);
}

#define CLOUD_SPANS                                                            \
	"[{\"spanId\":\"5\",\"name\":\"n\",\"startTime\":"                     \
	"\"2026-01-01T00:00:00Z\",\"endTime\":\"2026-01-01T00:00:01Z\"}]"

static void test_cloud_trace(void **state)
{
	(void)state;
	/* Of lists before the id the first counts. */
	expect(tell_cloud_trace,
	       STR("{\"traces\":[{\"projectId\":\"p\",\"spans\":" CLOUD_SPANS
		   ",\"spans\":[{\"spanId\":\"6\"}],\"traceId\":\"" TRACE_ID
		   "\"}]}"),
	       TRACE_ID);
	/* A trace whose spans are not told. */
	expect_starving_told("cloud hits", tell_cloud_hits,
			     STR("{\"traces\":[{\"projectId\":\"p\","
				 "\"traceId\":\"" TRACE_ID "\"}]}"));
}

static void test_cloud_trace_from_a_file(void **state)
{
	char path[] = "/tmp/tracefind-corners-XXXXXX";
	int fd = mkstemp(path);
	struct trace trace;
	struct feed *feed;
	bool is_regular;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "{}", 2), 2);
	close(fd);
	notes_init(&notes);
	trace_init(&trace);
	feed = feed_open(path, GIB, GIB, &is_regular, &err);
	assert_non_null(feed);
	assert_true(decode_trace_feed(FORMAT_CLOUD_TRACE_JSON, feed, NULL,
				      &trace, &notes, &err));
	assert_int_equal(trace.span_count, 0);
	feed_free(feed);
	unlink(path);
	trace_release(&trace);
}

static void test_tempo_hit_with_a_bad_span_id(void **state)
{
	struct buf b;
	size_t trace, set, span;

	(void)state;
	buf_init(&b, MIB);
	trace = wirew_open(&b, 1);
	wirew_str(&b, 1, STR(TRACE_ID));
	set = wirew_open(&b, 7);
	span = wirew_open(&b, 1);
	wirew_str(&b, 1, STR("no hex"));
	wirew_close(&b, span);
	wirew_close(&b, set);
	wirew_close(&b, trace);
	refuse(tell_tempo_pb_hits, buf_str(&b), ERROR_FORMAT, "not a span id");
	buf_release(&b);
}

/* ---- profiles ---- */

#define PERF "w 1 2.5: 7 cycles:\n\t1 f (w)\n"

static void test_perf_script(void **state)
{
	struct profile_want want = want_of("wall");
	struct profile p;

	(void)state;
	/* Samples that no blank line parts. */
	expect(tell_perf, STR(PERF PERF "\n"), "of 14,");
	expect_starving_told("perf", tell_perf, STR(PERF PERF PERF "\n"));
	profile_init(&p);
	notes_init(&notes);
	assert_refused(decode_profile(FORMAT_PERF_SCRIPT, STR(PERF), &want, &p,
				      &notes, &err),
		       ERROR_NOT_FOUND, "wall");
	profile_release(&p);
}

/* More frames than there is room for without asking. */
static void test_folded_stack_of_many_frames(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, MIB);
	for (unsigned i = 0; i < 3 * LIMIT_STACK_FRAMES; i++)
		buf_add_text(&b, i % 2 ? "a;" : "b;");
	buf_add_text(&b, "c 1\n");
	expect_starving_told("deep", tell_folded, buf_str(&b));
	buf_release(&b);
}

#define SPEEDSCOPE(weights)                                                    \
	"{\"shared\":{\"frames\":[{\"name\":\"f\"}]},\"profiles\":[{"          \
	"\"type\":\"sampled\",\"unit\":\"none\",\"samples\":[[0]],"            \
	"\"weights\":[" weights "]}]}"
#define EVENT(type, at) "{\"type\":\"" type "\",\"frame\":0,\"at\":" at "}"

static void test_numbers_of_speedscope(void **state)
{
	static const char *const too_large[] = {
		SPEEDSCOPE("92233720368547758080"),
		SPEEDSCOPE("1e19"),
		SPEEDSCOPE("1e99999999999999999999"),
		SPEEDSCOPE("1e9223372036854775807"),
	};

	(void)state;
	expect(tell_speedscope, STR(SPEEDSCOPE("2.99999999999999999999999999")),
	       "of 3,");
	expect(tell_speedscope, STR(SPEEDSCOPE("25E-1")), "of 3,");
	expect(tell_speedscope, STR(SPEEDSCOPE("2.4e+0")), "of 2,");
	expect(tell_speedscope, STR(SPEEDSCOPE("1e-30")), "of 0,");
	expect(tell_speedscope, STR(SPEEDSCOPE("1234567890123456789")),
	       "of 1234567890123456789,");
	for (size_t i = 0; i < sizeof too_large / sizeof *too_large; i++)
		refuse(tell_speedscope, str_from(too_large[i]), ERROR_FORMAT,
		       "damaged");
}

static void test_events_of_speedscope(void **state)
{
	(void)state;
	expect_starving_told(
		"events", tell_speedscope,
		STR("{\"shared\":{\"frames\":[{\"name\":\"f\"}]},\"profiles\":"
		    "[{\"type\":\"evented\",\"unit\":\"none\",\"events\":[" EVENT(
			    "O",
			    "1") "," EVENT("O",
					   "3") "," EVENT("C",
							  "4") "," EVENT("C",
									 "9") "]}]}"));
}

static void test_kind_without_memory(void **state)
{
	char text[100];
	enum format format;

	(void)state;
	starve_after(0);
	format = format_sniff(STR("{\"trace\":{}}"), text, sizeof text);
	assert_true(stop_starving());
	assert_int_equal(format, FORMAT_UNKNOWN);
	assert_string_equal(text, "JSON that there is no memory for");
	format = format_sniff(STR("{\"trace\":{}}"), text, sizeof text);
	assert_int_equal(format, FORMAT_OTLP_JSON);
}

/* ---- pprof without memory ---- */

static bool decode_starving(struct str bytes, enum profile_detail detail,
			    bool is_packed, long allocations)
{
	struct profile_want want = want_of("");
	struct profile p;
	bool is_done;

	want.detail = detail;
	want.packed_max_bytes = is_packed ? UINT64_MAX : 0;
	notes_init(&notes);
	profile_init(&p);
	error_clear(&err);
	arena_set_unshared(true);
	starve_once_after(allocations);
	is_done = decode_pprof(bytes, &want, &p, &notes, &err);
	if (!is_done && err.code != ERROR_MEMORY)
		fail_msg("allocation %ld: %s", allocations, err.message);
	if (is_done)
		assert_int_equal(p.total, 12);
	profile_release(&p);
	arena_set_unshared(false);
	return !stop_starving();
}

static void expect_told(struct buf *b)
{
	for (unsigned detail = 0; detail <= PROFILE_DETAIL_ADDRESSES; detail++)
		for (unsigned is_packed = 0; is_packed < 2; is_packed++)
			for (long n = 0;
			     !decode_starving(buf_str(b), detail, is_packed, n);
			     n++)
				assert_true(n < 5000);
	buf_release(b);
}

/* Ids are small but in no order; frames have no names; a sample is not
 * packed. Strings: 1 the type, 3 a file, 4 and 5 functions, 6 a pattern. */
static void put_unordered(struct buf *b, bool has_pattern)
{
	static const char *const strings[] = {
		"",
		"cpu",
		"nanoseconds",
		"/lib/libc.so",
		"main",
		"_ZN4shop3addEi",
		"shop::.*",
	};
	struct buf sample;

	buf_init(b, MIB);
	PUT_INTS(b, 1, 1, 2);
	for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
		put_bytes(b, 6, str_from(strings[i]));
	PUT_INTS(b, 3, 2, 0x1000, 0x2000, 0, 3);
	PUT_INTS(b, 3, 1, 0x3000, 0x4000);
	PUT_INTS(b, 4, 3, 2, 0x1010);
	PUT_INTS(b, 4, 1, 2);
	PUT_INTS(b, 4, 2, 1, 0x5000);
	put_bytes(b, 4, STR("\x08\x04\x22\x02\x08\x02")); /* 4: function 2 */
	put_bytes(b, 4, STR("\x08\x05\x22\x02\x08\x01")); /* 5: function 1 */
	PUT_INTS(b, 5, 2, 4);
	PUT_INTS(b, 5, 1, 5);
	buf_init(&sample, MIB);
	put_int(&sample, 1, 2);
	put_int(&sample, 1, 4);
	put_int(&sample, 2, 1);
	put_bytes(b, 2, buf_str(&sample));
	buf_release(&sample);
	PUT_SAMPLE(b, 7, 3, 1, 2, 4);
	PUT_SAMPLE(b, 4, 3, 5, 4);
	if (has_pattern)
		put_int(b, 7, 6);
}

/* A message of CPU time, with strings 0 to 2. */
static void start_cpu(struct buf *b)
{
	buf_init(b, MIB);
	PUT_INTS(b, 1, 1, 2);
	put_bytes(b, 6, STR(""));
	put_bytes(b, 6, STR("cpu"));
	put_bytes(b, 6, STR("nanoseconds"));
}

/* One location of many lines. */
static void put_inlined(struct buf *b)
{
	struct buf location;

	start_cpu(b);
	buf_init(&location, MIB);
	put_int(&location, 1, 1);
	for (uint64_t line = 1; line < 100; line++)
		PUT_INTS(&location, 4, 1, line);
	put_bytes(b, 4, buf_str(&location));
	buf_release(&location);
	PUT_INTS(b, 5, 1, 1);
	PUT_SAMPLE(b, 12, 1);
}

static void test_pprof_without_memory(void **state)
{
	struct buf b;

	(void)state;
	put_unordered(&b, false);
	expect_told(&b);
	put_unordered(&b, true);
	expect_told(&b);
	/* Ids that are hashes. */
	start_cpu(&b);
	PUT_INTS(&b, 4, 0x123456789, 0, 0x10);
	PUT_INTS(&b, 4, 0x987654321, 0, 0x20);
	PUT_SAMPLE(&b, 12, 0x123456789, 0x987654321);
	expect_told(&b);
	put_inlined(&b);
	expect_told(&b);
}

/* A thousand functions and more share the steps that a pattern may take. */
static void test_many_functions_and_a_pattern(void **state)
{
	uint64_t count = LIMIT_DROP_STEPS_TOTAL / LIMIT_REGEX_STEPS + 1;
	struct buf b;

	(void)state;
	start_cpu(&b);
	put_bytes(&b, 6, STR("malloc"));
	put_bytes(&b, 6, STR("main"));
	for (uint64_t i = 1; i <= count; i++)
		PUT_INTS(&b, 5, i, i == 2 ? 4 : 3);
	put_bytes(&b, 4, STR("\x08\x01\x22\x02\x08\x01"));
	put_bytes(&b, 4, STR("\x08\x02\x22\x02\x08\x02"));
	put_int(&b, 7, 3);
	PUT_SAMPLE(&b, 5, 1, 2);
	assert_decodes_to(&b, "main 5\n");
	assert_int_equal(notes.count, 0);
}

UNIT_TESTS(corners)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first_details_in_json),
		cmocka_unit_test(test_first_details_in_protobuf),
		cmocka_unit_test(test_groups_behind_the_chosen_trace),
		cmocka_unit_test(test_cloud_trace),
		cmocka_unit_test(test_cloud_trace_from_a_file),
		cmocka_unit_test(test_tempo_hit_with_a_bad_span_id),
		cmocka_unit_test(test_perf_script),
		cmocka_unit_test(test_folded_stack_of_many_frames),
		cmocka_unit_test(test_numbers_of_speedscope),
		cmocka_unit_test(test_events_of_speedscope),
		cmocka_unit_test(test_kind_without_memory),
		cmocka_unit_test(test_pprof_without_memory),
		cmocka_unit_test(test_many_functions_and_a_pattern),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
