/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/inquest.h"

#include <math.h>
#include <string.h>

#include "analyze/code_kind.h"
#include "analyze/kind_share.h"
#include "base/mem.h"
#include "base/num.h"
#include "cli/inquest_show.h"
#include "cli/missing.h"

/* All that can be asked for at once: the types of waiting as wholes, or one
 * type in parts with the counts of requests. */
#define JOBS (4 * 2 * COMPARISON_PARTS)

/* Requests are counted by the minute: fine enough for parts of minutes. */
#define COUNT_STEP_NS NS_PER_MIN

/* Rows that tell who leads. */
#define LEAD_ROWS 3

static const char *const wait_words[WAIT_TYPES] = {
	[WAIT_MUTEX] = "mutex",         [WAIT_BLOCK] = "block",
	[WAIT_WALL] = "wall",           [WAIT_OFF_CPU] = "offcpu",
	[WAIT_GOROUTINE] = "goroutine",
};

/* ---- types ---- */

static const char *type_of(struct inquest *q, const char *word)
{
	struct error ignored = { 0 };
	bool is_gauge;
	struct str id;

	if (!profile_type_resolve(str_from(word), &q->service.types,
				  &q->r->ctx.arena, &id, &is_gauge, &ignored))
		return NULL;
	return id.ptr;
}

static void find_types(struct inquest *q)
{
	q->cpu_id = type_of(q, "cpu");
	q->alloc_id = type_of(q, "alloc");
	for (int i = 0; i < WAIT_TYPES; i++)
		if (wait_words[i])
			q->type_ids[i] = type_of(q, wait_words[i]);
	if (!q->cpu_id && q->type_ids[WAIT_WALL]) {
		q->cpu_id = q->type_ids[WAIT_WALL];
		q->type_ids[WAIT_WALL] = NULL;
		q->is_wall_cpu = true;
	}
}

/* ---- sides ---- */

static bool set_service_sides(struct inquest *q, struct comparison *c,
			      struct error *err)
{
	const struct slowness *s = q->s;
	struct context *ctx = &q->r->ctx;
	bool is_instance = s->instance.ptr && q->service.instance_label.ptr;

	c->slow.range = s->slow;
	c->base.range = is_instance ? s->slow : s->base;
	c->slow.selector = c->base.selector = q->service.selector;
	c->has_base = s->has_base || is_instance;
	if (!is_instance)
		return true;
	c->scope = SCOPE_INSTANCE;
	c->slow.selector =
		selector_with(ctx, q->service.selector,
			      q->service.instance_label, s->instance, false);
	c->base.selector =
		selector_with(ctx, q->service.selector,
			      q->service.instance_label, s->instance, true);
	return (c->slow.selector.ptr && c->base.selector.ptr) ||
	       error_memory(err, "the selector");
}

static void set_cohort_sides(struct inquest *q, struct comparison *c)
{
	const struct slowness *s = q->s;

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

static bool has_cohort(const struct inquest *q)
{
	const struct options *o = q->r->ctx.options;

	return q->s->slow_id_count > 0 && q->cpu_id &&
	       !options_scope_is(o, "service") &&
	       !options_scope_is(o, "instance");
}

static bool begin_service(struct inquest *q, struct comparison *c,
			  const char *type_id, struct error *err)
{
	comparison_init(c, type_id, SCOPE_SERVICE);
	return set_service_sides(q, c, err);
}

static void begin_cohort(struct inquest *q, struct comparison *c,
			 const char *type_id)
{
	comparison_init(c, type_id, SCOPE_COHORT);
	set_cohort_sides(q, c);
}

/* ---- asking ---- */

static bool run_jobs(struct inquest *q, struct job **jobs, size_t n,
		     struct error *err)
{
	return n == 0 || jobs_run(&q->r->ctx, jobs, n, err);
}

/* This request among those of the cohort: how much of its time was CPU. */
static void begin_request(struct inquest *q)
{
	comparison_init(&q->request, q->cpu_id, SCOPE_SPAN);
	set_cohort_sides(q, &q->request);
	q->request.slow.span_ids = &q->s->profile_id;
	q->request.slow.span_id_count = 1;
	q->request.slow.requests = 1;
	q->request.has_base = false;
}

static void count_requests(struct inquest *q, struct comparison *c)
{
	if (c->scope != SCOPE_SERVICE || !c->has_base)
		return;
	comparison_count(&c->slow, &q->slow_count);
	comparison_count(&c->base, &q->base_count);
	/* One side alone says nothing. */
	if (c->slow.requests < 0 || c->base.requests < 0)
		comparison_uncount(c);
}

static bool ask_cpu(struct inquest *q, struct error *err)
{
	struct job *jobs[JOBS];
	size_t n = 0;

	if (!begin_service(q, &q->service_cpu, q->cpu_id, err))
		return false;
	comparison_ask(&q->service_cpu, has_cohort(q) ? 1 : COMPARISON_PARTS,
		       jobs, &n);
	if (q->s->profile_id) {
		begin_request(q);
		comparison_ask(&q->request, 1, jobs, &n);
	}
	if (has_cohort(q)) {
		begin_cohort(q, &q->cohort, q->cpu_id);
		comparison_ask(&q->cohort, COMPARISON_PARTS, jobs, &n);
	}
	count_job_init(&q->slow_count, q->s->service, q->s->slow,
		       COUNT_STEP_NS);
	jobs[n++] = &q->slow_count.job;
	if (q->s->has_base) {
		count_job_init(&q->base_count, q->s->service, q->s->base,
			       COUNT_STEP_NS);
		jobs[n++] = &q->base_count.job;
	}
	if (!run_jobs(q, jobs, n, err) ||
	    !comparison_take(&q->service_cpu, &q->r->ctx, err) ||
	    !comparison_take(&q->request, &q->r->ctx, err) ||
	    !comparison_take(&q->cohort, &q->r->ctx, err))
		return false;
	count_requests(q, &q->service_cpu);
	return true;
}

/* ---- what a comparison says ---- */

static bool is_change_up(enum change change)
{
	return change == CHANGE_NEW || change == CHANGE_GROWN;
}

/* Node counts wall time in microseconds. */
static double unit_ns(const struct comparison *c)
{
	int64_t ns = time_unit_ns(profile_unit(&c->slow.profile));

	return ns > 0 ? (double)ns : 1;
}

static double row_growth(const struct comparison *c,
			 const struct function_row *row)
{
	return unit_ns(c) *
	       (comparison_rate(&c->slow, row->owned_value) -
		comparison_rate(&c->base, row->baseline_owned_value));
}

static bool is_lock(const struct inquest *q, const struct function_row *row)
{
	struct str leaf = row->leaf.ptr ? row->leaf : row->name;

	return code_classify(&q->r->rules, leaf, STR(""), 0).kind == CODE_LOCK;
}

/* Part of the service's requests that are of the slow operation. */
static double operation_part(const struct inquest *q,
			     const struct comparison *c)
{
	double all = c->slow.requests / time_range_seconds(c->slow.range);

	return all > 0 ? fmin(1, q->s->operation_per_s / all) : 1;
}

static void read_lead(struct inquest *q, const struct comparison *c,
		      const struct result *ranked, struct wait_measure *out)
{
	const struct function_row *row = ranked->functions;
	double per_request = (double)q->s->growth_ns;

	out->is_known = c->has_base;
	if (!ranked->function_count)
		return;
	out->is_grown = is_change_up(row->change);
	out->is_owner = row->kind && !strcmp(row->kind, "application");
	out->growth = row_growth(c, row);
	out->before = unit_ns(c) *
		      comparison_rate(&c->base, row->baseline_owned_value);
	out->is_lock = is_lock(q, row);
	out->needed = per_request;
	/* Of all requests of the service only those of the operation wait. */
	if (c->scope != SCOPE_COHORT)
		out->needed *= c->slow.requests > 0 ? operation_part(q, c)
						    : q->s->operation_per_s;
}

static bool measure(struct inquest *q, const struct comparison *c,
		    struct wait_measure *out, struct error *err)
{
	struct rank_want want = { .by = RANK_OWNED,
				  .normalize = NORMALIZE_REQUEST,
				  .limit = LEAD_ROWS,
				  .rules = &q->r->rules };
	struct result ranked = { .function_count = 0 };
	bool done;

	if (!c->is_asked || !c->has_base || !c->slow.profile.stack_count)
		return true;
	arena_init(&ranked.arena, LIMIT_RESULT_BYTES);
	notes_init(&ranked.notes);
	done = comparison_rank(c, &want, &ranked, err);
	if (done)
		read_lead(q, c, &ranked, out);
	arena_release(&ranked.arena);
	return done;
}

static bool growth_in_gc(const struct comparison *c,
			 const struct code_rules *rules, double *share,
			 struct error *err)
{
	struct kind_shares slow, base;

	*share = 0;
	if (!c->has_base || !c->slow.profile.stack_count)
		return true;
	if (!kind_shares_compute(&c->slow.profile, rules, &slow, err) ||
	    !kind_shares_compute(&c->base.profile, rules, &base, err))
		return false;
	*share =
		kind_growth_share(&slow, comparison_exposure(&c->slow), &base,
				  comparison_exposure(&c->base), CODE_GC_ALLOC);
	return true;
}

/* CPU per request: of the cohort, or of this request alone. */
static bool measure_cpu(struct inquest *q, struct error *err)
{
	const struct slowness *s = q->s;
	const struct comparison *c =
		q->cohort.slow.profile.stack_count ? &q->cohort : &q->request;
	struct cpu_measure *m = &q->cpu;
	double in_cohort = 0, in_service = 0;

	*m = (struct cpu_measure){ .base_ns = NAN };
	if (c->is_asked && !q->is_wall_cpu) {
		m->slow_ns = comparison_rate(&c->slow, c->slow.profile.total);
		m->samples = (double)c->slow.profile.sample_count;
		m->growth_ns = (double)s->growth_ns;
		m->own_ns = c == &q->cohort && s->slow_own_ns > 0
				    ? s->slow_own_ns
				    : (double)s->own_ns;
		m->possible_samples =
			m->own_ns * c->slow.requests / (10.0 * NS_PER_MS);
		if (c->base.requests > 0 && s->has_history)
			m->base_ns = comparison_rate(&c->base,
						     c->base.profile.total);
		q->cpu_verdict = verdict_cpu(m);
	}
	if (!growth_in_gc(&q->cohort, &q->r->rules, &in_cohort, err) ||
	    !growth_in_gc(&q->service_cpu, &q->r->rules, &in_service, err) ||
	    !measure(q, &q->service_cpu, &q->measures[WAIT_NEIGHBOUR], err))
		return false;
	q->measures[WAIT_NEIGHBOUR].gc_share = in_service;
	q->gc_share = fmax(in_cohort, in_service);
	return true;
}

/* ---- waiting ---- */

/* Wall clock carries span ids where the runtime's agent sets them; block and
 * mutex never do. */
static bool begin_wait(struct inquest *q, enum wait_type type,
		       struct comparison *c, struct error *err)
{
	bool is_labelled = type == WAIT_WALL || type == WAIT_GOROUTINE;

	if (is_labelled && q->s->slow_id_count && q->s->base_id_count) {
		begin_cohort(q, c, q->type_ids[type]);
		return true;
	}
	return begin_service(q, c, q->type_ids[type], err);
}

/* A call to something without spans waits by nature: only who calls is
 * asked for. */
static bool is_asked_for(const struct inquest *q, enum wait_type type)
{
	if (!q->type_ids[type])
		return false;
	return q->trace_cause != CAUSE_DOWNSTREAM || type == WAIT_BLOCK ||
	       type == WAIT_WALL || type == WAIT_OFF_CPU;
}

static bool ask_waits(struct inquest *q, struct error *err)
{
	struct job *jobs[JOBS];
	size_t n = 0;

	for (int i = 0; i < WAIT_TYPES; i++) {
		if (!is_asked_for(q, (enum wait_type)i))
			continue;
		if (!begin_wait(q, (enum wait_type)i, &q->waits[i], err))
			return false;
		comparison_ask(&q->waits[i], 1, jobs, &n);
	}
	if (!run_jobs(q, jobs, n, err))
		return false;
	for (int i = 0; i < WAIT_TYPES; i++) {
		if (!q->waits[i].is_asked)
			continue;
		if (!comparison_take(&q->waits[i], &q->r->ctx, err))
			return false;
		count_requests(q, &q->waits[i]);
		if (!measure(q, &q->waits[i], &q->measures[i], err))
			return false;
	}
	if (q->trace_cause == CAUSE_DOWNSTREAM)
		q->measures[WAIT_NEIGHBOUR].is_known = false;
	q->wait = verdict_wait(q->measures);
	return true;
}

/* A comparison that was begun, in parts, so that its noise is known. */
static bool ask_parts(struct inquest *q, struct comparison *c,
		      struct error *err)
{
	struct job *jobs[JOBS];
	size_t n = 0;

	comparison_ask(c, COMPARISON_PARTS, jobs, &n);
	if (!run_jobs(q, jobs, n, err) || !comparison_take(c, &q->r->ctx, err))
		return false;
	count_requests(q, c);
	return true;
}

/* The chosen type again, in parts. */
static bool ask_final(struct inquest *q, struct error *err)
{
	struct comparison *c = &q->final;
	bool done;

	if (q->wait == WAIT_NEIGHBOUR)
		done = begin_service(q, c, q->cpu_id, err);
	else
		done = begin_wait(q, q->wait, c, err);
	if (!done || !ask_parts(q, c, err))
		return false;
	q->shown = c;
	return true;
}

static bool ask_alloc(struct inquest *q, struct error *err)
{
	struct wait_measure lead = { 0 };

	if (!q->alloc_id)
		return true;
	if (!begin_service(q, &q->alloc, q->alloc_id, err) ||
	    !ask_parts(q, &q->alloc, err) || !measure(q, &q->alloc, &lead, err))
		return false;
	if (lead.is_grown && lead.is_owner)
		q->shown = &q->alloc;
	return true;
}

/* ---- the decision ---- */

static void set_kind(struct inquest *q, enum cause_kind kind)
{
	struct cause *c = &q->r->result.cause;

	if (c->kind == CAUSE_N_PLUS_ONE || c->kind == CAUSE_DOWNSTREAM)
		return;
	c->kind = kind;
}

/* Enough samples of requests like this one, else the whole service. */
static struct comparison *cpu_rung(struct inquest *q)
{
	if (q->cohort.slow.profile.sample_count >= VERDICT_SAMPLES &&
	    q->cohort.has_base)
		return &q->cohort;
	return &q->service_cpu;
}

static bool decide_cpu(struct inquest *q, struct error *err)
{
	q->shown = cpu_rung(q);
	if (q->gc_share < VERDICT_ALLOC) {
		set_kind(q, CAUSE_CPU);
		return true;
	}
	set_kind(q, CAUSE_ALLOC);
	return ask_alloc(q, err);
}

/* Whether CPU time of the service, without span ids, could explain it. */
static bool is_service_cpu(const struct inquest *q)
{
	struct wait_measure only[WAIT_TYPES] = { { .is_known = false } };

	only[WAIT_NEIGHBOUR] = q->measures[WAIT_NEIGHBOUR];
	return verdict_wait(only) == WAIT_NEIGHBOUR;
}

static bool decide_waits(struct inquest *q, struct error *err)
{
	if (!ask_waits(q, err))
		return false;
	if (q->wait == WAIT_TYPES) {
		if (q->cpu_verdict == CPU_PARTLY) {
			q->shown = cpu_rung(q);
			set_kind(q, CAUSE_CPU);
		} else if (q->cpu_verdict == CPU_WAITS) {
			set_kind(q, CAUSE_WAIT);
		} else if (q->trace_cause != CAUSE_DOWNSTREAM) {
			q->shown = cpu_rung(q);
		}
		return true;
	}
	set_kind(q, verdict_wait_cause(q->wait, &q->measures[q->wait]));
	if (q->wait == WAIT_NEIGHBOUR &&
	    q->measures[WAIT_NEIGHBOUR].gc_share >= VERDICT_ALLOC) {
		q->shown = &q->service_cpu;
		return ask_alloc(q, err);
	}
	return ask_final(q, err);
}

static bool fail_empty(const struct inquest *q, const char *type_id,
		       struct error *err)
{
	static const struct name_list known;
	const struct context *ctx = &q->r->ctx;
	const struct missing_profile missing = {
		.service = q->s->service,
		.type_id = str_from(type_id),
		.selector = ctx->options->selector,
		.window = q->s->slow,
		.now_ns = ctx->now_ns,
		.services = &known,
		.is_known = q->service.types.count > 0,
		.has_tenant = ctx->profiles.endpoint.tenant_id != NULL,
		.has_trace = true,
	};

	return missing_profile_explain(&missing, err);
}

/* What was asked for is shown as it is, the cause by CPU alone. */
static void show_forced(struct inquest *q, struct comparison *c)
{
	q->shown = c;
	if (q->cpu_verdict == CPU_EXPLAINS)
		set_kind(q, CAUSE_CPU);
}

/* A rung that was asked for, with the CPU's samples. */
static bool force_scope(struct inquest *q, struct comparison *c,
			struct error *err)
{
	if (!c->slow.profile.stack_count)
		return error_set(
			err, ERROR_NOT_FOUND,
			"no samples of this span: none carry its id "
			"(too short, not on CPU, or no span profiles); "
			"leave out --scope");
	show_forced(q, c);
	return true;
}

static bool force_type(struct inquest *q, struct error *err)
{
	if (!begin_service(q, &q->final, q->forced_id, err) ||
	    !ask_parts(q, &q->final, err))
		return false;
	if (!q->final.slow.profile.stack_count)
		return fail_empty(q, q->forced_id, err);
	show_forced(q, &q->final);
	return true;
}

static bool decide(struct inquest *q, struct error *err)
{
	const struct options *o = q->r->ctx.options;

	if (q->forced_id && strcmp(q->forced_id, q->cpu_id) != 0)
		return force_type(q, err);
	if (options_scope_is(o, "span"))
		return force_scope(q, &q->request, err);
	if (options_scope_is(o, "cohort"))
		return force_scope(q, &q->cohort, err);
	if (q->s->is_healthy || q->trace_cause == CAUSE_N_PLUS_ONE) {
		q->shown = cpu_rung(q);
		return true;
	}
	if (q->cpu_verdict == CPU_EXPLAINS)
		return decide_cpu(q, err);
	if (q->cpu_verdict == CPU_UNKNOWN &&
	    q->trace_cause != CAUSE_DOWNSTREAM && is_service_cpu(q))
		return decide_cpu(q, err);
	return decide_waits(q, err);
}

/* ---- state ---- */

static struct inquest *inquest_new(struct run *r, const struct slowness *s,
				   struct error *err)
{
	struct inquest *q = mem_calloc(1, sizeof *q);

	if (!q) {
		error_memory(err, "the profiles");
		return NULL;
	}
	q->r = r;
	q->s = s;
	q->trace_cause = r->result.cause.kind;
	q->wait = WAIT_TYPES;
	comparison_init(&q->request, "", SCOPE_SPAN);
	comparison_init(&q->cohort, "", SCOPE_COHORT);
	comparison_init(&q->service_cpu, "", SCOPE_SERVICE);
	comparison_init(&q->alloc, "", SCOPE_SERVICE);
	comparison_init(&q->final, "", SCOPE_SERVICE);
	for (int i = 0; i < WAIT_TYPES; i++)
		comparison_init(&q->waits[i], "", SCOPE_SERVICE);
	return q;
}

static void inquest_free(struct inquest *q)
{
	if (!q)
		return;
	comparison_release(&q->request);
	comparison_release(&q->cohort);
	comparison_release(&q->service_cpu);
	comparison_release(&q->alloc);
	comparison_release(&q->final);
	for (int i = 0; i < WAIT_TYPES; i++)
		comparison_release(&q->waits[i]);
	mem_free(q);
}

/* ---- the whole ---- */

static bool find_forced(struct inquest *q, struct error *err)
{
	const char *word = q->r->ctx.options->type;
	bool is_gauge;
	struct str id;

	if (!word || !strcmp(word, "auto"))
		return true;
	if (!profile_type_resolve(str_from(word), &q->service.types,
				  &q->r->ctx.arena, &id, &is_gauge, err))
		return error_prefix(err, "service \"%.*s\"",
				    STR_ARGS(q->s->service));
	q->forced_id = id.ptr;
	return true;
}

static bool inquire(struct inquest *q, struct error *err)
{
	find_types(q);
	if (!find_forced(q, err))
		return false;
	if (!q->cpu_id)
		return error_set(err, ERROR_NOT_FOUND,
				 "no profile of \"%.*s\" that shows time; its "
				 "types are listed by tracefind types",
				 STR_ARGS(q->s->service));
	if (!ask_cpu(q, err))
		return false;
	if (!q->service_cpu.slow.profile.stack_count)
		return fail_empty(q, q->cpu_id, err);
	return measure_cpu(q, err) && decide(q, err) && inquest_show(q, err);
}

bool inquest_run(struct run *r, const struct slowness *s,
		 const struct profile_service *service, struct error *err)
{
	struct inquest *q = inquest_new(r, s, err);
	bool done;

	if (!q)
		return false;
	q->service = *service;
	done = inquire(q, err);
	inquest_free(q);
	return done;
}
