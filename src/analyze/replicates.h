/* SPDX-License-Identifier: Apache-2.0
 *
 * Few runs a side, thousands of rows of counts, most of them unchanged: what
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
 * square of the relative deviation from run to run.
 */
#ifndef ANALYZE_REPLICATES_H
#define ANALYZE_REPLICATES_H

#include <stdbool.h>
#include <stddef.h>

#include "analyze/stats.h"
#include "base/arena.h"

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
	double prior_df; /* that the trend weighs as much as */
	/* Variance of the logarithm of a ratio between the sides beyond that,
	 * and what it is known from. */
	double between;
	double between_df;
	double least; /* of s: 1 for samples */
	size_t rows;  /* that it was seen in */
};

/* What is taken without rows that tell. */
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
};

/* What unchanged rows did. */
struct replicate_common {
	size_t rows; /* that tell */
	bool is_known;
	double log_ratio; /* of shares, after to before */
	double variance;
};

/* What one row shows of how rows vary in runs. */
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

/* What rows have in common: between the sides, and of each run, which then
 * counts in its size: runs->sizes becomes an array of the arena's. Rows should
 * not hold each other's samples. */
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

/* What runs alone show of other rows, which may hold each other's samples:
 * takes the place of n's trend. */
bool replicates_trend(const struct replicate_runs *runs,
		      const struct replicate_row *rows, size_t count,
		      struct replicate_noise *n, struct error *err) MUST_CHECK;

/* The same of rows of several comparisons. Those without df tell nothing; puts
 * rows into another order. */
void replicates_trend_of(struct replicate_seen *seen, size_t count,
			 struct replicate_noise *n);

/* What a row shows; df 0: nothing. */
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
