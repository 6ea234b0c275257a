/* SPDX-License-Identifier: Apache-2.0
 *
 * Which operations of a trace are worth asking the trace server about: what
 * they usually take tells whether a span is slow or always that long.
 */
#ifndef ANALYZE_OPERATIONS_H
#define ANALYZE_OPERATIONS_H

#include "analyze/trace_analysis.h"
#include "model/history.h"

/* Operations asked about. A search names each of them in its query, whose
 * length servers limit, and what is left after two dozen holds little of the
 * critical path. */
#define OPERATIONS_MAX 24u

/* The callee of an operation whose self time its spans and those below do not
 * give. */
#define OPERATIONS_BELOW_UNKNOWN UINT32_MAX

struct operations {
	struct operation items[OPERATIONS_MAX]; /* borrow the trace */
	uint32_t count;
	uint32_t root; /* of the analysed root, OPERATION_NONE without spans */
	bool has_single_root;
	struct str root_service; /* set when there is a single root */
	struct str root_name;
	bool is_root_called; /* by a span that is not in the trace */
	uint32_t left_out; /* operations on the path that found no room */
	/* By operation: a bit for each operation its spans wait for. All are of
	 * the same process and thus of one clock, else
	 * OPERATIONS_BELOW_UNKNOWN. */
	uint32_t below[OPERATIONS_MAX];
	/* By operation: a bit for each one that is the server side of its
	 * calls. */
	uint32_t served[OPERATIONS_MAX];
	/* A bit for each operation that only traces joined to this one have,
	 * and the root of the longest of those. */
	uint32_t foreign;
	struct str foreign_service; /* empty: nothing was joined */
	struct str foreign_name;
};

/* The operations on the critical path of the analysed root, by the time that
 * runs through their spans, the root's before all. Entry spans and server
 * sides hold what is below them, so they are among the first. Time is of the
 * path: what ran beside it made nothing slow. Other roots, work that nobody
 * waited for of OPERATIONS_TREE_PERCENT of the path, and both ends of messages
 * that waited are asked about, too. */
bool operations_collect(const struct trace *t, const struct trace_times *times,
			struct operations *out, struct error *err) MUST_CHECK;

/* Index of a span's operation, or OPERATION_NONE. */
uint32_t operations_find_span(const struct operation *items, uint32_t count,
			      const struct trace *t, uint32_t span);

/* The first span of the process that a span belongs to: the highest one
 * reached from it without leaving its resource. */
uint32_t span_entry(const struct trace *t, uint32_t span);

#endif
