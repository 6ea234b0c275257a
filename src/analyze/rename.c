/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/rank_facts.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/call_graph.h"
#include "base/num.h"
#include "base/system.h"

/* A function that is on one side only itself: may be renamed too. */
#define OTHER_CHANGED (ENTRY_NONE - 1)

/* Neighbours that bring less than this say nothing; so there are at most 50
 * each way. */
#define LINK_MIN_SHARE 0.02

struct link {
	uint32_t candidate; /* index */
	bool is_callee;
	uint32_t other; /* entry, ENTRY_NONE or OTHER_CHANGED */
	double share;   /* of the candidate's total */
};

struct candidate {
	uint32_t id;
	enum diff_side s; /* where it exists */
	size_t link_first;
	size_t link_count;
	bool is_paired;
};

struct renaming {
	struct diff *d;
	struct candidate *items; /* gone ones, then new ones */
	size_t gone_count;
	size_t count;
	struct link *links;
	size_t link_count;
	size_t link_cap;
	uint32_t *candidate_of; /* by entry: index + 1 */
};

/* ---- candidates ---- */

static int compare_deltas(const void *left, const void *right, void *data)
{
	const struct diff *d = data;
	uint32_t a = ((const struct candidate *)left)->id;
	uint32_t b = ((const struct candidate *)right)->id;
	int order = compare_f64(fabs(d->rows[b].delta), fabs(d->rows[a].delta));

	return order ? order : func_compare_keys(d->t, a, b);
}

/* Largest new and gone functions that are looked at, each. */
#define EXPLAIN_RENAME_ROWS 64

/* The largest of one kind. items has room for all. */
static size_t candidates_take(const struct renaming *r, enum change change,
			      enum diff_side s, struct candidate *items)
{
	size_t count = 0;

	for (uint32_t id = 0; id < r->d->t->count; id++)
		if (r->d->rows[id].change == change)
			items[count++] = (struct candidate){ .id = id, .s = s };
	system_sort(items, count, sizeof *items, compare_deltas, r->d);
	return min_size(count, EXPLAIN_RENAME_ROWS);
}

static bool candidates_make(struct renaming *r, struct error *err)
{
	struct arena *arena = r->d->t->arena;
	size_t entries = r->d->t->count;

	r->items = arena_array(arena, entries + EXPLAIN_RENAME_ROWS,
			       sizeof *r->items);
	r->candidate_of = arena_array(arena, entries, sizeof *r->candidate_of);
	if (!r->items || !r->candidate_of)
		return arena_fail(arena, "finding renamed functions", err);
	r->gone_count = candidates_take(r, CHANGE_GONE, SIDE_BASELINE,
					r->items);
	r->count = r->gone_count + candidates_take(r, CHANGE_NEW, SIDE_SLOW,
						   r->items + r->gone_count);
	for (size_t i = 0; i < r->count; i++)
		r->candidate_of[r->items[i].id] = (uint32_t)i + 1;
	return true;
}

/* ---- neighbours ---- */

static bool link_add(struct renaming *r, uint32_t id, uint32_t other,
		     bool is_callee, const int64_t *values)
{
	uint32_t index = id == ENTRY_NONE ? 0 : r->candidate_of[id];
	const struct func_entry *entries = r->d->t->entries;
	const struct candidate *c;
	double share;

	if (!index)
		return true;
	c = &r->items[index - 1];
	share = (double)values[c->s] / (double)entries[id].values[c->s].total;
	if (!(share >= LINK_MIN_SHARE))
		return true;
	if (other != ENTRY_NONE && (!entries[other].values[SIDE_SLOW].total ||
				    !entries[other].values[SIDE_BASELINE].total))
		other = OTHER_CHANGED;
	if (!arena_reserve(r->d->t->arena, (void **)&r->links, &r->link_cap,
			   r->link_count + 1, sizeof *r->links))
		return false;
	r->links[r->link_count++] = (struct link){
		.candidate = index - 1,
		.is_callee = is_callee,
		.other = other,
		.share = share,
	};
	return true;
}

static int compare_links(const void *left, const void *right)
{
	const struct link *a = left, *b = right;
	int order = compare_u64(a->candidate, b->candidate);

	if (!order)
		order = a->is_callee - b->is_callee;
	if (!order)
		order = compare_u64(a->other, b->other);
	return order ? order : compare_f64(a->share, b->share);
}

/* Links of a candidate come to stand together, equal ones as one. */
static void links_order(struct renaming *r)
{
	size_t kept = 0;

	qsort(r->links, r->link_count, sizeof *r->links, compare_links);
	for (size_t i = 0; i < r->link_count; i++) {
		struct link link = r->links[i];
		struct link *last = kept ? &r->links[kept - 1] : NULL;
		struct candidate *c = &r->items[link.candidate];

		if (last && last->candidate == link.candidate &&
		    last->is_callee == link.is_callee &&
		    last->other == link.other) {
			last->share += link.share;
			continue;
		}
		if (!c->link_count++)
			c->link_first = kept;
		r->links[kept++] = link;
	}
	r->link_count = kept;
}

static bool links_make(struct renaming *r, const struct call_edges *edges,
		       struct error *err)
{
	for (size_t i = 0; i < edges->count; i++) {
		const struct call_edge *e = &edges->items[i];

		if (!link_add(r, e->callee, e->caller, false, e->values) ||
		    !link_add(r, e->caller, e->callee, true, e->values))
			return arena_fail(r->d->t->arena,
					  "finding renamed functions", err);
	}
	if (r->link_count)
		links_order(r);
	return true;
}

/* ---- pairs ---- */

/* The overlap of two functions' neighbours, 0..1 each. */
struct overlap {
	double callers;
	double callees;
	double known_callers; /* that are on both sides themselves */
};

static struct overlap find_overlap(const struct renaming *r,
				   const struct candidate *a,
				   const struct candidate *b)
{
	const struct link *x = r->links + a->link_first;
	const struct link *y = r->links + b->link_first;
	const struct link *x_end = x + a->link_count;
	const struct link *y_end = y + b->link_count;
	struct overlap o = { 0 };

	while (x < x_end && y < y_end) {
		int order = x->is_callee - y->is_callee;
		double common = fmin(x->share, y->share);

		if (!order)
			order = compare_u64(x->other, y->other);
		if (!order && x->is_callee)
			o.callees += common;
		if (!order && !x->is_callee)
			o.callers += common;
		if (!order && !x->is_callee && x->other != OTHER_CHANGED)
			o.known_callers += common;
		x += order <= 0;
		y += order >= 0;
	}
	return o;
}

/* Behind the last of the marks that part a name from its package or class. */
static struct str simple_name(struct str name)
{
	size_t at = name.len;

	while (at && name.ptr[at - 1] != '.' && name.ptr[at - 1] != ':' &&
	       name.ptr[at - 1] != '/')
		at--;
	return str_slice(name, at, name.len);
}

#define EXPLAIN_RENAME_RATIO 1.5

/* A new function is an old one renamed when so much of its callers and of its
 * callees are the same, and the value lies within this ratio. */
#define EXPLAIN_RENAME_OVERLAP 0.8

/* 0: another function; the larger the surer. */
static double pair_score(const struct renaming *r, const struct candidate *gone,
			 const struct candidate *fresh)
{
	const struct func_entry *a = &r->d->t->entries[gone->id];
	const struct func_entry *b = &r->d->t->entries[fresh->id];
	struct overlap o = find_overlap(r, gone, fresh);
	uint32_t ids[] = { gone->id, fresh->id };
	double before = fabs(r->d->rows[gone->id].delta);
	double after = fabs(r->d->rows[fresh->id].delta), delta;
	/* At least 1, as an unchanged function would show. */
	double ratio = fmax(before, after) / fmin(before, after);
	bool is_namesake = str_equal(simple_name(a->key), simple_name(b->key));
	bool is_alike =
		o.callers >= EXPLAIN_RENAME_OVERLAP &&
		o.callees >= EXPLAIN_RENAME_OVERLAP &&
		(is_namesake || o.known_callers >= EXPLAIN_RENAME_OVERLAP);

	bool is_same_place = a->line && a->line == b->line && a->file.len &&
			     str_equal(a->file, b->file);

	if ((!is_alike && !is_same_place) || !(ratio <= EXPLAIN_RENAME_RATIO))
		return 0;
	if (ratio > DIFF_UNTESTED_RATIO &&
	    !(diff_test_together(r->d, ids, 2, &delta) > DIFF_FALSE_DISCOVERY))
		return 0;
	return 1 + is_same_place + is_namesake + o.callers + o.callees +
	       1 / ratio;
}

static void change_take_back(struct diff *d, uint32_t id)
{
	d->rows[id].change = CHANGE_SAME;
	d->rows[id].effect = 0;
}

static struct candidate *best_match(const struct renaming *r,
				    const struct candidate *gone)
{
	struct candidate *best = NULL;
	double best_score = 0;

	for (size_t i = r->gone_count; i < r->count; i++) {
		double score = r->items[i].is_paired
				       ? 0
				       : pair_score(r, gone, &r->items[i]);

		if (score > best_score) {
			best = &r->items[i];
			best_score = score;
		}
	}
	return best;
}

/* A new function of another value takes a gone one's place when the same
 * functions call it, which are there on both sides, and most of what it does
 * beneath, or itself, is the same. */
#define EXPLAIN_REPLACED_CALLEES 0.5

static bool takes_place(const struct renaming *r, const struct candidate *gone,
			const struct candidate *fresh)
{
	struct overlap o = find_overlap(r, gone, fresh);

	return !gone->is_paired && !fresh->is_paired &&
	       o.known_callers >= EXPLAIN_RENAME_OVERLAP &&
	       o.callees >= EXPLAIN_REPLACED_CALLEES;
}

/* If several functions may have replaced one, or been replaced by one, none is
 * certain. */
static void replaced_find(struct renaming *r)
{
	for (size_t g = 0; g < r->gone_count; g++) {
		size_t fresh = 0, found = 0, rivals = 0;

		for (size_t i = r->gone_count; i < r->count; i++)
			if (takes_place(r, &r->items[g], &r->items[i])) {
				fresh = i;
				found++;
			}
		for (size_t i = 0; found == 1 && i < r->gone_count; i++)
			rivals += takes_place(r, &r->items[i],
					      &r->items[fresh]);
		if (rivals == 1)
			r->d->rows[r->items[fresh].id].replaces =
				r->items[g].id;
	}
}

/* Pairs gone functions with new ones of the same callers and callees, or of
 * the same place in the same file, and of similar value. Neither is claimed
 * then, and facts hold the pair. edges must hold those of all claims. */
static bool rename_find(struct diff *d, const struct call_edges *edges,
			struct rank_facts *facts, struct error *err)
{
	const struct func_entry *entries = d->t->entries;
	struct renaming r = { .d = d };

	if (!candidates_make(&r, err))
		return false;
	if (!r.gone_count || r.gone_count == r.count)
		return true;
	if (!links_make(&r, edges, err))
		return false;
	for (size_t i = 0; i < r.gone_count; i++) {
		struct candidate *fresh = best_match(&r, &r.items[i]);

		if (!fresh)
			continue;
		fresh->is_paired = r.items[i].is_paired = true;
		change_take_back(d, r.items[i].id);
		change_take_back(d, fresh->id);
		if (!rank_facts_add_renaming(facts, &entries[r.items[i].id],
					     &entries[fresh->id], err))
			return false;
	}
	replaced_find(&r);
	return true;
}

/* Explains changes of a comparison: renamed functions, and cost that only moved
 * between siblings that replaced each other. */

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

/* Shares of siblings always make up for each other under a parent that is
 * most of the profile: there nothing is said. */
#define EXPLAIN_SHIFT_PARENT 0.5

/* The largest change of siblings in this direction, the first of several. */
static uint32_t change_largest(const struct diff *d, const uint32_t *ids,
			       size_t count, bool is_change)
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

/* Cost moved when this part of it, at most, did not come out again. */
#define EXPLAIN_SHIFT_REST 0.25

static bool is_shift(const struct diff *d, const uint32_t *ids, size_t count)
{
	bool is_all_new = true, is_all_gone = true;
	double up = 0, down = 0, rest;
	double p = diff_test_together(d, ids, count, &rest);

	for (size_t i = 0; i < count; i++) {
		const struct entry_diff *row = &d->rows[ids[i]];

		up += fmax(0, row->delta);
		down += fmax(0, -row->delta);
		is_all_new &= row->change != CHANGE_GROWN;
		is_all_gone &= row->change != CHANGE_SHRUNK;
	}
	/* A function that was split, joined or inlined is there on one side
	 * only. Two that are there on both sides have changed, whatever they
	 * add up to. */
	return up > 0 && down > 0 && (is_all_new || is_all_gone) &&
	       p > DIFF_FALSE_DISCOVERY &&
	       fabs(rest) <= EXPLAIN_SHIFT_REST * fmin(up, down);
}

static bool judge_siblings(struct diff *d, uint32_t parent, uint32_t *ids,
			   size_t count, struct rank_facts *facts,
			   struct error *err)
{
	const struct func_entry *entries = d->t->entries;
	const struct side_values *v = entries[parent].values;
	bool is_share = d->want->normalize == NORMALIZE_SHARE;
	const struct func_entry *from, *to;

	for (int s = 0; is_share && s < SIDE_COUNT; s++)
		if (side_share(d->t->sides[s].profile, v[s].total) >
		    EXPLAIN_SHIFT_PARENT)
			return true;
	if (count < 2 || !is_shift(d, ids, count))
		return true;
	from = &entries[change_largest(d, ids, count, false)];
	to = &entries[change_largest(d, ids, count, true)];
	for (size_t i = 0; i < count; i++)
		change_take_back(d, ids[i]);
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

bool explain_changes(struct diff *d, struct rank_facts *facts,
		     struct error *err)
{
	bool *is_chosen =
		arena_array(d->t->arena, d->t->count, sizeof *is_chosen);
	bool has_up = false, has_down = false;
	struct call_edges edges;

	if (!is_chosen)
		return arena_fail(d->t->arena, WHAT, err);
	/* The callers of all that are claimed matter, where there is anything
	 * to explain. */
	for (uint32_t id = 0; id < d->t->count; id++) {
		bool up = change_is_up(d->rows[id].change);
		bool down = change_is_down(d->rows[id].change);

		is_chosen[id] = up || down;
		has_up |= up;
		has_down |= down;
	}
	if (!has_up || !has_down)
		return true;
	return call_edges_build(&edges, d->t, is_chosen, err) &&
	       rename_find(d, &edges, facts, err) &&
	       find_shifts(d, &edges, facts, err);
}
