/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "analyze/cause.h"
#include "base/instance.h"
#include "base/num.h"
#include "cli/cli.h"
#include "cli/output.h"
#include "cli/row_order.h"
#include "cli/slow_search.h"
#include "cli/suggest_next.h"
#include "cli/window.h"
#include "investigate/conclusion.h"
#include "investigate/rows_view.h"
#include "investigate/slow.h"
#include "report/cause_text.h"
#include "report/comparison_notes.h"
#include "report/finding_report.h"
#include "report/shortfall_text.h"

/* ---- profiles from files, or chosen by hand ---- */

static void want_init(struct run *r, const struct slow_finding *f,
		      struct time_range window, struct evidence_want *want,
		      char span_id[17])
{
	const struct options *o = r->ctx.options;
	const struct guilty_pick *pick = &f->suspect.pick;
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
static bool choose_scope(struct run *r, const struct slow_finding *f,
			 const struct evidence_want *want, struct error *err)
{
	struct evidence *ev = &r->evidence;
	struct profile service = ev->slow;

	if (!options_scope_is(r->ctx.options, "span"))
		return true;
	if (!ev->has_span)
		return error_set(err, ERROR_NOT_FOUND,
				 "no samples of this span: %s",
				 f->suspect.pick.profile_id.ptr
					 ? "none carry its id (too short, or "
					   "not on CPU); leave out --scope span"
					 : "it has no pyroscope.profile.id; "
					   "leave out --scope span");
	ev->slow = ev->span;
	ev->span = service;
	ev->has_baseline = false;
	ev->selector = f->suspect.pick.profile_id;
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

static bool rank_evidence(struct run *r, const struct slow_finding *f,
			  const struct evidence_want *want, struct error *err)
{
	enum scope scope;

	if (!choose_scope(r, f, want, err))
		return false;
	scope = r->result.profile.scope;
	if (!evidence_report(&r->evidence, &r->result, err))
		return false;
	r->result.profile.scope = scope;
	return rank_rows(r, err);
}

static bool complete_cause(struct run *r, const struct slow_finding *f,
			   struct error *err)
{
	struct cause_evidence evidence = { 0 };
	struct cause_facts facts;

	if (r->has_evidence && r->evidence.has_span) {
		evidence.span = r->result.profile.scope == SCOPE_SPAN
					? &r->evidence.slow
					: &r->evidence.span;
		evidence.span_own_ns = f->suspect.pick.profile_own_ns;
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
	if (!rows_view_begin(&r->investigation, note_count, &kept, err))
		return false;
	if (profile_filters_apply(&r->filters, &r->ctx, &r->evidence,
				  &nothing)) {
		if (!rank_rows(r, err))
			return false;
	} else if (nothing.code == ERROR_NOT_FOUND) {
		rows_view_empty(&r->investigation);
	} else {
		*err = nothing;
		return false;
	}
	rows_view_end(&r->investigation, &kept);
	return true;
}

static bool slow_by_hand(struct run *r, const struct slow_finding *f,
			 struct time_range window, struct error *err)
{
	size_t note_count = r->result.notes.count;
	struct evidence_want want;
	char span_id[17];

	want_init(r, f, window, &want, span_id);
	r->has_evidence = evidence_fetch(&r->investigation, &r->ctx, &want,
					 &r->evidence, err) &&
			  rank_evidence(r, f, &want, err);
	return r->has_evidence &&
	       suspect_report_write(&f->suspect, &r->result, err) &&
	       complete_cause(r, f, err) && view_evidence(r, note_count, err);
}

/* ---- profiles from a server ---- */

/* For the outputs that draw stacks. */
static void hand_over(struct run *r, struct comparison *shown)
{
	struct evidence *ev = &r->evidence;

	ev->slow = shown->slow.profile;
	ev->baseline = shown->base.profile;
	ev->has_baseline = shown->has_base;
	profile_init(&shown->slow.profile);
	profile_init(&shown->base.profile);
	r->has_evidence = true;
}

static bool slow_by_servers(struct run *r, struct slow_finding *f,
			    struct time_range window, struct error *err)
{
	struct investigation *v = &r->investigation;

	if (!slow_investigate(v, f, window, err))
		return shortfall_explain(&v->shortfall, err) ||
		       suspect_explain(&f->suspect, err);
	if (!finding_report_write(f, &r->question.baseline, &r->result, err) ||
	    !profile_inquiry_view(f->profiles, err))
		return false;
	if (r->result.rank_facts)
		comparison_notes_add(r->result.rank_facts, &r->result.notes);
	if (f->profiles->shown)
		hand_over(r, f->profiles->shown);
	return true;
}

/* Notes that begin so take the place of the function in the report. */
static void note_missing(struct run *r, const char *why)
{
	const struct str lead = STR("no profile");

	notes_add(&r->ctx.notes, "%s%s",
		  str_starts(str_from(why), lead) ? "" : "no profile: ", why);
}

/* A file, or a baseline of the user's own making, is taken as it is. */
static bool is_by_hand(const struct run *r)
{
	return r->ctx.backends.profiles.path ||
	       r->ctx.options->baseline_selector ||
	       r->question.baseline.kind == BASELINE_WANT_FILE;
}

/* The time options count for profiles once the span is known. */
static bool ask_window(struct run *r, struct error *err)
{
	const struct options *o = r->ctx.options;
	int64_t now_ns = r->ctx.backends.now_ns;

	r->question.has_window = window_is_given(o);
	return baseline_parse(o, now_ns, &r->question.baseline, err) &&
	       (!r->question.has_window ||
		window_resolve(o, now_ns, 2 * o->pad_ns, &r->question.window,
			       err));
}

static bool find_profile(struct run *r, struct slow_finding *f,
			 struct error *err)
{
	struct time_range window;

	if (!ask_window(r, err))
		return false;
	window = slow_window(&r->investigation, &f->suspect);
	return is_by_hand(r) ? slow_by_hand(r, f, window, err)
			     : slow_by_servers(r, f, window, err);
}

/* Without a profile the trace's half of the answer is still told; the reason
 * goes to stderr and into the exit status. */
static bool without_profile(struct run *r, struct slow_finding *f,
			    const struct error *missing, struct error *err)
{
	r->has_evidence = f->has_profiles = false;
	r->result.has_profile = r->result.has_baseline = false;
	r->result.function_count = r->result.function_listed = 0;
	note_missing(r, missing->message);
	return finding_report_write(f, &r->question.baseline, &r->result, err);
}

/* A page shows the trace, too. */
static bool add_waterfall(struct run *r, const struct suspect *s,
			  struct error *err)
{
	return !output_needs(r->ctx.options, RENDER_TAKES_ALL) ||
	       waterfall_build(&r->trace, &s->times, &s->pick, &r->result, err);
}

/* That a format needs what is missing says no more than that it is missing;
 * an answer that could not be written is worse. */
static bool is_told_by(const struct error *render, const struct error *missing)
{
	return missing->code == ERROR_NONE || render->code != ERROR_NOT_FOUND;
}

static bool answer(struct run *r, struct slow_finding *f, struct error *err)
{
	struct error missing = { 0 }, render = { 0 };
	bool is_found = find_profile(r, f, &missing);

	if (!is_found &&
	    (missing.code == ERROR_USAGE || missing.code == ERROR_MEMORY)) {
		*err = missing;
		return false;
	}
	if ((!is_found && !without_profile(r, f, &missing, err)) ||
	    !add_waterfall(r, &f->suspect, err))
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

static bool slow(struct run *r, struct slow_finding *f, struct error *err)
{
	if (!profile_filters_init(&r->filters, &r->ctx, err))
		return false;
	if (slow_search_is_asked(r->ctx.options) && !slow_search(r, err))
		return false;
	r->trace.wants_details = output_needs(r->ctx.options, RENDER_TAKES_ALL);
	return run_find_suspect(r, &f->suspect, err) && answer(r, f, err);
}

int cmd_slow(const struct options *o)
{
	struct error err = { 0 };
	struct slow_finding finding;
	struct run r;
	bool done;

	slow_finding_init(&finding);
	done = run_begin(&r, o, "slow", &err) && slow(&r, &finding, &err);
	slow_finding_release(&finding);
	return run_end(&r, done, &err);
}
