/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/explain.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/call_edges.h"
#include "analyze/rename.h"
#include "base/num.h"
#include "base/system.h"

#define WHAT "explaining changes"

/* ---- cost that moved ---- */

struct sibling {
	uint32_t parent;
	uint32_t id;
};

static int compare_siblings(const void *left, const void *right, void *data)
{
	const struct sibling *a = left, *b = right;
	const struct diff *d = data;
	int order = func_compare_keys(d->t, a->parent, b->parent);

	return order ? order : func_compare_keys(d->t, a->id, b->id);
}

static bool is_parent_small(const struct diff *d, uint32_t parent)
{
	const struct side_values *v = d->t->entries[parent].values;

	if (d->want->normalize != NORMALIZE_SHARE)
		return true;
	for (int s = 0; s < SIDE_COUNT; s++)
		if (side_share(d->t->sides[s].profile, v[s].total) >
		    EXPLAIN_SHIFT_PARENT)
			return false;
	return true;
}

/* The largest change of siblings in this direction, the first of several. */
static uint32_t largest(const struct diff *d, const uint32_t *ids, size_t count,
			bool is_change)
{
	uint32_t best = ENTRY_NONE;

	for (size_t i = 0; i < count; i++) {
		double delta = d->rows[ids[i]].delta;

		if ((delta > 0) == is_change &&
		    (best == ENTRY_NONE ||
		     fabs(delta) > fabs(d->rows[best].delta)))
			best = ids[i];
	}
	return best;
}

/* A function that was split, joined or inlined is there on one side only. Two
 * that are there on both sides have changed, whatever they add up to. */
static bool is_replaced(const struct diff *d, const uint32_t *ids, size_t count)
{
	bool is_all_new = true, is_all_gone = true;

	for (size_t i = 0; i < count; i++) {
		enum change change = d->rows[ids[i]].change;

		is_all_new &= change != CHANGE_GROWN;
		is_all_gone &= change != CHANGE_SHRUNK;
	}
	return is_all_new || is_all_gone;
}

static bool is_shift(const struct diff *d, const uint32_t *ids, size_t count)
{
	double up = 0, down = 0, rest;
	double p = diff_test_together(d, ids, count, &rest);

	for (size_t i = 0; i < count; i++) {
		double delta = d->rows[ids[i]].delta;

		up += fmax(0, delta);
		down += fmax(0, -delta);
	}
	return up > 0 && down > 0 && is_replaced(d, ids, count) &&
	       p > DIFF_FALSE_DISCOVERY &&
	       fabs(rest) <= EXPLAIN_SHIFT_REST * fmin(up, down);
}

static void take_back(struct diff *d, uint32_t id)
{
	d->rows[id].change = CHANGE_SAME;
	d->rows[id].effect = 0;
}

static bool judge_siblings(struct diff *d, uint32_t parent, uint32_t *ids,
			   size_t count, struct rank_facts *facts,
			   struct error *err)
{
	const struct func_entry *entries = d->t->entries;
	const struct func_entry *from, *to;

	if (count < 2 || !is_parent_small(d, parent) ||
	    !is_shift(d, ids, count))
		return true;
	from = &entries[largest(d, ids, count, false)];
	to = &entries[largest(d, ids, count, true)];
	for (size_t i = 0; i < count; i++)
		take_back(d, ids[i]);
	return rank_facts_add_shift(facts, from, to, &entries[parent], err);
}

/* The caller that most of an entry comes from, both sides together. */
static void main_callers(const struct diff *d, const struct call_edges *edges,
			 double *best, uint32_t *parents)
{
	for (uint32_t id = 0; id < d->t->count; id++)
		parents[id] = ENTRY_NONE;
	for (size_t i = 0; i < edges->count; i++) {
		const struct call_edge *e = &edges->items[i];
		double weight = 0;

		for (int s = 0; s < SIDE_COUNT; s++)
			weight += side_share(d->t->sides[s].profile,
					     e->values[s]);
		if (e->callee == ENTRY_NONE || e->caller == ENTRY_NONE ||
		    !(weight > 0) ||
		    !func_is_larger(d->t, e->caller, weight, parents[e->callee],
				    best[e->callee]))
			continue;
		best[e->callee] = weight;
		parents[e->callee] = e->caller;
	}
}

static bool find_shifts(struct diff *d, const struct call_edges *edges,
			struct rank_facts *facts, struct error *err)
{
	struct arena *arena = d->t->arena;
	size_t entries = d->t->count, count = 0, end;
	double *best = arena_array(arena, entries, sizeof *best);
	uint32_t *parents = arena_array(arena, entries, sizeof *parents);
	uint32_t *ids = arena_array(arena, entries, sizeof *ids);
	struct sibling *siblings =
		arena_array(arena, entries, sizeof *siblings);

	if (!best || !parents || !ids || !siblings)
		return arena_fail(arena, WHAT, err);
	main_callers(d, edges, best, parents);
	for (uint32_t id = 0; id < entries; id++)
		if (change_is_real(d->rows[id].change) &&
		    parents[id] != ENTRY_NONE)
			siblings[count++] = (struct sibling){ parents[id], id };
	system_sort(siblings, count, sizeof *siblings, compare_siblings, d);
	for (size_t first = 0; first < count; first = end) {
		for (end = first; end < count && siblings[end].parent ==
							 siblings[first].parent;
		     end++)
			ids[end - first] = siblings[end].id;
		if (!judge_siblings(d, siblings[first].parent, ids, end - first,
				    facts, err))
			return false;
	}
	return true;
}

/* ---- all together ---- */

/* Rows whose callers matter: all that are claimed, where there is anything to
 * explain. */
static bool choose(const struct diff *d, bool *is_chosen)
{
	bool has_up = false, has_down = false;

	for (uint32_t id = 0; id < d->t->count; id++) {
		bool up = change_is_up(d->rows[id].change);
		bool down = change_is_down(d->rows[id].change);

		is_chosen[id] = up || down;
		has_up |= up;
		has_down |= down;
	}
	return has_up && has_down;
}

bool explain_changes(struct diff *d, struct rank_facts *facts,
		     struct error *err)
{
	bool *is_chosen =
		arena_array(d->t->arena, d->t->count, sizeof *is_chosen);
	struct call_edges edges;

	if (!is_chosen)
		return arena_fail(d->t->arena, WHAT, err);
	if (!choose(d, is_chosen))
		return true;
	return call_edges_build(&edges, d->t, is_chosen, err) &&
	       rename_find(d, &edges, facts, err) &&
	       find_shifts(d, &edges, facts, err);
}
