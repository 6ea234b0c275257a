/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/diff.h"

#include "analyze/function_table.h"
#include "model/profile_runs.h"

struct slice_pass {
	const struct func_table *t;
	enum rank_by by;
	struct func_side side;
	struct slice_side *out;
	size_t at;           /* number of the block among those kept */
	struct arena scratch;
	uint32_t *seen;      /* by entry: the last stack, from 1 */
	uint32_t seen_count; /* stacks so far, over all blocks */
	/* For folded runs. sums: the values of the run, by entry, with one more
	 * entry for nobody. holders: by stack the entry with its value. For
	 * totals, by stack, now: the value of the run; kept: the number of
	 * entries in common with the previous stack; owners: the other entries,
	 * one stack after another, nobody's if they already occur above. */
	double *sums;
	uint32_t *holders;
	double *now;
	uint16_t *kept;
	uint32_t *owners;
	size_t owner_count;
	size_t owner_cap;
	double *carried; /* of the stacks below, by depth: up to there */
};

static void value_add(struct slice_pass *pass, uint32_t id, double value)
{
	if (id != ENTRY_NONE)
		pass->out->values[id * pass->out->count + pass->at] += value;
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

static void stacks_add(struct slice_pass *pass)
{
	const struct profile *p = pass->side.profile;

	for (uint32_t k = 0; k < p->stack_count; k++) {
		const struct stack *stack = &p->stacks[k];

		pass->seen_count++;
		if (!stack->frame_count)
			continue;
		if (pass->by != RANK_TOTAL) {
			value_add(pass, holder_of(pass, stack),
				  (double)stack->value);
			continue;
		}
		for (uint32_t i = 0; i < stack->frame_count; i++) {
			uint32_t function =
				func_side_function(&pass->side, stack, i);
			uint32_t id = pass->side.entries[function];

			if (id == ENTRY_NONE ||
			    pass->seen[id] == pass->seen_count)
				continue;
			pass->seen[id] = pass->seen_count;
			value_add(pass, id, (double)stack->value);
		}
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
	bool is_done;

	pass->sums = arena_array(arena, pass->t->count + 1, sizeof *pass->sums);
	if (pass->by == RANK_TOTAL) {
		pass->kept = arena_array(arena, count, sizeof *pass->kept);
		pass->now = arena_array(arena, count, sizeof *pass->now);
		pass->carried = arena_array(arena, LIMIT_STACK_FRAMES + 1,
					    sizeof *pass->carried);
		is_done = pass->kept && pass->now && pass->carried;
	} else {
		pass->holders = arena_array(arena, count,
					    sizeof *pass->holders);
		is_done = pass->holders;
	}
	return (is_done && pass->sums) ||
	       arena_fail(arena, "comparing blocks", err);
}

static uint32_t entry_or_nobody(const struct slice_pass *pass, uint32_t id)
{
	return id == ENTRY_NONE ? (uint32_t)pass->t->count : id;
}

/* Entries on the way to a stack. */
struct path {
	uint32_t entries[LIMIT_STACK_FRAMES];
	uint32_t count;
};

/* Takes the path on to the next stack; how much of it stays. */
static uint32_t path_turn(const struct slice_pass *pass, struct path *path,
			  const struct stack *stack)
{
	uint32_t kept = 0;
	bool is_kept = true;

	for (uint32_t i = 0; i < stack->frame_count; i++) {
		uint32_t function = func_side_function(&pass->side, stack, i);
		uint32_t id = entry_or_nobody(pass,
					      pass->side.entries[function]);

		is_kept = is_kept && i < path->count && path->entries[i] == id;
		kept += is_kept;
		path->entries[i] = id;
	}
	path->count = stack->frame_count;
	return kept;
}

/* `seen` has the depth at which an entry was first met, from 1: true as long as
 * the path still has it there. */
static void own_frames(struct slice_pass *pass, const struct path *path,
		       uint32_t kept)
{
	uint32_t nobody = (uint32_t)pass->t->count;

	for (uint32_t i = kept; i < path->count; i++) {
		uint32_t id = path->entries[i];
		uint32_t at = id == nobody ? 0 : pass->seen[id];
		bool is_above = at && at <= i && path->entries[at - 1] == id;

		if (!is_above && id != nobody)
			pass->seen[id] = i + 1;
		pass->owners[pass->owner_count++] = is_above ? nobody : id;
	}
}

static bool fold_totals(struct slice_pass *pass, struct error *err)
{
	const struct profile *p = pass->side.profile;
	struct path *path = arena_alloc(&pass->scratch, sizeof *path);

	if (!path)
		return arena_fail(&pass->scratch, "comparing blocks", err);
	path->count = 0;
	for (uint32_t k = 0; k < p->stack_count; k++) {
		const struct stack *stack = &p->stacks[k];
		uint32_t kept = path_turn(pass, path, stack);
		void *owners = pass->owners;

		if (!arena_reserve(&pass->scratch, &owners, &pass->owner_cap,
				   pass->owner_count + path->count - kept,
				   sizeof *pass->owners))
			return arena_fail(&pass->scratch, "comparing blocks",
					  err);
		pass->owners = owners;
		pass->kept[k] = (uint16_t)kept;
		own_frames(pass, path, kept);
	}
	return true;
}

_Static_assert(LIMIT_STACK_FRAMES <= UINT16_MAX, "lengths fit two bytes");

/* Initializes the part that is the same for all runs. */
static bool fold_init(struct slice_pass *pass, struct error *err)
{
	const struct profile *p = pass->side.profile;

	if (!fold_alloc(pass, err))
		return false;
	if (pass->by == RANK_TOTAL)
		return fold_totals(pass, err);
	for (uint32_t k = 0; k < p->stack_count; k++)
		pass->holders[k] = entry_or_nobody(
			pass, holder_of(pass, &p->stacks[k]));
	return true;
}

/* From the last stack on: what they took is carried up to where they part from
 * the one before, and added to the entries above that once for all of them. */
static void totals_add(struct slice_pass *pass)
{
	const struct profile *p = pass->side.profile;
	const uint32_t *owner = pass->owners + pass->owner_count;

	for (uint32_t k = p->stack_count; k-- > 0;) {
		double sum = pass->now[k];

		for (uint32_t i = p->stacks[k].frame_count; i > pass->kept[k];
		     i--) {
			sum += pass->carried[i];
			pass->carried[i] = 0;
			pass->sums[*--owner] += sum;
		}
		pass->carried[pass->kept[k]] += sum;
		pass->now[k] = 0;
	}
	pass->carried[0] = 0;
}

static void run_add(struct slice_pass *pass, const struct profile_runs *runs,
		    size_t run)
{
	struct run_walk w;

	run_walk_init(&w, runs, run);
	while (run_walk_next(&w)) {
		if (pass->by == RANK_TOTAL)
			pass->now[w.stack] += (double)w.value;
		else
			pass->sums[pass->holders[w.stack]] += (double)w.value;
	}
	if (pass->by == RANK_TOTAL)
		totals_add(pass);
	for (uint32_t id = 0; id < pass->t->count; id++) {
		value_add(pass, id, pass->sums[id]);
		pass->sums[id] = 0;
	}
}

/* ---- blocks ---- */

static bool slices_add(struct slice_pass *pass, enum diff_side s,
		       const struct rank_slices *slices, bool is_share,
		       struct error *err)
{
	if (!side_alloc(pass, slices, is_share, err))
		return false;
	pass->side = pass->t->sides[s];
	if (slices->folded && !fold_init(pass, err))
		return false;
	for (size_t i = 0; i < slices->count; i++) {
		const struct profile *p = slices->profiles[i];

		if (!is_kept(slices, i, is_share))
			continue;
		if (slices->folded) {
			run_add(pass, slices->folded, i);
		} else {
			pass->side = (struct func_side){ .profile = p };
			if (!func_side_bind(pass->t, &pass->side, err))
				return false;
			stacks_add(pass);
		}
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
		bool is_done;

		arena_init(&pass.scratch, LIMIT_ANALYZE_HEAP_BYTES);
		is_done = slices_add(&pass, (enum diff_side)s, slices[s],
				     is_share, err);
		arena_release(&pass.scratch);
		if (!is_done)
			return false;
	}
	return true;
}
