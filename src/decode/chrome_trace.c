/* SPDX-License-Identifier: Apache-2.0
 *
 * Samples in a Chrome trace (Chrome's performance panel, node
 * --trace-event-categories disabled-by-default-v8.cpu_profiler): events
 * "Profile" and "ProfileChunk" that together are a CPU profile of a thread, or
 * "CpuProfile", a whole one. They are told apart by process and id. Members of
 * an event may stand in any order, so those of interest are read twice.
 */
#include <stdio.h>

#include "decode/chrome_events.h"
#include "decode/formats.h"
#include "decode/v8_calls.h"

struct reader {
	struct v8_group g;
	struct column all; /* struct v8_calls */
	struct map by_thread;
	bool is_of_py_spy; /* so some event says */
	bool is_open;      /* the list has no end */
};

static bool no_memory(const struct reader *r, struct error *err)
{
	return arena_fail(r->g.arena, V8_WHAT, err);
}

static bool is_profile_event(struct str name)
{
	return str_equal(name, STR("Profile")) ||
	       str_equal(name, STR("ProfileChunk")) ||
	       str_equal(name, STR("CpuProfile"));
}

/* Of an event. Real ones are shorter: "1234", "0x1". */
struct event {
	char pid[32];
	char tid[32];
	char id[32];
	bool is_profile;
};

static void keep_text(struct reader *r, char *kept, size_t size)
{
	struct json_reader *json = r->g.json;
	enum json_kind kind = json_peek(json);
	struct str text;

	if (kind != JSON_STRING && kind != JSON_NUMBER)
		json_skip(json);
	else if (kind == JSON_STRING ? json_text(json, &text)
				     : json_number_text(json, &text))
		snprintf(kept, size, "%.*s", STR_ARGS(text));
}

static void read_event_key(struct reader *r, struct str key, struct event *e)
{
	struct str name, category;

	if (str_equal(key, STR("pid")))
		keep_text(r, e->pid, sizeof e->pid);
	else if (str_equal(key, STR("tid")))
		keep_text(r, e->tid, sizeof e->tid);
	else if (str_equal(key, STR("id")))
		keep_text(r, e->id, sizeof e->id);
	else if (str_equal(key, STR("cat")) &&
		 json_peek(r->g.json) == JSON_STRING)
		r->is_of_py_spy |= json_text(r->g.json, &category) &&
				   str_equal(category, STR("py-spy"));
	else if (!str_equal(key, STR("name")) ||
		 json_peek(r->g.json) != JSON_STRING)
		json_skip(r->g.json);
	else if (json_text(r->g.json, &name))
		e->is_profile = is_profile_event(name);
}

static struct v8_calls *find_thread(struct reader *r, const struct event *e)
{
	/* Chunks have an id, which other threads write, too. */
	struct str key = arena_printf(r->g.arena, "%s %s %s", e->pid, e->id,
				      *e->id ? "" : e->tid);
	struct v8_calls *calls;
	uint32_t index;

	if (!key.ptr ||
	    !map_insert(&r->by_thread, key, (uint32_t)r->all.count, &index))
		return NULL;
	if (index < r->all.count)
		return (struct v8_calls *)r->all.items + index;
	calls = column_add(r->g.arena, &r->all, sizeof *calls);
	if (!calls)
		return NULL;
	v8_calls_init(calls, &r->g);
	calls->may_lack_nodes = true; /* full buffers drop events */
	return calls;
}

static bool read_cpu_profile(struct v8_calls *calls, struct error *err)
{
	struct str key;

	if (!json_enter_nullable(calls->json, JSON_OBJECT))
		return true;
	while (json_next_key(calls->json, &key))
		if (!v8_calls_read(calls, key, err))
			return false;
	return true;
}

/* Times stand beside the nodes of a chunk, or in them. */
static bool read_data(struct v8_calls *calls, struct error *err)
{
	struct str key;

	if (!json_enter_nullable(calls->json, JSON_OBJECT))
		return true;
	while (json_next_key(calls->json, &key))
		if (!(str_equal(key, STR("cpuProfile"))
			      ? read_cpu_profile(calls, err)
			      : v8_calls_read(calls, key, err)))
			return false;
	return true;
}

static bool read_profile_event(struct reader *r, const struct event *e,
			       struct error *err)
{
	struct json_reader *json = r->g.json;
	struct v8_calls *calls = find_thread(r, e);
	struct str key;

	if (!calls)
		return no_memory(r, err);
	if (!json_enter(json, JSON_OBJECT))
		return true;
	while (json_next_key(json, &key)) {
		if (!str_equal(key, STR("args"))) {
			json_skip(json);
			continue;
		}
		if (!json_enter_nullable(json, JSON_OBJECT))
			continue;
		while (json_next_named(json, STR("data")))
			if (!read_data(calls, err))
				return false;
	}
	return true;
}

static bool read_events(struct reader *r, struct error *err)
{
	struct json_reader *json = r->g.json;

	if (!json_enter_nullable(json, JSON_ARRAY))
		return true;
	while (json_next_item_or_end(json, &r->is_open)) {
		struct event e = { .is_profile = false };
		struct feed_place place;
		struct str key;

		json_tell(json, &place);
		if (!json_enter_nullable(json, JSON_OBJECT))
			continue;
		while (json_next_key(json, &key))
			read_event_key(r, key, &e);
		if (!e.is_profile || json_failed(json))
			continue;
		json_resume(json, &place);
		if (!read_profile_event(r, &e, err))
			return false;
	}
	return true;
}

static bool lacks_samples(const struct reader *r, struct error *err)
{
	return error_set(err, ERROR_FORMAT,
			 "the Chrome trace has no samples of functions (%s; "
			 "its spans: tracefind show)",
			 r->is_of_py_spy
				 ? "record some: py-spy record --format "
				   "speedscope"
				 : "record it with the category "
				   "disabled-by-default-v8.cpu_profiler");
}

/* The list of events, or an object that has it. */
static bool read_document(struct reader *r, struct error *err)
{
	struct json_reader *json = r->g.json;

	if (json_peek(json) == JSON_ARRAY) {
		if (!read_events(r, err))
			return false;
	} else if (json_enter(json, JSON_OBJECT)) {
		while (json_next_named(json, STR("traceEvents")))
			if (!read_events(r, err))
				return false;
	}
	json_expect_end(json, "trace");
	if (!json_check(json, err))
		return false;
	return r->all.count || lacks_samples(r, err);
}

static bool read_profile(struct reader *r, const struct profile_want *want,
			 struct notes *notes, struct error *err)
{
	if (!read_document(r, err))
		return false;
	r->g.all = r->all.items;
	r->g.count = r->all.count;
	if (r->is_open)
		notes_add(notes, "%s", CHROME_OPEN_NOTE);
	if (r->g.count > 1)
		notes_add(notes, "%zu threads of the Chrome trace are added up",
			  r->g.count);
	return v8_group_finish(&r->g, want, notes, err);
}

bool decode_chrome_trace(struct str bytes, const struct profile_want *want,
			 struct profile *out, struct notes *notes,
			 struct error *err)
{
	struct arena arena;
	struct reader r = {
		.g.arena = &arena,
		.g.json = json_new(bytes, err),
		.g.profile = out,
	};
	bool is_done = false;

	if (!r.g.json)
		return false;
	arena_init(&arena, LIMIT_DECODE_HEAP_BYTES);
	map_init(&r.by_thread, &arena);
	r.g.build = profile_build_new(out, err);
	if (r.g.build)
		is_done = read_profile(&r, want, notes, err);
	profile_build_free(r.g.build);
	arena_release(&arena);
	json_free(r.g.json);
	return is_done;
}
