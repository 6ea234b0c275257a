/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "analyze/calls.h"
#include "analyze/trace_analysis.h"
#include "base/arena.h"
#include "base/num.h"
#include "model/trace.h"

/* OpenTelemetry for JavaScript begins a span at Date.now(), a whole
 * millisecond, and measures its length by performance.now(). So a span begins
 * up to this much later than it seems to, and ends as much later: calls in a
 * row seem to overlap, and a child to outlast its parent. */
#define START_UNIT_NS NS_PER_MS

/* So many starts of a process are whole milliseconds by no chance. */
#define WHOLE_STARTS_LEAST 12u

/* Calls side by side whose ends are looked at for what began after them. */
#define LANES_MOST 32u

/* The finished spans of a resource. */
struct starts {
	uint32_t count;
	uint32_t fine_ends;
	bool is_fine; /* some start is no whole millisecond */
};

/* A child of the span under examination. */
struct child {
	int64_t start_ns; /* as recorded */
	int64_t end_ns;
	int64_t least_ns; /* when it began, by what it is a part of and by its
			     parts */
	uint32_t resource;
	uint32_t span;
};

/* The ends of finished spans, and spans that may still run. */
struct lanes {
	int64_t done_ns;
	int64_t end_ns[LANES_MOST];
	uint32_t count;
};

struct whole {
	const struct trace *t;
	struct starts *starts; /* by resource */
	struct child *children;
	int64_t *late_ns; /* by span */
};

static bool is_whole(const struct whole *w, uint32_t resource)
{
	const struct starts *s = &w->starts[resource];

	return !s->is_fine && s->count >= WHOLE_STARTS_LEAST &&
	       s->fine_ends > s->count / 2;
}

/* Returns whether some process has such starts. */
static bool count_starts(struct whole *w)
{
	const struct trace *t = w->t;
	bool has_some = false;

	for (uint32_t i = 0; i < t->span_count; i++) {
		const struct span *s = &t->spans[i];
		struct starts *starts = &w->starts[s->resource];

		if (s->flags & SPAN_IS_UNFINISHED)
			continue;
		starts->count++;
		starts->fine_ends += s->end_ns % START_UNIT_NS != 0;
		starts->is_fine |= s->start_ns % START_UNIT_NS != 0;
	}
	for (uint32_t i = 0; i < t->resource_count; i++)
		has_some |= is_whole(w, i);
	return has_some;
}

/* Sorts by start, the longest last: spans that begin in the same millisecond
 * all ended in it except the last, if they were sequential. */
static int compare_child(const void *left, const void *right)
{
	const struct child *a = left;
	const struct child *b = right;
	int order = compare_i64(a->resource, b->resource);

	if (!order)
		order = compare_i64(a->start_ns, b->start_ns);
	if (!order)
		order = compare_i64(a->end_ns, b->end_ns);
	return order ? order : compare_i64(a->span, b->span);
}

static bool is_within_unit(int64_t from_ns, int64_t to_ns)
{
	return to_ns >= from_ns && sat_sub_i64(to_ns, from_ns) < START_UNIT_NS;
}

static uint32_t children_gather(struct whole *w, const struct span *parent)
{
	int64_t from_ns = sat_add_i64(parent->start_ns,
				      w->late_ns[parent - w->t->spans]);
	uint32_t count = 0;

	for (uint32_t i = 0; i < parent->child_count; i++) {
		uint32_t child = w->t->children[parent->child_first + i];
		const struct span *s = &w->t->spans[child];
		struct child *c = &w->children[count];

		if (!is_whole(w, s->resource) || !span_is_awaited(w->t, child) ||
		    (s->flags & SPAN_IS_UNFINISHED))
			continue;
		*c = (struct child){
			.start_ns = s->start_ns,
			.end_ns = s->end_ns,
			.least_ns = sat_add_i64(s->start_ns, w->late_ns[child]),
			.resource = s->resource,
			.span = child,
		};
		if (from_ns > c->least_ns && is_within_unit(c->start_ns, from_ns))
			c->least_ns = from_ns;
		count++;
	}
	if (count > 1)
		qsort(w->children, count, sizeof *w->children, compare_child);
	return count;
}

/* Takes out what has ended before something that begins in the millisecond
 * from here on. */
static void lanes_retire(struct lanes *l, int64_t start_ns)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < l->count; i++) {
		int64_t end_ns = l->end_ns[i];

		if (end_ns >= start_ns && !is_within_unit(start_ns, end_ns))
			l->end_ns[kept++] = end_ns;
		else if (end_ns > l->done_ns)
			l->done_ns = end_ns;
	}
	l->count = kept;
}

static void lanes_occupy(struct lanes *l, int64_t end_ns)
{
	if (l->count < LANES_MOST)
		l->end_ns[l->count++] = end_ns;
}

/* Returns when it ends. */
static int64_t child_place(struct whole *w, const struct child *c,
			   int64_t done_ns)
{
	int64_t start_ns = done_ns > c->least_ns ? done_ns : c->least_ns;

	w->late_ns[c->span] = sat_sub_i64(start_ns, c->start_ns);
	return sat_add_i64(c->end_ns, w->late_ns[c->span]);
}

/* Places children that begin in one millisecond each behind the one before.
 * False: one of them then goes on for too long for the next, or for their
 * parent, so they ran side by side. */
static bool place_in_row(struct whole *w, const struct child *list,
			 uint32_t count, struct lanes *l)
{
	const struct span *parent =
		&w->t->spans[w->t->spans[list->span].parent];
	bool is_open = parent->flags & SPAN_IS_UNFINISHED;
	int64_t end_ns;

	for (uint32_t i = 0; i < count; i++) {
		const struct child *c = &list[i];

		lanes_retire(l, c->start_ns);
		end_ns = child_place(w, c, l->done_ns);
		lanes_occupy(l, end_ns);
		if (!is_within_unit(c->start_ns, c->end_ns))
			continue;
		if (i + 1 < count && !is_within_unit(c->start_ns, end_ns))
			return false;
		if (!is_open && sat_sub_i64(end_ns, list->start_ns) -
					w->late_ns[list->span] >
				span_duration_ns(parent))
			return false;
	}
	return true;
}

/* Places children of one resource, a millisecond of starts at a time. */
static void place_children(struct whole *w, uint32_t parent)
{
	uint32_t count = children_gather(w, &w->t->spans[parent]), end;
	const struct child *list = w->children;
	struct lanes lanes = { 0 }, before;

	for (uint32_t i = 0; i < count; i = end) {
		for (end = i + 1; end < count; end++)
			if (list[end].resource != list[i].resource ||
			    list[end].start_ns != list[i].start_ns)
				break;
		if (!i || list[i].resource != list[i - 1].resource)
			lanes = (struct lanes){ .done_ns = INT64_MIN };
		lanes_retire(&lanes, list[i].start_ns);
		before = lanes;
		if (place_in_row(w, list + i, end - i, &lanes))
			continue;
		lanes = before;
		for (uint32_t k = i; k < end; k++)
			lanes_occupy(&lanes, child_place(w, &list[k],
							 before.done_ns));
	}
}

/* A child that ends after its parent by less than a unit ended within it. */
static void widen_parent(struct whole *w, uint32_t parent)
{
	const struct span *p = &w->t->spans[parent];

	if (!is_whole(w, p->resource) || (p->flags & SPAN_IS_UNFINISHED))
		return;
	for (uint32_t i = 0; i < p->child_count; i++) {
		uint32_t child = w->t->children[p->child_first + i];
		const struct span *s = &w->t->spans[child];
		int64_t end_ns = sat_add_i64(s->end_ns, w->late_ns[child]);

		if (s->resource == p->resource && span_is_awaited(w->t, child) &&
		    is_within_unit(p->end_ns, end_ns) &&
		    end_ns - p->end_ns > w->late_ns[parent])
			w->late_ns[parent] = end_ns - p->end_ns;
	}
}

bool whole_starts_find(const struct trace *t, const uint32_t *order,
		       int64_t *late_ns, struct error *err)
{
	struct whole w = { .t = t, .late_ns = late_ns };
	struct arena scratch;
	bool has_some, is_done;

	arena_init(&scratch, LIMIT_DECODE_HEAP_BYTES);
	w.starts = arena_array(&scratch, t->resource_count, sizeof *w.starts);
	has_some = w.starts && count_starts(&w);
	/* Most traces have none. */
	if (has_some)
		w.children = arena_array(&scratch, t->span_count,
					 sizeof *w.children);
	is_done = w.starts && (!has_some || w.children);
	if (!is_done)
		arena_fail(&scratch, "the trace", err);
	if (w.children) {
		/* Spans below give the minimum delay of a span, which then
		 * applies to those below. */
		for (uint32_t i = t->span_count; i-- > 0;) {
			place_children(&w, order[i]);
			widen_parent(&w, order[i]);
		}
		for (uint32_t i = 0; i < t->span_count; i++)
			place_children(&w, order[i]);
	}
	arena_release(&scratch);
	return is_done;
}
