/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/diff.h"

#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/system.h"
#include "model/profile.h"

#define NOT_CHOSEN UINT32_MAX

struct tracing {
	struct diff *d;
	const struct diff *self_lib;
	uint32_t *ids; /* of the chosen, the largest change first */
	size_t count;
	uint32_t *chosen; /* by entry: its place in ids, or NOT_CHOSEN */
	/* By place of the upper and of the lower function: what stacks with
	 * both took. */
	int64_t (*both)[SIDE_COUNT];
	/* By place: the caller, near or far, that asks for all the change. */
	uint32_t *asking;
};

/* ---- who is looked at ---- */

static int compare_deltas(const void *left, const void *right, void *data)
{
	const struct diff *d = data;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	int order = compare_f64(fabs(d->rows[b].delta), fabs(d->rows[a].delta));

	return order ? order : func_compare_keys(d->t, a, b);
}

/* The largest changes that are looked at. A table shows ten; the callers of
 * those that hold them are some forty at most in ordinary stacks. Each stack
 * costs the square of those on it. */
#define THROUGH_ROWS 48u

static bool rows_choose(struct tracing *t, struct error *err)
{
	struct arena *arena = t->d->t->arena;
	size_t entries = t->d->t->count;

	t->ids = arena_array(arena, entries, sizeof *t->ids);
	t->chosen = arena_array(arena, entries, sizeof *t->chosen);
	if (!t->ids || !t->chosen)
		return arena_fail(arena, "comparing callers", err);
	for (uint32_t id = 0; id < entries; id++) {
		const struct entry_diff *row = &t->d->rows[id];

		t->chosen[id] = NOT_CHOSEN;
		if ((change_is_real(row->change) || row->is_with_all ||
		     row->change == CHANGE_NOISE) &&
		    !func_is_nameless(t->d->t, id))
			t->ids[t->count++] = id;
	}
	system_sort(t->ids, t->count, sizeof *t->ids, compare_deltas, t->d);
	for (size_t i = THROUGH_ROWS; i < t->count; i++)
		t->d->rows[t->ids[i]].is_untraced = true;
	t->count = min_size(t->count, THROUGH_ROWS);
	for (size_t i = 0; i < t->count; i++)
		t->chosen[t->ids[i]] = (uint32_t)i;
	return true;
}

/* ---- who stands above whom ---- */

static int64_t *both_of(const struct tracing *t, size_t upper, size_t lower)
{
	return t->both[upper * t->count + lower];
}

/* In a stack a function stands where it is called first. */
static void add_stack(struct tracing *t, const struct func_side *side,
		      enum diff_side s, const struct stack_walk *stack)
{
	uint32_t seen[THROUGH_ROWS];
	uint64_t is_seen = 0;
	size_t count = 0;

	for (uint32_t i = 0; i < stack->count; i++) {
		uint32_t function =
			side->profile->frames[stack->frames[i]].function;
		uint32_t at = t->chosen[side->entries[function]];

		if (at == NOT_CHOSEN || (is_seen >> at & 1))
			continue;
		is_seen |= UINT64_C(1) << at;
		for (size_t above = 0; above < count; above++) {
			int64_t *sum = &both_of(t, seen[above], at)[s];

			*sum = sat_add_i64(*sum, stack->value);
		}
		seen[count++] = at;
	}
}

static bool add_sides(struct tracing *t, struct error *err)
{
	struct arena *arena = t->d->t->arena;
	struct stack_walk *stack = arena_alloc(arena, sizeof *stack);

	t->both = arena_array(arena, t->count * t->count, sizeof *t->both);
	t->asking = arena_array(arena, t->count, sizeof *t->asking);
	if (!stack || !t->both || !t->asking)
		return arena_fail(arena, "comparing callers", err);
	for (int s = 0; s < SIDE_COUNT; s++) {
		const struct func_side *side = &t->d->t->sides[s];

		if (!side->profile || !side->entries)
			continue;
		stack_walk_init(stack, side->profile);
		while (stack_walk_next(stack))
			add_stack(t, side, (enum diff_side)s, stack);
	}
	return true;
}

/* A snapshot has no stacks: what the lower function took is taken to have come
 * from the same callers as now. */
static void guess_baseline(struct tracing *t)
{
	for (size_t lower = 0; lower < t->count; lower++) {
		const struct side_values *v =
			t->d->t->entries[t->ids[lower]].values;
		double part = v[SIDE_SLOW].total
				      ? (double)v[SIDE_BASELINE].total /
						(double)v[SIDE_SLOW].total
				      : 0;

		for (size_t upper = 0; upper < t->count; upper++) {
			int64_t *both = both_of(t, upper, lower);

			both[SIDE_BASELINE] = sat_from_f64(
				(double)both[SIDE_SLOW] * part);
		}
	}
}

/* ---- what holds a change ---- */

static double delta_of(const struct tracing *t, size_t i)
{
	const struct side_values *v = t->d->t->entries[t->ids[i]].values;

	return diff_delta_beside(t->d, v[SIDE_SLOW].total,
				 v[SIDE_BASELINE].total);
}

static double delta_between(const struct tracing *t, size_t upper, size_t lower)
{
	const int64_t *v = both_of(t, upper, lower);

	return diff_delta_beside(t->d, v[SIDE_SLOW], v[SIDE_BASELINE]);
}

/* delta is most of whole, the same way. */
static bool is_most(double delta, double whole)
{
	return (delta > 0) == (whole > 0) &&
	       fabs(delta) >= THROUGH_PART * fabs(whole);
}

/* Returns which of two functions that call each other is more often above. */
static bool is_above(const struct tracing *t, size_t upper, size_t lower)
{
	const int64_t *down = both_of(t, upper, lower);
	const int64_t *up = both_of(t, lower, upper);

	return sat_add_i64(down[SIDE_SLOW], down[SIDE_BASELINE]) >
	       sat_add_i64(up[SIDE_SLOW], up[SIDE_BASELINE]);
}

#define THROUGH_OTHERS_STILL 0.5

/* Calls from elsewhere tell whether a helper itself changed when they are this
 * part of it, and they did not when they moved by less than half as much, and
 * by less than half of what they took. */
#define THROUGH_OTHERS_PART 0.1

/* A function that is called from elsewhere, too, and takes there what it
 * always took, has not changed itself. Of what grew the side before tells how
 * much of it is from elsewhere, of what shrank the side after. What wanders
 * there is then less than half of the change: the caller has most of it. */
static bool is_still_elsewhere(const struct tracing *t, size_t caller,
			       size_t helper)
{
	const struct side_values *v = t->d->t->entries[t->ids[helper]].values;
	const int64_t *here = both_of(t, caller, helper);
	double delta = delta_of(t, helper);
	enum diff_side least = delta > 0 ? SIDE_BASELINE : SIDE_SLOW;
	double all = (double)v[least].total;
	double part = all > 0 ? 1 - (double)here[least] / all : 0;
	double others = fabs(delta - delta_between(t, caller, helper));
	double before = fabs(
		diff_delta(t->d, sat_sub_i64(v[least].total, here[least]), 0));

	return part >= THROUGH_OTHERS_PART &&
	       others <= THROUGH_OTHERS_STILL * part * fabs(delta) &&
	       others <= THROUGH_OTHERS_STILL * before;
}

static bool is_certain(const struct tracing *t, size_t i)
{
	const struct entry_diff *row = &t->d->rows[t->ids[i]];

	return change_is_real(row->change) || row->is_with_all;
}

/* Possible noise only explains noise. */
static bool tracing_explains(const struct tracing *t, size_t other, size_t i)
{
	return other != i && (is_certain(t, other) || !is_certain(t, i));
}

static bool is_asked_by(const struct tracing *t, size_t caller, size_t helper)
{
	uint32_t owner = t->ids[caller], library = t->ids[helper];
	const struct func_entry *entries = t->d->t->entries;
	double delta = delta_between(t, caller, helper);

	if (!tracing_explains(t, caller, helper) ||
	    !is_above(t, caller, helper) ||
	    !is_most(delta_of(t, caller), delta))
		return false;
	if (is_still_elsewhere(t, caller, helper))
		return true;
	/* A library does what it is called for. */
	return is_most(delta, delta_of(t, helper)) &&
	       entries[owner].is_application &&
	       !entries[library].is_application &&
	       is_most(t->self_lib->rows[owner].delta, delta);
}

/* The inner of two: the one with less in it; of the same the lower one. */
static bool is_inner(const struct tracing *t, size_t i, uint32_t than)
{
	const struct func_entry *entries = t->d->t->entries;
	const struct side_values *v, *w;
	int64_t a, b;

	if (than == NOT_CHOSEN)
		return true;
	v = entries[t->ids[i]].values;
	w = entries[t->ids[than]].values;
	a = sat_add_i64(v[SIDE_SLOW].total, v[SIDE_BASELINE].total);
	b = sat_add_i64(w[SIDE_SLOW].total, w[SIDE_BASELINE].total);
	return a != b ? a < b : is_above(t, than, i);
}

/* The innermost callee that holds the change, or NOT_CHOSEN. */
static uint32_t find_holder(const struct tracing *t, size_t i)
{
	uint32_t found = NOT_CHOSEN;

	for (size_t g = 0; g < t->count; g++)
		if (tracing_explains(t, g, i) && t->asking[g] == NOT_CHOSEN &&
		    is_above(t, i, g) &&
		    is_most(delta_between(t, i, g), delta_of(t, i)) &&
		    is_most(delta_of(t, g), delta_between(t, i, g)) &&
		    is_inner(t, g, found))
			found = (uint32_t)g;
	return found;
}

bool through_find(struct diff *d, const struct diff *self_lib,
		  struct error *err)
{
	struct tracing t = { .d = d, .self_lib = self_lib };

	if (!rows_choose(&t, err))
		return false;
	if (t.count < 2)
		return true;
	if (!add_sides(&t, err))
		return false;
	if (!d->t->sides[SIDE_BASELINE].entries)
		guess_baseline(&t);
	for (size_t i = 0; i < t.count; i++) {
		t.asking[i] = NOT_CHOSEN;
		for (size_t p = 0; p < t.count; p++)
			if (is_asked_by(&t, p, i) &&
			    is_inner(&t, p, t.asking[i]))
				t.asking[i] = (uint32_t)p;
	}
	for (size_t i = 0; i < t.count; i++) {
		struct entry_diff *row = &d->rows[t.ids[i]];
		uint32_t holder = find_holder(&t, i);
		bool is_asked = holder == NOT_CHOSEN;
		uint32_t through = is_asked ? t.asking[i] : holder;

		/* A part that changed alone is no one else's. */
		if (through == NOT_CHOSEN || row->measure != d->want->by)
			continue;
		row->through = t.ids[through];
		row->is_asked = is_asked;
	}
	return true;
}
