/* SPDX-License-Identifier: Apache-2.0
 *
 * Ceilings that take megabytes to reach: one too many is refused by name, and
 * no more than the ceiling is not.
 */
#include "../unit.h"
#include "profile_testing.h"

#include "../write_file.h"
#include "base/limits.h"
#include "base/notes.h"
#include "base/timefmt.h"
#include "decode/history.h"
#include "decode/prices.h"
#include "pprof_making.h"

/* The same piece so many times. */
static void put_many(struct buf *b, const char *piece, size_t len, size_t count)
{
	for (size_t i = 0; i < count; i++)
		buf_add(b, piece, len);
}

static bool read_bytes(enum format format, struct buf *bytes)
{
	struct profile_want want = want_of("");
	struct profile p;
	bool is_read;

	assert_true(buf_check(bytes, "a test", &err));
	error_clear(&err);
	notes_init(&notes);
	profile_init(&p);
	is_read =
		decode_profile(format, buf_str(bytes), &want, &p, &notes, &err);
	profile_release(&p);
	buf_release(bytes);
	return is_read;
}

static void assert_too_many(enum format format, struct buf *bytes,
			    const char *what)
{
	assert_refused(read_bytes(format, bytes), ERROR_LIMIT, what);
}

/* Samples without a field, messages of tables that all have the same id: that
 * is found out when all of them are there. */
static void test_messages_of_pprof(void **state)
{
	const struct {
		struct str field;
		size_t most;
		const char *too_many;
		const char *most_are;
	} kinds[] = {
		{ STR("\x12\0"), LIMIT_SAMPLES, "more than 5000000 samples",
		  "no sample type" },
		{ STR("\x1a\2\x08\1"), LIMIT_LOCATIONS,
		  "more than 5000000 mappings", "two mappings" },
		{ STR("\x22\2\x08\1"), LIMIT_LOCATIONS,
		  "more than 5000000 locations", "two locations" },
		{ STR("\x2a\2\x08\1"), LIMIT_FUNCTIONS,
		  "more than 5000000 functions", "two functions" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		struct str field = kinds[i].field;
		struct buf b;

		buf_init(&b, 64 * MIB);
		put_many(&b, field.ptr, field.len, kinds[i].most);
		assert_refused(read_bytes(FORMAT_PPROF, &b), ERROR_FORMAT,
			       kinds[i].most_are);
		buf_init(&b, 64 * MIB);
		put_many(&b, field.ptr, field.len, kinds[i].most + 1);
		assert_too_many(FORMAT_PPROF, &b, kinds[i].too_many);
	}
}

static void put_folded(struct buf *b, size_t frame_count)
{
	buf_init(b, 64 * MIB);
	put_many(b, "a;", 2, frame_count - 1);
	buf_add_text(b, "a 1\n");
}

static void test_frames_of_a_folded_line(void **state)
{
	struct buf b;

	(void)state;
	put_folded(&b, LIMIT_LOCATIONS);
	assert_decoded(read_bytes(FORMAT_FOLDED, &b));
	put_folded(&b, LIMIT_LOCATIONS + 1);
	assert_too_many(FORMAT_FOLDED, &b, "line 1: more than 5000000 frames");
}

static void test_frames_of_a_sample_of_perf(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 64 * MIB);
	buf_add_text(&b, "w 1 1.5: 1 cycles:\n");
	put_many(&b, " 1 a\n", 5, LIMIT_LOCATIONS + 1);
	assert_too_many(FORMAT_PERF_SCRIPT, &b,
			"line 5000002: more than 5000000 frames");
}

/* Level 0 of a flame graph: numbers by fours, all of them 0. */
static void put_rows(struct buf *b, size_t node_count)
{
	struct buf level, graph;

	buf_init(&level, 64 * MIB);
	put_varint(&level, WIRE_TAG(1, WIRE_BYTES));
	put_varint(&level, 4 * node_count);
	put_many(&level, "\0\0\0\0", 4, node_count);
	buf_init(&graph, 64 * MIB);
	put_bytes(&graph, 1, STR("total"));
	put_bytes(&graph, 2, buf_str(&level));
	buf_init(b, 64 * MIB);
	put_bytes(b, 1, buf_str(&graph));
	buf_release(&level);
	buf_release(&graph);
}

static void test_nodes_of_a_flame_graph(void **state)
{
	struct buf b;

	(void)state;
	put_rows(&b, LIMIT_TREE_NODES);
	assert_decoded(read_bytes(FORMAT_PYROSCOPE_TREE_PB, &b));
	put_rows(&b, LIMIT_TREE_NODES + 1);
	assert_too_many(FORMAT_PYROSCOPE_TREE_PB, &b,
			"more than 5000000 nodes");
}

/* As many children as there may be nodes, and their root. */
static void test_nodes_of_a_tree(void **state)
{
	struct buf tree, b;

	(void)state;
	buf_init(&tree, 64 * MIB);
	buf_add(&tree, "\0\0", 2);
	put_varint(&tree, LIMIT_TREE_NODES);
	put_many(&tree, "\0\0\0", 3, LIMIT_TREE_NODES);
	buf_init(&b, 64 * MIB);
	put_bytes(&b, 2, buf_str(&tree));
	buf_release(&tree);
	assert_too_many(FORMAT_PYROSCOPE_TREE_PB, &b,
			"more than 5000000 nodes");
}

/* Empty nodes of a heap profile; none has an id. */
static void put_v8_nodes(struct buf *b, size_t node_count)
{
	buf_init(b, 64 * MIB);
	buf_add_text(b, "{\"head\":{\"selfSize\":0,\"children\":[{}");
	put_many(b, ",{}", 3, node_count - 2);
	buf_add_text(b, "]}}");
}

static void test_nodes_of_v8(void **state)
{
	struct buf b;

	(void)state;
	put_v8_nodes(&b, LIMIT_TREE_NODES);
	assert_decoded(read_bytes(FORMAT_V8_PROFILE, &b));
	put_v8_nodes(&b, LIMIT_TREE_NODES + 1);
	assert_too_many(FORMAT_V8_PROFILE, &b, "more than 5000000 nodes");
}

static void test_samples_of_v8(void **state)
{
	static const struct {
		const char *before;
		const char *too_many;
		const char *most_are;
	} lists[] = {
		{ "{\"samples\":[0", "more than 5000000 samples",
		  "the node of a sample is missing" },
		{ "{\"timeDeltas\":[0", "more than 5000000 times",
		  "samples and times differ in number" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		for (unsigned more = 0; more < 2; more++) {
			struct buf b;

			buf_init(&b, 64 * MIB);
			buf_add_text(&b, lists[i].before);
			put_many(&b, ",0", 2, LIMIT_SAMPLES - 1 + more);
			buf_add_text(&b, "]}");
			assert_refused(read_bytes(FORMAT_V8_PROFILE, &b),
				       more ? ERROR_LIMIT : ERROR_FORMAT,
				       more ? lists[i].too_many
					    : lists[i].most_are);
		}
	}
}

/* One trace of many spans that are all of the operation sought. */
static void put_trace(struct buf *b, size_t span_count)
{
	buf_init(b, 64 * MIB);
	buf_add_text(b, "{\"traces\":[{\"traceID\":\"1\",\"spanSets\":[{"
			"\"spans\":[");
	for (size_t i = 0; i < span_count; i++)
		buf_addf(b,
			 "%s{\"spanID\":\"%zx\",\"name\":\"op\",\"attributes\":"
			 "[{\"key\":\"service.name\",\"value\":"
			 "{\"stringValue\":\"s\"}}]}",
			 i ? "," : "", i + 1);
	buf_add_text(b, "]}]}]}");
}

/* More spans than a window keeps make it a sample. */
static void test_spans_of_a_history(void **state)
{
	static const struct operation op = { { "s", 1 }, { "op", 2 }, 0 };
	struct history_want want = { .trace_limit = 40 };

	(void)state;
	for (unsigned more = 0; more < 2; more++) {
		struct history h;
		struct buf b;

		history_init(&h, &op, 1);
		h.window_count = 1;
		h.windows[0].range = (struct time_range){ 0, INT64_MAX };
		put_trace(&b, LIMIT_HISTORY_SPANS + more);
		assert_decoded(
			decode_tempo_search_json(buf_str(&b), &h, &want, &err));
		assert_int_equal(h.windows[0].span_count, LIMIT_HISTORY_SPANS);
		assert_int_equal(h.windows[0].is_sample, more);
		history_release(&h);
		buf_release(&b);
	}
}

/* Two numbers, and a comment up to the end of the file. */
static bool read_requests(const char *path, size_t len, struct arena *arena,
			  struct request_counts *out)
{
	struct buf b;

	buf_init(&b, SIZE_MAX);
	buf_add_str(&b, STR("40\n2\n#"));
	put_many(&b, "-", 1, len - b.len);
	write_file(path, buf_str(&b));
	buf_release(&b);
	return requests_read("--requests", path, arena, out, &err);
}

static void test_bytes_of_requests(void **state)
{
	char path[] = "/tmp/tracefind-requests-XXXXXX";
	struct request_counts counts;
	struct arena arena;

	(void)state;
	assert_true(make_temporary(path));
	arena_init(&arena, 2 * LIMIT_REQUESTS_FILE_BYTES * sizeof(double));
	assert_decoded(read_requests(path, LIMIT_REQUESTS_FILE_BYTES, &arena,
				     &counts));
	assert_int_equal(counts.count, 2);
	assert_true(counts.sum == 42);
	assert_refused(read_requests(path, LIMIT_REQUESTS_FILE_BYTES + 1, &arena,
				     &counts),
		       ERROR_LIMIT, "65536");
	arena_release(&arena);
	assert_int_equal(unlink(path), 0);
}

UNIT_TESTS(limits)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_messages_of_pprof),
		cmocka_unit_test(test_frames_of_a_folded_line),
		cmocka_unit_test(test_frames_of_a_sample_of_perf),
		cmocka_unit_test(test_nodes_of_a_flame_graph),
		cmocka_unit_test(test_nodes_of_a_tree),
		cmocka_unit_test(test_nodes_of_v8),
		cmocka_unit_test(test_samples_of_v8),
		cmocka_unit_test(test_spans_of_a_history),
		cmocka_unit_test(test_bytes_of_requests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
