/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backend/fetch_trace.h"
#include "cli/context.h"
#include "cli/output.h"
#include "cli/pages.h"
#include "cli/run.h"
#include "investigate/suspect.h"
#include "render/render.h"
#include "report/answers.h"

/* Formats that print each span with its attributes. */
static bool has_full_output(const struct options *o)
{
	for (size_t i = 0; i < o->output_count; i++)
		if (!strcmp(o->outputs[i].format, "json"))
			return true;
	return output_needs(o, RENDER_NEEDS_SPANS | RENDER_NEEDS_ONE);
}

static bool set_view(struct run *r, const struct suspect *g, struct error *err)
{
	const struct options *o = r->ctx.options;
	struct show_view *view = &r->result.view;

	view->has_events = o->events;
	view->has_errors = o->errors;
	/* The id was checked and found while looking for the guilty span. */
	view->is_one = o->span != NULL;
	view->span = view->is_one ? r->result.span.span : SPAN_NONE;
	return !(view->is_one || has_full_output(o)) ||
	       waterfall_spans(&r->trace, &g->times, &g->pick, &r->result, err);
}

static bool select_rows(struct run *r, struct error *err)
{
	const struct options *o = r->ctx.options;
	const struct waterfall_want want = {
		.is_failed = o->errors,
		.service = str_from(o->service),
		.collapse = o->collapse,
		.collapse_count = o->collapse_count,
		.limit = options_given(o, "limit") ? (size_t)o->limit : 0,
	};

	if (!waterfall_select(&r->trace, &want, &r->result, err))
		return false;
	if (o->errors && !r->result.waterfall_count)
		notes_add(&r->ctx.notes, "no span has an error status");
	return true;
}

static bool trace_show(struct run *r, struct suspect *s, struct error *err)
{
	const struct options *o = r->ctx.options;
	struct trace_arg arg = { .path = NULL };

	r->trace.wants_details = o->events || o->errors || o->span ||
				 has_full_output(o) ||
				 output_needs(o, RENDER_TAKES_ALL);
	/* A file has one trace, or the one that is named. */
	if (window_is_given(o)) {
		if (o->arg_count && !trace_arg_parse(o->args[0], &arg, err))
			return false;
		if (!window_refuse_file(o,
					arg.path ? arg.path
						 : r->ctx.backends.traces.path,
					err))
			return false;
	}
	if (!run_find_suspect(r, s, err) ||
	    !suspect_report_write(s, &r->result, err) || !set_view(r, s, err) ||
	    !waterfall_build(&r->trace, &s->times, &s->pick, &r->result, err) ||
	    !select_rows(r, err))
		return false;
	suggest_next(r, "slow", "");
	return run_render(r, err);
}

bool show_trace(struct run *r, struct error *err)
{
	struct suspect suspect;
	bool done;

	suspect_init(&suspect);
	done = trace_show(r, &suspect, err);
	suspect_release(&suspect);
	return done;
}

int cmd_show(const struct options *o)
{
	struct error err = { 0 };
	struct run r;
	bool done = run_begin(&r, o, "show", &err) && show_trace(&r, &err);

	return run_end(&r, done, &err);
}
