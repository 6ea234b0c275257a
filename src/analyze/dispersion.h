/* SPDX-License-Identifier: Apache-2.0
 *
 * How much more a function's values vary than independent samples would, from
 * the equal blocks that both sides were cut into (quasi-Poisson). Few blocks
 * tell little of one function, so each is drawn towards what all functions
 * together show. Pure arithmetic, knows nothing of profiles.
 */
#ifndef ANALYZE_DISPERSION_H
#define ANALYZE_DISPERSION_H

#include <stdbool.h>
#include <stddef.h>

/* What all functions together show weighs as much as this many degrees of
 * freedom of a function's own. */
#define DISPERSION_PRIOR_DF 4.0

/* One function in the blocks of one side. */
struct slice_row {
	const double *values;    /* samples, or values that are none */
	const double *exposures; /* seconds, requests, or all values */
	size_t count;
	double value_size; /* of one sample; 1 where values are no samples */
	/* Exposures are all values of the block: of these a binomial part is
	 * taken, which varies less than a Poisson count. */
	bool is_share;
};

/* Variance relative to independent samples (in units of the values where
 * these are no samples), and what it rests on. */
struct dispersion {
	double phi;
	double df;   /* 0: nothing known; sides without values tell nothing */
	double mean; /* expected value of a block, mean over the blocks */
};

/* What is typical of all functions. */
struct dispersion_prior {
	bool is_counts;
	/* Mean over the functions. Of values that are no samples the median:
	 * one long wait would be the mean of them all. */
	double phi;
	/* Growth of phi with the mean of a block: load that rises lifts large
	 * functions by many deviations. 0 for values that are no samples. */
	double trend;
	/* Degrees of freedom that it weighs as much as. */
	double df;
};

/* Pearson's statistic of both sides, each around its own rate. */
struct dispersion dispersion_of(const struct slice_row *slow,
				const struct slice_row *baseline);

/* is_counts: values are samples. Functions with df 0 do not count. Puts rows
 * into another order. */
struct dispersion_prior dispersion_prior_of(struct dispersion *rows,
					    size_t count, bool is_counts);

/* The same for blocks that are many or runs of their own, by the middle half of
 * the functions: most are steady, a few (those of garbage collectors) are not
 * and must not speak for all. Weighs as much as the middle half lies close
 * together: where it does so no more than few blocks let it, what it shows is as
 * good as known (empirical Bayes; Smyth, Statistical Applications in Genetics
 * and Molecular Biology 3, 2004, section 6.2; robust as in Phipson and others,
 * Annals of Applied Statistics 10, 2016). prior is of counts; rows are put into
 * another order. */
void dispersion_prior_narrow(struct dispersion_prior *prior,
			     struct dispersion *rows, size_t count);

/* What functions with so many values a block are expected to have. */
double dispersion_typical(const struct dispersion_prior *prior, double mean);

/* For such a prior: what a function's noise is taken as. One that lies outside
 * of what the prior explains has only its own phi to go by. */
struct dispersion dispersion_narrow(const struct dispersion *d,
				    const struct dispersion_prior *prior);

/* The function's phi, drawn towards the prior: upwards only where values are
 * no samples, since each lock has waits of its own length; of samples never
 * below 1. */
double dispersion_shrink(const struct dispersion *d,
			 const struct dispersion_prior *prior);

#endif
