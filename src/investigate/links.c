/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/links.h"

#include "backend/fetch_linked.h"
#include "base/num.h"
#include "model/trace_join.h"

struct following {
	struct investigation *v;
	struct trace traces[TRACE_JOIN_MOST];
	struct trace_job jobs[TRACE_JOIN_MOST];
	size_t count;
	size_t total; /* that links lead to, as far as is known */
	struct linking_job linking;
	bool is_linking_asked;
	bool has_awaited; /* within the trace itself */
};

/* ---- which ---- */

/* Whether something that is not in the trace may have taken a message. */
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

static bool is_wanted(const struct following *f, const struct trace_id *id)
{
	if (f->count == TRACE_JOIN_MOST || trace_id_is_same(id, &f->v->trace->id))
		return false;
	for (size_t i = 0; i < f->count; i++)
		if (trace_id_is_same(id, &f->jobs[i].id))
			return false;
	return true;
}

static void want(struct following *f, const struct trace_id *id)
{
	if (!is_wanted(f, id))
		return;
	trace_job_init(&f->jobs[f->count], id, &f->traces[f->count]);
	f->count++;
}

/* The first, the last, and those between: a batch lists its messages in the
 * order in which they came. */
static void want_linked(struct following *f)
{
	const struct trace *t = f->v->trace;
	size_t n = t->link_count;

	for (size_t i = 0; n && i < TRACE_JOIN_MOST; i++)
		want(f,
		     &t->links[i * (n - 1) / (TRACE_JOIN_MOST - 1)].trace_id);
	for (size_t i = 0; i < n; i++)
		f->total += !trace_id_is_same(&t->links[i].trace_id, &t->id);
}

static int64_t end_of(const struct hit *hit)
{
	return sat_add_i64(hit->start_ns, hit->trace_ns);
}

/* Of several that link to this one those that end last: they are what is not
 * done yet. */
static void want_linking(struct following *f)
{
	struct hits *hits = &f->linking.hits;

	for (size_t i = 0; i < hits->count; i++) {
		struct hit latest = hits->items[i];
		size_t at = i;

		for (size_t k = i + 1; k < hits->count; k++)
			if (end_of(&hits->items[k]) > end_of(&latest))
				latest = hits->items[at = k];
		hits->items[at] = hits->items[i];
		hits->items[i] = latest;
		want(f, &latest.id);
	}
	f->total += hits->count;
}

/* ---- asking ---- */

static struct time_range range_of(const struct investigation *v)
{
	int64_t to_ns = sat_add_i64(v->trace->end_ns, LINKS_REACH_NS);

	return (struct time_range){ v->trace->start_ns,
				    to_ns < v->backends->now_ns
					    ? to_ns
					    : v->backends->now_ns };
}

static void ask_linking(struct following *f, struct job **jobs, size_t *n)
{
	struct investigation *v = f->v;

	if (!has_open_message(v->trace))
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
	linking_job_init(&f->linking, &v->trace->id, range_of(v));
	f->is_linking_asked = true;
	jobs[(*n)++] = &f->linking.job;
}

static void add_jobs(struct following *f, size_t from, struct job **jobs,
		     size_t *n)
{
	for (size_t i = from; i < f->count; i++)
		jobs[(*n)++] = &f->jobs[i].job;
}

static bool run(const struct following *f, struct job *const *jobs, size_t n,
		struct error *err)
{
	return n == 0 || jobs_run(f->v->backends, jobs, n, err);
}

static bool ask(struct following *f, struct error *err)
{
	struct job *jobs[TRACE_JOIN_MOST + 1];
	size_t n = 0, asked;

	want_linked(f);
	asked = f->count;
	add_jobs(f, 0, jobs, &n);
	ask_linking(f, jobs, &n);
	if (!run(f, jobs, n, err))
		return false;
	n = 0;
	if (f->is_linking_asked)
		want_linking(f);
	add_jobs(f, asked, jobs, &n);
	return run(f, jobs, n, err);
}

/* ---- joining ---- */

static void note_joined(const struct following *f, size_t joined)
{
	investigation_note(f->v, (struct note){ .kind = NOTE_LINKS_FOLLOWED,
						.count = joined,
						.total = f->total });
}

static bool join(struct following *f, size_t *joined, struct error *err)
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

bool links_follow(struct investigation *v, struct suspect *s, struct error *err)
{
	struct following f = { .v = v };
	bool has_server =
		!v->backends->traces.path && backends_traces(v->backends);
	size_t joined = 0;
	bool is_done;

	if (guilty_want_is_narrow(&v->question->suspect))
		return true;
	for (size_t i = 0; i < TRACE_JOIN_MOST; i++)
		trace_init(&f.traces[i]);
	is_done = (!has_server || ask(&f, err)) && join(&f, &joined, err);
	if (is_done && joined)
		note_joined(&f, joined);
	if (f.is_linking_asked)
		hits_release(&f.linking.hits);
	for (size_t i = 0; i < TRACE_JOIN_MOST; i++)
		trace_release(&f.traces[i]);
	return is_done &&
	       ((!joined && !f.has_awaited) || suspect_find(v, s, err));
}
