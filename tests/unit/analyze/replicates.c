/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of counts in few runs a side, worked by hand and drawn from one random
 * source with a fixed start.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>

#include "../unit.h"
#include "analyze/stats.h"
#include "base/limits.h"
#include "../random.h"

#define ROWS 200
#define MOST_RUNS 8

static uint32_t random_state = 2463534242u;

struct drawn {
	struct arena arena;
	struct replicate_runs runs;
	double sizes[REPLICATE_SIDES][MOST_RUNS];
	double values[REPLICATE_SIDES][ROWS][MOST_RUNS];
	struct replicate_row rows[ROWS];
	struct replicate_common common;
	struct replicate_noise noise;
	struct error err;
};

/* How rows are drawn. */
struct setting {
	size_t runs;
	double samples; /* a run */
	double cv;      /* of a row, from run to run */
	double load_cv; /* of a run */
	double after;   /* what all take on the second side */
	size_t changed; /* the first so many rows take `dearer` times as much */
	double dearer;
	double burst; /* what the last row takes more in one run: 0 none */
	double apart; /* how far a row lies apart between the sides, beyond runs */
};

static const struct replicate_prior prior = {
	.sampling = 1,
	.drift_cv = 0.05,
	.between_cv = (double)NAN,
	.may_rise = true,
	.is_of_runs = true,
};

static void assert_within(double value, double low, double high)
{
	if (!(value >= low && value <= high))
		fail_msg("%g lies outside %g to %g", value, low, high);
}

/* The first side is the slow one. */
static void draw(struct drawn *d, struct setting how)
{
	double apart[ROWS];

	for (size_t i = 0; i < ROWS; i++)
		apart[i] = how.apart > 0
				   ? exp(how.apart * next_normal(&random_state))
				   : 1;
	arena_init(&d->arena, LIMIT_ANALYZE_HEAP_BYTES);
	d->runs = (struct replicate_runs){ { how.runs, how.runs },
					   { d->sizes[0], d->sizes[1] },
					   { 1, 1 } };
	d->noise = (struct replicate_noise){ .least = 1 };
	for (int s = 0; s < REPLICATE_SIDES; s++)
		for (size_t r = 0; r < how.runs; r++) {
			double load = 1 + how.load_cv * next_normal(&random_state);

			d->sizes[s][r] = 0;
			for (size_t i = 0; i < ROWS; i++) {
				double mean = how.samples / ROWS * load *
					      (1 + how.cv * next_normal(
							    &random_state));

				if (s == 0)
					mean *= how.after * apart[i] *
						(i < how.changed ? how.dearer
								 : 1);
				if (i == ROWS - 1 && !r && s == 1)
					mean += how.burst * how.samples;
				d->values[s][i][r] = fmax(
					0, round(mean + sqrt(fmax(0, mean)) *
							next_normal(
								&random_state)));
				d->sizes[s][r] += d->values[s][i][r];
			}
		}
	for (size_t i = 0; i < ROWS; i++)
		d->rows[i] = (struct replicate_row){ { d->values[0][i],
						       d->values[1][i] } };
	assert_true(replicates_common(&d->runs, d->rows, ROWS, &prior,
				      &d->arena, &d->common, &d->err));
	assert_true(replicates_noise(&d->runs, d->rows, ROWS, &d->common, &prior,
				     &d->noise, &d->err));
}

static double test_row(const struct drawn *d, size_t row)
{
	struct replicate_sums sums =
		replicates_sums(&d->runs, &d->rows[row], d->noise.drift);
	struct counts c = { .a = sums.count[0],
			    .b = sums.count[1],
			    .n_b = 1,
			    .exposure = EXPOSURE_RATE };
	double size[REPLICATE_SIDES] = { 0 };

	for (int s = 0; s < REPLICATE_SIDES; s++)
		for (size_t r = 0; r < d->runs.count[s]; r++)
			size[s] += d->runs.sizes[s][r];
	c.n_a = size[0] / size[1] * exp(d->common.log_ratio);
	return counts_test(&c, replicates_row_noise(&d->noise, &sums,
						    counts_log_variance(&c),
						    d->common.variance));
}

/* 10, 20, 30 in runs of one size: expected 20 each, (100 + 0 + 100) / 20. The
 * other side, of samples of two, has 5 a run. */
static void test_sums(void **state)
{
	static const double after[] = { 10, 20, 30 };
	static const double before[] = { 10, 10 };
	static const double sizes[] = { 100, 100, 100 };
	const struct replicate_runs runs = { { 3, 2 }, { sizes, sizes }, { 1, 2 } };
	const struct replicate_row row = { { after, before } };
	struct replicate_sums sums = replicates_sums(&runs, &row, 0);

	(void)state;
	assert_within(sums.count[0], 60, 60);
	assert_within(sums.count[1], 10, 10);
	assert_within(sums.pearson, 10 - 1e-9, 10 + 1e-9);
	assert_within(sums.df, 3, 3);
	assert_within(sums.mean, 14, 14);
	assert_within(sums.spread, 3 / 9.0 + 2 / 4.0 - 1e-9,
		      3 / 9.0 + 2 / 4.0 + 1e-9);
	/* Of a variance of m + 0.05 m^2 that is half as much. */
	sums = replicates_sums(&runs, &row, 0.05);
	assert_within(sums.pearson, 5 - 1e-9, 5 + 1e-9);
}

/* What was drawn is found again. */
static void test_found_again(void **state)
{
	struct drawn d;

	(void)state;
	draw(&d, (struct setting){ .runs = 4, .samples = 100000, .cv = 0.1,
				   .load_cv = 0.1, .after = 0.6, .changed = 20,
				   .dearer = 1.5 });
	/* By share: a tenth takes half more of it, all others less. */
	assert_within(d.common.log_ratio, log(1 / 1.05) - 0.02,
		      log(1 / 1.05) + 0.02);
	assert_within(sqrt(d.common.variance), 0.001, 0.02);
	/* 500 a row and run: 500 + 0.01 * 500^2, however it is divided. */
	assert_within(d.noise.sampling * (1 + 500 * d.noise.drift), 5, 7.2);
	assert_true(d.noise.prior_df > 20);
	for (size_t i = 0; i < 20; i++)
		assert_true(test_row(&d, i) < 0.05);
	arena_release(&d.arena);
}

/* One run a side: the rows themselves tell how far they lie apart. */
static void test_one_run(void **state)
{
	struct drawn d;

	(void)state;
	draw(&d, (struct setting){ .runs = 1, .samples = 400000, .cv = 0.05,
				   .after = 1, .changed = 10, .dearer = 1.5 });
	assert_within(sqrt(d.noise.drift * d.noise.sampling), 0.035, 0.075);
	assert_true(test_row(&d, 0) < 0.001);
	arena_release(&d.arena);
}

/* Of rows of which nothing changed one in twenty has a p below 0.05. */
static void expect_fair(struct setting how)
{
	size_t below = 0, all = 0;

	for (int i = 0; i < 20; i++) {
		struct drawn d;

		draw(&d, how);
		for (size_t r = 0; r < ROWS; r++, all++)
			below += test_row(&d, r) < 0.05;
		arena_release(&d.arena);
	}
	assert_within((double)below / (double)all, 0.025, 0.065);
}

static void test_fair(void **state)
{
	(void)state;
	expect_fair((struct setting){ .runs = 3, .samples = 20000, .cv = 0.03,
				      .load_cv = 0.1, .after = 1 });
	expect_fair((struct setting){ .runs = 6, .samples = 200000, .cv = 0.03,
				      .load_cv = 0.3, .after = 0.6 });
	expect_fair((struct setting){ .runs = 1, .samples = 100000, .cv = 0.05,
				      .after = 1 });
}

/* A collector that took as much as all others in one run: they fell together,
 * which is that run's and no noise of theirs. */
static void test_burst(void **state)
{
	struct drawn d;

	(void)state;
	draw(&d, (struct setting){ .runs = 4, .samples = 100000, .cv = 0.01,
				   .after = 1, .burst = 1 });
	assert_within(d.noise.sampling * (1 + 500 * d.noise.drift), 1, 1.3);
	/* It took a fifth of that side. */
	assert_within(d.common.log_ratio, log(1.25) - 0.03, log(1.25) + 0.03);
	/* It has only its own noise to go by. */
	assert_true(test_row(&d, ROWS - 1) > 0.05);
	arena_release(&d.arena);
}

/* Fewer than REPLICATE_FEW_ROWS tell nothing, fewer than REPLICATE_ROWS their
 * middle. */
static void test_few(void **state)
{
	struct drawn d;

	(void)state;
	draw(&d, (struct setting){ .runs = 1, .samples = 40000, .after = 1 });
	assert_true(replicates_common(&d.runs, d.rows, REPLICATE_FEW_ROWS - 1,
				      &prior, &d.arena, &d.common, &d.err));
	assert_false(d.common.is_known);
	assert_true(replicates_common(&d.runs, d.rows, REPLICATE_FEW_ROWS,
				      &prior, &d.arena, &d.common, &d.err));
	assert_true(d.common.is_known);
	assert_int_equal(d.common.rows, REPLICATE_FEW_ROWS);
	arena_release(&d.arena);
}

/* So few rows show less noise than is taken for granted, never more. */
static void test_prior(void **state)
{
	struct drawn d;

	(void)state;
	draw(&d, (struct setting){ .runs = 1, .samples = 400000, .cv = 0.3,
				   .after = 1 });
	assert_true(replicates_noise(&d.runs, d.rows, REPLICATE_MANY_ROWS - 1,
				     &d.common, &prior, &d.noise, &d.err));
	assert_within(sqrt(d.noise.drift * d.noise.sampling), 0.01, 0.0501);
	assert_true(replicates_noise(&d.runs, d.rows, ROWS, &d.common, &prior,
				     &d.noise, &d.err));
	/* Of 2,000 samples each. */
	assert_within(sqrt(d.noise.sampling * (1 / 2000.0 + d.noise.drift)), 0.2,
		      0.45);
	arena_release(&d.arena);
}

/* ---- the common factor ---- */

/* Twelve functions in four runs a side; the first `moved` of them take `ratio` times as
 * much, and each of those is `large` times as large as the others. Work is known: the
 * bound is one of 25 %. */
static struct replicate_common common_of(size_t moved, double ratio,
					 double large, double bound)
{
	struct drawn d = { .runs = { { 4, 4 }, { d.sizes[0], d.sizes[1] }, { 1, 1 } } };
	struct replicate_prior known = prior;
	double all[REPLICATE_SIDES] = { 0 };

	arena_init(&d.arena, LIMIT_ANALYZE_HEAP_BYTES);
	for (size_t i = 0; i < 12; i++)
		for (int s = 0; s < REPLICATE_SIDES; s++)
			for (size_t r = 0; r < 4; r++) {
				/* Alike but for a little that is no noise. */
				double value = 100 + (double)((i + r) % 3);

				value *= i < moved ? large : 1;
				value *= i < moved && s == 0 ? ratio : 1;
				d.values[s][i][r] = round(value);
				d.sizes[s][r] += d.values[s][i][r];
				all[s] += d.values[s][i][r];
			}
	for (size_t i = 0; i < 12; i++)
		d.rows[i] = (struct replicate_row){ { d.values[0][i],
						      d.values[1][i] } };
	known.bound = bound;
	known.whole = log(all[0] / all[1]);
	assert_true(replicates_common(&d.runs, d.rows, 12, &known, &d.arena,
				      &d.common, &d.err));
	arena_release(&d.arena);
	/* By work, not by share. */
	d.common.log_ratio += known.whole;
	return d.common;
}

#define BOUND 0.2231 /* log 1.25 */

/* A function and its leaf hold half of the samples, and doubled: the ten others did
 * not move, whatever their part of the samples. The same of the repair. */
static void test_hot_half(void **state)
{
	static const double ratios[] = { 0.5, 1.5, 2, 3 };

	(void)state;
	for (size_t i = 0; i < 4; i++)
		for (size_t moved = 1; moved < 6; moved++)
			for (int large = 1; large <= 16; large *= 4) {
				struct replicate_common c =
					common_of(moved, ratios[i], large, BOUND);

				assert_within(c.log_ratio, -0.03, 0.03);
				assert_int_equal(c.reading, REPLICATE_CLEAR);
				if (moved > 3)
					continue;
				/* Where nothing is known of the work, too. */
				c = common_of(moved, ratios[i], large, 0);
				assert_within(c.log_ratio, -0.03, 0.03);
			}
}

/* Most functions moved alike: with known work those that did not are the measure, as
 * long as there are any. */
static void test_most_moved(void **state)
{
	struct replicate_common c;

	(void)state;
	for (size_t moved = 6; moved < 12; moved++) {
		c = common_of(moved, 2, 1, BOUND);
		assert_within(c.log_ratio, -0.03, 0.03);
		assert_int_equal(c.reading, REPLICATE_CLEAR);
	}
	c = common_of(12, 2, 1, BOUND);
	assert_int_equal(c.reading, REPLICATE_TOGETHER);
	assert_within(c.log_ratio, log(2) - 0.03, log(2) + 0.03);
	/* Within the bound it is the machine. */
	c = common_of(12, 1.2, 1, BOUND);
	assert_int_equal(c.reading, REPLICATE_CLEAR);
	assert_within(c.log_ratio, log(1.2) - 0.03, log(1.2) + 0.03);
	c = common_of(12, 1.3, 1, BOUND);
	assert_int_equal(c.reading, REPLICATE_TOGETHER);
}

/* Half of the functions doubled, or the other half halved: nobody knows. */
static void test_split(void **state)
{
	struct replicate_common c;

	(void)state;
	c = common_of(6, 2, 1, 0);
	assert_int_equal(c.reading, REPLICATE_SPLIT);
	c = common_of(1, 2, 1, 0);
	assert_int_equal(c.reading, REPLICATE_CLEAR);
}

/* Rows that vary less than independent samples do not make others vary more. */
static void test_steady(void **state)
{
	struct drawn d;

	(void)state;
	draw(&d, (struct setting){ .runs = 1, .samples = 400000, .after = 1 });
	for (size_t i = 0; i < ROWS; i++)
		d.values[0][i][0] = d.values[1][i][0] + (double)(i % 3);
	assert_true(replicates_common(&d.runs, d.rows, ROWS, &prior, &d.arena,
				      &d.common, &d.err));
	assert_true(replicates_noise(&d.runs, d.rows, ROWS, &d.common, &prior,
				     &d.noise, &d.err));
	assert_within(d.noise.sampling, 1, 1.05);
	assert_true(d.noise.prior_df > 100);
	arena_release(&d.arena);
}

/* The drift of 3 % that rows of some samples hardly show decides about one of
 * thousands: it has mostly its own runs to go by. */
static void test_larger_rows(void **state)
{
	struct replicate_sums sums = { .df = 6, .pearson = 6 };
	struct noise small, large;
	struct drawn d;

	(void)state;
	draw(&d, (struct setting){ .runs = 4, .samples = 10000, .cv = 0.03,
				   .after = 1 });
	sums.mean = 50;
	small = replicates_row_noise(&d.noise, &sums, 1e-3, 0);
	sums.mean = 5000;
	large = replicates_row_noise(&d.noise, &sums, 1e-3, 0);
	assert_true(large.df < small.df / 2);
	arena_release(&d.arena);
}

#define SPREAD_DRAWS 100

static const struct replicate_prior windows = {
	.sampling = 1,
	.drift_cv = 0.05,
	.between_cv = 0.05,
	.may_rise = true,
};

/* Of what was found how far it lies from the truth, beside it: on average, and
 * the root of the mean square. Medians, which those that changed draw upwards,
 * lie 0.27 and 0.38 above it, and 0.32 and 0.45 off. */
static void expect_near(const double *found, double truth)
{
	double mean = 0, square = 0;

	for (int i = 0; i < SPREAD_DRAWS; i++) {
		double off = found[i] / truth - 1;

		mean += off / SPREAD_DRAWS;
		square += off * off / SPREAD_DRAWS;
	}
	assert_within(mean, -0.15, 0.15);
	assert_within(sqrt(square), 0, 0.25);
}

/* One run a side: what most of many rows show is found beside one in ten that
 * changed. */
static void test_spread(void **state)
{
	double found[SPREAD_DRAWS];
	struct drawn d;

	(void)state;
	for (int i = 0; i < SPREAD_DRAWS; i++) {
		draw(&d, (struct setting){ .runs = 1, .samples = 400000,
					   .cv = 0.1, .after = 1, .changed = 20,
					   .dearer = 2 });
		/* 2,000 a row: 2000 + 0.01 * 2000^2. */
		found[i] = d.noise.sampling * (1 + 2000 * d.noise.drift);
		arena_release(&d.arena);
	}
	expect_near(found, 21);
}

/* The same of what lies between sides of several runs. */
static void test_spread_between(void **state)
{
	double found[SPREAD_DRAWS];
	struct drawn d;

	(void)state;
	for (int i = 0; i < SPREAD_DRAWS; i++) {
		draw(&d, (struct setting){ .runs = 4, .samples = 400000,
					   .cv = 0.01, .after = 1, .changed = 20,
					   .dearer = 2, .apart = 0.1 });
		assert_true(replicates_noise(&d.runs, d.rows, ROWS, &d.common,
					     &windows, &d.noise, &d.err));
		found[i] = d.noise.between;
		arena_release(&d.arena);
	}
	expect_near(found, 0.1 * 0.1);
}

/* Of fewer rows than REPLICATE_MANY_ROWS the spread is their median, or taken
 * for granted. */
static void test_spread_of_few(void **state)
{
	struct drawn d;

	(void)state;
	draw(&d, (struct setting){ .runs = 4, .samples = 400000, .cv = 0.01,
				   .after = 1, .apart = 0.2 });
	assert_true(replicates_noise(&d.runs, d.rows, REPLICATE_MANY_ROWS - 1,
				     &d.common, &windows, &d.noise, &d.err));
	assert_within(d.noise.between, 0.005 - 1e-9, 0.005 + 1e-9);
	assert_true(isinf(d.noise.between_df));
	assert_true(replicates_noise(&d.runs, d.rows, REPLICATE_MANY_ROWS,
				     &d.common, &windows, &d.noise, &d.err));
	assert_within(d.noise.between, 0.02, 0.07);
	assert_within(d.noise.between_df, 0.5 * REPLICATE_MANY_ROWS,
		      REPLICATE_MANY_ROWS);
	arena_release(&d.arena);
	/* In one run a side, too: so few do not show more than is taken. */
	draw(&d, (struct setting){ .runs = 1, .samples = 400000, .cv = 0.2,
				   .after = 1 });
	assert_true(replicates_noise(&d.runs, d.rows, REPLICATE_MANY_ROWS - 1,
				     &d.common, &prior, &d.noise, &d.err));
	assert_within(d.noise.sampling * (1 + 2000 * d.noise.drift), 1, 6.1);
	assert_true(replicates_noise(&d.runs, d.rows, REPLICATE_MANY_ROWS,
				     &d.common, &prior, &d.noise, &d.err));
	assert_within(d.noise.sampling * (1 + 2000 * d.noise.drift), 40, 140);
	arena_release(&d.arena);
}

/* Of one run a side: a large row that grew by a third says nothing of how large ones
 * vary, which few others show. */
static void test_steady_beside_changed(void **state)
{
	struct drawn d;

	(void)state;
	for (int i = 0; i < SPREAD_DRAWS; i++) {
		draw(&d, (struct setting){ .runs = 1, .samples = 20000,
					   .cv = 0.03, .after = 1 });
		d.values[0][0][0] = 1300;
		d.values[1][0][0] = 1000;
		for (size_t k = 1; k < 4; k++)
			for (int s = 0; s < REPLICATE_SIDES; s++)
				d.values[s][k][0] = (size_t)s == k % 2 ? 420 : 400;
		assert_true(replicates_noise(&d.runs, d.rows, ROWS, &d.common,
					     &prior, &d.noise, &d.err));
		assert_within(d.noise.sampling * (1 + 1000 * d.noise.drift), 1, 2.5);
		arena_release(&d.arena);
	}
}

/* Most rows have hardly the samples that a side must have, and all take a fifth less:
 * those that have them on both sides are not taken for what most did. */
static void test_hardly_telling(void **state)
{
	double mean = 0;
	struct drawn d;

	(void)state;
	draw(&d, (struct setting){ .runs = 1, .samples = ROWS, .after = 1 });
	for (int draws = 0; draws < SPREAD_DRAWS; draws++) {
		d.sizes[0][0] = d.sizes[1][0] = 0;
		for (int s = 0; s < REPLICATE_SIDES; s++)
			for (size_t i = 0; i < ROWS; i++) {
				double some = (i < 40 ? 100 : 12) * (s ? 1 : 0.8);

				d.values[s][i][0] = fmax(
					0, round(some + sqrt(some) *
							next_normal(
								&random_state)));
				d.sizes[s][0] += d.values[s][i][0];
			}
		d.runs.sizes[0] = d.sizes[0];
		d.runs.sizes[1] = d.sizes[1];
		assert_true(replicates_common(&d.runs, d.rows, ROWS, &prior,
					      &d.arena, &d.common, &d.err));
		mean += (d.common.log_ratio +
			 log(d.sizes[0][0] / d.sizes[1][0])) /
			SPREAD_DRAWS;
	}
	assert_within(mean, log(0.8) - 0.01, log(0.8) + 0.01);
	arena_release(&d.arena);
}

UNIT_TESTS(replicates)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_found_again),
		cmocka_unit_test(test_one_run),
		cmocka_unit_test(test_fair),
		cmocka_unit_test(test_burst),
		cmocka_unit_test(test_few),
		cmocka_unit_test(test_prior),
		cmocka_unit_test(test_spread),
		cmocka_unit_test(test_spread_between),
		cmocka_unit_test(test_spread_of_few),
		cmocka_unit_test(test_hot_half),
		cmocka_unit_test(test_most_moved),
		cmocka_unit_test(test_split),
		cmocka_unit_test(test_steady),
		cmocka_unit_test(test_larger_rows),
		cmocka_unit_test(test_steady_beside_changed),
		cmocka_unit_test(test_hardly_telling),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
