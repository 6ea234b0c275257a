/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/latency.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "analyze/ordering.h"
#include "analyze/stats.h"
#include "base/arena.h"
#include "base/num.h"

/* Requests of which one lies beyond the quantile. */
#define P95_REQUESTS 20u
#define P99_REQUESTS 100u

/* For a power of 80 %: deviations beyond those of significance. */
#define SEEN_BEYOND 0.84

/* 1 - confidence of intervals. */
#define LEVEL 0.05

/* No request becomes a million times as long; halves of that down to one part
 * in a hundred million. */
#define MOST_LOG 14.0
#define HALVES 32

/* One operation in the test. */
struct test {
	const int64_t *after; /* sorted */
	const int64_t *before;
	size_t after_count;
	size_t before_count;
	double z;     /* of independent requests */
	double alike; /* of its own runs */
	double df;
	/* Between the sides, of the logarithms of what half of a run's requests
	 * took, and its error. */
	double shift;
	double shift_error;
	double shift_df;
};

/* ---- samples ---- */

static int compare_requests(const void *left, const void *right)
{
	const struct latency_request *a = left, *b = right;
	int order = compare_i64(a->duration_ns, b->duration_ns);

	return order ? order : compare_i64(a->run, b->run);
}

static bool sort_sample(struct latency_sample s, const int64_t **out,
			struct arena *arena, struct error *err)
{
	int64_t *values = arena_array(arena, s.count + 1, sizeof *values);

	if (!values)
		return arena_fail(arena, "the requests", err);
	if (s.count)
		qsort(s.requests, s.count, sizeof *s.requests,
		      compare_requests);
	for (size_t i = 0; i < s.count; i++)
		values[i] = s.requests[i].duration_ns;
	*out = values;
	return true;
}

static struct latency_side side_of(const int64_t *sorted, size_t count)
{
	return (struct latency_side){
		.count = count,
		.quantiles = {
			.p50_ns = values_quantile(sorted, count, 50),
			.p95_ns = count < P95_REQUESTS
					  ? -1
					  : values_quantile(sorted, count, 95),
			.p99_ns = count < P99_REQUESTS
					  ? -1
					  : values_quantile(sorted, count, 99),
		},
	};
}

static size_t runs_of(struct latency_sample s)
{
	bool is_there[LATENCY_RUNS] = { false };
	size_t count = 0;

	for (size_t i = 0; i < s.count; i++)
		is_there[s.requests[i].run] = true;
	for (size_t i = 0; i < LATENCY_RUNS; i++)
		count += is_there[i];
	return count;
}

static bool is_enough(struct latency_sample s)
{
	return s.count >= LATENCY_MIN_REQUESTS &&
	       runs_of(s) >= LATENCY_MIN_RUNS;
}

/* Variance of the runs' sums of ranks, as a multiple of what it would be if
 * requests were independent (the design effect of clustered samples; Rosner,
 * Glynn and Lee have the test of ranks that way). Ranks are those within the
 * side: a change between the sides is no noise. */
static double runs_alike(struct latency_sample s)
{
	double sums[LATENCY_RUNS] = { 0 }, between = 0, all = 0;
	double runs = (double)runs_of(s);

	for (size_t i = 0, end; i < s.count; i = end) {
		double off;

		for (end = i + 1;
		     end < s.count &&
		     s.requests[end].duration_ns == s.requests[i].duration_ns;)
			end++;
		off = (double)(i + end) / 2 - (double)s.count / 2;
		all += off * off * (double)(end - i);
		for (size_t k = i; k < end; k++)
			sums[s.requests[k].run] += off;
	}
	for (size_t i = 0; i < LATENCY_RUNS; i++)
		between += sums[i] * sums[i];
	return all > 0 ? between * runs / (runs - 1) / all : 1;
}

/* The mean of the logarithms of the medians of runs, and the sum of the squares of
 * what they lie apart from it. Sorted. */
static double mean_of_runs(struct latency_sample s, double *apart)
{
	size_t counts[LATENCY_RUNS] = { 0 }, seen[LATENCY_RUNS] = { 0 };
	double logs[LATENCY_RUNS], sum = 0, runs = (double)runs_of(s);

	for (size_t i = 0; i < s.count; i++)
		counts[s.requests[i].run]++;
	for (size_t i = 0; i < s.count; i++) {
		uint32_t run = s.requests[i].run;

		if (seen[run]++ == counts[run] / 2) {
			logs[run] = log(fmax(
				1, (double)s.requests[i].duration_ns));
			sum += logs[run];
		}
	}
	for (size_t i = 0; i < LATENCY_RUNS; i++)
		if (counts[i])
			*apart += pow(logs[i] - sum / runs, 2);
	return sum / runs;
}

/* Ranks say no more than that all requests of one side took longer: where those of
 * a minute are alike, as in a queue that grows, that is soon as much as a few runs
 * can say, however far they lie apart. How far tells the logarithm. */
static void find_shift(const struct latency_operation *o, struct test *t)
{
	double after = (double)runs_of(o->after);
	double before = (double)runs_of(o->before), apart = 0;

	t->shift = mean_of_runs(o->after, &apart) -
		   mean_of_runs(o->before, &apart);
	t->shift_df = after + before - 2;
	t->shift_error =
		sqrt(apart / t->shift_df * (1 / after + 1 / before));
}

/* ---- the shift between them ---- */

/* Returns the fraction of all pairs in which the later request took longer than
 * the earlier one, after dividing it by the factor. */
static double part_longer(const struct test *t, double factor)
{
	double pairs = 0;
	size_t below = 0, upto = 0;

	for (size_t i = 0; i < t->after_count; i++) {
		double value = (double)t->after[i] / factor;

		while (below < t->before_count &&
		       (double)t->before[below] < value)
			below++;
		while (upto < t->before_count &&
		       (double)t->before[upto] <= value)
			upto++;
		pairs += (double)(below + upto) / 2;
	}
	return pairs / (double)t->after_count / (double)t->before_count;
}

/* The logarithm of the factor at which it is this part. */
static double log_factor_at(const struct test *t, double part)
{
	double low = -MOST_LOG, high = MOST_LOG;

	for (int i = 0; i < HALVES; i++) {
		double middle = (low + high) / 2;

		if (part_longer(t, exp(middle)) > part)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

static void fill_growth(const struct test *t, double level,
			struct latency_row *row)
{
	double n = (double)t->after_count, m = (double)t->before_count;
	double far = student_two_sided_quantile(LEVEL, t->df);
	/* By the deviation of the part of the pairs under no change. */
	double off = far * sqrt(row->alike * (n + m + 1) / (12 * n * m));
	double low = log_factor_at(t, fmin(0.5 + off, 1));
	double high = log_factor_at(t, fmax(0.5 - off, 0));
	double one = (high - low) / 2 / far;

	row->growth = expm1(log_factor_at(t, 0.5));
	row->low = expm1(low);
	row->high = expm1(high);
	row->detectable = expm1(
		one * (student_two_sided_quantile(level, t->df) + SEEN_BEYOND));
}

/* From twice as long on, and back. */
#define FAR_LOG 0.693

/* Tests sides that are far apart by their runs, if ranks are inconclusive, as a
 * second test. Returns the p value. */
static double test_far(const struct test *t, double p, double level,
		       struct latency_row *row)
{
	double by_runs, off;

	if (p <= level || fabs(t->shift) < FAR_LOG || !(t->shift_error > 0))
		return p;
	by_runs = 2 * student_two_sided(fabs(t->shift) / t->shift_error,
					t->shift_df);
	if (by_runs >= p)
		return p;
	off = student_two_sided_quantile(LEVEL, t->shift_df) * t->shift_error;
	row->growth = expm1(t->shift);
	row->low = expm1(t->shift - off);
	row->high = expm1(t->shift + off);
	return by_runs;
}

/* ---- all of them ---- */

static bool test_prepare(const struct latency_operation *o, struct test *t,
			 struct latency_row *row, struct arena *arena,
			 struct error *err)
{
	double df_after = (double)runs_of(o->after) - 1;
	double df_before = (double)runs_of(o->before) - 1;

	*t = (struct test){ .after_count = o->after.count,
			    .before_count = o->before.count,
			    .df = df_after + df_before };
	if (!sort_sample(o->after, &t->after, arena, err) ||
	    !sort_sample(o->before, &t->before, arena, err))
		return false;
	*row = (struct latency_row){
		.name = o->name,
		.after = side_of(t->after, t->after_count),
		.before = side_of(t->before, t->before_count),
		.change = LATENCY_FEW,
		.growth = NAN,
		.low = NAN,
		.high = NAN,
		.q = NAN,
		.alike = NAN,
		.detectable = NAN,
	};
	if (!is_enough(o->after) || !is_enough(o->before))
		return true;
	row->change = LATENCY_NOISE;
	rank_sum_test(t->after, t->after_count, t->before, t->before_count,
		      &t->z);
	t->alike = (runs_alike(o->after) * df_after +
		    runs_alike(o->before) * df_before) /
		   t->df;
	find_shift(o, t);
	return true;
}

/* Operations of a service have their weather in common: each is taken as the
 * mean of its own noise and of all, which is known the better for it. */
static size_t share_noise(struct test *tests, struct latency_row *rows,
			  size_t count)
{
	double sum = 0;
	size_t tested = 0;

	for (size_t i = 0; i < count; i++)
		if (rows[i].change != LATENCY_FEW) {
			sum += tests[i].alike;
			tested++;
		}
	for (size_t i = 0; i < count; i++) {
		if (rows[i].change == LATENCY_FEW)
			continue;
		rows[i].alike =
			fmax(1, (tests[i].alike + sum / (double)tested) / 2);
		tests[i].df *= tested > 1 ? 2 : 1;
	}
	return tested;
}

/* Accepted fraction of false claims; if no operation changed, half of it is the
 * probability of reporting one as slower. */
#define LATENCY_FALSE 0.04

static bool test_all(struct test *tests, struct latency_row *rows, size_t count,
		     struct arena *arena, struct error *err)
{
	double *p = arena_array(arena, count + 1, sizeof *p);
	double *q = arena_array(arena, count + 1, sizeof *q);
	size_t *order = arena_array(arena, count + 1, sizeof *order);
	size_t tested = share_noise(tests, rows, count), n = 0;
	double level = LATENCY_FALSE / (double)(tested ? tested : 1);

	if (!p || !q || !order)
		return arena_fail(arena, "the operations", err);
	for (size_t i = 0; i < count; i++) {
		if (rows[i].change == LATENCY_FEW)
			continue;
		p[n] = student_two_sided(tests[i].z / sqrt(rows[i].alike),
					 tests[i].df);
		fill_growth(&tests[i], level, &rows[i]);
		p[n] = test_far(&tests[i], p[n], level, &rows[i]);
		n++;
	}
	false_discovery_adjust(p, q, order, n);
	for (size_t i = count; i-- > 0;) {
		if (rows[i].change == LATENCY_FEW)
			continue;
		rows[i].q = q[--n];
		if (rows[i].q <= LATENCY_FALSE)
			rows[i].change = rows[i].growth > 0 ? LATENCY_LONGER
							    : LATENCY_SHORTER;
	}
	return true;
}

bool latency_judge(const struct latency_operation *operations, size_t count,
		   struct latency_row *rows, struct arena *arena,
		   struct error *err)
{
	struct test *tests = arena_array(arena, count + 1, sizeof *tests);

	if (!tests)
		return arena_fail(arena, "the operations", err);
	for (size_t i = 0; i < count; i++)
		if (!test_prepare(&operations[i], &tests[i], &rows[i], arena,
				  err))
			return false;
	return test_all(tests, rows, count, arena, err);
}
