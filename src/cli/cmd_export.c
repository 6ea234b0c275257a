/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/out.h"
#include "cli/context.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/pages.h"
#include "render/render.h"
#include "report/answers.h"
#include "report/texts.h"

#define DEFAULT_WINDOW_NS NS_PER_HOUR

/* The rate of requests that count against a quota that others share. */
#define METERED_RATE 4u

static bool export_options_check(const struct context *ctx, struct error *err)
{
	const struct options *o = ctx->options;

	if (!o->to_traces && !o->to_profiles)
		return error_set(err, ERROR_USAGE,
				 "no destination given: --to-traces, "
				 "--to-profiles, or both");
	if (o->arg_count && o->to_traces && o->to_profiles)
		return error_set(err, ERROR_USAGE,
				 "no destination given: --to-traces for trace "
				 "files, --to-profiles for profiles");
	if (o->findings && !o->to_traces)
		return error_set(err, ERROR_USAGE,
				 "--findings are added to traces: give "
				 "--to-traces");
	if (o->state && o->to_traces && o->to_profiles)
		return error_set(err, ERROR_USAGE,
				 "--state covers either traces or profiles: "
				 "export them one after the other");
	return true;
}

static bool check_profiles(const struct context *ctx, const struct export *e,
			   struct error *err)
{
	const struct profile_backend *p = backends_profiles(&ctx->backends);

	if (!e->path_count && !p->each)
		return error_set(err, ERROR_USAGE,
				 "%s returns merged profiles only: profiles "
				 "can be exported from Cloud Profiler "
				 "(gcp://PROJECT) or files",
				 p->title);
	if (e->path_count && e->to->receiver && !e->service)
		return error_set(err, ERROR_USAGE,
				 "no service given for these profiles: "
				 "--service NAME");
	return true;
}

/* One of the two kinds. */
static bool run_kind(struct context *ctx, struct export *e,
		     struct destination *to, struct export_side *s,
		     bool is_of_profiles, struct error *err)
{
	const struct options *o = ctx->options;
	const char *text = is_of_profiles ? o->to_profiles : o->to_traces;
	const struct side *side = is_of_profiles ? &ctx->backends.profiles
						 : &ctx->backends.traces;
	bool done;

	if (!text)
		return true;
	e->to = to;
	s->export = e;
	if (!destination_parse(to, &ctx->backends.to, text, is_of_profiles,
			       &ctx->arena, err))
		return error_prefix(err, is_of_profiles ? "--to-profiles"
							: "--to-traces");
	if (to->receiver && ctx->replay)
		return error_set(err, ERROR_USAGE,
				 "--replay sends nothing: export the case to a "
				 "file or folder");
	/* Files that are named, or the file that stands for the server. */
	e->paths = &side->path;
	e->path_count = side->path != NULL;
	if (o->arg_count) {
		e->paths = o->args;
		e->path_count = o->arg_count;
	}
	done = (!is_of_profiles || check_profiles(ctx, e, err)) &&
	       export_run(e, is_of_profiles, err);
	if (done) {
		s->from =
			o->arg_count
				? arena_printf(&ctx->arena, "%s%s", o->args[0],
					       o->arg_count > 1 ? " and others"
								: "")
				: backends_side_name(&ctx->backends, side);
		done = s->from.ptr || arena_fail(&ctx->arena, "a name", err);
	}
	/* What was done until then is not lost. */
	if (!done && e->counts.sent && err->code != ERROR_MEMORY)
		notes_add(&ctx->notes,
			  to->receiver ? "%llu %s were sent; run the same "
					 "command to resume"
				       : "%llu %s were written",
			  (unsigned long long)e->counts.sent,
			  is_of_profiles ? "profiles" : "traces");
	return done;
}

/* Keeps the rate that a side allows, or the user. */
static void keep_distance(struct context *ctx)
{
	const struct options *o = ctx->options;
	struct backends *b = &ctx->backends;

	if (o->rate) {
		b->traces.endpoint.distance_ns = NS_PER_S / (int64_t)o->rate;
		b->profiles.endpoint.distance_ns =
			b->traces.endpoint.distance_ns;
		b->to.endpoint.distance_ns = b->traces.endpoint.distance_ns;
	} else if (backends_trace_traits(b)->is_metered) {
		b->traces.endpoint.distance_ns = NS_PER_S / METERED_RATE;
	}
}

static bool export_all(struct context *ctx, struct error *err)
{
	const struct options *o = ctx->options;
	struct export_answer answer = { .notes = &ctx->notes };
	struct export traces = { .backends = &ctx->backends,
				 .service = o->service,
				 .state_path = o->state,
				 .state_folder = ctx->state_folder,
				 .keeps_state = !o->dry_run,
				 .encode = o->findings ? trace_export_findings
						       : trace_export_write,
				 .progress = progress_exported };
	struct destination to[2];
	struct export profiles;

	if (!export_options_check(ctx, err) ||
	    !window_resolve(o, ctx->backends.now_ns, DEFAULT_WINDOW_NS,
			    &traces.window, err))
		return false;
	keep_distance(ctx);
	if (ctx->state_folder)
		outfile_sweep(ctx->state_folder);
	profiles = traces;
	if (!run_kind(ctx, &traces, &to[0], &answer.traces, false, err) ||
	    !run_kind(ctx, &profiles, &to[1], &answer.profiles, true, err))
		return false;
	ctx->has_told_notes = export_has_found(&answer) &&
			      output_answer(o, &export_writer, &answer, err);
	if (export_has_found(&answer) && !ctx->has_told_notes)
		return false;
	if (!export_explain(&answer, err))
		return false;
	return !o->strict || !export_is_partial(&answer) ||
	       error_set(err, ERROR_PARTIAL,
			 "not everything was exported completely (--strict)");
}

int cmd_export(const struct options *o)
{
	struct error err = { 0 };
	struct context ctx;
	bool done = context_init(&ctx, o, &err);

	ctx.is_long = true;
	ctx.most_requests = LIMIT_REQUESTS_PER_EXPORT;
	done = done && output_check(o, "export", &err) &&
	       export_all(&ctx, &err);
	return context_end(&ctx, done, &err);
}
