/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether the machine is what slows a service down: asked when neither CPU nor
 * a profile of waiting explains its own time.
 */
#include <math.h>

#include "backend/fetch_history.h"
#include "investigate/measures.h"

/* Newest traces with the service, in the slow window and in the baseline: some
 * of each operation on each instance. */
#define CONTENTION_TRACES 200u

#define WINDOWS 2

/* Of a window, where one answer holds few traces. */
#define SLICES 4

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

/* By the trace; the rest is another's. */
static bool is_own_time(const struct profile_inquiry *q)
{
	return q->trace_cause == CAUSE_UNKNOWN || q->trace_cause == CAUSE_WAIT;
}

/* The service's own time grew. A quota is not spent on it. */
static bool may_be(const struct profile_inquiry *q)
{
	const struct backends *b = q->v->backends;

	return is_own_time(q) && q->s->has_history && q->s->has_base && is_cpu_as_ever(q) &&
	       !b->traces.path && !backends_trace_traits(b)->is_metered &&
	       backends_rounds_left(b) > 0 &&
	       backends_requests_left(b) >= WINDOWS;
}

/* Servers that send whole traces send few at once: of those as many slices are
 * asked for as the run may send requests. */
static size_t count_slices(const struct profile_inquiry *q)
{
	const struct backends *b = q->v->backends;
	size_t left = backends_requests_left(b) / WINDOWS;

	if (!backends_trace_traits(b)->history_most)
		return 1;
	return left < SLICES ? left : SLICES;
}

/* Puts together the questions about a window. */
static size_t add_window(struct history *h, struct time_range range,
			 size_t slices, struct history_job *asked,
			 struct job **jobs)
{
	int64_t step = (range.to_ns - range.from_ns) / (int64_t)slices;
	uint32_t window = h->window_count++;

	h->windows[window].range = range;
	for (size_t i = 0; i < slices; i++) {
		history_job_init(&asked[i], h, window, CONTENTION_TRACES);
		asked[i].range.from_ns = range.from_ns + step * (int64_t)i;
		if (i + 1 < slices)
			asked[i].range.to_ns = asked[i].range.from_ns + step;
		jobs[i] = &asked[i].job;
	}
	return slices;
}

static bool ask(struct profile_inquiry *q, struct history *h, struct error *err)
{
	struct history_job asked[WINDOWS * SLICES];
	struct job *jobs[WINDOWS * SLICES];
	size_t slices = count_slices(q), n;

	n = add_window(h, q->s->slow, slices, asked, jobs);
	n += add_window(h, q->s->base, slices, asked + n, jobs + n);
	return jobs_run(q->v->backends, jobs, n, err);
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

static bool find_by_operations(struct profile_inquiry *q, struct error *err)
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

/* Wall clock time that went by in code that computes, and that computed no more
 * than ever: it waited for nothing, and did not run. */
static bool find_unrun(struct profile_inquiry *q, struct error *err)
{
	const struct comparison *c = &q->waits[WAIT_WALL];
	double computing_ns;

	if (!is_own_time(q) || q->wait != WAIT_WALL || q->measures[WAIT_WALL].is_lock ||
	    q->cpu_verdict != CPU_WAITS || c->scope != SCOPE_COHORT)
		return true;
	if (!inquiry_measure_computing(c, q->v->question->rules, &computing_ns,
				       err))
		return false;
	computing_ns -= q->cpu.slow_ns - fmin(q->cpu.slow_ns, q->cpu.base_ns);
	if (verdict_explains(computing_ns, q->measures[WAIT_WALL].needed))
		q->unrun_ns = computing_ns;
	return true;
}

/* The machine, where nothing else explains the time. Which of its instances
 * suffer is told by all that the service does. */
bool inquiry_find_contention(struct profile_inquiry *q, struct error *err)
{
	if (!find_unrun(q, err))
		return false;
	if (q->wait != WAIT_TYPES && q->unrun_ns <= 0)
		return true;
	q->wait = WAIT_TYPES;
	return find_by_operations(q, err);
}
