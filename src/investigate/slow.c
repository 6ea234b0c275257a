/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/slow.h"

#include "analyze/request_history.h"
#include "base/instance.h"
#include "investigate/conclusion.h"
#include "investigate/excess_fill.h"
#include "investigate/links.h"
#include "investigate/slow_chosen.h"
#include "investigate/usual_waits.h"
#include "investigate/version_baseline.h"

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

/* The suspect's time and as much around it as was asked for. */
static struct time_range slow_window(const struct investigation *v,
				     const struct suspect *s)
{
	const struct question *q = v->question;
	const struct guilty_pick *pick = &s->pick;
	struct time_range window = window_around(
		pick->start_ns, pick->end_ns, q->pad_ns, v->backends->now_ns);

	if (q->has_window)
		window = q->window;
	if (window.to_ns < pick->start_ns || window.from_ns > pick->end_ns)
		investigation_note(v,
				   (struct note){ NOTE_WINDOW_WITHOUT_SPAN });
	return window;
}

/* ---- asking ---- */

/* What goes on while the questions of a round are put together. */
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

/* The profiles' name for the service and the requests like this one were asked
 * for before the history was known; a choice that changed asks again. */
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

/* Where the first windows do not tell a healthy one from the fault. */
static bool ask_between(struct asking *a, struct error *err)
{
	struct operation_history *h = &a->f->history;
	struct job *jobs[BASELINES_BETWEEN];
	size_t n = 0;

	operation_history_request_between(h, a->v, &a->f->suspect, a->window,
					  jobs, &n);
	return n == 0 ||
	       (jobs_run(a->v->backends, jobs, n, err) &&
		operation_history_judge(h, a->v, &a->f->suspect, err));
}

static bool ask_history(struct asking *a, struct error *err)
{
	struct operation_history *h = &a->f->history;
	struct suspect *s = &a->f->suspect;
	struct job *jobs[FIRST_JOBS];
	size_t n = 0;

	return look_up(a, jobs, &n, err) &&
	       operation_history_request(h, a->v, s, a->window, jobs, &n,
					 err) &&
	       jobs_run(a->v->backends, jobs, n, err) &&
	       operation_history_judge(h, a->v, s, err) &&
	       ask_between(a, err) && usual_waits_ask(h, a->v, s, err) &&
	       (!h->has_typical ||
		suspect_find_again(a->v, s, &h->typical, false, err));
}

static bool fill_symptom(struct asking *a, struct error *err)
{
	return symptom_fill(&a->f->symptom, &a->f->history, a->v,
			    &a->f->suspect, a->window, err);
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

static bool check_instance(struct investigation *v, const struct symptom *s,
			   const struct profile_service *service,
			   struct error *err)
{
	struct shortfall missing = { .service = service->name,
				     .name = service->instance_label,
				     .value = s->instance };

	if (!question_scope_is(v->question, SCOPE_INSTANCE))
		return true;
	if (s->instance.len && name_list_has(&service->instances, s->instance))
		return true;
	missing.kind = !s->instance.len ? SHORTFALL_INSTANCE_OF_SPAN
		       : !service->instance_label.ptr ? SHORTFALL_INSTANCE_LABEL
						      : SHORTFALL_INSTANCE;
	return investigation_fail(v, missing, err);
}

/* Faster than this one, and by as much as makes a baseline healthy. */
static bool has_fast(const struct finding *f)
{
	const struct cohorts *c = &f->history.cohorts;

	return f->symptom.base_id_count &&
	       (double)c->fast.p50_ns * BASELINE_RATIO <=
		       (double)c->slow.p50_ns;
}

static bool check_asked(struct investigation *v, const struct finding *f,
			const struct profile_service *service,
			struct error *err)
{
	const struct baseline_want *want = &v->question->baseline;

	if (want->kind == BASELINE_WANT_FAST && !has_fast(f))
		return investigation_fail(
			v, (struct shortfall){ SHORTFALL_FAST }, err);
	return check_instance(v, &f->symptom, service, err) &&
	       version_baseline_check(v, &f->symptom, service, want, err);
}

/* ---- the caller's or the callee's ---- */

static bool turn_to(struct asking *a, bool is_of_caller, struct error *err)
{
	uint32_t before = resource_of(a);

	return suspect_find_again(a->v, &a->f->suspect, &a->f->history.typical,
				  is_of_caller, err) &&
	       ask_again(a, before, err) && fill_symptom(a, err);
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

/* What was called, when profiles are sent under its name; empty: nothing of
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

/* Its profiles are asked for as a whole, in the same windows: there are no
 * spans of it. */
static void use_callee(struct symptom *s, struct str callee)
{
	const struct str none = { NULL, 0 };

	s->service = callee;
	s->is_of_callee = true;
	s->profile_id = 0;
	s->slow_id_count = s->base_id_count = 0;
	s->slow_own_ns = 0;
	s->slow_instances = s->base_instances = 0;
	s->instance = s->slow_version = s->base_version = none;
}

static bool turn_to_callee(struct asking *a, struct error *err)
{
	struct investigation *v = a->v;
	struct str callee = find_callee(a);

	if (!callee.len)
		return true;
	use_callee(&a->f->symptom, callee);
	if (!profile_lookup_init(&a->lookup, v, NULL, 0, callee, a->window,
				 err))
		return false;
	profile_lookup_beside(&a->lookup, v->trace, resource_of(a));
	return jobs_run(v->backends, a->lookup.jobs, a->lookup.job_count, err);
}

/* ---- one unlike the others ---- */

/* What befell this request alone says nothing of why others are slow: where
 * those lost their time is told beside it. */
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

/* ---- what is usual for requests like it ---- */

/* Of a request that takes long as those of its kind always do, what all of them
 * take says nothing. */
static void use_usual(const struct asking *a)
{
	const struct contrast *usual = a->f->symptom.usual;
	struct guilty_span *span = &a->v->result->span;

	if (!usual || !a->f->symptom.is_healthy || span->count > 1 ||
	    a->f->history.cohorts.named)
		return;
	span->typical_ns = usual->like_before_p50_ns;
	span->typical_count = usual->like_before_count;
	span->is_typical_like = true;
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

/* ---- the whole ---- */

static bool explain(struct asking *a, struct error *err)
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

static bool ask_servers(struct asking *a, struct error *err)
{
	uint32_t before;
	bool is_done;

	if (!links_follow(a->v, &a->f->suspect, err))
		return false;
	before = resource_of(a);
	/* The window stays: the question was asked for it. */
	if (!ask_history(a, err) || !ask_again(a, before, err) ||
	    !fill_symptom(a, err) || !blame_caller(a, err) ||
	    !keep_history(a, err) || !turn_to_callee(a, err))
		return false;
	a->f->has_symptom = true;
	use_usual(a);
	note_unlike_others(a);
	is_done = explain(a, err);
	excess_fill(&a->f->symptom, &a->f->suspect,
		    is_done ? a->f->profiles : NULL, a->v->result);
	return is_done;
}

bool slow_investigate(struct investigation *v, struct finding *f,
		      struct error *err)
{
	struct asking a = { .v = v,
			    .f = f,
			    .window = slow_window(v, &f->suspect) };

	return slow_is_chosen(v) ? slow_chosen_investigate(v, f, a.window, err)
				 : ask_servers(&a, err);
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
