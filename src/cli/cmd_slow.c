/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"
#include "base/num.h"
#include "cli/context.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/pages.h"
#include "cli/run.h"
#include "investigate/finding.h"
#include "report/answers.h"

/* Whether the options say what to search for instead of which trace. */
static bool slow_search_is_asked(const struct options *o)
{
	bool has_file = o->traces_url &&
			str_starts(str_from(o->traces_url), STR("file:"));

	return o->arg_count == 0 && !has_file && !o->span &&
	       (o->service || o->name || o->from_exemplar ||
		window_is_given(o));
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

/* Without a profile the trace's half of the answer is still told; the reason
 * goes to stderr and into the exit status. */
static bool without_profile(struct run *r, struct finding *f,
			    const struct error *missing, struct error *err)
{
	r->shown = NULL;
	r->own_samples = NULL;
	slow_without_profiles(&r->investigation, f);
	return finding_report_missing(f, missing->message,
				      &r->question.baseline, &r->result,
				      &r->ctx.notes, err);
}

/* A page shows the trace, too, and so does the explorer. */
static bool add_waterfall(struct run *r, const struct suspect *s,
			  struct error *err)
{
	return (!output_needs(r->ctx.options, RENDER_TAKES_ALL) &&
		!r->ctx.options->interactive) ||
	       waterfall_build(&r->trace, &s->times, &s->pick, &r->result, err);
}

/* That a format needs what is missing says no more than that it is missing;
 * an answer that could not be written is worse. */
static bool is_told_by(const struct error *render, const struct error *missing)
{
	return missing->code == ERROR_NONE || render->code != ERROR_NOT_FOUND;
}

/* Whoever has a trace in a file may have the profile in one, too. */
static void suggest_file(struct run *r)
{
	const struct backends *b = &r->ctx.backends;

	if (!backends_traces(b) && b->profiles.is_default && !r->ctx.replay)
		suggest_next(r, "slow", " --profiles-url file:PROFILE");
}

static bool answer(struct run *r, const struct error *missing,
		   struct error *err)
{
	struct error render = { 0 };

	suggest_next(r, "show", "");
	r->result.servers = suggest_servers(&r->ctx, false);
	if (r->result.has_profile)
		suggest_next(r, "slow", " -o svg=flame.svg");
	else if (missing->code != ERROR_NONE)
		suggest_file(r);
	if (!run_render(r, &render) && is_told_by(&render, missing)) {
		if (missing->code != ERROR_NONE)
			message_error(missing);
		*err = render;
		return false;
	}
	*err = *missing;
	return missing->code == ERROR_NONE;
}

/* The profile that explains it, in the result; false: there is none, and why. */
static bool find_profile(struct run *r, struct finding *f, struct error *missing)
{
	struct investigation *v = &r->investigation;

	if (!ask_window(r, missing))
		return false;
	if (!slow_investigate(v, f, missing))
		return finding_explain(f, &v->shortfall, missing);
	r->shown = f->shown;
	if (!finding_report_write(f, &r->question.baseline, &r->result,
				  missing) ||
	    !slow_view(v, f, missing))
		return false;
	r->own_samples = finding_own_samples(f, v);
	r->own_span = f->suspect.pick.profile_span;
	return true;
}

/* The road: each call goes down one floor. */
static bool slow(struct run *r, struct finding *f, struct error *err)
{
	const struct options *o = r->ctx.options;
	struct error missing = { 0 };

	if (!profile_filters_init(&r->filters, &r->ctx, err) ||
	    (slow_search_is_asked(o) && !search_slow_trace(r, err)))
		return false;
	r->trace.wants_details = output_needs(o, RENDER_TAKES_ALL);
	r->trace.wants_attrs = true;
	if (!run_find_suspect(r, &f->suspect, err))
		return false;
	if (!find_profile(r, f, &missing)) {
		*err = missing;
		if (missing.code == ERROR_USAGE ||
		    missing.code == ERROR_MEMORY ||
		    !without_profile(r, f, &missing, err))
			return false;
	}
	return add_waterfall(r, &f->suspect, err) && answer(r, &missing, err);
}

int cmd_slow(const struct options *o)
{
	struct error err = { 0 };
	struct finding finding;
	struct run r;
	bool done;

	finding_init(&finding, &r.investigation);
	done = run_begin(&r, o, "slow", &err) && slow(&r, &finding, &err);
	finding_release(&finding);
	return run_end(&r, done, &err);
}
