/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <string.h>

#include "backend/fetch_trace.h"
#include "base/error.h"
#include "base/num.h"
#include "base/redact.h"
#include "cli/context.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/pages.h"
#include "cli/run.h"
#include "investigate/trace_search.h"
#include "report/answers.h"

/* From options to a search for traces. */

/* Default window: an hour, since people look for recent traces. */
#define SEARCH_WINDOW_NS NS_PER_HOUR

/* ERROR_USAGE: the traces are those of a file. */
static bool search_has_server(const struct context *ctx, struct error *err)
{
	const char *path = ctx->backends.traces.path;

	return !path || error_set(err, ERROR_USAGE,
				  "search needs a server; for a file: "
				  "tracefind show %s",
				  path);
}

/* Sets up the search from --service, --name, --errors, --min-duration, --above,
 * --query, --all, -n and time options. ERROR_USAGE, also if there is no server
 * to search. */
static bool search_question(struct trace_search *s, const struct context *ctx,
			    struct error *err)
{
	const struct options *o = ctx->options;
	struct find_query *q = &s->query;

	if (o->query && (o->service || o->name || o->errors))
		return error_set(err, ERROR_USAGE,
				 "--query is the whole condition: write "
				 "--service, --name and --errors into it");
	q->service = str_from(o->service);
	q->name = str_from(o->name);
	q->is_error = o->errors;
	q->traceql = str_trim(str_from(o->query));
	q->min_duration_ns = o->min_duration_ns;
	s->wanted = (size_t)o->limit;
	s->has_health_checks = o->all;
	s->held = o->takes_searches ? ctx->replay : NULL;
	if (!o->all)
		q->uncounted_names = health_check_pattern();
	if (o->above && !quantile_parse(str_from(o->above), &s->above_permille))
		return error_set(err, ERROR_INTERNAL, "--above: %s", o->above);
	return window_resolve(o, ctx->backends.now_ns, SEARCH_WINDOW_NS,
			      &q->range, err) &&
	       search_has_server(ctx, err);
}

/* ---- for slow without a trace, diff without an operation ---- */

/* The options of the search, which say nothing of the trace that was found: its
 * culprit may be any service. */
static const char *const searched[] = { "since",        "from",    "to",
					"around",       "service", "name",
					"from-exemplar" };

static bool is_searched(const char *arg)
{
	struct str name = { arg, strcspn(arg, "=") };

	for (size_t i = 0; i < COUNT_OF(searched); i++)
		if (str_starts(name, STR("--")) &&
		    str_equal(str_slice(name, 2, name.len),
			      str_from(searched[i])))
			return true;
	return false;
}

/* From here on as if the trace had been named, also in the commands that are
 * suggested. */
static bool search_choose(struct run *r, struct str id, struct error *err)
{
	struct arena *arena = &r->ctx.arena;
	struct options *o = arena_array(arena, 1, sizeof *o);
	const char **args;

	if (!o)
		return arena_fail(arena, "the options", err);
	*o = *r->ctx.options;
	args = arena_array(arena, o->raw_count + 1, sizeof *args);
	o->args[0] = arena_str(arena, id).ptr;
	if (!args || !o->args[0])
		return arena_fail(arena, "the options", err);
	o->arg_count = 1;
	o->raw_count = 0;
	for (size_t i = 0; i < r->ctx.options->raw_count; i++)
		if (!is_searched(r->ctx.options->raw_args[i]))
			args[o->raw_count++] = r->ctx.options->raw_args[i];
	o->raw_args = args;
	o->from = o->to = o->since = o->around = NULL;
	o->service = o->name = NULL;
	o->from_exemplar = false;
	for (size_t i = 0; i < COUNT_OF(searched); i++)
		options_unmark(o, searched[i]);
	r->ctx.options = o;
	return true;
}

/* Always false. */
static bool explain_none(struct trace_search *s, struct context *ctx,
			 struct error *err)
{
	bool is_asked = s->lack.kind != SEARCH_LACKS_NOTHING &&
			!s->hidden_count && !s->held && s->query.service.len;

	if (is_asked &&
	    !trace_lack_ask(&ctx->backends, &s->query, &s->lack, err))
		return false;
	return search_text_explain(s, err);
}

static bool find_typical(struct trace_search *s, struct context *ctx,
			 struct typical_hit *typical, struct error *err)
{
	return trace_search_typical(s, &ctx->backends, typical, err) ||
	       explain_none(s, ctx, err);
}

/* The trace of an exemplar, which is foreign text. */
static bool choose_exemplar(struct run *r, struct error *err)
{
	const struct options *o = r->ctx.options;
	struct exemplar_choice c;
	struct time_range window;
	struct trace_arg arg;

	if (!o->service)
		return error_set(err, ERROR_USAGE,
				 "--from-exemplar needs --service NAME");
	if (!window_resolve(o, r->ctx.backends.now_ns, SEARCH_WINDOW_NS,
			    &window, err) ||
	    !exemplar_choose(&c, &r->ctx.backends, o->service, o->name, window,
			     err))
		return false;
	if (c.lack != EXEMPLAR_FOUND)
		return exemplar_text_explain(&c, err);
	if (!trace_arg_parse(c.exemplar.trace_id.ptr, &arg, err) ||
	    !search_choose(r, c.exemplar.trace_id, err))
		return false;
	exemplar_text_add(&c, &r->ctx.notes);
	return true;
}

bool search_slow_trace(struct run *r, struct error *err)
{
	struct trace_search s;
	struct typical_hit typical;
	const struct hit *hit;
	char id[33];
	bool done;

	if (r->ctx.options->from_exemplar)
		return choose_exemplar(r, err);

	trace_search_init(&s);
	done = search_question(&s, &r->ctx, err) &&
	       find_typical(&s, &r->ctx, &typical, err) &&
	       trace_search_unusual(&s, &r->ctx.backends, err);
	if (done) {
		hit = s.unusual.hit ? s.unusual.hit : &s.items[typical.index];
		trace_id_format(&hit->id, id);
		done = search_choose(r, str_from(id), err);
	}
	if (done)
		search_text_add_choice(&s, &typical, &r->ctx.notes);
	trace_search_release(&s);
	return done;
}

bool search_slow_operation(struct context *ctx, struct time_range range,
			   struct str *name, struct error *err)
{
	struct trace_search s;
	struct typical_hit typical;
	bool done;

	trace_search_init(&s);
	done = search_question(&s, ctx, err);
	s.query.range = range;
	done = done && find_typical(&s, ctx, &typical, err);
	if (done) {
		*name = arena_str(&ctx->arena, s.items[typical.index].name);
		done = name->ptr || arena_fail(&ctx->arena, "the name", err);
	}
	if (done && !name->len)
		done = error_set(err, ERROR_NOT_FOUND,
				 "the trace server does not return slow spans "
				 "of the service: name an operation with "
				 "--name");
	if (done)
		search_text_add_operation(&s, &typical, &ctx->notes);
	trace_search_release(&s);
	return done;
}

/* ---- the command ---- */

static bool search_run(struct trace_search *s, struct context *ctx,
		       struct result *result, struct error *err)
{
	struct search_answer answer = {
		.search = s,
		.min_duration_ns = ctx->options->min_duration_ns,
		.above = ctx->options->above,
		.result = result,
	};

	if (!search_question(s, ctx, err))
		return false;
	if (!trace_search_run(s, &ctx->backends, err))
		return explain_none(s, ctx, err);
	search_text_add_notes(s, &ctx->notes);
	if (!context_report(ctx, result, err))
		return false;
	answer.servers = suggest_servers(ctx, false);
	answer.source =
		backends_side_name(&ctx->backends, &ctx->backends.traces);
	return output_answer(ctx->options, &search_writer, &answer, err);
}

/* ---- what can be searched for ---- */

static bool tags_question(struct tags_query *q, const struct context *ctx,
			  struct error *err)
{
	const struct options *o = ctx->options;

	if (!search_has_server(ctx, err))
		return false;
	if (o->query || o->name || o->errors || o->above || o->min_duration_ns)
		return error_set(err, ERROR_USAGE,
				 "--tags allows only --service and a window");
	q->service = str_from(o->service);
	if (o->arg_count)
		q->tag = str_from(o->args[0]);
	return window_resolve(o, ctx->backends.now_ns, SEARCH_WINDOW_NS,
			      &q->range, err);
}

static bool tags_run(struct context *ctx, struct error *err)
{
	const struct options *o = ctx->options;
	struct tags_answer a = { .shown = 0 };

	if (!tags_question(&a.query, ctx, err) ||
	    !tags_ask(&ctx->backends, &a.query, &a.names, err))
		return false;
	a.shown = a.names.count;
	if (options_given(o, "limit") && o->limit && o->limit < a.shown)
		a.shown = (size_t)o->limit;
	return a.names.count ? output_answer(o, &tags_writer, &a, err)
			     : tags_explain_none(&a.query, err);
}

static bool check_args(const struct options *o, struct error *err)
{
	if (!o->arg_count)
		return true;
	if (o->args[0][0] == '{')
		return error_set(err, ERROR_USAGE,
				 "unexpected argument '%s': TraceQL goes with "
				 "--query (-q is --quiet)",
				 value_quote(o->args[0]).text);
	return error_set(err, ERROR_USAGE,
			 "unexpected argument '%s': usage: tracefind search "
			 "[OPTIONS], or search --tags [TAG]; for a service use "
			 "--service",
			 value_quote(o->args[0]).text);
}

int cmd_search(const struct options *o)
{
	struct error err = { 0 };
	struct result result;
	struct trace_search s;
	struct context ctx;
	bool done, is_sample;

	if (o->tags) {
		done = context_init(&ctx, o, &err) &&
		       output_check_answer(o, "search --tags", &err) &&
		       tags_run(&ctx, &err);
		return context_end(&ctx, done, &err);
	}
	memset(&result, 0, sizeof result);
	arena_init(&result.arena, LIMIT_RESULT_BYTES);
	notes_init(&result.notes);
	trace_search_init(&s);
	done = context_init(&ctx, o, &err) && check_args(o, &err) &&
	       output_check(o, "search", &err) &&
	       search_run(&s, &ctx, &result, &err);
	is_sample = s.is_sample;
	done = context_finish(&ctx, done, &err);
	if (done && o->strict && is_sample)
		done = error_set(&err, ERROR_PARTIAL,
				 "the list is a sample (--strict)");
	if (!done)
		message_error(&err);
	trace_search_release(&s);
	arena_release(&result.arena);
	context_release(&ctx);
	return done ? 0 : error_exit_code(err.code);
}
