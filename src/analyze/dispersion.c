/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/dispersion.h"

#include <math.h>

/* Sum over one side's blocks of (value - expected)^2 / variance. */
static double pearson(const struct block_row *row, double *df, double *sum)
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

struct dispersion dispersion_of(const struct block_row *slow,
				const struct block_row *baseline)
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

struct dispersion_prior dispersion_prior_of(const struct dispersion *rows,
					    size_t count, bool is_counts)
{
	struct dispersion_prior prior = { .floor = is_counts ? 1 : 0 };
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
	prior.phi = known ? phis / (double)known : prior.floor;
	if (is_counts && excess > 0 && means > 0)
		prior.trend = excess / means;
	return prior;
}

double dispersion_shrink(const struct dispersion *d,
			 const struct dispersion_prior *prior)
{
	double typical =
		fmax(prior->phi, prior->trend * d->mean + prior->floor);
	double phi = (DISPERSION_PRIOR_DF * typical + d->df * d->phi) /
		     (DISPERSION_PRIOR_DF + d->df);

	return fmax(prior->floor, phi);
}
