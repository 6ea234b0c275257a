/* SPDX-License-Identifier: Apache-2.0
 *
 * Call graph and source listing of a profile, for the views of `profile` other
 * than the table. Plain structs; texts are borrowed from the profile or live in
 * the arena.
 */
#ifndef MODEL_CALL_GRAPH_H
#define MODEL_CALL_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

struct graph_edge {
	struct str name; /* of the caller or callee */
	int64_t value;
	bool is_inlined; /* in all calls */
};

/* Edges are sorted by value, largest first. */
struct graph_node {
	struct str name;
	int64_t flat;
	int64_t cum;
	int64_t flat_sum; /* of this node and those before it */
	struct graph_edge *callers;
	size_t caller_count;
	struct graph_edge *callees;
	size_t callee_count;
};

struct call_graph {
	struct arena arena;
	struct graph_node *nodes; /* by flat, or by cum if requested */
	size_t count;
	int64_t total; /* that shares refer to */
	struct str unit;
};

/* One line of a listing; text is NULL if the source is not available. */
struct source_line {
	uint32_t number;
	int64_t flat;
	int64_t cum;
	struct str text;
};

/* A function in one file. */
struct listing {
	struct str function;
	struct str file;   /* empty: unknown */
	struct str reason; /* why there is no source; empty: there is */
	int64_t flat;
	int64_t cum; /* sum over its lines, as in pprof */
	struct source_line *lines;
	size_t line_count;
};

struct listings {
	struct arena arena;
	struct listing *items; /* by function, then file */
	size_t count;
	int64_t total;
	struct str unit;
};

/* The part of a call graph that is drawn. Texts are borrowed from the
 * profile. */

struct drawn_node {
	struct str name;
	int64_t flat;
	int64_t cum;
};

struct drawn_edge {
	uint32_t from; /* indices of nodes */
	uint32_t to;
	int64_t value;
	bool is_inlined;  /* in all calls */
	bool is_residual; /* via nodes that are left out */
};

struct drawn_graph {
	struct arena arena;
	struct drawn_node *nodes; /* the most significant first */
	size_t node_count;
	struct drawn_edge *edges; /* the largest first */
	size_t edge_count;
	int64_t total;     /* that shares refer to */
	int64_t shown;     /* sum of the nodes' flat values */
	size_t node_total; /* number of nodes before any was left out */
	int64_t node_cutoff;
	int64_t edge_cutoff;
};

#endif
