/* SPDX-License-Identifier: Apache-2.0
 *
 * Snapshot: values of one side of a comparison by function, stored in a file so
 * that later runs can be compared with it: mean and standard deviation over its
 * runs. Without stacks, so that it is small enough for a repository.
 */
#ifndef MODEL_SNAPSHOT_H
#define MODEL_SNAPSHOT_H

#include "base/arena.h"
#include "model/result.h"

/* Measures per function, in the order of enum rank_by. */
#define SNAPSHOT_MEASURES 3

/* The value of one run per unit of its exposure. */
struct snapshot_value {
	double mean;
	double spread; /* standard deviation over runs; 0 for a single run */
};

struct snapshot_function {
	struct str name; /* its identity, see analyze/function_table.h */
	struct str file; /* NULL unknown */
	struct snapshot_value values[SNAPSHOT_MEASURES];
};

struct snapshot {
	struct arena arena; /* owns everything here */
	struct str type;    /* "cpu" */
	struct str unit;
	struct str source; /* description of its input */
	/* Values are per second, per request (NORMALIZE_REQUEST), or per
	 * run. */
	enum normalize per;
	bool is_of_runs;
	double exposure; /* of one run: seconds, requests, or 1 */
	double seconds;  /* of one run; 0 unknown */
	/* Divisor of a run when compared: its exposure, unless the comparison
	 * normalizes otherwise. Not stored. */
	double length;
	uint32_t runs;
	int64_t samples; /* of all runs, -1 unknown */
	int64_t period;  /* value of one sample, 0 unknown */
	struct snapshot_value whole;
	struct snapshot_function *functions; /* sorted by name */
	size_t count;
};

static inline void snapshot_init(struct snapshot *s)
{
	*s = (struct snapshot){ .samples = -1 };
	arena_init(&s->arena, LIMIT_SNAPSHOT_HEAP_BYTES);
}

static inline void snapshot_release(struct snapshot *s)
{
	arena_release(&s->arena);
}

#endif
