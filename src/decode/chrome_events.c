/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/chrome_events.h"

#include <stdio.h>
#include <string.h>

#include "base/num.h"

/* A text or a number, cut to fit. */
static void copy(struct json_reader *r, char *out, size_t size)
{
	enum json_kind kind = json_peek(r);
	struct str text;

	if (kind != JSON_STRING && kind != JSON_NUMBER)
		json_skip(r);
	else if (kind == JSON_STRING ? json_text(r, &text)
				     : json_number_text(r, &text))
		snprintf(out, size, "%.*s", STR_ARGS(text));
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

static void read_args(struct json_reader *r, struct chrome_event *e)
{
	struct str key;

	if (!json_enter_if(r, JSON_OBJECT))
		return;
	while (json_next_key(r, &key))
		if (str_equal(key, STR("name"))) {
			copy(r, e->named, sizeof e->named);
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
		copy(r, e->id, sizeof e->id);
}

static void read_member(struct json_reader *r, struct str key,
			struct chrome_event *e)
{
	char phase[8] = "";

	if (str_equal(key, STR("ph"))) {
		copy(r, phase, sizeof phase);
		e->phase = phase[1] ? '\0' : phase[0];
	} else if (str_equal(key, STR("ts"))) {
		e->start_ns = read_time(r);
	} else if (str_equal(key, STR("dur"))) {
		e->has_duration = json_peek(r) != JSON_NULL;
		e->duration_ns = read_time(r);
	} else if (str_equal(key, STR("pid"))) {
		copy(r, e->pid, sizeof e->pid);
	} else if (str_equal(key, STR("tid"))) {
		copy(r, e->tid, sizeof e->tid);
	} else if (str_equal(key, STR("id"))) {
		copy(r, e->id, sizeof e->id);
	} else if (str_equal(key, STR("id2"))) {
		read_id2(r, e);
	} else if (str_equal(key, STR("scope"))) {
		copy(r, e->scope, sizeof e->scope);
	} else if (str_equal(key, STR("cat"))) {
		copy(r, e->category, sizeof e->category);
	} else if (str_equal(key, STR("name"))) {
		copy(r, e->name, sizeof e->name);
	} else if (str_equal(key, STR("args"))) {
		read_args(r, e);
	} else {
		json_skip(r);
	}
}

void chrome_event_read(struct json_reader *r, struct chrome_event *e)
{
	struct str key;

	memset(e, 0, sizeof *e);
	while (json_next_key(r, &key))
		read_member(r, key, e);
}

bool chrome_event_begins(const struct chrome_event *e)
{
	return e->phase && strchr("XBbS", e->phase) && !e->is_sum;
}

bool chrome_event_ends(const struct chrome_event *e)
{
	return e->phase && strchr("EeF", e->phase);
}

bool chrome_event_is_async(const struct chrome_event *e)
{
	return e->phase && strchr("beSF", e->phase);
}
