/* SPDX-License-Identifier: Apache-2.0
 *
 * How far functions wander, found in peers that are drawn from one random
 * source with a fixed start.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../random.h"
#include "analyze/wander.h"

#define MOST_PEERS 400

static const struct wander_prior wide = { 3, 0.1, true };
static const struct wander_prior bounded = { 3, 0.1, false };

static struct wander_peer peers[MOST_PEERS];
static uint32_t random_state;

/* Sizes from 20 samples to 20 times 2^18, spread evenly on a logarithmic
 * scale; cv of those above `size` is `large`. */
static void draw(size_t count, double phi, double small, double size,
		 double large)
{
	random_state = 12345;
	for (size_t i = 0; i < count; i++) {
		double samples = 20 * exp2(18.0 * (double)i / (double)count);
		double cv = samples > size ? large : small;

		peers[i].sampling = 2 / samples;
		peers[i].log_ratio =
			0.2 + next_normal(&random_state) *
				      sqrt(phi * 2 / samples + 2 * cv * cv);
	}
}

static double cv_at(const struct wander *w, double samples)
{
	return sqrt(wander_drift(w, 2 / samples).value);
}

static void assert_within(double value, double low, double high)
{
	if (!(value >= low && value <= high))
		fail_msg("%.4f is not in %.4f to %.4f", value, low, high);
}

/* Without peers it is what is taken for granted. */
static void test_prior(void **state)
{
	struct wander w;
	struct wander_known all;

	(void)state;
	wander_fit(&w, peers, 0, wide);
	all = wander_at(&w, (struct wander_known){ 0.01, INFINITY });
	assert_within(all.value, 0.0499999, 0.0500001);
	assert_true(isinf(all.df));
	all = wander_at(&w, (struct wander_known){ 0.01, 4 });
	assert_within(all.df, 4 * 25 / 9.0 - 1e-6, 4 * 25 / 9.0 + 1e-6);
}

static void test_many(void **state)
{
	struct wander w;

	(void)state;
	draw(400, 1, 0.01, 0, 0.01);
	wander_fit(&w, peers, 400, wide);
	assert_within(w.centre, 0.19, 0.21);
	assert_within(w.phi.value, 1, 1.3);
	assert_within(cv_at(&w, 100000), 0.008, 0.02);
	draw(400, 4, 0.15, 0, 0.15);
	wander_fit(&w, peers, 400, wide);
	assert_within(cv_at(&w, 10000), 0.12, 0.19);
	assert_within(wander_at(&w, (struct wander_known){ 0.01, INFINITY }).df,
		      20, 400);
}

/* Of one side, sampling included. */
static double noise_at(const struct wander *w, double samples)
{
	const struct wander_known sampling = { 2 / samples, INFINITY };

	return sqrt(wander_at(w, sampling).value / 2);
}

/* Large functions that wander less than small ones are judged by themselves. */
static void test_sizes(void **state)
{
	struct wander w;

	(void)state;
	draw(400, 1, 0.15, 20000, 0.02);
	wander_fit(&w, peers, 400, wide);
	assert_within(noise_at(&w, 1000), 0.11, 0.2);
	assert_within(noise_at(&w, 1e6), 0.015, 0.06);
}

/* A fifth of them that doubled hardly moves what the others show. */
static void test_robust(void **state)
{
	struct wander w;

	(void)state;
	draw(400, 1, 0.02, 0, 0.02);
	for (size_t i = 0; i < 400; i += 5)
		peers[i].log_ratio += log(2);
	wander_fit(&w, peers, 400, wide);
	assert_within(w.centre, 0.18, 0.23);
	draw(400, 1, 0.02, 0, 0.02);
	for (size_t i = 0; i < 400; i += 20)
		peers[i].log_ratio += log(2);
	wander_fit(&w, peers, 400, wide);
	assert_within(cv_at(&w, 100000), 0.015, 0.035);
}

/* Nothing else is as large as one that doubled, and those that call it: they
 * show no more than the smaller ones do. */
#define LARGEST 300000.0

static void test_largest(void **state)
{
	struct wander w;
	struct wander_known all;

	(void)state;
	draw(300, 1, 0.02, 0, 0.02);
	for (size_t i = 0; i < 3; i++)
		peers[i] = (struct wander_peer){
			.log_ratio = 0.2 + log(2),
			.sampling = 2 / (LARGEST * (double)(i + 1)),
		};
	for (size_t i = 3; i < 300; i++)
		peers[i].sampling = fmax(peers[i].sampling, 2 / 5000.0);
	wander_fit(&w, peers, 300, wide);
	assert_within(cv_at(&w, LARGEST), 0.01, 0.04);
	all = wander_at(&w, (struct wander_known){ 2 / LARGEST, INFINITY });
	assert_true(all.df > 10);
}

/* WANDER_MANY: fewer show less noise, never more. */
static void test_few(void **state)
{
	struct wander w;

	(void)state;
	draw(WANDER_MANY - 1, 1, 0.25, 0, 0.25);
	wander_fit(&w, peers, WANDER_MANY - 1, wide);
	assert_within(cv_at(&w, 10000), 0.08, 0.1000001);
	draw(WANDER_MANY, 1, 0.25, 0, 0.25);
	wander_fit(&w, peers, WANDER_MANY, wide);
	assert_within(cv_at(&w, 10000), 0.15, 0.4);
	wander_fit(&w, peers, WANDER_MANY, bounded);
	assert_within(cv_at(&w, 10000), 0.08, 0.1000001);
	assert_true(isinf(w.phi.df));
	draw(WANDER_MANY - 1, 1, 0.01, 0, 0.01);
	wander_fit(&w, peers, WANDER_MANY - 1, wide);
	assert_within(cv_at(&w, 1e6), 0.01, 0.05);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_prior), cmocka_unit_test(test_many),
		cmocka_unit_test(test_sizes), cmocka_unit_test(test_robust),
		cmocka_unit_test(test_largest), cmocka_unit_test(test_few),
	};

	return cmocka_run_group_tests_name("analyze/wander", tests, NULL, NULL);
}
