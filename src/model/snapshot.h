/* SPDX-License-Identifier: Apache-2.0
 *
 * What a side of a comparison took by function, kept in a file so that later
 * runs can be compared with it: means of its runs and how far they spread. No
 * stacks: a repository keeps it.
 */
#ifndef MODEL_SNAPSHOT_H
#define MODEL_SNAPSHOT_H

#include "base/arena.h"
#include "model/result.h"

/* Measures of a function, in the order of enum rank_by. */
#define SNAPSHOT_MEASURES 3

/* The value of one run, for each unit of its exposure. */
struct snapshot_value {
	double mean;
	double spread; /* standard deviation of the runs; 0 of one run */
};

struct snapshot_function {
	struct str name; /* its identity, see analyze/function_table.h */
	struct str file; /* NULL unknown */
	struct snapshot_value values[SNAPSHOT_MEASURES];
};

struct snapshot {
	struct arena arena; /* of all that is here */
	struct str type;    /* "cpu" */
	struct str unit;
	struct str source; /* what it was made of, for people */
	/* What values are of: a second, or (NORMALIZE_REQUEST) a request, or
	 * a run as a whole. */
	enum normalize per;
	bool is_of_runs;
	double exposure; /* of one run: its seconds, its requests, or 1 */
	double seconds;  /* of one run; 0 unknown */
	/* What a run is divided by when it is compared: its exposure, unless
	 * the comparison is by another measure. Not kept. */
	double length;
	uint32_t runs;
	int64_t samples; /* of all runs, -1 unknown */
	int64_t period;  /* value of one sample, 0 unknown */
	struct snapshot_value whole;
	struct snapshot_function *functions; /* by name */
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
