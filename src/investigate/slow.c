/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/finding.h"

#include <math.h>
#include <string.h>

#include "analyze/affected.h"
#include "analyze/contrasts.h"
#include "analyze/request_history.h"
#include "analyze/typical.h"
#include "analyze/verdict.h"
#include "base/instance.h"
#include "base/num.h"
#include "investigate/investigation.h"
#include "investigate/profile_inquiry.h"
#include "investigate/question.h"
#include "investigate/suspect.h"
#include "investigate/symptom.h"

/* The growth of the guilty span, laid out as a sum. Sends no query. */

/* Returns the part of it that is calls by its spans: the calls that are the
 * cause, or what is no time of its own. */
static int64_t calls_of(const struct suspect *g, const struct result *r,
			int64_t total_ns)
{
	const struct choice *c = &g->choice;
	const struct account_growth *growth;
	int64_t own_ns = g->pick.change_ns;

	if (own_ns < 0)
		return 0;
	/* But for the caller's own time, whose plan changed. */
	if (c->plan) {
		growth = &c->typical->account->growth;
		for (uint32_t i = 0; i < growth->count; i++)
			if (growth->cells[i].place == c->plan->place &&
			    growth->cells[i].why == ACCOUNT_SLOWER &&
			    growth->cells[i].change_ns > 0)
				return total_ns -
				       sat_from_f64(growth->cells[i].change_ns);
		return total_ns;
	}
	if (r->cause.kind == CAUSE_N_PLUS_ONE ||
	    cause_is_outside(r->cause.kind))
		return own_ns;
	return total_ns > own_ns ? total_ns - own_ns : 0;
}

/* Adds the CPU, and the waits by the type that was chosen, else the one that
 * grew most: they measure the same time. Wall clock time holds the time on CPU,
 * too. */
static void add_profiled(const struct profile_inquiry *q,
			 struct excess_facts *f)
{
	bool is_chosen = q->wait != WAIT_TYPES && q->wait != WAIT_NEIGHBOUR;

	if (q->cpu_verdict != CPU_UNKNOWN && !isnan(q->cpu.base_ns)) {
		f->cpu_now_ns = q->cpu.slow_ns;
		f->cpu_before_ns = q->cpu.base_ns;
		f->gc_share = q->gc_share;
	}
	for (int i = 0; i < WAIT_TYPES; i++) {
		const struct wait_measure *m = &q->measures[i];
		double ns = m->per_request_ns;

		if (i == WAIT_NEIGHBOUR || !m->is_known || !m->is_owner ||
		    (is_chosen && i != (int)q->wait))
			continue;
		if (i == WAIT_WALL && !isnan(f->cpu_before_ns))
			ns -= fmax(0, f->cpu_now_ns - f->cpu_before_ns);
		if (ns <= f->blocked_ns)
			continue;
		f->blocked_ns = ns;
		f->blocked_before_ns =
			m->change > 0 ? ns * m->before / m->change : 0;
		f->blocked_in = m->name;
		f->by = wait_type_name((enum wait_type)i);
	}
}

/* Fills result->cause.excess from the trace, its history and, if available, the
 * service's profiles (q; NULL: none). Empty if typical times are not known, or
 * were not exceeded. */
static void excess_fill(const struct symptom *s, const struct suspect *g,
			const struct profile_inquiry *q, struct result *result)
{
	struct excess_facts f = { .cpu_before_ns = NAN };
	const struct guilty_span *span = &result->span;
	enum cause_kind kind = result->cause.kind;
	bool is_of_calls = kind == CAUSE_N_PLUS_ONE || cause_is_outside(kind);
	int64_t alone_ns = sat_sub_i64(s->grown_ns, s->change_ns);
	int64_t span_ns = g->pick.change_ns;

	result->cause.excess = (struct excess){ 0 };
	if (s->is_healthy || !s->has_history || !result->has_span)
		return;
	/* The growth of the whole span; if only growth of its self time is
	 * known, that. For a plan, all but its self time. */
	if (g->choice.plan)
		span_ns = g->choice.change.trace_ns;
	else if (kind != CAUSE_QUEUE && span->typical_ns >= 0 &&
		 span->duration_ns > span->typical_ns)
		span_ns = span->duration_ns - span->typical_ns;
	f.total_ns = span_ns;
	if (kind == CAUSE_QUEUE)
		f.queue_ns = f.total_ns;
	else
		f.call_ns = calls_of(g, result, f.total_ns);
	/* Similar requests were measured: growth of this one beyond theirs
	 * cannot be explained. */
	if (kind != CAUSE_QUEUE && !is_of_calls && alone_ns > 0)
		f.total_ns = max_i64(s->change_ns, span_ns - alone_ns);
	if (q && kind != CAUSE_QUEUE)
		add_profiled(q, &f);
	/* Its self time cannot be decomposed then. */
	if (isnan(f.cpu_before_ns) && f.blocked_ns <= 0 && !f.queue_ns &&
	    !is_of_calls)
		return;
	excess_sum(&f, &result->cause.excess);
	if (result->cause.excess.total_ns)
		result->cause.excess.span_ns = span_ns;
}

/* Investigates a slow request with profiles chosen by the user: files, or a
 * custom baseline. They are used unconditionally, without queries for other
 * traces. */

static void finding_want(const struct investigation *v, struct finding *f,
			 struct time_range window)
{
	const char *const *path = &v->backends->profiles.path;
	const struct guilty_pick *pick = &f->suspect.pick;
	const struct span *span;

	f->want = (struct chosen_want){
		.service = pick->service,
		.trace = v->trace,
		.resource = v->trace->spans[pick->owner].resource,
		.window = window,
		.paths = path,
		.path_count = *path != NULL,
		.baseline_selector = v->question->baseline_selector,
		.is_baseline_wanted = true,
	};
	if (!pick->profile_id.ptr ||
	    question_scope_is(v->question, SCOPE_SERVICE) ||
	    !parse_hex_u64(pick->profile_id, &f->want.span_id))
		return;
	span = &v->trace->spans[pick->profile_span];
	f->want.span_range = window_of_samples(span->start_ns, span->end_ns);
}

static bool rank_rows(const struct investigation *v, struct finding *f,
		      struct error *err)
{
	bool is_loop = v->result->cause.kind == CAUSE_N_PLUS_ONE &&
		       !v->question->rows.has_measure;
	/* Alone, a profile's largest totals are those of main() and its like.
	 */
	enum rank_by by =
		f->chosen.comparison.has_base ? RANK_TOTAL : RANK_SELF_LIB;

	return chosen_rank(&f->chosen, by, v->result->span.name, is_loop, err);
}

/* Like slow_investigate(), with the view of its rows. A file names no service:
 * only its time shows that it belongs to the trace, or samples of the span. */
static bool slow_chosen_investigate(struct investigation *v, struct finding *f,
				    struct time_range window, struct error *err)
{
	const struct guilty_pick *pick = &f->suspect.pick;
	const struct trace_info *trace = &v->result->trace;
	const struct profile *p = &f->chosen.comparison.slow.profile;
	int64_t pad_ns = v->question->pad_ns;
	struct cause_evidence evidence = { 0 };

	f->note_count = v->result->notes.count;
	finding_want(v, f, window);
	if (!chosen_fetch(&f->chosen, err) ||
	    (question_scope_is(v->question, SCOPE_SPAN) &&
	     !chosen_turn_to_span(&f->chosen, pick->profile_id.ptr != NULL,
				  pick->profile_id, err)) ||
	    !chosen_report(&f->chosen, v->result, err) || !rank_rows(v, f, err))
		return false;
	if (f->chosen.has_span) {
		evidence.span = f->chosen.is_of_span ? p : &f->chosen.span;
		evidence.span_own_ns = pick->profile_own_ns;
	} else if (f->chosen.is_file && p->time_ns <= 0) {
		evidence.file = CAUSE_FILE_OF_NO_TIME;
	} else if (f->chosen.is_file &&
		   (sat_add_i64(p->time_ns, p->duration_ns) <
			    sat_sub_i64(trace->start_ns, pad_ns) ||
		    sat_sub_i64(p->time_ns, pad_ns) >
			    sat_add_i64(trace->start_ns, trace->duration_ns))) {
		evidence.file = CAUSE_FILE_OF_OTHER_TIME;
	}
	cause_judge(&evidence, v->result, &f->cause);
	f->shown = &f->chosen.comparison;
	f->has_conclusion = true;
	return true;
}

static bool slow_chosen_view(struct investigation *v, struct finding *f,
			     struct error *err)
{
	struct error nothing = { 0 };
	struct kept_verdict kept;

	if (view_is_plain(&v->question->view))
		return true;
	if (!rows_view_begin(v, f->note_count, &kept, err))
		return false;
	if (chosen_filter(&f->chosen, false, &nothing)) {
		if (!rank_rows(v, f, err))
			return false;
	} else if (v->shortfall.kind == SHORTFALL_FILTERED) {
		rows_view_empty(v);
	} else {
		*err = nothing;
		return false;
	}
	rows_view_end(v, &kept);
	return true;
}

/* Questions of one round: windows of history, the service's name and types. */
#define FIRST_JOBS (HISTORY_JOBS + 2)

/* The service's name and types, requests like this one. */
#define AGAIN_JOBS 3

void finding_init(struct finding *f, struct investigation *v)
{
	suspect_init(&f->suspect);
	operation_history_init(&f->history);
	f->has_symptom = f->has_conclusion = false;
	f->profiles = NULL;
	chosen_init(&f->chosen, v, &f->want);
	f->shown = NULL;
}

void finding_release(struct finding *f)
{
	suspect_release(&f->suspect);
	operation_history_release(&f->history);
	profile_inquiry_free(f->profiles);
	chosen_release(&f->chosen);
}

/* ---- asking ---- */

/* The state while the queries of a round are put together. */
struct asking {
	struct investigation *v;
	struct finding *f;
	struct time_range window;
	struct profile_lookup lookup;
};

static uint32_t resource_of(const struct asking *a)
{
	return a->v->trace->spans[a->f->suspect.pick.owner].resource;
}

static bool look_up(struct asking *a, struct job **jobs, size_t *n,
		    struct error *err)
{
	if (!profile_lookup_init(&a->lookup, a->v, a->v->trace, resource_of(a),
				 a->f->suspect.pick.service, a->window, err))
		return false;
	for (size_t i = 0; i < a->lookup.job_count; i++)
		jobs[(*n)++] = a->lookup.jobs[i];
	return true;
}

/* The service's name in profiles and similar requests were queried before the
 * history was known; they are queried again if the choice changed. */
static bool ask_again(struct asking *a, uint32_t resource_before,
		      struct error *err)
{
	struct job *jobs[AGAIN_JOBS];
	size_t n = 0;

	if (resource_of(a) != resource_before && !look_up(a, jobs, &n, err))
		return false;
	operation_history_request_again(&a->f->history, a->v, &a->f->suspect,
					a->window, jobs, &n);
	return n == 0 || jobs_run(a->v->backends, jobs, n, err);
}

/* The number of windows of operation_history_request_between(). */
#define BASELINES_BETWEEN 3u

static bool run_and_judge(struct asking *a, struct job **jobs, size_t n,
			  struct error *err)
{
	return n == 0 || (jobs_run(a->v->backends, jobs, n, err) &&
			  operation_history_judge(&a->f->history, a->v,
						  &a->f->suspect, err));
}

/* Queries further windows if the first ones leave open which is healthy. */
static bool ask_further(struct asking *a, struct error *err)
{
	struct operation_history *h = &a->f->history;
	struct job *jobs[BASELINES_FAR + BASELINES_BETWEEN];
	size_t n = 0;

	operation_history_request_far(h, a->v, a->window, jobs, &n);
	if (!run_and_judge(a, jobs, n, err))
		return false;
	n = 0;
	operation_history_request_between(h, a->v, &a->f->suspect, a->window,
					  jobs, &n);
	return run_and_judge(a, jobs, n, err);
}

static bool ask_history(struct asking *a, struct error *err)
{
	struct operation_history *h = &a->f->history;
	struct suspect *s = &a->f->suspect;
	struct job *jobs[FIRST_JOBS];
	size_t n = 0;

	if (!look_up(a, jobs, &n, err) ||
	    !operation_history_prepare(h, a->v, s, a->window, jobs, &n, err))
		return false;
	/* The counts reduce the range of the searches. */
	if (h->density.job.type) {
		if (!jobs_run(a->v->backends, jobs, n, err))
			return false;
		n = 0;
	}
	operation_history_request(h, a->v, s, a->window, jobs, &n);
	return jobs_run(a->v->backends, jobs, n, err) &&
	       operation_history_judge(h, a->v, s, err) &&
	       ask_further(a, err) && usual_waits_ask(h, a->v, s, err) &&
	       (!h->has_typical ||
		suspect_find_again(a->v, s, &h->typical, false, err));
}

/* ---- what was asked for and is not there ---- */

/* Pod, id and host: the profiles' label may be any of them. */
static void find_instance(const struct investigation *v, struct symptom *s,
			  const struct profile_service *service)
{
	if (!question_scope_is(v->question, SCOPE_INSTANCE) ||
	    s->is_of_callee)
		return;
	for (size_t i = 0; i < INSTANCE_ATTRS; i++) {
		struct str value = resource_attr(v->trace, s->resource,
						 str_from(instance_attrs[i]));

		if (value.len && name_list_has(&service->instances, value)) {
			s->instance = value;
			return;
		}
	}
}

static bool check_asked(struct investigation *v, const struct finding *f,
			const struct profile_service *service,
			struct error *err)
{
	const struct baseline_want *want = &v->question->baseline;
	const struct symptom *s = &f->symptom;
	const struct cohorts *c = &f->history.cohorts;
	struct shortfall missing = { .service = service->name,
				     .name = service->instance_label,
				     .value = s->instance };

	/* Faster than this one, and by as much as makes a baseline healthy. */
	if (want->kind == BASELINE_WANT_FAST &&
	    (!s->base_id_count || (double)c->fast.p50_ns * BASELINE_RATIO >
					  (double)c->slow.p50_ns))
		return investigation_fail(
			v, (struct shortfall){ SHORTFALL_FAST }, err);
	if (question_scope_is(v->question, SCOPE_INSTANCE) &&
	    (!s->instance.len ||
	     !name_list_has(&service->instances, s->instance))) {
		missing.kind = !s->instance.len ? SHORTFALL_INSTANCE_OF_SPAN
			       : !service->instance_label.ptr
				       ? SHORTFALL_INSTANCE_LABEL
				       : SHORTFALL_INSTANCE;
		return investigation_fail(v, missing, err);
	}
	return version_baseline_check(v, s, service, want, err);
}

/* ---- the caller's or the callee's ---- */

static bool turn_to(struct asking *a, bool is_of_caller, struct error *err)
{
	uint32_t before = resource_of(a);

	return suspect_find_again(a->v, &a->f->suspect, &a->f->history.typical,
				  is_of_caller, err) &&
	       ask_again(a, before, err) &&
	       symptom_fill(&a->f->symptom, &a->f->history, a->v,
			    &a->f->suspect, a->window, err);
}

/* Between a call and its callee both may be at fault: a callee that does not
 * get to it, or a caller that cannot reach it. The callee is looked at first;
 * when its operation is as quick as ever, and what called it is not, it is
 * the caller's time. */
static bool blame_caller(struct asking *a, struct error *err)
{
	const struct symptom *s = &a->f->symptom;

	if (!a->f->suspect.pick.is_gap || !a->f->history.has_typical ||
	    (!s->is_healthy && !s->is_outside))
		return true;
	return turn_to(a, true, err) &&
	       (!s->is_healthy || turn_to(a, false, err));
}

/* ---- a callee without spans ---- */

/* Returns the callee, when profiles are sent under its name; empty: nothing of
 * the kind, or the user has said whose profiles to look at. */
static struct str find_callee(const struct asking *a)
{
	const struct choice *c = &a->f->suspect.choice;
	const struct question *q = a->v->question;
	struct str names[CALLEE_NAMES];
	size_t count;

	if (choice_ground(c) != CHOICE_CALL || q->selector || q->type ||
	    q->has_scope || a->f->symptom.is_healthy)
		return STR("");
	count = calls_callee_names(&c->calls, c->best->span, names);
	for (size_t i = 0; i < count; i++)
		if (profile_lookup_knows(&a->lookup, a->v, names[i]))
			return names[i];
	return STR("");
}

/* Its profiles are queried as a whole, in the same windows, as it has no
 * spans. */
static bool turn_to_callee(struct asking *a, struct error *err)
{
	const struct str none = { NULL, 0 };
	struct investigation *v = a->v;
	struct symptom *s = &a->f->symptom;
	struct str callee = find_callee(a);

	if (!callee.len)
		return true;
	s->service = callee;
	s->is_of_callee = true;
	s->profile_id = 0;
	s->slow_id_count = s->base_id_count = 0;
	s->slow_own_ns = 0;
	s->slow_instances = s->base_instances = 0;
	s->instance = s->slow_version = s->base_version = none;
	if (!profile_lookup_init(&a->lookup, v, NULL, 0, callee, a->window,
				 err))
		return false;
	profile_lookup_beside(&a->lookup, v->trace, resource_of(a));
	return jobs_run(v->backends, a->lookup.jobs, a->lookup.job_count, err);
}

/* ---- one unlike the others ---- */

/* Notes that the cause of this request alone does not explain why others are
 * slow, and where those lost their time. */
static void note_unlike_others(const struct asking *a)
{
	const struct finding *f = a->f;
	const struct typical *u = &f->history.typical;
	struct note note = { .kind = NOTE_UNLIKE_OTHERS };
	uint32_t most;

	if (!f->symptom.is_alone || !f->history.has_typical)
		return;
	most = typical_most_moved(u);
	if (most != OPERATION_NONE) {
		note.name = u->operations[most].service;
		note.text = u->operations[most].name;
		note.slow_ns = u->items[most].slow_own_p50_ns;
		note.base_ns = u->items[most].own_p50_ns;
	}
	investigation_note(a->v, note);
}

/* ---- the requests that were seen ---- */

static bool keep_history(struct asking *a, struct error *err)
{
	const struct operation_history *h = &a->f->history;
	const struct symptom *s = &a->f->symptom;
	const struct span *entry = &a->v->trace->spans[s->entry];
	const struct request_history_want want = {
		.history = &h->history,
		.roles = &h->roles,
		.operation = s->operation,
		.start_ns = entry->start_ns,
		.duration_ns = span_duration_ns(entry),
		.cohorts = &h->cohorts,
		.baseline = h->has_typical ? &h->baseline : NULL,
		.slow_range = s->slow,
		.onset = &h->onset,
	};
	struct request_history *found;

	if (!h->is_answered)
		return true;
	if (!request_history_build(&want, &a->v->result->arena, &found, err))
		return false;
	a->v->result->history = found;
	return true;
}

static bool find_affected(struct asking *a, struct error *err)
{
	const struct operation_history *h = &a->f->history;
	const struct affected_want want = {
		.trace = a->v->trace,
		.entry = a->f->symptom.entry,
		.requests = a->v->result->history,
		.history = &h->history,
		.operation = a->f->symptom.operation,
	};

	return a->f->symptom.is_healthy ||
	       affected_find(&want, &a->v->result->arena,
			     &a->v->result->affected, err);
}

/* ---- the whole ---- */

static bool explain_by_profiles(struct asking *a, struct error *err)
{
	struct investigation *v = a->v;
	struct finding *f = a->f;
	struct profile_service service;

	if (!profile_lookup_apply(&a->lookup, v, &service, err))
		return false;
	find_instance(v, &f->symptom, &service);
	if (!check_asked(v, f, &service, err))
		return false;
	f->profiles = profile_inquiry_new(v, &f->symptom, err);
	if (!f->profiles)
		return false;
	f->profiles->service = service;
	f->has_conclusion = profile_inquiry_run(f->profiles, err);
	f->shown = f->profiles->shown;
	return f->has_conclusion;
}

/* Runs the steps in order; none is repeated. */
static bool ask_servers(struct asking *a, struct error *err)
{
	struct finding *f = a->f;
	struct guilty_span *span = &a->v->result->span;
	uint32_t before = resource_of(a);
	const struct contrast *usual;
	bool is_done;

	/* Other traces of the operation; the window stays that of the first
	 * suspect, for which they were queried. */
	if (!ask_history(a, err) || !ask_again(a, before, err) ||
	    /* The growth to explain, and the process it belongs to. */
	    !symptom_fill(&f->symptom, &f->history, a->v, &f->suspect,
			  a->window, err) ||
	    !blame_caller(a, err) ||
	    !keep_history(a, err) || !find_affected(a, err) ||
	    !turn_to_callee(a, err))
		return false;
	f->has_symptom = true;
	/* Typical times of comparable requests, for a request that is long like
	 * all of its kind: times of all requests are not comparable. */
	usual = f->symptom.is_healthy ? f->symptom.usual : NULL;
	if (usual && span->count <= 1 && !f->history.cohorts.named) {
		span->typical_ns = usual->like_before_p50_ns;
		span->typical_count = usual->like_before_count;
		span->is_typical_like = true;
	}
	note_unlike_others(a);
	/* The profile that explains it, and the sum that it comes to. */
	is_done = explain_by_profiles(a, err);
	excess_fill(&f->symptom, &f->suspect,
		    is_done && !f->symptom.is_of_callee ? f->profiles : NULL,
		    a->v->result);
	return is_done;
}

bool slow_investigate(struct investigation *v, struct finding *f,
		      struct error *err)
{
	const struct question *q = v->question;
	const struct guilty_pick *pick = &f->suspect.pick;
	struct asking a = {
		.v = v,
		.f = f,
		/* The suspect's time with the requested padding. */
		.window = q->has_window
				  ? q->window
				  : window_around(pick->start_ns, pick->end_ns,
						  q->pad_ns,
						  v->backends->now_ns),
	};

	/* Files, or a baseline of the user's own making. */
	bool is_chosen = v->backends->profiles.path || q->baseline_selector ||
			 q->baseline.kind == BASELINE_WANT_FILE;

	if (a.window.to_ns < pick->start_ns || a.window.from_ns > pick->end_ns)
		investigation_note(v,
				   (struct note){ NOTE_WINDOW_WITHOUT_SPAN });

	/* Async work of a trace may be the cause. */
	if (!links_follow(v, &f->suspect, !is_chosen, err))
		return false;
	return is_chosen ? slow_chosen_investigate(v, f, a.window, err)
			 : ask_servers(&a, err);
}

const struct profile *finding_own_samples(const struct finding *f,
					  const struct investigation *v)
{
	const struct profile_inquiry *q = f->profiles;
	const struct profile *own = q ? &q->request.slow.profile : NULL;

	if (!own || !own->stack_count || !f->shown ||
	    f->shown->scope != SCOPE_COHORT ||
	    f->shown->type_id != q->request.type_id ||
	    f->suspect.pick.profile_span == SPAN_NONE ||
	    v->result->normalize != NORMALIZE_REQUEST ||
	    !view_is_plain(&v->question->view))
		return NULL;
	return own;
}

void slow_without_profiles(struct investigation *v, struct finding *f)
{
	struct cause_evidence none = { 0 };
	struct result *result = v->result;

	f->shown = NULL;
	f->has_conclusion = false;
	result->has_profile = result->has_baseline = false;
	result->function_count = result->function_listed = 0;
	cause_judge(&none, result, &f->cause);
}

bool slow_view(struct investigation *v, struct finding *f, struct error *err)
{
	return f->profiles ? profile_inquiry_view(f->profiles, err)
			   : slow_chosen_view(v, f, err);
}
