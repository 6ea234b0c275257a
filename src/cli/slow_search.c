/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/slow_search.h"

#include <string.h>

#include "base/count.h"
#include "cli/search_question.h"
#include "cli/trace_arg.h"
#include "cli/window.h"
#include "report/exemplar_text.h"
#include "report/search_text.h"

bool slow_search_is_asked(const struct options *o)
{
	bool has_file = o->traces_url &&
			str_starts(str_from(o->traces_url), STR("file:"));

	return o->arg_count == 0 && !has_file && !o->span &&
	       (o->service || o->name || o->from_exemplar ||
		window_is_given(o));
}

/* What was searched for, which says nothing of the trace that was found: its
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

static void forget_searched(struct options *o)
{
	o->from = o->to = o->since = o->around = NULL;
	o->service = o->name = NULL;
	o->from_exemplar = false;
	for (size_t i = 0; i < COUNT_OF(searched); i++)
		options_unmark(o, searched[i]);
}

/* From here on as if the trace had been named, also in the commands that are
 * suggested. */
static bool choose(struct run *r, struct str id, struct error *err)
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
	forget_searched(o);
	r->ctx.options = o;
	return true;
}

static bool find_typical(struct trace_search *s, struct context *ctx,
			 struct typical_hit *typical, struct error *err)
{
	return trace_search_typical(s, &ctx->backends, typical, err) ||
	       search_text_explain(s, err);
}

static bool choose_hit(struct run *r, const struct hit *hit, struct error *err)
{
	char id[33];

	trace_id_format(&hit->id, id);
	return choose(r, str_from(id), err);
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
				 "--from-exemplar: of which service? "
				 "(--service)");
	if (!window_resolve(o, r->ctx.backends.now_ns, SEARCH_WINDOW_NS,
			    &window, err) ||
	    !exemplar_choose(&c, &r->ctx.backends, o->service, o->name, window,
			     err))
		return false;
	if (c.lack != EXEMPLAR_FOUND)
		return exemplar_text_explain(&c, err);
	if (!trace_arg_parse(c.exemplar.trace_id.ptr, &arg, err) ||
	    !choose(r, c.exemplar.trace_id, err))
		return false;
	exemplar_text_add(&c, &r->ctx.notes);
	return true;
}

bool slow_search(struct run *r, struct error *err)
{
	struct trace_search s;
	struct typical_hit typical;
	bool done;

	if (r->ctx.options->from_exemplar)
		return choose_exemplar(r, err);

	trace_search_init(&s);
	done = search_question(&s, &r->ctx, err) &&
	       find_typical(&s, &r->ctx, &typical, err) &&
	       trace_search_unusual(&s, &r->ctx.backends, err) &&
	       choose_hit(r,
			  s.unusual.hit ? s.unusual.hit
					: &s.items[typical.index],
			  err);
	if (done)
		search_text_add_choice(&s, &typical, &r->ctx.notes);
	trace_search_release(&s);
	return done;
}

/* ---- an operation ---- */

bool slow_search_operation(struct context *ctx, struct time_range range,
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
				 "the trace server does not say which spans of "
				 "the service are slow: name one with --name");
	if (done)
		search_text_add_operation(&s, &typical, &ctx->notes);
	trace_search_release(&s);
	return done;
}
