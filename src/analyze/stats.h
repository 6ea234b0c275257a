/* SPDX-License-Identifier: Apache-2.0
 *
 * The statistics of comparing two profiles: exact and approximate tests for
 * two counts, false discovery control (Benjamini-Hochberg), intervals.
 * Counts are samples, never nanoseconds. Knows nothing of profiles.
 */
#ifndef ANALYZE_STATS_H
#define ANALYZE_STATS_H

#include <stdbool.h>
#include <stddef.h>

/* Samples are not independent: one slow request brings many of them. The
 * variance is taken as this many times that of independent samples. One
 * window a side tells nothing about the true factor, so the constant is
 * approximate; a request of 30 ms on CPU at 100 Hz brings three samples. */
#define OVERDISPERSION_BASE 3.0

/* Work also drifts from window to window: 30 % a minute, as seen on ordinary
 * services, leaves 10 % after ten minutes. This part does not shrink with
 * more samples. */
#define BURST_CV 0.10

/* How a row's counts relate to what was looked at. */
enum exposure {
	EXPOSURE_SHARE, /* n_a, n_b are all samples of the side */
	EXPOSURE_RATE,  /* n_a, n_b are seconds of the side */
};

struct counts {
	double a; /* samples of the row, slow side */
	double b; /* baseline side */
	double n_a;
	double n_b;
	enum exposure exposure;
	/* Variance of the exposures relative to their squares: 1/R for R that
	 * were themselves counted in a sample, 0 when exact. Rates only. */
	double n_a_variance;
	double n_b_variance;
	/* a and b are no counts: no exact test. Dispersion is in their unit. */
	bool is_continuous;
};

struct interval {
	double low;
	double high;
};

/* P(|Z| >= z) of the standard normal distribution, and its inverse. */
double normal_two_sided(double z);
double normal_two_sided_quantile(double p);

/* P(|T| >= t) of Student's distribution with df > 0 degrees of freedom, df
 * INFINITY being the normal one, and its inverse. */
double student_two_sided(double t, double df);
double student_two_sided_quantile(double p, double df);

/* Sorts the values; 0 of none. */
double stats_median(double *values, size_t count);

/* Two-sided mid-p (twice the smaller tail) of a successes in n trials. */
double binomial_mid_p(double a, double n, double pi);

/* The same for a of n_a against b of n_b with both margins given (Fisher). */
double fisher_mid_p(double a, double n_a, double b, double n_b);

/* What the variance is taken as: phi times that of independent samples, phi
 * itself known from df degrees of freedom (INFINITY: given). */
struct noise {
	double phi;
	double df;
};

/* How many deviations the row is from "no change", 0 or more: exact while
 * counts are small, by the normal distribution otherwise; 0 when nothing was
 * counted. */
double counts_deviation(const struct counts *c, struct noise noise);

/* Its p value, by Student's distribution for what is known of the noise. */
double counts_test(const struct counts *c, struct noise noise);

/* Variance of the row relative to independent samples, at least
 * OVERDISPERSION_BASE. */
double counts_overdispersion(const struct counts *c);

/* Variance of the logarithm of the ratio of both sides' rates under no change,
 * for independent samples; INFINITY when nothing was counted. */
double counts_log_variance(const struct counts *c);

/* What a relative standard deviation of cv from window to window, the same on
 * both sides, adds to phi. */
double counts_drift(const struct counts *c, double cv);

/* Difference slow - baseline as a share of the slow side's samples; for
 * EXPOSURE_RATE the baseline is scaled by the ratio of the exposures, and
 * slow_total gives the samples that are 100 %. */
double counts_delta(const struct counts *c, double slow_total);

/* Interval of counts_delta() at z deviations (1.96 for 95 % of the normal
 * distribution), from the score intervals of both sides; holds when a side
 * counted nothing. */
struct interval counts_delta_interval(const struct counts *c, double slow_total,
				      double phi, double z);

/* Benjamini-Hochberg: q[i] for p[i]. order is scratch of count items. */
void false_discovery_adjust(const double *p, double *q, size_t *order,
			    size_t count);

#endif
