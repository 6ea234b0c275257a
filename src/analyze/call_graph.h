/* SPDX-License-Identifier: Apache-2.0
 *
 * The call graph of a profile, counted as in pprof: a stack counts once for
 * each function and each pair of caller and callee in it, and direct recursion
 * is not a call. Linear in the frames of the stacks.
 */
#ifndef ANALYZE_CALL_GRAPH_H
#define ANALYZE_CALL_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/function_table.h"
#include "base/error.h"
#include "base/map.h"
#include "base/regex.h"
#include "model/call_graph.h"
#include "model/profile.h"

struct call_graph_want {
	struct regex *symbol; /* only functions with such a name, or NULL */
	bool is_by_cum;       /* sort order */
};

/* Builds the graph. g is an initialised arena and otherwise empty; it borrows
 * from p. count is 0 if no name matches. */
bool call_graph_build(struct call_graph *g, const struct profile *p,
		      const struct call_graph_want *want,
		      struct error *err) MUST_CHECK;

/* Finds the lines, with their values, of the functions whose name matches. Text
 * and reasons are set by the caller. */
bool listings_build(struct listings *l, const struct profile *p,
		    struct regex *symbol, struct error *err) MUST_CHECK;

/* Counts calls for call graphs: one entry per pair of caller and callee, in
 * which a stack counts once. */

struct graph_call {
	uint32_t from; /* nodes */
	uint32_t to;
	int64_t value;
	uint32_t stack;   /* last stack that was added, from 1 */
	bool is_inlined;  /* in all stacks */
	bool is_residual; /* in some stack: frames between were left out */
	bool is_gone;     /* for use by the owner */
};

struct graph_edges {
	struct arena *arena;
	struct map pairs;
	struct graph_call *calls;
	size_t count;
	size_t cap;
};

/* Initializes an empty set; its memory belongs to the arena, which is
 * borrowed. */
void graph_edges_init(struct graph_edges *e, struct arena *arena);

/* Adds a call in the stack with this number, from 0. Returns false without
 * memory (the arena has the error). */
bool graph_edges_add(struct graph_edges *e, const struct graph_call *call,
		     uint32_t stack, int64_t value) MUST_CHECK;

/* The calls among selected functions of a table, with their values on both
 * sides. Linear in the frames of the stacks. */

/* caller is ENTRY_NONE at the root, callee ENTRY_NONE for the caller's own leaf
 * samples. */
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

/* Finds the edges with a selected entry at either end, in the table's arena. In
 * a stack a function is called once, at its first frame; direct recursion is
 * not a call. is_chosen: by entry. */
bool call_edges_build(struct call_edges *edges, const struct func_table *t,
		      const bool *is_chosen, struct error *err) MUST_CHECK;

/* Selects the part of a call graph to draw, by the rules of pprof (facts from
 * its internal/report and internal/graph): without functions under 0.5 % of the
 * total, then all but 80 by value or number of branches, then calls under 0.1
 * %, and calls across omitted functions that have another path. */

/* g is an initialised arena and otherwise empty; it borrows from p. Linear in
 * the frames of the stacks. */
bool drawn_graph_build(struct drawn_graph *g, const struct profile *p,
		       struct error *err) MUST_CHECK;

#endif
