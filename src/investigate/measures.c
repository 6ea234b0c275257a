/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/profile_inquiry.h"

#include <math.h>
#include <string.h>

#include "analyze/category_share.h"
#include "analyze/code_kind.h"
#include "base/num.h"

/* Rows among which the leading function is searched: waits beneath a function,
 * and its callers, come between, some dozens of frames in a Java container. */
#define LEAD_ROWS 64

/* Samples of requests from which a share is accurate to a tenth. With fewer the
 * whole service is more informative. */
#define SHARE_SAMPLES 100

/* Maximum share under "other" for functions to be comparable; pprof answers are
 * complete. */
#define CUT_MAX 0.2

static const char *const wait_words[WAIT_TYPES] = {
	[WAIT_MUTEX] = "mutex",         [WAIT_BLOCK] = "block",
	[WAIT_WALL] = "wall",           [WAIT_OFF_CPU] = "offcpu",
	[WAIT_GOROUTINE] = "goroutine",
};

const char *wait_type_name(enum wait_type type)
{
	return wait_words[type] ? wait_words[type] : "cpu";
}

static const char *type_of(struct profile_inquiry *q, const char *word)
{
	struct error ignored = { 0 };
	bool is_gauge;
	struct str id;

	if (!profile_type_resolve(str_from(word), &q->service.types,
				  q->v->backends->arena, &id, &is_gauge,
				  &ignored))
		return NULL;
	return id.ptr;
}

void inquiry_find_types(struct profile_inquiry *q)
{
	q->cpu_id = type_of(q, "cpu");
	q->alloc_id = type_of(q, "alloc");
	q->inuse_id = type_of(q, "inuse");
	for (int i = 0; i < WAIT_TYPES; i++)
		if (wait_words[i])
			q->type_ids[i] = type_of(q, wait_words[i]);
	if (!q->cpu_id && q->type_ids[WAIT_WALL]) {
		q->cpu_id = q->type_ids[WAIT_WALL];
		q->type_ids[WAIT_WALL] = NULL;
		q->is_wall_cpu = true;
	}
}

bool comparison_is_cut(const struct comparison *c)
{
	return c->slow.profile.truncated_share > CUT_MAX ||
	       c->base.profile.truncated_share > CUT_MAX;
}

bool inquiry_has_cohort_samples(const struct profile_inquiry *q)
{
	return q->cohort.slow.profile.sample_count >= VERDICT_SAMPLES &&
	       q->cohort.has_base;
}

bool inquiry_is_of_cohort(const struct profile_inquiry *q)
{
	return inquiry_has_cohort_samples(q) &&
	       (!comparison_is_cut(&q->cohort) ||
		comparison_is_cut(&q->service_cpu));
}

/* Node counts wall time in microseconds. */
static double unit_ns(const struct comparison *c)
{
	int64_t ns = time_unit_ns(profile_unit(&c->slow.profile));

	return ns > 0 ? (double)ns : 1;
}

/* Requests of the slow operation by second: this one at least, where others are
 * not known; 0 where they are, and of the slow window none came. */
static double operation_rate(const struct profile_inquiry *q,
			     const struct comparison *c)
{
	if (q->s->operation_per_s > 0 || q->s->has_history)
		return q->s->operation_per_s;
	return 1 / time_range_seconds(c->slow.range);
}

/* Part of the service's requests that are of the slow operation. */
static double operation_part(const struct profile_inquiry *q,
			     const struct comparison *c)
{
	double all = c->slow.requests / time_range_seconds(c->slow.range);

	return all > 0 ? fmin(1, operation_rate(q, c) / all) : 1;
}

/* Returns whether it is work of a library for who calls it, not what carries or
 * holds it up. */
static bool is_of_library(const struct function_row *row)
{
	enum code_kind kind;

	return row->kind && code_kind_parse(str_from(row->kind), &kind) &&
	       (kind == CODE_DATABASE || kind == CODE_HTTP_CLIENT ||
		kind == CODE_SERIALISATION || kind == CODE_LIBRARY);
}

/* Finds the first application function that grew and does not only pass on the
 * growth of another; if none is certain, the first application function, as
 * generic waits always lead. A program whose own code came as a package has
 * none: for waits library functions are used then. */
static const struct function_row *find_lead(const struct result *ranked,
					    bool is_waiting)
{
	const struct function_row *owner = NULL, *library = NULL, *up = NULL;

	for (size_t i = 0; i < ranked->function_count; i++) {
		const struct function_row *row = &ranked->functions[i];

		if (is_waiting && !library && is_of_library(row))
			library = row;
		if (!row_is_of_application(row))
			continue;
		if (change_is_up(row->change) && !row->through.len)
			return row;
		if (change_is_up(row->change))
			up = up ? up : row;
		owner = owner ? owner : row;
	}
	if (up)
		return up;
	if (owner || library)
		return owner ? owner : library;
	return ranked->function_count ? ranked->functions : NULL;
}

/* In a profile that does not measure time the growth is all there is to
 * explain. */
static double samples_needed(const struct profile_inquiry *q,
			     const struct comparison *c)
{
	if (!time_unit_ns(profile_unit(&c->slow.profile)))
		return fmax(0,
			    comparison_rate(&c->slow, c->slow.profile.total) -
				    comparison_rate(&c->base,
						    c->base.profile.total));
	/* Of the service's requests only those of the operation wait. */
	if (c->scope == SCOPE_COHORT)
		return (double)q->s->change_ns;
	return q->s->mean_change_ns *
	       (c->slow.requests > 0 ? operation_part(q, c)
				     : operation_rate(q, c));
}

static bool lead_read(struct profile_inquiry *q, const struct comparison *c,
		      const struct result *ranked, struct wait_measure *out,
		      struct error *err)
{
	bool is_waiting = kinds_wait(&c->slow.profile);
	const struct function_row *row = find_lead(ranked, is_waiting);
	struct arena *arena = &q->v->result->arena;
	double grown_ns = (double)q->s->grown_ns;
	struct code_class leaf;

	out->is_known = c->has_base;
	if (!row)
		return true;
	out->is_grown = change_is_up(row->change);
	out->is_owner = row_is_of_application(row) ||
			(is_waiting && is_of_library(row));
	out->change = unit_ns(c) *
		      (comparison_rate(&c->slow, row->total_value) -
		       comparison_rate(&c->base, row->baseline_total_value));
	out->before = unit_ns(c) *
		      comparison_rate(&c->base, row->baseline_total_value);
	out->is_by_request = c->slow.requests > 0 && c->base.requests > 0;
	leaf = code_classify(q->v->question->rules,
			     row->leaf.ptr ? row->leaf : row->name, STR(""), 0);
	out->is_lock = leaf.kind == CODE_LOCK;
	out->needed = samples_needed(q, c);
	/* All of what grew is taken to be of the slow operation; a crumb is
	 * left as it is by request. */
	if (q->s->change_ns > 0)
		grown_ns *= q->s->mean_change_ns / (double)q->s->change_ns;
	out->is_crumb = c->scope != SCOPE_COHORT && out->is_by_request &&
			out->change < VERDICT_CRUMB * grown_ns;
	out->per_request_ns = out->change;
	if (!out->is_crumb && out->needed > 0)
		out->per_request_ns *= (double)q->s->change_ns / out->needed;
	out->name = arena_str(arena, row->name);
	return out->name.ptr || arena_fail(arena, "the answer", err);
}

bool inquiry_measure(struct profile_inquiry *q, struct comparison *c,
		     struct wait_measure *out, struct error *err)
{
	struct rank_want want = { .by = RANK_TOTAL,
				  .normalize = NORMALIZE_REQUEST,
				  .limit = LEAD_ROWS,
				  .rules = q->v->question->rules };
	struct result ranked = { .function_count = 0 };
	bool done;

	if (!c->is_asked || !c->has_base || !c->slow.profile.stack_count)
		return true;
	arena_init(&ranked.arena, LIMIT_RESULT_BYTES);
	notes_init(&ranked.notes);
	done = comparison_rank(c, &want, &ranked, err) &&
	       lead_read(q, c, &ranked, out, err);
	arena_release(&ranked.arena);
	return done;
}

bool inquiry_measure_service(struct profile_inquiry *q, struct error *err)
{
	if (q->is_service_measured)
		return true;
	q->is_service_measured = true;
	return inquiry_measure(q, &q->service_cpu, &q->measures[WAIT_NEIGHBOUR],
			       err);
}

/* Some runtimes allocate, and help to collect, in the stacks of allocating
 * code: at least this part of all collection. There, application stacks show
 * whether code allocates or computes; concurrent collectors would outweigh
 * both. */
#define GC_IN_APPLICATION 0.25

static bool change_in_gc(const struct comparison *c,
			 const struct code_rules *rules, double *share,
			 struct error *err)
{
	struct category_shares slow, base, slow_own, base_own;

	*share = 0;
	if (!c->has_base || !c->slow.profile.stack_count)
		return true;
	if (!category_shares_compute(&c->slow.profile, rules, &slow, &slow_own,
				     err) ||
	    !category_shares_compute(&c->base.profile, rules, &base, &base_own,
				     err))
		return false;
	if ((double)slow_own.value[CODE_GC_ALLOC] >=
	    GC_IN_APPLICATION * (double)slow.value[CODE_GC_ALLOC]) {
		slow = slow_own;
		base = base_own;
	}
	*share = category_change_share(&slow, comparison_exposure(&c->slow),
				       &base, comparison_exposure(&c->base),
				       CODE_GC_ALLOC);
	return true;
}

bool inquiry_measure_computing(const struct comparison *c,
			       const struct code_rules *rules,
			       double *change_ns, struct error *err)
{
	static const enum code_kind kinds[] = { CODE_APPLICATION,
						CODE_SERIALISATION,
						CODE_GC_ALLOC, CODE_LIBRARY,
						CODE_STDLIB };
	struct category_shares slow, base;

	*change_ns = 0;
	if (!category_shares_compute(&c->slow.profile, rules, &slow, NULL,
				     err) ||
	    !category_shares_compute(&c->base.profile, rules, &base, NULL, err))
		return false;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		*change_ns +=
			unit_ns(c) *
			(comparison_rate(&c->slow, slow.value[kinds[i]]) -
			 comparison_rate(&c->base, base.value[kinds[i]]));
	return true;
}

/* Returns the total of a function with all that it calls; of packed stacks
 * nothing. */
static int64_t total_of(const struct profile *p, struct str name)
{
	int64_t sum = 0;

	for (uint32_t i = 0; !p->packed && i < p->stack_count; i++) {
		const struct stack *s = &p->stacks[i];
		uint32_t at = 0;

		while (at < s->frame_count &&
		       !str_equal(
			       function_name(
				       p,
				       p->frames[p->frame_ids[s->frame_first +
							      at]]
					       .function),
			       name))
			at++;
		if (at < s->frame_count)
			sum = sat_add_i64(sum, s->value);
	}
	return sum;
}

void inquiry_measure_own_cpu(struct profile_inquiry *q)
{
	const struct comparison *c = &q->cohort;
	struct str name = q->measures[WAIT_NEIGHBOUR].name;
	double grown, of_lead;

	if (!c->slow.profile.stack_count)
		return;
	grown = comparison_rate(&c->slow, c->slow.profile.total) -
		comparison_rate(&c->base, c->base.profile.total);
	of_lead = comparison_rate(&c->slow, total_of(&c->slow.profile, name)) -
		  comparison_rate(&c->base, total_of(&c->base.profile, name));
	q->is_own_cpu = grown > 0 && of_lead >= VERDICT_EXPLAINED * grown;
}

/* Its part of all the CPU of the service, in the background too. */
static bool measure_gc_part(const struct profile_inquiry *q,
			    const struct profile *p, double *part,
			    struct error *err)
{
	struct category_shares shares;

	*part = 0;
	if (!p->stack_count || p->total <= 0)
		return true;
	if (!category_shares_compute(p, q->v->question->rules, &shares, NULL,
				     err))
		return false;
	*part = (double)shares.value[CODE_GC_ALLOC] / (double)p->total;
	return true;
}

bool inquiry_is_gc(struct profile_inquiry *q, double least, bool *is_gc,
		   struct error *err)
{
	const struct comparison *c = &q->service_cpu;

	*is_gc = false;
	if (!c->has_base || q->is_wall_cpu ||
	    c->slow.profile.sample_count < SHARE_SAMPLES ||
	    c->base.profile.sample_count < VERDICT_SAMPLES)
		return true;
	if (!inquiry_measure_gc(q, err) ||
	    !measure_gc_part(q, &c->slow.profile, &q->gc_now, err) ||
	    !measure_gc_part(q, &c->base.profile, &q->gc_before, err))
		return false;
	*is_gc = verdict_is_gc(q->gc_now, q->gc_before,
			       q->measures[WAIT_NEIGHBOUR].gc_share, least);
	return true;
}

/* How often other operations of the service make a call is unknown: waits of up
 * to this many times the growth of this operation's call spans are attributed
 * to these calls. Longer ones must be calls without spans. */
#define CALLS_TOLD 4.0

bool inquiry_are_calls_told(const struct profile_inquiry *q,
			    const struct comparison *c, bool *are_told,
			    struct error *err)
{
	struct category_shares slow, base;
	double waited_ns, told_ns = q->s->mean_calls_ns;

	*are_told = false;
	if (told_ns <= 0 || !c->has_base || c->scope == SCOPE_COHORT)
		return true;
	if (!category_shares_compute(&c->slow.profile, q->v->question->rules,
				     &slow, NULL, err) ||
	    !category_shares_compute(&c->base.profile, q->v->question->rules,
				     &base, NULL, err))
		return false;
	waited_ns = unit_ns(c) *
		    (comparison_rate(&c->slow, slow.value[CODE_HTTP_CLIENT]) -
		     comparison_rate(&c->base, base.value[CODE_HTTP_CLIENT]));
	told_ns *= c->slow.requests > 0 ? operation_part(q, c)
					: operation_rate(q, c);
	*are_told = waited_ns > 0 && waited_ns <= CALLS_TOLD * told_ns;
	return true;
}

double inquiry_blocked_ns(const struct profile_inquiry *q)
{
	double most = 0;

	for (int i = 0; i < WAIT_TYPES; i++) {
		const struct wait_measure *m = &q->measures[i];

		if (i != WAIT_NEIGHBOUR && i != WAIT_WALL && m->is_known &&
		    m->is_owner)
			most = fmax(most, m->per_request_ns);
	}
	return most;
}

bool inquiry_measure_gc(struct profile_inquiry *q, struct error *err)
{
	double in_cohort = 0, in_service = 0;

	if (q->is_gc_measured)
		return true;
	q->is_gc_measured = true;
	if (!change_in_gc(&q->cohort, q->v->question->rules, &in_cohort, err) ||
	    !change_in_gc(&q->service_cpu, q->v->question->rules, &in_service,
			  err))
		return false;
	q->measures[WAIT_NEIGHBOUR].gc_share = in_service;
	q->gc_share = q->cohort.slow.profile.sample_count >= SHARE_SAMPLES
			      ? in_cohort
			      : in_service;
	return true;
}

bool inquiry_measure_cpu(struct profile_inquiry *q, struct error *err)
{
	const struct symptom *s = q->s;
	const struct comparison *c =
		q->cohort.slow.profile.stack_count ? &q->cohort : &q->request;
	struct cpu_measure *m = &q->cpu;

	*m = (struct cpu_measure){ .base_ns = NAN };
	if (c->is_asked && !q->is_wall_cpu) {
		m->slow_ns = comparison_rate(&c->slow, c->slow.profile.total);
		m->samples = (double)c->slow.profile.sample_count;
		m->change_ns = (double)s->change_ns;
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
	return !q->v->result->has_reasons ||
	       (inquiry_measure_service(q, err) && inquiry_measure_gc(q, err));
}

/* Profiles of waiting are full of loops that idle by design; the roots of
 * samples with span ids show which waits belong to requests. */
void inquiry_find_roots(struct profile_inquiry *q)
{
	const struct profile *labelled[3 + WAIT_TYPES] = {
		&q->request.slow.profile,
		&q->cohort.slow.profile,
		&q->cohort.base.profile,
	};
	size_t n = 3;

	for (int i = 0; i < WAIT_TYPES; i++)
		if (q->waits[i].is_asked && q->waits[i].scope == SCOPE_COHORT)
			labelled[n++] = &q->waits[i].slow.profile;
	request_roots_find(labelled, n, q->v->question->rules, &q->roots);
}
