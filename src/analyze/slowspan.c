/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/slowspan.h"

#include <stdlib.h>

#include "base/num.h"

/* Wrappers between a loop and its call: a library's span around a driver's,
 * the client and the server side of a call. Three or four are common. */
#define CHAIN_SPANS 4

/* A span on its way into a group; equal parent and key meet by sorting. */
struct item {
	uint32_t parent;
	uint32_t key;
	uint32_t span;
};

/* A branch that holds this part of its group's time on the path stands for
 * it. The others may have a little where they end after one another. */
#define BRANCH_PERCENT 80

struct rank {
	const struct calls *calls;
	const struct trace_times *times;
	enum guilty_by by;
};

bool guilty_want_is_narrow(const struct guilty_want *want)
{
	return want->span_id || want->service.len || want->name.len;
}

bool guilty_want_accepts(const struct guilty_want *want, const struct trace *t,
			 uint32_t span)
{
	return (!want->service.len ||
		str_equal(want->service, span_service(t, span))) &&
	       (!want->name.len || str_equal(want->name, span_name(t, span)));
}

/* A span around one call: the client side of a server span, or one that
 * spends at least half of its time in its only child. */
static bool is_wrapper(const struct trace *t, uint32_t span, uint32_t child)
{
	const struct span *s = &t->spans[span];

	if (s->child_count != 1 || s->parent == SPAN_NONE)
		return false;
	return span_is_served_call(t, child) ||
	       span_duration_ns(&t->spans[child]) >= span_duration_ns(s) / 2;
}

/* The nearest span above that is no mere wrapper: siblings inside wrappers
 * are siblings still. */
static uint32_t common_parent(const struct trace *t, uint32_t span)
{
	uint32_t parent = t->spans[span].parent;

	for (int i = 0; i < CHAIN_SPANS && parent != SPAN_NONE; i++) {
		if (!is_wrapper(t, parent, span))
			break;
		span = parent;
		parent = t->spans[span].parent;
	}
	return parent;
}

static int compare_item(const void *left, const void *right)
{
	const struct item *a = left;
	const struct item *b = right;
	int order = compare_i64(a->parent, b->parent);

	if (!order)
		order = compare_i64(a->key, b->key);
	return order ? order : compare_i64(a->span, b->span);
}

static int compare_candidate(const void *left, const void *right)
{
	const struct candidate *a = left;
	const struct candidate *b = right;
	int order = compare_i64(b->score, a->score);

	return order ? order : compare_i64(a->span, b->span);
}

/* The own time of a client span that has a server side is spent in the
 * network or in queues: it has to be twice as long to be the answer. */
static int64_t weigh(const struct rank *r, uint32_t span, int64_t time_ns)
{
	return span_server_side(r->calls->t, span) == SPAN_NONE ? time_ns
								: time_ns / 2;
}

/* A child that overlaps a later one is not on the path, and its time falls to
 * the parent: the parent is not to blame for what its children did. */
static int64_t own_time(const struct rank *r, uint32_t span)
{
	int64_t self = r->times->self_ns[span];
	int64_t critical = r->times->critical_ns[span];

	return r->by == GUILTY_BY_SELF || self < critical ? self : critical;
}

static void add_member(const struct rank *r, struct candidate *c, uint32_t span)
{
	const struct span *s = &r->calls->t->spans[span];
	int64_t self = r->times->self_ns[span];
	int64_t critical = r->times->critical_ns[span];

	if (!c->count++) {
		c->span = span;
		c->parent = s->parent;
		c->start_ns = s->start_ns;
		c->end_ns = s->end_ns;
	}
	if (s->end_ns > c->end_ns)
		c->end_ns = s->end_ns;
	c->duration_ns = sat_add_i64(c->duration_ns, span_duration_ns(s));
	c->self_ns = sat_add_i64(c->self_ns, self);
	c->critical_ns = sat_add_i64(c->critical_ns, critical);
	if (r->by == GUILTY_BY_DURATION)
		c->score = sat_sub_i64(c->end_ns, c->start_ns);
	else
		c->score = sat_add_i64(c->score,
				       weigh(r, span, own_time(r, span)));
}

static bool is_wanted(const struct rank *r, const struct guilty_want *want,
		      uint32_t span)
{
	const struct trace *t = r->calls->t;

	if (want->span_id && t->spans[span].span_id != want->span_id)
		return false;
	if (!guilty_want_is_narrow(want))
		return r->times->tree[span] == r->times->root;
	return guilty_want_accepts(want, t, span);
}

/* A root is nobody's sibling, and a span asked for by its id stands alone:
 * both get a parent number of their own past all spans. */
static struct item item_of(const struct rank *r, const struct guilty_want *want,
			   uint32_t span)
{
	const struct trace *t = r->calls->t;
	struct item item = {
		.parent = common_parent(t, span),
		.key = r->calls->key[span],
		.span = span,
	};

	if (item.parent == SPAN_NONE || want->span_id)
		item.parent = t->span_count + span;
	return item;
}

/* Of calls side by side the path runs through the one that ended last. */
static void keep_slowest(const struct rank *r, const uint32_t *members,
			 struct candidate *c)
{
	uint32_t slowest = 0;

	if (r->by != GUILTY_BY_CRITICAL_PATH || c->count < 2 ||
	    c->duration_ns <= sat_sub_i64(c->end_ns, c->start_ns))
		return;
	for (uint32_t i = 1; i < c->count; i++)
		if (own_time(r, members[c->member_first + i]) >
		    own_time(r, members[c->member_first + slowest]))
			slowest = i;
	if (!c->score ||
	    sat_mul_i64(weigh(r, members[c->member_first + slowest],
			      own_time(r, members[c->member_first + slowest])),
			100) < sat_mul_i64(c->score, BRANCH_PERCENT))
		return;
	slowest += c->member_first;
	*c = (struct candidate){ .branch_count = c->count,
				 .member_first = slowest };
	add_member(r, c, members[slowest]);
}

static void group(const struct rank *r, const struct item *items, size_t count,
		  struct candidates *out)
{
	struct candidate *current = NULL;

	for (size_t i = 0; i < count; i++) {
		if (!current || items[i].parent != items[i - 1].parent ||
		    items[i].key != items[i - 1].key) {
			current = &out->items[out->count++];
			current->member_first = (uint32_t)i;
		}
		out->members[i] = items[i].span;
		add_member(r, current, items[i].span);
	}
	for (size_t i = 0; i < out->count; i++)
		keep_slowest(r, out->members, &out->items[i]);
}

bool candidates_rank(const struct calls *c, const struct trace_times *times,
		     const struct guilty_want *want, struct arena *arena,
		     struct candidates *out, struct error *err)
{
	struct rank r = { .calls = c, .times = times, .by = want->by };
	uint32_t n = c->t->span_count;
	struct item *items = arena_array(arena, n, sizeof *items);
	size_t count = 0;

	*out = (struct candidates){ 0 };
	out->items = arena_array(arena, n, sizeof *out->items);
	out->members = arena_array(arena, n, sizeof *out->members);
	if (!items || !out->items || !out->members)
		return arena_fail(arena, "the trace", err);
	for (uint32_t i = 0; i < n; i++) {
		if (is_wanted(&r, want, i))
			items[count++] = item_of(&r, want, i);
	}
	if (count)
		qsort(items, count, sizeof *items, compare_item);
	group(&r, items, count, out);
	if (out->count)
		qsort(out->items, out->count, sizeof *out->items,
		      compare_candidate);
	return true;
}
