/* SPDX-License-Identifier: Apache-2.0
 *
 * What grew: the time a candidate takes beyond what is usual for it, without
 * what its callees grew by. A span that is always long is no reason for a
 * trace to be slow.
 */
#ifndef ANALYZE_GROWTH_H
#define ANALYZE_GROWTH_H

#include "analyze/slowspan.h"
#include "analyze/usual.h"

/* A candidate grew when it took half as much again as usual, more than nine
 * in ten, and the growth of its own is at least a tenth of what the root's
 * whole path takes. Less is the scatter of every trace. */
#define GROWTH_RATIO 1.5
#define GROWTH_PATH_PERCENT 10

struct growth {
	bool is_known;
	bool is_grown;
	int64_t typical_ns; /* of the candidate as a whole, -1 not known */
	int64_t own_ns;     /* own growth, at least 0, at most the own time */
	uint32_t typical_count; /* traces behind typical_ns */
	uint32_t usual_calls;   /* members usually, by trace */
};

struct growths {
	struct growth *items; /* by candidate, in the order of candidates */
	bool is_any_known;
	bool is_any_grown;
};

#endif
