/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/symptom.h"

#include "analyze/change_of_time.h"
#include "analyze/slowspan.h"
#include "backend/fetch_trace.h"
#include "base/num.h"
#include "investigate/investigation.h"
#include "model/trace_join.h"

struct following {
	struct investigation *v;
	struct trace traces[TRACE_JOIN_MOST];
	struct trace_job jobs[TRACE_JOIN_MOST];
	size_t count;
	size_t total; /* that links lead to, as far as is known */
	struct linking_job linking;
	bool is_linking_asked;
	bool has_message; /* that something else may have taken */
	bool has_awaited; /* within the trace itself */
};

/* ---- which ---- */

/* Returns whether something that is not in the trace may have taken a message.
 */
static bool has_open_message(const struct trace *t)
{
	for (uint32_t i = 0; i < t->span_count; i++) {
		const struct span *s = &t->spans[i];
		bool is_taken = false;

		for (uint32_t k = 0; k < s->child_count; k++)
			is_taken |= t->spans[t->children[s->child_first + k]]
					    .kind == SPAN_KIND_CONSUMER;
		if (s->kind == SPAN_KIND_PRODUCER && !is_taken)
			return true;
	}
	return false;
}

static void trace_want(struct following *f, const struct trace_id *id)
{
	if (f->count == TRACE_JOIN_MOST ||
	    trace_id_is_same(id, &f->v->trace->id))
		return;
	for (size_t i = 0; i < f->count; i++)
		if (trace_id_is_same(id, &f->jobs[i].id))
			return;
	trace_job_init(&f->jobs[f->count], id, &f->traces[f->count]);
	f->count++;
}

static int64_t hit_end(const struct hit *hit)
{
	return sat_add_i64(hit->start_ns, hit->trace_ns);
}

/* Keeps, of several that link to this one, those that end last: they are not
 * done yet. */
static void traces_want(struct following *f, struct hits *hits)
{
	for (size_t i = 0; i < hits->count; i++) {
		struct hit latest = hits->items[i];
		size_t at = i;

		for (size_t k = i + 1; k < hits->count; k++)
			if (hit_end(&hits->items[k]) > hit_end(&latest))
				latest = hits->items[at = k];
		hits->items[at] = hits->items[i];
		hits->items[i] = latest;
		trace_want(f, &latest.id);
	}
	f->total += hits->count;
}

/* ---- asking ---- */

/* The reach of links: what came later is another story, and was not waited for.
 */
#define LINKS_REACH_NS NS_PER_HOUR

static void ask_linking(struct following *f, struct job **jobs, size_t *n)
{
	struct investigation *v = f->v;
	struct time_range range = {
		v->trace->start_ns,
		min_i64(sat_add_i64(v->trace->end_ns, LINKS_REACH_NS),
			v->backends->now_ns),
	};

	if (!f->has_message)
		return;
	if (!linking_can_ask(v->backends)) {
		investigation_note(
			v,
			(struct note){
				.kind = NOTE_LINKS_NOT_ASKED,
				.reason = backends_traces(v->backends)->title,
			});
		return;
	}
	linking_job_init(&f->linking, &v->trace->id, range);
	f->is_linking_asked = true;
	jobs[(*n)++] = &f->linking.job;
}

/* Adds jobs for those that no file had. */
static void add_jobs(struct following *f, size_t from, struct job **jobs,
		     size_t *n)
{
	for (size_t i = from; i < f->count; i++)
		if (!f->traces[i].span_count)
			jobs[(*n)++] = &f->jobs[i].job;
}

static bool links_ask(struct following *f, struct error *err)
{
	struct job *jobs[TRACE_JOIN_MOST + 1];
	size_t n = 0, asked = f->count;

	add_jobs(f, 0, jobs, &n);
	ask_linking(f, jobs, &n);
	if (n && !jobs_run(f->v->backends, jobs, n, err))
		return false;
	n = 0;
	if (f->is_linking_asked)
		traces_want(f, &f->linking.hits);
	add_jobs(f, asked, jobs, &n);
	return !n || jobs_run(f->v->backends, jobs, n, err);
}

/* ---- looking ---- */

/* In the files that the trace is of. */
static bool links_look(struct following *f, struct error *err)
{
	struct trace_files *files = f->v->backends->trace_files;
	struct hits linking;
	bool is_done;

	if (!files || (!f->count && !f->has_message))
		return true;
	hits_init(&linking);
	is_done = trace_files_linking(files, &f->v->trace->id, &linking, err);
	if (is_done && f->has_message)
		traces_want(f, &linking);
	hits_release(&linking);
	for (size_t i = 0; is_done && i < f->count; i++)
		is_done = trace_files_fetch(files, &f->jobs[i].id,
					    &f->traces[i], err);
	return is_done;
}

/* ---- joining ---- */

static bool links_join(struct following *f, size_t *joined, struct error *err)
{
	const struct trace *others[TRACE_JOIN_MOST];
	struct trace *trace = f->v->trace;
	struct trace alone;
	size_t n = 0;
	bool is_done;

	*joined = 0;
	for (size_t i = 0; i < f->count; i++)
		if (f->traces[i].span_count)
			others[n++] = &f->traces[i];
	f->has_awaited = trace_has_awaited(trace);
	if (!n && !f->has_awaited)
		return true;
	trace_move(&alone, trace);
	is_done = trace_join(&alone, others, n, trace, joined, err);
	if (!is_done || (!*joined && !f->has_awaited)) {
		trace_release(trace);
		trace_move(trace, &alone);
	}
	trace_release(&alone);
	return is_done;
}

bool links_follow(struct investigation *v, struct suspect *s, bool may_ask,
		  struct error *err)
{
	struct following f = { .v = v };
	bool has_server = may_ask && !v->backends->traces.path &&
			  backends_traces(v->backends);
	const struct trace *t = v->trace;
	size_t joined = 0, n = t->link_count;
	bool is_done;

	if (guilty_want_is_narrow(&v->question->suspect))
		return true;
	for (size_t i = 0; i < TRACE_JOIN_MOST; i++)
		trace_init(&f.traces[i]);
	/* The first, the last, and those between: a batch lists its messages in
	 * the order in which they came. */
	for (size_t i = 0; n && i < TRACE_JOIN_MOST; i++)
		trace_want(&f, &t->links[i * (n - 1) / (TRACE_JOIN_MOST - 1)]
					.trace_id);
	for (size_t i = 0; i < n; i++)
		f.total += !trace_id_is_same(&t->links[i].trace_id, &t->id);
	f.has_message = has_open_message(t);
	is_done = links_look(&f, err) && (!has_server || links_ask(&f, err)) &&
		  links_join(&f, &joined, err);
	if (is_done && joined)
		investigation_note(v,
				   (struct note){ .kind = NOTE_LINKS_FOLLOWED,
						  .count = joined,
						  .total = f.total });
	if (f.is_linking_asked)
		hits_release(&f.linking.hits);
	for (size_t i = 0; i < TRACE_JOIN_MOST; i++)
		trace_release(&f.traces[i]);
	return is_done &&
	       ((!joined && !f.has_awaited) || suspect_find(v, s, err));
}

/* Typical waits of messages whose sender and receiver are in different traces:
 * a search does not return these as pairs, so a few pairs are fetched. */

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

/* Pairs, each of two requests. */
#define USUAL_WAITS 3u

struct inquiry {
	struct investigation *v;
	struct pair pairs[USUAL_WAITS];
	size_t count;
};

/* NULL: none that matters. */
static const struct message *message_longest(const struct trace *t,
					     const struct suspect *s)
{
	const struct message *found = NULL;
	int64_t least_ns = s->times.path_ns / 100 * TIME_CHANGE_PATH_PERCENT;

	if (least_ns < MESSAGE_WAIT_NS)
		least_ns = MESSAGE_WAIT_NS;
	for (size_t i = 0; i < s->messages.count; i++) {
		const struct message *m = &s->messages.items[i];
		bool is_across =
			(t->spans[m->sender].flags & SPAN_IS_LINKED) !=
			(t->spans[m->receiver].flags & SPAN_IS_LINKED);

		if (is_across && m->wait_ns >= least_ns &&
		    (!found || m->wait_ns > found->wait_ns))
			found = m;
	}
	return found;
}

static bool span_is_of(const struct history_window *w,
		       const struct history_span *s, struct time_range range,
		       uint32_t receiver)
{
	return s->operation == receiver && s->trace < w->trace_count &&
	       time_range_has(range, s->start_ns);
}

/* The first, the last and one between of those that took a message. */
static void choose_pairs(struct inquiry *q, const struct history_window *w,
			 struct time_range range, uint32_t receiver)
{
	uint32_t n = 0, at = 0;

	for (uint32_t i = 0; i < w->span_count; i++)
		n += span_is_of(w, &w->spans[i], range, receiver);
	for (uint32_t i = 0; i < w->span_count && q->count < USUAL_WAITS; i++) {
		const struct history_span *s = &w->spans[i];
		struct pair *p = &q->pairs[q->count];
		const struct trace_id *id;
		size_t known = 0;

		if (!span_is_of(w, s, range, receiver))
			continue;
		if (at++ < q->count * (n - 1) / (USUAL_WAITS - 1))
			continue;
		id = &w->traces[s->trace].id;
		while (known < q->count &&
		       !trace_id_equal(&q->pairs[known].job.id, id))
			known++;
		if (known < q->count)
			continue;
		trace_job_init(&p->job, id, &p->receiver);
		q->count++;
	}
}

/* Chooses the sender, of a batch the first, which waited longest: a message of
 * a batch may wait as long as that before it is a word of a queue. */
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

static bool pairs_fetch(struct inquiry *q, const struct message *m,
			struct error *err)
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
static int64_t pair_wait(const struct pair *p)
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

static bool waits_keep(struct inquiry *q, struct operation_history *h,
		       const struct message *m, struct error *err)
{
	const struct trace *t = q->v->trace;
	struct message_wait wait = {
		.sender = operation_history_find(h, t, m->sender),
		.receiver = operation_history_find(h, t, m->receiver),
		.slow_p50_ns = -1,
	};
	int64_t values[USUAL_WAITS];
	uint32_t n = 0;

	for (size_t i = 0; i < q->count; i++) {
		values[n] = pair_wait(&q->pairs[i]);
		n += values[n] >= 0;
	}
	message_wait_set(&wait, values, n);
	return typical_set_wait(&h->typical, &wait, &q->v->result->arena, err);
}

bool usual_waits_ask(struct operation_history *h, struct investigation *v,
		     const struct suspect *s, struct error *err)
{
	const struct message *m =
		v->trace->joined_root_id ? message_longest(v->trace, s) : NULL;
	struct inquiry q = { .v = v };
	uint32_t receiver;
	bool is_done;

	if (!m || !h->has_typical)
		return true;
	receiver = operation_history_find(h, v->trace, m->receiver);
	if (receiver == OPERATION_NONE)
		return true;
	for (size_t i = 0; i < USUAL_WAITS; i++) {
		trace_init(&q.pairs[i].receiver);
		trace_init(&q.pairs[i].sender);
	}
	choose_pairs(&q, &h->history.windows[h->baseline.window],
		     h->baseline.slots[h->baseline.chosen].range, receiver);
	is_done = pairs_fetch(&q, m, err) && waits_keep(&q, h, m, err);
	for (size_t i = 0; i < USUAL_WAITS; i++) {
		trace_release(&q.pairs[i].receiver);
		trace_release(&q.pairs[i].sender);
	}
	return is_done;
}
