/* SPDX-License-Identifier: Apache-2.0
 *
 * The cost of each function in one profile, with its uncertainty: a stack is
 * charged once, to its deepest application function, so that the functions add
 * up to the profile. Pure arithmetic.
 */
#ifndef ANALYZE_FUNCTION_COSTS_H
#define ANALYZE_FUNCTION_COSTS_H

#include "analyze/profile_analysis.h"

struct function_cost {
	struct str name; /* borrowed from the profile, or in the arena */
	struct str file; /* NULL: not known */
	uint32_t line;   /* 0: not known */
	struct str leaf; /* hottest frame beneath it; NULL: itself */
	double value;    /* in the profile's unit */
	/* Half of the 95 % interval, relative to the value. 1 and more: noise,
	 * possibly zero; NaN: not known. */
	double error;
};

struct function_costs {
	struct function_cost *items; /* sorted by value, descending */
	size_t count;
	struct function_cost whole; /* the total; without names */
	bool is_by_slices;          /* noise from slices; else assumed */
	double sample_value;        /* 0: values are not samples */
};

/* Finds the costs. slices: parts of the profile, which is their sum; with fewer
 * than two the noise is not known. The profile and the arena must outlive the
 * result. */
bool function_costs_find(const struct profile *p,
			 const struct rank_slices *slices,
			 const struct code_rules *rules, struct arena *arena,
			 struct function_costs *out,
			 struct error *err) MUST_CHECK;

/* Returns half of the 95 % interval of a sum over slices, relative to the sum;
 * sample_value: the value of one sample; exposures as in struct slice_side. NaN
 * without samples. */
double cost_error(const double *values, const double *exposures, size_t count,
		  double sample_value);

#endif
