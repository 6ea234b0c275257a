/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/stats.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/system.h"

/* Below these the normal distribution is too coarse for small p values. */
#define EXACT_MAX_TRIALS 1000.0
#define EXACT_MIN_EXPECTED 50.0

/* Terms past this part of the sum cannot change a double any more. */
#define TAIL_EPSILON 1e-17

/* The continued fraction of the beta function takes about the root of its
 * larger parameter in terms: 100 degrees of freedom take ten. */
#define BETA_EPSILON 1e-15
#define BETA_MAX_TERMS 1000

/* From here on Student's distribution is the normal one to six digits. */
#define STUDENT_MAX_DF 1e6

/* With one degree of freedom a p of 1e-15 or less makes no difference. */
#define STUDENT_MAX_QUANTILE 1e15
/* erfc() reaches 0 just above. */
#define NORMAL_MAX_QUANTILE 38.0

/* The logarithm of a ratio of the sides: nothing is farther off. */
#define APART_MOST 40.0
#define APART_STEPS 60
#define APART_EPSILON 1e-6

/* Newton's last step: what is left of it is about its square. */
#define QUANTILE_EPSILON 1e-7
#define QUANTILE_LEAST 1e-13
/* From so many degrees of freedom on the expansion is near. */
#define FEW_DF 3
#define QUANTILE_MAX_STEPS 100

double stats_median(double *values, size_t count)
{
	if (!count)
		return 0;
	qsort(values, count, sizeof *values, compare_f64_items);
	return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

double normal_two_sided(double z)
{
	return erfc(fabs(z) * M_SQRT1_2);
}

/* Lentz's evaluation of the continued fraction of the incomplete beta
 * function (DLMF 8.17.22); converges fast for x < (a + 1) / (a + b + 2). */
static double beta_fraction(double x, double a, double b)
{
	double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), product = d;

	for (int m = 1; m < BETA_MAX_TERMS; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x /
			     ((a + 2 * m) * (a + 2 * m + 1));
		double step;

		d = 1 / (1 + even * d);
		c = 1 + even / c;
		product *= c * d;
		d = 1 / (1 + odd * d);
		c = 1 + odd / c;
		step = c * d;
		product *= step;
		if (fabs(step - 1) < BETA_EPSILON)
			break;
	}
	return product;
}

/* The part below x, where the fraction converges. y = 1 - x, exactly. */
static double beta_below(double x, double y, double a, double b)
{
	return exp(a * log(x) + b * log(y) + system_log_gamma(a + b) -
		   system_log_gamma(a) - system_log_gamma(b)) *
	       beta_fraction(x, a, b) / a;
}

/* df / (df + t^2) loses t when it is small: both parts are passed. */
double student_two_sided(double t, double df)
{
	double square = t * t, sum = df + square;
	double x = df / sum, y = square / sum, a = df / 2, b = 0.5;

	if (df > STUDENT_MAX_DF)
		return normal_two_sided(t);
	if (!isfinite(sum) || !(x > 0))
		return 0;
	if (!(y > 0))
		return 1;
	if (x < (a + 1) / (a + b + 2))
		return beta_below(x, y, a, b);
	return 1 - beta_below(y, x, b, a);
}

/* Twice the density. */
static double student_slope(double t, double df)
{
	if (df > STUDENT_MAX_DF)
		return 2 * exp(-t * t / 2) / sqrt(2 * M_PI);
	return 2 *
	       exp(system_log_gamma((df + 1) / 2) - system_log_gamma(df / 2) -
		   (df + 1) / 2 * log1p(t * t / df)) /
	       sqrt(df * M_PI);
}

/* That of the normal distribution to three digits (Abramowitz and Stegun,
 * 26.2.23), and what Student's has more, to two terms of its expansion (the same,
 * 26.7.5); of few degrees of freedom any will do. */
static double first_quantile(double p, double df)
{
	double s = sqrt(-2 * log(p / 2)), square;

	if (!isfinite(s) || df < FEW_DF)
		return 1;
	s -= (2.515517 + s * (0.802853 + s * 0.010328)) /
	     (1 + s * (1.432788 + s * (0.189269 + s * 0.001308)));
	s = fmax(s, QUANTILE_LEAST);
	square = s * s;
	if (df > STUDENT_MAX_DF)
		return s;
	return s * (1 + (square + 1) / (4 * df) +
		    ((5 * square + 16) * square + 3) / (96 * df * df));
}

/* Newton's steps on the logarithm, kept inside what is known to hold it. */
double student_two_sided_quantile(double p, double df)
{
	double low = 0, high = STUDENT_MAX_QUANTILE, t;

	if (p >= 1)
		return 0;
	if (df > STUDENT_MAX_DF)
		high = NORMAL_MAX_QUANTILE;
	t = first_quantile(p, df);
	for (int i = 0; i < QUANTILE_MAX_STEPS; i++) {
		double tail = student_two_sided(t, df);
		double next = t + log(tail / p) * tail / student_slope(t, df);

		if (tail > p)
			low = t;
		else
			high = t;
		if (!(next > low && next < high))
			next = (low + fmin(high, 4 * low + 1)) / 2;
		else if (fabs(next - t) <= QUANTILE_EPSILON * t)
			return next;
		t = next;
	}
	return t;
}

double normal_two_sided_quantile(double p)
{
	return student_two_sided_quantile(p, INFINITY);
}

/* A distribution of a count k in [min, max], by its neighbours' ratio. */
struct tail {
	double n;   /* trials, or a + b */
	double pi;  /* binomial only */
	double n_a; /* hypergeometric only */
	double n_b;
	bool is_binomial;
};

/* P(k + 1) / P(k); 0 past the end. */
static double ratio_up(const struct tail *t, double k)
{
	if (t->is_binomial)
		return (t->n - k) / (k + 1) * (t->pi / (1 - t->pi));
	return (t->n_a - k) * (t->n - k) / ((k + 1) * (t->n_b - t->n + k + 1));
}

static double log_choose(double n, double k)
{
	return system_log_gamma(n + 1) - system_log_gamma(k + 1) -
	       system_log_gamma(n - k + 1);
}

/* Half of P(k) and all beyond it, away from the mean: terms only fall. */
static double mid_tail(const struct tail *t, double k, bool is_upper)
{
	double sum = 0.5, term = 1;

	for (;;) {
		double ratio =
			is_upper ? ratio_up(t, k) : 1 / ratio_up(t, k - 1);

		term *= ratio;
		if (!(term > TAIL_EPSILON * sum))
			return sum;
		sum += term;
		k += is_upper ? 1 : -1;
	}
}

static double mid_p(const struct tail *t, double k, double mean)
{
	double log_p =
		t->is_binomial
			? log_choose(t->n, k) + k * log(t->pi) +
				  (t->n - k) * log1p(-t->pi)
			: log_choose(t->n_a, k) + log_choose(t->n_b, t->n - k) -
				  log_choose(t->n_a + t->n_b, t->n);
	double tail = exp(log_p) * mid_tail(t, k, k >= mean);

	return fmin(1, 2 * fmin(tail, 1 - tail));
}

double binomial_mid_p(double a, double n, double pi)
{
	struct tail t = { .n = n, .pi = pi, .is_binomial = true };

	if (n <= 0 || pi <= 0 || pi >= 1)
		return 1;
	return mid_p(&t, a, n * pi);
}

double fisher_mid_p(double a, double n_a, double b, double n_b)
{
	struct tail t = { .n = a + b, .n_a = n_a, .n_b = n_b };

	if (n_a <= 0 || n_b <= 0)
		return 1;
	return mid_p(&t, a, t.n * n_a / (n_a + n_b));
}

/* Share of all exposure that the slow side had. */
static double slow_part(const struct counts *c)
{
	return c->n_a / (c->n_a + c->n_b);
}

/* Variance of a - E(a) given a + b, for independent samples. */
static double null_variance(const struct counts *c)
{
	double pi = slow_part(c);
	double variance = (c->a + c->b) * pi * (1 - pi);

	if (c->exposure == EXPOSURE_SHARE)
		variance *= 1 - (c->a + c->b) / (c->n_a + c->n_b);
	return variance;
}

static bool is_small(const struct counts *c)
{
	double n = c->a + c->b, pi = slow_part(c);
	double expected = n * fmin(pi, 1 - pi);

	if (c->is_continuous)
		return false;
	if (c->exposure == EXPOSURE_SHARE)
		expected = fmin(expected,
				(c->n_a + c->n_b - n) * fmin(pi, 1 - pi));
	return n < EXACT_MAX_TRIALS || expected < EXACT_MIN_EXPECTED;
}

/* Rows with few samples are many, and of few kinds: each takes as long as
 * a dozen of the others. */
static double quantile_again(double p)
{
	static _Thread_local struct {
		double p;
		double z;
	} known[256];
	uint64_t bits;
	size_t at;

	memcpy(&bits, &p, sizeof bits);
	at = (size_t)(bits * UINT64_C(0x9e3779b97f4a7c15) >> 56);
	if (known[at].p != p || p == 0) {
		known[at].z = normal_two_sided_quantile(p);
		known[at].p = p;
	}
	return known[at].z;
}

/* Deviations where the ratio of the sides moves by a logarithm u of this variance, and
 * samples vary phi times as much as independent ones: the root of the deviance at the
 * likeliest u, with that of u itself (Laplace). Score tests, which take all noise for
 * that of samples, end at a bound that depends on the variance alone. */
static double apart_deviations(const struct counts *c, double phi, double variance)
{
	double n = c->a + c->b, pi = slow_part(c), u = 0;
	double low = -APART_MOST, high = APART_MOST, part = pi;
	double of_a, of_b, deviance;

	for (int i = 0; i < APART_STEPS && high - low > APART_EPSILON; i++) {
		double slope = (c->a - n * part) / phi - u / variance;
		double curve = n * part * (1 - part) / phi + 1 / variance;

		if (slope > 0)
			low = u;
		else
			high = u;
		u += slope / curve;
		if (!(u > low && u < high))
			u = (low + high) / 2;
		part = 1 / (1 + (1 - pi) / pi * exp(-u));
	}
	/* Twice the logarithm of the likelihood of a and b over that at
	 * E(a) = part of both. */
	of_a = c->a > 0 ? c->a * log(c->a / (n * part)) : 0;
	of_b = c->b > 0 ? c->b * log(c->b / (n * (1 - part))) : 0;
	deviance = fmax(0, 2 * (of_a + of_b));
	return sqrt(deviance / phi + u * u / variance);
}

/* Deviations, not p: thousands of samples make p too small for a double,
 * while much of the deviation may be due to overdispersion. */
double counts_deviation(const struct counts *c, struct noise noise)
{
	double apart = noise.apart + c->n_a_variance + c->n_b_variance;
	double phi = noise.phi, variance, z = 0;

	if (c->a + c->b <= 0 || c->n_a <= 0 || c->n_b <= 0)
		return 0;
	variance = null_variance(c);
	/* Uncertain exposures give the expected part pi of a + b the variance
	 * pi^2 (1 - pi)^2 (v_a + v_b): relative to that of the counts. */
	if (c->exposure == EXPOSURE_RATE)
		phi += variance * (c->n_a_variance + c->n_b_variance);
	if (is_small(c)) {
		z = quantile_again(
			c->exposure == EXPOSURE_RATE
				? binomial_mid_p(c->a, c->a + c->b,
						 slow_part(c))
				: fisher_mid_p(c->a, c->n_a, c->b, c->n_b));
	} else {
		double sampling = phi - apart * variance;

		if (noise.apart > 0 && sampling > 0)
			return apart_deviations(c, sampling, apart);
		if (variance > 0)
			z = (c->a - (c->a + c->b) * slow_part(c)) /
			    sqrt(variance);
	}
	return phi > 0 ? fabs(z) / sqrt(phi) : 0;
}

double counts_test(const struct counts *c, struct noise noise)
{
	return student_two_sided(counts_deviation(c, noise), noise.df);
}

double counts_log_variance(const struct counts *c)
{
	double variance = 0;

	if (c->n_a > 0 && c->n_b > 0)
		variance = null_variance(c);
	return variance > 0 ? 1 / variance : INFINITY;
}

/* A side that counted less than this half says no more than it. */
#define LEAST_SEEN 0.5

double counts_seen_log_variance(const struct counts *c)
{
	double variance = 1 / fmax(LEAST_SEEN, c->a) + 1 / fmax(LEAST_SEEN, c->b);

	if (c->exposure == EXPOSURE_SHARE && c->n_a > 0 && c->n_b > 0)
		variance -= 1 / c->n_a + 1 / c->n_b;
	return fmax(0, variance);
}

double counts_drift(const struct counts *c, double cv)
{
	if (c->n_a <= 0 || c->n_b <= 0)
		return 0;
	return 2 * cv * cv * fmax(0, null_variance(c));
}

double counts_overdispersion(const struct counts *c)
{
	return OVERDISPERSION_BASE + counts_drift(c, BURST_CV);
}

/* Factor that brings a baseline count to the slow side's exposure. */
static double baseline_scale(const struct counts *c)
{
	return c->n_b > 0 ? c->n_a / c->n_b : 0;
}

double counts_delta(const struct counts *c, double slow_total)
{
	if (c->exposure == EXPOSURE_SHARE)
		return (c->n_a > 0 ? c->a / c->n_a : 0) -
		       (c->n_b > 0 ? c->b / c->n_b : 0);
	if (slow_total <= 0)
		return 0;
	return (c->a - c->b * baseline_scale(c)) / slow_total;
}

/* Wilson's interval of x in n, with n / phi samples' worth of information. */
static struct interval share_interval(double x, double n, double phi, double z)
{
	double size = n / phi, p = n > 0 ? x / n : 0;
	double centre, half;

	if (n <= 0)
		return (struct interval){ 0, 1 };
	centre = (p + z * z / (2 * size)) / (1 + z * z / size);
	half = z / (1 + z * z / size) *
	       sqrt(fmax(0, p * (1 - p) / size + z * z / (4 * size * size)));
	return (struct interval){ centre - half, centre + half };
}

static double odds_of(double part)
{
	return part < 1 ? part / (1 - part) : INFINITY;
}

struct interval counts_ratio_interval(const struct counts *c,
				      double log_variance, double z)
{
	double sampled = 1 / fmax(LEAST_SEEN, c->a) + 1 / fmax(LEAST_SEEN, c->b);
	struct interval part = share_interval(c->a, c->a + c->b,
					      log_variance / sampled, z);
	double scale = c->n_b / c->n_a;

	return (struct interval){
		c->a > 0 ? scale * odds_of(fmax(0, part.low)) : 0,
		c->b > 0 ? scale * odds_of(fmin(1, part.high)) : INFINITY,
	};
}

/* Score interval of a Poisson count. */
static struct interval rate_interval(double x, double phi, double z)
{
	double count = x / phi;
	double half = z * sqrt(count + z * z / 4);

	return (struct interval){ phi * (count + z * z / 2 - half),
				  phi * (count + z * z / 2 + half) };
}

/* Newcombe's combination of two one-sided intervals. */
static struct interval interval_difference(double a, struct interval in_a,
					   double b, struct interval in_b)
{
	return (struct interval){
		a - b - hypot(a - in_a.low, in_b.high - b),
		a - b + hypot(in_a.high - a, b - in_b.low),
	};
}

static struct interval interval_scaled(struct interval i, double factor)
{
	return (struct interval){ i.low * factor, i.high * factor };
}

struct interval counts_delta_interval(const struct counts *c, double slow_total,
				      double phi, double z)
{
	double factor_a, factor_b;

	if (c->exposure == EXPOSURE_SHARE)
		return interval_difference(
			c->n_a > 0 ? c->a / c->n_a : 0,
			share_interval(c->a, c->n_a, phi, z),
			c->n_b > 0 ? c->b / c->n_b : 0,
			share_interval(c->b, c->n_b, phi, z));
	factor_a = slow_total > 0 ? 1 / slow_total : 0;
	factor_b = factor_a * baseline_scale(c);
	return interval_difference(
		c->a * factor_a,
		interval_scaled(
			rate_interval(c->a, phi + c->a * c->n_a_variance, z),
			factor_a),
		c->b * factor_b,
		interval_scaled(
			rate_interval(c->b, phi + c->b * c->n_b_variance, z),
			factor_b));
}

struct p_values {
	const double *p;
};

static int compare_by_p(const void *left, const void *right, void *data)
{
	const double *p = ((const struct p_values *)data)->p;
	size_t a = *(const size_t *)left, b = *(const size_t *)right;

	if (p[a] != p[b])
		return p[a] < p[b] ? -1 : 1;
	return a < b ? -1 : a > b;
}

static void order_by_p(const double *p, size_t *order, size_t count)
{
	struct p_values by = { p };

	for (size_t i = 0; i < count; i++)
		order[i] = i;
	system_sort(order, count, sizeof *order, compare_by_p, &by);
}

void false_discovery_adjust(const double *p, double *q, size_t *order,
			    size_t count)
{
	double lowest = 1;

	order_by_p(p, order, count);
	for (size_t i = count; i-- > 0;) {
		lowest = fmin(lowest,
			      p[order[i]] * (double)count / (double)(i + 1));
		q[order[i]] = lowest;
	}
}

/* A tenth of what is told may be false. */
#define TOLD_OF_FALSE ((size_t)10)

void false_part_adjust(const double *p, const bool *is_twin, double *q,
		       size_t *order, size_t count)
{
	double highest = 0;
	size_t all = 0, told = 0;

	order_by_p(p, order, count);
	for (size_t i = 0; i < count; i++)
		all += !is_twin || !is_twin[i];
	for (size_t i = 0; i < count; i++) {
		size_t may = (told + 1) / TOLD_OF_FALSE;

		highest = fmax(highest, p[order[i]] * (double)(all + may - told) /
						(double)(may + 1));
		q[order[i]] = fmin(1, highest);
		told += !is_twin || !is_twin[order[i]];
	}
}
