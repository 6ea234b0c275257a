/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "investigate/leak.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/num.h"

#define STEPS 360 /* of a minute */

static struct arena arena;
static struct backends backends;
static struct investigation v;
static struct leak l;
static double values[STEPS], load_values[STEPS];

static int setup(void **state)
{
	(void)state;
	arena_init(&arena, GIB);
	backends.arena = &arena;
	v.backends = &backends;
	l = (struct leak){ .v = &v,
			   .window = { NS_PER_DAY,
				       NS_PER_DAY + STEPS * NS_PER_MIN },
			   .step_ms = 60000,
			   .step_count = STEPS };
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	arena_release(&arena);
	return 0;
}

static struct leak_subject cut(bool has_load)
{
	struct leak_row row = { STR("pod-1"), values };
	struct leak_row load_row = { STR("pod-1"), load_values };
	struct leak_series series = { .rows = &row, .count = 1 };
	struct leak_series load = { .rows = &load_row, .count = 1 };
	struct leak_subject s = { .what = LEAK_MEMORY };
	struct error err;

	assert_true(leak_segments_cut(&l, &s, &series, has_load ? &load : NULL,
				      &err));
	return s;
}

/* 100 and one more a step, from step to step. */
static void fill(size_t from, size_t to, size_t every)
{
	for (size_t i = from; i < to; i++)
		values[i] = i % every ? 0 : 100 + (double)(i - from);
}

static void test_one_life(void **state)
{
	struct leak_subject s;

	(void)state;
	memset(values, 0, sizeof values);
	fill(0, STEPS, 1);
	for (size_t i = 0; i < STEPS; i++)
		load_values[i] = 7;
	s = cut(true);
	assert_int_equal(s.segment_count, 1);
	assert_int_equal(s.restarts, 0);
	assert_int_equal(s.instance_count, 1);
	assert_int_equal(s.segments[0].points, STEPS);
	assert_true(s.segments[0].growth.values[0] == 122);
	assert_true(s.segments[0].growth.values[7] == 437);
	assert_true(s.segments[0].growth.load[3] == 7);
	assert_true(s.segments[0].growth.hours[0] == 0.375);
	assert_false(cut(false).segments[0].growth.has_load);
}

/* Every tenth step has an upload: the others are no gaps. */
static void test_rare_uploads(void **state)
{
	struct leak_subject s;

	(void)state;
	memset(values, 0, sizeof values);
	fill(0, STEPS, 10);
	s = cut(false);
	assert_int_equal(s.segment_count, 1);
	assert_int_equal(s.restarts, 0);
	assert_int_equal(s.segments[0].points, STEPS / 10);
}

static void test_restarts(void **state)
{
	struct leak_subject s;

	(void)state;
	memset(values, 0, sizeof values);
	fill(0, 170, 1);
	fill(174, STEPS, 1);
	s = cut(false);
	assert_int_equal(s.restarts, 1);
	assert_int_equal(s.segment_count, 2);
	/* The second warms up first, for a tenth of its 186 minutes. */
	assert_true(s.segments[1].range.from_ns ==
		    NS_PER_DAY + 174 * NS_PER_MIN + 186 * NS_PER_MIN / 10);
	/* One upload is lost, and most of what there was is gone. */
	memset(values, 0, sizeof values);
	fill(0, 170, 1);
	fill(171, STEPS, 1);
	assert_int_equal(cut(false).restarts, 1);
}

/* Without a gap a cache was emptied; behind a gap as much as before is a server
 * that was away. */
static void test_what_is_no_restart(void **state)
{
	(void)state;
	memset(values, 0, sizeof values);
	fill(0, 170, 1);
	fill(170, STEPS, 1);
	assert_int_equal(cut(false).restarts, 0);
	memset(values, 0, sizeof values);
	fill(0, STEPS, 1);
	memset(values + 170, 0, 8 * sizeof *values);
	assert_int_equal(cut(false).restarts, 0);
}

static void test_short_lives_are_counted(void **state)
{
	struct leak_subject s;

	(void)state;
	memset(values, 0, sizeof values);
	fill(0, 37, 1);
	s = cut(false);
	assert_int_equal(s.segment_count, 0);
	assert_int_equal(s.short_count, 1);
	assert_true(s.longest_ns == 37 * NS_PER_MIN);
	/* A window of 40 minutes, without its edges. */
	fill(0, 38, 1);
	assert_int_equal(cut(false).segment_count, 1);
}

static void test_limits_of_growth(void **state)
{
	struct leak_subject s = { .what = LEAK_MEMORY };

	(void)state;
	assert_true(leak_least(&s, 0) == 10 * (double)MIB);
	assert_true(leak_least(&s, 400 * (double)MIB) == 20 * (double)MIB);
	s.what = LEAK_THREADS;
	assert_true(leak_least(&s, 100) == 50);
	assert_true(leak_least(&s, 1000) == 200);
}

static void test_time_left(void **state)
{
	struct leak_segment segments[2] = { { .range.to_ns = NS_PER_DAY },
					    { .range.to_ns = NS_PER_HOUR } };
	struct leak_subject *s = &l.subjects[LEAK_MEMORY];

	(void)state;
	segments[0].growth.values[GROWTH_BLOCKS - 1] = 300;
	segments[1].growth.values[GROWTH_BLOCKS - 1] = 900; /* gone */
	s->segments = segments;
	s->segment_count = 2;
	s->is_leak = true;
	s->total.per_hour = 100;
	assert_true(leak_seconds_left(&l) < 0);
	l.limit_bytes = 500;
	assert_true(leak_seconds_left(&l) == 2 * 3600);
	l.memory_bytes = 450;
	assert_true(leak_seconds_left(&l) == 1800);
	l.memory_bytes = 600;
	assert_true(leak_seconds_left(&l) == 0);
	s->is_leak = false;
	assert_true(leak_seconds_left(&l) < 0);
}

UNIT_TESTS(leak)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_life),
		cmocka_unit_test(test_rare_uploads),
		cmocka_unit_test(test_restarts),
		cmocka_unit_test(test_what_is_no_restart),
		cmocka_unit_test(test_short_lives_are_counted),
		cmocka_unit_test(test_limits_of_growth),
		cmocka_unit_test(test_time_left),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
