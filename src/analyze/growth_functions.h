/* SPDX-License-Identifier: Apache-2.0
 *
 * Which functions hold more and more: growth.h for each function that stacks
 * are charged to, from the profiles of the blocks of some processes, and the
 * way to what grew. Pure.
 */
#ifndef ANALYZE_GROWTH_FUNCTIONS_H
#define ANALYZE_GROWTH_FUNCTIONS_H

#include "analyze/code_rules.h"
#include "analyze/growth.h"
#include "model/profile.h"

/* Functions that are tested, those that grew most. */
#define GROWTH_FUNCTIONS 20u
/* Processes of one question, whose profiles add up to its two thirds. */
#define GROWTH_PROCESSES 4u

struct growth_blocks {
	/* GROWTH_BLOCKS of each process, one process after the other. Sums of
	 * some snapshots each. */
	const struct profile *profiles;
	/* What the processes held, by a snapshot. */
	const struct growth_segment *segments;
	size_t process_count;           /* at most GROWTH_PROCESSES */
	double least;                   /* growth that counts */
	double most_q;                  /* GROWTH_Q or GROWTH_PART_Q */
	const struct code_rules *rules; /* the user's, or NULL */
	struct arena *keep;             /* for names that are found */
	struct notes *notes;
};

struct growth_function {
	struct str name;
	struct str file; /* NULL ptr: unknown */
	uint32_t line;
	struct growth growth;
	/* "main > serve > handle": callers, root first, of what grew most; of
	 * the first that grows without end. NULL ptr: not looked for. */
	struct str path;
};

struct growth_functions;

/* Fills list with *count functions by their growth, judged together. Free also
 * after failure; NULL: no memory. */
struct growth_functions *growth_functions_new(const struct growth_blocks *want,
					      struct error *err) MUST_CHECK;
bool growth_functions_find(struct growth_functions *g,
			   struct growth_function list[GROWTH_FUNCTIONS],
			   size_t *count, struct error *err) MUST_CHECK;
/* What another profile charges to the function found at this place. */
bool growth_functions_value(const struct growth_functions *g, size_t index,
			    const struct profile *p, double *out,
			    struct error *err) MUST_CHECK;
void growth_functions_free(struct growth_functions *g);

#endif
