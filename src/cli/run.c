/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/run.h"

#include <string.h>

#include "analyze/code_kind.h"
#include "analyze/view.h"
#include "backend/fetch_trace.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/num.h"
#include "base/out.h"
#include "cli/context.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/output.h"
#include "decode/profile_type.h"
#include "investigate/chosen.h"
#include "investigate/commits.h"
#include "investigate/question.h"
#include "investigate/suspect.h"
#include "model/result.h"
#include "model/trace.h"
#include "report/answers.h"
#include "report/texts.h"

/* --sort: which measure ranks the functions, and orders that are no measure
 * ("before", "function"): those are of what is shown, so the rows are ranked
 * as ever, all of them kept, and put in order when the verdict is made. */

static bool sort_is(const struct options *o, const char *word)
{
	return o->sort && !strcmp(o->sort, word);
}

enum rows_order row_order_shown(const struct options *o)
{
	if (sort_is(o, "function") || sort_is(o, "name"))
		return ROWS_BY_NAME;
	return sort_is(o, "before") ? ROWS_BY_BEFORE : ROWS_AS_RANKED;
}

bool row_order_is_free(const struct options *o)
{
	return !o->sort || row_order_shown(o);
}

enum rank_by row_order_measure(const struct options *o, enum rank_by fallback)
{
	if (row_order_is_free(o))
		return fallback;
	if (sort_is(o, "self") || sort_is(o, "flat"))
		return RANK_SELF;
	if (sort_is(o, "total") || sort_is(o, "cum"))
		return RANK_TOTAL;
	if (sort_is(o, "change") || sort_is(o, "delta"))
		return RANK_DELTA;
	return RANK_SELF_LIB;
}

size_t row_order_limit(const struct options *o)
{
	return row_order_shown(o) ? 0 : (size_t)o->limit;
}

/* From options to the question that an investigation answers. */

/* Which span may be blamed. ERROR_USAGE says what is wrong. */
static bool question_suspect(struct question *q, const struct options *o,
			     struct error *err)
{
	struct guilty_want *want = &q->suspect;

	/* Of a trace that was found by a search --service is gone. */
	*want = (struct guilty_want){
		.service = str_from(o->blame ? o->blame : o->service),
		.name = str_from(o->name),
	};
	if (o->by && !strcmp(o->by, "self"))
		want->by = GUILTY_BY_SELF;
	if (o->by && !strcmp(o->by, "duration"))
		want->by = GUILTY_BY_DURATION;
	if (o->span && (strlen(o->span) != 16 ||
			!parse_hex_u64(str_from(o->span), &want->span_id)))
		return error_set(err, ERROR_USAGE,
				 "--span \"%s\": a span id has 16 hex digits",
				 o->span);
	return true;
}

static void read_scope(struct question *q, const struct options *o)
{
	static const struct {
		const char *word;
		enum scope scope;
	} scopes[] = {
		{ "service", SCOPE_SERVICE },
		{ "instance", SCOPE_INSTANCE },
		{ "cohort", SCOPE_COHORT },
		{ "span", SCOPE_SPAN },
	};

	for (size_t i = 0; o->scope && i < COUNT_OF(scopes); i++) {
		if (strcmp(o->scope, scopes[i].word) != 0)
			continue;
		q->has_scope = true;
		q->scope = scopes[i].scope;
	}
}

void question_from_options(struct question *q, const struct options *o)
{
	enum normalize normalize = NORMALIZE_REQUEST;

	if (o->normalize && !strcmp(o->normalize, "value"))
		normalize = NORMALIZE_VALUE;
	else if (o->normalize && !strcmp(o->normalize, "rate"))
		normalize = NORMALIZE_RATE;
	else if (o->normalize && !strcmp(o->normalize, "share"))
		normalize = NORMALIZE_SHARE;
	*q = (struct question){
		.pad_ns = o->pad_ns,
		.type = o->type && strcmp(o->type, "auto") ? o->type : NULL,
		.selector = o->selector,
		.baseline_selector = o->baseline_selector,
		.maps = o->maps,
		.map_count = o->map_count,
		.rows = { .has_measure = !row_order_is_free(o),
			  .measure = row_order_measure(o, RANK_TOTAL),
			  .has_normalize = o->normalize != NULL,
			  .normalize = normalize,
			  .limit = row_order_limit(o),
			  .listed = output_functions(o),
			  .is_drawn = output_needs(o, RENDER_DRAWS_FLAME) },
		.has_reasons = o->why,
	};
	read_scope(q, o);
}

/* The options that choose parts of a profile and how fine it is shown:
 * --focus --ignore --hide --show --show-from --tag-focus --tag-ignore
 * --granularity. */

static bool pattern_compile(const char *pattern, const char *option,
			    struct regex **re, struct error *err)
{
	if (pattern)
		*re = regex_new(str_from(pattern), option, err);
	return !pattern || *re;
}

static enum granularity granularity_of(const char *word)
{
	static const char *const words[] = {
		[GRANULARITY_FUNCTION] = "function",
		[GRANULARITY_FILE] = "file",
		[GRANULARITY_LINE] = "line",
		[GRANULARITY_ADDRESS] = "address",
	};

	for (size_t i = 0; word && i < sizeof words / sizeof *words; i++)
		if (!strcmp(word, words[i]))
			return (enum granularity)i;
	return GRANULARITY_FUNCTION;
}

bool profile_filters_init(struct profile_filters *f, struct context *ctx,
			  struct error *err)
{
	const struct options *o = ctx->options;
	struct view *v = &f->view;

	*f = (struct profile_filters){
		.view = { .granularity = granularity_of(o->granularity),
			  .trim_path = str_from(o->trim_path),
			  .source_path = str_from(o->source_path) },
	};
	if (!pattern_compile(o->focus, "--focus", &v->focus, err) ||
	    !pattern_compile(o->ignore, "--ignore", &v->ignore, err) ||
	    !pattern_compile(o->hide, "--hide", &v->hide, err) ||
	    !pattern_compile(o->show, "--show", &v->show, err) ||
	    !pattern_compile(o->show_from, "--show-from", &v->show_from, err))
		return false;
	if (o->tag_focus || o->tag_ignore) {
		f->labels = label_filter_new(o->tag_focus, o->tag_ignore,
					     err);
		if (!f->labels)
			return false;
	}
	ctx->backends.want.labels = f->labels;
	if (!view_is_plain(v))
		ctx->backends.want.detail = view_detail(v);
	return true;
}

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

bool run_find_commits(struct run *r, struct error *err)
{
	const struct source_places places = {
		.trim_path = str_from(r->ctx.options->trim_path),
		.folders = str_from(r->ctx.options->source_path),
	};

	return commits_find(&places, &r->result, err);
}

/* A trace may begin before and end after what the user remembers; too tight a
 * window hides parts of it without a word, since servers then leave out blocks
 * of their storage that hold the rest. */
#define TRACE_WINDOW_PAD_NS NS_PER_HOUR

bool fetch_trace(struct context *ctx, struct trace *trace, struct str *source,
		 struct error *err)
{
	const struct options *o = ctx->options;
	bool has_window = window_is_given(o);
	struct time_range window;
	struct trace_named named;
	enum trace_found found;

	if (!trace_named_parse(&named, o->args, o->arg_count, &ctx->backends,
			       err))
		return false;
	/* The user's time options narrow the search, generously padded. */
	if (!named.count && has_window) {
		if (!window_resolve(o, ctx->backends.now_ns, NS_PER_HOUR,
				    &window, err))
			return false;
		window.from_ns =
			sat_sub_i64(window.from_ns, TRACE_WINDOW_PAD_NS);
		window.to_ns = sat_add_i64(window.to_ns, TRACE_WINDOW_PAD_NS);
	}
	if (!trace_named_fetch(&named, &ctx->backends,
			       has_window ? &window : NULL, trace, &found, err))
		return false;
	trace_notes_add(trace, &ctx->notes);
	if (found == TRACE_FOUND_OUTSIDE)
		notes_add(&ctx->notes, "the trace was found only outside the "
				       "given time window");
	return trace_named_check(&named, &ctx->backends, trace, found,
				 &ctx->arena, source, err);
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

/* The needs of files of pprof and OTLP, and nothing else. */
#define ANY_ORDER_NEEDS                                                        \
	(RENDER_NEEDS_PROFILE | RENDER_NEEDS_ONE | RENDER_IS_BINARY |          \
	 RENDER_IS_UNRANKED)

enum stack_order run_file_order(const struct run *r, bool has_several_files)
{
	const struct options *o = r->ctx.options;

	if (!view_is_plain(&r->filters.view))
		return STACKS_IN_ORDER;
	if (!has_several_files)
		return output_needs(o, ~0u) ? STACKS_IN_ORDER : STACKS_SUMMED;
	return output_shows_ranks(o) ||
			       output_needs(o, ~(unsigned)ANY_ORDER_NEEDS)
		       ? STACKS_IN_ORDER
		       : STACKS_ANY_ORDER;
}

bool run_expand_paths(struct run *r, const char *const *paths, size_t count,
		      struct path_list *out, struct error *err)
{
	if (!profile_paths_expand(out, paths, count, &r->ctx.arena, err))
		return false;
	if (out->passed)
		notes_add(&r->ctx.notes,
			  "%zu file%s in the folders left out: not named like "
			  "a profile",
			  out->passed, &"s"[out->passed == 1]);
	return true;
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

int run_end(struct run *r, bool done, struct error *err)
{
	notes_append(&r->ctx.notes, &r->result.notes);
	done = context_finish(&r->ctx, done, err);
	/* The server said so, or spans name parents that are not there. */
	if (done && r->ctx.options->strict &&
	    (r->trace.is_partial || r->trace.orphan_count > 0))
		done = error_set(err, ERROR_PARTIAL,
				 "the trace is incomplete (--strict)");
	if (!done)
		message_error(err);
	trace_release(&r->trace);
	regex_free(r->filters.view.focus);
	regex_free(r->filters.view.ignore);
	regex_free(r->filters.view.hide);
	regex_free(r->filters.view.show);
	regex_free(r->filters.view.show_from);
	label_filter_free(r->filters.labels);
	arena_release(&r->result.arena);
	context_release(&r->ctx);
	return done ? 0 : error_exit_code(err->code);
}
