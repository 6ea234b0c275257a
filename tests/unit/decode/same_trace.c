/* SPDX-License-Identifier: Apache-2.0
 *
 * One trace as five servers' formats give it must be the same spans.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../unit.h"
#include "../starving.h"
#include "trace_oracle.h"

struct form {
	enum format format;
	const char *path;
};

/* All forms agree to the nanosecond, or to the microsecond where Jaeger's
 * older API takes part, which is then the last form. */
static void expect_same(const struct form *forms, size_t count)
{
	char *first[2] = { NULL, NULL };

	for (size_t i = 0; i < count; i++) {
		bool is_us = forms[i].format == FORMAT_JAEGER_JSON;
		unsigned flags =
			DUMP_NO_WARNINGS | (is_us ? DUMP_MICROSECONDS : 0);
		struct str bytes = oracle_load(forms[i].path);
		char *text;

		for (int us = 0; i == 0 && us < 2; us++)
			first[us] = oracle_decode(
				forms[0].format, bytes, NULL,
				DUMP_NO_WARNINGS |
					(us ? DUMP_MICROSECONDS : 0));
		text = oracle_decode(forms[i].format, bytes, NULL, flags);
		oracle_compare(forms[i].path, text, first[is_us]);
		free(text);
		free((char *)(uintptr_t)bytes.ptr);
	}
	free(first[0]);
	free(first[1]);
}

#define EXPECT_SAME(...)                                                       \
	do {                                                                   \
		static const struct form forms[] = { __VA_ARGS__ };            \
		expect_same(forms, sizeof forms / sizeof *forms);              \
	} while (0)

#define PUSHED_PB(letter)                                                      \
	{                                                                      \
		FORMAT_OTLP_PB, "otlp/" letter ".pb"                           \
	}
#define PUSHED_JSON(letter)                                                    \
	{                                                                      \
		FORMAT_OTLP_JSON, "otlp/" letter ".json"                       \
	}
#define TEMPO_PB(name)                                                         \
	{                                                                      \
		FORMAT_TEMPO_PB, "tempo/trace-" name "-v2-pb/body.pb"          \
	}
#define TEMPO_JSON(name, version)                                              \
	{                                                                      \
		FORMAT_OTLP_JSON, "tempo/trace-" name version "/body.json"     \
	}
#define JAEGER_V3(name)                                                        \
	{                                                                      \
		FORMAT_OTLP_JSON, "jaeger/trace-" name "-v3/body.json"         \
	}
#define JAEGER_OLD(name)                                                       \
	{                                                                      \
		FORMAT_JAEGER_JSON, "jaeger/trace-" name "-legacy/body.json"   \
	}

#define EVERYWHERE(letter, name)                                               \
	PUSHED_PB(letter), PUSHED_JSON(letter), TEMPO_PB(name),                \
		TEMPO_JSON(name, "-v2-json"), TEMPO_JSON(name, "-v1-json"),    \
		JAEGER_V3(name), JAEGER_OLD(name)

static void test_ordinary_traces(void **state)
{
	(void)state;
	EXPECT_SAME(EVERYWHERE("a", "a-web"));
	EXPECT_SAME(EVERYWHERE("b", "b-nplus1"));
	EXPECT_SAME(EVERYWHERE("c", "c-fanout"));
	EXPECT_SAME(EVERYWHERE("d", "d-skew"));
	EXPECT_SAME({ FORMAT_TEMPO_PB, "tempo/trace-a-web-v2-pb/body.pb" },
		    { FORMAT_OTLP_PB, "tempo/trace-a-web-v1-pb/body.pb" });
}

/* Links come without being asked for, in every form that has them. What Jaeger's
 * older API refers to within the trace is its parent or nothing. */
static void expect_link(enum format format, const char *path)
{
	static const unsigned char linked[] = { 0x4b, 0xf9, 0x2f, 0x35 };
	struct error err = { 0 };
	struct notes notes;
	struct trace t;
	struct str bytes = oracle_load(path);

	notes_init(&notes);
	trace_init(&t);
	assert_true(decode_trace(format, bytes, NULL, &t, &notes, &err));
	assert_int_equal(t.link_count, format == FORMAT_JAEGER_JSON ? 1 : 2);
	assert_memory_equal(t.links[0].trace_id.bytes, linked, sizeof linked);
	assert_int_equal(t.links[0].span_id, 0x00f067aa0ba902b7);
	if (t.link_count > 1)
		assert_int_equal(t.links[1].span_id, 0x7b7b5a1d12d07531);
	for (uint32_t i = 0; i < t.link_count; i++)
		assert_int_equal(t.links[i].from_id, 0xc28444f72e63ce40);
	trace_release(&t);
	free((char *)(uintptr_t)bytes.ptr);
}

static void test_links(void **state)
{
	static const struct form forms[] = { EVERYWHERE("a", "a-web") };

	(void)state;
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		expect_link(forms[i].format, forms[i].path);
}

static void test_broken_trees(void **state)
{
	(void)state;
	EXPECT_SAME(EVERYWHERE("e1", "e1-orphan"));
	EXPECT_SAME(EVERYWHERE("e2", "e2-rootless"));
	EXPECT_SAME(TEMPO_PB("g-late-both-halves"),
		    TEMPO_JSON("g-late-both-halves", "-v2-json"),
		    TEMPO_JSON("g-late-both-halves", "-v1-json"),
		    JAEGER_V3("g-late-both-halves"),
		    JAEGER_OLD("g-late-both-halves"));
}

/* Jaeger puts "empty-span-name" where there is none. */
static void test_odd_text(void **state)
{
	(void)state;
	EXPECT_SAME(PUSHED_PB("h"), PUSHED_JSON("h"), TEMPO_PB("h-odd-text"),
		    TEMPO_JSON("h-odd-text", "-v2-json"),
		    TEMPO_JSON("h-odd-text", "-v1-json"));
	EXPECT_SAME(JAEGER_V3("h-odd-text"), JAEGER_OLD("h-odd-text"));
}

/* Jaeger's older API cannot give this one. */
static void test_extreme_numbers(void **state)
{
	(void)state;
	EXPECT_SAME(PUSHED_PB("i"), PUSHED_JSON("i"), TEMPO_PB("i-edges"),
		    TEMPO_JSON("i-edges", "-v2-json"),
		    TEMPO_JSON("i-edges", "-v1-json"), JAEGER_V3("i-edges"));
	EXPECT_SAME(PUSHED_PB("i2"), PUSHED_JSON("i2"),
		    TEMPO_PB("i2-absurd-times"),
		    TEMPO_JSON("i2-absurd-times", "-v2-json"));
}

static void test_large_trace(void **state)
{
	(void)state;
	EXPECT_SAME(
		{ FORMAT_TEMPO_PB, "tempo/trace-f-5000-v2-pb/body.pb.gz" },
		{ FORMAT_OTLP_JSON, "tempo/trace-f-5000-v2-json/body.json.gz" },
		{ FORMAT_OTLP_JSON, "otlp/f.json.gz" });
}

static void test_shared_ids(void **state)
{
	(void)state;
	EXPECT_SAME(TEMPO_PB("k-shared-id"),
		    TEMPO_JSON("k-shared-id", "-v2-json"),
		    TEMPO_JSON("k-shared-id", "-v1-json"));
	EXPECT_SAME(PUSHED_PB("k"), PUSHED_JSON("k"));
	EXPECT_SAME(JAEGER_V3("z-zipkin-shared"),
		    JAEGER_OLD("z-zipkin-shared"));
}

static uint32_t depth_of(const struct trace *t)
{
	uint32_t deepest = 0;

	for (uint32_t i = 0; i < t->span_count; i++) {
		uint32_t depth = 0;

		for (uint32_t at = i; at != SPAN_NONE; at = t->spans[at].parent)
			depth++;
		if (depth > deepest)
			deepest = depth;
	}
	return deepest;
}

/* Renamed by the server or shared as they came: the tree is the same. */
static void test_shared_ids_give_one_tree(void **state)
{
	static const struct form forms[] = {
		PUSHED_PB("k"),
		TEMPO_PB("k-shared-id"),
		JAEGER_V3("z-zipkin-shared"),
		JAEGER_OLD("z-zipkin-shared"),
		{ FORMAT_OTLP_JSON,
		  "jaeger/trace-z-zipkin-shared-v3-raw/body.json" },
	};
	static struct notes notes;
	struct trace trace;
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		struct str bytes = oracle_load(forms[i].path);

		notes_init(&notes);
		trace_init(&trace);
		assert_true(decode_trace(forms[i].format, bytes, NULL, &trace,
					 &notes, &err));
		assert_true(trace.span_count >= 3);
		assert_int_equal(trace.root_count, 1);
		assert_int_equal(trace.orphan_count, 0);
		assert_int_equal(depth_of(&trace), trace.span_count);
		trace_release(&trace);
		free((char *)(uintptr_t)bytes.ptr);
	}
}

/* Whichever allocation fails, it is told, and nothing leaks. */
static void starve(const struct form *form)
{
	struct str bytes = oracle_load(form->path);
	static struct notes notes;
	struct trace trace;
	struct error err;
	bool is_decoded = false;

	for (int n = 0; !is_decoded; n++) {
		notes_init(&notes);
		trace_init(&trace);
		error_clear(&err);
		starve_after(n);
		is_decoded = decode_trace(form->format, bytes, NULL, &trace,
					  &notes, &err);
		stop_starving();
		assert_int_equal(err.code,
				 is_decoded ? ERROR_NONE : ERROR_MEMORY);
		trace_release(&trace);
		assert_true(n < 1000);
	}
	free((char *)(uintptr_t)bytes.ptr);
}

static void test_every_allocation_may_fail(void **state)
{
	static const struct form forms[] = { EVERYWHERE("a", "a-web") };

	(void)state;
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		starve(&forms[i]);
}

UNIT_TESTS(same_trace)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ordinary_traces),
		cmocka_unit_test(test_links),
		cmocka_unit_test(test_broken_trees),
		cmocka_unit_test(test_odd_text),
		cmocka_unit_test(test_extreme_numbers),
		cmocka_unit_test(test_large_trace),
		cmocka_unit_test(test_shared_ids),
		cmocka_unit_test(test_shared_ids_give_one_tree),
		cmocka_unit_test(test_every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
