/* SPDX-License-Identifier: Apache-2.0
 *
 * Profiles of several runs, merged as they are read: common data is stored
 * once; each run keeps its header and the values of its stacks, a few bytes
 * each. Forty profiles take little more memory than one.
 */
#ifndef MODEL_PROFILE_RUNS_H
#define MODEL_PROFILE_RUNS_H

#include <stddef.h>

#include "base/buf.h"
#include "model/profile.h"

struct run_values {
	const unsigned char *bytes;
	size_t count; /* of stacks */
	int64_t unit; /* values are multiples of this */
};

struct profile_runs {
	/* By run: header fields, without functions, frames and stacks. Types
	 * are those of the sum. */
	struct profile *heads;
	size_t count;
	struct profile *sum;
	/* private */
	struct arena arena;
	struct run_values *values;
	size_t most;
	struct profile_build *build; /* until finished */
	/* Afterwards: stack of the sum, by order of appearance. */
	uint32_t *stacks;
	uint32_t stack_count;
	struct buf text;
};

/* sum must be initialized and empty, and outlive r; most: the number of runs.
 * Release r even after a failure. */
bool profile_runs_init(struct profile_runs *r, struct profile *sum, size_t most,
		       struct error *err) MUST_CHECK;
void profile_runs_release(struct profile_runs *r);

/* Adds a run of the same type as the first, sorted or packed, and releases it.
 * Fails on limits. */
bool profile_runs_add(struct profile_runs *r, struct profile *p,
		      struct error *err) MUST_CHECK;

/* Fills the sum as profile_merge() would, after at least one run. The caller
 * may have corrected duration, period and sample count in heads before. */
bool profile_runs_finish(struct profile_runs *r, struct notes *notes,
			 struct error *err) MUST_CHECK;

/* Iterator over the values of one run, by stack of the finished sum. */
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

/* Advances to the next stack, which may repeat; false after the last. */
bool run_walk_next(struct run_walk *w);

/* Request counts of a side: their sum, and the individual counts, per run or
 * per part. count 0: unknown. */
struct request_counts {
	double sum;
	const double *each;
	size_t count;
};

#endif
