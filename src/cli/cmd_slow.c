/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backend/input.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/optparse.h"
#include "cli/context.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/pages.h"
#include "cli/run.h"
#include "investigate/finding.h"
#include "report/answers.h"

static bool finding_answer(struct run *r, const struct error *missing,
			   struct error *err)
{
	const struct backends *b = &r->ctx.backends;
	bool is_whole = missing->code == ERROR_NONE;
	struct error render = { 0 };

	suggest_step(r);
	suggest_next(r, "show", "");
	r->result.servers = suggest_servers(&r->ctx, false);
	if (!r->ctx.options->why)
		suggest_next(r, "slow", " --why");
	else if (r->result.has_profile)
		suggest_next(r, "slow", " -o svg=flame.svg");
	/* Whoever has a trace in a file may have the profile in one, too. */
	if (!is_whole && !backends_traces(b) && b->profiles.is_default &&
	    !r->ctx.replay)
		suggest_next(r, "slow", " --profiles-url file:PROFILE");
	/* That a format needs what is missing says no more than that it is
	 * missing; an answer that could not be written is worse. */
	if (!run_render(r, &render) &&
	    (is_whole || render.code != ERROR_NOT_FOUND)) {
		if (!is_whole)
			message_error(missing);
		*err = render;
		return false;
	}
	*err = *missing;
	return is_whole;
}

/* The profile that explains it, in the result; false: there is none, and why. */
static bool find_profile(struct run *r, struct finding *f, struct error *missing)
{
	const struct options *o = r->ctx.options;
	struct investigation *v = &r->investigation;
	int64_t now_ns = r->ctx.backends.now_ns;

	/* The time options count for profiles once the span is known. */
	r->question.has_window = window_is_given(o);
	if (!baseline_parse(o, now_ns, &r->question.baseline, missing) ||
	    (r->question.has_window &&
	     !window_resolve(o, now_ns, 2 * o->pad_ns, &r->question.window,
			     missing)))
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
static bool slow_run(struct run *r, struct finding *f, struct error *err)
{
	const struct options *o = r->ctx.options;
	struct error missing = { 0 };
	bool has_file = o->traces_url &&
			str_starts(str_from(o->traces_url), STR("file:"));
	/* The options say what to search for instead of which trace. */
	bool is_search = o->arg_count == 0 && !has_file && !o->span &&
			 (o->service || o->name || o->from_exemplar ||
			  window_is_given(o));

	if (!profile_filters_init(&r->filters, &r->ctx, err) ||
	    (is_search && !search_slow_trace(r, err)))
		return false;
	r->trace.wants_details = output_needs(o, RENDER_TAKES_ALL);
	r->trace.wants_attrs = true;
	if (!run_find_suspect(r, &f->suspect, err))
		return false;
	if (!find_profile(r, f, &missing)) {
		*err = missing;
		if (missing.code == ERROR_USAGE || missing.code == ERROR_MEMORY)
			return false;
		/* The trace's half of the answer is still told; the reason goes
		 * to stderr and into the exit status. */
		r->shown = NULL;
		r->own_samples = NULL;
		slow_without_profiles(&r->investigation, f);
		if (!finding_report_missing(f, missing.message,
					    &r->question.baseline, &r->result,
					    &r->ctx.notes, err))
			return false;
	}
	if (!run_find_commits(r, err))
		return false;
	/* A page shows the trace, too, and so does the explorer. */
	if ((output_needs(o, RENDER_TAKES_ALL) || o->interactive) &&
	    !waterfall_build(&r->trace, &f->suspect.times, &f->suspect.pick,
			     &r->result, err))
		return false;
	return finding_answer(r, &missing, err);
}

/* Which of the files is the profile to look at; o->arg_count: none. */
static bool find_profile_file(const struct options *o, size_t *found,
			      struct error *err)
{
	bool has_one = o->profiles_url &&
		       str_starts(str_from(o->profiles_url), STR("file:"));

	*found = o->arg_count;
	for (size_t i = 0; i < o->arg_count && o->arg_count > 1 && !o->replay;
	     i++) {
		if (!input_is_profile(o->args[i]))
			continue;
		if (has_one)
			return error_set(err, ERROR_USAGE,
					 "%s: a second profile; give the one "
					 "to compare with as --baseline FILE",
					 o->args[i]);
		*found = i;
		/* Of two files, both profiles, what is lacking is the trace. */
		has_one = o->arg_count > 2;
	}
	return true;
}

/* Takes the profile out of the arguments, for --profiles-url: raw has room for
 * one more than o->raw_count. */
static void move_profile(struct options *o, size_t profile, const char *option,
			 const char **raw)
{
	struct option_form form;
	size_t count = 0;

	for (size_t i = 0; i < o->raw_count; i++)
		if (strcmp(o->raw_args[i], o->args[profile]) != 0 &&
		    !str_starts(str_from(o->raw_args[i]),
				STR("--profiles-url=")))
			raw[count++] = o->raw_args[i];
	raw[count++] = option;
	o->raw_args = raw;
	o->raw_count = count;
	memmove(&o->args[profile], &o->args[profile + 1],
		(o->arg_count - profile - 1) * sizeof *o->args);
	o->arg_count--;
	o->profiles_url = strchr(option, '=') + 1;
	if (option_form_find(&options_table, STR("profiles-url"), &form))
		options_mark(o, &form);
}

static int slow_investigate_trace(const struct options *o)
{
	struct error err = { 0 };
	struct finding finding;
	struct run r;
	bool done;

	finding_init(&finding, &r.investigation);
	done = run_begin(&r, o, "slow", &err) && slow_run(&r, &finding, &err);
	finding_release(&finding);
	return run_end(&r, done, &err);
}

int cmd_slow(const struct options *o)
{
	struct options with = *o;
	struct error err;
	const char **raw;
	struct buf option;
	size_t profile;
	int status;

	if (!find_profile_file(o, &profile, &err)) {
		message_error(&err);
		return error_exit_code(err.code);
	}
	if (profile == o->arg_count)
		return slow_investigate_trace(o);
	raw = mem_calloc(o->raw_count + 1, sizeof *raw);
	buf_init(&option, LIMIT_OPTION_VALUE_BYTES);
	buf_addf(&option, "--profiles-url=file:%s", o->args[profile]);
	if (raw && option.state == BUF_OK)
		move_profile(&with, profile, buf_text(&option), raw);
	status = slow_investigate_trace(&with);
	buf_release(&option);
	mem_free(raw);
	return status;
}
