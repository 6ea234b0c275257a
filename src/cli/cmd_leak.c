/* SPDX-License-Identifier: Apache-2.0 */
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
	    !profile_paths_expand(&list, o->args, o->arg_count, &r->ctx.arena,
				  err))
		return false;
	if (list.passed)
		notes_add(&r->ctx.notes,
			  "%zu file%s in the folders left out: "
			  "not named like a profile",
			  list.passed, &"s"[list.passed == 1]);
	l->service = "the process";
	l->paths = list.items;
	l->path_count = list.count;
	return true;
}

static bool question(struct leak *l, struct run *r, struct error *err)
{
	const struct options *o = r->ctx.options;

	*l = (struct leak){ .v = &r->investigation,
			    .service = o->service,
			    .limit_bytes = (double)o->limit_bytes };
	if (o->arg_count)
		return question_of_files(l, r, err);
	if (r->ctx.backends.profiles.path)
		return error_set(err, ERROR_USAGE,
				 "%s is a file: name it as an argument, with "
				 "the others that were taken over hours",
				 r->ctx.backends.profiles.path);
	if (!o->service)
		return error_set(
			err, ERROR_USAGE,
			"which service? give --service NAME (tracefind "
			"services lists them), or files");
	if (!window_resolve(o, r->ctx.backends.now_ns, LEAK_WINDOW_NS,
			    &l->window, err))
		return false;
	if (l->window.to_ns - l->window.from_ns > LEAK_MOST_NS)
		return error_set(err, ERROR_USAGE,
				 "leak looks at 7 days at most; ask for a "
				 "shorter window with --since or --from");
	return l->window.to_ns - l->window.from_ns >= LEAK_LEAST_NS ||
	       error_set(err, ERROR_USAGE,
			 "leak needs 40 minutes at least, better hours: ask "
			 "for a longer window with --since or --from");
}

static bool leak(struct run *r, struct leak *l, struct error *err)
{
	struct leak_answer answer = {
		.leak = l,
		.limit = (size_t)r->ctx.options->limit,
		.notes = &r->result.notes,
	};

	run_ask(r);
	if (!question(l, r, err))
		return false;
	if (!leak_investigate(l, err))
		return r->investigation.shortfall.kind
			       ? shortfall_explain(&r->investigation.shortfall,
						   err)
			       : leak_explain(l, err);
	answer.servers = suggest_servers(&r->ctx, true);
	if (!context_report(&r->ctx, &r->result, err))
		return false;
	r->ctx.has_told_notes =
		output_answer(r->ctx.options, &leak_writer, &answer, err);
	return r->ctx.has_told_notes;
}

int cmd_leak(const struct options *o)
{
	struct error err = { 0 };
	struct leak l;
	struct run r;
	bool done = run_begin(&r, o, "leak", &err) && leak(&r, &l, &err);
	bool is_leak = done && leak_is_one(&l);
	int status = run_end(&r, done, &err);

	return !status && is_leak ? EXIT_LEAK : status;
}
