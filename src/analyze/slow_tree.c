/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/slow_tree.h"

#include "analyze/change_of_time.h"
#include "analyze/operations.h"
#include "analyze/verdict.h"
#include "base/num.h"

struct search {
	const struct trace *t;
	const struct trace_times *times;
	const struct typical *typical;
	bool has_root_grown;
	int64_t most_ns; /* growth of what is chosen so far */
	int64_t next_ns;
};

/* Of a single span, at least 0; INT64_MAX not known. */
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
		       TYPICAL_MOVED_RATIO * (double)o->span_p50_ns;
}

/* What took long this once: of many pieces of work one always does. Much longer
 * it is told, unless a request that grew is the greater matter. */
static bool is_scatter(const struct search *s, uint32_t top)
{
	return is_as_ever(s, top) &&
	       (s->has_root_grown ||
		verdict_is_ordinary(span_duration_ns(&s->t->spans[top]),
				    tree_change(s, top)));
}

/* A call that nobody waited for holds up no request that grew by itself. */
static bool is_call_beside(const struct search *s, uint32_t top)
{
	return s->t->spans[top].kind == SPAN_KIND_CLIENT &&
	       tree_change(s, s->times->root) != INT64_MAX &&
	       is_part_of_path(s, tree_change(s, s->times->root));
}

/* Beside a request that grew, work of its length is the lesser matter. */
static bool is_looked_at(const struct search *s, uint32_t top)
{
	return s->times->tree[top] == top && top != s->times->root &&
	       !is_scatter(s, top) && !is_call_beside(s, top) &&
	       (trace_times_is_long_async(s->times, top) ||
		(!s->has_root_grown &&
		 is_part_of_path(s, tree_change(s, top))));
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

static void find_tree(struct search *s, struct slow_tree *out)
{
	for (uint32_t i = 0; i < s->t->span_count; i++)
		if (is_looked_at(s, i) && has_tree_grown(s, i) &&
		    is_more(s, tree_change(s, i)))
			out->top = i;
}

static const struct message_wait *wait_of(const struct search *s,
					  const struct message *m)
{
	const struct typical *u = s->typical;
	uint32_t sender = operations_find_span(
		u->operations, u->operation_count, s->t, m->sender);
	uint32_t receiver = operations_find_span(
		u->operations, u->operation_count, s->t, m->receiver);

	for (size_t i = 0; i < u->wait_count; i++)
		if (u->waits[i].sender == sender &&
		    u->waits[i].receiver == receiver)
			return &u->waits[i];
	return NULL;
}

/* For most messages of the slow window: who works long is behind because of
 * that, and no longer wait changes it. */
static bool has_work_moved(const struct search *s, uint32_t receiver)
{
	return has_tree_grown(s, receiver) && !is_as_ever(s, receiver);
}

/* A few tell the usual, not how far it spreads. */
static bool is_wait_beyond(int64_t wait_ns, const struct message_wait *w)
{
	if (w->count >= TYPICAL_MIN)
		return is_beyond(wait_ns, w->p50_ns, w->p90_ns);
	return (double)wait_ns >= MESSAGE_FEW_RATIO * (double)w->p90_ns;
}

static bool has_wait_grown(const struct search *s, const struct message *m,
			   const struct message_wait *w)
{
	return w && w->count >= MESSAGE_LEAST &&
	       m->wait_ns >= MESSAGE_WAIT_NS &&
	       is_wait_beyond(m->wait_ns, w) &&
	       is_part_of_path(s, m->wait_ns - w->p50_ns) &&
	       !has_work_moved(s, m->receiver);
}

/* Others waited as long in the slow window: no bad luck of one message. */
static bool has_wait_moved(const struct message_wait *w)
{
	return w->slow_p50_ns < 0 ||
	       is_beyond(w->slow_p50_ns, w->p50_ns, w->p50_ns);
}

static void find_queue(struct search *s, const struct messages *messages,
		       struct slow_tree *out)
{
	for (size_t i = 0; i < messages->count; i++) {
		const struct message *m = &messages->items[i];
		const struct message_wait *w = wait_of(s, m);

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
			.has_moved = has_wait_moved(w),
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
	find_tree(&s, out);
	find_queue(&s, messages, out);
}
