/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backend/fetch_trace.h"
#include "cli/context.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/pages.h"
#include "cli/run.h"
#include "doctor/doctor.h"

/* Where what doctor asks about was set, and with which options it is asked
 * again: for its answers and its advice. */

/* A case keeps what was given, but not by which means. */
static struct str origin_of(struct context *ctx, const char *value,
			    const char *option)
{
	char origin[OPTION_ORIGIN_BYTES];

	if (!value || ctx->options->record || ctx->options->replay)
		return STR("as given");
	options_origin(ctx->options, value, option, origin);
	return arena_printf(&ctx->arena, "from %s", origin);
}

static struct str tenant_origin(struct context *ctx, const struct side *s,
				const char *option)
{
	return origin_of(ctx, s->endpoint.tenant_id,
			 options_given(ctx->options, option) ? option
							     : "tenant-id");
}

static bool set_origins(struct doctor_question *q, struct context *ctx,
			struct error *err)
{
	const struct options *o = ctx->options;
	struct doctor_side *traces = &q->traces;
	struct doctor_side *profiles = &q->profiles;
	struct doctor_side *metrics = &q->metrics;

	traces->url_origin = origin_of(ctx, o->traces_url, "traces-url");
	/* A project for traces is one for profiles, too. */
	profiles->url_origin = o->profiles_url ? origin_of(ctx, o->profiles_url,
							   "profiles-url")
					       : traces->url_origin;
	traces->tenant_origin =
		tenant_origin(ctx, &ctx->backends.traces, "traces-tenant-id");
	profiles->tenant_origin = tenant_origin(ctx, &ctx->backends.profiles,
						"profiles-tenant-id");
	metrics->url_origin = origin_of(ctx, o->metrics_url, "metrics-url");
	metrics->tenant_origin =
		tenant_origin(ctx, &ctx->backends.metrics, "metrics-tenant-id");
	return (traces->url_origin.ptr && profiles->url_origin.ptr &&
		metrics->url_origin.ptr && traces->tenant_origin.ptr &&
		profiles->tenant_origin.ptr && metrics->tenant_origin.ptr) ||
	       arena_fail(&ctx->arena, "an address", err);
}

/* Those that decide what is found; files of credentials may be named in the
 * environment as well. */
static void set_options(struct doctor_question *q, const struct options *o)
{
	const struct doctor_option given[DOCTOR_OPTIONS] = {
		{ "traces-url", o->traces_url },
		{ "profiles-url", o->profiles_url },
		{ "tenant-id", o->common.tenant_id },
		{ "traces-tenant-id", o->sides[SERVER_TRACES].tenant_id },
		{ "profiles-tenant-id", o->sides[SERVER_PROFILES].tenant_id },
		{ "metrics-url", o->metrics_url },
		{ "metrics-tenant-id", o->sides[SERVER_METRICS].tenant_id },
		{ "context", o->context },
	};

	if (o->replay)
		q->options[q->option_count++] =
			(struct doctor_option){ "replay", o->replay };
	for (size_t i = 0; i < DOCTOR_OPTIONS && !o->replay; i++)
		if (given[i].value && options_given(o, given[i].name))
			q->options[q->option_count++] = given[i];
}

struct doctor_page {
	struct context ctx;
	struct doctor_question question;
	struct doctor doctor;
};

static const struct answer_writer writer = { doctor_write_table,
					     doctor_write_json };

static bool get_trace(void *context, struct trace *trace, struct str *source,
		      struct error *err)
{
	struct context *ctx = context;

	return fetch_trace(ctx, trace, source, err);
}

static bool set_trace(struct doctor_page *p, const struct options *o,
		      struct error *err)
{
	struct doctor_question *q = &p->question;
	const struct side *traces = &p->ctx.backends.traces;
	struct trace_arg arg = { 0 };

	if (o->arg_count && !trace_arg_parse(o->args[0], &arg, err))
		return false;
	q->is_trace_file = arg.path != NULL;
	/* A trace on disk wants no server that nobody named. */
	q->wants_traces = !arg.path || !traces->is_default;
	q->context = &p->ctx;
	if (o->arg_count || traces->path)
		q->trace_fetch = get_trace;
	/* Standard input is gone. */
	if (o->arg_count)
		q->trace_text = strcmp(o->args[0], "-") ? o->args[0] : "TRACE";
	return true;
}

static bool doctor_ask(struct doctor_page *p, const struct options *o,
		       struct error *err)
{
	struct doctor_question *q = &p->question;

	if (!context_init(&p->ctx, o, err) || !output_check(o, "doctor", err) ||
	    !set_trace(p, o, err))
		return false;
	set_options(q, p->ctx.options);
	if (!set_origins(q, &p->ctx, err))
		return false;
	q->backends = &p->ctx.backends;
	q->is_case = o->record || o->replay;
	q->is_strict = o->strict;
	q->service = o->service;
	q->pad_ns = o->pad_ns;
	q->has_window = window_is_given(o);
	/* A profile of a file has no window. */
	return p->ctx.backends.profiles.path ||
	       window_resolve(o, p->ctx.backends.now_ns, NS_PER_HOUR,
			      &q->window, err);
}

int cmd_doctor(const struct options *o)
{
	struct doctor_page p = { .question.trace_text = NULL };
	struct error err = { 0 };
	bool done = doctor_ask(&p, o, &err);
	int status;

	doctor_init(&p.doctor, &p.question);
	done = done && doctor_run(&p.doctor, &err) &&
	       output_answer(o, &writer, &p.doctor, &err);
	/* What is not answered is what it tells of. */
	p.ctx.backends.gaps.count = 0;
	done = context_finish(&p.ctx, done, &err);
	if (!done)
		message_error(&err);
	status = done ? checks_exit_code(&p.doctor.checks)
		      : error_exit_code(err.code);
	doctor_release(&p.doctor);
	context_release(&p.ctx);
	return status;
}
