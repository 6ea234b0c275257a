/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/formats.h"

#include "decode/column.h"

struct walk {
	const struct frame_node *nodes;
	size_t count;
	const char *what;
	struct arena scratch;
	struct column frames; /* uint32_t: leaf first, then root first */
	size_t steps;         /* over all stacks */
};

/* A stack with more frames than nodes is a cycle. The build also limits frames,
 * but only after truncating stacks. */
static bool walk_up(struct walk *w, uint32_t leaf, struct error *err)
{
	size_t depth = 0;

	w->frames.count = 0;
	for (uint32_t at = leaf; at != FRAME_NODE_NONE;
	     at = w->nodes[at].caller) {
		uint32_t *frame;

		if (depth++ == w->count)
			return error_set(err, ERROR_FORMAT,
					 "%s is damaged: a stack has no root",
					 w->what);
		if (w->steps++ == LIMIT_STACK_FRAMES_TOTAL)
			return error_set(err, ERROR_LIMIT,
					 "the stacks of %s have more than %u "
					 "frames together",
					 w->what, LIMIT_STACK_FRAMES_TOTAL);
		if (w->nodes[at].frame == FRAME_NODE_NONE)
			continue;
		frame = column_add(&w->scratch, &w->frames, sizeof *frame);
		if (!frame)
			return arena_fail(&w->scratch, w->what, err);
		*frame = w->nodes[at].frame;
	}
	return true;
}

void frames_turn_round(uint32_t *frames, size_t count)
{
	for (size_t i = 0; i < count / 2; i++) {
		uint32_t kept = frames[i];

		frames[i] = frames[count - 1 - i];
		frames[count - 1 - i] = kept;
	}
}

static bool add_all(struct walk *w, struct profile_build *build,
		    struct error *err)
{
	for (size_t i = 0; i < w->count; i++) {
		int64_t value = w->nodes[i].value;

		if (!value)
			continue;
		if (!walk_up(w, (uint32_t)i, err))
			return false;
		frames_turn_round(w->frames.items, w->frames.count);
		if (!profile_build_stack(build, w->frames.items,
					 (uint32_t)w->frames.count, value, err))
			return false;
	}
	return true;
}

bool frame_nodes_stacks(const struct frame_node *nodes, size_t count,
			struct profile_build *build, const char *what,
			struct error *err)
{
	struct walk w = { .nodes = nodes, .count = count, .what = what };
	bool is_done;

	arena_init(&w.scratch, LIMIT_DECODE_HEAP_BYTES);
	is_done = add_all(&w, build, err);
	arena_release(&w.scratch);
	return is_done;
}
