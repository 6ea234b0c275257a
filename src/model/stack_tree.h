/* SPDX-License-Identifier: Apache-2.0
 *
 * Stacks in the making as a tree of their frames from the root on: what
 * stacks begin with is there once, equal stacks meet in one node, and putting
 * them into order is putting siblings into order. For decoders of texts, where
 * neighbours have most frames in common; see profile_build_tree().
 */
#ifndef MODEL_STACK_TREE_H
#define MODEL_STACK_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

/* No node; 0 is the root, which has no frame. */
#define STACK_TREE_NONE 0u

struct stack_node {
	uint32_t parent;
	uint32_t frame;
	uint32_t first_child; /* this and the next: from ordering on */
	uint32_t next_sibling;
	int64_t value; /* of the stack that ends here */
};

struct stack_tree {
	struct arena *arena;
	struct stack_node *nodes; /* children later than their parents */
	size_t count;
	size_t cap;
	/* Where nodes are found, by the hashes of their paths. */
	struct stack_slot *slots;
	size_t slot_count;
	uint64_t keys[2]; /* of this tree's hashes */
};

/* A node and the hash of its path; all zero is the root. */
struct stack_place {
	uint64_t hash;
	uint32_t node;
};

/* False: no memory in the arena, which must outlive it. */
bool stack_tree_init(struct stack_tree *t, struct arena *arena) MUST_CHECK;

/* From places[0] on, frame after frame, to places[count]; nodes that are not
 * there are added. False: no memory. */
bool stack_tree_walk(struct stack_tree *t, const uint32_t *frames,
		     uint32_t count, struct stack_place *places) MUST_CHECK;

/* Puts the children of every node into the order of place[frame]; places from
 * frame_count on are none, and such children leave. Nothing can be found in
 * it any more. False: no memory. */
bool stack_tree_order(struct stack_tree *t, const uint32_t *place,
		      uint32_t frame_count) MUST_CHECK;

/* The node after this one in depth-first order, or STACK_TREE_NONE after the
 * last. *depth (of the root: 0) is kept up to date. */
uint32_t stack_tree_next(const struct stack_tree *t, uint32_t node,
			 uint32_t *depth);

#endif
