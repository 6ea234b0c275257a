/* SPDX-License-Identifier: Apache-2.0 */
#include "model/trace_join.h"

#include <stdlib.h>

#include "base/num.h"
#include "base/timefmt.h"
#include "model/trace.h"

#define PARTS (TRACE_JOIN_MOST + 1)

/* A span that follows from one in another part. */
struct edge {
	uint32_t part;
	uint32_t child;
	uint32_t parent_part;
	uint32_t parent;
	int64_t sent_ns; /* the parent's end */
	uint32_t waiter; /* in its part; SPAN_NONE: none */
};

struct join {
	const struct trace *parts[PARTS]; /* the first is main */
	uint32_t part_count;
	bool is_tied[PARTS];
	struct edge *edges; /* by part and child, one per child */
	size_t edge_count;
	const bool *is_kept; /* spans of main; NULL: all */
	struct arena scratch;
	struct trace_build *b;
};

/* ---- links ---- */

static void add_edge(struct join *j, uint32_t part, const struct span_link *l)
{
	uint32_t other = 0;
	struct edge e = { .part = part, .waiter = SPAN_NONE };
	const struct trace *t;
	const struct span *child;
	int64_t start_ns, other_ns;

	while (other < j->part_count &&
	       !trace_id_is_same(&j->parts[other]->id, &l->trace_id))
		other++;
	if (other == j->part_count || other == part)
		return;
	e.parent_part = other;
	e.child = trace_find_span(j->parts[part], l->from_id);
	e.parent = trace_find_span(j->parts[other], l->span_id);
	if (e.child == SPAN_NONE || e.parent == SPAN_NONE)
		return;
	start_ns = j->parts[part]->spans[e.child].start_ns;
	other_ns = j->parts[other]->spans[e.parent].start_ns;
	if (start_ns < other_ns)
		e = (struct edge){ .part = other,
				   .child = e.parent,
				   .parent_part = part,
				   .parent = e.child,
				   .waiter = SPAN_NONE };
	e.sent_ns = j->parts[e.parent_part]->spans[e.parent].end_ns;
	/* A root, or what received a message whose sender is not in its
	 * trace. */
	t = j->parts[e.part];
	child = &t->spans[e.child];
	if (child->parent == SPAN_NONE ||
	    (child->kind == SPAN_KIND_CONSUMER &&
	     t->spans[child->parent].kind != SPAN_KIND_PRODUCER))
		j->edges[j->edge_count++] = e;
}

static int compare_edge(const void *left, const void *right)
{
	const struct edge *a = left;
	const struct edge *b = right;
	int order = compare_i64(a->part, b->part);

	if (!order)
		order = compare_i64(a->child, b->child);
	if (!order)
		order = compare_i64(a->sent_ns, b->sent_ns);
	return order ? order : compare_i64(a->parent, b->parent);
}

static void keep_first_edges(struct join *j)
{
	size_t kept = 0;

	for (size_t i = 0; i < j->edge_count; i++) {
		const struct edge *e = &j->edges[i];

		if (kept && j->edges[kept - 1].part == e->part &&
		    j->edges[kept - 1].child == e->child)
			continue;
		j->edges[kept++] = *e;
	}
	j->edge_count = kept;
}

/* ---- waiting ---- */

static uint32_t service_of(const struct trace *t, uint32_t span)
{
	return t->resources[t->spans[span].resource].service;
}

/* A sender waits for the work its message started if a span of its service is
 * idle until that ends: within this time, or this fraction of its duration; and
 * for at least a quarter of it, next to calls that took less time. If the work
 * had not started by the middle of that, only its queue is waited for. */
#define TRACE_AWAITED_NS (5 * NS_PER_MS)

/* Returns the child running at a time; of several the one that ends first. */
static uint32_t running_child(const struct trace *t, uint32_t span,
			      uint32_t except, int64_t at_ns)
{
	const struct span *s = &t->spans[span];
	uint32_t found = SPAN_NONE;

	for (uint32_t i = 0; i < s->child_count; i++) {
		uint32_t child = t->children[s->child_first + i];
		const struct span *c = &t->spans[child];

		/* One that ends after its parent was not waited for. */
		if (child != except && c->start_ns < at_ns &&
		    c->end_ns > at_ns &&
		    sat_sub_i64(c->end_ns, s->end_ns) <= TRACE_AWAITED_NS &&
		    (found == SPAN_NONE || c->end_ns < t->spans[found].end_ns))
			found = child;
	}
	return found;
}

/* Returns when a span became idle before at_ns, and when it continued. */
static struct time_range idle_around(const struct trace *t, uint32_t span,
				     uint32_t except, int64_t at_ns)
{
	const struct span *s = &t->spans[span];
	struct time_range idle = { s->start_ns, s->end_ns };

	for (uint32_t i = 0; i < s->child_count; i++) {
		uint32_t child = t->children[s->child_first + i];
		const struct span *c = &t->spans[child];

		if (child == except)
			continue;
		if (c->end_ns <= at_ns && c->end_ns > idle.from_ns)
			idle.from_ns = c->end_ns;
		if (c->start_ns >= at_ns && c->start_ns < idle.to_ns)
			idle.to_ns = c->start_ns;
	}
	return idle;
}

#define TRACE_AWAITED_LEVELS 32u

/* Returns the innermost span running shortly before the work ends. */
static uint32_t running_span(const struct trace *t, uint32_t sender,
			     uint32_t except, int64_t at_ns)
{
	uint32_t span = sender, below;

	for (uint32_t i = 0; i < TRACE_AWAITED_LEVELS &&
			     t->spans[span].parent != SPAN_NONE;
	     i++)
		span = t->spans[span].parent;
	if (at_ns >= t->spans[span].end_ns)
		return SPAN_NONE;
	for (uint32_t i = 0; i < 2 * TRACE_AWAITED_LEVELS; i++) {
		below = running_child(t, span, except, at_ns);
		if (below == SPAN_NONE)
			return span;
		span = below;
	}
	return SPAN_NONE;
}

#define TRACE_AWAITED_LEAST 4

#define TRACE_AWAITED_PART 20

/* Returns SPAN_NONE if nothing waits. except: the work, if it is in the same
 * trace. */
static uint32_t find_waiter(const struct trace *t, uint32_t sender,
			    const struct span *work, uint32_t except)
{
	int64_t took_ns = span_duration_ns(work);
	int64_t near_ns = took_ns / TRACE_AWAITED_PART;
	int64_t at_ns, waited_ns, off_ns;
	struct time_range idle;
	uint32_t span;

	if (near_ns < TRACE_AWAITED_NS)
		near_ns = TRACE_AWAITED_NS;
	at_ns = sat_sub_i64(work->end_ns, near_ns);
	if (took_ns <= near_ns)
		return SPAN_NONE;
	span = running_span(t, sender, except, at_ns);
	if (span == SPAN_NONE || service_of(t, span) != service_of(t, sender))
		return SPAN_NONE;
	idle = idle_around(t, span, except, at_ns);
	off_ns = sat_sub_i64(idle.to_ns, work->end_ns);
	waited_ns = sat_sub_i64(work->end_ns, work->start_ns > idle.from_ns
						      ? work->start_ns
						      : idle.from_ns);
	if (off_ns > near_ns || off_ns < -near_ns ||
	    waited_ns < took_ns / TRACE_AWAITED_LEAST ||
	    waited_ns < sat_sub_i64(idle.to_ns, idle.from_ns) / 2)
		return SPAN_NONE;
	return span;
}

static bool is_message_of(const struct trace *t, uint32_t span)
{
	const struct span *s = &t->spans[span];

	return s->parent != SPAN_NONE && s->kind == SPAN_KIND_CONSUMER &&
	       t->spans[s->parent].kind == SPAN_KIND_PRODUCER;
}

static uint32_t waiter_within(const struct trace *t, uint32_t span)
{
	return find_waiter(t, t->spans[span].parent, &t->spans[span], span);
}

/* Adds messages received within main. */
static void add_awaited(struct join *j)
{
	const struct trace *t = j->parts[0];
	uint32_t looked_at = 0;

	for (uint32_t i = 0;
	     i < t->span_count && looked_at < TRACE_AWAITED_MOST; i++) {
		struct edge e = { .child = i, .parent = t->spans[i].parent };

		if (!is_message_of(t, i))
			continue;
		looked_at++;
		e.waiter = waiter_within(t, i);
		if (e.waiter != SPAN_NONE)
			j->edges[j->edge_count++] = e;
	}
}

/* Finds waiting spans; the entry span of the main trace stays a request of its
 * own. */
static void find_waiters(struct join *j)
{
	uint32_t looked_at = 0;

	for (size_t i = 0;
	     i < j->edge_count && looked_at < TRACE_AWAITED_MOST; i++) {
		struct edge *e = &j->edges[i];

		if (!e->part)
			continue;
		looked_at++;
		e->waiter = find_waiter(j->parts[e->parent_part], e->parent,
					&j->parts[e->part]->spans[e->child],
					SPAN_NONE);
	}
}

bool trace_has_awaited(const struct trace *t)
{
	uint32_t looked_at = 0;

	for (uint32_t i = 0;
	     i < t->span_count && looked_at < TRACE_AWAITED_MOST; i++) {
		if (!is_message_of(t, i))
			continue;
		looked_at++;
		if (waiter_within(t, i) != SPAN_NONE)
			return true;
	}
	return false;
}

int64_t trace_awaited_from(const struct trace *t, uint32_t span)
{
	const struct span *s = &t->spans[span];

	return idle_around(t, s->parent, span,
			   sat_sub_i64(s->end_ns, TRACE_AWAITED_NS))
		.from_ns;
}

static bool find_edges(struct join *j, struct error *err)
{
	size_t most = TRACE_AWAITED_MOST;

	for (uint32_t i = 0; i < j->part_count; i++)
		most += j->parts[i]->link_count;
	j->edges = arena_array(&j->scratch, most, sizeof *j->edges);
	if (!j->edges)
		return arena_fail(&j->scratch, "linked traces", err);
	for (uint32_t i = 0; i < j->part_count; i++)
		for (uint32_t k = 0; k < j->parts[i]->link_count; k++)
			add_edge(j, i, &j->parts[i]->links[k]);
	find_waiters(j);
	add_awaited(j);
	if (j->edge_count)
		qsort(j->edges, j->edge_count, sizeof *j->edges, compare_edge);
	keep_first_edges(j);
	return true;
}

/* ---- connected parts ---- */

static uint32_t part_tie(struct join *j, uint32_t part)
{
	const struct trace *t = j->parts[part];

	if (j->is_tied[part])
		return 0;
	for (uint32_t i = 0; i < j->part_count; i++) {
		if (i == part || !j->is_tied[i])
			continue;
		/* Spans of one id cannot both be in the trace. */
		for (uint32_t k = 0; k < t->span_count; k++)
			if (trace_find_span(j->parts[i], t->spans[k].span_id) !=
			    SPAN_NONE)
				return 0;
	}
	j->is_tied[part] = true;
	return 1;
}

/* Starts from main; each round connects at least one part or is the last. */
static size_t tie_parts(struct join *j)
{
	size_t count = 0;
	uint32_t more;

	j->is_tied[0] = true;
	do {
		more = 0;
		for (size_t i = 0; i < j->edge_count; i++) {
			const struct edge *e = &j->edges[i];

			if (j->is_tied[e->part])
				more += part_tie(j, e->parent_part);
			else if (j->is_tied[e->parent_part])
				more += part_tie(j, e->part);
		}
		count += more;
	} while (more);
	return count;
}

/* ---- copies ---- */

static bool copy_attrs(struct join *j, const struct trace *t,
		       const struct attr *attrs, uint32_t count,
		       struct error *err)
{
	for (uint32_t i = 0; i < count; i++)
		if (!trace_build_attr(j->b, trace_text(t, attrs[i].key),
				      trace_text(t, attrs[i].value), err))
			return false;
	return true;
}

/* Closes the open event or link, if any. */
static bool end_part(struct join *j, const struct trace *t,
		     const struct detail *part, struct error *err)
{
	struct trace_id id;
	uint64_t span_id;
	uint32_t name;

	if (!part)
		return true;
	if (part->kind == DETAIL_EVENT) {
		if (!trace_build_text(j->b, trace_text(t, part->key), &name,
				      err))
			return false;
		trace_build_event_end(j->b, (uint64_t)part->time_ns, name);
		return true;
	}
	return !trace_id_parse(trace_text(t, part->key), &id) ||
	       !parse_hex_u64(trace_text(t, part->value), &span_id) ||
	       trace_build_link_end(j->b, &id, span_id, err);
}

static bool copy_details(struct join *j, const struct trace *t, uint32_t first,
			 uint32_t count, struct error *err)
{
	const struct detail *part = NULL;

	for (uint32_t i = first; i < first + count; i++) {
		const struct detail *d = &t->details[i];
		bool is_part =
			d->kind == DETAIL_EVENT || d->kind == DETAIL_LINK;

		if (is_part || d->kind == DETAIL_ATTR) {
			if (!end_part(j, t, part, err))
				return false;
			part = is_part ? d : NULL;
		}
		if (is_part && !trace_build_part_begin(
				       j->b, (enum detail_kind)d->kind, err))
			return false;
		if (!is_part && !trace_build_attr(j->b, trace_text(t, d->key),
						  trace_text(t, d->value), err))
			return false;
	}
	return end_part(j, t, part, err);
}

static bool copy_resources(struct join *j, const struct trace *t,
			   uint32_t *resources, struct error *err)
{
	for (uint32_t i = 0; i < t->resource_count; i++) {
		const struct resource *r = &t->resources[i];

		trace_build_attrs_begin(j->b);
		if (!copy_attrs(j, t, t->attrs + r->attr_first, r->attr_count,
				err) ||
		    !copy_details(j, t, r->detail_first, r->detail_count,
				  err) ||
		    !trace_build_resource(j->b, &resources[i], err))
			return false;
	}
	return true;
}

static struct span_input input_of(const struct join *j, uint32_t part,
				  uint32_t span, const struct edge *edge)
{
	const struct trace *t = j->parts[part];
	const struct span *s = &t->spans[span];
	uint32_t parent;
	struct span_input in = {
		.trace_id = j->parts[0]->id,
		.span_id = s->span_id,
		.parent_id = s->parent == SPAN_NONE
				     ? s->parent_id
				     : t->spans[s->parent].span_id,
		.start_unix_ns = (uint64_t)s->start_ns,
		.end_unix_ns =
			s->flags & SPAN_IS_UNFINISHED ? 0 : (uint64_t)s->end_ns,
		.kind = s->kind,
		.flags = s->flags & (SPAN_IS_ERROR | SPAN_IS_FOLLOWS_FROM |
				     SPAN_IS_AWAITED),
	};

	if (part)
		in.flags |= SPAN_IS_LINKED;
	if (!edge)
		return in;
	parent = edge->waiter == SPAN_NONE ? edge->parent : edge->waiter;
	in.parent_id = j->parts[edge->parent_part]->spans[parent].span_id;
	in.flags &= (uint8_t)~SPAN_IS_FOLLOWS_FROM;
	in.flags |= edge->waiter == SPAN_NONE ? SPAN_IS_FOLLOWS_FROM
					      : SPAN_IS_AWAITED;
	return in;
}

static bool copy_span(struct join *j, uint32_t part, uint32_t span,
		      const struct edge *edge, const uint32_t *resources,
		      struct error *err)
{
	const struct trace *t = j->parts[part];
	const struct span *s = &t->spans[span];
	struct span_input in = input_of(j, part, span, edge);

	in.resource = resources[s->resource];
	trace_build_attrs_begin(j->b);
	return trace_build_text(j->b, span_name(t, span), &in.name, err) &&
	       trace_build_text(j->b, trace_text(t, s->status_message),
				&in.status_message, err) &&
	       copy_attrs(j, t, t->attrs + s->attr_first, s->attr_count, err) &&
	       copy_details(j, t, s->detail_first, s->detail_count, err) &&
	       trace_build_span(j->b, &in, err);
}

/* Returns the edge to a connected parent; edges are in the order of their
 * children. */
static const struct edge *edge_of(const struct join *j, uint32_t part,
				  uint32_t span, size_t *at)
{
	const struct edge *e;

	while (*at < j->edge_count &&
	       (j->edges[*at].part < part ||
		(j->edges[*at].part == part && j->edges[*at].child < span)))
		(*at)++;
	e = &j->edges[*at];
	return *at < j->edge_count && e->part == part && e->child == span &&
			       j->is_tied[e->parent_part]
		       ? e
		       : NULL;
}

static bool copy_part(struct join *j, uint32_t part, size_t *edge,
		      struct error *err)
{
	const struct trace *t = j->parts[part];
	uint32_t *resources =
		arena_array(&j->scratch, t->resource_count, sizeof *resources);

	if (!resources)
		return arena_fail(&j->scratch, "linked traces", err);
	if (!copy_resources(j, t, resources, err))
		return false;
	for (uint32_t i = 0; i < t->span_count; i++)
		if ((!j->is_kept || j->is_kept[i]) &&
		    !copy_span(j, part, i, edge_of(j, part, i, edge), resources,
			       err))
			return false;
	return true;
}

static bool parts_join(struct join *j, struct trace *out, size_t *joined,
		       struct error *err)
{
	const struct trace *t = j->parts[0];
	size_t edge = 0;
	bool is_done;

	if (!find_edges(j, err))
		return false;
	*joined = tie_parts(j);
	j->b = trace_build_new(out, &t->id, err);
	is_done = j->b;
	for (uint32_t i = 0; is_done && i < j->part_count; i++)
		is_done = !j->is_tied[i] || copy_part(j, i, &edge, err);
	if (is_done && t->is_partial)
		trace_build_partial(j->b);
	is_done = is_done && trace_build_finish(j->b, err);
	if (is_done && *joined)
		out->joined_root_id = t->spans[t->roots[0]].span_id;
	trace_build_free(j->b);
	return is_done;
}

bool trace_join(const struct trace *main, const struct trace *const *others,
		size_t count, struct trace *out, size_t *joined,
		struct error *err)
{
	struct join j = { .parts = { main }, .part_count = 1 };
	bool is_done;

	for (size_t i = 0; i < count && i < TRACE_JOIN_MOST; i++)
		j.parts[j.part_count++] = others[i];
	trace_init(out);
	out->wants_details = main->wants_details;
	*joined = 0;
	arena_init(&j.scratch, LIMIT_DECODE_HEAP_BYTES);
	is_done = parts_join(&j, out, joined, err);
	arena_release(&j.scratch);
	return is_done;
}

/* ---- extraction ---- */

static bool keep_below(struct join *j, uint32_t top, struct error *err)
{
	const struct trace *t = j->parts[0];
	bool *is_kept = arena_array(&j->scratch, t->span_count, sizeof *is_kept);
	uint32_t *next = arena_array(&j->scratch, t->span_count, sizeof *next);
	uint32_t count = 1;

	if (!is_kept || !next)
		return arena_fail(&j->scratch, "a part of a trace", err);
	next[0] = top;
	while (count) {
		const struct span *s = &t->spans[next[--count]];

		is_kept[s - t->spans] = true;
		for (uint32_t i = 0; i < s->child_count; i++)
			next[count++] = t->children[s->child_first + i];
	}
	j->is_kept = is_kept;
	return true;
}

static bool build_part(struct join *j, uint32_t top, struct trace *out,
		       struct error *err)
{
	size_t edge = 0;
	bool is_done;

	if (!keep_below(j, top, err))
		return false;
	j->b = trace_build_new(out, &j->parts[0]->id, err);
	is_done = j->b && copy_part(j, 0, &edge, err);
	if (is_done && j->parts[0]->is_partial)
		trace_build_partial(j->b);
	is_done = is_done && trace_build_finish(j->b, err);
	trace_build_free(j->b);
	return is_done;
}

bool trace_part(const struct trace *t, uint32_t top, struct trace *out,
		struct error *err)
{
	struct join j = { .parts = { t }, .part_count = 1 };
	bool is_done;

	trace_init(out);
	out->wants_details = t->wants_details;
	arena_init(&j.scratch, LIMIT_DECODE_HEAP_BYTES);
	is_done = build_part(&j, top, out, err);
	arena_release(&j.scratch);
	return is_done;
}
