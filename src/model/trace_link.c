/* SPDX-License-Identifier: Apache-2.0 */
#include "base/num.h"
#include "model/trace_build.h"

#define WHAT "the trace"

/* ---- parents ---- */

/* First of the keys, sorted by id, that has this id; *count is 0 for none. */
static const struct span_key *find_id(const struct span_key *keys,
				      uint32_t key_count, uint64_t span_id,
				      uint32_t *count)
{
	uint32_t low = 0, high = key_count, end;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (keys[mid].major < span_id)
			low = mid + 1;
		else
			high = mid;
	}
	for (end = low; end < key_count && keys[end].major == span_id; end++)
		;
	*count = end - low;
	return keys + low;
}

static bool is_callee(enum span_kind kind)
{
	return kind == SPAN_KIND_SERVER || kind == SPAN_KIND_CONSUMER;
}

static bool is_caller(enum span_kind kind)
{
	return kind == SPAN_KIND_CLIENT || kind == SPAN_KIND_PRODUCER;
}

/* Of spans that share an id so many are looked at, those that began last before
 * the child: forked workers are some dozens, and who makes up thousands must
 * not cost thousands times thousands. */
#define TWINS_MOST 128u

/* How well a span fits as the parent of another. */
enum fit {
	FIT_KIND = 1,
	FIT_END = 2,      /* it ends no earlier */
	FIT_START = 4,    /* the other starts within it */
	FIT_SERVICE = 8,  /* both are of one service */
	FIT_CALLEE = 16,  /* which is entered with it */
	FIT_WANTED = 32,  /* of the kind that is looked for */
};

static unsigned fit_times(const struct span *parent, const struct span *child)
{
	bool is_started =
		child->start_ns >=
			sat_sub_i64(parent->start_ns, SPAN_ROUNDING_NS) &&
		child->start_ns <= sat_add_i64(parent->end_ns, SPAN_ROUNDING_NS);
	bool is_ended = child->end_ns <=
			sat_add_i64(parent->end_ns, SPAN_ROUNDING_NS);

	return (is_started ? FIT_START : 0) |
	       (is_started && is_ended ? FIT_END : 0);
}

/* The callee's copy when the child runs in its service, another span of its
 * service, the one whose time it lies in, the caller's copy. */
static unsigned fit_parent(const struct trace *t, const struct span *parent,
			   const struct span *child)
{
	bool is_same = t->resources[parent->resource].service ==
		       t->resources[child->resource].service;

	return fit_times(parent, child) |
	       (is_caller(parent->kind) ? FIT_KIND : 0) |
	       (is_same ? FIT_SERVICE : 0) |
	       (is_same && is_callee(parent->kind) ? FIT_CALLEE : 0);
}

/* Zipkin style: client and server share an id, and the server's copy hangs
 * under the client's. */
static unsigned fit_twin(const struct span *caller, const struct span *callee)
{
	enum span_kind wanted = callee->kind == SPAN_KIND_SERVER
					? SPAN_KIND_CLIENT
					: SPAN_KIND_PRODUCER;

	return caller->kind == wanted
		       ? FIT_WANTED | fit_times(caller, callee)
		       : 0;
}

/* The first of a group, which is sorted by start, that is worth a look. */
static uint32_t first_near(const struct trace *t, const struct span_key *group,
			   uint32_t count, const struct span *child)
{
	uint32_t low = 0, high = count;

	if (count <= TWINS_MOST)
		return 0;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (t->spans[group[mid].index].start_ns <= child->start_ns)
			low = mid + 1;
		else
			high = mid;
	}
	/* A few later ones, too: clocks differ. */
	low = low < TWINS_MOST - TWINS_MOST / 8
		      ? 0
		      : low - (TWINS_MOST - TWINS_MOST / 8);
	return low < count - TWINS_MOST ? low : count - TWINS_MOST;
}

/* Among spans that share an id the one that fits best; of equals the first.
 * SPAN_NONE: none does. */
static uint32_t find_best(const struct trace *t, const struct span_key *group,
			  uint32_t count, const struct span *child,
			  bool is_of_own_id)
{
	uint32_t first = first_near(t, group, count, child);
	uint32_t best = is_of_own_id ? SPAN_NONE : group[first].index;
	unsigned best_fit = 0;

	for (uint32_t i = first; i < count && i < first + TWINS_MOST; i++) {
		const struct span *s = &t->spans[group[i].index];
		unsigned fit = is_of_own_id ? fit_twin(s, child)
					    : fit_parent(t, s, child);

		if (fit > best_fit) {
			best = group[i].index;
			best_fit = fit;
		}
	}
	return best;
}

/* group: all spans with the id of s. */
static void link_parent(struct trace *t, const struct span_key *keys,
			const struct span_key *group, uint32_t group_count,
			struct span *s, struct trace_oddities *r)
{
	const struct span_key *parents;
	uint32_t count;

	s->parent = s->span_id && is_callee(s->kind)
			    ? find_best(t, group, group_count, s, true)
			    : SPAN_NONE;
	if (s->parent != SPAN_NONE || s->parent_id == 0)
		return;
	if (s->parent_id == s->span_id) {
		s->flags |= SPAN_IS_CUT_CYCLE;
		r->cycle_count++;
		return;
	}
	parents = find_id(keys, t->span_count, s->parent_id, &count);
	if (count) {
		s->parent = find_best(t, parents, count, s, false);
	} else {
		s->flags |= SPAN_IS_ORPHAN;
		t->orphan_count++;
	}
}

/* The keys come back sorted by id. */
static void link_parents(struct trace *t, const struct span_sort *sort,
			 struct trace_oddities *r)
{
	uint32_t count = t->span_count, last;
	struct span_key *keys = sort->keys;

	for (uint32_t i = 0; i < count; i++)
		keys[i] = (struct span_key){ t->spans[i].span_id, 0, i };
	span_keys_sort(sort, count);
	for (uint32_t first = 0; first < count; first = last) {
		last = first + 1;
		while (last < count && keys[last].major == keys[first].major)
			last++;
		for (uint32_t i = first; i < last; i++)
			link_parent(t, keys, keys + first, last - first,
				    &t->spans[keys[i].index], r);
	}
}

/* The ring that runs through `on_ring` opens at its earliest span. */
static void cut_ring(struct trace *t, uint32_t on_ring)
{
	uint32_t earliest = on_ring;

	for (uint32_t i = t->spans[on_ring].parent; i != on_ring;
	     i = t->spans[i].parent)
		if (i < earliest)
			earliest = i;
	t->spans[earliest].parent = SPAN_NONE;
	t->spans[earliest].flags |= SPAN_IS_CUT_CYCLE;
}

/* Walks up from every span; each span is coloured once, with the number of
 * the walk that met it. Meeting one's own colour closes a ring. */
static bool cut_cycles(struct trace *t, struct arena *scratch,
		       struct trace_oddities *r, struct error *err)
{
	uint32_t *colour = arena_array(scratch, t->span_count, sizeof *colour);

	if (!colour)
		return arena_fail(scratch, WHAT, err);
	for (uint32_t i = 0; i < t->span_count; i++) {
		uint32_t at = i;

		while (at != SPAN_NONE && !colour[at]) {
			colour[at] = i + 1;
			at = t->spans[at].parent;
		}
		if (at != SPAN_NONE && colour[at] == i + 1) {
			cut_ring(t, at);
			r->cycle_count++;
		}
	}
	return true;
}

/* ---- children and roots ---- */

/* Spans are sorted by start, so filling in their order sorts each span's
 * children. */
static void fill_children(struct trace *t)
{
	uint32_t next = 0;

	for (uint32_t i = 0; i < t->span_count; i++)
		if (t->spans[i].parent != SPAN_NONE)
			t->spans[t->spans[i].parent].child_count++;
	for (uint32_t i = 0; i < t->span_count; i++) {
		t->spans[i].child_first = next;
		next += t->spans[i].child_count;
		t->spans[i].child_count = 0;
	}
	for (uint32_t i = 0; i < t->span_count; i++) {
		uint32_t parent = t->spans[i].parent;
		struct span *p;

		if (parent == SPAN_NONE) {
			t->roots[t->root_count++] = i;
			continue;
		}
		p = &t->spans[parent];
		t->children[p->child_first + p->child_count++] = i;
	}
}

struct extent {
	int64_t start_ns;
	int64_t end_ns;
};

/* Extents of whole subtrees: spans in breadth-first order, then backwards,
 * so that children come before their parent. */
static void find_extents(const struct trace *t, uint32_t *order,
			 struct extent *extents)
{
	uint32_t filled = 0;

	for (uint32_t i = 0; i < t->root_count; i++)
		order[filled++] = t->roots[i];
	for (uint32_t i = 0; i < filled; i++) {
		const struct span *s = &t->spans[order[i]];

		extents[order[i]] = (struct extent){ s->start_ns, s->end_ns };
		for (uint32_t j = 0; j < s->child_count; j++)
			order[filled++] = t->children[s->child_first + j];
	}
	while (filled-- > 0) {
		const struct extent *own = &extents[order[filled]];
		uint32_t parent = t->spans[order[filled]].parent;

		if (parent == SPAN_NONE)
			continue;
		if (own->start_ns < extents[parent].start_ns)
			extents[parent].start_ns = own->start_ns;
		if (own->end_ns > extents[parent].end_ns)
			extents[parent].end_ns = own->end_ns;
	}
}

static bool sort_roots(struct trace *t, struct arena *scratch,
		       const struct span_sort *sort, struct error *err)
{
	struct span_key *keys = sort->keys;
	uint32_t *order = arena_array(scratch, t->span_count, sizeof *order);
	struct extent *extents =
		arena_array(scratch, t->span_count, sizeof *extents);

	if (!order || !extents)
		return arena_fail(scratch, WHAT, err);
	find_extents(t, order, extents);
	for (uint32_t i = 0; i < t->root_count; i++) {
		const struct extent *e = &extents[t->roots[i]];

		keys[i] = (struct span_key){
			UINT64_MAX - (uint64_t)(e->end_ns - e->start_ns), 0,
			t->roots[i]
		};
	}
	span_keys_sort(sort, t->root_count);
	for (uint32_t i = 0; i < t->root_count; i++)
		t->roots[i] = keys[i].index;
	return true;
}

/* In one process a child that outlasts its parent is work left running, and
 * so is a consumer anywhere; between processes it may be the clocks. */
static bool is_outside(const struct span *s, const struct span *parent)
{
	if ((s->flags & SPAN_IS_FOLLOWS_FROM) ||
	    s->kind == SPAN_KIND_CONSUMER ||
	    ((s->flags | parent->flags) & SPAN_IS_UNFINISHED))
		return false;
	if (s->start_ns < sat_sub_i64(parent->start_ns, SPAN_ROUNDING_NS))
		return true;
	return s->resource != parent->resource &&
	       s->end_ns > sat_add_i64(parent->end_ns, SPAN_ROUNDING_NS);
}

/* A caller that failed gave up (a timeout) on a callee that went on: no sign
 * of clocks that disagree. */
static bool is_abandoned(const struct span *s, const struct span *parent)
{
	return (parent->flags & SPAN_IS_ERROR) &&
	       s->start_ns >= sat_sub_i64(parent->start_ns, SPAN_ROUNDING_NS);
}

static void count_outside(const struct trace *t, struct trace_oddities *r)
{
	for (uint32_t i = 0; i < t->span_count; i++) {
		const struct span *s = &t->spans[i];
		const struct span *parent;

		if (s->parent == SPAN_NONE)
			continue;
		parent = &t->spans[s->parent];
		if (!is_outside(s, parent))
			continue;
		if (is_abandoned(s, parent))
			r->abandoned_count++;
		else
			r->outside_count++;
	}
}

bool trace_link(struct trace *t, struct arena *scratch,
		const struct span_sort *sort, struct trace_oddities *r,
		struct error *err)
{
	size_t count = t->span_count;

	t->by_id = arena_array(&t->arena, count, sizeof *t->by_id);
	t->children = arena_array(&t->arena, count, sizeof *t->children);
	t->roots = arena_array(&t->arena, count, sizeof *t->roots);
	if (!t->by_id || !t->children || !t->roots)
		return arena_fail(&t->arena, WHAT, err);
	link_parents(t, sort, r);
	for (size_t i = 0; i < count; i++)
		t->by_id[i] = sort->keys[i].index;
	if (!cut_cycles(t, scratch, r, err))
		return false;
	fill_children(t);
	count_outside(t, r);
	return sort_roots(t, scratch, sort, err);
}
