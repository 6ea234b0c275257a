/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/messages.h"

#include "analyze/ordering.h"
#include "base/num.h"

/* When the broker took it, in seconds since 1970: Azure's attributes, the only
 * ones that the semantic conventions have for it. */
static const struct str enqueued_keys[] = {
	{ "messaging.eventhubs.message.enqueued_time", 41 },
	{ "messaging.servicebus.message.enqueued_time", 42 },
};

static const struct str queue_keys[] = {
	{ "messaging.destination.name", 26 },
	{ "messaging.destination", 21 },
	{ "message_bus.destination", 23 },
};

/* By span: the producer of the same trace that a link names, else the parent.
 */
static uint32_t *find_senders(const struct trace *t, struct arena *arena)
{
	uint32_t *senders = arena_array(arena, t->span_count, sizeof *senders);

	for (uint32_t i = 0; senders && i < t->span_count; i++)
		senders[i] = t->spans[i].parent;
	for (uint32_t i = 0; senders && i < t->link_count; i++) {
		const struct span_link *l = &t->links[i];
		uint32_t from = trace_find_span(t, l->from_id);
		uint32_t to = trace_find_span(t, l->span_id);

		if (trace_id_is_same(&l->trace_id, &t->id) && from != SPAN_NONE &&
		    to != SPAN_NONE && t->spans[to].kind == SPAN_KIND_PRODUCER)
			senders[from] = to;
	}
	return senders;
}

static bool is_message(const struct trace *t, const struct trace_times *times,
		       uint32_t span, uint32_t sender)
{
	return sender != SPAN_NONE && times->tree[span] == span &&
	       (t->spans[span].kind == SPAN_KIND_CONSUMER ||
		t->spans[sender].kind == SPAN_KIND_PRODUCER);
}

/* Until the receiver took it. */
static int64_t wait_of(const struct trace *t, uint32_t sender,
		       uint32_t receiver)
{
	int64_t start_ns = t->spans[receiver].start_ns;
	int64_t wait_ns = sat_sub_i64(start_ns, t->spans[sender].end_ns);

	/* A whole second is the finest that brokers note: by the sender's end
	 * a wait is known better, unless that span outlasts the taking. */
	for (size_t i = 0; wait_ns <= 0 && i < COUNT_OF(enqueued_keys); i++) {
		struct str text = span_attr(t, receiver, enqueued_keys[i]);
		uint64_t seconds;

		if (!text.len || !parse_u64(text, &seconds) ||
		    seconds >= INT64_MAX / NS_PER_S)
			continue;
		if (seconds)
			wait_ns = sat_sub_i64(start_ns,
					      (int64_t)seconds * NS_PER_S);
		break;
	}
	return max_i64(wait_ns, 0);
}

bool messages_find(const struct trace *t, const struct trace_times *times,
		   struct arena *arena, struct messages *out, struct error *err)
{
	uint32_t *senders = find_senders(t, arena);
	size_t count = 0;

	*out = (struct messages){ 0 };
	if (!senders)
		return arena_fail(arena, "the trace", err);
	for (uint32_t i = 0; i < t->span_count; i++)
		count += is_message(t, times, i, senders[i]);
	if (!count)
		return true;
	out->items = arena_array(arena, count, sizeof *out->items);
	if (!out->items)
		return arena_fail(arena, "the trace", err);
	for (uint32_t i = 0; i < t->span_count; i++)
		if (is_message(t, times, i, senders[i]))
			out->items[out->count++] = (struct message){
				.sender = senders[i],
				.receiver = i,
				.wait_ns = wait_of(t, senders[i], i),
			};
	return true;
}

struct str message_queue(const struct trace *t, const struct message *m)
{
	const uint32_t spans[] = { m->receiver, m->sender };

	for (size_t i = 0; i < COUNT_OF(spans); i++)
		for (size_t k = 0; k < COUNT_OF(queue_keys); k++) {
			struct str name = span_attr(t, spans[i], queue_keys[k]);

			if (name.len)
				return name;
		}
	return STR("");
}

/* ---- what is usual ---- */

/* Messages of one window, as spans that last as long as they waited. */
struct waits {
	int64_t *sent_ns; /* by trace: end of the last sending, 0 none yet */
	struct history_span *spans;
	uint32_t count;
};

static bool waits_of(const struct history_window *w,
		     const struct message_wait *of, struct arena *arena,
		     struct waits *out, struct error *err)
{
	*out = (struct waits){ 0 };
	out->sent_ns = arena_array(arena, w->trace_count, sizeof *out->sent_ns);
	out->spans = arena_array(arena, w->span_count, sizeof *out->spans);
	if (!out->sent_ns || !out->spans)
		return arena_fail(arena, "the history of the messages", err);
	/* Spans come in the order of their starts. */
	for (uint32_t i = 0; i < w->span_count; i++) {
		const struct history_span *s = &w->spans[i];
		int64_t wait_ns;

		if (s->trace >= w->trace_count)
			continue;
		if (s->operation == of->sender)
			out->sent_ns[s->trace] =
				sat_add_i64(s->start_ns, s->duration_ns);
		if (s->operation != of->receiver || !out->sent_ns[s->trace])
			continue;
		wait_ns = sat_sub_i64(s->start_ns, out->sent_ns[s->trace]);
		out->spans[out->count] = *s;
		out->spans[out->count++].duration_ns = max_i64(wait_ns, 0);
	}
	return true;
}

void message_wait_set(struct message_wait *wait, int64_t *values,
		      uint32_t count)
{
	values_sort(values, count);
	wait->count = count;
	wait->p50_ns = values_quantile(values, count, 50);
	wait->p90_ns = values_quantile(values, count, 90);
}

static uint32_t waits_collect(const struct waits *from, struct time_range range,
			      int64_t *values)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < from->count; i++)
		if (history_range_has(range, from->spans[i].start_ns))
			values[n++] = from->spans[i].duration_ns;
	return n;
}

/* Finds the onset in the waits of both windows, in order of time. */
static bool find_onset(struct waits *base, struct waits *slow,
		       const struct message_wait *of, struct arena *arena,
		       struct onset *out, struct error *err)
{
	const uint32_t windows[] = { 0, 1 };
	struct history h = {
		.window_count = 2,
		.windows = { { .spans = base->spans,
			       .span_count = base->count },
			     { .spans = slow->spans,
			       .span_count = slow->count } },
	};

	return onset_find(&h, windows, 2, of->receiver, arena, out, err);
}

bool message_wait_measure(const struct history *h, uint32_t window,
			  struct time_range range, uint32_t slow_window,
			  struct arena *arena, struct message_wait *wait,
			  struct error *err)
{
	static const struct time_range all;
	const struct history_window *base_from = &h->windows[window];
	struct waits base, slow = { 0 };
	int64_t *values;

	wait->slow_p50_ns = -1;
	if (!waits_of(base_from, wait, arena, &base, err) ||
	    (slow_window < h->window_count &&
	     !waits_of(&h->windows[slow_window], wait, arena, &slow, err)) ||
	    !find_onset(&base, &slow, wait, arena, &wait->onset, err))
		return false;
	values = arena_array(arena, base.count + slow.count, sizeof *values);
	if (!values)
		return arena_fail(arena, "the history of the messages", err);
	if (!range.from_ns && !range.to_ns)
		range = base_from->range;
	range = onset_healthy_range(&wait->onset, range);
	message_wait_set(wait, values, waits_collect(&base, range, values));
	if (!slow.count)
		return true;
	values_sort(values, waits_collect(&slow, all, values));
	wait->slow_p50_ns = values_quantile(values, slow.count, 50);
	if (wait->onset.is_found && wait->onset.slow_p50_ns > wait->slow_p50_ns)
		wait->slow_p50_ns = wait->onset.slow_p50_ns;
	return true;
}
