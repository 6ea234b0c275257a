/* SPDX-License-Identifier: Apache-2.0
 *
 * Repairs parents that are missing or reversed.
 */
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "model/trace_build.h"

/* Spans with the same missing parent. */
struct gap {
	uint64_t parent_id;
	int64_t start_ns; /* from the first start to the last end */
	int64_t end_ns;
	uint32_t first; /* index into orphans */
	uint32_t count;
};

struct adoption {
	struct trace *t;
	uint32_t *orphans; /* by missing parent, then in span order */
	uint32_t orphan_count;
	struct gap *gaps; /* longest first */
	uint32_t gap_count;
	uint32_t *top; /* by span: its root */
	/* By root: it is the longest root, or attached below it by now. */
	bool *is_of_root;
	/* By span: the last gap during which a child of it ran. */
	uint32_t *covered;
};

static uint32_t find_longest_root(const struct trace *t)
{
	uint32_t longest = SPAN_NONE;

	for (uint32_t i = 0; i < t->span_count; i++)
		if (t->spans[i].parent == SPAN_NONE &&
		    (longest == SPAN_NONE ||
		     span_duration_ns(&t->spans[i]) >
			     span_duration_ns(&t->spans[longest])))
			longest = i;
	return longest;
}

/* Walks up from each span until one with a known root. */
static void find_tops(const struct trace *t, uint32_t *top)
{
	for (uint32_t i = 0; i < t->span_count; i++)
		top[i] = SPAN_NONE;
	for (uint32_t i = 0; i < t->span_count; i++) {
		uint32_t found = i;

		while (top[found] == SPAN_NONE &&
		       t->spans[found].parent != SPAN_NONE)
			found = t->spans[found].parent;
		if (top[found] != SPAN_NONE)
			found = top[found];
		for (uint32_t at = i; at != SPAN_NONE && top[at] == SPAN_NONE;
		     at = t->spans[at].parent)
			top[at] = found;
	}
}

static int compare_gap(const void *left, const void *right)
{
	const struct gap *a = left;
	const struct gap *b = right;
	int order = compare_i64(b->end_ns - b->start_ns,
				a->end_ns - a->start_ns);

	return order ? order : compare_i64(a->first, b->first);
}

static void add_gap(struct adoption *a, uint32_t first, uint32_t end)
{
	const struct span *s = &a->t->spans[a->orphans[first]];
	struct gap gap = { .parent_id = s->parent_id,
			   .start_ns = s->start_ns,
			   .end_ns = s->end_ns,
			   .first = first,
			   .count = end - first };

	for (uint32_t i = first; i < end; i++) {
		s = &a->t->spans[a->orphans[i]];
		if (s->end_ns > gap.end_ns)
			gap.end_ns = s->end_ns;
	}
	if (gap.end_ns > gap.start_ns)
		a->gaps[a->gap_count++] = gap;
}

/* Orphans are sorted like spans: those of one parent by start. */
static void find_gaps(struct adoption *a, const struct span_sort *sort)
{
	const struct trace *t = a->t;

	for (uint32_t i = 0; i < t->span_count; i++) {
		const struct span *s = &t->spans[i];

		/* Other children were not waited for. */
		if (s->parent == SPAN_NONE && (s->flags & SPAN_IS_ORPHAN) &&
		    !(s->flags & (SPAN_IS_FOLLOWS_FROM | SPAN_IS_LINKED)) &&
		    s->kind != SPAN_KIND_CONSUMER)
			sort->keys[a->orphan_count++] =
				(struct span_key){ s->parent_id, i, i };
	}
	span_keys_sort(sort, a->orphan_count);
	for (uint32_t i = 0; i < a->orphan_count; i++)
		a->orphans[i] = sort->keys[i].index;
	for (uint32_t first = 0, end; first < a->orphan_count; first = end) {
		for (end = first + 1; end < a->orphan_count; end++)
			if (sort->keys[end].major != sort->keys[first].major)
				break;
		add_gap(a, first, end);
	}
	if (a->gap_count)
		qsort(a->gaps, a->gap_count, sizeof *a->gaps, compare_gap);
}

/* Overlaps of siblings by at most this fraction (1/100) of a gap are ignored,
 * since clocks differ. */
#define GAP_OVERLAP_PARTS 100

static void mark_covered(struct adoption *a, const struct gap *gap,
			 uint32_t number)
{
	int64_t least_ns = (gap->end_ns - gap->start_ns) / GAP_OVERLAP_PARTS;

	for (uint32_t i = 0; i < a->t->span_count; i++) {
		const struct span *s = &a->t->spans[i];
		int64_t from = s->start_ns > gap->start_ns ? s->start_ns
							   : gap->start_ns;
		int64_t to = s->end_ns < gap->end_ns ? s->end_ns : gap->end_ns;

		if (s->parent != SPAN_NONE && !(s->flags & SPAN_IS_ORPHAN) &&
		    to > from && to - from > least_ns)
			a->covered[s->parent] = number;
	}
}

/* Returns the shortest span of the request that contains the gap and has no
 * child during it; SPAN_NONE if none. */
static uint32_t find_holder(struct adoption *a, const struct gap *gap,
			    uint32_t number)
{
	const struct trace *t = a->t;
	uint32_t found = SPAN_NONE;

	mark_covered(a, gap, number);
	for (uint32_t i = 0; i < t->span_count; i++) {
		const struct span *s = &t->spans[i];

		if (s->start_ns > gap->start_ns || s->end_ns < gap->end_ns ||
		    a->covered[i] == number || !a->is_of_root[a->top[i]])
			continue;
		/* Databases do not make requests. */
		if (span_attr(t, i, STR("db.system")).len ||
		    span_attr(t, i, STR("db.system.name")).len)
			continue;
		if (found == SPAN_NONE ||
		    span_duration_ns(s) < span_duration_ns(&t->spans[found]))
			found = i;
	}
	return found;
}

static void gap_adopt(struct adoption *a, const struct gap *gap,
		      uint32_t holder, struct trace_oddities *r)
{
	struct trace *t = a->t;
	uint32_t service = t->resources[t->spans[holder].resource].service;

	for (uint32_t i = gap->first; i < gap->first + gap->count; i++) {
		struct span *s = &t->spans[a->orphans[i]];

		if (t->resources[s->resource].service == service)
			continue;
		s->parent = holder;
		a->is_of_root[a->orphans[i]] = true;
		r->adopted_count++;
	}
}

/* Attaches requests continued in another service when the spans in between were
 * lost, or belong to a proxy without tracing: their time is part of the span
 * with the gap, not its self time. */
static bool adopt_orphans(struct trace *t, struct arena *scratch,
			  const struct span_sort *sort,
			  struct trace_oddities *r, struct error *err)
{
	uint32_t n = t->span_count, longest = find_longest_root(t);
	struct adoption a = {
		.t = t,
		.orphans = arena_array(scratch, n, sizeof *a.orphans),
		.gaps = arena_array(scratch, n, sizeof *a.gaps),
		.top = arena_array(scratch, n, sizeof *a.top),
		.is_of_root = arena_array(scratch, n, sizeof *a.is_of_root),
		.covered = arena_array(scratch, n, sizeof *a.covered),
	};

	if (!a.orphans || !a.gaps || !a.top || !a.is_of_root || !a.covered)
		return arena_fail(scratch, "the trace", err);
	find_tops(t, a.top);
	a.is_of_root[longest] = true;
	find_gaps(&a, sort);
	for (uint32_t i = 0; i < a.gap_count && i < LIMIT_TRACE_GAPS; i++) {
		uint32_t holder;

		if (a.is_of_root[a.orphans[a.gaps[i].first]])
			continue;
		holder = find_holder(&a, &a.gaps[i], i + 1);
		if (holder != SPAN_NONE)
			gap_adopt(&a, &a.gaps[i], holder, r);
	}
	return true;
}

/* Reverses browser pages: a page names the request that delivered it as its
 * parent; but the browser began before it sent the request, and ended long
 * after the response. */
static void turn_pages(struct trace *t)
{
	uint32_t root = find_longest_root(t);

	for (uint32_t i = 0; i < t->span_count; i++) {
		struct span *page = &t->spans[i];
		uint32_t served = page->parent;
		struct span *server;

		if (served == SPAN_NONE ||
		    (page->kind != SPAN_KIND_INTERNAL &&
		     page->kind != SPAN_KIND_CLIENT) ||
		    (page->flags & SPAN_IS_FOLLOWS_FROM))
			continue;
		server = &t->spans[served];
		if (served != root || server->kind != SPAN_KIND_SERVER ||
		    server->resource == page->resource ||
		    page->start_ns >= server->start_ns ||
		    page->end_ns <= server->end_ns)
			continue;
		page->parent = SPAN_NONE;
		/* The shortest descendant of the page that contains the
		 * request; children are not filled yet, but what contains it
		 * began before it. */
		server->parent = i;
		for (uint32_t k = 0; k < served; k++) {
			const struct span *s = &t->spans[k];

			if (s->parent == server->parent &&
			    s->resource == page->resource &&
			    s->start_ns <= server->start_ns &&
			    s->end_ns >= server->end_ns)
				server->parent = k;
		}
		return;
	}
}

bool trace_mend_parents(struct trace *t, struct arena *scratch,
			const struct span_sort *sort, struct trace_oddities *r,
			struct error *err)
{
	if (!t->span_count)
		return true;
	turn_pages(t);
	return !t->orphan_count || adopt_orphans(t, scratch, sort, r, err);
}
