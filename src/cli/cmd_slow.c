/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/cause.h"
#include "base/num.h"
#include "cli/cli.h"
#include "cli/output.h"
#include "cli/slow_search.h"
#include "cli/suggest_next.h"
#include "cli/window.h"
#include "investigate/conclusion.h"
#include "investigate/rows_view.h"
#include "investigate/slow.h"
#include "report/cause_text.h"
#include "report/finding_report.h"
#include "report/shortfall_text.h"

/* What a run of slow finds out, and where it is kept. */
struct slow {
	struct slow_finding finding;
	struct chosen_want want; /* of profiles that the user chose */
	struct chosen chosen;
};

/* ---- profiles from files, or chosen by hand ---- */

static void want_init(const struct run *r, struct slow *s,
		      struct time_range window)
{
	const char *const *path = &r->ctx.backends.profiles.path;
	const struct guilty_pick *pick = &s->finding.suspect.pick;
	const struct span *span;

	s->want = (struct chosen_want){
		.service = pick->service,
		.trace = &r->trace,
		.resource = r->trace.spans[pick->owner].resource,
		.window = window,
		.paths = path,
		.path_count = *path != NULL,
		.baseline_selector = r->ctx.options->baseline_selector,
		.is_baseline_wanted = true,
	};
	if (!pick->profile_id.ptr ||
	    question_scope_is(&r->question, SCOPE_SERVICE) ||
	    !parse_hex_u64(pick->profile_id, &s->want.span_id))
		return;
	span = &r->trace.spans[pick->profile_span];
	s->want.span_range = window_of_samples(span->start_ns, span->end_ns);
}

static bool rank_rows(struct run *r, struct slow *s, struct error *err)
{
	bool is_loop = r->result.cause.kind == CAUSE_N_PLUS_ONE &&
		       !r->question.rows.has_measure;

	return chosen_rank(&s->chosen, RANK_TOTAL, r->result.span.name, is_loop,
			   err);
}

static bool rank_chosen(struct run *r, struct slow *s, struct error *err)
{
	const struct guilty_pick *pick = &s->finding.suspect.pick;

	return (!question_scope_is(&r->question, SCOPE_SPAN) ||
		chosen_turn_to_span(&s->chosen, pick->profile_id.ptr != NULL,
				    pick->profile_id, err)) &&
	       chosen_report(&s->chosen, &r->result, err) &&
	       rank_rows(r, s, err);
}

static bool complete_cause(struct run *r, const struct slow *s,
			   struct error *err)
{
	struct cause_evidence evidence = { 0 };
	struct cause_facts facts;

	if (s->chosen.has_span) {
		evidence.span = s->chosen.is_of_span
					? &s->chosen.comparison.slow.profile
					: &s->chosen.span;
		evidence.span_own_ns = s->finding.suspect.pick.profile_own_ns;
	}
	cause_judge(&evidence, &r->result, &facts);
	return cause_text_write(&facts, &r->result, err);
}

/* The verdict is of the whole profiles; the rows are of what the filters
 * leave. */
static bool view_chosen(struct run *r, struct slow *s, size_t note_count,
			struct error *err)
{
	struct investigation *v = &r->investigation;
	struct kept_verdict kept;

	if (!profile_filters_are_given(&r->filters))
		return true;
	if (!rows_view_begin(v, note_count, &kept, err))
		return false;
	if (chosen_filter(&s->chosen, err)) {
		if (!rank_rows(r, s, err))
			return false;
	} else if (v->shortfall.kind == SHORTFALL_FILTERED) {
		rows_view_empty(v);
	} else {
		return false;
	}
	rows_view_end(v, &kept);
	return true;
}

static bool slow_by_hand(struct run *r, struct slow *s,
			 struct time_range window, struct error *err)
{
	size_t note_count = r->result.notes.count;

	want_init(r, s, window);
	if (!chosen_fetch(&s->chosen, err) || !rank_chosen(r, s, err))
		return shortfall_explain(&r->investigation.shortfall, err);
	r->shown = &s->chosen.comparison;
	return suspect_report_write(&s->finding.suspect, &r->result, err) &&
	       complete_cause(r, s, err) && view_chosen(r, s, note_count, err);
}

/* ---- profiles from a server ---- */

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
	r->shown = f->profiles->shown;
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

static bool find_profile(struct run *r, struct slow *s, struct error *err)
{
	struct time_range window;

	if (!ask_window(r, err))
		return false;
	window = slow_window(&r->investigation, &s->finding.suspect);
	return is_by_hand(r) ? slow_by_hand(r, s, window, err)
			     : slow_by_servers(r, &s->finding, window, err);
}

/* Without a profile the trace's half of the answer is still told; the reason
 * goes to stderr and into the exit status. */
static bool without_profile(struct run *r, struct slow_finding *f,
			    const struct error *missing, struct error *err)
{
	r->shown = NULL;
	f->has_profiles = false;
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

static bool answer(struct run *r, struct slow *s, struct error *err)
{
	struct error missing = { 0 }, render = { 0 };
	bool is_found = find_profile(r, s, &missing);

	if (!is_found &&
	    (missing.code == ERROR_USAGE || missing.code == ERROR_MEMORY)) {
		*err = missing;
		return false;
	}
	if ((!is_found && !without_profile(r, &s->finding, &missing, err)) ||
	    !add_waterfall(r, &s->finding.suspect, err))
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

static bool slow(struct run *r, struct slow *s, struct error *err)
{
	if (!profile_filters_init(&r->filters, &r->ctx, err))
		return false;
	if (slow_search_is_asked(r->ctx.options) && !slow_search(r, err))
		return false;
	r->trace.wants_details = output_needs(r->ctx.options, RENDER_TAKES_ALL);
	return run_find_suspect(r, &s->finding.suspect, err) &&
	       answer(r, s, err);
}

int cmd_slow(const struct options *o)
{
	struct error err = { 0 };
	struct slow s;
	struct run r;
	bool done;

	slow_finding_init(&s.finding);
	chosen_init(&s.chosen, &r.investigation, &s.want);
	done = run_begin(&r, o, "slow", &err) && slow(&r, &s, &err);
	chosen_release(&s.chosen);
	slow_finding_release(&s.finding);
	return run_end(&r, done, &err);
}
