/* SPDX-License-Identifier: Apache-2.0
 *
 * All traces of one input, one after the other, as decode_trace() has each.
 */
#include "../unit.h"
#include "profile_testing.h"

static struct notes notes;

/* What is taken, and how often it may be. */
struct taken {
	struct trace_id ids[8];
	uint32_t spans[8];
	size_t count;
	size_t most;
};

static bool take(void *context, const struct trace *t, struct error *e)
{
	struct taken *taken = context;

	if (taken->count == taken->most)
		return error_set(e, ERROR_LIMIT, "enough");
	taken->ids[taken->count] = t->id;
	taken->spans[taken->count++] = t->span_count;
	return true;
}

static bool decode_all(enum format format, struct str bytes,
		       struct taken *taken)
{
	struct feed *feed = decode_feed(format, bytes, &err);
	bool is_done;

	if (!feed)
		return false;
	notes_init(&notes);
	is_done = decode_each_trace(format, feed, take, taken, &notes, &err);
	feed_free(feed);
	return is_done;
}

/* Each as when it is asked for by its id. */
static void assert_as_alone(enum format format, struct str bytes,
			    const struct taken *taken)
{
	for (size_t i = 0; i < taken->count; i++) {
		struct trace alone;

		trace_init(&alone);
		assert_decoded(decode_trace(format, bytes, &taken->ids[i],
					    &alone, &notes, &err));
		assert_int_equal(alone.span_count, taken->spans[i]);
		trace_release(&alone);
	}
}

static void test_files(void **state)
{
	static const struct {
		const char *path;
		enum format format;
		size_t count;
	} files[] = {
		{ "otlp/file-exporter.jsonl", FORMAT_OTLP_JSON, 3 },
		{ "otlp/b.json", FORMAT_OTLP_JSON, 1 },
		{ "otlp/a.pb", FORMAT_OTLP_PB, 1 },
		{ "jaeger/trace-b-nplus1-legacy/body.json", FORMAT_JAEGER_JSON,
		  1 },
		{ "google/trace.json", FORMAT_CLOUD_TRACE_JSON, 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		struct taken taken = { .most = 8 };
		struct buf bytes;

		read_fixture(files[i].path, &bytes);
		assert_decoded(
			decode_all(files[i].format, buf_str(&bytes), &taken));
		assert_int_equal(taken.count, files[i].count);
		assert_as_alone(files[i].format, buf_str(&bytes), &taken);
		buf_release(&bytes);
	}
}

/* What is wrong at the end of the input is known before the first is taken. */
static void test_damage(void **state)
{
	struct taken taken = { .most = 8 };
	struct buf bytes;

	(void)state;
	read_fixture("otlp/file-exporter.jsonl", &bytes);
	assert_refused(decode_all(FORMAT_OTLP_JSON,
				  str_slice(buf_str(&bytes), 0, bytes.len - 9),
				  &taken),
		       ERROR_FORMAT, "ends");
	assert_int_equal(taken.count, 0);
	assert_refused(decode_all(FORMAT_PPROF, buf_str(&bytes), &taken),
		       ERROR_FORMAT, "pprof is not a trace format");
	assert_decoded(
		decode_all(FORMAT_OTLP_JSON, STR("{\"batches\":[]}"), &taken));
	assert_int_equal(taken.count, 0);
	buf_release(&bytes);
}

static void test_who_stops(void **state)
{
	struct taken taken = { .most = 2 };
	struct buf bytes;

	(void)state;
	read_fixture("otlp/file-exporter.jsonl", &bytes);
	assert_refused(decode_all(FORMAT_OTLP_JSON, buf_str(&bytes), &taken),
		       ERROR_LIMIT, "enough");
	assert_int_equal(taken.count, 2);
	buf_release(&bytes);
}

static void test_starvation(void **state)
{
	bool is_done = false;
	struct buf bytes;

	(void)state;
	read_fixture("otlp/file-exporter.jsonl", &bytes);
	for (int n = 0; !is_done; n++) {
		struct taken taken = { .most = 8 };

		assert_true(n < 10000);
		error_clear(&err);
		starve_after(n);
		is_done = decode_all(FORMAT_OTLP_JSON, buf_str(&bytes), &taken);
		stop_starving();
		if (!is_done)
			assert_int_equal(err.code, ERROR_MEMORY);
	}
	buf_release(&bytes);
}

/* ---- many of them ---- */

#define MANY 20000

static bool count_one(void *context, const struct trace *t, struct error *why)
{
	(void)why;
	assert_int_equal(t->span_count, 2);
	++*(unsigned *)context;
	return true;
}

static void expect_many(enum format format, struct buf *text)
{
	struct feed *feed = decode_feed(format, buf_str(text), &err);
	unsigned count = 0;

	notes_init(&notes);
	assert_non_null(feed);
	assert_decoded(decode_each_trace(format, feed, count_one, &count,
					 &notes, &err));
	assert_int_equal(count, MANY);
	feed_free(feed);
	buf_release(text);
}

/* Each is read where it stands, not the whole input for each. */
static void test_many(void **state)
{
	struct buf lists, lines, spans;

	(void)state;
	buf_init(&lists, 64 * MIB);
	buf_init(&lines, 64 * MIB);
	buf_init(&spans, 64 * MIB);
	for (unsigned i = 1; i <= MANY; i++) {
		buf_addf(&lists,
			 "%c[{\"trace_id\":%u,\"span_id\":1,\"start\":1},"
			 "{\"trace_id\":%u,\"span_id\":2,\"start\":1,"
			 "\"meta\":{\"_dd.p.tid\":\"640cfd8d00000000\"}}]",
			 i == 1 ? '[' : ',', i, i);
		buf_addf(&lines,
			 "{\"traces\":[[{\"trace_id\":\"%x\","
			 "\"span_id\":\"a\"},{\"trace_id\":\"%x\","
			 "\"span_id\":\"b\"}]]}\n",
			 i, i);
		buf_addf(&spans,
			 "%c{\"traceId\":\"%016x\",\"id\":\"1\"},"
			 "{\"traceId\":\"%016x\",\"id\":\"2\"}",
			 i == 1 ? '[' : ',', i, i);
	}
	buf_add_char(&lists, ']');
	buf_add_char(&spans, ']');
	expect_many(FORMAT_DATADOG_JSON, &lists);
	expect_many(FORMAT_DATADOG_JSON, &lines);
	expect_many(FORMAT_ZIPKIN_JSON, &spans);
}

/* ---- one trace in several inputs ---- */

struct piece {
	const char *path;
	enum format format;
};

static void decode_pieces(const struct piece *pieces, size_t count,
			  struct trace *t)
{
	struct trace_source sources[4];
	struct buf bytes[4];

	assert_true(count <= 4);
	for (size_t i = 0; i < count; i++) {
		read_fixture(pieces[i].path, &bytes[i]);
		sources[i] = (struct trace_source){
			.format = pieces[i].format,
			.feed = decode_feed(pieces[i].format,
					    buf_str(&bytes[i]), &err),
		};
		assert_non_null(sources[i].feed);
	}
	notes_init(&notes);
	trace_init(t);
	assert_decoded(
		decode_trace_sources(sources, count, NULL, t, &notes, &err));
	for (size_t i = 0; i < count; i++) {
		feed_free(sources[i].feed);
		buf_release(&bytes[i]);
	}
}

static void read_wanted(const struct piece *piece, const struct trace_id *id,
			struct trace *t)
{
	struct buf bytes;

	read_fixture(piece->path, &bytes);
	trace_init(t);
	assert_decoded(decode_trace(piece->format, buf_str(&bytes), id, t,
				    &notes, &err));
	buf_release(&bytes);
}

/* g1 and g2 are the two halves of one; the collector's file has both. */
static void test_pieces(void **state)
{
	static const struct piece whole[] = {
		{ "otlp/file-exporter.jsonl", FORMAT_OTLP_JSON },
	};
	static const struct piece halves[] = {
		{ "otlp/g2.json", FORMAT_OTLP_JSON },
		{ "otlp/g1.pb", FORMAT_OTLP_PB },
		{ "otlp/g1.json", FORMAT_OTLP_JSON },
	};
	static const struct piece half[] = {
		{ "otlp/g1.pb", FORMAT_OTLP_PB },
	};
	struct trace one, two, first;

	(void)state;
	decode_pieces(halves, 3, &two);
	decode_pieces(half, 1, &first);
	assert_true(first.span_count < two.span_count);
	decode_pieces(whole, 1, &one);
	assert_int_equal(one.oddities.trace_count, 3);
	trace_release(&one);
	read_wanted(whole, &two.id, &one);
	assert_int_equal(one.span_count, two.span_count);
	for (uint32_t i = 0; i < one.span_count; i++) {
		assert_int_equal(one.spans[i].span_id, two.spans[i].span_id);
		assert_int_equal(one.spans[i].parent, two.spans[i].parent);
		assert_int_equal(one.spans[i].start_ns, two.spans[i].start_ns);
	}
	trace_release(&one);
	trace_release(&two);
	trace_release(&first);
}

/* The longest of all is taken, wherever its spans stand. */
static void test_several_in_pieces(void **state)
{
	static const struct piece pieces[] = {
		{ "otlp/g2.json", FORMAT_OTLP_JSON },
		{ "otlp/file-exporter.jsonl", FORMAT_OTLP_JSON },
		{ "otlp/b.json", FORMAT_OTLP_JSON },
		{ "otlp/g1.pb", FORMAT_OTLP_PB },
	};
	static const struct piece alone[] = {
		{ "otlp/b.json", FORMAT_OTLP_JSON },
	};
	struct trace all, one;

	(void)state;
	decode_pieces(pieces, 4, &all);
	decode_pieces(alone, 1, &one);
	assert_int_equal(all.oddities.trace_count, 4);
	assert_memory_equal(&all.id, &one.id, sizeof one.id);
	assert_int_equal(all.span_count, one.span_count);
	trace_release(&all);
	trace_release(&one);
}

UNIT_TESTS(each_trace)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_several_in_pieces),
		cmocka_unit_test(test_who_stops),
		cmocka_unit_test(test_starvation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
