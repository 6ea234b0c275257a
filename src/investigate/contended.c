/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether the machine is what slows a service down: asked when neither CPU nor
 * a profile of waiting explains its own time.
 */
#include "backend/fetch_history.h"
#include "investigate/measures.h"

/* Newest traces with the service, in the slow window and in the baseline: some
 * of each operation on each instance. */
#define CONTENTION_TRACES 200u

#define WINDOWS 2

/* CPU of the service per request counts as ever up to here. */
#define AS_EVER 1.3

/* CPU per request that did not grow, of the slow requests or of all. */
static bool is_cpu_as_ever(const struct profile_inquiry *q)
{
	const struct comparison *c = &q->service_cpu;
	double now, before;

	if (q->cpu_verdict == CPU_WAITS)
		return true;
	if (q->cpu_verdict != CPU_UNKNOWN || q->is_wall_cpu || !c->has_base ||
	    c->slow.requests <= 0 || c->base.requests <= 0)
		return false;
	now = comparison_rate(&c->slow, c->slow.profile.total);
	before = comparison_rate(&c->base, c->base.profile.total);
	return before > 0 && now <= AS_EVER * before;
}

/* The service's own time grew, by the trace; the rest is another's. A quota
 * is not spent on it. */
static bool may_be(const struct profile_inquiry *q)
{
	const struct backends *b = q->v->backends;

	return (q->trace_cause == CAUSE_UNKNOWN ||
		q->trace_cause == CAUSE_WAIT) &&
	       q->s->has_history && q->s->has_base && is_cpu_as_ever(q) &&
	       !b->traces.path && !backends_trace_traits(b)->is_metered &&
	       backends_rounds_left(b) > 0 &&
	       backends_requests_left(b) >= WINDOWS;
}

static bool ask(struct profile_inquiry *q, struct history *h, struct error *err)
{
	const struct time_range ranges[WINDOWS] = { q->s->slow, q->s->base };
	struct history_job asked[WINDOWS];
	struct job *jobs[WINDOWS];

	for (uint32_t i = 0; i < WINDOWS; i++) {
		h->windows[i].range = ranges[i];
		h->window_count++;
		history_job_init(&asked[i], h, i, CONTENTION_TRACES);
		jobs[i] = &asked[i].job;
	}
	return jobs_run(q->v->backends, jobs, WINDOWS, err);
}

static bool keep_instance(struct profile_inquiry *q, struct error *err)
{
	struct arena *arena = &q->v->result->arena;
	struct str *instance = &q->contention.instance;

	*instance = arena_str(arena, *instance);
	return instance->ptr || arena_fail(arena, "the answer", err);
}

bool inquiry_find_contention(struct profile_inquiry *q, struct error *err)
{
	struct history h;
	bool done;

	if (!may_be(q))
		return true;
	history_init_service(&h, q->s->service);
	done = ask(q, &h, err) &&
	       contention_find(&h, 0, 1, &q->contention, err) &&
	       keep_instance(q, err);
	history_release(&h);
	return done;
}
