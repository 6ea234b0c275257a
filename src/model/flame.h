/* SPDX-License-Identifier: Apache-2.0
 *
 * The stacks of one or two profiles as a tree, for all drawings: boxes with
 * widths and what became of them since the baseline. Plain arrays, nodes in
 * depth-first order; knows neither pixels nor columns. Texts are borrowed from
 * the profiles or live in the arena.
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

/* Indices of what there is of both sides. */
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

/* One function, however many nodes it has: the same that ranks as one row. */
struct flame_function {
	struct str name;
	struct str file; /* NULL unknown */
	uint32_t line;   /* the hottest one, 0 unknown */
	enum code_kind kind;
	enum flame_language language;
	/* Of all that is spent in it and beneath; CHANGE_NONE without a
	 * comparison. Draw a change only where change_is_real(). */
	enum change change;
	/* The one that the answer names, not a caller of it. */
	bool is_to_blame;
	uint32_t row; /* of result.functions, from 1 on; 0: of none */
	/* Of all its nodes, once per stack: what tables say of it. */
	int64_t totals[FLAME_SIDES];
	/* The same of itself with the libraries that it calls, and alone. */
	int64_t self_lib[FLAME_SIDES];
	int64_t self[FLAME_SIDES];
};

struct flame_values {
	int64_t self;  /* of stacks that end here */
	int64_t total; /* with all that is beneath */
};

/* Children follow their parent, siblings in byte order of their names; the
 * totals of children and the own self add up to the total. */
struct flame_node {
	uint32_t function; /* into flame.functions */
	uint32_t parent;   /* FLAME_NONE for the root */
	uint32_t depth;    /* 0 for the root */
	uint32_t end;      /* index after the last node beneath */
	struct flame_values values[FLAME_SIDES]; /* never negative */
};

struct flame {
	struct arena arena;
	struct flame_function *functions;
	uint32_t function_count;
	struct flame_node *nodes; /* [0] is the root, always there: "all" */
	uint32_t node_count;
	uint32_t depth;   /* of the deepest node */
	bool is_reversed; /* callees first: a node's children are its callers */
	bool has_baseline; /* compared; else all baseline values are 0 */
	struct str unit;   /* of the values */
	int64_t whole[FLAME_SIDES]; /* what shares are of: filters included */
	/* The value of one sample, 0 where values are no samples. */
	double sample_value[FLAME_SIDES];
	enum normalize normalize; /* how the sides were compared */
	/* Multiplies baseline values so that they stand beside slow ones. */
	double baseline_scale;
	int64_t negative[FLAME_SIDES]; /* sum of stacks that have no width */
	struct str source_root;        /* see source_path_shorten() */
	uint32_t cut_stacks; /* that were cut off at LIMIT_FLAME_NODES */
};

/* The baseline's total of a node as it compares with the slow side's. */
static inline double flame_before(const struct flame *f,
				  const struct flame_node *n)
{
	return (double)n->values[FLAME_BASELINE].total * f->baseline_scale;
}

/* It was there before and is not any more, be that noise or not. */
static inline bool flame_is_gone(const struct flame_node *n)
{
	return n->values[FLAME_SLOW].total == 0 &&
	       n->values[FLAME_BASELINE].total > 0;
}

/* It was not there before, and its function grew for certain. */
static inline bool flame_is_new(const struct flame *f,
				const struct flame_node *n)
{
	return n->values[FLAME_SLOW].total > 0 &&
	       n->values[FLAME_BASELINE].total == 0 &&
	       change_is_up(f->functions[n->function].change);
}

#endif
