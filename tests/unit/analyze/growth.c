/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "analyze/growth.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "../random_draws.h"

#define MIB_F 1048576.0
#define POINTS 96 /* of each process, a block has a dozen */
#define RUNS 2000
#define LEAST (10 * MIB_F)

/* What a process holds, in MiB, over the window of six hours. */
struct shape {
	const char *name;
	double base;
	double noise;       /* standard deviation */
	double lag;         /* of the noise, from point to point */
	double per_hour;    /* a leak's */
	double saw;         /* height */
	double saw_hours;   /* from one fall to the next */
	double fills_hours; /* time constant of a cache of `fills` MiB */
	double fills;
	double load_swing; /* part by which the load swings in a day */
	double load_held;  /* MiB held a unit of load */
	size_t segments;
};

/* A wandering with memory from one point to the next. */
static double wander(double last, const struct shape *s)
{
	return s->lag * last +
	       s->noise * sqrt(1 - s->lag * s->lag) * random_normal();
}

static void draw(const struct shape *s, struct growth_segment *out)
{
	double noise = s->noise * random_normal();
	double saw_phase = random_unit(), day_phase = random_unit();

	memset(out, 0, sizeof *out);
	out->has_load = true;
	for (size_t i = 0; i < POINTS; i++) {
		double h = 6.0 * (double)i / POINTS;
		double load =
			100 * (1 + s->load_swing * sin(2 * M_PI *
						       (h / 24 + day_phase)));
		size_t block = i * GROWTH_BLOCKS / POINTS;
		double value = s->base + s->per_hour * h + s->load_held * load;

		noise = wander(noise, s);
		if (s->saw_hours > 0)
			value += s->saw * fmod(h / s->saw_hours + saw_phase, 1);
		if (s->fills_hours > 0)
			value += s->fills * (1 - exp(-h / s->fills_hours));
		out->values[block] += (value + noise) * MIB_F /
				      (POINTS / (double)GROWTH_BLOCKS);
		out->load[block] += load;
		out->hours[block] = 6.0 * ((double)block + 0.5) / GROWTH_BLOCKS;
	}
}

static enum growth_kind judge(const struct shape *s, struct growth *g)
{
	struct growth_segment segments[4];
	double scratch[2];
	size_t order[1];

	for (size_t i = 0; i < s->segments; i++)
		draw(s, &segments[i]);
	growth_judge(segments, s->segments, LEAST, g);
	growth_settle(g, 1, GROWTH_Q, scratch, order);
	return g->kind;
}

/* How many of a hundred are called a leak. */
static double percent_endless(const struct shape *s)
{
	struct growth g;
	size_t found = 0;

	random_state = 42;
	for (int i = 0; i < RUNS; i++)
		found += judge(s, &g) == GROWTH_ENDLESS;
	print_message("%-34s %zu process%s  %5.2f %%\n", s->name, s->segments,
		      s->segments == 1 ? "  " : "es",
		      100.0 * (double)found / RUNS);
	return 100.0 * (double)found / RUNS;
}

/* The figures of docs/lab/verdict.md. */
static void test_false_alarms(void **state)
{
	static const struct shape shapes[] = {
		{ .name = "flat, lag 0", .noise = 20, .segments = 1 },
		{ .name = "flat, lag 0.8",
		  .noise = 20,
		  .lag = .8,
		  .segments = 1 },
		{ .name = "flat, lag 0.95",
		  .noise = 20,
		  .lag = .95,
		  .segments = 1 },
		{ .name = "flat, lag 0.95",
		  .noise = 20,
		  .lag = .95,
		  .segments = 3 },
		{ .name = "saw of 20 minutes",
		  .saw = 40,
		  .saw_hours = .33,
		  .noise = 4,
		  .lag = .5,
		  .segments = 1 },
		{ .name = "saw of 2 hours",
		  .saw = 40,
		  .saw_hours = 2,
		  .noise = 4,
		  .lag = .5,
		  .segments = 1 },
		{ .name = "saw of 5 hours",
		  .saw = 40,
		  .saw_hours = 5,
		  .noise = 4,
		  .lag = .5,
		  .segments = 1 },
		{ .name = "cache full after an hour",
		  .fills = 200,
		  .fills_hours = 1,
		  .noise = 4,
		  .lag = .5,
		  .segments = 1 },
		{ .name = "held by load, daily swing 60 %",
		  .load_swing = .6,
		  .load_held = 1,
		  .noise = 4,
		  .lag = .5,
		  .segments = 1 },
		{ .name = "held by load, daily swing 60 %",
		  .load_swing = .6,
		  .load_held = 1,
		  .noise = 4,
		  .lag = .5,
		  .segments = 3 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
		struct shape s = shapes[i];

		s.base = 200;
		assert_true(percent_endless(&s) <= 1.0);
	}
}

static void test_leaks_are_found(void **state)
{
	static const struct shape shapes[] = {
		{ .name = "leak 10 MiB/h",
		  .per_hour = 10,
		  .noise = 4,
		  .lag = .5,
		  .segments = 1 },
		{ .name = "leak 10 MiB/h",
		  .per_hour = 10,
		  .noise = 4,
		  .lag = .5,
		  .segments = 3 },
		{ .name = "leak 20 MiB/h, noise 20, lag 0.8",
		  .per_hour = 20,
		  .noise = 20,
		  .lag = .8,
		  .segments = 3 },
		{ .name = "leak 10 MiB/h, saw of 20 minutes",
		  .per_hour = 10,
		  .saw = 20,
		  .saw_hours = .33,
		  .noise = 4,
		  .lag = .5,
		  .segments = 2 },
		{ .name = "leak 40 MiB/h, daily swing 20 %",
		  .per_hour = 40,
		  .load_swing = .2,
		  .load_held = .5,
		  .noise = 4,
		  .lag = .5,
		  .segments = 2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
		struct shape s = shapes[i];

		s.base = 100;
		assert_true(percent_endless(&s) >= 90.0);
	}
}

static struct growth one(const double values[GROWTH_BLOCKS],
			 const double load[GROWTH_BLOCKS], double least)
{
	struct growth_segment s = { .has_load = load != NULL };
	double scratch[2];
	size_t order[1];
	struct growth g;

	for (size_t i = 0; i < GROWTH_BLOCKS; i++) {
		s.hours[i] = (double)i;
		s.values[i] = values[i];
		s.load[i] = load ? load[i] : 0;
	}
	growth_judge(&s, 1, least, &g);
	growth_settle(&g, 1, GROWTH_Q, scratch, order);
	return g;
}

static void test_kinds(void **state)
{
	static const double line[] = { 10, 12, 14, 16, 18, 20, 22, 24 };
	static const double filled[] = {
		10, 15, 18, 19, 19.5, 19.7, 19.8, 19.9
	};
	static const double falling[] = { 24, 22, 20, 18, 16, 14, 12, 10 };
	static const double up[] = { 50, 58, 66, 74, 82, 90, 98, 106 };
	static const double even[] = { 50, 51, 50, 51, 50, 51, 50, 51 };
	struct growth g = one(line, even, 5);

	(void)state;
	assert_int_equal(g.kind, GROWTH_ENDLESS);
	assert_true(g.per_hour == 2 && g.low == 2 && g.high == 2);
	assert_true(g.start == 12 && g.end == 22 && g.late_share == 1);
	assert_true(g.p > 0.0003 && g.p < 0.0006);
	assert_int_equal(one(line, NULL, 5).kind, GROWTH_ENDLESS);
	assert_int_equal(one(line, NULL, 11).kind, GROWTH_SMALL);
	assert_int_equal(one(line, up, 5).kind, GROWTH_WITH_LOAD);
	assert_int_equal(one(line, falling, 5).kind, GROWTH_ENDLESS);
	assert_int_equal(one(filled, NULL, 1).kind, GROWTH_LEVELS_OFF);
	assert_int_equal(one(falling, NULL, 1).kind, GROWTH_NONE);
	assert_int_equal(one(even, NULL, 0).kind, GROWTH_NONE);
}

/* What is small is not among those that share in the errors. */
static void test_small_ones_cost_nothing(void **state)
{
	struct growth list[12] = { { .kind = GROWTH_ENDLESS, .p = 0.0004 } };
	double scratch[24];
	size_t order[12];

	(void)state;
	for (size_t i = 1; i < 12; i++)
		list[i] = (struct growth){ .kind = GROWTH_SMALL,
					   .p = i % 2 ? 1 : 0.0004 };
	growth_settle(list, 12, GROWTH_Q, scratch, order);
	assert_int_equal(list[0].kind, GROWTH_ENDLESS);
	assert_true(list[0].q < 0.0005);
	assert_int_equal(list[1].kind, GROWTH_NONE);
	assert_int_equal(list[2].kind, GROWTH_SMALL);
	for (size_t i = 0; i < 12; i++)
		list[i] = (struct growth){ .kind = GROWTH_ENDLESS,
					   .p = i ? 0.5 : 0.0004 };
	growth_settle(list, 12, GROWTH_Q, scratch, order);
	assert_int_equal(list[0].kind, GROWTH_NONE);
}

/* One process alone may have its reasons. */
static void test_every_process_has_to_grow(void **state)
{
	struct growth_segment s[3];
	double scratch[2];
	size_t order[1];
	struct growth g;

	(void)state;
	memset(s, 0, sizeof s);
	for (size_t i = 0; i < GROWTH_BLOCKS; i++)
		for (size_t k = 0; k < 3; k++) {
			s[k].hours[i] = (double)i;
			s[k].values[i] = 10 + (double)i * (k == 2 ? -1 : 2);
		}
	growth_judge(s, 3, 1, &g);
	growth_settle(&g, 1, GROWTH_Q, scratch, order);
	assert_int_equal(g.rising, 2);
	assert_int_not_equal(g.kind, GROWTH_ENDLESS);
	growth_judge(s, 0, 1, &g);
	assert_int_equal(g.kind, GROWTH_NONE);
}

UNIT_TESTS(growth)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_small_ones_cost_nothing),
		cmocka_unit_test(test_every_process_has_to_grow),
		cmocka_unit_test(test_false_alarms),
		cmocka_unit_test(test_leaks_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
