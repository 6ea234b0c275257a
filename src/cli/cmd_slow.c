/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "analyze/cause.h"
#include "base/instance.h"
#include "base/num.h"
#include "cli/cli.h"
#include "cli/guilty.h"
#include "cli/inquest.h"
#include "cli/output.h"
#include "cli/profile_service.h"
#include "cli/row_order.h"
#include "cli/slow_search.h"
#include "cli/slowness.h"
#include "cli/slowness_tell.h"
#include "cli/suggest_next.h"
#include "cli/version_baseline.h"
#include "report/cause_text.h"

/* Questions of one round: windows of history, the service's name and types. */
#define FIRST_JOBS (SITUATION_JOBS + 2)

/* The service's name and types, requests like this one. */
#define AGAIN_JOBS 3

/* The guilty span's time and --pad, or what the user said. */
static bool window_of(struct run *r, const struct guilty *g,
		      struct time_range *window, struct error *err)
{
	const struct options *o = r->ctx.options;
	const struct guilty_pick *pick = &g->pick;

	*window = window_around(pick->start_ns, pick->end_ns, o->pad_ns,
				r->ctx.backends.now_ns);
	if (window_is_given(o) && !window_resolve(o, r->ctx.backends.now_ns,
						  2 * o->pad_ns, window, err))
		return false;
	if (window->to_ns < pick->start_ns || window->from_ns > pick->end_ns)
		notes_add(&r->ctx.notes, "the time window given does not hold "
					 "the span; without one it is the "
					 "span's own time and --pad");
	return true;
}

/* ---- profiles from files, or chosen by hand ---- */

static void want_init(struct run *r, const struct guilty *g,
		      struct time_range window, struct evidence_want *want,
		      char span_id[17])
{
	const struct options *o = r->ctx.options;
	const struct guilty_pick *pick = &g->pick;
	const struct span *s;

	*want = (struct evidence_want){
		.service = pick->service,
		.trace = &r->trace,
		.resource = r->trace.spans[pick->owner].resource,
		.window = window,
		.baseline_selector = o->baseline_selector,
		.is_baseline_wanted = true,
	};
	if (!pick->profile_id.ptr || options_scope_is(o, "service"))
		return;
	memcpy(span_id, pick->profile_id.ptr, 16);
	span_id[16] = '\0';
	s = &r->trace.spans[pick->profile_span];
	want->span_id = span_id;
	want->span_range = window_of_samples(s->start_ns, s->end_ns);
}

/* --scope span: the span's own samples take the place of the service's. */
static bool choose_scope(struct run *r, const struct guilty *g,
			 const struct evidence_want *want, struct error *err)
{
	struct evidence *ev = &r->evidence;
	struct profile service = ev->slow;

	if (!options_scope_is(r->ctx.options, "span"))
		return true;
	if (!ev->has_span)
		return error_set(err, ERROR_NOT_FOUND,
				 "no samples of this span: %s",
				 g->pick.profile_id.ptr
					 ? "none carry its id (too short, or "
					   "not on CPU); leave out --scope span"
					 : "it has no pyroscope.profile.id; "
					   "leave out --scope span");
	ev->slow = ev->span;
	ev->span = service;
	ev->has_baseline = false;
	ev->selector = g->pick.profile_id;
	ev->window = want->span_range;
	r->result.profile.scope = SCOPE_SPAN;
	notes_add(&r->ctx.notes, "one span's samples have no baseline: the "
				 "profile is shown alone");
	return true;
}

static bool rank_rows(struct run *r, struct error *err)
{
	bool is_loop = r->result.cause.kind == CAUSE_N_PLUS_ONE &&
		       row_order_is_free(r->ctx.options);

	return run_rank(r, RANK_TOTAL, r->result.span.name, is_loop, err);
}

static bool rank_evidence(struct run *r, const struct guilty *g,
			  const struct evidence_want *want, struct error *err)
{
	enum scope scope;

	if (!choose_scope(r, g, want, err))
		return false;
	scope = r->result.profile.scope;
	if (!evidence_report(&r->evidence, &r->result, err))
		return false;
	r->result.profile.scope = scope;
	return rank_rows(r, err);
}

static bool complete_cause(struct run *r, const struct guilty *g,
			   struct error *err)
{
	struct cause_evidence evidence = { 0 };
	struct cause_facts facts;

	if (r->has_evidence && r->evidence.has_span) {
		evidence.span = r->result.profile.scope == SCOPE_SPAN
					? &r->evidence.slow
					: &r->evidence.span;
		evidence.span_own_ns = g->pick.profile_own_ns;
	}
	cause_judge(&evidence, &r->result, &facts);
	return cause_text_write(&facts, &r->result, err);
}

/* The verdict is of the whole profiles; the rows are of what the filters
 * leave. */
static bool view_evidence(struct run *r, size_t note_count, struct error *err)
{
	struct error nothing = { 0 };
	struct kept_verdict kept;

	if (!profile_filters_are_given(&r->filters))
		return true;
	if (!run_view_begin(r, note_count, &kept, err))
		return false;
	if (profile_filters_apply(&r->filters, &r->ctx, &r->evidence,
				  &nothing)) {
		if (!rank_rows(r, err))
			return false;
	} else if (nothing.code == ERROR_NOT_FOUND) {
		run_view_empty(r);
	} else {
		*err = nothing;
		return false;
	}
	run_view_end(r, &kept);
	return true;
}

static bool slow_by_hand(struct run *r, const struct guilty *g,
			 struct time_range window, struct error *err)
{
	size_t note_count = r->result.notes.count;
	struct evidence_want want;
	char span_id[17];

	want_init(r, g, window, &want, span_id);
	r->has_evidence = evidence_fetch(&r->ctx, &want, &r->evidence, err) &&
			  rank_evidence(r, g, &want, err);
	return r->has_evidence && complete_cause(r, g, err) &&
	       view_evidence(r, note_count, err);
}

/* ---- profiles from a server ---- */

static bool is_same_service(const struct guilty *a, const struct guilty *b,
			    const struct trace *t)
{
	return t->spans[a->pick.owner].resource ==
	       t->spans[b->pick.owner].resource;
}

/* The profiles' name for the service and the requests like this one were asked
 * for before the history was known; a choice that changed asks again. */
static bool ask_again(struct run *r, const struct guilty *before,
		      const struct guilty *g, struct time_range window,
		      struct situation *s, struct profile_lookup *l,
		      struct error *err)
{
	uint32_t resource = r->trace.spans[g->pick.owner].resource;
	struct job *jobs[AGAIN_JOBS];
	size_t n = 0;

	if (!is_same_service(before, g, &r->trace)) {
		if (!profile_lookup_init(l, &r->ctx, &r->trace, resource,
					 g->pick.service, window, err))
			return false;
		for (size_t i = 0; i < l->job_count; i++)
			jobs[n++] = l->jobs[i];
	}
	situation_ask_again(s, r, g, window, jobs, &n);
	return n == 0 || jobs_run(&r->ctx.backends, jobs, n, err);
}

static bool ask_history(struct run *r, struct guilty *g, struct situation *s,
			struct time_range window,
			const struct baseline_want *want,
			struct profile_lookup *l, struct error *err)
{
	struct job *jobs[FIRST_JOBS];
	size_t n = 0;

	if (!profile_lookup_init(l, &r->ctx, &r->trace,
				 r->trace.spans[g->pick.owner].resource,
				 g->pick.service, window, err))
		return false;
	for (size_t i = 0; i < l->job_count; i++)
		jobs[n++] = l->jobs[i];
	return situation_ask(s, r, g, window, want, jobs, &n, err) &&
	       jobs_run(&r->ctx.backends, jobs, n, err) &&
	       situation_judge(s, r, g, err) &&
	       (!s->has_usual || guilty_again(r, g, &s->usual, false, err));
}

/* What the user asked for and what there is not: said, never passed over. */
static bool check_instance(const struct run *r, const struct slowness *s,
			   const struct profile_service *service,
			   struct error *err)
{
	if (!options_scope_is(r->ctx.options, "instance"))
		return true;
	if (!s->instance.len)
		return error_set(
			err, ERROR_NOT_FOUND,
			"--scope instance: the span's process says no " INSTANCE_POD
			", " INSTANCE_ID " or " INSTANCE_HOST
			"; leave out --scope");
	if (!service->instance_label.ptr)
		return error_set(err, ERROR_NOT_FOUND,
				 "--scope instance: the profiles of \"%.*s\" "
				 "carry no label of the instance; leave out "
				 "--scope",
				 STR_ARGS(service->name));
	for (size_t i = 0; i < service->instances.count; i++)
		if (str_equal(service->instances.items[i], s->instance))
			return true;
	return error_set(err, ERROR_NOT_FOUND,
			 "--scope instance: no profiles with %.*s=\"%.*s\"; "
			 "leave out --scope",
			 STR_ARGS(service->instance_label),
			 STR_ARGS(s->instance));
}

/* Faster than this one, and by as much as makes a baseline healthy. */
static bool has_fast(const struct slowness *s, const struct situation *all)
{
	return s->base_id_count &&
	       (double)all->cohorts.fast.p50_ns * BASELINE_RATIO <=
		       (double)all->cohorts.slow.p50_ns;
}

static bool check_asked(const struct run *r, const struct slowness *s,
			const struct situation *all,
			const struct profile_service *service,
			const struct baseline_want *want, struct error *err)
{
	if (want->kind == BASELINE_WANT_FAST && !has_fast(s, all))
		return error_set(err, ERROR_NOT_FOUND,
				 "--baseline fast: the same minutes have no "
				 "clearly faster requests with samples of "
				 "their own; try --baseline previous");
	return check_instance(r, s, service, err) &&
	       version_baseline_check(s, service, want, err);
}

static bool turn_to(struct run *r, struct guilty *g, struct situation *s,
		    struct time_range window, const struct baseline_want *want,
		    struct profile_lookup *l, struct slowness *slowness,
		    bool is_of_caller, struct error *err)
{
	struct guilty before = *g;

	return guilty_again(r, g, &s->usual, is_of_caller, err) &&
	       ask_again(r, &before, g, window, s, l, err) &&
	       slowness_fill(slowness, s, r, g, window, want, err);
}

/* Between a call and its callee both may be at fault: a callee that does not
 * get to it, or a caller that cannot reach it. The callee is looked at first;
 * when its operation is as quick as ever, and what called it is not, it is
 * the caller's time. */
static bool blame_caller(struct run *r, struct guilty *g, struct situation *s,
			 struct time_range window,
			 const struct baseline_want *want,
			 struct profile_lookup *l, struct slowness *slowness,
			 struct error *err)
{
	if (!g->pick.is_gap || !s->has_usual ||
	    (!slowness->is_healthy && !slowness->is_outside))
		return true;
	return turn_to(r, g, s, window, want, l, slowness, true, err) &&
	       (!slowness->is_healthy ||
		turn_to(r, g, s, window, want, l, slowness, false, err));
}

static bool slow_by_inquest(struct run *r, struct guilty *g,
			    struct time_range window,
			    const struct baseline_want *want,
			    struct situation *s, struct error *err)
{
	struct guilty before = *g;
	struct profile_service service;
	struct profile_lookup l;
	struct slowness slowness;

	if (!ask_history(r, g, s, window, want, &l, err) ||
	    !ask_again(r, &before, g, window, s, &l, err))
		return false;
	/* The window stays: the question was asked for it. */
	if (!slowness_fill(&slowness, s, r, g, window, want, err) ||
	    !blame_caller(r, g, s, window, want, &l, &slowness, err))
		return false;
	if (r->result.has_reasons)
		slowness_tell(&slowness, s, want, &r->result.reasons);
	return profile_lookup_take(&l, &r->ctx, &service, err) &&
	       check_asked(r, &slowness, s, &service, want, err) &&
	       inquest_run(r, &slowness, &service, err);
}

/* Notes that begin so take the place of the function in the report. */
static void note_missing(struct run *r, const char *why)
{
	const struct str lead = STR("no profile");

	notes_add(&r->ctx.notes, "%s%s",
		  str_starts(str_from(why), lead) ? "" : "no profile: ", why);
}

/* A file, or a baseline of the user's own making, is taken as it is. */
static bool is_by_hand(const struct run *r, const struct baseline_want *want)
{
	return r->ctx.backends.profiles.path ||
	       r->ctx.options->baseline_selector ||
	       want->kind == BASELINE_WANT_FILE;
}

static bool find_profile(struct run *r, struct guilty *g, struct error *err)
{
	struct baseline_want want;
	struct time_range window;
	struct situation s;
	bool done;

	if (!baseline_parse(r->ctx.options, r->ctx.backends.now_ns, &want,
			    err) ||
	    !window_of(r, g, &window, err))
		return false;
	if (is_by_hand(r, &want))
		return slow_by_hand(r, g, window, err);
	situation_init(&s);
	done = slow_by_inquest(r, g, window, &want, &s, err);
	situation_release(&s);
	return done;
}

/* Without a profile the trace's half of the answer is still told; the reason
 * goes to stderr and into the exit status. */
static bool without_profile(struct run *r, const struct error *missing,
			    struct error *err)
{
	struct cause_evidence none = { 0 };
	struct cause_facts facts;

	r->has_evidence = false;
	r->result.has_profile = r->result.has_baseline = false;
	r->result.function_count = r->result.function_listed = 0;
	note_missing(r, missing->message);
	cause_judge(&none, &r->result, &facts);
	return cause_text_write(&facts, &r->result, err);
}

/* A page shows the trace, too. */
static bool add_waterfall(struct run *r, const struct guilty *g,
			  struct error *err)
{
	return !output_needs(r->ctx.options, RENDER_TAKES_ALL) ||
	       waterfall_build(&r->trace, &g->times, &g->pick, &r->result, err);
}

/* That a format needs what is missing says no more than that it is missing;
 * an answer that could not be written is worse. */
static bool is_told_by(const struct error *render, const struct error *missing)
{
	return missing->code == ERROR_NONE || render->code != ERROR_NOT_FOUND;
}

static bool slow(struct run *r, struct error *err)
{
	struct error missing = { 0 }, render = { 0 };
	struct guilty g;
	bool is_found;

	if (!profile_filters_init(&r->filters, &r->ctx, err))
		return false;
	if (slow_search_is_asked(r->ctx.options) && !slow_search(r, err))
		return false;
	r->trace.wants_details = output_needs(r->ctx.options, RENDER_TAKES_ALL);
	if (!guilty_from_trace(r, &g, err))
		return false;
	is_found = find_profile(r, &g, &missing);
	if (!is_found &&
	    (missing.code == ERROR_USAGE || missing.code == ERROR_MEMORY)) {
		*err = missing;
		return false;
	}
	if (!is_found && !without_profile(r, &missing, err))
		return false;
	if (!add_waterfall(r, &g, err))
		return false;
	suggest_next(r, "show", "");
	if (r->result.has_profile)
		suggest_next(r, "slow", " -o svg=flame.svg");
	if (!run_render(r, &render) && is_told_by(&render, &missing)) {
		if (!is_found)
			message_error(&missing);
		*err = render;
		return false;
	}
	if (!is_found)
		*err = missing;
	return is_found;
}

int cmd_slow(const struct options *o)
{
	struct error err = { 0 };
	struct run r;
	bool done = run_begin(&r, o, "slow", &err) && slow(&r, &err);

	return run_end(&r, done, &err);
}
