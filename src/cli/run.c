/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/run.h"

#include <string.h>

#include "analyze/code_memo.h"
#include "analyze/profile_analysis.h"
#include "base/buf.h"
#include "base/outfile.h"
#include "cli/cli.h"
#include "cli/output.h"
#include "cli/row_order.h"
#include "report/comparison_notes.h"

static bool keep_classes(struct run *r, struct error *err)
{
	r->rules.memo = code_memo_new(&r->ctx.arena);
	return r->rules.memo || arena_fail(&r->ctx.arena, "the rules", err);
}

static bool load_rules(struct run *r, struct error *err)
{
	const char *path = r->ctx.options->rules;
	struct buf text;
	bool is_done;

	if (!path)
		return keep_classes(r, err);
	buf_init(&text, LIMIT_RULE_FILE_BYTES);
	is_done = file_read(path, &text, err) &&
		  code_rules_parse(&r->rules, &r->ctx.arena, path,
				   buf_str(&text), err);
	buf_release(&text);
	if (!is_done)
		return error_prefix(err, "--rules");
	return keep_classes(r, err);
}

bool run_begin(struct run *r, const struct options *o, const char *command,
	       struct error *err)
{
	memset(r, 0, sizeof *r);
	arena_init(&r->result.arena, LIMIT_RESULT_BYTES);
	notes_init(&r->result.notes);
	notes_init(&r->result.reasons);
	r->result.has_reasons = o->why;
	r->result.command = command;
	trace_init(&r->trace);
	evidence_init(&r->evidence);
	return context_init(&r->ctx, o, err) && output_check(o, command, err) &&
	       load_rules(r, err);
}

enum normalize run_normalize(const struct options *o, enum normalize fallback)
{
	if (!o->normalize)
		return fallback;
	if (!strcmp(o->normalize, "rate"))
		return NORMALIZE_RATE;
	return strcmp(o->normalize, "share") ? NORMALIZE_REQUEST
					     : NORMALIZE_SHARE;
}

static int64_t length_ns(struct time_range range, int64_t profiled_ns,
			 const struct profile *p)
{
	int64_t ns = profiled_ns ? profiled_ns : range.to_ns - range.from_ns;

	return ns > 0 ? ns : p->duration_ns;
}

/* Files of a process that ran until it was done are compared as they are. */
static enum normalize usual_way(struct run *r)
{
	const struct evidence *ev = &r->evidence;
	bool is_of_whole_runs;
	enum normalize way;

	if (ev->window.to_ns || ev->baseline_window.to_ns)
		return NORMALIZE_RATE;
	way = profiles_usual_way(&ev->slow, &ev->baseline, &is_of_whole_runs);
	if (is_of_whole_runs)
		comparison_notes_add_whole_runs(&ev->slow, &ev->baseline,
						&r->ctx.notes);
	return way;
}

/* How many requests there were, nobody knows here. */
static enum normalize way_of(struct run *r)
{
	const struct options *o = r->ctx.options;
	enum normalize asked = run_normalize(o, NORMALIZE_REQUEST);

	if (asked != NORMALIZE_REQUEST || r->evidence.slow.is_gauge)
		return asked;
	if (o->normalize)
		notes_add(&r->ctx.notes,
			  "not compared by request: the number of requests is "
			  "not known");
	return usual_way(r);
}

bool run_rank(struct run *r, enum rank_by by, struct str span_name,
	      bool is_loop, struct error *err)
{
	const struct options *o = r->ctx.options;
	const struct evidence *ev = &r->evidence;
	struct rank_want want = {
		.by = row_order_measure(o, by),
		.normalize = way_of(r),
		.is_way_asked = o->normalize != NULL,
		.limit = row_order_limit(o),
		.listed = output_functions(o),
		.span_name = span_name,
		.is_loop = is_loop,
		.window_ns = length_ns(ev->window, ev->profiled_ns, &ev->slow),
		.baseline_ns =
			length_ns(ev->baseline_window, ev->baseline_profiled_ns,
				  &ev->baseline),
		.rules = &r->rules,
		.is_plain = r->is_plain,
		.is_drawn = output_needs(o, RENDER_DRAWS_FLAME),
	};

	if (!functions_rank(&ev->slow, ev->has_baseline ? &ev->baseline : NULL,
			    &want, &r->result, err))
		return false;
	comparison_notes_add(r->result.rank_facts, &r->result.notes);
	return true;
}

bool run_rank_shown(struct run *r, enum rank_by by, struct error *err)
{
	return !output_shows_ranks(r->ctx.options) ||
	       run_rank(r, by, STR(""), false, err);
}

/* What pprof files need, and nothing else. */
#define ANY_ORDER_NEEDS                                                        \
	(RENDER_NEEDS_PROFILE | RENDER_IS_BINARY | RENDER_IS_UNRANKED |        \
	 RENDER_IS_PACKED)

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

static bool keep_text(struct arena *arena, struct str *text)
{
	if (text->len)
		*text = arena_str(arena, *text);
	return !text->len || text->ptr;
}

/* The texts of rows, and the unit, lie in the profiles, which are about to
 * go. */
static bool keep_rows(struct result *result, struct error *err)
{
	struct arena *arena = &result->arena;

	result->table = NULL;
	if (!keep_text(arena, &result->profile.unit) ||
	    !keep_text(arena, &result->source_root))
		return arena_fail(arena, "the unit", err);
	for (size_t i = 0; i < result_listed(result); i++) {
		struct function_row *row = &result->functions[i];

		if (!keep_text(arena, &row->name) ||
		    !keep_text(arena, &row->file) ||
		    !keep_text(arena, &row->leaf) ||
		    !keep_text(arena, &row->through))
			return arena_fail(arena, "the rows", err);
	}
	return true;
}

bool run_view_begin(struct run *r, size_t note_count, struct kept_verdict *kept,
		    struct error *err)
{
	struct result *result = &r->result;

	*kept = (struct kept_verdict){ result->kinds, result->baseline_kinds };
	result->verdict_rows = result->functions;
	result->verdict_count = result->function_count;
	result->notes.count = note_count;
	result->has_places_in_names =
		r->filters.view.granularity != GRANULARITY_FUNCTION;
	return keep_rows(result, err);
}

void run_view_end(struct run *r, const struct kept_verdict *kept)
{
	r->result.kinds = kept->kinds;
	r->result.baseline_kinds = kept->baseline_kinds;
}

void run_view_empty(struct run *r)
{
	r->result.function_count = r->result.function_total = 0;
	r->result.function_listed = 0;
	r->result.noise_count = 0;
	notes_add(&r->ctx.notes,
		  "nothing in the profile matches the filters (--focus, "
		  "--show...): no rows; the verdict is of the whole profile");
}

bool run_render(struct run *r, struct error *err)
{
	const struct options *o = r->ctx.options;

	r->ctx.has_told_notes =
		row_order_apply(o, output_functions(o), &r->result, err) &&
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
	evidence_release(&r->evidence);
	profile_filters_release(&r->filters);
	arena_release(&r->result.arena);
	context_release(&r->ctx);
	return done ? 0 : error_exit_code(err->code);
}
