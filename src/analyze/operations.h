/* SPDX-License-Identifier: Apache-2.0
 *
 * Selects the operations of a trace to query: their typical durations show
 * whether a span is slow or always that long.
 */
#ifndef ANALYZE_OPERATIONS_H
#define ANALYZE_OPERATIONS_H

#include "analyze/trace_analysis.h"
#include "model/history.h"

/* Maximum number of operations. A search names each of them in its query, whose
 * length servers limit, and the rest has little of the critical path. */
#define OPERATIONS_MAX 24u

/* The callees are unknown: self time cannot be computed from the operation's
 * spans and those below. */
#define OPERATIONS_BELOW_UNKNOWN UINT32_MAX

struct operations {
	struct operation items[OPERATIONS_MAX]; /* borrow from the trace */
	uint32_t count;
	uint32_t root; /* of the analysed root, OPERATION_NONE without spans */
	bool has_single_root;
	struct str root_service; /* set if there is a single root */
	struct str root_name;
	bool is_root_called; /* by a span that is not in the trace */
	uint32_t left_out; /* operations on the path that were left out */
	/* By operation: bit mask of the operations its spans wait for, all of
	 * the same process and thus of one clock; else
	 * OPERATIONS_BELOW_UNKNOWN. */
	uint32_t below[OPERATIONS_MAX];
	/* By operation: bit mask of operations that are the server side of its
	 * calls. */
	uint32_t served[OPERATIONS_MAX];
	/* Bit mask of operations that only traces joined to this one have, and
	 * the root of the longest of those. */
	uint32_t foreign;
	struct str foreign_service; /* empty: nothing was joined */
	struct str foreign_name;
};

/* Collects the operations on the critical path of the analysed root, by the
 * time that passes through their spans, the root's first. Entry spans and
 * server sides include their callees, so they are among the first. Only time on
 * the path counts: concurrent work did not make the request slow. Also other
 * roots, async work with at least OPERATIONS_TREE_PERCENT of the path, and both
 * ends of messages that waited. */
bool operations_collect(const struct trace *t, const struct trace_times *times,
			struct operations *out, struct error *err) MUST_CHECK;

/* Returns the index of a span's operation, or OPERATION_NONE. */
uint32_t operations_find_span(const struct operation *items, uint32_t count,
			      const struct trace *t, uint32_t span);

/* Returns the entry span of a span's process: the highest one reached from it
 * without leaving its resource. */
uint32_t span_entry(const struct trace *t, uint32_t span);

#endif
