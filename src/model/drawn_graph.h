/* SPDX-License-Identifier: Apache-2.0
 *
 * As much of a call graph as can be looked at: what drawings of it show. Texts
 * are borrowed from the profile.
 */
#ifndef MODEL_DRAWN_GRAPH_H
#define MODEL_DRAWN_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

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
