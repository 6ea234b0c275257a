/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cli/context.h"
#include "cli/output.h"
#include "cli/pages.h"
#include "cli/run.h"
#include "report/answers.h"
#include "report/texts.h"

/* A working day's worth of deploys, in steps of a minute. */
#define DEFAULT_WINDOW_NS (6 * NS_PER_HOUR)

static bool check_want(const struct context *ctx, struct error *err)
{
	const struct options *o = ctx->options;

	if (!o->service)
		return error_set(err, ERROR_USAGE,
				 "no service given: --service NAME, and --name "
				 "for an operation or --function for a "
				 "function");
	if (o->name && o->function)
		return error_set(err, ERROR_USAGE,
				 "--name and --function exclude each other: "
				 "functions are measured in the profiles of "
				 "the whole service");
	if (o->name && ctx->backends.traces.path)
		return error_set(err, ERROR_USAGE,
				 "a file holds one trace: when --name %s needs "
				 "a trace server (--traces-url)",
				 o->name);
	if (!o->name && ctx->backends.profiles.path)
		return error_set(err, ERROR_USAGE,
				 "a profile in a file has no time series: when "
				 "needs a server; to compare two files: "
				 "tracefind diff BEFORE AFTER");
	return true;
}

static bool check_window(const struct options *o, struct time_range window,
			 struct error *err)
{
	int64_t length_ns = window.to_ns - window.from_ns;
	int64_t least_ns = o->function ? WHEN_LEAST_SLICED_NS : WHEN_LEAST_NS;
	char least[24];

	if (length_ns > WHEN_MOST_NS)
		return error_set(err, ERROR_USAGE,
				 "when covers 7 days at most; use a shorter "
				 "window with --since or --from");
	if (length_ns >= least_ns)
		return true;
	format_duration(least_ns, least);
	return error_set(err, ERROR_USAGE,
			 "a window of at least %s is needed to detect a change "
			 "point: widen it with --since",
			 least);
}

static bool when_ask(struct when *w, struct context *ctx, struct error *err)
{
	const struct options *o = ctx->options;

	w->want.service = str_from(o->service);
	w->want.name = str_from(o->name);
	w->want.function = str_from(o->function);
	if (!check_want(ctx, err) ||
	    !window_resolve(o, ctx->backends.now_ns, DEFAULT_WINDOW_NS,
			    &w->want.window, err) ||
	    !check_window(o, w->want.window, err))
		return false;
	return when_find(w, err) || shortfall_explain(&w->v->shortfall, err);
}

static bool when_print(struct context *ctx, struct error *err)
{
	struct question question;
	struct investigation v = { .question = &question,
				   .backends = &ctx->backends,
				   .note = note_text_add };
	struct when *w = arena_array(&ctx->arena, 1, sizeof *w);
	struct when_answer answer = { .when = w, .notes = &ctx->notes };

	if (!w)
		return arena_fail(&ctx->arena, "the answer", err);
	question_from_options(&question, ctx->options);
	w->v = &v;
	if (!when_ask(w, ctx, err))
		return false;
	if (w->series[w->lead].found.kind == SERIES_TOO_FEW)
		return when_explain_few(w, err);
	answer.servers = suggest_servers(ctx, false);
	return output_answer(ctx->options, &when_writer, &answer, err);
}

int cmd_when(const struct options *o)
{
	struct error err = { 0 };
	struct context ctx;
	bool done = context_init(&ctx, o, &err) &&
		    output_check(o, "when", &err) && when_print(&ctx, &err);

	return context_end(&ctx, done, &err);
}
