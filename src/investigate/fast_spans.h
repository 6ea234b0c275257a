/* SPDX-License-Identifier: Apache-2.0
 *
 * The slow and the fast requests of one operation in a window, by the ids under
 * which profiles hold their samples; from a search of the traces.
 */
#ifndef INVESTIGATE_FAST_SPANS_H
#define INVESTIGATE_FAST_SPANS_H

#include "investigate/investigation.h"

struct fast_spans {
	uint64_t *slow_ids;
	size_t slow_count;
	uint64_t *fast_ids;
	size_t fast_count;
	int64_t slow_from_ns; /* the shortest of them */
	int64_t fast_to_ns;   /* the longest of them */
};

/* Slow is the slowest tenth, fast the faster half. In v->backends->arena.
 * A shortfall when there are too few. */
bool fast_spans_find(struct investigation *v, struct str service,
		     struct str name, struct time_range range,
		     struct fast_spans *out, struct error *err) MUST_CHECK;

#endif
