/* SPDX-License-Identifier: Apache-2.0
 *
 * Flame graph of one or two profiles: the tree of stacks with values per side
 * and their change. Nodes are in depth-first order. Independent of pixels and
 * columns; shared by all renderers. Texts are borrowed from the profiles or
 * live in the arena.
 */
#ifndef MODEL_FLAME_H
#define MODEL_FLAME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "model/category.h"
#include "model/result.h"

/* Parent of the root. */
#define FLAME_NONE UINT32_MAX

/* Index of per-side values. */
enum flame_side { FLAME_SLOW = 0, FLAME_BASELINE, FLAME_SIDES };

enum flame_language {
	FLAME_LANGUAGE_UNKNOWN = 0,
	FLAME_GO,
	FLAME_JVM,
	FLAME_PYTHON,
	FLAME_NODE,
	FLAME_DOTNET,
	FLAME_RUBY,
	FLAME_RUST,
	FLAME_NATIVE, /* C, C++ */
};

/* A function, shared by all its nodes: the same one that is a row of the
 * table. */
struct flame_function {
	struct str name;
	struct str file; /* NULL unknown */
	uint32_t line;   /* of the hottest one, 0 unknown */
	enum code_kind kind;
	enum flame_language language;
	/* Change of the cumulative value; CHANGE_NONE without a comparison.
	 * Only show it if change_is_real(). */
	enum change change;
	/* The function that the answer blames (not a caller of it). */
	bool is_to_blame;
	uint32_t row; /* in result.functions, from 1; 0: none */
	/* Cumulative values, once per stack, as in tables. */
	int64_t totals[FLAME_SIDES];
	/* Values of itself with the libraries it calls, and of itself alone. */
	int64_t self_lib[FLAME_SIDES];
	int64_t self[FLAME_SIDES];
};

struct flame_values {
	int64_t self;  /* of stacks that end here */
	int64_t total; /* including descendants */
};

/* Children follow their parent, siblings in byte order of their names. The
 * total is self plus the totals of the children. */
struct flame_node {
	uint32_t function; /* index into flame.functions */
	uint32_t parent;   /* FLAME_NONE for the root */
	uint32_t depth;    /* 0 for the root */
	uint32_t end;      /* index after the last descendant */
	struct flame_values values[FLAME_SIDES]; /* never negative */
};

struct flame {
	struct arena arena;
	struct flame_function *functions;
	uint32_t function_count;
	struct flame_node *nodes; /* [0] is the root "all", always present */
	uint32_t node_count;
	uint32_t depth; /* of the deepest node */
	/* Callees first: children of a node are its callers. */
	bool is_reversed;
	bool has_baseline; /* else all baseline values are 0 */
	struct str unit;   /* of the values */
	/* Total that shares refer to: includes filtered samples. */
	int64_t whole[FLAME_SIDES];
	/* Value of one sample, 0 if values are not sampled. */
	double sample_value[FLAME_SIDES];
	enum normalize normalize; /* how the sides were compared */
	/* Factor that makes baseline values comparable with those of the slow
	 * side. */
	double baseline_scale;
	/* Sum of stacks with negative values, not drawn. */
	int64_t negative[FLAME_SIDES];
	struct str source_root; /* see source_path_shorten() */
	/* Number of stacks truncated at LIMIT_FLAME_NODES. */
	uint32_t cut_stacks;
};

/* Returns the baseline total of a node, scaled for comparison. */
static inline double flame_before(const struct flame *f,
				  const struct flame_node *n)
{
	return (double)n->values[FLAME_BASELINE].total * f->baseline_scale;
}

/* Returns whether a node occurs in the baseline only, significant or not. */
static inline bool flame_is_gone(const struct flame_node *n)
{
	return n->values[FLAME_SLOW].total == 0 &&
	       n->values[FLAME_BASELINE].total > 0;
}

/* Returns whether a node does not occur in the baseline and its function grew
 * significantly. */
static inline bool flame_is_new(const struct flame *f,
				const struct flame_node *n)
{
	return n->values[FLAME_SLOW].total > 0 &&
	       n->values[FLAME_BASELINE].total == 0 &&
	       change_is_up(f->functions[n->function].change);
}

#endif
