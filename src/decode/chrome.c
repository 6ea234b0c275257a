/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/map.h"
#include "base/num.h"
#include "base/system.h"
#include "base/timefmt.h"
#include "decode/formats.h"
#include "decode/trace_json.h"
#include "decode/v8_profile.h"

/* Samples in a Chrome trace (Chrome's performance panel, node
 * --trace-event-categories disabled-by-default-v8.cpu_profiler): events
 * "Profile" and "ProfileChunk", which together are a CPU profile of a thread,
 * or "CpuProfile", a complete one. Profiles are identified by process and id.
 * Members of an event come in any order: its arguments are kept until its name
 * is known. */

struct reader {
	struct v8_group g;
	struct column all; /* struct v8_calls */
	struct map by_thread;
	struct buf args;   /* of an event, until it is known to be a sample */
	bool is_of_py_spy; /* an event says so */
	bool is_of_node;
	bool is_open; /* the list has no end */
};

/* Maximum size of an event's id. Real ones are shorter: "1234", "0x1". */
struct event {
	char pid[32];
	char tid[32];
	char id[32];
	uint64_t args_end; /* end offset in the input */
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

enum {
	TEXT_PID,
	TEXT_TID,
	TEXT_ID,
	TEXT_SCOPE,
	TEXT_CATEGORY,
	TEXT_NAME,
	TEXTS,
	FIELD_PHASE = TEXTS,
	FIELD_TIME,
	FIELD_DURATION,
	FIELD_ID2,
	FIELD_ARGS,
};

static struct json_fields sample_fields = JSON_FIELDS(
	JSON_NAME("pid", TEXT_PID), JSON_NAME("tid", TEXT_TID),
	JSON_NAME("id", TEXT_ID), JSON_NAME("cat", TEXT_CATEGORY),
	JSON_NAME("name", TEXT_NAME), JSON_NAME("args", FIELD_ARGS));

static void read_event(struct reader *r, struct event *e)
{
	struct json_reader *json = r->g.json;
	struct str text;
	int field;

	buf_clear(&r->args);
	while ((field = json_next_field(json, &sample_fields)) >= 0)
		if (field == TEXT_PID) {
			keep_text(r, e->pid, sizeof e->pid);
		} else if (field == TEXT_TID) {
			keep_text(r, e->tid, sizeof e->tid);
		} else if (field == TEXT_ID) {
			keep_text(r, e->id, sizeof e->id);
		} else if (field == FIELD_ARGS && !r->args.len &&
			 json_peek(json) != JSON_NULL) {
			e->args_end = json_raw(json, &r->args)
					      ? json_offset(json)
					      : 0;
		} else if (field == FIELD_ARGS ||
			   json_peek(json) != JSON_STRING) {
			json_skip(json);
		} else if (!json_text(json, &text)) {
			break;
		} else if (field == TEXT_NAME) {
			e->is_profile = str_equal(text, STR("Profile")) ||
					str_equal(text, STR("ProfileChunk")) ||
					str_equal(text, STR("CpuProfile"));
			/* Metadata: version numbers. */
			r->is_of_node |= str_equal(text, STR("node"));
		} else {
			r->is_of_py_spy |= str_equal(text, STR("py-spy"));
		}
}

static struct v8_calls *find_thread(struct reader *r, const struct event *e)
{
	/* Chunks have an id, which may also be written by other threads. */
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

/* Times are next to the nodes of a chunk, or within. */
static bool read_data(struct v8_calls *calls, struct error *err)
{
	struct str key;

	if (!json_enter_nullable(calls->json, JSON_OBJECT))
		return true;
	while (json_next_key(calls->json, &key))
		if (!str_equal(key, STR("cpuProfile"))) {
			if (!v8_calls_read(calls, key, err))
				return false;
		} else if (json_enter_nullable(calls->json, JSON_OBJECT)) {
			while (json_next_key(calls->json, &key))
				if (!v8_calls_read(calls, key, err))
					return false;
		}
	return true;
}

static bool read_profile_event(struct reader *r, const struct event *e,
			       struct error *err)
{
	struct v8_calls *calls = find_thread(r, e);
	struct json_reader *json;
	bool is_read = true;

	if (!calls)
		return arena_fail(r->g.arena, V8_WHAT, err);
	if (!r->args.len)
		return true;
	json = json_new_part(buf_str(&r->args), e->args_end - r->args.len, err);
	if (!json)
		return false;
	calls->json = json;
	if (json_enter(json, JSON_OBJECT))
		while (is_read && json_next_named(json, STR("data")))
			is_read = read_data(calls, err);
	is_read = is_read && json_check(json, err);
	json_free(json);
	return is_read;
}

static bool read_sample_events(struct reader *r, struct error *err)
{
	struct json_reader *json = r->g.json;

	if (!json_enter_nullable(json, JSON_ARRAY))
		return true;
	while (json_next_item_or_end(json, &r->is_open)) {
		struct event e = { .is_profile = false };

		if (!json_enter_nullable(json, JSON_OBJECT))
			continue;
		read_event(r, &e);
		if (e.is_profile && !json_failed(json) &&
		    !read_profile_event(r, &e, err))
			return false;
	}
	return true;
}

/* Reads a list of events, or an object that contains one. */
static bool read_sample_document(struct reader *r, struct error *err)
{
	struct json_reader *json = r->g.json;
	const char *way = "record it with the category "
			  "disabled-by-default-v8.cpu_profiler";

	if (json_peek(json) == JSON_ARRAY) {
		if (!read_sample_events(r, err))
			return false;
	} else if (json_enter(json, JSON_OBJECT)) {
		while (json_next_named(json, STR("traceEvents")))
			if (!read_sample_events(r, err))
				return false;
	}
	json_expect_end(json, "trace");
	if (!json_check(json, err))
		return false;
	if (r->all.count)
		return true;
	if (r->is_of_py_spy)
		way = "record some: py-spy record --format speedscope";
	else if (r->is_of_node) /* node has no category for them */
		way = "record some: node --cpu-prof";
	return error_set(err, ERROR_FORMAT,
			 "the Chrome trace has no samples of functions (%s; "
			 "its spans: tracefind show)",
			 way);
}

/* The format allows a list without an end, for programs that are
 * interrupted. */
#define CHROME_OPEN_NOTE                                                       \
	"the list of the Chrome trace has no end: it may be cut off"

bool decode_chrome_trace(struct feed *feed, const struct profile_want *want,
			 struct profile *out, struct notes *notes,
			 struct error *err)
{
	struct arena arena;
	struct reader r = {
		.g.arena = &arena,
		.g.json = json_new_feed(feed, err),
		.g.profile = out,
	};
	bool is_done = false;

	if (!r.g.json)
		return false;
	arena_init(&arena, LIMIT_DECODE_HEAP_BYTES);
	map_init(&r.by_thread, &arena);
	buf_init(&r.args, LIMIT_FILE_PLAIN_BYTES);
	r.g.build = profile_build_new(out, err);
	if (r.g.build && read_sample_document(&r, err)) {
		r.g.all = r.all.items;
		r.g.count = r.all.count;
		if (r.is_open)
			notes_add(notes, "%s", CHROME_OPEN_NOTE);
		if (r.g.count > 1)
			notes_add(
				notes,
				"%zu threads of the Chrome trace are added up",
				r.g.count);
		is_done = v8_group_finish(&r.g, want, notes, err);
	}
	profile_build_free(r.g.build);
	buf_release(&r.args);
	arena_release(&arena);
	json_free(r.g.json);
	return is_done;
}

/* Events of a Chrome trace ("Trace Event Format"), one at a time, in file
 * order. */

/* Reads a string or a number; "" for anything else. */
static struct str read_text(struct json_reader *r)
{
	enum json_kind kind = json_peek(r);
	struct str text = STR("");

	if (kind != JSON_STRING && kind != JSON_NUMBER)
		json_skip(r);
	else if (!json_number_text(r, &text))
		text = STR("");
	return text;
}

/* Ids and categories are truncated to this; real ones are shorter. */
#define CHROME_ID_BYTES ((size_t)64)

struct chrome_text {
	size_t len;
	char bytes[CHROME_ID_BYTES];
};

static void text_keep(struct str text, struct chrome_text *out)
{
	out->len = text.len;
	if (text.len > sizeof out->bytes)
		out->len = utf8_floor(text.ptr, text.len, sizeof out->bytes);
	memcpy(out->bytes, text.ptr, out->len);
}

/* Reads microseconds with a fraction. */
static int64_t read_time(struct json_reader *r)
{
	int64_t time_ns = 0;
	struct str text;

	if (json_peek(r) == JSON_NULL)
		json_skip(r);
	else if (json_number_text(r, &text) &&
		 !parse_scaled_i64(text, 3, &time_ns))
		(void)json_fail(r, "'%.*s' is no time in microseconds",
				STR_ARGS(text));
	return time_ns;
}

static uint64_t read_span_id(struct json_reader *r)
{
	uint64_t id = 0;
	struct str text;

	if (json_peek(r) != JSON_STRING)
		json_skip(r);
	else if (json_text(r, &text) &&
		 (text.len != 16 || !parse_hex_u64(text, &id)))
		id = 0;
	return id;
}

/* Fields that identify an event. Names are truncated, too: those needed
 * ("process_name") are short. */
struct chrome_event {
	struct chrome_text texts[TEXTS];
	char phase; /* 'X', 'B', ...; 0: missing */
	bool has_duration;
	/* An aggregate by clang -ftime-trace, without a position in time. */
	bool is_sum;
	uint64_t span_id; /* as written by render/chrome.c, or 0 */
	uint64_t parent_id;
	int64_t start_ns;
	int64_t duration_ns;
	uint64_t name_tail; /* hash of the rest of a long name, or 0 */
};

enum { ARG_NAMED, ARG_SPAN_ID, ARG_PARENT_ID, ARG_SUM };

static struct json_fields arg_fields = JSON_FIELDS(
	JSON_NAME("name", ARG_NAMED), JSON_NAME("labels", ARG_NAMED),
	JSON_NAME("span_id", ARG_SPAN_ID),
	JSON_NAME("parent_span_id", ARG_PARENT_ID),
	JSON_NAME("avg ms", ARG_SUM));

static void read_args(struct json_reader *r, struct chrome_event *e,
		      struct buf *named)
{
	int field;

	if (!json_enter_if(r, JSON_OBJECT))
		return;
	while ((field = json_next_field(r, &arg_fields)) >= 0)
		if (field == ARG_NAMED) {
			buf_clear(named);
			buf_add_str(named, read_text(r));
		} else if (field == ARG_SPAN_ID) {
			e->span_id = read_span_id(r);
		} else if (field == ARG_PARENT_ID) {
			e->parent_id = read_span_id(r);
		} else {
			e->is_sum = true;
			json_skip(r);
		}
}

static struct json_fields event_fields = JSON_FIELDS(
	JSON_NAME("pid", TEXT_PID), JSON_NAME("tid", TEXT_TID),
	JSON_NAME("id", TEXT_ID), JSON_NAME("scope", TEXT_SCOPE),
	JSON_NAME("cat", TEXT_CATEGORY), JSON_NAME("name", TEXT_NAME),
	JSON_NAME("ph", FIELD_PHASE), JSON_NAME("ts", FIELD_TIME),
	JSON_NAME("dur", FIELD_DURATION), JSON_NAME("id2", FIELD_ID2),
	JSON_NAME("args", FIELD_ARGS));

/* Reads the members of an event already entered. named: receives args.name or
 * args.labels of metadata. */
static void chrome_event_read(struct json_reader *r, struct chrome_event *e,
			      struct buf *named)
{
	struct str text;
	int field;

	/* Texts have a length, so they need no reset. */
	memset(&e->phase, 0, sizeof *e - offsetof(struct chrome_event, phase));
	for (unsigned i = 0; i < TEXTS; i++)
		e->texts[i].len = 0;
	buf_clear(named);
	while ((field = json_next_field(r, &event_fields)) >= 0)
		switch (field) {
		case FIELD_PHASE:
			text = read_text(r);
			e->phase = text.len == 1 ? text.ptr[0] : '\0';
			break;
		case TEXT_NAME:
			text = read_text(r);
			text_keep(text, &e->texts[TEXT_NAME]);
			if (text.len > CHROME_ID_BYTES)
				e->name_tail = hash_bytes(text.ptr, text.len);
			break;
		case FIELD_TIME:
			e->start_ns = read_time(r);
			break;
		case FIELD_DURATION:
			e->has_duration = json_peek(r) != JSON_NULL;
			e->duration_ns = read_time(r);
			break;
		case FIELD_ID2:
			/* {"local": "0x1"} or {"global": "0x1"}. */
			if (json_enter_if(r, JSON_OBJECT))
				while (json_next_key(r, &text))
					text_keep(read_text(r),
						  &e->texts[TEXT_ID]);
			break;
		case FIELD_ARGS:
			read_args(r, e, named);
			break;
		default:
			text_keep(read_text(r), &e->texts[field]);
			break;
		}
}

/* Returns whether it begins a span, or is a complete one; and whether it ends
 * one. */
static bool chrome_event_begins(const struct chrome_event *e)
{
	return e->phase && strchr("XBbS", e->phase) && !e->is_sum;
}

static inline struct str chrome_str(const struct chrome_event *e,
				    unsigned text)
{
	return (struct str){ e->texts[text].bytes, e->texts[text].len };
}

/* Spans in a Chrome trace ("Trace Event Format"): complete events (X), begins
 * and ends (B, E) and asynchronous ones (b, e; S, F). Nesting only follows from
 * times, and ends are separate from begins, so events are read twice: first for
 * their times, then for their contents. A process is a service. Traces written
 * by tracefind are recognised by their members, and restored. */

#define WHAT "the trace"

/* Timestamps have an arbitrary origin; traces that start at 0 are shifted by
 * this, since 0 means no time. */
#define LEAST_START_NS 1000

/* Maximum number of open spans searched for the one that an end refers to. */
#define OPEN_LOOKS 256u

struct process {
	struct str pid;
	struct str name;
	struct str labels;
	uint32_t resource;
};

/* A thread, or an id of asynchronous events. */
struct lane {
	uint32_t process;
	uint32_t open; /* the innermost span without an end, + 1 */
	struct str tid;
	struct str name;
};

struct chrome_span {
	uint64_t event; /* its number in the file */
	uint64_t id;
	uint64_t parent_id;
	int64_t start_ns;
	int64_t end_ns;
	uint32_t lane;
	uint32_t around; /* enclosing span, + 1 */
	uint32_t name;   /* hash of it, to find its end */
	bool has_end;
};

struct chrome {
	struct trace_json t;
	struct arena arena;
	struct buf key;
	/* Name or labels of the event being read, if metadata. */
	struct buf named;
	/* Of the span being read: its name, and the file or similar it is
	 * about, from its arguments. */
	struct buf name, about;
	struct text_table processes, lanes;
	struct process *process_list;
	struct lane *lane_list;
	struct chrome_span *spans;
	size_t process_count, process_cap;
	size_t lane_count, lane_cap;
	size_t span_count, span_cap;
	size_t recorder_count; /* spans of the recorder, left out */
	size_t next_span;      /* in the second reading */
	uint64_t event;        /* number of the event being read */
	struct trace_id trace_id;
	int64_t origin_ns;
	bool has_origin;
	bool is_own; /* written by tracefind */
	bool is_second;
	bool is_full;
	bool is_open; /* the list has no end */
};

static bool no_memory(struct chrome *c)
{
	return arena_fail(&c->arena, WHAT, &c->t.err);
}

/* ---- processes and threads ---- */

/* Finds or adds c->key in the table and returns its number. */
static bool number_key(struct chrome *c, struct text_table *table,
		       uint32_t *number)
{
	struct str key = buf_str(&c->key);
	uint32_t hash = text_table_hash(table, key);

	if (!buf_check(&c->key, WHAT, &c->t.err))
		return false;
	*number = text_table_find(table, key, hash);
	if (*number != TEXT_NONE)
		return true;
	key = arena_str(&c->arena, key);
	*number = key.ptr ? text_table_add(table, key, hash) : TEXT_NONE;
	return *number != TEXT_NONE || no_memory(c);
}

static bool find_process(struct chrome *c, const struct chrome_event *e,
			 uint32_t *process)
{
	void *items = c->process_list;
	struct process fresh;

	buf_clear(&c->key);
	buf_add_str(&c->key, chrome_str(e, TEXT_PID));
	if (!number_key(c, &c->processes, process))
		return false;
	if (*process < c->process_count)
		return true;
	fresh = (struct process){ .pid = arena_str(&c->arena,
						   chrome_str(e, TEXT_PID)),
				  .name = STR(""),
				  .labels = STR("") };
	if (!fresh.pid.ptr ||
	    !arena_reserve(&c->arena, &items, &c->process_cap,
			   c->process_count + 1, sizeof fresh))
		return no_memory(c);
	c->process_list = items;
	c->process_list[c->process_count++] = fresh;
	return true;
}

static void add_key_part(struct chrome *c, struct str text)
{
	buf_add_char(&c->key, (char)text.len);
	buf_add_str(&c->key, text);
}

static bool find_lane(struct chrome *c, const struct chrome_event *e,
		      uint32_t *number)
{
	/* Those belong to an id, not to a thread. */
	bool is_async = e->phase && strchr("beSF", e->phase);
	void *items = c->lane_list;
	struct lane fresh = { .name = STR("") };

	buf_clear(&c->key);
	buf_add_char(&c->key, is_async ? 'a' : 't');
	add_key_part(c, chrome_str(e, TEXT_PID));
	if (is_async) {
		add_key_part(c, chrome_str(e, TEXT_CATEGORY));
		add_key_part(c, chrome_str(e, TEXT_SCOPE));
		add_key_part(c, chrome_str(e, TEXT_ID));
		/* Older ones (S, F) do not nest: the name is part of the id. */
		if (e->phase == 'S' || e->phase == 'F')
			add_key_part(c, chrome_str(e, TEXT_NAME));
	} else {
		add_key_part(c, chrome_str(e, TEXT_TID));
	}
	if (!number_key(c, &c->lanes, number))
		return false;
	if (*number < c->lane_count)
		return true;
	fresh.tid = arena_str(&c->arena, is_async ? STR("")
						  : chrome_str(e, TEXT_TID));
	if (!fresh.tid.ptr || !arena_reserve(&c->arena, &items, &c->lane_cap,
					     c->lane_count + 1, sizeof fresh))
		return no_memory(c);
	c->lane_list = items;
	if (!find_process(c, e, &fresh.process))
		return false;
	c->lane_list[c->lane_count++] = fresh;
	return true;
}

/* Stores names of processes and threads. */
static bool use_metadata(struct chrome *c, const struct chrome_event *e)
{
	struct str event = chrome_str(e, TEXT_NAME);
	bool is_name = str_equal(event, STR("process_name"));
	bool is_thread = str_equal(event, STR("thread_name"));
	uint32_t at;
	struct str *name;

	if (!is_name && !is_thread && !str_equal(event, STR("process_labels")))
		return true;
	if (!(is_thread ? find_lane(c, e, &at) : find_process(c, e, &at)))
		return false;
	if (is_thread)
		name = &c->lane_list[at].name;
	else
		name = is_name ? &c->process_list[at].name
			       : &c->process_list[at].labels;
	if (!buf_check(&c->named, WHAT, &c->t.err))
		return false;
	*name = arena_str(&c->arena, buf_str(&c->named));
	return name->ptr || no_memory(c);
}

/* ---- the first reading ---- */

/* Returns the hash of an event's complete name; 0: none. */
static uint32_t hash_name(const struct chrome *c, const struct chrome_event *e)
{
	struct str name = chrome_str(e, TEXT_NAME);

	if (!name.len)
		return 0;
	return (text_table_hash(&c->lanes, name) ^ (uint32_t)e->name_tail) | 1;
}

static bool add_span(struct chrome *c, const struct chrome_event *e,
		     uint32_t lane)
{
	void *items = c->spans;
	struct chrome_span span = {
		.event = c->event,
		.id = e->span_id,
		.parent_id = e->parent_id,
		.start_ns = e->start_ns,
		.lane = lane,
	};

	if (c->span_count >= LIMIT_SPANS) {
		c->is_full = true;
		return true;
	}
	if (!arena_reserve(&c->arena, &items, &c->span_cap, c->span_count + 1,
			   sizeof span))
		return no_memory(c);
	c->spans = items;
	if (e->phase == 'X') {
		span.has_end = e->has_duration;
		span.end_ns = sat_add_i64(e->start_ns, e->duration_ns);
	} else {
		/* The enclosing span, until the end is read. */
		span.name = hash_name(c, e);
		span.around = c->lane_list[lane].open;
		c->lane_list[lane].open = (uint32_t)c->span_count + 1;
	}
	c->spans[c->span_count++] = span;
	return true;
}

/* Ends the span that an event names: in a lane shared by several, as with go
 * build -debug-trace, that is not always the innermost. Without a name it ends
 * the innermost. An end without a begin belongs to a span begun before the
 * recording. */
static void end_span(struct chrome *c, const struct chrome_event *e,
		     uint32_t lane)
{
	uint32_t *open = &c->lane_list[lane].open;
	uint32_t name = hash_name(c, e);
	struct chrome_span *span;

	for (unsigned looks = 0;; looks++) {
		if (!*open)
			return;
		span = &c->spans[*open - 1];
		if (!name || !span->name || span->name == name)
			break;
		if (looks == OPEN_LOOKS)
			return;
		open = &span->around;
	}
	span->has_end = true;
	span->end_ns = e->start_ns;
	*open = span->around;
}

static bool use_event(struct chrome *c, const struct chrome_event *e)
{
	struct str category = chrome_str(e, TEXT_CATEGORY);
	uint32_t lane;

	if (e->phase == 'M')
		return use_metadata(c, e);
	if (!chrome_event_begins(e) && !(e->phase && strchr("EeF", e->phase)))
		return true;
	/* The extent of the recording (torch.profiler), or a span that repeats
	 * important parts of others (Bazel), is not work of its own. */
	if ((str_equal(category, STR("Trace")) &&
	     str_starts(chrome_str(e, TEXT_NAME), STR("PyTorch Profiler"))) ||
	    str_equal(category, STR("critical path component"))) {
		c->recorder_count++;
		return true;
	}
	if (!find_lane(c, e, &lane))
		return false;
	if (chrome_event_begins(e))
		return add_span(c, e, lane);
	if (!c->is_full)
		end_span(c, e, lane);
	return true;
}

/* ---- nesting ---- */

/* Orders spans so that enclosing ones come first: by start, then the longer
 * first. */
static int compare_spans(const void *left, const void *right, void *spans)
{
	uint32_t at = *(const uint32_t *)left, other = *(const uint32_t *)right;
	const struct chrome_span *a = (struct chrome_span *)spans + at;
	const struct chrome_span *b = (struct chrome_span *)spans + other;
	int order = compare_i64(a->start_ns, b->start_ns);

	if (!order)
		order = compare_i64(b->end_ns, a->end_ns);
	return order ? order : compare_u64(at, other);
}

/* Open spans of a lane are linked by `around`. */
static void nest_lane(struct chrome *c, uint32_t *items, size_t count)
{
	uint32_t open = 0;
	size_t sorted = 1;

	while (sorted < count && compare_spans(&items[sorted - 1],
					       &items[sorted], c->spans) < 0)
		sorted++;
	if (sorted < count)
		system_sort(items, count, sizeof *items, compare_spans,
			    c->spans);
	for (size_t i = 0; i < count; i++) {
		struct chrome_span *span = &c->spans[items[i]];

		while (open && c->spans[open - 1].end_ns <= span->start_ns)
			open = c->spans[open - 1].around;
		span->around = open;
		open = items[i] + 1;
	}
}

/* Lane by lane, in file order. */
static bool nest_lanes(struct chrome *c)
{
	struct arena *arena = &c->arena;
	uint32_t *items = arena_array(arena, c->span_count + 1, sizeof *items);
	uint32_t *ends = arena_array(arena, c->lane_count + 1, sizeof *ends);

	if (!items || !ends)
		return no_memory(c);
	for (size_t i = 0; i < c->span_count; i++)
		ends[c->spans[i].lane + 1]++;
	for (size_t i = 0; i < c->lane_count; i++)
		ends[i + 1] += ends[i];
	for (size_t i = 0; i < c->span_count; i++)
		items[ends[c->spans[i].lane]++] = (uint32_t)i;
	for (size_t i = 0, first = 0; i < c->lane_count; first = ends[i++])
		nest_lane(c, items + first, ends[i] - first);
	arena_drop(arena, items, (c->span_count + 1) * sizeof *items);
	return true;
}

static bool spans_nest(struct chrome *c)
{
	/* Unique across several files. */
	uint64_t first_id = ((uint64_t)c->t.to->source << 32) + 1;
	int64_t first_ns = INT64_MAX;

	for (size_t i = 0; i < c->span_count; i++) {
		struct chrome_span *span = &c->spans[i];

		/* Spans without an end enclose all others. */
		if (!span->has_end)
			span->end_ns = INT64_MAX;
		first_ns = min_i64(first_ns, span->start_ns);
		/* Span ids of other programs are not used. */
		if (!c->is_own || !span->id) {
			span->id = first_id + i;
			span->parent_id = 0;
		}
	}
	if (!c->has_origin && first_ns <= 0)
		c->origin_ns = sat_sub_i64(LEAST_START_NS, first_ns);
	return nest_lanes(c);
}

/* ---- the second reading ---- */

/* Adds the next value: a list or a map as JSON. */
static void add_value(struct chrome *c, struct str key)
{
	struct trace_json *t = &c->t;
	enum json_kind kind = json_peek(t->r);
	struct str text;

	if (kind == JSON_NULL || kind == JSON_END || !taker_wants(t->to, key)) {
		json_skip(t->r);
		return;
	}
	buf_clear(&c->key);
	if (kind == JSON_STRING ? json_text(t->r, &text)
				: json_raw(t->r, &c->key)) {
		if (kind != JSON_STRING)
			text = buf_str(&c->key);
		text = str_slice(text, 0, LIMIT_STRING_BYTES + 1);
		(void)trace_json_taken(t,
				       taker_attr(t->to, key, text, &t->err));
	}
}

static void keep_text_of(struct buf *kept, struct str text)
{
	buf_clear(kept);
	buf_add_str(kept, str_slice(text, 0, LIMIT_STRING_BYTES + 1));
}

/* Adds the members of the next object. */
static void add_values(struct chrome *c)
{
	struct trace_json *t = &c->t;
	struct attr_key kept;
	struct str key, text;

	if (!json_enter_if(t->r, JSON_OBJECT))
		return;
	while (json_next_key(t->r, &key)) {
		/* Distinguishes spans of the same name: "path" and "fileName"
		 * of TypeScript's --generateTrace, "detail" of clang. */
		bool is_about = !c->is_own && (str_equal(key, STR("path")) ||
					       str_equal(key, STR("detail")) ||
					       str_equal(key, STR("fileName")));

		attr_key_set(&kept, key);
		key = attr_key_str(&kept);
		if (!is_about || json_peek(t->r) != JSON_STRING) {
			add_value(c, key);
			continue;
		}
		if (!json_text(t->r, &text))
			continue;
		keep_text_of(&c->about, text);
		(void)trace_json_taken(t, !taker_wants(t->to, key) ||
						  taker_attr(t->to, key,
							     buf_str(&c->about),
							     &t->err));
	}
}

/* As written by render/chrome.c. */
static void read_own_args(struct chrome *c, struct span_input *in)
{
	struct trace_json *t = &c->t;
	struct str key;
	bool is_error;

	if (!json_enter_if(t->r, JSON_OBJECT))
		return;
	while (json_next_key(t->r, &key))
		if (str_equal(key, STR("attributes"))) {
			add_values(c);
		} else if (str_equal(key, STR("error"))) {
			if (json_peek(t->r) != JSON_TRUE)
				json_skip(t->r);
			else if (json_bool(t->r, &is_error))
				in->flags |= SPAN_IS_ERROR;
		} else if (str_equal(key, STR("status_message"))) {
			in->status_message = trace_json_symbol(t);
		} else {
			json_skip(t->r);
		}
}

static struct json_fields span_fields = JSON_FIELDS(
	JSON_NAME("name", TEXT_NAME), JSON_NAME("cat", TEXT_CATEGORY),
	JSON_NAME("args", FIELD_ARGS));

static void read_members(struct chrome *c, struct span_input *in)
{
	struct trace_json *t = &c->t;
	int field;

	buf_clear(&c->name);
	buf_clear(&c->about);
	while ((field = json_next_field(t->r, &span_fields)) >= 0)
		if (field == TEXT_NAME) {
			keep_text_of(&c->name, json_text_nullable(t->r));
		} else if (field == TEXT_CATEGORY) {
			enum span_kind kind;

			if (!c->is_own || json_peek(c->t.r) != JSON_STRING)
				add_value(c, STR("category"));
			else if (span_kind_parse(json_text_nullable(c->t.r),
						 &kind))
				in->kind = (uint8_t)kind;
		} else if (c->is_own) {
			read_own_args(c, in);
		} else {
			add_values(c);
		}
	if (c->about.len) {
		buf_add_char(&c->name, ' ');
		buf_add_str(&c->name, buf_str(&c->about));
	}
	if (!json_failed(t->r))
		(void)trace_json_taken(
			t, buf_check(&c->name, WHAT, &t->err) &&
				   buf_check(&c->about, WHAT, &t->err) &&
				   taker_name(t->to, buf_str(&c->name), in,
					      &t->err));
}

static void read_span(struct chrome *c)
{
	const struct chrome_span *span = &c->spans[c->next_span++];
	const struct lane *lane = &c->lane_list[span->lane];
	struct span_input in = {
		.trace_id = c->trace_id,
		.span_id = span->id,
		.parent_id = span->parent_id,
		.resource = c->process_list[lane->process].resource,
		.start_unix_ns =
			(uint64_t)sat_add_i64(c->origin_ns, span->start_ns),
		.kind = SPAN_KIND_INTERNAL,
	};
	struct trace_json *t = &c->t;
	bool is_taken;

	if (!c->is_own && span->around)
		in.parent_id = c->spans[span->around - 1].id;
	if (span->has_end)
		in.end_unix_ns =
			(uint64_t)sat_add_i64(c->origin_ns, span->end_ns);
	taker_attrs_begin(t->to, ATTRS_OF_SPAN);
	read_members(c, &in);
	if (json_failed(t->r))
		return;
	is_taken = c->is_own ||
		   ((!lane->tid.len ||
		     taker_attr(t->to, STR("thread.id"), lane->tid, &t->err)) &&
		    (!lane->name.len || taker_attr(t->to, STR("thread.name"),
						   lane->name, &t->err)));
	(void)trace_json_taken(t, is_taken && taker_span(t->to, &in, &t->err));
}

static bool process_describe(struct chrome *c, struct process *p)
{
	struct taker *to = c->t.to;
	struct error *err = &c->t.err;
	struct str name = p->name;

	buf_clear(&c->key);
	if (name.len) {
		buf_add_str(&c->key, name);
	} else {
		buf_add_text(&c->key, "process ");
		buf_add_str(&c->key, p->pid);
	}
	/* GPU kernels have the name of the process that launched them. */
	if (str_starts(p->labels, STR("GPU")))
		buf_addf(&c->key, " (%.*s)", STR_ARGS(p->labels));
	if (!buf_check(&c->key, WHAT, &c->t.err))
		return false;
	name = buf_str(&c->key);
	taker_attrs_begin(to, ATTRS_OF_PROCESS);
	return taker_attr(to, STR("service.name"), name, err) &&
	       (c->is_own || taker_attr(to, STR("process.pid"), p->pid, err)) &&
	       taker_process(to, &p->resource, err);
}

/* ---- documents ---- */

static void read_events(struct chrome *c)
{
	struct json_reader *r = c->t.r;

	if (!json_enter_nullable(r, JSON_ARRAY))
		return;
	for (; json_next_item_or_end(r, &c->is_open); c->event++) {
		if (c->is_second &&
		    !(c->next_span < c->span_count &&
		      c->spans[c->next_span].event == c->event)) {
			json_skip(r);
		} else if (!json_enter_nullable(r, JSON_OBJECT)) {
			continue;
		} else if (c->is_second) {
			read_span(c);
		} else {
			struct chrome_event e;

			chrome_event_read(c->t.r, &e, &c->named);
			if (!json_failed(c->t.r))
				(void)trace_json_taken(&c->t, use_event(c, &e));
		}
	}
}

/* Reads the trace id and start written by tracefind. */
static void read_origin(struct chrome *c)
{
	struct json_reader *r = c->t.r;
	struct str key;

	if (!json_enter_if(r, JSON_OBJECT))
		return;
	while (json_next_key(r, &key)) {
		bool is_id = str_equal(key, STR("trace_id"));
		bool is_start = str_equal(key, STR("start"));
		struct str text;

		if ((!is_id && !is_start) || json_peek(r) != JSON_STRING)
			json_skip(r);
		else if (!json_text(r, &text))
			return;
		else if (is_id)
			c->is_own = text.len == 32 &&
				    trace_id_parse(text, &c->trace_id);
		else
			c->has_origin = parse_rfc3339(text, &c->origin_ns);
	}
}

static void read_members_of_file(struct chrome *c)
{
	struct str key;

	while (json_next_key(c->t.r, &key))
		if (str_equal(key, STR("traceEvents"))) {
			read_events(c);
		} else if (str_equal(key, STR("otherData"))) {
			read_origin(c);
		} else if (str_equal(key, STR("beginningOfTime"))) {
			struct str text;

			/* clang -ftime-trace writes microseconds since 1970. */
			if (json_peek(c->t.r) != JSON_NUMBER)
				json_skip(c->t.r);
			else if (json_number_text(c->t.r, &text))
				c->has_origin = parse_scaled_i64(text, 3,
								 &c->origin_ns);
		} else {
			json_skip(c->t.r);
		}
}

/* Reads a list of events, or an object that contains one. */
static void read_document(struct chrome *c)
{
	struct json_reader *r = c->t.r;

	c->event = 0;
	if (json_peek(r) == JSON_ARRAY)
		read_events(c);
	else if (json_enter(r, JSON_OBJECT))
		read_members_of_file(c);
	json_expect_end(r, "trace");
}

static void read_twice(struct chrome *c, struct feed *feed)
{
	struct json_reader *fresh = NULL;
	bool is_nested;

	read_document(c);
	if (json_failed(c->t.r))
		return;
	is_nested = spans_nest(c);
	for (size_t i = 0; is_nested && i < c->process_count; i++)
		is_nested = process_describe(c, &c->process_list[i]);
	if (is_nested) {
		feed_seek(feed, 0);
		fresh = json_new_feed(feed, &c->t.err);
	}
	if (!trace_json_taken(&c->t, fresh))
		return;
	json_free(c->t.r);
	c->t.r = fresh;
	c->is_second = true;
	read_document(c);
	if (c->is_full)
		taker_partial(c->t.to,
			      "the file has more than %u spans: the later ones "
			      "are left out",
			      LIMIT_SPANS);
	if (c->recorder_count)
		notes_add(c->t.to->notes,
			  "%zu span%s of who recorded the trace %s left out: "
			  "how long that took, or what others say as well",
			  c->recorder_count, &"s"[c->recorder_count == 1],
			  c->recorder_count == 1 ? "is" : "are");
	if (c->is_open)
		notes_add(c->t.to->notes, "%s", CHROME_OPEN_NOTE);
	/* Distinguishes other data from an empty trace. */
	if (c->event && !c->span_count && !json_failed(c->t.r))
		(void)trace_json_taken(
			&c->t, error_set(&c->t.err, ERROR_FORMAT,
					 "the Chrome trace has no spans (its "
					 "samples: tracefind profile)"));
}

bool decode_chrome_spans(struct feed *feed, struct taker *to, struct error *err)
{
	struct chrome c = { .is_second = false };
	bool is_read;

	if (!trace_json_init(&c.t, feed, to, err))
		return false;
	arena_init(&c.arena, LIMIT_DECODE_HEAP_BYTES);
	text_table_init(&c.processes, &c.arena);
	text_table_init(&c.lanes, &c.arena);
	buf_init(&c.key, LIMIT_BODY_PLAIN_BYTES);
	buf_init(&c.named, LIMIT_STRING_BYTES + 16);
	buf_init(&c.name, 2 * LIMIT_STRING_BYTES + 16);
	buf_init(&c.about, LIMIT_STRING_BYTES + 16);
	read_twice(&c, feed);
	is_read = trace_json_finish(&c.t, "Chrome trace", err);
	buf_release(&c.about);
	buf_release(&c.name);
	buf_release(&c.named);
	buf_release(&c.key);
	arena_release(&c.arena);
	return is_read;
}
