/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/slice_values.h"

#include "analyze/function_totals.h"

struct slice_pass {
	const struct func_table *t;
	enum rank_by by;
	struct func_side side;
	struct slice_side *out;
	size_t at;           /* number of the block among those kept */
	uint32_t *seen;      /* by entry: the last stack, from 1 */
	uint32_t seen_count; /* stacks so far, over all blocks */
};

static void add(struct slice_pass *pass, uint32_t id, int64_t value)
{
	if (id != ENTRY_NONE)
		pass->out->values[id * pass->out->count + pass->at] +=
			(double)value;
}

static void add_total(struct slice_pass *pass, const struct stack *stack)
{
	for (uint32_t i = 0; i < stack->frame_count; i++) {
		uint32_t function = func_side_function(&pass->side, stack, i);
		uint32_t id = pass->side.entries[function];

		if (id == ENTRY_NONE || pass->seen[id] == pass->seen_count)
			continue;
		pass->seen[id] = pass->seen_count;
		add(pass, id, stack->value);
	}
}

static void add_stack(struct slice_pass *pass, const struct stack *stack)
{
	uint32_t function;

	if (pass->by == RANK_TOTAL) {
		pass->seen_count++;
		add_total(pass, stack);
		return;
	}
	function = pass->by == RANK_SELF
			   ? func_side_function(&pass->side, stack,
						stack->frame_count - 1)
			   : func_side_owner(&pass->side, stack);
	add(pass, pass->side.entries[function], stack->value);
}

static double exposure_of(const struct rank_slices *slices, size_t i,
			  bool is_share)
{
	if (is_share)
		return (double)slices->profiles[i]->whole_total;
	return slices->exposure ? slices->exposure[i] : 1;
}

/* A block of which a filter left nothing was measured all the same: none. */
static bool is_kept(const struct rank_slices *slices, size_t i, bool is_share)
{
	return slices->profiles[i]->whole_total > 0 &&
	       exposure_of(slices, i, is_share) > 0;
}

static bool side_alloc(struct slice_pass *pass,
		       const struct rank_slices *slices, bool is_share,
		       struct error *err)
{
	struct arena *arena = pass->t->arena;
	struct slice_side *out = pass->out;
	size_t entries = pass->t->count;

	for (size_t i = 0; i < slices->count; i++)
		out->count += is_kept(slices, i, is_share);
	/* Entries are fewer than 2^32 and blocks take memory each. */
	out->exposures = arena_array(arena, out->count, sizeof *out->exposures);
	out->wholes = arena_array(arena, out->count, sizeof *out->wholes);
	out->values =
		arena_array(arena, out->count, entries * sizeof *out->values);
	pass->seen = arena_array(arena, entries, sizeof *pass->seen);
	if (!out->exposures || !out->wholes || !out->values || !pass->seen)
		return arena_fail(arena, "comparing blocks", err);
	return true;
}

static bool add_slices(struct slice_pass *pass,
		       const struct rank_slices *slices, bool is_share,
		       struct error *err)
{
	if (!side_alloc(pass, slices, is_share, err))
		return false;
	for (size_t i = 0; i < slices->count; i++) {
		const struct profile *p = slices->profiles[i];

		if (!is_kept(slices, i, is_share))
			continue;
		pass->side = (struct func_side){ .profile = p };
		if (!func_side_bind(pass->t, &pass->side, err))
			return false;
		for (uint32_t k = 0; k < p->stack_count; k++)
			if (p->stacks[k].frame_count)
				add_stack(pass, &p->stacks[k]);
		pass->out->wholes[pass->at] = (double)p->whole_total;
		pass->out->exposures[pass->at++] =
			exposure_of(slices, i, is_share);
	}
	return true;
}

bool slice_values_build(struct slice_values *out, const struct func_table *t,
			const struct rank_want *want, bool is_share,
			struct error *err)
{
	const struct rank_slices *slices[] = { &want->slow_slices,
					       &want->baseline_slices };

	*out = (struct slice_values){ 0 };
	for (int s = 0; s < SIDE_COUNT; s++) {
		struct slice_pass pass = {
			.t = t,
			.by = want->by,
			.out = &out->sides[s],
		};

		if (!add_slices(&pass, slices[s], is_share, err))
			return false;
	}
	return true;
}
