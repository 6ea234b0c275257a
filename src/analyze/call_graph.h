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

#endif
