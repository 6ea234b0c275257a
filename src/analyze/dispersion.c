/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/dispersion.h"

#include <math.h>
#include <stdlib.h>

#include "base/num.h"

/* Sum over one side's blocks of (value - expected)^2 / variance. */
static double pearson(const struct slice_row *row, double *df, double *sum)
{
	double values = 0, exposure = 0, chi2 = 0, variance;

	for (size_t i = 0; i < row->count; i++) {
		values += row->values[i];
		exposure += row->exposures[i];
	}
	*sum += values / row->value_size;
	variance = row->is_share ? 1 - values / exposure : 1;
	if (row->count < 2 || !(values > 0) || !(exposure > 0) ||
	    !(variance > 0))
		return 0;
	for (size_t i = 0; i < row->count; i++) {
		double expected = values * row->exposures[i] / exposure;
		double apart = row->values[i] - expected;

		if (expected > 0)
			chi2 += apart * apart / (expected * variance);
	}
	*df += (double)row->count - 1;
	/* (v/s)^2 / (v/s): one s remains. */
	return chi2 / row->value_size;
}

struct dispersion dispersion_of(const struct slice_row *slow,
				const struct slice_row *baseline)
{
	struct dispersion d = { 0 };
	size_t count = slow->count + baseline->count;
	double sum = 0;
	double chi2 = pearson(slow, &d.df, &sum);

	chi2 += pearson(baseline, &d.df, &sum);
	d.phi = d.df > 0 ? chi2 / d.df : 0;
	d.mean = count ? sum / (double)count : 0;
	return d;
}

static int compare_phi(const void *left, const void *right)
{
	const struct dispersion *a = left, *b = right;
	int order = compare_f64(a->phi, b->phi);

	return order ? order : compare_f64(a->mean, b->mean);
}

static struct dispersion_prior prior_of_values(struct dispersion *rows,
					       size_t count)
{
	size_t known = 0;

	for (size_t i = 0; i < count; i++)
		if (rows[i].df > 0)
			rows[known++] = rows[i];
	qsort(rows, known, sizeof *rows, compare_phi);
	return (struct dispersion_prior){
		.phi = known ? rows[known / 2].phi : 0,
		.df = DISPERSION_PRIOR_DF,
	};
}

static struct dispersion_prior prior_of_counts(const struct dispersion *rows,
					       size_t count)
{
	struct dispersion_prior prior = { .is_counts = true,
					  .phi = 1,
					  .df = DISPERSION_PRIOR_DF };
	double excess = 0, means = 0, phis = 0;
	size_t known = 0;

	for (size_t i = 0; i < count; i++) {
		if (!(rows[i].df > 0))
			continue;
		known++;
		phis += rows[i].phi;
		excess += rows[i].phi - 1;
		means += rows[i].mean;
	}
	if (known)
		prior.phi = phis / (double)known;
	if (excess > 0 && means > 0)
		prior.trend = excess / means;
	return prior;
}

struct dispersion_prior dispersion_prior_of(struct dispersion *rows,
					    size_t count, bool is_counts)
{
	return is_counts ? prior_of_counts(rows, count)
			 : prior_of_values(rows, count);
}

double dispersion_typical(const struct dispersion_prior *prior, double mean)
{
	return prior->is_counts ? fmax(prior->phi, 1 + prior->trend * mean)
				: prior->phi;
}

/* ---- by the middle half of the functions ---- */

/* Fewer values a block are too coarse for the logarithm of their phi. */
#define NARROW_MEAN 5.0
/* Fewer functions do not tell. */
#define NARROW_ROWS 12
/* As good as known. */
#define MOST_PRIOR_DF 1000.0
/* Half of a normal distribution is so many deviations wide. */
#define HALF_WIDTH 1.349
/* One in twenty that the prior explains lies above so many deviations. */
#define OUTSIDE 1.645

/* The value of a chi-squared variable over its degrees of freedom, so many
 * deviations above its middle (Wilson and Hilferty). */
static double chi2_part(double df, double deviations)
{
	double unit = 2 / (9 * df);
	double root = 1 - unit + deviations * sqrt(unit);

	return root > 0 ? root * root * root : 0;
}

/* Second derivative of log Gamma(x), x > 0: the variance of the logarithm of a
 * gamma variable. By its recurrence up to where the series holds. */
static double trigamma(double x)
{
	double sum = 0, square;

	for (; x < 6; x++)
		sum += 1 / (x * x);
	square = 1 / (x * x);
	return sum + 1 / x + square / 2 +
	       square / x * (1 / 6.0 - square * (1 / 30.0 - square / 42));
}

/* Degrees of freedom whose phi would lie so far apart. */
static double df_of_variance(double variance)
{
	double low = DISPERSION_PRIOR_DF, high = MOST_PRIOR_DF;

	if (trigamma(low / 2) <= variance)
		return low;
	for (int i = 0; i < 40; i++) {
		double df = sqrt(low * high);

		if (trigamma(df / 2) > variance)
			low = df;
		else
			high = df;
	}
	return high;
}

/* Those that tell, to the front. */
static size_t keep_telling(struct dispersion *rows, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (rows[i].df > 0 && rows[i].phi > 0 &&
		    rows[i].mean >= NARROW_MEAN) {
			struct dispersion row = rows[i];

			rows[i] = rows[kept];
			rows[kept++] = row;
		}
	return kept;
}

void dispersion_prior_narrow(struct dispersion_prior *prior,
			     struct dispersion *rows, size_t count)
{
	size_t known = keep_telling(rows, count);
	double df, width;

	if (known < NARROW_ROWS)
		return;
	qsort(rows, known, sizeof *rows, compare_phi);
	df = rows[known / 2].df;
	width = log(rows[known * 3 / 4].phi / rows[known / 4].phi) / HALF_WIDTH;
	prior->phi = fmax(1, rows[known / 2].phi / chi2_part(df, 0));
	prior->trend = 0;
	prior->df = df_of_variance(width * width - trigamma(df / 2));
}

struct dispersion dispersion_narrow(const struct dispersion *d,
				    const struct dispersion_prior *prior)
{
	struct dispersion out = *d;
	double typical = dispersion_typical(prior, d->mean);

	if (d->df > 0 && d->phi > typical * chi2_part(d->df, OUTSIDE))
		return out;
	out.phi = fmax(1, dispersion_shrink(d, prior));
	out.df = d->df + prior->df;
	return out;
}

double dispersion_shrink(const struct dispersion *d,
			 const struct dispersion_prior *prior)
{
	double typical = dispersion_typical(prior, d->mean);
	double phi = (prior->df * typical + d->df * d->phi) /
		     (prior->df + d->df);

	return fmax(prior->is_counts ? 1 : d->phi, phi);
}
