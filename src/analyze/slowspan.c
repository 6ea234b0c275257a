/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/slowspan.h"

#include <stdlib.h>

#include "analyze/change_of_time.h"
#include "analyze/groups.h"
#include "analyze/operations.h"
#include "analyze/trace_analysis.h"
#include "analyze/verdict.h"
#include "base/map.h"
#include "base/num.h"

/* Wrappers between a loop and its call: a library's span around a driver's,
 * the client and the server side of a call. Three or four are common. */
#define CHAIN_SPANS 4

/* A span on its way into a group; equal places meet by sorting. */
struct ranked {
	uint32_t place;
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

static int compare_ranked(const void *left, const void *right)
{
	const struct ranked *a = left;
	const struct ranked *b = right;
	int order = compare_i64(a->place, b->place);

	return order ? order : compare_i64(a->span, b->span);
}

static int compare_candidates(const void *left, const void *right)
{
	const struct candidate *a = left;
	const struct candidate *b = right;
	int order = compare_i64(b->score, a->score);

	return order ? order : compare_i64(a->span, b->span);
}

/* A child that overlaps a later one is not on the path, and its time falls to
 * the parent: the parent is not to blame for what its children did. */
static int64_t own_time(const struct rank *r, uint32_t span)
{
	int64_t self = r->times->self_ns[span];
	int64_t critical = r->times->critical_ns[span];

	return r->by == GUILTY_BY_SELF || self < critical ? self : critical;
}

/* The own time of a client span that has a server side is spent in the
 * network or in queues: it has to be twice as long to be the answer, unless it
 * is this part of the path. */
#define WAY_PATH_PERCENT 60

static int64_t span_score(const struct rank *r, uint32_t span)
{
	int64_t time_ns = own_time(r, span);

	if (span_server_side(r->calls->t, span) == SPAN_NONE ||
	    sat_mul_i64(time_ns, 100) >=
		    sat_mul_i64(r->times->path_ns, WAY_PATH_PERCENT))
		return time_ns;
	return time_ns / 2;
}

static void add_member(const struct rank *r, struct candidate *c, uint32_t span)
{
	const struct trace *t = r->calls->t;
	const struct span *s = &t->spans[span];
	int64_t start_ns = trace_times_start_ns(t, r->times, span);
	int64_t end_ns = trace_times_end_ns(t, r->times, span);
	int64_t self = r->times->self_ns[span];
	int64_t critical = r->times->critical_ns[span];

	if (!c->count++) {
		c->span = span;
		c->parent = s->parent;
		c->start_ns = start_ns;
		c->end_ns = end_ns;
	}
	if (start_ns < c->start_ns)
		c->start_ns = start_ns;
	if (end_ns > c->end_ns)
		c->end_ns = end_ns;
	c->duration_ns = sat_add_i64(c->duration_ns, span_duration_ns(s));
	c->self_ns = sat_add_i64(c->self_ns, self);
	c->critical_ns = sat_add_i64(c->critical_ns, critical);
	if (r->by == GUILTY_BY_DURATION)
		c->score = sat_sub_i64(c->end_ns, c->start_ns);
	else
		c->score = sat_add_i64(c->score, span_score(r, span));
}

/* Spans that do the same below spans that do the same are at one place: the
 * calls of a loop, and those of a loop inside each of its turns. A root is
 * nobody's sibling. */
struct places {
	const struct calls *calls;
	struct map numbers; /* of a place above and a key */
	uint32_t *of;       /* by span, 0: not known yet */
	uint32_t *above;    /* by span, past wrappers; SPAN_NONE for a root */
	uint32_t *stack;
	uint32_t count;
};

static bool place_add(struct places *p, uint32_t span)
{
	uint32_t above = p->above[span];
	uint32_t place = p->count + 1;

	if (above != SPAN_NONE &&
	    !map_insert_u64(&p->numbers,
			    (uint64_t)p->of[above] << 32 | p->calls->key[span],
			    place, &place))
		return false;
	p->count += place > p->count;
	p->of[span] = place;
	return true;
}

/* The nearest span above that is no mere wrapper: the client side of a server
 * span, or one that spends at least half of its time in its only child.
 * Siblings inside wrappers are siblings still. */
static uint32_t common_parent(const struct trace *t, uint32_t span)
{
	uint32_t parent = t->spans[span].parent;

	for (int i = 0; i < CHAIN_SPANS && parent != SPAN_NONE; i++) {
		const struct span *s = &t->spans[parent];

		if (s->child_count != 1 || s->parent == SPAN_NONE ||
		    (!span_is_served_call(t, span) &&
		     span_duration_ns(&t->spans[span]) <
			     span_duration_ns(s) / 2))
			break;
		span = parent;
		parent = s->parent;
	}
	return parent;
}

static bool places_find(struct places *p, const struct calls *c,
			struct arena *arena, struct error *err)
{
	uint32_t n = c->t->span_count;

	*p = (struct places){ .calls = c };
	map_init(&p->numbers, arena);
	p->of = arena_array(arena, n, sizeof *p->of);
	p->above = arena_array(arena, n, sizeof *p->above);
	p->stack = arena_array(arena, n, sizeof *p->stack);
	if (!p->of || !p->above || !p->stack)
		return arena_fail(arena, "the trace", err);
	/* From each span up to what is known, and back down. */
	for (uint32_t i = 0; i < n; i++) {
		uint32_t depth = 0;

		for (uint32_t at = i; at != SPAN_NONE && !p->of[at];
		     at = p->above[at]) {
			p->above[at] = common_parent(c->t, at);
			p->stack[depth++] = at;
		}
		while (depth)
			if (!place_add(p, p->stack[--depth]))
				return arena_fail(arena, "the trace", err);
	}
	return true;
}

/* With concurrent calls the path passes through the one that ended last. */
static void keep_slowest(const struct rank *r, const uint32_t *members,
			 struct candidate *c)
{
	uint32_t slowest = c->member_first;

	if (r->by != GUILTY_BY_CRITICAL_PATH || c->count < 2 ||
	    c->duration_ns <= sat_sub_i64(c->end_ns, c->start_ns))
		return;
	for (uint32_t i = 1; i < c->count; i++)
		if (own_time(r, members[c->member_first + i]) >
		    own_time(r, members[slowest]))
			slowest = c->member_first + i;
	if (!c->score || sat_mul_i64(span_score(r, members[slowest]), 100) <
				 sat_mul_i64(c->score, BRANCH_PERCENT))
		return;
	*c = (struct candidate){ .branch_count = c->count,
				 .member_first = slowest };
	add_member(r, c, members[slowest]);
}

static void candidates_group(const struct rank *r, const struct ranked *items,
			     size_t count, struct candidates *out)
{
	struct candidate *current = NULL;

	for (size_t i = 0; i < count; i++) {
		if (!current || items[i].place != items[i - 1].place) {
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
	bool is_narrow = guilty_want_is_narrow(want);
	uint32_t n = c->t->span_count;
	struct ranked *items = arena_array(arena, n, sizeof *items);
	struct places places;
	size_t count = 0;

	*out = (struct candidates){ 0 };
	out->items = arena_array(arena, n, sizeof *out->items);
	out->members = arena_array(arena, n, sizeof *out->members);
	if (!items || !out->items || !out->members)
		return arena_fail(arena, "the trace", err);
	if (!places_find(&places, c, arena, err))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		if (want->span_id && c->t->spans[i].span_id != want->span_id)
			continue;
		if (is_narrow ? !guilty_want_accepts(want, c->t, i)
			      : times->tree[i] != times->root)
			continue;
		/* A span asked for by its id stands alone. */
		items[count++] = (struct ranked){
			want->span_id ? i : places.of[i], i
		};
	}
	if (count)
		qsort(items, count, sizeof *items, compare_ranked);
	candidates_group(&r, items, count, out);
	if (out->count)
		qsort(out->items, out->count, sizeof *out->items,
		      compare_candidates);
	return true;
}

/* Which part of a trace is slow, where it is more than one request: the
 * request itself, work that nobody waited for, or a queue between the two. */

struct search {
	const struct trace *t;
	const struct trace_times *times;
	const struct typical *typical;
	bool has_root_grown;
	int64_t most_ns; /* growth of what is chosen so far */
	int64_t next_ns;
};

/* Returns the growth of a single span, at least 0; INT64_MAX: not known. */
static int64_t tree_change(const struct search *s, uint32_t top)
{
	const struct typical_operation *o = typical_find(s->typical, s->t, top);
	int64_t typical_ns = typical_duration(s->typical, o, 1, 1);
	int64_t change_ns;

	if (typical_ns < 0)
		return INT64_MAX;
	change_ns =
		sat_sub_i64(span_duration_ns(&s->t->spans[top]), typical_ns);
	return change_ns > 0 ? change_ns : 0;
}

static bool is_beyond(int64_t now_ns, int64_t typical_ns, int64_t long_ns)
{
	return now_ns > long_ns &&
	       (double)now_ns >= TIME_CHANGE_RATIO * (double)typical_ns;
}

static bool has_tree_grown(const struct search *s, uint32_t top)
{
	const struct typical *u = s->typical;
	const struct typical_operation *o = typical_find(u, s->t, top);

	return typical_is_known(u, o) &&
	       is_beyond(span_duration_ns(&s->t->spans[top]),
			 typical_duration(u, o, 1, 1),
			 typical_long_duration(u, o, 1, 1));
}

static bool is_part_of_path(const struct search *s, int64_t change_ns)
{
	return sat_mul_i64(change_ns, 100) >=
	       sat_mul_i64(s->times->path_ns, TIME_CHANGE_PATH_PERCENT);
}

/* In the slow window others take as long there as ever. */
static bool is_as_ever(const struct search *s, uint32_t top)
{
	const struct typical_operation *o = typical_find(s->typical, s->t, top);

	return o && o->span_p50_ns > 0 && o->slow_p50_ns >= 0 &&
	       (double)o->slow_p50_ns <
		       GROUP_OWN_MOVED_RATIO * (double)o->span_p50_ns;
}

/* Returns whether a tree of spans beside the request may be the slow part. */
static bool is_looked_at(const struct search *s, uint32_t top)
{
	const struct span *span = &s->t->spans[top];
	uint32_t root = s->times->root;
	int64_t root_change_ns;

	if (s->times->tree[top] != top || top == root)
		return false;
	/* One of many pieces of work is always long. It is reported if it is
	 * much longer, unless a request that grew is more important. */
	if (is_as_ever(s, top) &&
	    (s->has_root_grown || verdict_is_ordinary(span_duration_ns(span),
						      tree_change(s, top))))
		return false;
	/* A call that nobody waited for holds up no request that grew by
	 * itself. */
	root_change_ns = tree_change(s, root);
	if (span->kind == SPAN_KIND_CLIENT && root_change_ns != INT64_MAX &&
	    is_part_of_path(s, root_change_ns))
		return false;
	/* Beside a request that grew, work of its length is the lesser
	 * matter. */
	return trace_times_is_long_async(s->times, top) ||
	       (!s->has_root_grown && is_part_of_path(s, tree_change(s, top)));
}

static bool is_more(struct search *s, int64_t grown_ns)
{
	if (grown_ns <= s->most_ns) {
		if (grown_ns > s->next_ns)
			s->next_ns = grown_ns;
		return false;
	}
	s->next_ns = s->most_ns;
	s->most_ns = grown_ns;
	return true;
}

#define MESSAGE_FEW_RATIO 3.0

static bool has_wait_grown(const struct search *s, const struct message *m,
			   const struct message_wait *w)
{
	bool is_far;

	if (!w || w->count < MESSAGE_LEAST || m->wait_ns < MESSAGE_WAIT_NS)
		return false;
	/* A few tell the usual, not how far it spreads. */
	is_far = w->count >= TYPICAL_MIN
			 ? is_beyond(m->wait_ns, w->p50_ns, w->p90_ns)
			 : (double)m->wait_ns >=
				   MESSAGE_FEW_RATIO * (double)w->p90_ns;
	/* Who works long for most messages of the slow window is behind because
	 * of that, and no longer wait changes it. */
	return is_far && is_part_of_path(s, m->wait_ns - w->p50_ns) &&
	       (!has_tree_grown(s, m->receiver) || is_as_ever(s, m->receiver));
}

static void find_queue(struct search *s, const struct messages *messages,
		       struct slow_tree *out)
{
	const struct typical *u = s->typical;

	for (size_t i = 0; i < messages->count; i++) {
		const struct message *m = &messages->items[i];
		const struct message_wait *w = typical_find_wait(
			u,
			operations_find_span(u->operations, u->operation_count,
					     s->t, m->sender),
			operations_find_span(u->operations, u->operation_count,
					     s->t, m->receiver));

		if (!has_wait_grown(s, m, w) ||
		    !is_more(s, m->wait_ns - w->p50_ns))
			continue;
		out->top = m->receiver;
		out->is_queue = true;
		out->queue = (struct queue_wait){
			.sender = m->sender,
			.receiver = m->receiver,
			.wait_ns = m->wait_ns,
			.typical_ns = w->p50_ns,
			.grown_ns = m->wait_ns - w->p50_ns,
			.count = w->count,
			/* Others waited as long in the slow window: no bad luck
			 * of one message. */
			.has_moved = w->slow_p50_ns < 0 ||
				     is_beyond(w->slow_p50_ns, w->p50_ns,
					       w->p50_ns),
		};
	}
	out->queue.next_ns = s->next_ns;
}

void slow_tree_find(const struct trace *t, const struct trace_times *times,
		    const struct typical *typical,
		    const struct messages *messages, struct slow_tree *out)
{
	struct search s = { .t = t, .times = times, .typical = typical };

	*out = (struct slow_tree){ .top = times->root };
	s.has_root_grown = has_tree_grown(&s, times->root);
	s.most_ns = tree_change(&s, times->root);
	for (uint32_t i = 0; i < t->span_count; i++)
		if (is_looked_at(&s, i) && has_tree_grown(&s, i) &&
		    is_more(&s, tree_change(&s, i)))
			out->top = i;
	find_queue(&s, messages, out);
}
