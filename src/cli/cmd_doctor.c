/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "cli/cli.h"
#include "cli/context.h"
#include "cli/fetch_trace.h"
#include "cli/output.h"
#include "cli/trace_arg.h"
#include "cli/window.h"
#include "doctor/doctor.h"

struct doctor_page {
	struct context ctx;
	struct doctor_question question;
	struct doctor doctor;
};

static const struct answer_writer writer = { doctor_write_table,
					     doctor_write_json };

/* A case keeps what was given, but not by which means. */
static bool set_origin(struct context *ctx, const char *value,
		       const char *option, struct str *out, struct error *err)
{
	char origin[OPTION_ORIGIN_BYTES];

	*out = STR("as given");
	if (!value || ctx->options->record || ctx->options->replay)
		return true;
	options_origin(ctx->options, value, option, origin);
	*out = arena_printf(&ctx->arena, "from %s", origin);
	return out->ptr || arena_fail(&ctx->arena, "an address", err);
}

/* A project for traces is one for profiles, too. */
static bool set_origins(struct doctor_page *p, const struct options *o,
			struct error *err)
{
	struct backends *b = &p->ctx.backends;
	struct doctor_question *q = &p->question;

	return set_origin(&p->ctx, o->traces_url, "traces-url",
			  &q->traces.url_origin, err) &&
	       set_origin(&p->ctx,
			  o->profiles_url ? o->profiles_url : o->traces_url,
			  o->profiles_url ? "profiles-url" : "traces-url",
			  &q->profiles.url_origin, err) &&
	       set_origin(&p->ctx, b->traces.endpoint.tenant_id,
			  options_given(o, "traces-tenant-id")
				  ? "traces-tenant-id"
				  : "tenant-id",
			  &q->traces.tenant_origin, err) &&
	       set_origin(&p->ctx, b->profiles.endpoint.tenant_id,
			  options_given(o, "profiles-tenant-id")
				  ? "profiles-tenant-id"
				  : "tenant-id",
			  &q->profiles.tenant_origin, err);
}

/* Those that decide what is found; files of credentials may be named in the
 * environment as well. */
static void set_options(struct doctor_question *q, const struct options *o)
{
	const struct doctor_option given[DOCTOR_OPTIONS] = {
		{ "traces-url", o->traces_url },
		{ "profiles-url", o->profiles_url },
		{ "tenant-id", o->common.tenant_id },
		{ "traces-tenant-id", o->traces.tenant_id },
		{ "profiles-tenant-id", o->profiles.tenant_id },
		{ "context", o->context },
	};

	if (o->replay)
		q->options[q->option_count++] =
			(struct doctor_option){ "replay", o->replay };
	for (size_t i = 0; i < DOCTOR_OPTIONS && !o->replay; i++)
		if (given[i].value && options_given(o, given[i].name))
			q->options[q->option_count++] = given[i];
}

static bool get_trace(void *context, struct trace *trace, struct str *source,
		      struct error *err)
{
	struct context *ctx = context;

	return fetch_trace(ctx, ctx->options->args[0], trace, source, err);
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

static bool ask(struct doctor_page *p, const struct options *o,
		struct error *err)
{
	struct doctor_question *q = &p->question;

	if (!context_init(&p->ctx, o, err) || !output_check(o, "doctor", err) ||
	    !set_trace(p, o, err) || !set_origins(p, o, err))
		return false;
	set_options(q, o);
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

static int end(struct doctor_page *p, bool done, struct error *err)
{
	int status;

	done = context_finish(&p->ctx, done, err);
	if (!done)
		message_error(err);
	status = done ? checks_exit_code(&p->doctor.checks)
		      : error_exit_code(err->code);
	doctor_release(&p->doctor);
	context_release(&p->ctx);
	mem_free(p);
	return status;
}

int cmd_doctor(const struct options *o)
{
	struct doctor_page *p = mem_calloc(1, sizeof *p);
	struct error err = { 0 };
	bool done;

	if (!p) {
		error_memory(&err, "the checks");
		message_error(&err);
		return error_exit_code(err.code);
	}
	done = ask(p, o, &err);
	doctor_init(&p->doctor, &p->question);
	done = done && doctor_run(&p->doctor, &err) &&
	       output_answer(o, &writer, &p->doctor, &err);
	return end(p, done, &err);
}
