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
	};
}

static struct dispersion_prior prior_of_counts(const struct dispersion *rows,
					       size_t count)
{
	struct dispersion_prior prior = { .is_counts = true, .phi = 1 };
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

double dispersion_shrink(const struct dispersion *d,
			 const struct dispersion_prior *prior)
{
	double typical = prior->is_counts
				 ? fmax(prior->phi, 1 + prior->trend * d->mean)
				 : prior->phi;
	double phi = (DISPERSION_PRIOR_DF * typical + d->df * d->phi) /
		     (DISPERSION_PRIOR_DF + d->df);

	return fmax(prior->is_counts ? 1 : d->phi, phi);
}
