/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/context.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "backend/fetch_profile.h"
#include "backend/fetch_trace.h"
#include "cli/commands.h"
#include "wire/har.h"

static bool fail_held(const struct har *har, const char *path,
		      const char *missing, struct error *err)
{
	struct buf held;

	buf_init(&held, LIMIT_ERROR_BYTES);
	har_describe(har, &held);
	error_set(err, ERROR_NOT_FOUND, "%s holds no %s; it holds %s", path,
		  missing, buf_text(&held));
	buf_release(&held);
	return false;
}

static const char *text_keep(struct arena *arena, struct str text,
			     struct error *err)
{
	struct str copy = arena_str(arena, text);

	if (!copy.ptr)
		arena_fail(arena, "the case's options", err);
	return copy.ptr;
}

/* ---- its trace ---- */

/* Finds the trace that the recorded command was given, also a file. */
static bool recorded_trace(const struct har *har, const char **trace)
{
	const char *const *args = NULL;
	size_t count = har_args(har, &args);
	const struct command *command =
		count ? command_find(str_from(args[0])) : NULL;
	struct options o;
	struct error ignored;

	if (!command || count > INT_MAX ||
	    !(command->bit & (COMMAND_SLOW | COMMAND_SHOW | COMMAND_DOCTOR)))
		return false;
	options_init(&o);
	if (!options_parse_case(&o, command, (int)count - 1, args + 1, true,
				&ignored) ||
	    !o.arg_count)
		return false;
	*trace = o.args[0];
	return true;
}

static bool fill_trace(struct options *o, const struct har *har,
		       struct arena *arena, struct error *err)
{
	const char *trace = NULL;

	for (size_t i = 0; i < har_held_count(har) && !trace; i++) {
		struct har_held held = har_held_at(har, i);
		struct str id = har_held_trace(held.url);

		if (id.len && held.has_answer &&
		    !(trace = text_keep(arena, id, err)))
			return false;
	}
	if (recorded_trace(har, &trace) || trace) {
		o->args[0] = trace;
		o->arg_count = 1;
	}
	return true;
}

/* ---- its profiles ---- */

/* A window ends before its end: by a millisecond in what is asked for. */
static const char *window_edge(struct arena *arena, uint64_t ms,
			       struct error *err)
{
	struct str text = arena_printf(arena, "%" PRIu64, ms);

	if (!text.ptr)
		arena_fail(arena, "the case's options", err);
	return text.ptr;
}

static bool fill_window(struct options *o, const struct held_profile *p,
			struct arena *arena, struct error *err)
{
	o->type = text_keep(arena, p->type, err);
	if (!o->type)
		return false;
	o->selector = text_keep(arena, p->selector, err);
	if (!o->selector)
		return false;
	o->from = window_edge(arena, p->from_ms, err);
	if (!o->from)
		return false;
	o->to = window_edge(arena, p->to_ms + 1, err);
	return o->to != NULL;
}

static bool fill_profiles(struct options *o, bool is_diff, struct har *har,
			  const char *path, struct arena *arena,
			  struct error *err)
{
	struct held_profile latest = { .from_ms = 0 }, before = latest;
	bool is_any = !o->type || !strcmp(o->type, "auto");
	struct str range;

	har_relax(har);
	if (!held_profile_latest(har, is_any ? NULL : o->type, &latest))
		return fail_held(har, path,
				 o->type ? "profile of that type and a window"
					 : "profile of a service in a window",
				 err);
	if (!fill_window(o, &latest, arena, err))
		return false;
	if (!is_diff || o->baseline)
		return true;
	if (!held_profile_before(har, &latest, &before))
		return fail_held(har, path,
				 "earlier profile to compare with (tracefind "
				 "profile shows the one there is)",
				 err);
	range = arena_printf(arena, "%" PRIu64 "..%" PRIu64, before.from_ms,
			     before.to_ms + 1);
	o->baseline = range.ptr;
	return range.ptr || arena_fail(arena, "the case's options", err);
}

/* ---- its names and types ---- */

bool case_fill(struct options *o, const struct command *command,
	       struct har *har, const char *path, struct arena *arena,
	       struct error *err)
{
	uint64_t from_ms, to_ms;

	switch (command->bit) {
	case COMMAND_SLOW:
	case COMMAND_SHOW:
		if (!fill_trace(o, har, arena, err))
			return false;
		return o->arg_count || fail_held(har, path, "trace", err);
	case COMMAND_DOCTOR:
		return fail_held(har, path, "answers to doctor's questions",
				 err);
	case COMMAND_PROFILE:
	case COMMAND_DIFF:
		return fill_profiles(o, command->bit == COMMAND_DIFF, har, path,
				     arena, err);
	case COMMAND_SEARCH:
		o->takes_searches = true;
		return held_searches_any(har) ||
		       fail_held(har, path, "search", err);
	case COMMAND_SERVICES:
	case COMMAND_TYPES:
		/* The window that the case's list is of. */
		har_relax(har);
		if (!held_list_window(har, &from_ms, &to_ms))
			return fail_held(har, path,
					 "list of what sends profiles", err);
		o->from = window_edge(arena, from_ms, err);
		o->to = o->from ? window_edge(arena, to_ms + 1, err) : NULL;
		return o->to != NULL;
	default:
		return true;
	}
}
