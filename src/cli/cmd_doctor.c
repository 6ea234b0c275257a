/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/mem.h"
#include "cli/cli.h"
#include "cli/doctor.h"
#include "cli/output.h"
#include "cli/trace_arg.h"

static const struct answer_writer writer = { doctor_write_table,
					     doctor_write_json };

static bool begin(struct doctor *d, const struct options *o, struct error *err)
{
	struct trace_arg arg = { 0 };

	arena_init(&d->arena, LIMIT_RESULT_BYTES);
	checks_init(&d->checks, &d->arena);
	trace_init(&d->trace);
	if (!context_init(&d->ctx, o, err) || !output_check(o, "doctor", err) ||
	    (o->arg_count && !trace_arg_parse(o->args[0], &arg, err)))
		return false;
	/* A trace on disk wants no server that nobody named. */
	d->is_traces_up = arg.path && d->ctx.backends.traces.is_default;
	return true;
}

static bool examine(struct doctor *d, struct error *err)
{
	if (!doctor_servers(d, err) || !doctor_trace(d, err))
		return false;
	return d->ctx.backends.profiles.path ? doctor_profile_file(d, err)
					     : doctor_profiles(d, err);
}

static int end(struct doctor *d, bool done, struct error *err)
{
	int status;

	done = context_finish(&d->ctx, done, err);
	if (!done)
		message_error(err);
	status = done ? checks_exit_code(&d->checks)
		      : error_exit_code(err->code);
	trace_release(&d->trace);
	arena_release(&d->arena);
	context_release(&d->ctx);
	mem_free(d);
	return status;
}

int cmd_doctor(const struct options *o)
{
	struct doctor *d = mem_calloc(1, sizeof *d);
	struct error err = { 0 };
	bool done;

	if (!d) {
		error_memory(&err, "the checks");
		message_error(&err);
		return error_exit_code(err.code);
	}
	done = begin(d, o, &err) && examine(d, &err) &&
	       checks_end(&d->checks, &err) &&
	       output_answer(o, &writer, d, &err);
	return end(d, done, &err);
}
