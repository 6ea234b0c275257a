/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/run.h"

#include <string.h>

#include "analyze/profile_analysis.h"
#include "base/buf.h"
#include "base/outfile.h"
#include "cli/fetch_trace.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/output_wanted.h"
#include "cli/question.h"
#include "cli/row_order.h"
#include "report/comparison_notes.h"
#include "report/finding_report.h"
#include "report/note_text.h"
#include "report/rules_fault_text.h"
#include "report/shortfall_text.h"

static bool load_rules(struct run *r, struct error *err)
{
	const char *path = r->ctx.options->rules;
	struct rules_fault fault = { .kind = RULES_FAULT_NONE };
	struct buf text;
	bool is_done;

	if (!path)
		return true;
	buf_init(&text, LIMIT_RULE_FILE_BYTES);
	is_done = file_read(path, &text, err) &&
		  code_rules_parse(&r->rules, &r->ctx.arena, buf_str(&text),
				   &fault, err);
	if (fault.kind)
		rules_fault_explain(&fault, path, err);
	buf_release(&text);
	return is_done || error_prefix(err, "--rules");
}

bool run_begin(struct run *r, const struct options *o, const char *command,
	       struct error *err)
{
	memset(r, 0, sizeof *r);
	arena_init(&r->result.arena, LIMIT_RESULT_BYTES);
	notes_init(&r->result.notes);
	notes_init(&r->result.reasons);
	r->result.shows_reasons = o->why;
	r->result.has_reasons = o->why || output_needs(o, RENDER_TAKES_ALL);
	r->result.command = command;
	trace_init(&r->trace);
	if (!context_init(&r->ctx, o, err) || !output_check(o, command, err) ||
	    !load_rules(r, err))
		return false;
	r->investigation = (struct investigation){
		.question = &r->question,
		.backends = &r->ctx.backends,
		.trace = &r->trace,
		.result = &r->result,
		.note = note_text_add,
	};
	return true;
}

void run_ask(struct run *r)
{
	question_from_options(&r->question, r->ctx.options);
	r->question.rules = &r->rules;
	r->question.view = r->filters.view;
}

bool run_choose(struct run *r, struct chosen *c, struct error *err)
{
	if (!chosen_fetch(c, err) || !chosen_filter(c, true, err))
		return shortfall_explain(&r->investigation.shortfall, err);
	r->shown = &c->comparison;
	return true;
}

bool run_find_suspect(struct run *r, struct suspect *s, struct error *err)
{
	const struct options *o = r->ctx.options;

	run_ask(r);
	if (!question_suspect(&r->question, o, err))
		return false;
	if (!fetch_trace(&r->ctx, &r->trace, &r->result.trace.source, err))
		return false;
	r->result.trace.page =
		backends_trace_page(&r->ctx.backends, &r->trace.id);
	return suspect_find(&r->investigation, s, err) ||
	       suspect_explain(s, err);
}

/* What files of pprof and OTLP need, and nothing else. */
#define ANY_ORDER_NEEDS                                                        \
	(RENDER_NEEDS_PROFILE | RENDER_NEEDS_ONE | RENDER_IS_BINARY |          \
	 RENDER_IS_UNRANKED)

enum stack_order run_file_order(const struct run *r, bool has_several_files)
{
	const struct options *o = r->ctx.options;

	if (profile_filters_are_given(&r->filters))
		return STACKS_IN_ORDER;
	if (!has_several_files)
		return output_needs(o, ~0u) ? STACKS_IN_ORDER : STACKS_SUMMED;
	return output_shows_ranks(o) ||
			       output_needs(o, ~(unsigned)ANY_ORDER_NEEDS)
		       ? STACKS_IN_ORDER
		       : STACKS_ANY_ORDER;
}

bool run_render(struct run *r, struct error *err)
{
	const struct options *o = r->ctx.options;
	const struct rows_order_want order = {
		.order = row_order_shown(o),
		.limit = (size_t)o->limit,
		.listed = output_functions(o),
	};

	comparison_notes_report(&r->result, &r->result.notes,
				&r->result.reasons);
	r->ctx.has_told_notes = rows_order_apply(&order, &r->result, err) &&
				context_report(&r->ctx, &r->result, err) &&
				output_render(r, err);
	return r->ctx.has_told_notes;
}

/* The server said so, or spans name parents that are not there. */
static bool is_incomplete(const struct run *r)
{
	return r->trace.is_partial || r->trace.orphan_count > 0;
}

int run_end(struct run *r, bool done, struct error *err)
{
	notes_append(&r->ctx.notes, &r->result.notes);
	done = context_finish(&r->ctx, done, err);
	if (done && r->ctx.options->strict && is_incomplete(r))
		done = error_set(err, ERROR_PARTIAL,
				 "the trace is incomplete (--strict)");
	if (!done)
		message_error(err);
	trace_release(&r->trace);
	profile_filters_release(&r->filters);
	arena_release(&r->result.arena);
	context_release(&r->ctx);
	return done ? 0 : error_exit_code(err->code);
}
