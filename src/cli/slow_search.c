/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/slow_search.h"

#include <string.h>

#include "base/count.h"
#include "cli/trace_search.h"
#include "cli/window.h"

/* Slow is what took as long as the slowest twentieth. An answer's worth of
 * those is enough to see what is typical: two questions, and so many wanted
 * traces that answers are no longer than those of search. */
#define SLOW_PERMILLE 950u
#define SLOW_ROUNDS 2u
#define SLOW_TRACES 25u

bool slow_search_is_asked(const struct options *o)
{
	bool has_file = o->traces_url &&
			str_starts(str_from(o->traces_url), STR("file:"));

	return o->arg_count == 0 && !has_file && !o->span &&
	       (o->service || o->name || window_is_given(o));
}

static void note_choice(const struct trace_search *s,
			const struct typical *typical, struct notes *notes)
{
	const struct hit *hit = &s->items[typical->index];
	char id[33], took[24], slow[24];
	struct buf basis;

	trace_id_format(&hit->id, id);
	format_duration(hit->duration_ns, took);
	format_duration(s->above_ns, slow);
	buf_init(&basis, LIMIT_PAGE_TEXT_BYTES);
	trace_search_basis(s, &basis);
	notes_add(notes,
		  "took trace %s: %.*s %.*s, %s, the median of %zu like it "
		  "among %zu slow ones (the slowest 5 %% of %s took "
		  "%s or longer)",
		  id, STR_ARGS(hit->root_service), STR_ARGS(hit->root_name),
		  took, typical->group_count, s->fitting_count,
		  buf_text(&basis), slow);
	buf_release(&basis);
}

/* What was searched for, which says nothing of the trace that was found: its
 * culprit may be any service. */
static const char *const searched[] = { "since", "from",    "to",
					"around", "service", "name" };

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
	for (size_t i = 0; i < COUNT_OF(searched); i++)
		options_unmark(o, searched[i]);
}

/* From here on as if the trace had been named, also in the commands that are
 * suggested. */
static bool choose(struct run *r, const struct hit *hit, struct error *err)
{
	struct arena *arena = &r->ctx.arena;
	struct options *o = arena_array(arena, 1, sizeof *o);
	const char **args;
	char id[33];

	trace_id_format(&hit->id, id);
	if (!o)
		return arena_fail(arena, "the options", err);
	*o = *r->ctx.options;
	args = arena_array(arena, o->raw_count + 1, sizeof *args);
	o->args[0] = arena_str(arena, str_from(id)).ptr;
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

/* The slow traces in s->query.range, and one that is typical of them. */
static bool find_typical(struct context *ctx, struct trace_search *s,
			 struct typical *typical, struct error *err)
{
	s->wanted = SLOW_TRACES;
	s->above_permille = SLOW_PERMILLE;
	s->round_limit = SLOW_ROUNDS;
	return trace_search_run(s, ctx, err) &&
	       typical_find(s->items, s->fitting_count, typical, err);
}

bool slow_search(struct run *r, struct error *err)
{
	struct trace_search s;
	struct typical typical;
	bool done;

	trace_search_init(&s);
	done = trace_search_options(&s, &r->ctx, err) &&
	       find_typical(&r->ctx, &s, &typical, err) &&
	       choose(r, &s.items[typical.index], err);
	if (done)
		note_choice(&s, &typical, &r->ctx.notes);
	trace_search_release(&s);
	return done;
}

/* ---- an operation ---- */

static void note_operation(const struct trace_search *s,
			   const struct typical *typical, struct notes *notes)
{
	const struct hit *hit = &s->items[typical->index];
	char id[33], took[24];
	struct buf basis;

	trace_id_format(&hit->id, id);
	format_duration(hit->duration_ns, took);
	buf_init(&basis, LIMIT_PAGE_TEXT_BYTES);
	trace_search_basis(s, &basis);
	notes_add(notes,
		  "took operation \"%.*s\": trace %s, in which it took %s, is "
		  "typical of the slowest 5 %% of %s; "
		  "another one with --name (tracefind search --tags name "
		  "--service %.*s lists them)",
		  STR_ARGS(hit->name), id, took, buf_text(&basis),
		  STR_ARGS(s->query.service));
	buf_release(&basis);
}

bool slow_search_operation(struct context *ctx, struct time_range range,
			   struct str *name, struct error *err)
{
	struct trace_search s;
	struct typical typical;
	bool done;

	trace_search_init(&s);
	done = trace_search_options(&s, ctx, err);
	s.query.range = range;
	done = done && find_typical(ctx, &s, &typical, err);
	if (done) {
		*name = arena_str(&ctx->arena, s.items[typical.index].name);
		done = name->ptr || arena_fail(&ctx->arena, "the name", err);
	}
	if (done && !name->len)
		done = error_set(err, ERROR_NOT_FOUND,
				 "the trace server does not say which spans of "
				 "the service are slow: name one with --name");
	if (done)
		note_operation(&s, &typical, &ctx->notes);
	trace_search_release(&s);
	return done;
}
