/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/chrome_events.h"

#include <string.h>

#include "base/num.h"

/* A text or a number; "" for all else. */
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

static void copy(struct json_reader *r, struct chrome_text *out)
{
	struct str text = read_text(r);

	out->len = text.len;
	if (text.len > sizeof out->bytes)
		out->len = utf8_floor(text.ptr, text.len, sizeof out->bytes);
	memcpy(out->bytes, text.ptr, out->len);
}

/* Microseconds with a fraction. */
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

static void read_args(struct json_reader *r, struct chrome_event *e,
		      struct buf *named)
{
	struct str key;

	if (!json_enter_if(r, JSON_OBJECT))
		return;
	while (json_next_key(r, &key))
		if (str_equal(key, STR("name")) ||
		    str_equal(key, STR("labels"))) {
			buf_clear(named);
			buf_add_str(named, read_text(r));
		} else if (str_equal(key, STR("span_id"))) {
			e->span_id = read_span_id(r);
		} else if (str_equal(key, STR("parent_span_id"))) {
			e->parent_id = read_span_id(r);
		} else {
			e->is_sum |= str_equal(key, STR("avg ms"));
			json_skip(r);
		}
}

/* {"local": "0x1"} or {"global": "0x1"}. */
static void read_id2(struct json_reader *r, struct chrome_event *e)
{
	struct str key;

	if (!json_enter_if(r, JSON_OBJECT))
		return;
	while (json_next_key(r, &key))
		copy(r, &e->id);
}

static void read_member(struct json_reader *r, struct str key,
			struct chrome_event *e, struct buf *named)
{
	struct str phase;

	if (str_equal(key, STR("ph"))) {
		phase = read_text(r);
		e->phase = phase.len == 1 ? phase.ptr[0] : '\0';
	} else if (str_equal(key, STR("ts"))) {
		e->start_ns = read_time(r);
	} else if (str_equal(key, STR("dur"))) {
		e->has_duration = json_peek(r) != JSON_NULL;
		e->duration_ns = read_time(r);
	} else if (str_equal(key, STR("pid"))) {
		copy(r, &e->pid);
	} else if (str_equal(key, STR("tid"))) {
		copy(r, &e->tid);
	} else if (str_equal(key, STR("id"))) {
		copy(r, &e->id);
	} else if (str_equal(key, STR("id2"))) {
		read_id2(r, e);
	} else if (str_equal(key, STR("scope"))) {
		copy(r, &e->scope);
	} else if (str_equal(key, STR("cat"))) {
		copy(r, &e->category);
	} else if (str_equal(key, STR("name"))) {
		copy(r, &e->name);
	} else if (str_equal(key, STR("args"))) {
		read_args(r, e, named);
	} else {
		json_skip(r);
	}
}

void chrome_event_read(struct json_reader *r, struct chrome_event *e,
		       struct buf *named)
{
	struct str key;

	memset(e, 0, sizeof *e);
	buf_clear(named);
	while (json_next_key(r, &key))
		read_member(r, key, e, named);
}

bool chrome_event_begins(const struct chrome_event *e)
{
	return e->phase && strchr("XBbS", e->phase) && !e->is_sum;
}

bool chrome_event_ends(const struct chrome_event *e)
{
	return e->phase && strchr("EeF", e->phase);
}

bool chrome_event_is_of_recorder(const struct chrome_event *e)
{
	struct str category = chrome_str(&e->category);

	return (str_equal(category, STR("Trace")) &&
		str_starts(chrome_str(&e->name), STR("PyTorch Profiler"))) ||
	       str_equal(category, STR("critical path component"));
}

bool chrome_event_is_async(const struct chrome_event *e)
{
	return e->phase && strchr("beSF", e->phase);
}
