/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backend/input.h"
#include "cli/context.h"
#include "cli/output.h"
#include "cli/pages.h"
#include "cli/run.h"
#include "investigate/leak.h"
#include "report/answers.h"
#include "report/texts.h"

/* A check that failed, as those of a pipeline. */
#define EXIT_LEAK 10

static bool question_of_files(struct leak *l, struct run *r, struct error *err)
{
	const struct options *o = r->ctx.options;
	struct path_list list;

	if (o->service || o->selector)
		return error_set(err, ERROR_USAGE,
				 "files and --service or --selector exclude "
				 "each other");
	if (!window_refuse_file(o, o->args[0], err) ||
	    !run_expand_paths(r, o->args, o->arg_count, &list, err))
		return false;
	l->service = "the process";
	l->paths = list.items;
	l->path_count = list.count;
	return true;
}

static bool leak_question(struct leak *l, struct run *r, struct error *err)
{
	const struct options *o = r->ctx.options;

	*l = (struct leak){ .v = &r->investigation,
			    .service = o->service,
			    .limit_bytes = (double)o->limit_bytes };
	if (o->arg_count)
		return question_of_files(l, r, err);
	if (r->ctx.backends.profiles.path)
		return error_set(err, ERROR_USAGE,
				 "%s is a file: give it as an argument, with "
				 "others taken hours apart",
				 r->ctx.backends.profiles.path);
	if (!o->service)
		return error_set(
			err, ERROR_USAGE,
			"no service given: --service NAME (tracefind services "
			"lists them), or files");
	if (!window_resolve(o, r->ctx.backends.now_ns, LEAK_WINDOW_NS,
			    &l->window, err))
		return false;
	if (l->window.to_ns - l->window.from_ns > LEAK_MOST_NS)
		return error_set(err, ERROR_USAGE,
				 "leak covers 7 days at most; use a shorter "
				 "window with --since or --from");
	return l->window.to_ns - l->window.from_ns >= LEAK_LEAST_NS ||
	       error_set(err, ERROR_USAGE,
			 "leak needs at least 40 minutes, better hours: use a "
			 "longer window with --since or --from");
}

/* ---- an alert for the next one ---- */

#define DOCUMENTS "google prometheus"

/* Before servers are asked for minutes. */
static bool alerts_choose(struct document_choice *c, const struct leak *l,
			  struct run *r, struct error *err)
{
	const struct options *o = r->ctx.options;

	if (!output_count_of(o, DOCUMENTS))
		return (!o->platform && !o->metric_count) ||
		       error_set(err, ERROR_USAGE,
				 "--%s applies to alerts: add -o google or -o "
				 "prometheus",
				 o->platform ? "platform" : "metric");
	if (l->path_count)
		return error_set(err, ERROR_USAGE,
				 "an alert needs a service that is monitored: "
				 "give --service instead of files");
	if (!document_choose_service(c, &r->ctx, &l->service, err))
		return false;
	return c->is_told || !r->ctx.backends.metrics.is_default ||
	       document_growth_explain(&c->document, err);
}

static bool take_growth(struct document_choice *c, const struct leak *l,
			struct run *r, struct error *err)
{
	struct document_growth growth;
	struct document *d = &c->document;

	if (!output_count_of(r->ctx.options, DOCUMENTS))
		return true;
	if (!c->is_told)
		memcpy(c->sources, l->sources, sizeof c->sources);
	d->leak = l;
	if (!document_growth(d, &growth))
		return document_growth_explain(d, err);
	document_growth_notes(d, output_count_of(r->ctx.options, "google"),
			      &r->ctx.notes);
	r->ctx.is_answer_bare = output_is_only(r->ctx.options, DOCUMENTS);
	return true;
}

static bool leak_print(struct run *r, struct leak *l, struct error *err)
{
	struct document_choice choice;
	struct leak_answer answer = {
		.leak = l,
		.document = &choice.document,
		.limit = (size_t)r->ctx.options->limit,
		.notes = &r->result.notes,
	};

	run_ask(r);
	if (!leak_question(l, r, err) || !alerts_choose(&choice, l, r, err))
		return false;
	if (!leak_investigate(l, err))
		return r->investigation.shortfall.kind
			       ? shortfall_explain(&r->investigation.shortfall,
						   err)
			       : leak_explain(l, err);
	answer.servers = suggest_servers(&r->ctx, true);
	if (!take_growth(&choice, l, r, err) ||
	    !context_report(&r->ctx, &r->result, err) ||
	    !output_answer(r->ctx.options, &leak_writer, &answer, err))
		return false;
	r->ctx.has_told_notes = !r->ctx.is_answer_bare;
	return true;
}

int cmd_leak(const struct options *o)
{
	struct error err = { 0 };
	struct leak l;
	struct run r;
	bool done = run_begin(&r, o, "leak", &err) && leak_print(&r, &l, &err);
	bool is_leak = done && leak_is_one(&l);
	int status = run_end(&r, done, &err);

	return !status && is_leak ? EXIT_LEAK : status;
}
