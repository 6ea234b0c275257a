/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/usual_waits.h"

#include "analyze/change_of_time.h"
#include "backend/fetch_linked.h"
#include "base/num.h"

/* One message of the baseline: its receiver's trace, then its sender's. */
struct pair {
	struct trace receiver;
	struct trace sender;
	struct trace_job job;
	struct trace_job sender_job;
	uint32_t span; /* that took it */
	uint64_t sender_span_id;
	bool has_link;
};

struct inquiry {
	struct investigation *v;
	struct pair pairs[USUAL_WAITS];
	size_t count;
};

static bool is_across(const struct trace *t, const struct message *m)
{
	return (t->spans[m->sender].flags & SPAN_IS_LINKED) !=
	       (t->spans[m->receiver].flags & SPAN_IS_LINKED);
}

/* NULL: none that matters. */
static const struct message *longest(const struct trace *t,
				     const struct suspect *s)
{
	const struct message *found = NULL;
	int64_t least_ns = s->times.path_ns / 100 * TIME_CHANGE_PATH_PERCENT;

	if (least_ns < MESSAGE_WAIT_NS)
		least_ns = MESSAGE_WAIT_NS;
	for (size_t i = 0; i < s->messages.count; i++) {
		const struct message *m = &s->messages.items[i];

		if (is_across(t, m) && m->wait_ns >= least_ns &&
		    (!found || m->wait_ns > found->wait_ns))
			found = m;
	}
	return found;
}

static void add_pair(struct inquiry *q, const struct trace_id *id)
{
	struct pair *p = &q->pairs[q->count];

	for (size_t i = 0; i < q->count; i++)
		if (trace_id_equal(&q->pairs[i].job.id, id))
			return;
	trace_job_init(&p->job, id, &p->receiver);
	q->count++;
}

/* The first, the last and one between of those that took a message. */
static void choose(struct inquiry *q, const struct history_window *w,
		   struct time_range range, uint32_t receiver)
{
	uint32_t n = 0, at = 0;

	for (int pass = 0; pass < 2; pass++) {
		at = 0;
		for (uint32_t i = 0; i < w->span_count; i++) {
			const struct history_span *s = &w->spans[i];

			if (s->operation != receiver ||
			    s->trace >= w->trace_count ||
			    !time_range_has(range, s->start_ns))
				continue;
			if (!pass)
				n++;
			else if (q->count < USUAL_WAITS &&
				 at >= q->count * (n - 1) / (USUAL_WAITS - 1))
				add_pair(q, &w->traces[s->trace].id);
			at++;
		}
	}
}

/* Of a batch the first, which waited longest: a message of a batch may wait as
 * long as that before it is a word of a queue. */
static void choose_sender(struct pair *p, struct str service, struct str name)
{
	const struct trace *t = &p->receiver;

	for (uint32_t i = 0; i < t->link_count && !p->has_link; i++) {
		const struct span_link *l = &t->links[i];

		p->span = trace_find_span(t, l->from_id);
		if (p->span == SPAN_NONE ||
		    !str_equal(span_service(t, p->span), service) ||
		    !str_equal(span_name(t, p->span), name))
			continue;
		p->has_link = true;
		p->sender_span_id = l->span_id;
		trace_job_init(&p->sender_job, &l->trace_id, &p->sender);
	}
}

static bool fetch(struct inquiry *q, const struct message *m, struct error *err)
{
	const struct trace *t = q->v->trace;
	struct job *jobs[USUAL_WAITS];
	size_t n = 0;

	for (size_t i = 0; i < q->count; i++)
		jobs[n++] = &q->pairs[i].job.job;
	if (n && !jobs_run(q->v->backends, jobs, n, err))
		return false;
	n = 0;
	for (size_t i = 0; i < q->count; i++) {
		choose_sender(&q->pairs[i], span_service(t, m->receiver),
			      span_name(t, m->receiver));
		if (q->pairs[i].has_link)
			jobs[n++] = &q->pairs[i].sender_job.job;
	}
	return !n || jobs_run(q->v->backends, jobs, n, err);
}

/* -1: not known. */
static int64_t wait_of(const struct pair *p)
{
	uint32_t sender;
	int64_t wait_ns;

	if (!p->has_link)
		return -1;
	sender = trace_find_span(&p->sender, p->sender_span_id);
	if (sender == SPAN_NONE)
		return -1;
	wait_ns = sat_sub_i64(p->receiver.spans[p->span].start_ns,
			      p->sender.spans[sender].end_ns);
	return wait_ns > 0 ? wait_ns : 0;
}

static bool keep(struct inquiry *q, struct operation_history *h,
		 const struct message *m, struct error *err)
{
	const struct trace *t = q->v->trace;
	struct message_wait wait = {
		.sender = operations_find_span(
			h->operations.items, h->operations.count, t, m->sender),
		.receiver = operations_find_span(h->operations.items,
						 h->operations.count, t,
						 m->receiver),
		.slow_p50_ns = -1,
	};
	int64_t values[USUAL_WAITS];
	uint32_t n = 0;

	for (size_t i = 0; i < q->count; i++) {
		values[n] = wait_of(&q->pairs[i]);
		n += values[n] >= 0;
	}
	message_wait_set(&wait, values, n);
	return typical_set_wait(&h->typical, &wait, &q->v->result->arena, err);
}

static bool ask(struct inquiry *q, struct operation_history *h,
		const struct message *m, struct error *err)
{
	uint32_t receiver =
		operations_find_span(h->operations.items, h->operations.count,
				     q->v->trace, m->receiver);

	if (receiver == OPERATION_NONE)
		return true;
	choose(q, &h->history.windows[h->baseline.window],
	       h->baseline.slots[h->baseline.chosen].range, receiver);
	return fetch(q, m, err) && keep(q, h, m, err);
}

bool usual_waits_ask(struct operation_history *h, struct investigation *v,
		     const struct suspect *s, struct error *err)
{
	const struct message *m =
		v->trace->joined_root_id ? longest(v->trace, s) : NULL;
	struct inquiry q = { .v = v };
	bool is_done;

	if (!m || !h->has_typical)
		return true;
	for (size_t i = 0; i < USUAL_WAITS; i++) {
		trace_init(&q.pairs[i].receiver);
		trace_init(&q.pairs[i].sender);
	}
	is_done = ask(&q, h, m, err);
	for (size_t i = 0; i < USUAL_WAITS; i++) {
		trace_release(&q.pairs[i].receiver);
		trace_release(&q.pairs[i].sender);
	}
	return is_done;
}
