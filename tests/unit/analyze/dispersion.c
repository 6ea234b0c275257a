/* SPDX-License-Identifier: Apache-2.0
 *
 * Expected figures were worked out by hand; the steps stand beside them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "analyze/dispersion.h"
#include "analyze/stats.h"

static void assert_close(double have, double want)
{
	if (!(fabs(have - want) <= 1e-12 * fmax(1, fabs(want))))
		fail_msg("%.15g is not %.15g", have, want);
}

static const double even[] = { 1, 1, 1, 1, 1, 1 };

static struct slice_row row_of(const double *values, size_t count)
{
	return (struct slice_row){ .values = values,
				   .exposures = even,
				   .count = count,
				   .value_size = 1 };
}

/* 10, 20, 30 around 20: (100 + 0 + 100) / 20 = 10. 5, 5, 5: 0. Together 10 on
 * four degrees of freedom, over six blocks of 75 samples. */
static void test_rates(void **state)
{
	static const double slow[] = { 10, 20, 30 }, base[] = { 5, 5, 5 };
	struct slice_row a = row_of(slow, 3), b = row_of(base, 3);
	struct dispersion d = dispersion_of(&a, &b);

	(void)state;
	assert_close(d.phi, 2.5);
	assert_close(d.df, 4);
	assert_close(d.mean, 12.5);
}

/* A true change between the sides is no noise: each has its own rate. */
static void test_change_is_no_noise(void **state)
{
	static const double slow[] = { 900, 900 }, base[] = { 3, 3, 3 };
	struct slice_row a = row_of(slow, 2), b = row_of(base, 3);
	struct dispersion d = dispersion_of(&a, &b);

	(void)state;
	assert_close(d.phi, 0);
	assert_close(d.df, 3);
}

/* 12 and 18 of exposures 1 and 2: expected 10 and 20, 4/10 + 4/20 = 0.6. */
static void test_exposures(void **state)
{
	static const double values[] = { 12, 18 }, exposures[] = { 1, 2 };
	struct slice_row a = row_of(values, 2), b = row_of(NULL, 0);
	struct dispersion d;

	(void)state;
	a.exposures = exposures;
	d = dispersion_of(&a, &b);
	assert_close(d.phi, 0.6);
	assert_close(d.df, 1);
	assert_close(d.mean, 15);
}

/* 40 and 60 of 100 each: expected 50, variance 50 * (1 - 0.5): 8. */
static void test_shares(void **state)
{
	static const double values[] = { 40, 60 }, all[] = { 100, 100 };
	struct slice_row a = row_of(values, 2), b = row_of(values, 0);
	struct dispersion d;

	(void)state;
	a.exposures = all;
	a.is_share = true;
	d = dispersion_of(&a, &b);
	assert_close(d.phi, 8);
	/* All of all: nothing varies, nothing is known. */
	a.values = all;
	assert_close(dispersion_of(&a, &b).df, 0);
}

/* The first test's samples of 10 ms each, in nanoseconds. */
static void test_sample_size(void **state)
{
	static const double slow[] = { 1e8, 2e8, 3e8 },
			    base[] = { 5e7, 5e7, 5e7 };
	struct slice_row a = row_of(slow, 3), b = row_of(base, 3);
	struct dispersion d;

	(void)state;
	a.value_size = b.value_size = 1e7;
	d = dispersion_of(&a, &b);
	assert_close(d.phi, 2.5);
	assert_close(d.mean, 12.5);
}

/* A side where the function is not, or with one block, tells nothing. */
static void test_unknown(void **state)
{
	static const double none[] = { 0, 0, 0 }, some[] = { 4, 8, 6 };
	struct slice_row a = row_of(some, 3), b = row_of(none, 3);
	struct dispersion d = dispersion_of(&a, &b);

	(void)state;
	/* (4 + 4 + 0) / 6 / 2 */
	assert_close(d.phi, 2.0 / 3);
	assert_close(d.df, 2);
	a.count = 1;
	d = dispersion_of(&a, &b);
	assert_close(d.df, 0);
	assert_close(d.phi, 0);
}

static void test_shrinkage(void **state)
{
	struct dispersion rows[] = {
		{ .phi = 4, .df = 18, .mean = 10 },
		{ .phi = 2, .df = 18, .mean = 10 },
		{ .phi = 0.3, .df = 18, .mean = 10 },
		{ .phi = 99, .df = 0, .mean = 10 },
	};
	struct dispersion_prior prior = dispersion_prior_of(rows, 4, true);

	(void)state;
	/* (4 + 2 + 0.3) / 3; excess 3.3 over blocks of 30 samples. */
	assert_close(prior.phi, 2.1);
	assert_close(prior.trend, 0.11);
	/* (4 * 2.1 + 18 * 4) / 22; without any df the prior alone. */
	assert_close(dispersion_shrink(&rows[0], &prior), 80.4 / 22);
	assert_close(dispersion_shrink(&rows[3], &prior), 2.1);
	/* Less than Poisson's variance is luck: 13.8 / 22. */
	assert_close(dispersion_shrink(&rows[2], &prior), 1);
	/* A hundred times as large: 1 + 0.11 * 1000 is typical of it. */
	rows[2].mean = 1000;
	assert_close(dispersion_shrink(&rows[2], &prior),
		     (4 * 111 + 18 * 0.3) / 22);
}

#define STEADY 60

/* The quantile of the normal distribution. */
static double normal_at(double p)
{
	double z = normal_two_sided_quantile(2 * fmin(p, 1 - p));

	return p < 0.5 ? -z : z;
}

/* So many functions whose phi lies apart as 20 degrees of freedom let it (two of
 * three within a third), and some that a collector of garbage drives. */
static struct dispersion_prior narrow_prior(struct dispersion rows[STEADY + 6],
					    double apart)
{
	struct dispersion_prior prior;

	for (size_t i = 0; i < STEADY; i++)
		rows[i] = (struct dispersion){
			.phi = exp(apart * normal_at((double)(i + 1) /
						     (STEADY + 1))),
			.df = 20,
			.mean = 100,
		};
	for (size_t i = STEADY; i < STEADY + 6; i++)
		rows[i] = (struct dispersion){ .phi = 30, .df = 20,
					       .mean = 100 };
	prior = dispersion_prior_of(rows, STEADY + 6, true);
	dispersion_prior_narrow(&prior, rows, STEADY + 6);
	return prior;
}

static void test_narrow(void **state)
{
	struct dispersion rows[STEADY + 6], d = { .df = 20, .mean = 100 };
	struct dispersion_prior prior = narrow_prior(rows, 0.28);

	(void)state;
	/* The few do not speak for all: as good as known. */
	assert_true(prior.phi >= 1 && prior.phi < 1.2);
	assert_true(prior.df > 100);
	d.phi = 1.3;
	assert_true(dispersion_narrow(&d, &prior).phi < 1.2);
	assert_true(dispersion_narrow(&d, &prior).df > 100);
	/* One of them has its own. */
	d.phi = 30;
	assert_close(dispersion_narrow(&d, &prior).phi, 30);
	assert_close(dispersion_narrow(&d, &prior).df, 20);
	/* Functions that differ speak little for each other. */
	prior = narrow_prior(rows, 1.2);
	assert_true(prior.df < 10);
	/* Less than Poisson's variance is luck. */
	d.phi = 0.2;
	assert_true(dispersion_narrow(&d, &prior).phi >= 1);
}

/* Too few to tell: as before. */
static void test_narrow_few(void **state)
{
	struct dispersion rows[2] = { { .phi = 3, .df = 20, .mean = 50 },
				      { .phi = 1, .df = 20, .mean = 50 } };
	struct dispersion_prior prior = dispersion_prior_of(rows, 2, true);

	(void)state;
	dispersion_prior_narrow(&prior, rows, 2);
	assert_close(prior.phi, 2);
	assert_close(prior.df, DISPERSION_PRIOR_DF);
}

/* Of delays the median is typical, 1e8 here, and draws upwards only: (4 * 1e8
 * + 6 * 2e7) / 10. */
static void test_shrinkage_of_values(void **state)
{
	struct dispersion rows[] = {
		{ .phi = 3e12, .df = 6, .mean = 1e9 },
		{ .phi = 5e12, .df = 0, .mean = 1e9 },
		{ .phi = 2e7, .df = 6, .mean = 1e7 },
		{ .phi = 1e8, .df = 6, .mean = 1e7 },
	};
	struct dispersion steady = rows[2], burst = rows[0];
	struct dispersion_prior prior = dispersion_prior_of(rows, 4, false);

	(void)state;
	assert_close(prior.phi, 1e8);
	assert_close(prior.trend, 0);
	assert_close(dispersion_shrink(&steady, &prior), 5.2e7);
	assert_close(dispersion_shrink(&burst, &prior), 3e12);
	assert_close(dispersion_prior_of(rows, 0, true).phi, 1);
	assert_close(dispersion_prior_of(rows, 0, false).phi, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rates),
		cmocka_unit_test(test_change_is_no_noise),
		cmocka_unit_test(test_exposures),
		cmocka_unit_test(test_shares),
		cmocka_unit_test(test_sample_size),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_shrinkage),
		cmocka_unit_test(test_narrow),
		cmocka_unit_test(test_narrow_few),
		cmocka_unit_test(test_shrinkage_of_values),
	};

	return cmocka_run_group_tests_name("analyze/dispersion", tests, NULL,
					   NULL);
}
