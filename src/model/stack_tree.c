/* SPDX-License-Identifier: Apache-2.0 */
#include "model/stack_tree.h"

#include "base/map.h"

#define FIRST_SLOTS ((size_t)256)

/* All that finding a node takes, so that one line of the processor's cache is
 * fetched for it. */
struct stack_slot {
	uint32_t hash;
	uint32_t parent;
	uint32_t frame;
	uint32_t node; /* STACK_TREE_NONE: empty */
};

/* Odd, so that multiplying by them loses nothing. */
static uint64_t key_of(const char *use)
{
	return hash_bytes(use, 1) | 1;
}

bool stack_tree_init(struct stack_tree *t, struct arena *arena)
{
	*t = (struct stack_tree){
		.arena = arena,
		.slot_count = FIRST_SLOTS,
		.keys = { key_of("f"), key_of("p") },
	};
	t->slots = arena_array(arena, t->slot_count, sizeof *t->slots);
	if (!t->slots || !arena_reserve(arena, (void **)&t->nodes, &t->cap, 1,
					sizeof *t->nodes))
		return false;
	t->nodes[t->count++] = (struct stack_node){ .parent = 0 };
	return true;
}

/* Every step of it can be undone, so that two paths have the same hash only if
 * the keys, which nobody knows, make it so. It needs no node: slots of a whole
 * stack are fetched side by side, where child after child would be waited
 * for. */
static uint64_t path_hash(const struct stack_tree *t, uint64_t parent,
			  uint32_t frame)
{
	uint64_t mixed =
		(parent ^ (frame + UINT64_C(1)) * t->keys[0]) * t->keys[1];

	return mixed ^ mixed >> 32;
}

/* Where it is, or the empty one where it belongs. The table is never full, so
 * that the walk ends. */
static struct stack_slot *probe(const struct stack_tree *t, uint32_t hash,
				uint32_t parent, uint32_t frame)
{
	size_t at = hash & (t->slot_count - 1);

	while (t->slots[at].node &&
	       (t->slots[at].hash != hash || t->slots[at].parent != parent ||
		t->slots[at].frame != frame))
		at = (at + 1) & (t->slot_count - 1);
	return &t->slots[at];
}

/* Keeps a quarter of the slots empty. */
static bool make_room(struct stack_tree *t)
{
	struct stack_slot *old = t->slots;
	size_t old_count = t->slot_count;
	struct stack_slot *slots;

	if (t->count < t->slot_count / 4 * 3)
		return true;
	slots = arena_array(t->arena, 2 * old_count, sizeof *slots);
	if (!slots)
		return false;
	t->slots = slots;
	t->slot_count = 2 * old_count;
	for (size_t i = 0; i < old_count; i++)
		if (old[i].node)
			*probe(t, old[i].hash, old[i].parent, old[i].frame) =
				old[i];
	arena_drop(t->arena, old, old_count * sizeof *old);
	return true;
}

static bool node_add(struct stack_tree *t, uint32_t hash, uint32_t parent,
		     uint32_t frame)
{
	uint32_t node = (uint32_t)t->count;

	if (t->count >= UINT32_MAX || !make_room(t) ||
	    !arena_reserve(t->arena, (void **)&t->nodes, &t->cap, t->count + 1,
			   sizeof *t->nodes))
		return false;
	t->nodes[node] =
		(struct stack_node){ .parent = parent, .frame = frame };
	*probe(t, hash, parent, frame) =
		(struct stack_slot){ hash, parent, frame, node };
	t->count++;
	return true;
}

static bool step(struct stack_tree *t, uint32_t parent, uint32_t frame,
		 struct stack_place *child)
{
	uint32_t hash = (uint32_t)child->hash;

	child->node = probe(t, hash, parent, frame)->node;
	if (child->node)
		return true;
	child->node = (uint32_t)t->count;
	return node_add(t, hash, parent, frame);
}

bool stack_tree_walk(struct stack_tree *t, const uint32_t *frames,
		     uint32_t count, struct stack_place *places)
{
	for (uint32_t i = 0; i < count; i++) {
		uint64_t hash = path_hash(t, places[i].hash, frames[i]);

		places[i + 1].hash = hash;
		__builtin_prefetch(
			&t->slots[(uint32_t)hash & (t->slot_count - 1)]);
	}
	for (uint32_t i = 0; i < count; i++)
		if (!step(t, places[i].node, frames[i], &places[i + 1]))
			return false;
	return true;
}

/* By frames from the last to the first, each before its siblings so far. */
bool stack_tree_order(struct stack_tree *t, const uint32_t *place,
		      uint32_t frame_count)
{
	uint32_t *heads = arena_array(t->arena, frame_count, sizeof *heads);
	uint32_t *next = arena_array(t->arena, t->count, sizeof *next);

	if (!heads || !next)
		return false;
	for (uint32_t i = 1; i < t->count; i++) {
		uint32_t at = place[t->nodes[i].frame];

		if (at >= frame_count)
			continue;
		next[i] = heads[at];
		heads[at] = i;
	}
	for (uint32_t i = 0; i < t->count; i++)
		t->nodes[i].first_child = STACK_TREE_NONE;
	for (uint32_t p = frame_count; p-- > 0;)
		for (uint32_t i = heads[p]; i; i = next[i]) {
			struct stack_node *n = &t->nodes[i];

			n->next_sibling = t->nodes[n->parent].first_child;
			t->nodes[n->parent].first_child = i;
		}
	return true;
}

uint32_t stack_tree_next(const struct stack_tree *t, uint32_t node,
			 uint32_t *depth)
{
	const struct stack_node *n = &t->nodes[node];

	/* Comes up behind the children. */
	__builtin_prefetch(&t->nodes[n->next_sibling]);
	if (n->first_child) {
		++*depth;
		return n->first_child;
	}
	while (node && !n->next_sibling) {
		node = n->parent;
		n = &t->nodes[node];
		--*depth;
	}
	return node ? n->next_sibling : STACK_TREE_NONE;
}
