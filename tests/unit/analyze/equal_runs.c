/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs of one program, drawn from one random source with a fixed start: equal
 * ones show no change in any pair, and a function that got dearer by half is
 * found. All compute in one helper, as in tests/pprof/programs/rules.go.
 */
#include "../unit.h"
#include "ranking.h"

#include "analyze/diff.h"
#include "../random.h"

#define RUNS 10
#define SAMPLES 8500.0

/* Relative standard deviations from run to run: of all, of a function. */
#define LOAD_CV 0.02
#define FUNCTION_CV 0.02

#define TEXT_BYTES 1024

static const struct {
	const char *name;
	double part;
} functions[] = {
	{ "decode", 0.30 },
	{ "rules", 0.19 },
	{ "render", 0.28 },
	{ "store", 0.23 },
};

/* What each does below: twelve stacks in all. */
static const struct {
	const char *rest;
	double part;
} ways[] = {
	{ ";spin", 0.83 },
	{ ";spin;preempt", 0.15 },
	{ "", 0.02 },
};

static uint32_t random_state = 2463534242u;

/* Means here are 30 and more. */
static long random_poisson(double mean)
{
	return lround(fmax(0, mean + sqrt(mean) * next_normal(&random_state)));
}

/* dearer: by how much "rules" takes more. */
static void draw_run(char text[TEXT_BYTES], double dearer)
{
	double load = 1 + LOAD_CV * next_normal(&random_state);
	size_t len = 0;

	for (size_t f = 0; f < sizeof functions / sizeof *functions; f++) {
		double own =
			load * (1 + FUNCTION_CV * next_normal(&random_state));

		if (!strcmp(functions[f].name, "rules"))
			own *= dearer;
		for (size_t w = 0; w < sizeof ways / sizeof *ways; w++)
			len += (size_t)snprintf(
				text + len, TEXT_BYTES - len,
				"main;serve;%s%s %ld\n", functions[f].name,
				ways[w].rest,
				random_poisson(SAMPLES * own *
					       functions[f].part *
					       ways[w].part));
	}
	assert_true(len < TEXT_BYTES);
}

static void compare(struct fixture *f, const char *before, const char *after,
		    enum normalize way)
{
	const struct rank_want want = { .by = RANK_DELTA,
					.normalize = way,
					.window_ns = 60 * NS_PER_S,
					.baseline_ns = 60 * NS_PER_S };

	make_profile(&f->slow, "samples", "count", 1, after);
	make_profile(&f->baseline, "samples", "count", 1, before);
	rank(f, true, &want);
}

static const enum normalize all_ways[] = { NORMALIZE_VALUE, NORMALIZE_RATE,
					   NORMALIZE_SHARE };

/* Whether anything was claimed, in any way of comparing. */
static bool is_claimed(const char *before, const char *after)
{
	bool is_any = false;

	for (size_t i = 0; i < sizeof all_ways / sizeof *all_ways; i++) {
		struct fixture f;

		compare(&f, before, after, all_ways[i]);
		is_any |= f.result.change_total || f.result.whole.is_changed;
		assert_true(f.result.function_count > 0);
		release(&f);
	}
	return is_any;
}

static void test_equal_runs(void **state)
{
	static char runs[RUNS][TEXT_BYTES];
	size_t pairs = 0, claimed = 0;

	(void)state;
	for (size_t i = 0; i < RUNS; i++)
		draw_run(runs[i], 1);
	for (size_t i = 0; i < RUNS; i++)
		for (size_t j = i + 1; j < RUNS; j++, pairs++)
			claimed += is_claimed(runs[i], runs[j]);
	assert_int_equal(pairs, 45);
	assert_int_equal(claimed, 0);
}

static bool is_found(const char *before, const char *after)
{
	const struct function_row *first;
	struct fixture f;
	bool is_first;

	compare(&f, before, after, NORMALIZE_VALUE);
	first = &f.result.functions[0];
	is_first = str_equal(first->name, STR("rules")) &&
		   first->change == CHANGE_GROWN;
	release(&f);
	return is_first;
}

static void test_dearer_by_half(void **state)
{
	char before[TEXT_BYTES], after[TEXT_BYTES];
	int found = 0;

	(void)state;
	for (int i = 0; i < RUNS; i++) {
		draw_run(before, 1);
		draw_run(after, 1.5);
		found += is_found(before, after);
	}
	print_message("found %d\n", found);
	assert_true(found >= 8);
}

/* ---- many functions ---- */

#define MANY 1000
#define MANY_RUNS 15
#define MANY_SAMPLES 181000.0
#define MANY_BYTES (64 * MANY)

/* What the one takes that gets dearer by a fifth. */
#define ONE_PART 0.021

/* Sizes as in programs: the i-th has about 1/i of the first. cv: how far each
 * wanders. */
static void draw_many(char text[MANY_BYTES], double cv, double dearer)
{
	double sum = 0;
	size_t len;

	for (int i = 0; i < MANY; i++)
		sum += 1.0 / (i + 4);
	len = (size_t)snprintf(
		text, MANY_BYTES, "main;one %ld\n",
		random_poisson(MANY_SAMPLES * ONE_PART * dearer *
			       (1 + cv * next_normal(&random_state))));
	for (int i = 0; i < MANY; i++)
		len += (size_t)snprintf(
			text + len, MANY_BYTES - len, "main;part%d;f%dx %ld\n",
			i % 40, i,
			random_poisson(MANY_SAMPLES * (1 - ONE_PART) / sum /
				       (i + 4) *
				       (1 + cv * next_normal(&random_state))));
	assert_true(len < MANY_BYTES);
}

static const double wanderings[] = { 0, 0.02, 0.1 };

static void test_many_equal(void **state)
{
	static char runs[MANY_RUNS][MANY_BYTES];

	size_t claimed = 0;

	(void)state;
	for (size_t w = 0; w < sizeof wanderings / sizeof *wanderings; w++) {
		for (size_t i = 0; i < MANY_RUNS; i++)
			draw_many(runs[i], wanderings[w], 1);
		for (size_t i = 0; i + 1 < MANY_RUNS; i++)
			claimed += is_claimed(runs[i], runs[i + 1]);
		print_message("%g: %zu\n", wanderings[w], claimed);
	}
	/* Of 42 pairs, at DIFF_FALSE_DISCOVERY. */
	assert_true(claimed <= 5);
}

/* 2.1 % of 181,000 samples made dearer by a fifth, where functions wander by a
 * percent; what is said of it, and that nothing is said of the others. */
static void test_small_change(void **state)
{
	static char before[MANY_BYTES], after[MANY_BYTES];
	int found = 0;

	(void)state;
	for (int i = 0; i < RUNS; i++) {
		const struct function_row *one;
		struct fixture f;

		draw_many(before, 0.01, 1);
		draw_many(after, 0.01, 1.2);
		compare(&f, before, after, NORMALIZE_VALUE);
		one = row(&f, "one");
		if (one->change == CHANGE_GROWN) {
			assert_true(one->deviations > 4);
			assert_true(one->q <= DIFF_FALSE_DISCOVERY);
			found++;
		}
		assert_true(one->detectable > 0.05 && one->detectable < 0.25);
		assert_int_equal(f.result.change_total,
				 one->change == CHANGE_GROWN);
		release(&f);
	}
	assert_true(found >= 7);
}

/* DIFF_SAME_PART: no change is only said where one by 5 % would have been
 * seen. */
static void test_unseen(void **state)
{
	static char before[MANY_BYTES], after[MANY_BYTES];
	struct fixture f;

	(void)state;
	draw_many(before, 0, 1);
	draw_many(after, 0, 1);
	compare(&f, before, after, NORMALIZE_VALUE);
	assert_int_equal(row(&f, "one")->change, CHANGE_UNSEEN);
	assert_true(f.result.whole.function_detectable > DIFF_SAME_PART);
	assert_false(f.result.whole.is_equal);
	release(&f);
	compare(&f, before, before, NORMALIZE_VALUE);
	assert_int_equal(row(&f, "one")->change, CHANGE_SAME);
	assert_true(f.result.whole.is_equal);
	release(&f);
}

UNIT_TESTS(equal_runs)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal_runs),
		cmocka_unit_test(test_dearer_by_half),
		cmocka_unit_test(test_many_equal),
		cmocka_unit_test(test_small_change),
		cmocka_unit_test(test_unseen),
	};

	return cmocka_run_group_tests_name("analyze/equal_runs", tests, NULL,
					   NULL);
}
