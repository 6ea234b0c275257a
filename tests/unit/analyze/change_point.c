/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "change_series.h"

/* Levels of 10 that wander by a twentieth, each step on its own. */
static void make(size_t count)
{
	random_state = 88172645463325252u;
	for (size_t i = 0; i < STEPS; i++) {
		counts[i] = i < count ? 100 : 0;
		amounts[i] = counts[i] * 10 * exp(0.05 * random_normal());
	}
}

static void multiply(size_t from, size_t to, double by)
{
	for (size_t i = from; i < to; i++)
		amounts[i] *= by;
}

static void test_step(void **state)
{
	struct change_points f;

	(void)state;
	make(STEPS);
	multiply(150, STEPS, 1.5);
	f = find();
	assert_int_equal(f.kind, SERIES_STEP);
	assert_int_equal(f.count, 1);
	assert_int_equal(f.items[0].at, 150);
	assert_in_range(f.items[0].low, 149, 150);
	assert_in_range(f.items[0].high, 150, 151);
	assert_true(fabs(f.items[0].before - 10) < 0.1);
	assert_true(fabs(f.items[0].after - 15) < 0.15);
}

/* The same of logarithms; and of steps that lack in between. */
static void test_logarithms(void **state)
{
	struct change_points f;

	(void)state;
	make(STEPS);
	multiply(100, STEPS, 2);
	for (size_t i = 0; i < STEPS; i++)
		amounts[i] = counts[i] * log(amounts[i] / counts[i]);
	for (size_t i = 0; i < STEPS; i += 3)
		counts[i] = 0;
	f = find_in(
		(struct change_series){ .step_count = STEPS, .is_log = true });
	assert_int_equal(f.kind, SERIES_STEP);
	assert_int_equal(f.count, 1);
	assert_in_range(f.items[0].at, 100, 101);
	assert_true(fabs(f.items[0].after - f.items[0].before - log(2)) < 0.05);
}

static void test_nothing_before(void **state)
{
	struct change_points f;

	(void)state;
	make(STEPS);
	multiply(0, 120, 0);
	f = find();
	assert_int_equal(f.kind, SERIES_STEP);
	assert_int_equal(f.items[f.largest].at, 120);
	assert_true(f.items[f.largest].before == 0);
}

/* Up at 60, down at 100, up by less at 180: by time, the first of the two
 * large ones is the largest. */
static void test_several(void **state)
{
	struct change_points f;

	(void)state;
	make(STEPS);
	multiply(60, 100, 3);
	multiply(180, STEPS, 1.6);
	f = find();
	assert_int_equal(f.kind, SERIES_STEP);
	assert_int_equal(f.count, 3);
	assert_int_equal(f.largest, 0);
	assert_in_range(f.items[0].at, 59, 61);
	assert_in_range(f.items[1].at, 99, 101);
	assert_in_range(f.items[2].at, 179, 181);
}

static void test_none(void **state)
{
	struct change_points f;

	(void)state;
	make(STEPS);
	f = find();
	assert_int_equal(f.kind, SERIES_STEADY);
	assert_int_equal(f.count, 0);
	assert_true(f.least_ratio >= CHANGE_RATIO && f.least_ratio < 1.1);
	make(STEPS / 4);
	f = find_in((struct change_series){ .step_count = STEPS / 4 });
	assert_true(f.least_ratio > 1.07 && f.least_ratio < 1.15);
	make(STEPS);
	/* Less than is worth telling, and of no noise at all. */
	for (size_t i = 0; i < STEPS; i++)
		amounts[i] = 1000;
	multiply(120, STEPS, 1.04);
	assert_int_equal(find().count, 0);
	multiply(120, STEPS, 1.06);
	assert_int_equal(find().count, 1);
}

static void test_ramp(void **state)
{
	(void)state;
	make(STEPS);
	for (size_t i = 0; i < STEPS; i++)
		amounts[i] *= 1 + (double)i / STEPS;
	assert_int_equal(find().kind, SERIES_RAMP);
}

static void test_brief(void **state)
{
	(void)state;
	make(STEPS);
	multiply(100, 102, 4);
	assert_int_equal(find().kind, SERIES_BRIEF);
}

/* Ten days of 24 steps: from nine to five it is half as much again, or it goes
 * up and down. */
static void test_rhythm(void **state)
{
	struct change_series series = { .step_count = STEPS, .day_steps = 24 };
	struct change_points f;

	(void)state;
	make(STEPS);
	for (size_t i = 0; i < STEPS; i++)
		amounts[i] *= 1 + 0.3 * sin(2 * M_PI * (double)i / 24);
	assert_int_equal(find_in(series).kind, SERIES_RHYTHM);
	make(STEPS);
	for (size_t i = 0; i < STEPS; i += 24)
		multiply(i + 9, i + 17, 1.5);
	assert_int_equal(find_in(series).kind, SERIES_RHYTHM);
	multiply(132, STEPS, 2.5);
	f = find_in(series);
	assert_int_equal(f.kind, SERIES_STEP);
	assert_int_equal(f.count, 1);
	assert_in_range(f.items[0].at, 130, 134);
}

/* Of ten days only the last hours are measured: those are no days. */
static void test_late(void **state)
{
	struct change_series series = { .step_count = STEPS, .day_steps = 24 };

	(void)state;
	make(STEPS);
	for (size_t i = 0; i < STEPS - 16; i++)
		counts[i] = 0;
	for (size_t i = STEPS - 16; i < STEPS; i++)
		amounts[i] = 1000 + 100 * (double)(i % 2);
	assert_int_equal(find_in(series).kind, SERIES_STEADY);
	multiply(STEPS - 8, STEPS, 4);
	assert_int_equal(find_in(series).kind, SERIES_STEP);
}

/* Where something is known to have changed less is needed. */
static void test_known(void **state)
{
	const size_t at = 120, elsewhere = 60;
	struct change_series series = { .step_count = STEPS,
					.known = &at,
					.known_count = 1 };

	(void)state;
	make(STEPS);
	for (size_t i = 0; i < STEPS; i++)
		amounts[i] *= exp(0.15 * random_normal());
	multiply(at, STEPS, 1.21);
	assert_int_equal(find().count, 0);
	assert_int_equal(find_in(series).count, 1);
	series.known = &elsewhere;
	assert_int_equal(find_in(series).count, 0);
}

static void test_few(void **state)
{
	(void)state;
	make(CHANGE_STEPS_MIN - 1);
	assert_int_equal(find().kind, SERIES_TOO_FEW);
	make(CHANGE_STEPS_MIN);
	assert_int_equal(find().kind, SERIES_STEADY);
	make(CHANGE_STEPS_MIN);
	multiply(CHANGE_STEPS_MIN / 2, CHANGE_STEPS_MIN, 4);
	assert_int_equal(find().kind, SERIES_STEP);
	make(0);
	assert_int_equal(find().kind, SERIES_TOO_FEW);
}

/* More steps than are told. */
static void test_many(void **state)
{
	struct change_points f;

	(void)state;
	make(STEPS);
	for (size_t i = 0; i < STEPS; i += 40)
		multiply(i + 20, i + 40, 4);
	f = find();
	assert_true(f.count <= CHANGE_POINTS_MAX);
	assert_true(f.count >= CHANGE_POINTS_MAX - 1);
	for (size_t i = 1; i < f.count; i++)
		assert_true(f.items[i - 1].at < f.items[i].at);
}

/* Up and back: of all of it no single step tells anything. */
static void test_pulse(void **state)
{
	struct change_points f;

	(void)state;
	make(36);
	multiply(16, 23, 2.5);
	f = find_in((struct change_series){ .step_count = 36 });
	assert_int_equal(f.count, 2);
	assert_int_equal(f.items[0].at, 16);
	assert_int_equal(f.items[1].at, 23);
}

/* Two of twelve steps are too few for a verdict, and no secret. */
static void test_recent(void **state)
{
	struct change_points f = find_twelve(
		(double[]){ 2, 2.5, 1.5, 2, 2.6, 1.4, 2, 1.8, 2.2, 2, 9, 7 });

	(void)state;
	assert_int_equal(f.kind, SERIES_STEADY);
	assert_int_equal(f.recent_count, 2);
	assert_int_equal(f.recent.at, 10);
	assert_true(f.recent.before == 2 && f.recent.after == 8);
	f = find_twelve((double[]){ 8, 9, 7, 8, 9, 6, 8, 7.5, 8, 8.5, 1, 1.2 });
	assert_int_equal(f.recent_count, 2);
	assert_true(f.recent.after < f.recent.before);
	/* One step is a spike as often as not. */
	f = find_twelve(
		(double[]){ 2, 2.5, 1.5, 2, 2.6, 1.4, 2, 1.8, 2.2, 2, 2, 7 });
	assert_int_equal(f.recent_count, 0);
	/* It was there before. */
	f = find_twelve(
		(double[]){ 2, 2.5, 1.5, 7, 2.6, 1.4, 2, 1.8, 2.2, 8, 9, 7 });
	assert_int_equal(f.recent_count, 0);
	/* Less than is worth a hint. */
	f = find_twelve((double[]){ 10, 10.1, 10, 9.9, 10, 10.1, 10, 9.9, 10.1,
				    12, 12, 12 });
	assert_int_equal(f.recent_count, 0);
	f = find_twelve((double[]){ 2, 2, 2, 2, 2, 2, 8, 8, 8, 8, 8, 8 });
	assert_int_equal(f.kind, SERIES_STEP);
	assert_int_equal(f.recent_count, 0);
}

UNIT_TESTS(change_point)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_step),
		cmocka_unit_test(test_logarithms),
		cmocka_unit_test(test_nothing_before),
		cmocka_unit_test(test_several),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_ramp),
		cmocka_unit_test(test_brief),
		cmocka_unit_test(test_rhythm),
		cmocka_unit_test(test_late),
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_few),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_pulse),
		cmocka_unit_test(test_recent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
