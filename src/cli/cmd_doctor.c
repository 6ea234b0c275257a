/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/num.h"
#include "cli/context.h"
#include "cli/doctor_origins.h"
#include "cli/fetch_trace.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/pages.h"
#include "cli/trace_arg.h"
#include "cli/window.h"

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

static bool ask(struct doctor_page *p, const struct options *o,
		struct error *err)
{
	struct doctor_question *q = &p->question;

	if (!context_init(&p->ctx, o, err) || !output_check(o, "doctor", err) ||
	    !set_trace(p, o, err) || !doctor_question_origins(q, &p->ctx, err))
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
	bool done = ask(&p, o, &err);
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
