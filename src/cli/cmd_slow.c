/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <string.h>

#include "backend/trace_named.h"
#include "base/error.h"
#include "base/num.h"
#include "cli/context.h"
#include "cli/message.h"
#include "cli/output_wanted.h"
#include "cli/pages.h"
#include "cli/run.h"
#include "cli/suggest_next.h"
#include "cli/window.h"
#include "investigate/slow.h"
#include "investigate/trace_search.h"
#include "report/answers.h"

/* `tracefind slow` without a trace, diff without an operation: finds the slow
 * traces, by the server of traces or by exemplars of metrics, and takes one that
 * is typical of them. */

/* Whether the options say what to search for instead of which trace. */
static bool slow_search_is_asked(const struct options *o)
{
	bool has_file = o->traces_url &&
			str_starts(str_from(o->traces_url), STR("file:"));

	return o->arg_count == 0 && !has_file && !o->span &&
	       (o->service || o->name || o->from_exemplar ||
		window_is_given(o));
}

/* What was searched for, which says nothing of the trace that was found: its
 * culprit may be any service. */
static const char *const searched[] = { "since",        "from",    "to",
					"around",       "service", "name",
					"from-exemplar" };

static bool is_searched(const char *arg)
{
	struct str name = { arg, strcspn(arg, "=") };

	for (size_t i = 0; i < COUNT_OF(searched); i++)
		if (str_starts(name, STR("--")) &&
		    str_equal(str_slice(name, 2, name.len),
			      str_from(searched[i])))
			return true;
	return false;
}

static void forget_searched(struct options *o)
{
	o->from = o->to = o->since = o->around = NULL;
	o->service = o->name = NULL;
	o->from_exemplar = false;
	for (size_t i = 0; i < COUNT_OF(searched); i++)
		options_unmark(o, searched[i]);
}

/* From here on as if the trace had been named, also in the commands that are
 * suggested. */
static bool choose(struct run *r, struct str id, struct error *err)
{
	struct arena *arena = &r->ctx.arena;
	struct options *o = arena_array(arena, 1, sizeof *o);
	const char **args;

	if (!o)
		return arena_fail(arena, "the options", err);
	*o = *r->ctx.options;
	args = arena_array(arena, o->raw_count + 1, sizeof *args);
	o->args[0] = arena_str(arena, id).ptr;
	if (!args || !o->args[0])
		return arena_fail(arena, "the options", err);
	o->arg_count = 1;
	o->raw_count = 0;
	for (size_t i = 0; i < r->ctx.options->raw_count; i++)
		if (!is_searched(r->ctx.options->raw_args[i]))
			args[o->raw_count++] = r->ctx.options->raw_args[i];
	o->raw_args = args;
	forget_searched(o);
	r->ctx.options = o;
	return true;
}

static bool find_typical(struct trace_search *s, struct context *ctx,
			 struct typical_hit *typical, struct error *err)
{
	return trace_search_typical(s, &ctx->backends, typical, err) ||
	       search_text_explain(s, err);
}

static bool choose_hit(struct run *r, const struct hit *hit, struct error *err)
{
	char id[33];

	trace_id_format(&hit->id, id);
	return choose(r, str_from(id), err);
}

/* The trace of an exemplar, which is foreign text. */
static bool choose_exemplar(struct run *r, struct error *err)
{
	const struct options *o = r->ctx.options;
	struct exemplar_choice c;
	struct time_range window;
	struct trace_arg arg;

	if (!o->service)
		return error_set(err, ERROR_USAGE,
				 "--from-exemplar: of which service? "
				 "(--service)");
	if (!window_resolve(o, r->ctx.backends.now_ns, SEARCH_WINDOW_NS,
			    &window, err) ||
	    !exemplar_choose(&c, &r->ctx.backends, o->service, o->name, window,
			     err))
		return false;
	if (c.lack != EXEMPLAR_FOUND)
		return exemplar_text_explain(&c, err);
	if (!trace_arg_parse(c.exemplar.trace_id.ptr, &arg, err) ||
	    !choose(r, c.exemplar.trace_id, err))
		return false;
	exemplar_text_add(&c, &r->ctx.notes);
	return true;
}

/* Searches, notes which trace was taken and how many are like it, and gives
 * the run options that name the trace; what was searched for is gone from them:
 * times, service and name. They live in the run's arena. */
static bool slow_search(struct run *r, struct error *err)
{
	struct trace_search s;
	struct typical_hit typical;
	bool done;

	if (r->ctx.options->from_exemplar)
		return choose_exemplar(r, err);

	trace_search_init(&s);
	done = search_question(&s, &r->ctx, err) &&
	       find_typical(&s, &r->ctx, &typical, err) &&
	       trace_search_unusual(&s, &r->ctx.backends, err) &&
	       choose_hit(r,
			  s.unusual.hit ? s.unusual.hit
					: &s.items[typical.index],
			  err);
	if (done)
		search_text_add_choice(&s, &typical, &r->ctx.notes);
	trace_search_release(&s);
	return done;
}

/* ---- an operation ---- */

bool slow_search_operation(struct context *ctx, struct time_range range,
			   struct str *name, struct error *err)
{
	struct trace_search s;
	struct typical_hit typical;
	bool done;

	trace_search_init(&s);
	done = search_question(&s, ctx, err);
	s.query.range = range;
	done = done && find_typical(&s, ctx, &typical, err);
	if (done) {
		*name = arena_str(&ctx->arena, s.items[typical.index].name);
		done = name->ptr || arena_fail(&ctx->arena, "the name", err);
	}
	if (done && !name->len)
		done = error_set(err, ERROR_NOT_FOUND,
				 "the trace server does not say which spans of "
				 "the service are slow: name one with --name");
	if (done)
		search_text_add_operation(&s, &typical, &ctx->notes);
	trace_search_release(&s);
	return done;
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

static bool find_profile(struct run *r, struct finding *f, struct error *err)
{
	struct investigation *v = &r->investigation;

	if (!ask_window(r, err))
		return false;
	if (!slow_investigate(v, f, err))
		return finding_explain(f, &v->shortfall, err);
	r->shown = f->shown;
	return finding_report_write(f, &r->question.baseline, &r->result,
				    err) &&
	       slow_view(v, f, err);
}

/* Without a profile the trace's half of the answer is still told; the reason
 * goes to stderr and into the exit status. */
static bool without_profile(struct run *r, struct finding *f,
			    const struct error *missing, struct error *err)
{
	r->shown = NULL;
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

static bool is_fatal(const struct error *missing)
{
	return missing->code == ERROR_USAGE || missing->code == ERROR_MEMORY;
}

static bool slow(struct run *r, struct finding *f, struct error *err)
{
	const struct options *o = r->ctx.options;
	struct error missing = { 0 };

	if (!profile_filters_init(&r->filters, &r->ctx, err) ||
	    (slow_search_is_asked(o) && !slow_search(r, err)))
		return false;
	r->trace.wants_details = output_needs(o, RENDER_TAKES_ALL);
	r->trace.wants_attrs = true;
	if (!run_find_suspect(r, &f->suspect, err))
		return false;
	if (!find_profile(r, f, &missing)) {
		*err = missing;
		if (is_fatal(&missing) || !without_profile(r, f, &missing, err))
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
