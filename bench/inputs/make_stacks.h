/* SPDX-License-Identifier: Apache-2.0
 *
 * The call graph of a made-up program, and the stacks that a walk through it
 * yields: few functions take most calls, and a new stack begins as one before
 * it did.
 */
#ifndef BENCH_MAKE_STACKS_H
#define BENCH_MAKE_STACKS_H

#include "make_input.h"

#define NO_FUNCTION UINT32_MAX

struct place {
	uint32_t function;
	uint32_t inlined; /* in front of it; NO_FUNCTION: nothing */
	uint32_t line;
};

/* A stack is its innermost frame and the stack of the callers. */
struct stack_node {
	uint32_t caller; /* index of a node; 0: none */
	uint32_t place;
};

struct stacks {
	const struct profile_shape *shape;
	struct arena arena;
	struct place *places;
	/* Places of function f: site_index[f] up to site_index[f + 1] of
	 * sites; its callees likewise. */
	uint32_t *site_index, *sites;
	uint32_t *callee_index, *callees;
	struct stack_node *nodes;
	size_t node_count, node_cap;
	/* Nodes by depth, to begin new stacks at. */
	uint32_t *bins, *bin_counts;
	uint32_t bin_depth;
	uint64_t *seen; /* hashes of stacks, an open table */
	size_t seen_slots;
	uint32_t made;
	uint64_t random;
	/* The stack at hand. */
	uint32_t node;
	uint64_t count, cpu_ns; /* samples of it, 0: not on this side */
};

bool stacks_init(struct stacks *s, const struct profile_shape *shape);
void stacks_release(struct stacks *s);

/* False at the end, or when memory failed. */
bool stacks_next(struct stacks *s);

/* Text of a function's name, and of its file, with a NUL. */
#define NAME_BYTES 160
void made_name(const struct profile_shape *shape, uint32_t f,
	       char name[NAME_BYTES]);
void made_file(uint32_t f, const char *name, char file[NAME_BYTES]);

#endif
