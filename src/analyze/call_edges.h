/* SPDX-License-Identifier: Apache-2.0
 *
 * Who calls whom among chosen functions of a table, with what it took on both
 * sides. Linear in the frames of the stacks.
 */
#ifndef ANALYZE_CALL_EDGES_H
#define ANALYZE_CALL_EDGES_H

#include "analyze/function_table.h"

/* caller is ENTRY_NONE at the root, callee ENTRY_NONE for the caller's own
 * leaf samples. */
struct call_edge {
	uint32_t caller;
	uint32_t callee;
	int64_t values[SIDE_COUNT];
};

struct call_edges {
	struct arena *arena;
	struct map map;
	struct call_edge *items; /* in the order of the stacks */
	size_t count;
	size_t cap;
};

/* Edges with one of the chosen entries at either end, in the table's arena.
 * In a stack a function is called once, where it stands first; recursion into
 * itself is no call. is_chosen: by entry. */
bool call_edges_build(struct call_edges *edges, const struct func_table *t,
		      const bool *is_chosen, struct error *err) MUST_CHECK;

#endif
