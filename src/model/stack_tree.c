/* SPDX-License-Identifier: Apache-2.0 */
#include "model/stack_tree.h"

bool stack_tree_init(struct stack_tree *t, struct arena *arena)
{
	*t = (struct stack_tree){ .arena = arena };
	map_init(&t->rest, arena);
	if (!arena_reserve(arena, (void **)&t->nodes, &t->cap, 1,
			   sizeof *t->nodes))
		return false;
	t->count = 1;
	return true;
}

/* STACK_TREE_NONE where it is none of the first few. */
static uint32_t find_walking(const struct stack_tree *t, uint32_t parent,
			     uint32_t frame)
{
	uint32_t child = t->nodes[parent].first_child;

	for (unsigned i = 0; child && i < STACK_TREE_WALKED; i++) {
		if (t->nodes[child].frame == frame)
			return child;
		child = t->nodes[child].next_sibling;
	}
	return STACK_TREE_NONE;
}

/* The first few keep their places in front. */
static void link_child(struct stack_tree *t, uint32_t child)
{
	struct stack_node *parent = &t->nodes[t->nodes[child].parent];
	uint32_t *at = &parent->first_child;

	for (unsigned i = 0; *at && i < STACK_TREE_WALKED; i++)
		at = &t->nodes[*at].next_sibling;
	t->nodes[child].next_sibling = *at;
	*at = child;
	parent->child_count++;
}

static bool node_add(struct stack_tree *t, uint32_t parent, uint32_t frame,
		     uint32_t *child)
{
	if (t->count >= MAP_NONE ||
	    !arena_reserve(t->arena, (void **)&t->nodes, &t->cap, t->count + 1,
			   sizeof *t->nodes))
		return false;
	*child = (uint32_t)t->count++;
	t->nodes[*child] =
		(struct stack_node){ .parent = parent, .frame = frame };
	link_child(t, *child);
	return true;
}

static bool find_or_add(struct stack_tree *t, uint32_t parent, uint32_t frame,
			uint32_t *child)
{
	uint64_t key = (uint64_t)parent << 32 | frame;
	uint32_t next = (uint32_t)t->count;

	*child = find_walking(t, parent, frame);
	if (*child)
		return true;
	if (t->nodes[parent].child_count < STACK_TREE_WALKED)
		return node_add(t, parent, frame, child);
	if (!map_insert_u64(&t->rest, key, next, child))
		return false;
	return *child != next || node_add(t, parent, frame, child);
}

bool stack_tree_child(struct stack_tree *t, uint32_t parent, uint32_t frame,
		      uint32_t *child)
{
	*child = t->nodes[parent].last_found;
	if (*child && t->nodes[*child].frame == frame)
		return true;
	if (!find_or_add(t, parent, frame, child))
		return false;
	t->nodes[parent].last_found = *child;
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
