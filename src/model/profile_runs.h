/* SPDX-License-Identifier: Apache-2.0
 *
 * Profiles of several runs, folded into one as they are read: what they have in
 * common is there once, and of each run what it says of itself and the values
 * of its stacks stay, a few bytes each. Forty profiles together take little
 * more than one.
 */
#ifndef MODEL_PROFILE_RUNS_H
#define MODEL_PROFILE_RUNS_H

#include <stddef.h>

#include "base/buf.h"
#include "model/profile.h"

struct run_values {
	const unsigned char *bytes;
	size_t count; /* of stacks */
	int64_t unit; /* that values are told in */
};

struct profile_runs {
	/* By run: what the profile says of itself, without functions, frames
	 * and stacks. The types are those of the sum. */
	struct profile *heads;
	size_t count;
	struct profile *sum;
	/* private */
	struct arena arena;
	struct run_values *values;
	size_t most;
	struct profile_build *build; /* until finished */
	uint32_t *stacks; /* then, by their number as they were met */
	uint32_t stack_count;
	struct buf text;
};

/* sum is initialised and empty, and outlives r; most: so many runs come. Release
 * also after failure. */
bool profile_runs_init(struct profile_runs *r, struct profile *sum, size_t most,
		       struct error *err) MUST_CHECK;
void profile_runs_release(struct profile_runs *r);

/* Adds a run of the type of the first, in any order or packed, and lets go of
 * it. Fails on limits. */
bool profile_runs_add(struct profile_runs *r, struct profile *p,
		      struct error *err) MUST_CHECK;

/* Fills the sum as profile_merge() would. At least one run
 * was added. What heads say of length, period and samples may have been set
 * right before. */
bool profile_runs_finish(struct profile_runs *r, struct notes *notes,
			 struct error *err) MUST_CHECK;

/* The values of one run, by stack of the finished sum. */
struct run_walk {
	uint32_t stack;
	int64_t value;
	/* private */
	const struct profile_runs *runs;
	const unsigned char *at;
	size_t left;
	int64_t unit;
	uint32_t met;
};

void run_walk_init(struct run_walk *w, const struct profile_runs *r,
		   size_t run);

/* The next stack, which may come again; false after the last. */
bool run_walk_next(struct run_walk *w);

/* Requests of a side, in all and as they were counted: one by one for runs, or
 * in parts. Nothing: count 0. */
struct request_counts {
	double sum;
	const double *each;
	size_t count;
};

#endif
