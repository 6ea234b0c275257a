/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/trace_json.h"

#include <stdio.h>
#include <string.h>

#include "base/timefmt.h"
#include "decode/values.h"

bool trace_json_init(struct trace_json *t, struct feed *feed, struct taker *to,
		     struct error *err)
{
	*t = (struct trace_json){ .to = to };
	value_init(&t->value);
	buf_init(&t->late, LIMIT_BODY_PLAIN_BYTES);
	t->r = json_new_feed(feed, err);
	return t->r;
}

bool trace_json_at(struct trace_json *t)
{
	struct feed_place place;

	if (!t->to->b)
		return true;
	json_tell(t->r, &place);
	t->is_enough = !trace_build_at(t->to->b, &place);
	return !t->is_enough;
}

void trace_json_nowhere(struct trace_json *t)
{
	if (t->to->b)
		(void)!trace_build_at(t->to->b, NULL);
}

bool trace_json_resume(struct trace_json *t)
{
	struct feed_place place;

	if (!t->to->b || !trace_build_resume(t->to->b, &place))
		return false;
	json_resume(t->r, &place);
	return true;
}

void trace_json_leave(struct trace_json *t)
{
	if (!t->is_enough)
		json_leave(t->r);
}

static bool tell_outcome(const struct trace_json *t, const char *what,
			 struct error *err)
{
	if (t->err.code != ERROR_NONE) {
		*err = t->err;
		return false;
	}
	if (!json_check(t->r, err))
		return error_prefix(err, "damaged or cut-off %s",
				    t->to->gather ? "search answer" : what);
	if (!t->has_server_error)
		return true;
	if (t->to->b && t->to->span_count == 0)
		return error_set(
			err,
			t->server_code == 404 ? ERROR_NOT_FOUND : ERROR_FORMAT,
			"no trace but a server's error: %s", t->server_error);
	taker_partial(t->to,
		      "the server ended with an error, the trace may be "
		      "incomplete: %s",
		      t->server_error);
	return true;
}

bool trace_json_finish(struct trace_json *t, const char *what,
		       struct error *err)
{
	bool is_read = tell_outcome(t, what, err);

	if (t->to->b)
		trace_build_trimmed(t->to->b, json_trimmed(t->r));
	json_free(t->r);
	buf_release(&t->late);
	value_release(&t->value);
	return is_read;
}

bool trace_json_taken(struct trace_json *t, bool is_taken)
{
	return is_taken || json_fail(t->r, "%s", t->err.message);
}

uint32_t trace_json_symbol(struct trace_json *t)
{
	uint32_t symbol = 0;

	if (!trace_json_taken(t, taker_text(t->to, json_text_nullable(t->r),
					    &symbol, &t->err)))
		return 0;
	return symbol;
}

void trace_json_name(struct trace_json *t, struct span_input *in)
{
	trace_json_taken(
		t, taker_name(t->to, json_text_nullable(t->r), in, &t->err));
}

uint64_t trace_json_ns(uint64_t time_us)
{
	return time_us > UINT64_MAX / NS_PER_US ? UINT64_MAX
						: time_us * NS_PER_US;
}

uint64_t trace_json_span_id(struct trace_json *t)
{
	struct str text = json_text_nullable(t->r);
	uint64_t id = 0;

	if (!(t->has_short_ids ? span_id_from_short_text(text, &id)
			       : span_id_from_text(text, &id)))
		json_fail(t->r, "'%.*s' is no span id", STR_ARGS(text));
	return id;
}

void trace_json_trace_id(struct trace_json *t, struct trace_id *id)
{
	struct str text = json_text_nullable(t->r);

	if (!(t->has_short_ids ? trace_id_from_short_text(text, id)
			       : trace_id_from_text(text, id)))
		json_fail(t->r, "'%.*s' is no trace id", STR_ARGS(text));
}

static bool enter_if(struct trace_json *t, bool is_wanted)
{
	if (is_wanted)
		return json_enter_nullable(t->r, JSON_ARRAY);
	json_skip(t->r);
	return false;
}

bool trace_json_enter_events(struct trace_json *t)
{
	return enter_if(t, taker_has_details(t->to));
}

bool trace_json_enter_links(struct trace_json *t)
{
	return enter_if(t, taker_has_links(t->to));
}

void trace_json_key(struct trace_json *t, struct attr_key *key)
{
	attr_key_set(key, json_text_nullable(t->r));
}

void attr_key_set(struct attr_key *key, struct str text)
{
	key->len = text.len < sizeof key->text ? text.len : 0;
	memcpy(key->text, text.ptr, key->len);
}

struct str attr_key_str(const struct attr_key *key)
{
	return (struct str){ key->text, key->len };
}

bool trace_json_value(struct trace_json *t, struct str *text)
{
	return trace_json_taken(t, value_check(&t->value, text, &t->err));
}

void trace_json_attr(struct trace_json *t, struct str key)
{
	struct str text;

	if (trace_json_value(t, &text))
		trace_json_taken(t, taker_attr(t->to, key, text, &t->err));
}

void trace_json_plain_value(struct trace_json *t)
{
	struct str text;
	bool value;

	value_clear(&t->value);
	switch (json_peek(t->r)) {
	case JSON_STRING:
	case JSON_NUMBER:
		if (json_number_text(t->r, &text))
			value_string(&t->value, text);
		break;
	case JSON_TRUE:
	case JSON_FALSE:
		if (json_bool(t->r, &value))
			value_bool(&t->value, value);
		break;
	default:
		json_skip(t->r);
		break;
	}
}

bool trace_json_status_tag(struct trace_json *t, struct str key,
			   struct str text, struct span_input *in)
{
	if (str_equal(key, STR("otel.status_code"))) {
		if (str_equal_nocase(text, STR("ERROR")))
			in->flags |= SPAN_IS_ERROR;
		return true;
	}
	if (!str_equal(key, STR("otel.status_description")))
		return false;
	trace_json_taken(t,
			 taker_text(t->to, text, &in->status_message, &t->err));
	return true;
}

/* ---- deferred values ---- */

void trace_json_keep_late(struct trace_json *t)
{
	if (t->late.len)
		json_skip(t->r);
	else
		(void)!json_raw(t->r, &t->late);
}

void trace_json_read_late(struct trace_json *t,
			  void (*read)(struct trace_json *t))
{
	struct json_reader *outer = t->r;

	if (t->late.len == 0 || json_failed(outer))
		return;
	t->r = json_new(buf_str(&t->late), &t->err);
	if (t->r) {
		read(t);
		if (t->err.code == ERROR_NONE)
			(void)!json_check(t->r, &t->err);
		json_free(t->r);
	}
	t->r = outer;
	buf_clear(&t->late);
	trace_json_taken(t, t->err.code == ERROR_NONE);
}

void trace_json_copy(struct trace_json *t, char *out, size_t size)
{
	struct str text = json_text_nullable(t->r);

	snprintf(out, size, "%.*s", STR_ARGS(text));
}

/* ---- server errors ---- */

enum { FIELD_MESSAGE, FIELD_CODE };

static struct json_fields error_object_fields = JSON_FIELDS(
	JSON_NAME("message", FIELD_MESSAGE), JSON_NAME("msg", FIELD_MESSAGE),
	JSON_NAME("httpCode", FIELD_CODE), JSON_NAME("code", FIELD_CODE));

static void read_error_object(struct trace_json *t)
{
	/* Jaeger v3 has httpCode and message, legacy Jaeger code and msg. A
	 * gRPC code is not an HTTP code. */
	struct str key;

	while (json_next_key(t->r, &key)) {
		int field = json_field(&error_object_fields, key);
		enum json_kind kind = json_peek(t->r);

		if (field == FIELD_MESSAGE && kind == JSON_STRING)
			trace_json_copy(t, t->server_error,
					sizeof t->server_error);
		else if (field == FIELD_CODE && kind == JSON_NUMBER)
			(void)!json_i64(t->r, &t->server_code);
		else
			json_skip(t->r);
	}
	t->has_server_error = true;
}

static void read_error(struct trace_json *t)
{
	switch (json_peek(t->r)) {
	case JSON_OBJECT:
		if (json_enter(t->r, JSON_OBJECT))
			read_error_object(t);
		break;
	case JSON_STRING:
		trace_json_copy(t, t->server_error, sizeof t->server_error);
		t->has_server_error = true;
		break;
	default:
		json_skip(t->r);
		break;
	}
}

void trace_json_server_error(struct trace_json *t)
{
	if (json_peek(t->r) != JSON_ARRAY || !json_enter(t->r, JSON_ARRAY)) {
		read_error(t);
		return;
	}
	while (json_next_item(t->r))
		read_error(t);
}
