/* SPDX-License-Identifier: Apache-2.0
 *
 * Requests of two sides in, what is told of them out; drawn ones among them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "../unit.h"
#include "analyze/latency.h"
#include "base/limits.h"

#define MOST 400

struct fixture {
	struct arena arena;
	struct latency_request requests[4][MOST];
	struct latency_operation operations[2];
	struct latency_row rows[2];
	struct error err;
};

static int setup(void **state)
{
	static struct fixture f;

	memset(&f, 0, sizeof f);
	arena_init(&f.arena, LIMIT_RESULT_BYTES);
	*state = &f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	arena_release(&f->arena);
	return 0;
}

/* Durations that are spread over a factor of four, each run having all of
 * them. */
static struct latency_sample spread(struct latency_request *out, size_t count,
				    double factor, size_t runs)
{
	for (size_t i = 0; i < count; i++) {
		double part = (double)(i / runs) / (double)(count / runs);

		out[i] = (struct latency_request){
			(int64_t)(1e7 * factor * pow(4, part)),
			(uint32_t)(i % runs),
		};
	}
	return (struct latency_sample){ out, count };
}

static void judge(struct fixture *f, size_t count)
{
	assert_true(latency_judge(f->operations, count, f->rows, &f->arena,
				  &f->err));
}

static void judge_spread(struct fixture *f, size_t count, double factor,
			 size_t runs)
{
	f->operations[0] = (struct latency_operation){
		.name = STR("GET /"),
		.after = spread(f->requests[0], count, factor, runs),
		.before = spread(f->requests[1], count, 1, runs),
	};
	judge(f, 1);
}

static void test_longer(void **state)
{
	struct fixture *f = *state;
	const struct latency_row *row = f->rows;

	judge_spread(f, 200, 1.3, 8);
	assert_int_equal(row->change, LATENCY_LONGER);
	assert_true(fabs(row->growth - 0.3) < 0.02);
	assert_true(row->low > 0.1 && row->low < 0.3);
	assert_true(row->high > 0.3 && row->high < 0.5);
	assert_true(row->q < 0.01);
	assert_true(row->detectable > 0.1 && row->detectable < 0.5);
	assert_int_equal(row->after.count, 200);
	assert_true(row->after.quantiles.p50_ns > row->before.quantiles.p50_ns);
}

static void test_shorter(void **state)
{
	struct fixture *f = *state;

	judge_spread(f, 200, 1 / 1.3, 8);
	assert_int_equal(f->rows[0].change, LATENCY_SHORTER);
	assert_true(fabs(f->rows[0].growth + 0.23) < 0.02);
}

static void test_equal(void **state)
{
	struct fixture *f = *state;

	judge_spread(f, 200, 1, 8);
	assert_int_equal(f->rows[0].change, LATENCY_NOISE);
	assert_true(fabs(f->rows[0].growth) < 1e-6);
	assert_true(f->rows[0].q > 0.9);
	assert_true(f->rows[0].alike >= 1);
}

/* Both sides of each limit. */
static void test_few(void **state)
{
	struct fixture *f = *state;

	judge_spread(f, LATENCY_MIN_REQUESTS, 1, LATENCY_MIN_RUNS);
	assert_int_equal(f->rows[0].change, LATENCY_NOISE);
	judge_spread(f, LATENCY_MIN_REQUESTS - 1, 9, LATENCY_MIN_RUNS);
	assert_int_equal(f->rows[0].change, LATENCY_FEW);
	assert_true(isnan(f->rows[0].growth) && isnan(f->rows[0].q));
	judge_spread(f, 200, 9, LATENCY_MIN_RUNS - 1);
	assert_int_equal(f->rows[0].change, LATENCY_FEW);
}

static void test_quantiles_need_requests(void **state)
{
	struct fixture *f = *state;
	const struct latency_quantiles *q = &f->rows[0].after.quantiles;

	judge_spread(f, 0, 1, 8);
	assert_int_equal(q->p50_ns, -1);
	judge_spread(f, 19, 1, 1);
	assert_true(q->p50_ns > 0);
	assert_int_equal(q->p95_ns, -1);
	judge_spread(f, 99, 1, 1);
	assert_true(q->p95_ns > 0);
	assert_int_equal(q->p99_ns, -1);
	judge_spread(f, 100, 1, 1);
	assert_true(q->p99_ns > 0);
}

static void test_all_the_same(void **state)
{
	struct fixture *f = *state;

	for (size_t side = 0; side < 2; side++)
		for (size_t i = 0; i < 100; i++)
			f->requests[side][i] =
				(struct latency_request){ 5000000,
							  (uint32_t)(i % 8) };
	f->operations[0].after = (struct latency_sample){ f->requests[0], 100 };
	f->operations[0].before =
		(struct latency_sample){ f->requests[1], 100 };
	judge(f, 1);
	assert_int_equal(f->rows[0].change, LATENCY_NOISE);
	assert_true(fabs(f->rows[0].growth) < 1e-6);
	assert_true(f->rows[0].alike == 1);
}

/* Each run has a level of its own, and those of one side happen to be higher:
 * two hundred requests, but eight runs. */
static void test_runs_that_lie_apart(void **state)
{
	static const double levels[2][8] = {
		{ 1.4, 1.0, 1.5, 0.9, 1.3, 1.0, 1.5, 1.1 },
		{ 1.0, 0.8, 1.3, 0.9, 1.2, 0.8, 1.1, 1.0 },
	};
	struct fixture *f = *state;

	judge_spread(f, 200, 1, 8);
	for (size_t side = 0; side < 2; side++)
		for (size_t i = 0; i < 200; i++) {
			struct latency_request *r = &f->requests[side][i];

			r->duration_ns = (int64_t)((double)r->duration_ns *
						   levels[side][r->run]);
		}
	judge(f, 1);
	assert_int_equal(f->rows[0].change, LATENCY_NOISE);
	assert_true(f->rows[0].alike >= LATENCY_ALIKE);
}

/* Runs of both sides differ by some times, and a request takes a hundred times as
 * long: ranks of four runs leave that open, far outside of it as it lies. */
static void test_far_apart(void **state)
{
	struct fixture *f = *state;

	judge_spread(f, 60, 1, 4);
	for (size_t side = 0; side < 2; side++)
		for (size_t i = 0; i < 60; i++) {
			struct latency_request *r = &f->requests[side][i];

			r->duration_ns *= (int64_t)((side ? 1 : 100) *
						    pow(3, r->run));
		}
	judge(f, 1);
	assert_int_equal(f->rows[0].change, LATENCY_LONGER);
	assert_true(fabs(f->rows[0].growth - 99) < 1);
	assert_true(f->rows[0].low > 5 && f->rows[0].high > 200);
}

/* The same on both sides: so far do requests of a minute lie from others. */
static void test_alike_on_both(void **state)
{
	struct fixture *f = *state;

	judge_spread(f, 200, 1, 8);
	for (size_t side = 0; side < 2; side++)
		for (size_t i = 0; i < 200; i++)
			if (f->requests[side][i].run >= 5 - side)
				f->requests[side][i].duration_ns *= 86;
	judge(f, 1);
	assert_int_equal(f->rows[0].change, LATENCY_NOISE);
	assert_true(f->rows[0].detectable > 0.5);
}

/* ---- drawn ---- */

static uint64_t seed = 88172645463325252u;

static double uniform(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return ((double)(seed >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * acos(-1) * uniform());
}

/* How far runs lie apart. */
static double runs_cv = 0.03;

static struct latency_sample draw(struct latency_request *out, double factor)
{
	double level = 1;

	for (size_t i = 0; i < 200; i++) {
		if (i % 25 == 0)
			level = factor * exp(runs_cv * normal());
		out[i] = (struct latency_request){
			(int64_t)(15e6 * level * exp(0.45 * normal())),
			(uint32_t)(i / 25),
		};
	}
	return (struct latency_sample){ out, 200 };
}

/* Two operations, of which the first may have grown. */
static void draw_pairs(struct fixture *f, double factor, int told[2])
{
	told[0] = told[1] = 0;
	for (int n = 0; n < 200; n++) {
		for (size_t i = 0; i < 2; i++)
			f->operations[i] = (struct latency_operation){
				.after = draw(f->requests[2 * i],
					      i ? 1 : factor),
				.before = draw(f->requests[2 * i + 1], 1),
			};
		judge(f, 2);
		for (size_t i = 0; i < 2; i++)
			told[i] += f->rows[i].change == LATENCY_LONGER;
		arena_release(&f->arena);
		arena_init(&f->arena, LIMIT_RESULT_BYTES);
	}
}

static void test_drawn(void **state)
{
	struct fixture *f = *state;
	int told[2];

	draw_pairs(f, 1, told);
	assert_in_range(told[0] + told[1], 0, 8);
	draw_pairs(f, 1.3, told);
	assert_in_range(told[0], 190, 200);
	assert_in_range(told[1], 0, 8);
}

/* Runs that lie so far apart that sides often differ by twice as much: the second
 * look costs no more than it is said to. */
static void test_drawn_wild(void **state)
{
	struct fixture *f = *state;
	int told[2];

	runs_cv = 1.5;
	draw_pairs(f, 1, told);
	assert_in_range(told[0] + told[1], 0, 14);
	draw_pairs(f, 100, told);
	assert_in_range(told[0], 180, 200);
	runs_cv = 0.03;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

UNIT_TESTS(latency)
{
	const struct CMUnitTest tests[] = {
		TEST(test_longer),
		TEST(test_shorter),
		TEST(test_equal),
		TEST(test_few),
		TEST(test_quantiles_need_requests),
		TEST(test_all_the_same),
		TEST(test_runs_that_lie_apart),
		TEST(test_far_apart),
		TEST(test_alike_on_both),
		TEST(test_drawn),
		TEST(test_drawn_wild),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
