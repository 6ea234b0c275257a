/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/num.h"
#include "model/profile_build.h"

struct stack_tree *profile_build_tree(struct profile_build *b,
				      struct error *err)
{
	b->has_tree = stack_tree_init(&b->tree, &b->tree_arena);
	if (b->has_tree)
		return &b->tree;
	arena_fail(&b->tree_arena, PROFILE_WHAT, err);
	return NULL;
}

/* The frames that lead to a node, at the end of `path`. */
static uint32_t *path_of(const struct stack_tree *t, uint32_t node,
			 uint32_t path[LIMIT_STACK_FRAMES])
{
	uint32_t *at = path + LIMIT_STACK_FRAMES;

	for (; node; node = t->nodes[node].parent)
		*--at = t->nodes[node].frame;
	return at;
}

bool profile_build_untree(struct profile_build *b, struct error *err)
{
	const struct stack_tree *t = &b->tree;
	uint32_t *path =
		arena_array(&b->scratch, LIMIT_STACK_FRAMES, sizeof *path);

	if (!path)
		return arena_fail(&b->scratch, PROFILE_WHAT, err);
	b->stack_count = 0;
	b->has_tree = false;
	for (uint32_t i = 1; i < t->count; i++) {
		const uint32_t *at;

		if (!t->nodes[i].value)
			continue;
		at = path_of(t, i, path);
		if (!profile_build_merge(
			    b, at, (uint32_t)(path + LIMIT_STACK_FRAMES - at),
			    t->nodes[i].value, err))
			return false;
	}
	arena_release(&b->tree_arena);
	return true;
}

/* Stacks that come to nothing are no stacks; they may come back. */
bool profile_tree_value(struct profile_build *b, uint32_t node, int64_t value,
			struct error *err)
{
	int64_t *sum = &b->tree.nodes[node].value;
	int64_t before = *sum, exact;

	if (!add_i64(before, value, &exact))
		b->is_saturated = true;
	*sum = sat_add_i64(before, value);
	if (!before && *sum)
		b->stack_count++;
	if (before && !*sum)
		b->stack_count--;
	return b->stack_count <= LIMIT_SAMPLES ||
	       error_set(err, ERROR_LIMIT,
			 "the profile has more than %u distinct stacks",
			 LIMIT_SAMPLES);
}

bool profile_tree_add(struct profile_build *b, const uint32_t *frames,
		      uint32_t count, int64_t value, struct error *err)
{
	struct stack_place places[2] = { 0 };

	for (uint32_t i = 0; i < count; i++) {
		if (!stack_tree_walk(&b->tree, &frames[i], 1, places))
			return arena_fail(&b->tree_arena, PROFILE_WHAT, err);
		places[0] = places[1];
	}
	return profile_tree_value(b, places[0].node, value, err);
}

/* From the leaves on. */
bool profile_tree_mark(struct profile_build *b, bool *is_frame_used)
{
	const struct stack_tree *t = &b->tree;
	bool *is_used = arena_array(&b->scratch, t->count, sizeof *is_used);

	if (!is_used)
		return false;
	for (size_t i = t->count; i-- > 1;) {
		const struct stack_node *n = &t->nodes[i];

		if (!is_used[i] && !n->value)
			continue;
		is_used[n->parent] = true;
		is_frame_used[n->frame] = true;
	}
	return true;
}

/* Of all stacks together; false: no memory. */
static bool count_frames(struct profile_build *b, size_t *sum)
{
	const struct stack_tree *t = &b->tree;
	uint16_t *depths = arena_array(&b->scratch, t->count, sizeof *depths);

	*sum = 0;
	for (size_t i = 1; depths && i < t->count; i++) {
		const struct stack_node *n = &t->nodes[i];

		depths[i] = (uint16_t)(depths[n->parent] + 1);
		*sum += n->value ? depths[i] : 0;
	}
	return depths;
}

_Static_assert(LIMIT_STACK_FRAMES <= UINT16_MAX, "depths fit two bytes");

static void write_stacks(const struct stack_tree *t, const uint32_t *place,
			 uint32_t *path, struct profile *p)
{
	uint32_t depth = 0;

	for (uint32_t i = 0; (i = stack_tree_next(t, i, &depth));) {
		const struct stack_node *n = &t->nodes[i];

		path[depth - 1] = place[n->frame];
		if (!n->value)
			continue;
		memcpy(p->frame_ids + p->frame_id_count, path,
		       depth * sizeof *path);
		p->stacks[p->stack_count++] =
			(struct stack){ (uint32_t)p->frame_id_count, depth,
					n->value };
		p->frame_id_count += depth;
	}
}

/* Functions are placed by their names and frames by functions, so that with
 * nothing but names the order of places is that of names. */
bool profile_tree_place(struct profile_build *b, const uint32_t *frame_place)
{
	struct profile *p = b->out;
	uint32_t *path =
		arena_array(&b->scratch, LIMIT_STACK_FRAMES, sizeof *path);
	size_t count;

	if (!path || !count_frames(b, &count) || count > UINT32_MAX ||
	    !stack_tree_order(&b->tree, frame_place, b->frame_count))
		return false;
	p->frame_ids = arena_array(&p->arena, count, sizeof *p->frame_ids);
	p->stacks = arena_array(&p->arena, b->stack_count, sizeof *p->stacks);
	if (!p->frame_ids || !p->stacks)
		return false;
	write_stacks(&b->tree, frame_place, path, p);
	return true;
}
