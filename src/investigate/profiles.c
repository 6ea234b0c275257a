/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/profile_inquiry.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "analyze/verdict.h"
#include "backend/fetch_history.h"
#include "base/mem.h"
#include "base/num.h"
#include "investigate/comparison.h"
#include "investigate/symptom.h"

/* The samples of both sides of a comparison: those of the whole service, of one
 * instance or version of it, or of similar requests. Sends nothing. */

/* Begins a comparison of the service's samples; of an instance alone when the
 * slow requests are all of it. */
static bool inquiry_begin_service(struct profile_inquiry *q,
				  struct comparison *c, const char *type_id,
				  struct error *err)
{
	const struct symptom *s = q->s;
	bool is_instance = s->instance.ptr && q->service.instance_label.ptr;

	comparison_init(c, type_id,
			is_instance ? SCOPE_INSTANCE : SCOPE_SERVICE);
	c->slow.range = s->slow;
	c->base.range = is_instance ? s->slow : s->base;
	c->slow.selector = c->base.selector = q->service.selector;
	c->has_base = s->has_base || is_instance;
	if (!is_instance)
		return version_baseline_select(s, q->v, &q->service,
					       &c->slow.selector,
					       &c->base.selector, err);
	c->slow.instances = 1;
	c->base.instances = s->slow_instances > 1 ? s->slow_instances - 1 : 0;
	c->slow.selector =
		selector_with(q->v, q->service.selector,
			      q->service.instance_label, s->instance, false);
	c->base.selector =
		selector_with(q->v, q->service.selector,
			      q->service.instance_label, s->instance, true);
	return (c->slow.selector.ptr && c->base.selector.ptr) ||
	       error_memory(err, "the selector");
}

/* Begins one of the samples of requests like the slow one. */
static void inquiry_begin_cohort(const struct profile_inquiry *q,
				 struct comparison *c, const char *type_id)
{
	const struct symptom *s = q->s;

	comparison_init(c, type_id, SCOPE_COHORT);
	c->slow.range = s->slow;
	c->base.range = s->is_base_fast ? s->slow : s->base;
	c->slow.selector = c->base.selector = q->service.selector;
	c->slow.span_ids = s->slow_ids;
	c->slow.span_id_count = s->slow_id_count;
	c->slow.requests = (double)s->slow_id_count;
	c->base.span_ids = s->base_ids;
	c->base.span_id_count = s->base_id_count;
	c->base.requests = (double)s->base_id_count;
	c->has_base = s->base_id_count > 0;
}

/* The search for a machine that slows a service down: made when neither CPU nor
 * a profile of waiting explains its own time. */

/* Newest traces with the service, in the slow window and in the baseline: some
 * of each operation on each instance. */
#define CONTENTION_TRACES 200u

#define WINDOWS 2

/* The slices of a window, where one answer holds few traces. */
#define SLICES 4

/* CPU of the service per request counts as ever up to here. */
#define AS_EVER 1.3

/* CPU per request that did not grow, of the slow requests or of all; or of one
 * instance beside the mean of the others. */
static bool is_cpu_as_ever(const struct profile_inquiry *q)
{
	const struct comparison *c = &q->service_cpu;
	double now, before;

	if (q->cpu_verdict != CPU_UNKNOWN)
		return q->cpu_verdict == CPU_WAITS;
	if (q->is_wall_cpu || !c->has_base)
		return false;
	if (c->scope == SCOPE_INSTANCE && q->s->slow_instances > 1) {
		now = comparison_cores(&c->slow);
		before = comparison_cores(&c->base);
	} else if (c->slow.requests > 0 && c->base.requests > 0) {
		now = comparison_rate(&c->slow, c->slow.profile.total);
		before = comparison_rate(&c->base, c->base.profile.total);
	} else {
		return false;
	}
	return before > 0 && now <= AS_EVER * before;
}

/* By the trace; the rest is another's. */
static bool is_own_time(const struct profile_inquiry *q)
{
	return q->trace_cause == CAUSE_UNKNOWN || q->trace_cause == CAUSE_WAIT;
}

/* Puts together the questions about a window. */
static size_t contention_window_add(struct history *h, struct time_range range,
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

/* Looks whether all that the service does became slower, when its own time grew
 * while its CPU is as ever. Two requests, in a round of their own. */
static bool find_by_operations(struct profile_inquiry *q, struct error *err)
{
	const struct backends *b = q->v->backends;
	const struct trace_traits *traits = backends_trace_traits(b);
	struct arena *arena = &q->v->result->arena;
	struct contention *c = &q->contention;
	struct history_job asked[WINDOWS * SLICES];
	struct job *jobs[WINDOWS * SLICES];
	struct history h;
	size_t slices = 1, n;
	bool done;

	/* A quota is not spent on it. */
	if (!is_own_time(q) || !q->s->has_history || !q->s->has_base ||
	    !is_cpu_as_ever(q) || b->traces.path || traits->is_metered ||
	    backends_rounds_left(b) == 0 || backends_requests_left(b) < WINDOWS)
		return true;
	/* Servers that return whole traces return few at once: as many slices
	 * of these are queried as the request budget allows. */
	if (traits->history_most)
		slices = min_size(SLICES,
				  backends_requests_left(b) / WINDOWS);
	history_init_service(&h, q->s->service);
	h.keys = contention_places;
	h.key_count = CONTENTION_PLACES;
	n = contention_window_add(&h, q->s->slow, slices, asked, jobs);
	n += contention_window_add(&h, q->s->base, slices, asked + n, jobs + n);
	done = jobs_run(q->v->backends, jobs, n, err) &&
	       contention_find(&h, 0, 1, c, err);
	if (done) {
		/* Beyond the history that they are of. */
		c->instance = arena_str(arena, c->instance);
		c->place = arena_str(arena, c->place);
		done = (c->instance.ptr && c->place.ptr) ||
		       arena_fail(arena, "the answer", err);
	}
	history_release(&h);
	return done;
}

/* Wall clock time that went by in code that computes, and that computed no more
 * than ever: it waited for nothing, and did not run. */
static bool find_unrun(struct profile_inquiry *q, struct error *err)
{
	const struct comparison *c = &q->waits[WAIT_WALL];
	double computing_ns;

	if (!is_own_time(q) || q->wait != WAIT_WALL ||
	    q->measures[WAIT_WALL].is_lock || q->cpu_verdict != CPU_WAITS ||
	    c->scope != SCOPE_COHORT)
		return true;
	if (!inquiry_measure_computing(c, q->v->question->rules, &computing_ns,
				       err))
		return false;
	computing_ns -= q->cpu.slow_ns - fmin(q->cpu.slow_ns, q->cpu.base_ns);
	if (verdict_explains(computing_ns, q->measures[WAIT_WALL].needed))
		q->unrun_ns = computing_ns;
	return true;
}

/* Finds the requests that hold the connections a span waited for, from traces,
 * along with the second query of the wait profile. */

/* Newest traces with the service: some dozens of each operation. */
#define POOL_TRACES 200u

/* Fewer parts measure noise so badly that what clearly grew as a whole is lost
 * in it: then the whole is shown. */
#define BUDGET_LAST_PARTS 3u

#define POOL_JOBS 2u

struct pool_question {
	struct history h;
	struct history_job jobs[POOL_JOBS];
};

/* Prepares the queries; no jobs if the span did not wait for a pool outside its
 * calls (waits within seem to hold a connection), or if the budget does not
 * allow them; has_parts: along with parts of a profile. Release it in any
 * case. */
static void pool_question_init(struct pool_question *p,
			       const struct profile_inquiry *q, bool has_parts,
			       struct job **jobs, size_t *n)
{
	const struct time_range ranges[POOL_JOBS] = { q->s->slow, q->s->base };

	const struct backends *b = q->v->backends;
	size_t needed = POOL_JOBS + (has_parts ? 2 * BUDGET_LAST_PARTS : 0);

	history_init_service(&p->h, q->s->service);
	p->h.keys = pool_keys;
	p->h.key_count = POOL_KEYS;
	if (q->wait == WAIT_NEIGHBOUR ||
	    q->v->result->span.kind == SPAN_KIND_CLIENT ||
	    pool_wait_share(&q->waits[q->wait].slow.profile,
			    q->measures[q->wait].name) < VERDICT_EXPLAINED)
		return;
	if (!q->s->has_history || !q->s->has_base || b->traces.path ||
	    backends_trace_traits(b)->is_metered ||
	    backends_rounds_left(b) == 0 || backends_requests_left(b) < needed)
		return;
	for (uint32_t i = 0; i < POOL_JOBS; i++) {
		p->h.windows[p->h.window_count++].range = ranges[i];
		history_job_init(&p->jobs[i], &p->h, i, POOL_TRACES);
		p->jobs[i].range = ranges[i];
		jobs[(*n)++] = &p->jobs[i].job;
	}
}

/* After they ran: fills q->holder. */
static bool pool_question_answer(struct pool_question *p,
				 struct profile_inquiry *q, struct error *err)
{
	struct arena *arena = &q->v->result->arena;
	struct pool_holder *holder = &q->holder;

	if (!p->h.window_count)
		return true;
	if (!pool_holder_find(&p->h, 0, 1, holder, err))
		return false;
	if (!holder->is_found)
		return true;
	/* Beyond the history that they are of. */
	holder->request = arena_str(arena, holder->request);
	holder->call = arena_str(arena, holder->call);
	return (holder->request.ptr && holder->call.ptr) ||
	       arena_fail(arena, "the answer", err);
}

/* Maximum number of concurrent queries: the types of waiting undivided, or one
 * type in parts with the counts of requests. */
#define JOBS (4 * 2 * COMPARISON_PARTS)

/* Requests are counted by the minute: fine enough for parts of minutes. */
#define COUNT_STEP_NS NS_PER_MIN

/* ---- asking ---- */

static bool has_cohort(const struct profile_inquiry *q)
{
	const struct question *o = q->v->question;

	return q->s->slow_id_count > 0 && q->has_span_samples && q->cpu_id &&
	       !question_scope_is(o, SCOPE_SERVICE) &&
	       !question_scope_is(o, SCOPE_INSTANCE);
}

static void count_requests(struct profile_inquiry *q, struct comparison *c)
{
	/* Requests are counted wherever the service runs. */
	if (c->scope != SCOPE_SERVICE || !c->has_base ||
	    q->service.places.count)
		return;
	comparison_count(&c->slow, &q->slow_count);
	comparison_count(&c->base, &q->base_count);
	/* One side alone is of no use. */
	if (c->slow.requests < 0 || c->base.requests < 0)
		comparison_uncount(c);
}

static void comparison_drop(struct comparison *c)
{
	enum scope scope = c->scope;

	comparison_release(c);
	comparison_init(c, "", scope);
}

/* The service's CPU is applied first: it has the places of functions. That of
 * one request is used only if it is to be shown. */
static bool comparison_take(struct profile_inquiry *q, struct comparison *c,
			    struct error *err)
{
	bool wants_files = c->scope == SCOPE_COHORT ||
			   (c->scope == SCOPE_SPAN &&
			    question_scope_is(q->v->question, SCOPE_SPAN));

	comparison_cover(c, coverage_of(&q->coverage, c->slow.range),
			 coverage_of(&q->coverage, c->base.range));
	return comparison_apply(c, q->v, err) &&
	       (!wants_files ||
		comparison_apply_files(c, &q->service_cpu,
				       q->v->question->rules, err));
}

/* ---- the budget ---- */

static size_t comparison_sides(const struct comparison *c)
{
	return c->has_base ? 2 : 1;
}

static bool is_asked_for(const struct profile_inquiry *q, enum wait_type type)
{
	return q->type_ids[type] && verdict_asks_for(q->trace_cause, type);
}

/* Returns whether no other profile is needed: nothing else is to be explained,
 * or nothing that waits; a consumer that is behind is explained by the CPU of
 * its whole service. */
static bool is_cpu_all(const struct profile_inquiry *q)
{
	return q->s->is_healthy || q->trace_cause == CAUSE_N_PLUS_ONE ||
	       q->trace_cause == CAUSE_QUEUE;
}

/* Plans one comparison of the service: in parts, unless requests like the slow
 * one are. */
static struct budget_plan plan_cpu(const struct profile_inquiry *q)
{
	const struct question *o = q->v->question;
	const struct backends *b = q->v->backends;
	size_t service_sides = comparison_sides(&q->service_cpu);
	bool has_cohort = q->cohort.type_id == q->cpu_id;
	struct budget_want want = {
		.left = backends_requests_left(b),
		.fixed = (q->s->has_base ? 2 : 1) +
			 (has_cohort ? service_sides : 0),
		.sides = has_cohort ? comparison_sides(&q->cohort)
				    : service_sides,
		.has_request = q->s->profile_id != 0 && q->has_span_samples,
		/* With lists of profiles the length of each is known. */
		.has_coverage = q->s->has_base &&
				!backends_profile_traits(b)->is_list,
	};

	/* Unless the decision rests on CPU alone, whatever it finds: see
	 * inquiry_decide(). */
	if (!q->forced_id && !question_scope_is(o, SCOPE_SPAN) &&
	    !question_scope_is(o, SCOPE_COHORT) && !is_cpu_all(q))
		for (int i = 0; i < WAIT_TYPES; i++)
			if (is_asked_for(q, (enum wait_type)i))
				want.later += service_sides;
	return budget_plan(&want);
}

static bool ask_cpu(struct profile_inquiry *q, struct error *err)
{
	struct job *jobs[JOBS];
	struct budget_plan plan;
	size_t n = 0;

	if (!inquiry_begin_service(q, &q->service_cpu, q->cpu_id, err))
		return false;
	q->service_cpu.packs_for_later = has_cohort(q);
	if (has_cohort(q))
		inquiry_begin_cohort(q, &q->cohort, q->cpu_id);
	plan = plan_cpu(q);
	q->cpu_parts = plan.parts;
	q->is_request_spared =
		q->s->profile_id && q->has_span_samples && !plan.has_request;
	comparison_request(&q->service_cpu, has_cohort(q) ? 1 : plan.parts,
			   jobs, &n);
	if (plan.has_request) {
		/* This request among those of the cohort: how much of its time
		 * was CPU. */
		inquiry_begin_cohort(q, &q->request, q->cpu_id);
		q->request.scope = SCOPE_SPAN;
		q->request.slow.span_ids = &q->s->profile_id;
		q->request.slow.span_id_count = 1;
		q->request.slow.requests = 1;
		q->request.has_base = false;
		comparison_request(&q->request, 1, jobs, &n);
	}
	if (has_cohort(q))
		comparison_request(&q->cohort, plan.parts, jobs, &n);
	count_job_init(&q->slow_count, q->s->service, q->s->slow,
		       COUNT_STEP_NS);
	jobs[n++] = &q->slow_count.job;
	if (q->s->has_base) {
		count_job_init(&q->base_count, q->s->service, q->s->base,
			       COUNT_STEP_NS);
		jobs[n++] = &q->base_count.job;
	}
	if (plan.has_coverage &&
	    coverage_request(&q->coverage, q->cpu_id,
			     q->service_cpu.slow.selector.ptr, q->s->slow,
			     q->s->base, COVERAGE_STEP_NS))
		jobs[n++] = &q->coverage.job.job;
	if (!jobs_run(q->v->backends, jobs, n, err) ||
	    !comparison_take(q, &q->service_cpu, err) ||
	    !comparison_take(q, &q->request, err) ||
	    !comparison_take(q, &q->cohort, err))
		return false;
	count_requests(q, &q->service_cpu);
	/* Answers of a server that ignored the spans are dropped. */
	if (!comparison_is_of_spans(&q->request, &q->service_cpu) ||
	    !comparison_is_of_spans(&q->cohort, &q->service_cpu)) {
		q->has_ignored_spans = true;
		comparison_drop(&q->request);
		comparison_drop(&q->cohort);
		investigation_note(q->v, (struct note){ NOTE_SPANS_IGNORED });
	}
	return inquiry_is_of_cohort(q) ||
	       comparison_unpack(&q->service_cpu, err);
}

/* ---- waiting ---- */

/* Wall clock carries span ids where the runtime's agent sets them; block and
 * mutex never do. */
static bool begin_wait(struct profile_inquiry *q, enum wait_type type,
		       struct comparison *c, struct error *err)
{
	bool is_labelled = type == WAIT_WALL || type == WAIT_GOROUTINE;

	if (is_labelled && q->s->slow_id_count && q->s->base_id_count &&
	    q->has_span_samples && !q->has_ignored_spans) {
		inquiry_begin_cohort(q, c, q->type_ids[type]);
		return true;
	}
	return inquiry_begin_service(q, c, q->type_ids[type], err);
}

/* Who holds a lock need not be a request; who waits for it is. */
static bool is_of_waiters(const struct comparison *c, enum wait_type type)
{
	return c->scope != SCOPE_COHORT && type != WAIT_MUTEX &&
	       type != WAIT_NEIGHBOUR;
}

/* Leaves out calls, for what a span waits for itself. */
static bool leave_out_calls(struct profile_inquiry *q, enum wait_type type,
			    struct comparison *c, struct error *err)
{
	return !q->s->is_own_time ||
	       comparison_leave_out_calls(c, q->v->question->rules,
					  q->are_calls_told[type],
					  &q->are_calls_left_out[type], err);
}

static bool measure_wait(struct profile_inquiry *q, enum wait_type type,
			 struct error *err)
{
	struct comparison *c = &q->waits[type];

	if (!c->is_asked)
		return true;
	count_requests(q, c);
	if (is_of_waiters(c, type)) {
		comparison_keep_roots(c, &q->roots);
		if (!inquiry_are_calls_told(q, c, &q->are_calls_told[type],
					    err) ||
		    !leave_out_calls(q, type, c, err))
			return false;
	}
	return inquiry_measure(q, c, &q->measures[type], err);
}

static bool ask_waits(struct profile_inquiry *q, struct error *err)
{
	struct job *jobs[JOBS];
	size_t n = 0;

	for (int i = 0; i < WAIT_TYPES; i++) {
		if (!is_asked_for(q, (enum wait_type)i))
			continue;
		if (!begin_wait(q, (enum wait_type)i, &q->waits[i], err))
			return false;
		comparison_request(&q->waits[i], 1, jobs, &n);
	}
	if (n && !jobs_run(q->v->backends, jobs, n, err))
		return false;
	for (int i = 0; i < WAIT_TYPES; i++)
		if (q->waits[i].is_asked &&
		    !comparison_take(q, &q->waits[i], err))
			return false;
	inquiry_find_roots(q);
	for (int i = 0; i < WAIT_TYPES; i++)
		if (!measure_wait(q, (enum wait_type)i, err))
			return false;
	if (q->trace_cause == CAUSE_DOWNSTREAM)
		q->measures[WAIT_NEIGHBOUR].is_known = false;
	if (q->trace_cause == CAUSE_NETWORK)
		verdict_keep_locks(q->measures);
	q->wait = verdict_wait(q->measures);
	/* Everything in the service may be slower, or code that computes: then
	 * waits are not the cause. All operations of the service show which
	 * instances are affected. */
	if (!find_unrun(q, err))
		return false;
	if (q->wait != WAIT_TYPES && q->unrun_ns <= 0)
		return true;
	q->wait = WAIT_TYPES;
	return find_by_operations(q, err);
}

/* A comparison that was begun, in parts, so that its noise is known; with n
 * other questions that there is room for. */
static bool ask_parts(struct profile_inquiry *q, struct comparison *c,
		      struct job *jobs[JOBS], size_t n, struct error *err)
{
	size_t left = backends_requests_left(q->v->backends) - n;

	q->last_parts = budget_parts(left, comparison_sides(c));
	comparison_request(c, q->last_parts, jobs, &n);
	if (!jobs_run(q->v->backends, jobs, n, err) ||
	    !comparison_take(q, c, err))
		return false;
	count_requests(q, c);
	return true;
}

/* Returns whether the budget allows parts of a profile that was fetched
 * undivided. */
static bool has_room(const struct profile_inquiry *q,
		     const struct comparison *whole)
{
	const struct backends *b = q->v->backends;

	return backends_rounds_left(b) > 0 &&
	       budget_parts(backends_requests_left(b),
			    comparison_sides(whole)) >= BUDGET_LAST_PARTS;
}

/* The chosen type again, in parts, or as it is. */
static bool ask_again(struct profile_inquiry *q, struct job *jobs[JOBS],
		      size_t n, struct error *err)
{
	struct comparison *c = &q->final;
	bool done;

	if (!has_room(q, q->shown)) {
		q->last_parts = 1;
		return !n || jobs_run(q->v->backends, jobs, n, err);
	}
	if (q->wait == WAIT_NEIGHBOUR)
		done = inquiry_begin_service(q, c, q->cpu_id, err);
	else
		done = begin_wait(q, q->wait, c, err);
	if (!done || !ask_parts(q, c, jobs, n, err))
		return false;
	if (is_of_waiters(c, q->wait)) {
		q->background_share = comparison_keep_roots(c, &q->roots);
		if (!leave_out_calls(q, q->wait, c, err))
			return false;
	}
	q->shown = c;
	return true;
}

/* Fetches the final comparison and, along with it, the holders of what it waits
 * for. */
static bool ask_final(struct profile_inquiry *q, struct error *err)
{
	struct pool_question pool;
	struct job *jobs[JOBS];
	size_t n = 0;
	bool done;

	q->shown = q->wait == WAIT_NEIGHBOUR ? &q->service_cpu
					     : &q->waits[q->wait];
	pool_question_init(&pool, q, has_room(q, q->shown), jobs, &n);
	done = ask_again(q, jobs, n, err) &&
	       pool_question_answer(&pool, q, err);
	history_release(&pool.h);
	return done;
}

static bool measure_leads(const struct wait_measure *m)
{
	return m->is_owner && (m->is_grown || verdict_is_likely(m));
}

/* Finds allocating code, if an application function allocates more:
 * significantly, or twice as much with most of the growth; else code that keeps
 * more memory. */
static bool ask_alloc(struct profile_inquiry *q, struct error *err)
{
	struct job *jobs[JOBS];
	size_t n = 0;

	struct comparison *heap = &q->heap;

	if (!q->alloc_id)
		return true;
	/* Memory in use, undivided: shows whether allocated memory is kept. */
	if (q->inuse_id && backends_requests_left(q->v->backends) >=
				   2 + BUDGET_LAST_PARTS * 2) {
		if (!inquiry_begin_service(q, heap, q->inuse_id, err))
			return false;
		comparison_request(heap, 1, jobs, &n);
	}
	if (!inquiry_begin_service(q, &q->alloc, q->alloc_id, err) ||
	    !ask_parts(q, &q->alloc, jobs, n, err) ||
	    !inquiry_measure(q, &q->alloc, &q->alloc_lead, err) ||
	    (heap->is_asked && !comparison_take(q, heap, err)))
		return false;
	if (heap->slow.profile.stack_count && heap->base.profile.stack_count &&
	    (!comparison_divide(heap, q->v, q->service.instance_label, err) ||
	     !inquiry_measure(q, heap, &q->heap_lead, err)))
		return false;
	/* Twice as much of it is kept, and not twice as much allocated. */
	if (measure_leads(&q->heap_lead) &&
	    (!measure_leads(&q->alloc_lead) ||
	     (verdict_is_likely(&q->heap_lead) &&
	      !verdict_is_likely(&q->alloc_lead)))) {
		q->shown = &q->heap;
		q->lead = &q->heap_lead;
	} else if (measure_leads(&q->alloc_lead)) {
		q->shown = &q->alloc;
		q->lead = &q->alloc_lead;
	}
	return true;
}

/* ---- the decision ---- */

static void set_kind(struct profile_inquiry *q, enum cause_kind kind)
{
	struct cause *c = &q->v->result->cause;

	if (!verdict_is_of_trace(c->kind) &&
	    (c->kind != CAUSE_NETWORK || kind != CAUSE_WAIT))
		c->kind = kind;
}

/* Enough samples of requests like this one, else the whole service. */
static struct comparison *cpu_level(struct profile_inquiry *q)
{
	if (inquiry_is_of_cohort(q))
		return &q->cohort;
	if (inquiry_has_cohort_samples(q)) {
		investigation_note(q->v, (struct note){ NOTE_SPANS_CUT });
		q->v->backends->cut_share = 0;
	}
	return &q->service_cpu;
}

/* A handful of requests may have too few samples to show a growth that the
 * whole service shows with a thousand times as many: if no function grew
 * significantly, the service is queried in parts, and used if an application
 * function grew by the need. */
static bool take_power(struct profile_inquiry *q, struct error *err)
{
	struct wait_measure own = { .is_known = false }, of_all = own;
	struct job *jobs[JOBS];

	if (q->shown != &q->cohort || !q->s->has_base ||
	    !has_room(q, &q->service_cpu))
		return true;
	if (!inquiry_measure(q, &q->cohort, &own, err))
		return false;
	if (own.is_grown)
		return true;
	if (!inquiry_begin_service(q, &q->final, q->cpu_id, err) ||
	    !ask_parts(q, &q->final, jobs, 0, err) ||
	    !inquiry_measure(q, &q->final, &of_all, err))
		return false;
	if (!of_all.is_grown || !of_all.is_owner ||
	    !verdict_explains(of_all.change, of_all.needed))
		return true;
	q->measures[WAIT_NEIGHBOUR] = of_all;
	q->lead = &q->measures[WAIT_NEIGHBOUR];
	q->shown = &q->final;
	return true;
}

static bool decide_cpu(struct profile_inquiry *q, struct error *err)
{
	q->shown = cpu_level(q);
	if (!inquiry_measure_gc(q, err))
		return false;
	if (q->gc_share < VERDICT_ALLOC && !take_power(q, err))
		return false;
	if (q->gc_share < VERDICT_ALLOC) {
		set_kind(q, CAUSE_CPU);
		return true;
	}
	set_kind(q, CAUSE_ALLOC);
	return ask_alloc(q, err);
}

/* Nothing is sure; CPU time of the service that doubled is the best there
 * is. */
static void show_likely(struct profile_inquiry *q)
{
	const struct wait_measure *m = &q->measures[WAIT_NEIGHBOUR];

	/* For a callee a profile without an explanation is not shown. */
	q->shown = q->s->is_of_callee ? NULL : cpu_level(q);
	if (!verdict_is_likely(m))
		return;
	q->shown = &q->service_cpu;
	q->lead = m;
	set_kind(q, CAUSE_CPU);
}

/* The collector stops all requests, or takes the processors from them: time in
 * which none of the request's own code is on CPU. */
static bool decide_gc(struct profile_inquiry *q, double least, bool *is_gc,
		      struct error *err)
{
	*is_gc = false;
	if (!is_own_time(q))
		return true;
	if (!inquiry_is_gc(q, least, is_gc, err))
		return false;
	if (!*is_gc)
		return true;
	q->is_gc_pause = true;
	q->shown = &q->service_cpu;
	set_kind(q, CAUSE_ALLOC);
	return ask_alloc(q, err);
}

/* The operation is not slower than before: its time is shown, and nothing is
 * blamed. But one thread serves all requests of an event loop: code that blocks
 * it now and then delays some requests, and leaves the typical one
 * unchanged. */
static bool decide_healthy(struct profile_inquiry *q, struct error *err)
{
	q->shown = cpu_level(q);
	if (!q->s->is_healthy)
		return true;
	/* A call of typical duration is not a cause, and not self time of the
	 * caller. */
	if (q->s->is_ordinary && (cause_is_outside(q->trace_cause) ||
				  q->trace_cause == CAUSE_WAIT)) {
		q->v->result->cause.kind = CAUSE_UNKNOWN;
		return true;
	}
	if (q->v->result->cause.kind == CAUSE_NETWORK ||
	    q->trace_cause == CAUSE_WAIT)
		return true;
	if (verdict_is_on_cpu(&q->cpu)) {
		set_kind(q, CAUSE_CPU);
	} else if (q->is_wall_cpu && q->trace_cause == CAUSE_UNKNOWN) {
		if (!inquiry_measure_service(q, err))
			return false;
		show_likely(q);
	}
	return true;
}

/* More to compute than there are processors for: the function that does is
 * shown, though most of the time went by in waiting for them. */
static bool is_starved(const struct profile_inquiry *q)
{
	return is_own_time(q) && !q->is_wall_cpu &&
	       inquiry_has_cohort_samples(q) &&
	       verdict_is_starved(&q->cpu, inquiry_blocked_ns(q),
				  q->measures[WAIT_BLOCK].is_known ||
					  q->measures[WAIT_OFF_CPU].is_known);
}

static bool decide_waits(struct profile_inquiry *q, struct error *err)
{
	bool is_gc;

	if (!decide_gc(q, VERDICT_GC_MOST, &is_gc, err))
		return false;
	if (is_gc)
		return true;
	if (!ask_waits(q, err))
		return false;
	if (q->wait == WAIT_TYPES) {
		if (!decide_gc(q, VERDICT_GC_PART, &is_gc, err))
			return false;
		if (is_gc)
			return true;
		if (is_starved(q)) {
			q->is_starved = true;
			q->shown = cpu_level(q);
			set_kind(q, CAUSE_CPU);
		} else if (q->contention.operation_count || q->unrun_ns > 0) {
			set_kind(q, CAUSE_CONTENTION);
		} else if (q->trace_cause != CAUSE_NETWORK &&
			   q->cpu_verdict == CPU_PARTLY) {
			q->shown = cpu_level(q);
			set_kind(q, CAUSE_CPU);
		} else if (q->cpu_verdict == CPU_WAITS) {
			set_kind(q, CAUSE_WAIT);
		} else if (!cause_is_outside(q->trace_cause)) {
			show_likely(q);
		}
		return true;
	}
	if (q->wait == WAIT_NEIGHBOUR && !inquiry_measure_gc(q, err))
		return false;
	if (q->wait == WAIT_NEIGHBOUR)
		inquiry_measure_own_cpu(q);
	q->lead = &q->measures[q->wait];
	set_kind(q, verdict_wait_cause(q->wait, &q->measures[q->wait]));
	if (q->wait == WAIT_NEIGHBOUR &&
	    q->measures[WAIT_NEIGHBOUR].gc_share >= VERDICT_ALLOC) {
		q->shown = &q->service_cpu;
		return ask_alloc(q, err);
	}
	return ask_final(q, err);
}

/* A server that refused is no proof that there are no samples. */
static bool fail_empty(const struct profile_inquiry *q,
		       const struct comparison *c, struct error *err)
{
	static const struct name_list known;
	const struct backends *b = q->v->backends;

	if (c->slow_error) {
		*err = *c->slow_error;
		return false;
	}
	return investigation_fail(
		q->v,
		(struct shortfall){
			.kind = SHORTFALL_PROFILE,
			.missing = {
				.service = q->s->service,
				.type_id = str_from(c->type_id),
				.selector = q->v->question->selector,
				.window = q->s->slow,
				.now_ns = b->now_ns,
				.services = &known,
				.is_known = q->service.types.count > 0,
				.has_tenant =
					b->profiles.endpoint.tenant_id != NULL,
				.server = backends_profiles(b)->title,
				.retention_ns =
					backends_profile_traits(b)->retention_ns,
				.has_trace = true,
			},
		},
		err);
}

/* Shows the given type as it is, the cause by CPU alone. */
static void show_forced(struct profile_inquiry *q, struct comparison *c)
{
	q->shown = c;
	if (q->cpu_verdict == CPU_EXPLAINS)
		set_kind(q, CAUSE_CPU);
}

/* Shows the requested evidence level, with the samples of CPU. */
static bool force_scope(struct profile_inquiry *q, struct comparison *c,
			struct error *err)
{
	if (!c->slow.profile.stack_count)
		return investigation_fail(
			q->v,
			(struct shortfall){ c->scope == SCOPE_COHORT
						    ? SHORTFALL_COHORT_SAMPLES
						    : SHORTFALL_SPAN_SAMPLES },
			err);
	show_forced(q, c);
	return true;
}

static bool force_type(struct profile_inquiry *q, struct error *err)
{
	struct comparison *c = &q->final;
	struct job *jobs[JOBS];
	size_t n = 0;

	if (!inquiry_begin_service(q, c, q->forced_id, err))
		return false;
	if (!q->is_forced_gauge) {
		if (!ask_parts(q, c, jobs, n, err))
			return false;
	} else {
		/* Parts of a gauge would be snapshots, and requests use up none
		 * of it. */
		comparison_request(c, 1, jobs, &n);
		if (!jobs_run(q->v->backends, jobs, n, err) ||
		    !comparison_take(q, c, err) ||
		    (c->slow.profile.stack_count &&
		     !comparison_divide(c, q->v, q->service.instance_label,
					err)))
			return false;
	}
	if (!c->slow.profile.stack_count)
		return fail_empty(q, c, err);
	show_forced(q, c);
	return true;
}

static bool inquiry_decide(struct profile_inquiry *q, struct error *err)
{
	const struct question *o = q->v->question;
	struct wait_measure only[WAIT_TYPES] = { { .is_known = false } };

	if (q->forced_id && strcmp(q->forced_id, q->cpu_id) != 0)
		return force_type(q, err);
	if (question_scope_is(o, SCOPE_SPAN))
		return force_scope(q, &q->request, err);
	if (question_scope_is(o, SCOPE_COHORT))
		return force_scope(q, &q->cohort, err);
	if (is_cpu_all(q))
		return decide_healthy(q, err);
	if (q->cpu_verdict == CPU_EXPLAINS)
		return decide_cpu(q, err);
	if (!inquiry_measure_service(q, err))
		return false;
	/* CPU time of the service, without span ids, may explain it. */
	only[WAIT_NEIGHBOUR] = q->measures[WAIT_NEIGHBOUR];
	if (q->cpu_verdict == CPU_UNKNOWN &&
	    q->trace_cause != CAUSE_DOWNSTREAM &&
	    verdict_wait(only) == WAIT_NEIGHBOUR)
		return decide_cpu(q, err);
	return decide_waits(q, err);
}

/* ---- state ---- */

struct profile_inquiry *profile_inquiry_new(struct investigation *v,
					    const struct symptom *s,
					    struct error *err)
{
	struct profile_inquiry *q = mem_calloc(1, sizeof *q);

	if (!q) {
		error_memory(err, "the profiles");
		return NULL;
	}
	q->v = v;
	q->s = s;
	q->trace_cause =
		s->is_of_callee ? CAUSE_UNKNOWN : v->result->cause.kind;
	/* The others know their samples by service and label only. */
	q->has_span_samples =
		backends_profile_traits(v->backends)->has_span_samples;
	q->wait = WAIT_TYPES;
	comparison_init(&q->request, "", SCOPE_SPAN);
	comparison_init(&q->cohort, "", SCOPE_COHORT);
	comparison_init(&q->service_cpu, "", SCOPE_SERVICE);
	comparison_init(&q->alloc, "", SCOPE_SERVICE);
	comparison_init(&q->heap, "", SCOPE_SERVICE);
	comparison_init(&q->final, "", SCOPE_SERVICE);
	for (int i = 0; i < WAIT_TYPES; i++)
		comparison_init(&q->waits[i], "", SCOPE_SERVICE);
	return q;
}

void profile_inquiry_free(struct profile_inquiry *q)
{
	if (!q)
		return;
	comparison_release(&q->request);
	comparison_release(&q->cohort);
	comparison_release(&q->service_cpu);
	comparison_release(&q->alloc);
	comparison_release(&q->heap);
	comparison_release(&q->final);
	for (int i = 0; i < WAIT_TYPES; i++)
		comparison_release(&q->waits[i]);
	mem_free(q);
}

/* ---- the whole ---- */

bool profile_inquiry_run(struct profile_inquiry *q, struct error *err)
{
	const char *word = q->v->question->type;
	struct str id = { NULL, 0 };

	inquiry_find_types(q);
	if (word && !profile_type_resolve(str_from(word), &q->service.types,
					  q->v->backends->arena, &id,
					  &q->is_forced_gauge, err)) {
		q->v->shortfall = (struct shortfall){
			.kind = SHORTFALL_TYPE,
			.service = q->s->service,
		};
		return false;
	}
	q->forced_id = id.ptr;
	if (!q->cpu_id)
		return investigation_fail(
			q->v,
			(struct shortfall){ .kind = SHORTFALL_NO_TIME,
					    .service = q->s->service },
			err);
	if (!ask_cpu(q, err))
		return false;
	if (!q->service_cpu.slow.profile.stack_count)
		return fail_empty(q, &q->service_cpu, err);
	return inquiry_measure_cpu(q, err) && inquiry_decide(q, err) &&
	       profile_inquiry_conclude(q, err);
}
