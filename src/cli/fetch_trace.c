/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/fetch_trace.h"

#include <string.h>

#include "backend/fetch_trace.h"
#include "backend/input.h"
#include "base/mem.h"
#include "base/num.h"
#include "cli/trace_arg.h"
#include "cli/window.h"
#include "report/trace_notes.h"

/* A trace may begin before and end after what the user remembers; too tight a
 * window hides parts of it without a word, since Tempo then leaves out blocks
 * of its storage that hold the rest. */
#define TRACE_WINDOW_PAD_NS NS_PER_HOUR

static bool open_source(struct input *in, const char *path,
			struct trace_source *source, struct error *err)
{
	if (!input_open_trace(in, path, err))
		return false;
	*source = (struct trace_source){
		.name = in->name,
		.format = in->format,
		.feed = in->feed,
	};
	return true;
}

/* Several files are of one trace, or of the longest in them. */
static bool read_trace_files(struct context *ctx, const char *const *paths,
			     size_t count, const struct trace_id *want,
			     struct trace *trace, struct error *err)
{
	struct trace_source *sources = mem_calloc(count, sizeof *sources);
	struct input *inputs = mem_calloc(count, sizeof *inputs);
	bool done = (sources && inputs) || error_memory(err, "the files");
	size_t opened = 0;

	while (done && opened < count) {
		done = open_source(&inputs[opened], paths[opened],
				   &sources[opened], err);
		opened++;
	}
	done = done && decode_trace_sources(sources, count, want, trace,
					    &ctx->notes, err);
	for (size_t i = 0; i < opened; i++)
		input_release(&inputs[i]);
	mem_free(sources);
	mem_free(inputs);
	if (done)
		trace_notes_add(trace, &ctx->notes);
	return done;
}

static bool fail_missing(struct context *ctx, const char *hex,
			 const char *doubt, struct error *err)
{
	const struct trace_backend *t = backends_traces(&ctx->backends);
	const struct endpoint *e = &ctx->backends.traces.endpoint;
	struct str name =
		backends_side_name(&ctx->backends, &ctx->backends.traces);

	if (t->missing_advice)
		return error_set(err, ERROR_NOT_FOUND, "%.*s: no trace %s: %s",
				 STR_ARGS(name), hex, t->missing_advice);
	if (e->tenant_id)
		return error_set(err, ERROR_NOT_FOUND,
				 "%.*s: no trace %s%s (tenant \"%s\"): check "
				 "id and tenant; it may also be past retention",
				 STR_ARGS(name), hex, doubt, e->tenant_id);
	return error_set(err, ERROR_NOT_FOUND,
			 "%.*s: no trace %s%s: check the id; it may be past "
			 "retention, not sent yet, or another tenant's "
			 "(--tenant-id)",
			 STR_ARGS(name), hex, doubt);
}

/* The user's time options narrow the search, generously padded. */
static bool window_of(const struct context *ctx, struct time_range *window,
		      struct error *err)
{
	if (!window_resolve(ctx->options, ctx->backends.now_ns, NS_PER_HOUR,
			    window, err))
		return false;
	window->from_ns = sat_sub_i64(window->from_ns, TRACE_WINDOW_PAD_NS);
	window->to_ns = sat_add_i64(window->to_ns, TRACE_WINDOW_PAD_NS);
	return true;
}

static bool fetch_from_server(struct context *ctx, const struct trace_arg *arg,
			      const char *text, struct trace *trace,
			      struct error *err)
{
	bool has_window = window_is_given(ctx->options);
	enum trace_found found;
	struct time_range window;
	char hex[33];
	struct buf doubt;

	if (has_window && !window_of(ctx, &window, err))
		return false;
	if (!trace_fetch(&ctx->backends, &arg->id, has_window ? &window : NULL,
			 trace, &found, err))
		return false;
	trace_notes_add(trace, &ctx->notes);
	if (found == TRACE_FOUND_OUTSIDE)
		notes_add(&ctx->notes, "the trace was found only outside the "
				       "given time window");
	if (found)
		return true;
	trace_id_format(&arg->id, hex);
	buf_init(&doubt, LIMIT_ERROR_BYTES);
	trace_arg_doubt(arg, text, &doubt);
	fail_missing(ctx, hex, buf_text(&doubt), err);
	buf_release(&doubt);
	return false;
}

/* The path of a trace in a file, with --traces-url file:PATH also by id. */
static const char *file_path(const struct context *ctx,
			     const struct trace_arg *arg)
{
	return arg->path ? arg->path : ctx->backends.traces.path;
}

static bool name_files(struct context *ctx, const char *path,
		       struct str *source, struct error *err)
{
	*source = strcmp(path, "-") ? str_from(path) : STR("standard input");
	if (ctx->options->arg_count > 1)
		*source = arena_printf(&ctx->arena, "%.*s and %zu more",
				       STR_ARGS(*source),
				       ctx->options->arg_count - 1);
	return source->ptr || arena_fail(&ctx->arena, "a name", err);
}

/* Behind the first argument there are files only, and so is that one then. */
static bool check_files(const struct options *o, const struct trace_arg *arg,
			struct error *err)
{
	struct trace_arg other = { 0 };

	if (!arg->path)
		return error_set(err, ERROR_USAGE,
				 "one trace at a time: \"%s\" is one too many "
				 "(files of one trace may be several)",
				 o->args[1]);
	for (size_t i = 1; i < o->arg_count; i++)
		if (!trace_arg_parse(o->args[i], &other, err) ||
		    (!other.path &&
		     !error_set(err, ERROR_USAGE,
				"one trace at a time: \"%s\" is no file",
				o->args[i])))
			return false;
	return true;
}

bool fetch_trace(struct context *ctx, struct trace *trace, struct str *source,
		 struct error *err)
{
	const struct options *o = ctx->options;
	const char *text = o->arg_count ? o->args[0] : NULL;
	struct trace_arg arg = { 0 };
	const char *path;

	if (text && !trace_arg_parse(text, &arg, err))
		return false;
	if (o->arg_count > 1 && !check_files(o, &arg, err))
		return false;
	path = file_path(ctx, &arg);
	if (!path && !text)
		return error_set(err, ERROR_USAGE,
				 "no trace given: give an id, a file or -, or "
				 "for slow what to search (--service NAME; "
				 "tracefind help %s)",
				 "slow");
	if (!path) {
		if (!fetch_from_server(ctx, &arg, text, trace, err))
			return false;
		*source = backends_side_name(&ctx->backends,
					     &ctx->backends.traces);
		return true;
	}
	if (!read_trace_files(ctx, arg.path ? o->args : &path,
			      arg.path ? o->arg_count : 1,
			      trace_id_is_zero(&arg.id) ? NULL : &arg.id, trace,
			      err) ||
	    !name_files(ctx, path, source, err))
		return false;
	return trace->span_count > 0 ||
	       error_set(err, ERROR_NOT_FOUND, "%.*s: %s", STR_ARGS(*source),
			 trace_id_is_zero(&arg.id)
				 ? "the document holds no spans"
				 : "no spans of the trace asked for; "
				   "without an id the longest trace is taken "
				   "and the others are named");
}
