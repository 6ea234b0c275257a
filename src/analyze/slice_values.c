/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/diff.h"

#include "analyze/function_table.h"
#include "model/profile_runs.h"

/* A function of a stack, and what the stacks with all above it took. */
struct path_entry {
	uint32_t id;
	bool is_first; /* of its entry, on the path */
	double value;
};

struct slice_pass {
	const struct func_table *t;
	enum rank_by by;
	struct func_side side;
	struct slice_side *out;
	size_t at;           /* number of the block among those kept */
	struct arena scratch;
	uint32_t *seen;      /* by entry: the last stack, from 1 */
	uint32_t seen_count; /* stacks so far, over all blocks */
	/* Of what is folded, by stack: who holds it, or, of totals, frames in
	 * common with the one before and what the run took. */
	uint32_t *holders;
	uint16_t *kept;
	double *now;
	struct path_entry *path;
	uint32_t depth; /* of it */
};

static void add(struct slice_pass *pass, uint32_t id, double value)
{
	if (id != ENTRY_NONE)
		pass->out->values[id * pass->out->count + pass->at] += value;
}

static void add_total(struct slice_pass *pass, const struct stack *stack)
{
	for (uint32_t i = 0; i < stack->frame_count; i++) {
		uint32_t function = func_side_function(&pass->side, stack, i);
		uint32_t id = pass->side.entries[function];

		if (id == ENTRY_NONE || pass->seen[id] == pass->seen_count)
			continue;
		pass->seen[id] = pass->seen_count;
		add(pass, id, (double)stack->value);
	}
}

/* Whose the whole value of a stack is. */
static uint32_t holder_of(const struct slice_pass *pass,
			  const struct stack *stack)
{
	return pass->side.entries[pass->by == RANK_SELF
					  ? func_side_function(
						    &pass->side, stack,
						    stack->frame_count - 1)
					  : func_side_owner(&pass->side, stack)];
}

static void add_stacks(struct slice_pass *pass)
{
	const struct profile *p = pass->side.profile;

	for (uint32_t k = 0; k < p->stack_count; k++) {
		const struct stack *stack = &p->stacks[k];

		pass->seen_count++;
		if (!stack->frame_count)
			continue;
		if (pass->by == RANK_TOTAL)
			add_total(pass, stack);
		else
			add(pass, holder_of(pass, stack),
			    (double)stack->value);
	}
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
	pass->seen = arena_array(&pass->scratch, entries, sizeof *pass->seen);
	if (!pass->seen)
		return arena_fail(&pass->scratch, "comparing blocks", err);
	return (out->exposures && out->wholes && out->values) ||
	       arena_fail(arena, "comparing blocks", err);
}

/* ---- runs that are folded ---- */

static bool fold_alloc(struct slice_pass *pass, struct error *err)
{
	struct arena *arena = &pass->scratch;
	uint32_t count = pass->side.profile->stack_count;

	if (pass->by == RANK_TOTAL) {
		pass->kept = arena_array(arena, count, sizeof *pass->kept);
		pass->now = arena_array(arena, count, sizeof *pass->now);
		pass->path = arena_array(arena, LIMIT_STACK_FRAMES,
					 sizeof *pass->path);
		if (pass->kept && pass->now && pass->path)
			return true;
	} else {
		pass->holders = arena_array(arena, count,
					    sizeof *pass->holders);
		if (pass->holders)
			return true;
	}
	return arena_fail(arena, "comparing blocks", err);
}

/* Frames that a stack has in common with the one before. */
static uint16_t count_kept(const struct profile *p, uint32_t k)
{
	const struct stack *a = &p->stacks[k], *b = a - 1;
	const uint32_t *x = &p->frame_ids[a->frame_first], *y;
	uint16_t kept = 0;

	if (!k)
		return 0;
	y = &p->frame_ids[b->frame_first];
	while (kept < a->frame_count && kept < b->frame_count &&
	       x[kept] == y[kept])
		kept++;
	return kept;
}

_Static_assert(LIMIT_STACK_FRAMES <= UINT16_MAX, "lengths fit two bytes");

/* What is the same for all runs. */
static bool fold_init(struct slice_pass *pass, struct error *err)
{
	const struct profile *p = pass->side.profile;

	if (!fold_alloc(pass, err))
		return false;
	for (uint32_t k = 0; k < p->stack_count; k++) {
		if (pass->by == RANK_TOTAL)
			pass->kept[k] = count_kept(p, k);
		else
			pass->holders[k] = holder_of(pass, &p->stacks[k]);
	}
	return true;
}

/* Down to `depth` again: all below is complete. */
static void path_pop(struct slice_pass *pass, uint32_t depth)
{
	while (pass->depth > depth) {
		struct path_entry *e = &pass->path[--pass->depth];

		if (e->is_first) {
			add(pass, e->id, e->value);
			pass->seen[e->id] = 0;
		}
		if (pass->depth)
			e[-1].value += e->value;
	}
}

static void path_push(struct slice_pass *pass, const struct stack *stack)
{
	for (uint32_t i = pass->depth; i < stack->frame_count; i++) {
		uint32_t id =
			pass->side.entries[func_side_function(&pass->side,
							      stack, i)];
		bool is_first = !pass->seen[id];

		pass->path[pass->depth++] =
			(struct path_entry){ id, is_first, 0 };
		pass->seen[id] = 1;
	}
}

/* Most stacks begin as the one before: what those have in common is added to
 * its functions once. */
static void add_totals(struct slice_pass *pass)
{
	const struct profile *p = pass->side.profile;

	for (uint32_t k = 0; k < p->stack_count; k++) {
		path_pop(pass, pass->kept[k]);
		path_push(pass, &p->stacks[k]);
		pass->path[pass->depth - 1].value += pass->now[k];
		pass->now[k] = 0;
	}
	path_pop(pass, 0);
}

static void add_run(struct slice_pass *pass, const struct profile_runs *runs,
		    size_t run)
{
	struct run_walk w;

	run_walk_init(&w, runs, run);
	while (run_walk_next(&w)) {
		if (pass->by == RANK_TOTAL)
			pass->now[w.stack] += (double)w.value;
		else
			add(pass, pass->holders[w.stack], (double)w.value);
	}
	if (pass->by == RANK_TOTAL)
		add_totals(pass);
}

/* ---- blocks ---- */

static bool add_block(struct slice_pass *pass, const struct rank_slices *slices,
		      size_t i, struct error *err)
{
	if (slices->folded) {
		add_run(pass, slices->folded, i);
		return true;
	}
	pass->side = (struct func_side){ .profile = slices->profiles[i] };
	if (!func_side_bind(pass->t, &pass->side, err))
		return false;
	add_stacks(pass);
	return true;
}

static bool add_slices(struct slice_pass *pass, enum diff_side s,
		       const struct rank_slices *slices, bool is_share,
		       struct error *err)
{
	if (!side_alloc(pass, slices, is_share, err))
		return false;
	pass->side = pass->t->sides[s];
	if (slices->folded && !fold_init(pass, err))
		return false;
	for (size_t i = 0; i < slices->count; i++) {
		if (!is_kept(slices, i, is_share))
			continue;
		if (!add_block(pass, slices, i, err))
			return false;
		pass->out->wholes[pass->at] =
			(double)slices->profiles[i]->whole_total;
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
		bool is_done;

		arena_init(&pass.scratch, LIMIT_ANALYZE_HEAP_BYTES);
		is_done = add_slices(&pass, (enum diff_side)s, slices[s],
				     is_share, err);
		arena_release(&pass.scratch);
		if (!is_done)
			return false;
	}
	return true;
}
