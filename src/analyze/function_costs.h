/* SPDX-License-Identifier: Apache-2.0
 *
 * What each function of one profile takes, and how well that is known: a stack
 * is charged once, to the deepest function of the application on it, so that
 * the functions add up to the profile. Pure arithmetic.
 */
#ifndef ANALYZE_FUNCTION_COSTS_H
#define ANALYZE_FUNCTION_COSTS_H

#include "analyze/profile_analysis.h"

struct function_cost {
	struct str name; /* borrowed, of the profile or in the arena */
	struct str file; /* NULL: not known */
	uint32_t line;   /* 0: not known */
	struct str leaf; /* the hottest frame beneath it; NULL: itself */
	double value;    /* in the profile's unit */
	/* Half of the 95 % interval, relative to the value. 1 and more: noise,
	 * there may be nothing at all; NaN: not known. */
	double error;
};

struct function_costs {
	struct function_cost *items; /* the largest first */
	size_t count;
	struct function_cost whole; /* without names */
	bool is_by_slices;          /* else by an assumed noise */
	double sample_value;        /* 0: values are no samples */
};

/* slices: of the same profile, whose sum it is; fewer than two tell nothing of
 * the noise. The profile and the arena must outlive the answer. */
bool function_costs_find(const struct profile *p,
			 const struct rank_slices *slices,
			 const struct code_rules *rules, struct arena *arena,
			 struct function_costs *out,
			 struct error *err) MUST_CHECK;

/* Half of the 95 % interval of a sum over blocks, relative to it, which is of
 * so many samples; exposures as in struct slice_side. NaN of no samples. */
double cost_error(const double *values, const double *exposures, size_t count,
		  double sample_value);

#endif
