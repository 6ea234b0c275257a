/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/fetch.h"

#include <string.h>

#include "base/num.h"
#include "cli/input.h"
#include "cli/trace_arg.h"
#include "cli/window.h"

/* A trace may begin before and end after what the user remembers; too tight a
 * window hides parts of it without a word, since Tempo then leaves out blocks
 * of its storage that hold the rest. */
#define TRACE_WINDOW_PAD_NS NS_PER_HOUR

static enum format form_format(enum body_form form)
{
	switch (form) {
	case BODY_OTLP_JSON:
		return FORMAT_OTLP_JSON;
	case BODY_OTLP_PB:
		return FORMAT_OTLP_PB;
	case BODY_TEMPO_PB:
		return FORMAT_TEMPO_PB;
	case BODY_JAEGER_JSON:
		return FORMAT_JAEGER_JSON;
	case BODY_CLOUD_TRACE_JSON:
		return FORMAT_CLOUD_TRACE_JSON;
	case BODY_PPROF:
	case BODY_PYROSCOPE_TREE_PB:
	case BODY_PYROSCOPE_RENDER_JSON:
	case BODY_TEMPO_SEARCH_JSON:
	case BODY_TEMPO_SEARCH_PB:
		break;
	}
	return FORMAT_UNKNOWN;
}

static bool read_trace_file(struct context *ctx, const char *path,
			    const struct trace_id *want, struct trace *trace,
			    struct error *err)
{
	struct input in;
	bool done = input_open_trace(&in, path, err);

	if (done)
		done = (in.feed ? decode_trace_feed(in.format, in.feed, want,
						    trace, &ctx->notes, err)
				: decode_trace(in.format, in.bytes, want, trace,
					       &ctx->notes, err)) ||
		       error_prefix(err, "%s", in.name);
	input_release(&in);
	return done;
}

/* Starts the model over for the next attempt. */
static void trace_restart(struct trace *trace)
{
	bool wants_details = trace->wants_details;

	trace_release(trace);
	trace_init(trace);
	trace->wants_details = wants_details;
}

static bool decode_answer(struct context *ctx, enum body_form form,
			  const struct http_response *response,
			  const struct trace_id *id, struct trace *trace,
			  struct error *err)
{
	return decode_trace(form_format(form), buf_str(&response->body), id,
			    trace, &ctx->notes, err) ||
	       error_prefix(err, "%s: trace",
			    source_kind_name(ctx->traces.kind));
}

/* One attempt. *answer says how it went; false is a failure for good. */
static bool try_attempt(struct context *ctx, const struct trace_query *query,
			const struct trace_id *id, unsigned attempt,
			struct trace *trace, enum answer *answer,
			struct error *err)
{
	const struct side *s = &ctx->traces;
	struct http_request request = { 0 };
	struct http_response response = { 0 };
	enum body_form form;
	bool done = false;

	if (!source_trace_request(s->kind, &s->endpoint, query, attempt,
				  &request, err) ||
	    !context_run(ctx, &request, &response, 1, err))
		goto out;
	*answer = source_trace_answer(s->kind, attempt, &s->endpoint, &response,
				      &form, err);
	done = true;
	if (*answer == ANSWER_OK) {
		done = decode_answer(ctx, form, &response, id, trace, err);
		if (done && trace->span_count == 0)
			*answer = ANSWER_MISS;
	}
out:
	http_request_release(&request);
	http_response_release(&response);
	return done;
}

static bool attempts_run(struct context *ctx, const struct trace_query *query,
			 const struct trace_id *id, struct trace *trace,
			 enum answer *answer, struct error *err)
{
	unsigned count = source_trace_attempts(ctx->traces.kind);
	bool is_missed = false;

	if (count == 0)
		return error_set(err, ERROR_USAGE,
				 "%s cannot be asked for a trace",
				 source_kind_name(ctx->traces.kind));
	for (unsigned attempt = 0; attempt < count; attempt++) {
		trace_restart(trace);
		if (!try_attempt(ctx, query, id, attempt, trace, answer, err))
			return false;
		if (*answer == ANSWER_OK || *answer == ANSWER_ERROR)
			return *answer == ANSWER_OK;
		if (*answer == ANSWER_MISS)
			return true;
		is_missed |= *answer == ANSWER_TRY_NEXT;
	}
	/* The last attempt said why it does not answer. */
	return !is_missed;
}

static bool fail_missing(struct context *ctx, const char *hex,
			 const char *doubt, struct error *err)
{
	const struct endpoint *e = &ctx->traces.endpoint;
	struct str name = context_side_name(ctx, &ctx->traces);

	if (e->project)
		return error_set(err, ERROR_NOT_FOUND,
				 "%.*s: no trace %s: check id and project; it "
				 "may be past the 30 days that Cloud Trace "
				 "keeps, not sampled, or not sent yet",
				 STR_ARGS(name), hex);
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
static bool set_window(struct context *ctx, struct trace_query *query,
		       struct error *err)
{
	if (!window_is_given(ctx->options))
		return true;
	if (!window_resolve(ctx->options, ctx->now_ns, NS_PER_HOUR,
			    &query->window, err))
		return false;
	query->has_window = true;
	query->window.from_ns =
		sat_sub_i64(query->window.from_ns, TRACE_WINDOW_PAD_NS);
	query->window.to_ns =
		sat_add_i64(query->window.to_ns, TRACE_WINDOW_PAD_NS);
	return true;
}

/* Within the window first, when there is one. */
static bool fetch_by_id(struct context *ctx, const struct trace_id *id,
			const char *hex, struct trace *trace, bool *is_found,
			struct error *err)
{
	struct trace_query query = { .trace_id_hex = hex };
	enum answer answer = ANSWER_MISS;

	if (!set_window(ctx, &query, err) || !context_probe_traces(ctx, err))
		return false;
	if (!attempts_run(ctx, &query, id, trace, &answer, err))
		return false;
	if (answer == ANSWER_MISS && query.has_window) {
		query.has_window = false;
		if (!attempts_run(ctx, &query, id, trace, &answer, err))
			return false;
		if (answer == ANSWER_OK)
			notes_add(&ctx->notes, "the trace was found only "
					       "outside the given time window");
	}
	*is_found = answer == ANSWER_OK;
	return true;
}

static bool fetch_from_server(struct context *ctx, const struct trace_arg *arg,
			      const char *text, struct trace *trace,
			      struct error *err)
{
	char hex[33];
	struct buf doubt;
	bool is_found = false;

	trace_id_format(&arg->id, hex);
	if (!fetch_by_id(ctx, &arg->id, hex, trace, &is_found, err))
		return false;
	if (is_found)
		return true;
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
	return arg->path ? arg->path : ctx->traces.path;
}

bool fetch_trace(struct context *ctx, const char *text, struct trace *trace,
		 struct str *source, struct error *err)
{
	struct trace_arg arg = { 0 };
	const char *path;

	if (text && !trace_arg_parse(text, &arg, err))
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
		*source = context_side_name(ctx, &ctx->traces);
		return true;
	}
	if (!read_trace_file(ctx, path,
			     trace_id_is_zero(&arg.id) ? NULL : &arg.id, trace,
			     err))
		return false;
	*source = strcmp(path, "-") ? str_from(path) : STR("standard input");
	return trace->span_count > 0 ||
	       error_set(err, ERROR_NOT_FOUND, "%.*s: %s", STR_ARGS(*source),
			 trace_id_is_zero(&arg.id)
				 ? "the document holds no spans"
				 : "no spans of the trace asked for; "
				   "without an id the longest trace is taken "
				   "and the others are named");
}
