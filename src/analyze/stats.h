/* SPDX-License-Identifier: Apache-2.0
 *
 * Statistics for comparing two profiles: exact and approximate tests for two
 * counts, control of false claims, intervals. Counts are samples, never
 * nanoseconds.
 */
#ifndef ANALYZE_STATS_H
#define ANALYZE_STATS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/* Samples are not independent: one slow request has many of them. The variance
 * is assumed to be this many times that of independent samples. With one window
 * per side the true factor is unknown, so the constant is approximate; a
 * request of 30 ms on CPU at 100 Hz has three samples. */
#define OVERDISPERSION_BASE 3.0

/* Variation of the work between windows: 30 % per minute, as measured on
 * ordinary services, leaves 10 % after ten minutes. This part does not shrink
 * with more samples. */
#define BURST_CV 0.10

/* The reference of a row's counts. */
enum exposure {
	EXPOSURE_SHARE, /* n_a, n_b: all samples of the side */
	EXPOSURE_RATE,  /* n_a, n_b: seconds of the side */
};

struct counts {
	double a; /* samples of the row, slow side */
	double b; /* baseline side */
	double n_a;
	double n_b;
	enum exposure exposure;
	/* Relative variance of the exposures: 1/R for R requests that were
	 * counted in a sample, 0 if exact. Rates only. */
	double n_a_variance;
	double n_b_variance;
	/* a and b are not counts: no exact test. Dispersion is in their
	 * unit. */
	bool is_continuous;
};

struct interval {
	double low;
	double high;
};

/* Return P(|Z| >= z) of the standard normal distribution, and its inverse. */
double normal_two_sided(double z);
double normal_two_sided_quantile(double p);

/* Return P(|T| >= t) of Student's distribution with df > 0 degrees of freedom
 * (INFINITY: normal), and its inverse. */
double student_two_sided(double t, double df);
double student_two_sided_quantile(double p, double df);

/* Returns the median, 0 without values; sorts the values. */
double stats_median(double *values, size_t count);

/* Returns the two-sided mid-p (twice the smaller tail) of a successes in n
 * trials. */
double binomial_mid_p(double a, double n, double pi);

/* Returns the same for a of n_a and b of n_b with both margins given
 * (Fisher). */
double fisher_mid_p(double a, double n_a, double b, double n_b);

/* The assumed variance: phi times that of independent samples; phi was
 * estimated with df degrees of freedom (INFINITY: given). */
struct noise {
	double phi;
	double df;
	/* The part of phi from changes of the ratio of whole sides, as a
	 * variance of its logarithm: it does not shrink with the number of
	 * samples. 0: all of phi is from sampling. */
	double apart;
};

/* Returns by how many standard deviations the row differs from "no change", 0
 * or more: exact while counts are small, else by the normal approximation; 0 if
 * nothing was counted. */
double counts_deviation(const struct counts *c, struct noise noise);

/* Returns its p value, by Student's distribution with the noise's degrees of
 * freedom. */
double counts_test(const struct counts *c, struct noise noise);

/* Returns the variance of the row relative to independent samples, at least
 * OVERDISPERSION_BASE. */
double counts_overdispersion(const struct counts *c);

/* Returns the variance of the logarithm of the ratio of both sides' rates under
 * no change, for independent samples; INFINITY if nothing was counted. */
double counts_log_variance(const struct counts *c);

/* Returns the same at the observed counts. */
double counts_seen_log_variance(const struct counts *c);

/* Returns the interval of the ratio of both sides' rates, slow to baseline, at
 * z standard deviations of its logarithm, whose variance is log_variance: by
 * Wilson's interval of the slow side's part. Valid if a side counted nothing:
 * low is 0, or high INFINITY. */
struct interval counts_ratio_interval(const struct counts *c,
				      double log_variance, double z);

/* Returns the part of phi from a relative standard deviation of cv between
 * windows, the same on both sides. */
double counts_drift(const struct counts *c, double cv);

/* Returns the difference slow - baseline as a share of the slow side's samples;
 * for EXPOSURE_RATE the baseline is scaled by the ratio of the exposures, and
 * slow_total is the number of samples that is 100 %. */
double counts_delta(const struct counts *c, double slow_total);

/* Returns the interval of counts_delta() at z standard deviations (1.96 for 95
 * % of the normal distribution), from the score intervals of both sides; valid
 * if a side counted nothing. */
struct interval counts_delta_interval(const struct counts *c, double slow_total,
				      double phi, double z);

/* Sets q so that, of all with q <= Q, the false part exceeds a tenth in at most
 * a part Q of cases: of up to nine none at all (Lehmann and Romano, Annals of
 * Statistics 33, 2005; for fewer than ten it is Holm's). is_twin: rows that
 * repeat another one and are not tests of their own; NULL: none. order is
 * scratch of count items. */
void false_part_adjust(const double *p, const bool *is_twin, double *q,
		       size_t *order, size_t count);

/* Benjamini-Hochberg: q[i] for p[i]. order is scratch of count items. */
void false_discovery_adjust(const double *p, double *q, size_t *order,
			    size_t count);

/* Few runs per side, thousands of rows of counts, most of them unchanged:
 * estimates the change of unchanged rows between the sides (the common factor),
 * the variance of a row between runs, and thus the minimum detectable change.
 * Follows edgeR's quasi-likelihood test and limma: a trend of the variance over
 * the mean that all rows share, and each row's variance shrunk towards it as
 * far as the runs are informative (Lund and others, Statistical Applications in
 * Genetics and Molecular Biology 11, 2012; Smyth, the same 3, 2004; robust as
 * in Phipson and others, Annals of Applied Statistics 10, 2016). With one run
 * per side the trend is estimated from the differences of rows between the
 * sides, as most did not change. Pure arithmetic.
 * 
 * A row with mean m in a run is assumed to have the variance s (m + v m^2): s
 * is 1 for independent samples and more if one request has many; v is the
 * square of the relative standard deviation between runs. */

#define REPLICATE_SIDES 2

/* The runs of both sides: files, time slices of a window, or the window. */
struct replicate_runs {
	size_t count[REPLICATE_SIDES];
	/* By run: total of its rows, in samples. */
	const double *sizes[REPLICATE_SIDES];
	double value[REPLICATE_SIDES]; /* of one sample */
};

/* One row: its values by run. */
struct replicate_row {
	const double *values[REPLICATE_SIDES];
};

/* The estimated variance of rows. */
struct replicate_noise {
	double sampling; /* s */
	double drift;    /* v, between runs */
	/* Variance of v: for rows much larger than those it was estimated from,
	 * mostly their own runs count. */
	double drift_variance;
	double prior_df; /* weight of the trend, as degrees of freedom */
	/* Variance of the logarithm of a ratio between the sides beyond that,
	 * and the degrees of freedom of its estimate. */
	double between;
	double between_df;
	double least; /* minimum of s: 1 for samples */
	size_t rows;  /* number of rows it was estimated from */
};

/* The noise assumed if there are no rows to estimate it from. */
struct replicate_prior {
	double sampling;
	double drift_cv;
	/* Variation between the sides, in addition to that between runs; rows
	 * may show more or less of it. NaN: none, and not estimated. */
	double between_cv;
	/* Most rows are unchanged, so the estimate may also be higher. */
	bool may_rise;
	/* Runs of a program: variation between the sides beyond that of runs is
	 * used only if rows show it. */
	bool is_of_runs;
	/* Runs of the same work: maximum of the logarithm by which unchanged
	 * rows may differ from `whole`, that of all rows per work. 0: the work
	 * is not known, and no maximum applies. */
	double bound;
	double whole;
};

/* How reliable the common factor is. */
enum replicate_reading {
	REPLICATE_CLEAR = 0,
	/* All informative rows changed alike, by more than the bound: a change
	 * of all code, or of the machine. */
	REPLICATE_TOGETHER,
	/* Two groups of rows diverged, and either may be the unchanged one. */
	REPLICATE_SPLIT,
};

/* The change of unchanged rows. */
struct replicate_common {
	size_t rows; /* number of informative rows */
	bool is_known;
	double log_ratio; /* of shares, after to before */
	double variance;
	enum replicate_reading reading;
	double other_log_ratio; /* REPLICATE_SPLIT: of the other group */
};

/* The variance between runs in one row. */
struct replicate_seen {
	double r; /* variance relative to independent samples */
	double df;
	double mean; /* per run */
	double scratch;
};

/* Sums of a row: counts, and Pearson's statistic within the sides. */
struct replicate_sums {
	double count[REPLICATE_SIDES];
	double pearson;
	double df;
	double mean;   /* per run */
	double spread; /* sum of the squares of each run's part of its side */
};

/* Minimum numbers of rows: to estimate the common factor at all, which is then
 * their median, and to do so by agreement. */
#define REPLICATE_FEW_ROWS 3u
#define REPLICATE_ROWS 8u
/* Number of rows from which they may show more noise than assumed. */
#define REPLICATE_MANY_ROWS 30u

/* Estimates the factor that unchanged rows share: between the sides, and of
 * each run, by which its size is then scaled: runs->sizes becomes an array in
 * the arena. Rows should not share samples. The factor is the one that most
 * rows agree on, with a weight per row of at most 400 samples: rows that
 * changed may have any part of the samples, as long as no other factor has as
 * many rows (breakdown point: half of the rows, if those that changed agree).
 * With a bound, a factor beyond it is accepted only if hardly any row differs
 * from it. */
bool replicates_common(struct replicate_runs *runs,
		       const struct replicate_row *rows, size_t count,
		       const struct replicate_prior *prior, struct arena *arena,
		       struct replicate_common *out,
		       struct error *err) MUST_CHECK;

/* Estimates how rows vary relative to the common factor. out->least is set by
 * the caller. */
bool replicates_noise(const struct replicate_runs *runs,
		      const struct replicate_row *rows, size_t count,
		      const struct replicate_common *common,
		      const struct replicate_prior *prior,
		      struct replicate_noise *out,
		      struct error *err) MUST_CHECK;

/* Estimates the trend from runs alone of other rows, which may share samples,
 * and replaces that of n. */
bool replicates_trend(const struct replicate_runs *runs,
		      const struct replicate_row *rows, size_t count,
		      struct replicate_noise *n, struct error *err) MUST_CHECK;

/* The same for rows of several comparisons. Rows with df 0 are ignored;
 * reorders rows. */
void replicates_trend_of(struct replicate_seen *seen, size_t count,
			 struct replicate_noise *n);

/* Returns the variance of a row; df 0: none. */
struct replicate_seen replicates_see(const struct replicate_runs *runs,
				     const struct replicate_row *row,
				     double least);

struct replicate_sums replicates_sums(const struct replicate_runs *runs,
				      const struct replicate_row *row,
				      double drift);

/* Returns the variance of the logarithm of a row's ratio, as phi times that of
 * independent samples (`sampled`). common_variance: of the common factor. */
struct noise replicates_row_noise(const struct replicate_noise *n,
				  const struct replicate_sums *sums,
				  double sampled, double common_variance);

/* Returns the same for a row of which only the size is known, in such runs. */
struct noise replicates_typical_noise(const struct replicate_noise *n,
				      const struct replicate_runs *runs,
				      double sampled, double common_variance);

#endif
