/* SPDX-License-Identifier: Apache-2.0
 *
 * Traces read through a window and in two readings against the same in one:
 * inputs of several traces, larger than any window, from memory, a file and a
 * packed file, must give what the wanted trace alone gives.
 */
#include "../unit.h"
#include "trace_testing.h"

#include <unistd.h>

#include "../starving.h"
#include "../write_file.h"
#include "base/gz.h"
#include "base/wirew.h"

#define TRACES 40u
#define LONGEST 23u
#define SPANS 30u

static char path[] = "/tmp/tracefind-streamed-XXXXXX";

static uint64_t start_of(unsigned n, unsigned span)
{
	return 1700000000000000000u + n * 1000000u + span * 1000u;
}

static uint64_t length_of(unsigned n)
{
	return n == LONGEST ? 900000000u : 200000000u;
}

static unsigned id_of(unsigned n, unsigned span)
{
	return n * 1000 + span + 1;
}

/* ---- the same spans in each format ---- */

static void add_jaeger(struct buf *b, unsigned n)
{
	buf_addf(b, "{\"traceID\":\"%032x\",\"spans\":[", n + 1);
	for (unsigned i = 0; i < SPANS; i++)
		buf_addf(
			b,
			"%s{\"traceID\":\"%032x\",\"spanID\":\"%016x\","
			"\"operationName\":\"op \\u00e9 %u\",\"references\":"
			"[{\"refType\":\"CHILD_OF\",\"traceID\":\"%032x\","
			"\"spanID\":\"%016x\"}],\"startTime\":%llu,"
			"\"duration\":%llu,\"tags\":[{\"key\":\"http.route\","
			"\"type\":\"string\",\"value\":\"/%u/%0900u\"},{\"key\""
			":\"http.status_code\",\"type\":\"int64\",\"value\":"
			"200}],\"logs\":[],\"processID\":\"p%u\"}",
			i ? "," : "", n + 1, id_of(n, i), i % 7, n + 1,
			i ? id_of(n, i / 2) : 0,
			(unsigned long long)start_of(n, i) / 1000,
			(unsigned long long)length_of(n) / 1000, n, i, i % 2);
	buf_addf(b,
		 "],\"processes\":{\"p0\":{\"serviceName\":\"web %u\"},"
		 "\"p1\":{\"serviceName\":\"db\",\"tags\":[{\"key\":"
		 "\"host.name\",\"value\":\"h\"}]}}}",
		 n);
}

static void jaeger_envelope(struct buf *b)
{
	buf_add_text(b, "\xef\xbb\xbf{\"errors\":null,\"data\":[");
	for (unsigned i = 0; i < TRACES; i++) {
		buf_add_text(b, i ? " , " : "");
		add_jaeger(b, i);
	}
	buf_add_text(b, "],\"total\":0}\n");
}

/* One document a trace, which no list holds. */
static void jaeger_bare(struct buf *b)
{
	for (unsigned i = 0; i < TRACES; i++) {
		add_jaeger(b, i);
		buf_add_char(b, '\n');
	}
}

/* Both, so that the second reading cannot begin at an item. */
static void jaeger_mixed(struct buf *b)
{
	jaeger_envelope(b);
	buf_add_text(b, "{\"data\":[]}");
	add_jaeger(b, LONGEST);
}

static void add_otlp_span(struct buf *b, unsigned n, unsigned i)
{
	buf_addf(
		b,
		"{\"traceId\":\"%032x\",\"spanId\":\"%016x\",\"parentSpanId\":"
		"\"%016x\",\"name\":\"op %u\",\"kind\":3,\"startTimeUnixNano\":"
		"\"%llu\",\"endTimeUnixNano\":\"%llu\",\"attributes\":[{\"key\""
		":\"http.route\",\"value\":{\"stringValue\":\"/%u/%0900u\"}}],"
		"\"events\":[],\"status\":{\"code\":2,\"message\":\"m\"}}",
		n + 1, id_of(n, i), i ? id_of(n, i / 2) : 0, i % 7,
		(unsigned long long)start_of(n, i),
		(unsigned long long)(start_of(n, i) + length_of(n)), n, i);
}

/* Each group holds a span of every trace. */
static void add_otlp_group(struct buf *b, unsigned span)
{
	buf_add_text(b, "{\"scopeSpans\":[{\"spans\":[");
	for (unsigned i = 0; i < TRACES; i++) {
		buf_add_text(b, i ? "," : "");
		add_otlp_span(b, i, span);
	}
	buf_addf(b,
		 "]}],\"resource\":{\"attributes\":[{\"key\":"
		 "\"service.name\",\"value\":{\"stringValue\":\"s%u\"}}]}}",
		 span % 3);
}

/* Lines of every envelope in turn. */
static void otlp_lines(struct buf *b)
{
	static const char *const open[] = { "{\"resourceSpans\":[",
					    "{\"batches\":[",
					    "{\"trace\":{\"resourceSpans\":[" };
	static const char *const close[] = { "]}\n", "],\"x\":[1]}\n",
					     "]},\"status\":\"COMPLETE\"}\n" };

	for (unsigned i = 0; i < SPANS; i++) {
		buf_add_text(b, open[i % 3]);
		add_otlp_group(b, i);
		buf_add_text(b, close[i % 3]);
	}
}

static void otlp_document(struct buf *b)
{
	buf_add_text(b, "{\"resourceSpans\":[");
	for (unsigned i = 0; i < SPANS; i++) {
		buf_add_text(b, i ? "," : "");
		add_otlp_group(b, i);
	}
	buf_add_text(b, "]}");
}

static void add_pb_attr(struct buf *b, uint32_t field, const char *key,
			const char *value)
{
	size_t kv = wirew_open(b, field), any;

	wirew_str(b, 1, str_from(key));
	any = wirew_open(b, 2);
	wirew_str(b, 1, str_from(value));
	wirew_close(b, any);
	wirew_close(b, kv);
}

static void add_fixed64(struct buf *b, uint32_t field, uint64_t value)
{
	buf_add_char(b, (char)(field << 3 | 1));
	for (unsigned i = 0; i < 8; i++)
		buf_add_char(b, (char)(unsigned char)(value >> (8 * i)));
}

static void add_pb_span(struct buf *b, unsigned n, unsigned i)
{
	char id[16] = { 0 }, route[1000], span_id[8] = { 0 };
	size_t span = wirew_open(b, 2);

	id[15] = (char)(n + 1);
	wirew_str(b, 1, (struct str){ id, sizeof id });
	span_id[6] = (char)(id_of(n, i) >> 8);
	span_id[7] = (char)(unsigned char)id_of(n, i);
	wirew_str(b, 2, (struct str){ span_id, sizeof span_id });
	wirew_str(b, 5, STR("op"));
	add_fixed64(b, 7, start_of(n, i));
	add_fixed64(b, 8, start_of(n, i) + length_of(n));
	snprintf(route, sizeof route, "/%u/%0900u", n, i);
	add_pb_attr(b, 9, "http.route", route);
	wirew_close(b, span);
}

/* Of all sizes: some larger than the window they are read through. */
static void add_group(struct buf *b, unsigned i)
{
	unsigned repeats = i % 10 == 3 ? 20 : 1;
	size_t group = wirew_open(b, 1), part = wirew_open(b, 2);

	for (unsigned k = 0; k < TRACES * repeats; k++)
		add_pb_span(b, k % TRACES, i);
	wirew_close(b, part);
	part = wirew_open(b, 1);
	add_pb_attr(b, 1, "service.name", "web");
	wirew_close(b, part);
	wirew_close(b, group);
}

static void otlp_pb(struct buf *b)
{
	for (unsigned i = 0; i < SPANS; i++)
		add_group(b, i);
}

/* As the collector's file exporter: messages of three groups, the length of
 * each in front. */
static void otlp_messages(struct buf *b)
{
	for (unsigned i = 0; i < SPANS;) {
		size_t start = b->len + 4;

		buf_add_text(b, "0000");
		do {
			add_group(b, i++);
		} while (i % 3 && i < SPANS);
		for (unsigned k = 0; k < 4; k++)
			b->data[start - 4 + k] =
				(char)((b->len - start) >> (24 - 8 * k) & 0xff);
	}
}

/* ---- reading ---- */

static char *decode_file(enum format format, struct str bytes)
{
	bool is_regular;
	struct feed *feed;
	char *text;

	write_file(path, bytes);
	feed = feed_open(path, GIB, GIB, &is_regular, &err);
	assert_non_null(feed);
	notes_init(&notes);
	trace_init(&trace);
	if (!decode_trace_feed(format, feed, NULL, &trace, &notes, &err))
		fail_msg("%s", err.message);
	text = oracle_dump_model(&trace, 0);
	assert_int_equal(trace.oddities.trace_count, TRACES);
	trace_release(&trace);
	feed_free(feed);
	return text;
}

static char *decode_packed(enum format format, struct str bytes)
{
	struct buf packed;
	char *text;

	buf_init(&packed, GIB);
	assert_true(gz_deflate(bytes, &packed, &err));
	text = decode_file(format, buf_str(&packed));
	buf_release(&packed);
	return text;
}

static void compare_readings(enum format format, void (*make)(struct buf *b))
{
	char want[33];
	char *expected, *found;
	struct buf b;

	buf_init(&b, GIB);
	make(&b);
	assert_int_equal(b.state, BUF_OK);
	assert_true(b.len > 4 * 256 * KIB);
	snprintf(want, sizeof want, "%032x", LONGEST + 1);
	expected = oracle_decode(format, buf_str(&b), want, 0);
	assert_true(strlen(expected) > SPANS * 900);
	found = oracle_decode(format, buf_str(&b), NULL, 0);
	oracle_compare("memory", found, expected);
	free(found);
	found = decode_file(format, buf_str(&b));
	oracle_compare("file", found, expected);
	free(found);
	found = decode_packed(format, buf_str(&b));
	oracle_compare("packed file", found, expected);
	free(found);
	free(expected);
	buf_release(&b);
}

static void test_jaeger(void **state)
{
	(void)state;
	compare_readings(FORMAT_JAEGER_JSON, jaeger_envelope);
	compare_readings(FORMAT_JAEGER_JSON, jaeger_bare);
	compare_readings(FORMAT_JAEGER_JSON, jaeger_mixed);
}

static void test_otlp_json(void **state)
{
	(void)state;
	compare_readings(FORMAT_OTLP_JSON, otlp_lines);
	compare_readings(FORMAT_OTLP_JSON, otlp_document);
}

static void test_otlp_pb(void **state)
{
	(void)state;
	compare_readings(FORMAT_OTLP_PB, otlp_pb);
	compare_readings(FORMAT_OTLP_PB, otlp_messages);
}

/* Damage anywhere is noticed, also behind the trace that would be taken. */
static void test_damage_is_noticed(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, GIB);
	jaeger_envelope(&b);
	b.data[b.len - 13] = '}';
	assert_false(decode_as(FORMAT_JAEGER_JSON, buf_str(&b), NULL));
	assert_non_null(strstr(err.message, "damaged or cut-off Jaeger JSON"));
	trace_release(&trace);
	buf_clear(&b);
	otlp_pb(&b);
	assert_false(decode_as(FORMAT_OTLP_PB,
			       str_slice(buf_str(&b), 0, b.len - 1), NULL));
	assert_non_null(strstr(err.message, "longer than what is left"));
	trace_release(&trace);
	buf_release(&b);
}

/* Whichever allocation fails, in the survey or after it, it is told. */
static void test_every_allocation_may_fail(void **state)
{
	struct buf b;
	bool is_decoded = false;

	(void)state;
	buf_init(&b, GIB);
	jaeger_envelope(&b);
	for (long n = 0; !is_decoded; n++) {
		assert_true(n < 1000);
		notes_init(&notes);
		trace_init(&trace);
		error_clear(&err);
		starve_after(n);
		is_decoded = decode_trace(FORMAT_JAEGER_JSON, buf_str(&b), NULL,
					  &trace, &notes, &err);
		stop_starving();
		assert_int_equal(err.code,
				 is_decoded ? ERROR_NONE : ERROR_MEMORY);
		trace_release(&trace);
	}
	buf_release(&b);
}

/* Memory that is lacking once must not look like the end of the input. */
static void expect_lack_is_told(enum format format, struct str bytes)
{
	bool was_refused = true;

	write_file(path, bytes);
	for (long n = 0; was_refused; n++) {
		bool is_regular, is_decoded;
		struct feed *feed =
			feed_open(path, GIB, GIB, &is_regular, &err);

		assert_non_null(feed);
		notes_init(&notes);
		trace_init(&trace);
		error_clear(&err);
		starve_once_after(n);
		is_decoded = decode_trace_feed(format, feed, NULL, &trace,
					       &notes, &err);
		was_refused = stop_starving();
		assert_int_equal(err.code,
				 is_decoded ? ERROR_NONE : ERROR_MEMORY);
		if (is_decoded)
			assert_int_equal(trace.span_count, SPANS);
		trace_release(&trace);
		feed_free(feed);
	}
}

static void test_lack_is_told(void **state)
{
	static const struct {
		enum format format;
		void (*make)(struct buf *b);
	} all[] = {
		{ FORMAT_JAEGER_JSON, jaeger_envelope },
		{ FORMAT_OTLP_PB, otlp_pb },
	};

	(void)state;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct buf b, packed;

		buf_init(&b, GIB);
		buf_init(&packed, GIB);
		all[i].make(&b);
		expect_lack_is_told(all[i].format, buf_str(&b));
		assert_true(gz_deflate(buf_str(&b), &packed, &err));
		expect_lack_is_told(all[i].format, buf_str(&packed));
		buf_release(&packed);
		buf_release(&b);
	}
}

static int make_file(void **state)
{
	(void)state;
	return make_temporary(path) ? 0 : -1;
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

UNIT_TESTS(streamed)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_jaeger),
		cmocka_unit_test(test_otlp_json),
		cmocka_unit_test(test_otlp_pb),
		cmocka_unit_test(test_damage_is_noticed),
		cmocka_unit_test(test_every_allocation_may_fail),
		cmocka_unit_test(test_lack_is_told),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
