/* SPDX-License-Identifier: Apache-2.0
 *
 * The calls of call graphs while they are counted: one for each pair of caller
 * and callee, in which a stack counts once.
 */
#ifndef ANALYZE_GRAPH_EDGES_H
#define ANALYZE_GRAPH_EDGES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"

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
