/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions of a profile with their callers and callees, and the lines of a
 * function: what the views of `profile` show besides the table. Plain structs;
 * texts are borrowed from the profile or live in the arena.
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
	bool is_inlined; /* wherever it is called so */
};

/* Edges: the largest first. */
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
	struct graph_node *nodes; /* by flat, by cum when asked for */
	size_t count;
	int64_t total; /* what shares are of */
	struct str unit;
};

/* One line of a listing; text is NULL where the source is not known. */
struct source_line {
	uint32_t number;
	int64_t flat;
	int64_t cum;
	struct str text;
};

/* A function in one file. */
struct listing {
	struct str function;
	struct str file;   /* empty: not known */
	struct str reason; /* why there is no source; empty: there is */
	int64_t flat;
	int64_t cum; /* sum over lines, as pprof adds up */
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

/* As much of a call graph as can be looked at: what drawings of it show. Texts
 * are borrowed from the profile. */

struct drawn_node {
	struct str name;
	int64_t flat;
	int64_t cum;
};

struct drawn_edge {
	uint32_t from; /* indices of nodes */
	uint32_t to;
	int64_t value;
	bool is_inlined;  /* wherever it is called so */
	bool is_residual; /* over nodes that are left out */
};

struct drawn_graph {
	struct arena arena;
	struct drawn_node *nodes; /* the most telling first */
	size_t node_count;
	struct drawn_edge *edges; /* the largest first */
	size_t edge_count;
	int64_t total;     /* what shares are of */
	int64_t shown;     /* flat values of the nodes */
	size_t node_total; /* before anything was left out */
	int64_t node_cutoff;
	int64_t edge_cutoff;
};

#endif
