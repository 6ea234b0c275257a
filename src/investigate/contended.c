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

/* What the service computes: per request, or one instance beside the mean of
 * the others. False: not known. */
static bool measure_cpu(const struct profile_inquiry *q, double *now,
			double *before)
{
	const struct comparison *c = &q->service_cpu;

	if (q->is_wall_cpu || !c->has_base)
		return false;
	if (c->scope == SCOPE_INSTANCE && q->s->slow_instances > 1) {
		*now = comparison_cores(&c->slow);
		*before =
			comparison_cores(&c->base) / (q->s->slow_instances - 1);
		return true;
	}
	*now = comparison_rate(&c->slow, c->slow.profile.total);
	*before = comparison_rate(&c->base, c->base.profile.total);
	return c->slow.requests > 0 && c->base.requests > 0;
}

/* CPU per request that did not grow, of the slow requests or of all. */
static bool is_cpu_as_ever(const struct profile_inquiry *q)
{
	double now, before;

	if (q->cpu_verdict != CPU_UNKNOWN)
		return q->cpu_verdict == CPU_WAITS;
	return measure_cpu(q, &now, &before) && before > 0 &&
	       now <= AS_EVER * before;
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

/* Beyond the history that they are of. */
static bool keep_names(struct profile_inquiry *q, struct error *err)
{
	struct arena *arena = &q->v->result->arena;
	struct contention *c = &q->contention;

	c->instance = arena_str(arena, c->instance);
	c->place = arena_str(arena, c->place);
	return (c->instance.ptr && c->place.ptr) ||
	       arena_fail(arena, "the answer", err);
}

bool inquiry_find_contention(struct profile_inquiry *q, struct error *err)
{
	struct history h;
	bool done;

	if (!may_be(q))
		return true;
	history_init_service(&h, q->s->service);
	h.keys = contention_places;
	h.key_count = CONTENTION_PLACES;
	done = ask(q, &h, err) &&
	       contention_find(&h, 0, 1, &q->contention, err) &&
	       keep_names(q, err);
	history_release(&h);
	return done;
}
