/* SPDX-License-Identifier: Apache-2.0
 *
 * The statistics of comparing two profiles: exact and approximate tests for
 * two counts, control of false claims, intervals.
 * Counts are samples, never nanoseconds. Knows nothing of profiles.
 */
#ifndef ANALYZE_STATS_H
#define ANALYZE_STATS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

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

/* The variance that is assumed: phi times that of independent samples, phi
 * itself known from df degrees of freedom (INFINITY: given). */
struct noise {
	double phi;
	double df;
	/* The part of it that moves the ratio of the sides as a whole, as a variance
	 * of its logarithm: however many the samples, it makes no rate nothing. 0:
	 * all of phi is of samples. */
	double apart;
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

/* The same at the counts that were seen, whatever changed. */
double counts_seen_log_variance(const struct counts *c);

/* Interval of the ratio of both sides' rates, slow to baseline, at z deviations of
 * its logarithm, which varies by so much: by Wilson's interval of the slow side's
 * part of both. Holds when a side counted nothing: low is 0, or high INFINITY. */
struct interval counts_ratio_interval(const struct counts *c,
				      double log_variance, double z);

/* Returns the share of phi that comes from a relative standard deviation of cv
 * from window to window, the same on both sides. */
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

/* Sets q so that of what has a q of at most Q, in all but a part Q of cases no
 * more than a tenth of it is false: of up to nine none at all (Lehmann and
 * Romano, Annals of Statistics 33, 2005; for fewer than ten it is Holm's).
 * is_twin: those that say what another one does, which are no tests of their
 * own; NULL: none. order is scratch of count items. */
void false_part_adjust(const double *p, const bool *is_twin, double *q,
		       size_t *order, size_t count);

/* Benjamini-Hochberg: q[i] for p[i]. order is scratch of count items. */
void false_discovery_adjust(const double *p, double *q, size_t *order,
			    size_t count);

/* Few runs a side, thousands of rows of counts, most of them unchanged: what
 * unchanged rows did from one side to the other (the common factor), how much a
 * row varies from run to run, and how much that hides. The way is that of
 * edgeR's quasi-likelihood test and of limma: a trend of the variance over the
 * mean that all rows share, each row's own drawn towards it as far as the runs
 * carry (Lund and others, Statistical Applications in Genetics and Molecular
 * Biology 11, 2012; Smyth, the same 3, 2004; robust as in Phipson and others,
 * Annals of Applied Statistics 10, 2016). With one run a side the trend comes
 * from how far rows lie apart between the sides, most of which did not change.
 * Pure arithmetic, knows nothing of profiles.
 *
 * A row with mean m in a run is taken to vary there by s (m + v m^2): s is 1
 * for independent samples and more where one request brings many; v is the
 * square of the relative deviation from run to run. */

#define REPLICATE_SIDES 2

/* The runs of both sides: files, time slices of a window, or the window. */
struct replicate_runs {
	size_t count[REPLICATE_SIDES];
	/* By run: what its rows are a part of, in samples. */
	const double *sizes[REPLICATE_SIDES];
	double value[REPLICATE_SIDES]; /* of one sample */
};

/* One row: its values by run. */
struct replicate_row {
	const double *values[REPLICATE_SIDES];
};

/* How rows vary. */
struct replicate_noise {
	double sampling; /* s */
	double drift;    /* v, from run to run */
	/* Variance of v: rows much larger than those that showed it have mostly
	 * their own runs to go by. */
	double drift_variance;
	double prior_df; /* that the trend weighs as much as */
	/* Variance of the logarithm of a ratio between the sides beyond that,
	 * and what it is known from. */
	double between;
	double between_df;
	double least; /* of s: 1 for samples */
	size_t rows;  /* that it was seen in */
};

/* The noise that is assumed without rows that show it. */
struct replicate_prior {
	double sampling;
	double drift_cv;
	/* Between the sides, on top of what runs show; rows that tell may show
	 * more or less of it. NaN: none, and not looked for. */
	double between_cv;
	/* Most rows did not change, so that many of them may also show more
	 * noise than that. */
	bool may_rise;
	/* Runs of one kind: what lies between the sides beyond them has to be
	 * shown by the rows. */
	bool is_of_runs;
	/* Runs of the same work: unchanged rows may have moved by at most this
	 * logarithm beside `whole`, that of all rows by work. 0: the work is not
	 * known, and unchanged rows may have done anything. */
	double bound;
	double whole;
};

/* The ground of the common factor. */
enum replicate_reading {
	REPLICATE_CLEAR = 0,
	/* All rows that tell moved alike, by more than the bound: a change of
	 * all the code, or of the machine. */
	REPLICATE_TOGETHER,
	/* Two groups of rows moved apart, and either may be what did not
	 * change. */
	REPLICATE_SPLIT,
};

/* The movement of unchanged rows. */
struct replicate_common {
	size_t rows; /* that tell */
	bool is_known;
	double log_ratio; /* of shares, after to before */
	double variance;
	enum replicate_reading reading;
	double other_log_ratio; /* REPLICATE_SPLIT: that of the other group */
};

/* The variance in runs as one row shows it. */
struct replicate_seen {
	double r; /* variance relative to independent samples */
	double df;
	double mean; /* of a run */
	double scratch;
};

/* A row beside its sides: counts, Pearson's statistic within the sides. */
struct replicate_sums {
	double count[REPLICATE_SIDES];
	double pearson;
	double df;
	double mean;   /* of a run */
	double spread; /* sum of the squares of the runs' parts of a side */
};

/* Fewer rows do not tell what unchanged ones did, and fewer by far only show
 * their middle. */
#define REPLICATE_FEW_ROWS 3u
#define REPLICATE_ROWS 8u
/* So many show more noise than is taken for granted. */
#define REPLICATE_MANY_ROWS 30u

/* The factor that unchanged rows share: between the sides, and of each run, which
 * then counts in its size: runs->sizes becomes an array of the arena's. Rows should
 * not hold each other's samples. The factor is the one that most rows agree on, no
 * row counting for more than one of 400 samples: those that changed may hold any
 * part of the samples, as long as no other factor has as many rows behind it
 * (breakdown point: half of the rows, where those that changed agree). With a bound
 * a factor beyond it is taken only if hardly anything did otherwise. */
bool replicates_common(struct replicate_runs *runs,
		       const struct replicate_row *rows, size_t count,
		       const struct replicate_prior *prior, struct arena *arena,
		       struct replicate_common *out,
		       struct error *err) MUST_CHECK;

/* How rows vary, beside what they have in common. out->least is set. */
bool replicates_noise(const struct replicate_runs *runs,
		      const struct replicate_row *rows, size_t count,
		      const struct replicate_common *common,
		      const struct replicate_prior *prior,
		      struct replicate_noise *out,
		      struct error *err) MUST_CHECK;

/* Fits the trend that runs alone show of other rows, which may hold each
 * other's samples: takes the place of n's trend. */
bool replicates_trend(const struct replicate_runs *runs,
		      const struct replicate_row *rows, size_t count,
		      struct replicate_noise *n, struct error *err) MUST_CHECK;

/* The same of rows of several comparisons. Those without df tell nothing; puts
 * rows into another order. */
void replicates_trend_of(struct replicate_seen *seen, size_t count,
			 struct replicate_noise *n);

/* Returns the variance that a row shows; df 0: none. */
struct replicate_seen replicates_see(const struct replicate_runs *runs,
				     const struct replicate_row *row,
				     double least);

struct replicate_sums replicates_sums(const struct replicate_runs *runs,
				      const struct replicate_row *row,
				      double drift);

/* Variance of the logarithm of a row's ratio, as phi times that of independent
 * samples (`sampled`). common_variance: of what it is compared beside. */
struct noise replicates_row_noise(const struct replicate_noise *n,
				  const struct replicate_sums *sums,
				  double sampled, double common_variance);

/* The same for a row of which only its size is known, in runs like those. */
struct noise replicates_typical_noise(const struct replicate_noise *n,
				      const struct replicate_runs *runs,
				      double sampled, double common_variance);

#endif
