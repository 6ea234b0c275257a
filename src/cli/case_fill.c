/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/case_fill.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "backend/source.h"
#include "base/num.h"
#include "cli/cli.h"
#include "decode/wire.h"
#include "wire/har_held.h"

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

static const char *keep(struct arena *arena, struct str text, struct error *err)
{
	struct str copy = arena_str(arena, text);

	if (!copy.ptr)
		arena_fail(arena, "the case's options", err);
	return copy.ptr;
}

/* ---- its trace ---- */

/* What the recorded command was given, also a file. */
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

		if (id.len && held.has_answer && !(trace = keep(arena, id, err)))
			return false;
	}
	if (recorded_trace(har, &trace) || trace) {
		o->args[0] = trace;
		o->arg_count = 1;
	}
	return true;
}

static bool has_search(const struct har *har)
{
	for (size_t i = 0; i < har_held_count(har); i++) {
		struct har_held held = har_held_at(har, i);

		if (held.has_answer && har_held_is_search(held.url))
			return true;
	}
	return false;
}

/* ---- its profiles ---- */

/* One profile that a Pyroscope was asked for. */
struct held_profile {
	struct str type, selector;
	uint64_t from_ms, to_ms; /* both belong to it */
};

/* SelectMergeProfileRequest of querier.proto. */
static bool read_request(struct str body, struct held_profile *out)
{
	struct wire w;
	struct wire_field f;
	struct error ignored;

	*out = (struct held_profile){ .from_ms = 0 };
	wire_init(&w, body);
	while (wire_next(&w, &f))
		switch (f.tag) {
		case WIRE_TAG(1, WIRE_BYTES):
			out->type = f.bytes;
			break;
		case WIRE_TAG(2, WIRE_BYTES):
			out->selector = f.bytes;
			break;
		case WIRE_TAG(3, WIRE_VARINT):
			out->from_ms = f.value;
			break;
		case WIRE_TAG(4, WIRE_VARINT):
			out->to_ms = f.value;
			break;
		}
	return wire_check(&w, "a request of the case", &ignored) &&
	       out->type.len && out->selector.len &&
	       out->to_ms > out->from_ms && out->to_ms < INT64_MAX;
}

static bool held_profile_at(const struct har *har, size_t i,
			    struct held_profile *out)
{
	struct har_held held = har_held_at(har, i);

	return held.has_answer &&
	       strstr(held.url, "/querier.v1.QuerierService/"
				"SelectMergeProfile") &&
	       read_request(held.body, out);
}

static bool is_wanted(const struct options *o, const struct held_profile *p)
{
	struct str type = p->type;
	const struct name_list one = { .items = &type, .count = 1 };
	struct arena arena;
	struct str id;
	struct error ignored;
	bool is_gauge, is_it;

	if (!o->type || !strcmp(o->type, "auto"))
		return true;
	arena_init(&arena, LIMIT_OPTION_VALUE_BYTES * 2);
	is_it = profile_type_resolve(str_from(o->type), &one, &arena, &id,
				     &is_gauge, &ignored) &&
		str_equal(id, p->type);
	arena_release(&arena);
	return is_it;
}

/* The latest window: a baseline lies before it. */
static bool find_latest(const struct options *o, const struct har *har,
			struct held_profile *latest)
{
	struct held_profile p;
	bool is_found = false;

	for (size_t i = 0; i < har_held_count(har); i++)
		if (held_profile_at(har, i, &p) && is_wanted(o, &p) &&
		    (!is_found || p.to_ms > latest->to_ms)) {
			*latest = p;
			is_found = true;
		}
	return is_found;
}

/* The earliest of the same that ended before. */
static bool find_before(const struct har *har, const struct held_profile *of,
			struct held_profile *before)
{
	struct held_profile p;
	bool is_found = false;

	for (size_t i = 0; i < har_held_count(har); i++)
		if (held_profile_at(har, i, &p) && p.to_ms <= of->from_ms &&
		    str_equal(p.type, of->type) &&
		    str_equal(p.selector, of->selector) &&
		    (!is_found || p.from_ms < before->from_ms)) {
			*before = p;
			is_found = true;
		}
	return is_found;
}

/* A window ends before its end: by a millisecond in what is asked for. */
static const char *edge(struct arena *arena, uint64_t ms, struct error *err)
{
	struct str text = arena_printf(arena, "%" PRIu64, ms);

	if (!text.ptr)
		arena_fail(arena, "the case's options", err);
	return text.ptr;
}

static bool fill_window(struct options *o, const struct held_profile *p,
			struct arena *arena, struct error *err)
{
	o->type = keep(arena, p->type, err);
	if (!o->type)
		return false;
	o->selector = keep(arena, p->selector, err);
	if (!o->selector)
		return false;
	o->from = edge(arena, p->from_ms, err);
	if (!o->from)
		return false;
	o->to = edge(arena, p->to_ms + 1, err);
	return o->to != NULL;
}

static bool fill_baseline(struct options *o, const struct held_profile *p,
			  struct arena *arena, struct error *err)
{
	struct str range =
		arena_printf(arena, "%" PRIu64 "..%" PRIu64, p->from_ms,
			     p->to_ms + 1);

	o->baseline = range.ptr;
	return range.ptr || arena_fail(arena, "the case's options", err);
}

static bool fill_profiles(struct options *o, bool is_diff, struct har *har,
			  const char *path, struct arena *arena,
			  struct error *err)
{
	struct held_profile latest = { .from_ms = 0 }, before = latest;

	har_relax(har);
	if (!find_latest(o, har, &latest))
		return fail_held(har, path,
				 o->type ? "profile of that type and a window"
					 : "profile of a service in a window",
				 err);
	if (!fill_window(o, &latest, arena, err))
		return false;
	if (!is_diff || o->baseline)
		return true;
	if (!find_before(har, &latest, &before))
		return fail_held(har, path,
				 "earlier profile to compare with (tracefind "
				 "profile shows the one there is)",
				 err);
	return fill_baseline(o, &before, arena, err);
}

/* ---- its names and types ---- */

/* A number of a request of ours, which is JSON without blanks. */
static bool read_number(struct str body, struct str key, uint64_t *out)
{
	size_t at = str_find(body, key), len = 0;
	struct str rest;

	if (at == SIZE_MAX)
		return false;
	rest = str_slice(body, at + key.len, body.len);
	while (len < rest.len && rest.ptr[len] >= '0' && rest.ptr[len] <= '9')
		len++;
	return parse_u64(str_slice(rest, 0, len), out) && *out < INT64_MAX;
}

/* The window that the case's list is of. */
static bool fill_lists(struct options *o, struct har *har, const char *path,
		       struct arena *arena, struct error *err)
{
	har_relax(har);
	for (size_t i = 0; i < har_held_count(har); i++) {
		struct har_held held = har_held_at(har, i);
		uint64_t from_ms, to_ms;

		if (!held.has_answer || !strstr(held.url, "/Series") ||
		    !read_number(held.body, STR("\"start\":"), &from_ms) ||
		    !read_number(held.body, STR("\"end\":"), &to_ms))
			continue;
		o->from = edge(arena, from_ms, err);
		o->to = o->from ? edge(arena, to_ms + 1, err) : NULL;
		return o->to != NULL;
	}
	return fail_held(har, path, "list of what sends profiles", err);
}

bool case_fill(struct options *o, const struct command *command,
	       struct har *har, const char *path, struct arena *arena,
	       struct error *err)
{
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
		return has_search(har) || fail_held(har, path, "search", err);
	case COMMAND_SERVICES:
	case COMMAND_TYPES:
		return fill_lists(o, har, path, arena, err);
	default:
		return true;
	}
}
