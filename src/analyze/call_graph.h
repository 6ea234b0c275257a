/* SPDX-License-Identifier: Apache-2.0
 *
 * Who calls whom in a profile, added up as pprof does: a stack counts once
 * for each function and each pair of caller and callee in it, and recursion
 * of a function into itself is no call. Linear in the frames of the stacks.
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
	struct regex *symbol; /* only functions of such a name, or NULL */
	bool is_by_cum;       /* order */
};

/* g is an initialised arena and otherwise empty; it borrows from p. count is 0
 * when no name matches. */
bool call_graph_build(struct call_graph *g, const struct profile *p,
		      const struct call_graph_want *want,
		      struct error *err) MUST_CHECK;

/* The lines of the functions whose name matches, with their values. Text and
 * reasons are left to the caller. */
bool listings_build(struct listings *l, const struct profile *p,
		    struct regex *symbol, struct error *err) MUST_CHECK;

/* The calls of call graphs while they are counted: one for each pair of caller
 * and callee, in which a stack counts once. */

struct graph_call {
	uint32_t from; /* nodes */
	uint32_t to;
	int64_t value;
	uint32_t stack;   /* the last one that was added, from 1 */
	bool is_inlined;  /* always */
	bool is_residual; /* once: over others that are left out */
	bool is_gone;     /* the owner's */
};

struct graph_edges {
	struct arena *arena;
	struct map pairs;
	struct graph_call *calls;
	size_t count;
	size_t cap;
};

/* Empty; whatever it held goes with the arena, which is borrowed. */
void graph_edges_init(struct graph_edges *e, struct arena *arena);

/* Adds a call in a stack, of its value, whose number counts from 0. False when
 * out of memory (the arena tells). */
bool graph_edges_add(struct graph_edges *e, const struct graph_call *call,
		     uint32_t stack, int64_t value) MUST_CHECK;

/* Who calls whom among chosen functions of a table, with what it took on both
 * sides. Linear in the frames of the stacks. */

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

/* Chooses what of a call graph is drawn, by the rules of pprof (its
 * internal/report and internal/graph, read for the facts): functions under
 * 0.5 % of the total are left out, then all but the 80 that matter most or
 * branch most, then calls under 0.1 %, and calls over functions left out where
 * another way leads there. */

/* g is an initialised arena and otherwise empty; it borrows from p. Linear in
 * the frames of the stacks. */
bool drawn_graph_build(struct drawn_graph *g, const struct profile *p,
		       struct error *err) MUST_CHECK;

#endif
