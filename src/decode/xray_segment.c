/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/xray_segment.h"

#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/num.h"
#include "decode/trace_json.h"

#define WHAT "a segment"

enum field {
	FIELD_ANNOTATIONS,
	FIELD_AWS,
	FIELD_CAUSE,
	FIELD_END,
	FIELD_ERROR,
	FIELD_HTTP,
	FIELD_ID,
	FIELD_INFERRED,
	FIELD_LINKS,
	FIELD_METADATA,
	FIELD_NAME,
	FIELD_NAMESPACE,
	FIELD_ORIGIN,
	FIELD_PARENT_ID,
	FIELD_SERVICE,
	FIELD_SQL,
	FIELD_START,
	FIELD_SUBSEGMENTS,
	FIELD_TRACE_ID,
	FIELD_TYPE,
	FIELD_USER,
};

static const struct json_name names[] = {
	JSON_NAME("id", FIELD_ID),
	JSON_NAME("name", FIELD_NAME),
	JSON_NAME("start_time", FIELD_START),
	JSON_NAME("end_time", FIELD_END),
	JSON_NAME("trace_id", FIELD_TRACE_ID),
	JSON_NAME("parent_id", FIELD_PARENT_ID),
	JSON_NAME("type", FIELD_TYPE),
	JSON_NAME("namespace", FIELD_NAMESPACE),
	JSON_NAME("inferred", FIELD_INFERRED),
	JSON_NAME("error", FIELD_ERROR),
	JSON_NAME("fault", FIELD_ERROR),
	JSON_NAME("throttle", FIELD_ERROR),
	JSON_NAME("cause", FIELD_CAUSE),
	JSON_NAME("http", FIELD_HTTP),
	JSON_NAME("aws", FIELD_AWS),
	JSON_NAME("sql", FIELD_SQL),
	JSON_NAME("service", FIELD_SERVICE),
	JSON_NAME("annotations", FIELD_ANNOTATIONS),
	JSON_NAME("metadata", FIELD_METADATA),
	JSON_NAME("origin", FIELD_ORIGIN),
	JSON_NAME("user", FIELD_USER),
	JSON_NAME("links", FIELD_LINKS),
	JSON_NAME("subsegments", FIELD_SUBSEGMENTS),
	NAMES_END,
};

/* What the X-Ray exporters of OpenTelemetry put in front of attributes of a
 * process, which stand among the metadata of a segment. */
static const struct str resource_prefix = { "otel.resource.", 14 };

void xray_segment_init(struct xray_segment *s)
{
	*s = (struct xray_segment){ .has_trace_id = false };
	arena_init(&s->arena, LIMIT_DECODE_HEAP_BYTES);
	buf_init(&s->texts, LIMIT_BODY_PLAIN_BYTES);
	buf_init(&s->raw, LIMIT_BODY_PLAIN_BYTES);
	value_init(&s->value);
}

void xray_segment_release(struct xray_segment *s)
{
	value_release(&s->value);
	buf_release(&s->raw);
	buf_release(&s->texts);
	arena_release(&s->arena);
}

struct str xray_segment_text(const struct xray_segment *s,
			     struct xray_text text)
{
	return str_slice(buf_str(&s->texts), text.at, text.len);
}

/* ---- what is kept ---- */

static void lack_memory(struct xray_segment *s, struct json_reader *r)
{
	if (s->err.code == ERROR_NONE)
		(void)arena_fail(&s->arena, WHAT, &s->err);
	(void)json_fail(r, "%s", s->err.message);
}

static struct xray_text keep(struct xray_segment *s, struct json_reader *r,
			     struct str text)
{
	struct xray_text kept = { s->texts.len, text.len };

	buf_add_str(&s->texts, text);
	if (!json_failed(r) && !buf_check(&s->texts, WHAT, &s->err))
		(void)json_fail(r, "%s", s->err.message);
	return kept;
}

static struct xray_text keep_next(struct xray_segment *s, struct json_reader *r)
{
	return keep(s, r, json_text_nullable(r));
}

static bool add_span(struct xray_segment *s, struct json_reader *r,
		     uint32_t parent)
{
	void *items = s->spans;

	if (s->span_count >= LIMIT_SPANS)
		return json_fail(r, "a segment of more than %u subsegments",
				 LIMIT_SPANS);
	if (!arena_reserve(&s->arena, &items, &s->span_cap, s->span_count + 1,
			   sizeof *s->spans)) {
		lack_memory(s, r);
		return false;
	}
	s->spans = items;
	s->spans[s->span_count++] = (struct xray_span){ .parent = parent };
	return true;
}

static void add_note(struct xray_segment *s, struct json_reader *r,
		     uint32_t span, const struct xray_note *note)
{
	struct xray_span *of = &s->spans[span];
	void *items = s->notes;

	if (json_failed(r))
		return;
	if (s->note_count >= UINT32_MAX - 1 ||
	    !arena_reserve(&s->arena, &items, &s->note_cap, s->note_count + 1,
			   sizeof *s->notes)) {
		lack_memory(s, r);
		return;
	}
	s->notes = items;
	s->notes[s->note_count++] = *note;
	if (of->note_end)
		s->notes[of->note_end - 1].next = (uint32_t)s->note_count;
	else
		of->note = (uint32_t)s->note_count;
	of->note_end = (uint32_t)s->note_count;
}

static void add_text(struct xray_segment *s, struct json_reader *r,
		     uint32_t span, enum xray_note_kind kind, struct str key,
		     struct str value)
{
	struct xray_note note = { .kind = kind };

	note.key = keep(s, r, key);
	note.value = keep(s, r, value);
	add_note(s, r, span, &note);
}

/* The value that comes next under a key: a list or a map as JSON. */
static void add_value(struct xray_segment *s, struct json_reader *r,
		      uint32_t span, enum xray_note_kind kind, struct str key)
{
	enum json_kind next = json_peek(r);
	struct str text = STR("");

	if (next == JSON_NULL) {
		json_skip(r);
		return;
	}
	if (next == JSON_STRING) {
		if (!json_text(r, &text))
			return;
	} else {
		buf_clear(&s->raw);
		if (!json_raw(r, &s->raw))
			return;
		text = buf_str(&s->raw);
	}
	/* A byte more than fits, so that its being cut is told. */
	add_text(s, r, span, kind, key,
		 str_slice(text, 0, LIMIT_STRING_BYTES + 1));
}

/* ---- members that are objects ---- */

static void add_renamed(struct xray_segment *s, struct json_reader *r,
			uint32_t span, struct str path)
{
	const struct xray_naming *naming;

	if (str_equal(path, STR("aws.operation"))) {
		s->spans[span].operation = keep_next(s, r);
		return;
	}
	naming = xray_naming(path);
	if (naming) {
		/* Of a call it is where that went to. */
		add_value(s, r, span, span ? XRAY_ATTR : naming->kind,
			  naming->key);
		return;
	}
	add_value(s, r, span, XRAY_ATTR, path);
}

/* "front.key"; false when that is longer than a key can be. */
static bool join(struct attr_key *path, struct str front, struct str key)
{
	if (front.len + 1 + key.len > sizeof path->text)
		return false;
	memcpy(path->text, front.ptr, front.len);
	path->text[front.len] = '.';
	memcpy(path->text + front.len + 1, key.ptr, key.len);
	path->len = front.len + 1 + key.len;
	return true;
}

/* Two levels of names and their values, deeper ones as JSON. */
static void read_section(struct xray_segment *s, struct json_reader *r,
			 uint32_t span, struct str section)
{
	struct attr_key outer, path;
	struct str key;

	if (!json_enter_if(r, JSON_OBJECT))
		return;
	while (json_next_key(r, &key)) {
		if (!join(&outer, section, key)) {
			json_skip(r);
			continue;
		}
		if (json_peek(r) != JSON_OBJECT ||
		    !json_enter(r, JSON_OBJECT)) {
			add_renamed(s, r, span, attr_key_str(&outer));
			continue;
		}
		while (json_next_key(r, &key))
			if (join(&path, attr_key_str(&outer), key))
				add_renamed(s, r, span, attr_key_str(&path));
			else
				json_skip(r);
	}
}

static void read_annotations(struct xray_segment *s, struct json_reader *r,
			     uint32_t span)
{
	struct attr_key kept;
	struct str key;

	if (!json_enter_if(r, JSON_OBJECT))
		return;
	while (json_next_key(r, &key)) {
		attr_key_set(&kept, key);
		add_value(s, r, span, XRAY_ATTR, attr_key_str(&kept));
	}
}

/* Names within one space; those of "default" are as they were given. */
static void read_metadata_of(struct xray_segment *s, struct json_reader *r,
			     uint32_t span, struct str space)
{
	bool is_default = str_equal(space, STR("metadata.default"));
	struct attr_key path;
	struct str name, key;

	while (json_next_key(r, &key)) {
		if (!join(&path, space, key)) {
			json_skip(r);
			continue;
		}
		name = attr_key_str(&path);
		if (is_default)
			name = str_slice(name, space.len + 1, name.len);
		if (is_default && str_starts(name, resource_prefix))
			add_value(
				s, r, span, span ? XRAY_ATTR : XRAY_OF_PROCESS,
				str_slice(name, resource_prefix.len, name.len));
		else
			add_value(s, r, span, XRAY_ATTR, name);
	}
}

static void read_metadata(struct xray_segment *s, struct json_reader *r,
			  uint32_t span)
{
	struct attr_key space;
	struct str key;

	if (!json_enter_if(r, JSON_OBJECT))
		return;
	while (json_next_key(r, &key)) {
		if (!join(&space, STR("metadata"), key))
			json_skip(r);
		else if (json_peek(r) == JSON_OBJECT &&
			 json_enter(r, JSON_OBJECT))
			read_metadata_of(s, r, span, attr_key_str(&space));
		else
			add_value(s, r, span, XRAY_ATTR, attr_key_str(&space));
	}
}

/* ---- exceptions ---- */

static void copy_next(struct json_reader *r, char *out, size_t size)
{
	enum json_kind next = json_peek(r);
	struct str text;

	if (next != JSON_STRING && next != JSON_NUMBER)
		json_skip(r);
	else if (json_number_text(r, &text))
		snprintf(out, size, "%.*s", STR_ARGS(text));
}

/* "label (path:line)", as far as texts go. */
static void read_frame(struct xray_segment *s, struct json_reader *r)
{
	char label[512] = "", path[512] = "", line[32] = "";
	struct str key;

	while (json_next_key(r, &key))
		if (str_equal(key, STR("label")))
			copy_next(r, label, sizeof label);
		else if (str_equal(key, STR("path")))
			copy_next(r, path, sizeof path);
		else if (str_equal(key, STR("line")))
			copy_next(r, line, sizeof line);
		else
			json_skip(r);
	if (s->raw.len < LIMIT_STRING_BYTES)
		buf_addf(&s->raw, "%s%s (%s:%s)", s->raw.len ? "\n" : "", label,
			 path, line);
}

static void read_stack(struct xray_segment *s, struct json_reader *r,
		       uint32_t span)
{
	buf_clear(&s->raw);
	if (!json_enter_if(r, JSON_ARRAY))
		return;
	while (json_next_object(r))
		read_frame(s, r);
	if (!json_failed(r) && !buf_check(&s->raw, WHAT, &s->err))
		(void)json_fail(r, "%s", s->err.message);
	else if (s->raw.len)
		add_text(s, r, span, XRAY_OF_EVENT, STR("exception.stacktrace"),
			 buf_str(&s->raw));
}

static void read_exception(struct xray_segment *s, struct json_reader *r,
			   uint32_t span)
{
	struct xray_note event = { .kind = XRAY_EXCEPTION };
	struct str key;

	add_note(s, r, span, &event);
	while (json_next_key(r, &key))
		if (str_equal(key, STR("type"))) {
			add_value(s, r, span, XRAY_OF_EVENT,
				  STR("exception.type"));
		} else if (str_equal(key, STR("stack"))) {
			read_stack(s, r, span);
		} else if (!str_equal(key, STR("message"))) {
			json_skip(r);
		} else {
			struct xray_text text = keep_next(s, r);
			struct xray_note note = {
				.kind = XRAY_OF_EVENT,
				.key = keep(s, r, STR("exception.message")),
				.value = text,
			};

			if (!s->spans[span].message.len)
				s->spans[span].message = text;
			add_note(s, r, span, &note);
		}
}

/* An object with exceptions, or the id of one told elsewhere. */
static void read_cause(struct xray_segment *s, struct json_reader *r,
		       uint32_t span)
{
	if (!json_enter_if(r, JSON_OBJECT))
		return;
	while (json_next_named(r, STR("exceptions")))
		if (json_enter_if(r, JSON_ARRAY))
			while (json_next_object(r))
				read_exception(s, r, span);
}

/* ---- ids and times ---- */

static uint64_t read_id(struct json_reader *r)
{
	struct str text = json_text_nullable(r);
	uint64_t id = 0;

	if (text.len && (text.len != 16 || !parse_hex_u64(text, &id)))
		(void)json_fail(r,
				"'%.*s' is no id of a segment: 16 hexadecimal "
				"digits are expected",
				STR_ARGS(text));
	return id;
}

/* "1-58406520-a006649127e371903a2de979", or the same as OpenTelemetry writes
 * it. */
static bool parse_trace_id(struct str text, struct trace_id *id)
{
	char hex[32];

	if (text.len == sizeof hex)
		return trace_id_parse(text, id);
	if (text.len != 35 || !str_starts(text, STR("1-")) ||
	    text.ptr[10] != '-')
		return false;
	memcpy(hex, text.ptr + 2, 8);
	memcpy(hex + 8, text.ptr + 11, 24);
	return trace_id_parse((struct str){ hex, sizeof hex }, id);
}

static bool read_trace_id(struct json_reader *r, struct trace_id *id)
{
	struct str text = json_text_nullable(r);

	return parse_trace_id(text, id) ||
	       json_fail(r,
			 "'%.*s' is no trace id of X-Ray: one such as "
			 "1-58406520-a006649127e371903a2de979 is expected",
			 STR_ARGS(text));
}

/* Seconds with a fraction. */
static int64_t read_time(struct json_reader *r)
{
	struct str text;
	int64_t time_ns = 0;

	if (json_peek(r) == JSON_NULL)
		json_skip(r);
	else if (json_number_text(r, &text) &&
		 !parse_scaled_i64(text, 9, &time_ns))
		(void)json_fail(r, "'%.*s' is no time in seconds",
				STR_ARGS(text));
	return time_ns;
}

static void read_flag(struct json_reader *r, bool *flag)
{
	bool value;

	if (json_peek(r) != JSON_TRUE)
		json_skip(r);
	else if (json_bool(r, &value))
		*flag |= value;
}

static void read_link(struct xray_segment *s, struct json_reader *r,
		      uint32_t span)
{
	struct xray_note note = { .kind = XRAY_LINK };
	struct xray_link link;
	bool has_trace_id = false;
	struct str key;

	memset(&link, 0, sizeof link);
	while (json_next_key(r, &key))
		if (str_equal(key, STR("trace_id")))
			has_trace_id = read_trace_id(r, &link.trace_id);
		else if (str_equal(key, STR("id")))
			link.span_id = read_id(r);
		else
			json_skip(r);
	if (!has_trace_id)
		return;
	note.value =
		keep(s, r, (struct str){ (const char *)&link, sizeof link });
	add_note(s, r, span, &note);
}

/* ---- segments ---- */

/* What else was called, if it is a call. */
static void read_namespace(struct xray_segment *s, struct json_reader *r,
			   uint32_t span)
{
	struct str text = json_text_nullable(r);

	s->spans[span].is_aws = str_equal(text, STR("aws"));
	s->spans[span].is_call =
		s->spans[span].is_aws || str_equal(text, STR("remote"));
}

static void read_field(struct xray_segment *s, struct json_reader *r,
		       uint32_t span, int field)
{
	switch (field) {
	case FIELD_ID:
		s->spans[span].id = read_id(r);
		break;
	case FIELD_NAME:
		s->spans[span].name = keep_next(s, r);
		break;
	case FIELD_START:
		s->spans[span].start_ns = read_time(r);
		break;
	case FIELD_END:
		s->spans[span].end_ns = read_time(r);
		break;
	case FIELD_NAMESPACE:
		read_namespace(s, r, span);
		break;
	case FIELD_ERROR:
		read_flag(r, &s->spans[span].is_error);
		break;
	case FIELD_CAUSE:
		read_cause(s, r, span);
		break;
	case FIELD_HTTP:
		read_section(s, r, span, STR("http"));
		break;
	case FIELD_AWS:
		read_section(s, r, span, STR("aws"));
		break;
	case FIELD_SQL:
		read_section(s, r, span, STR("sql"));
		break;
	case FIELD_SERVICE:
		read_section(s, r, span, STR("service"));
		break;
	case FIELD_ANNOTATIONS:
		read_annotations(s, r, span);
		break;
	case FIELD_METADATA:
		read_metadata(s, r, span);
		break;
	case FIELD_ORIGIN:
		add_value(s, r, span, XRAY_ATTR, STR("aws.origin"));
		break;
	case FIELD_USER:
		add_value(s, r, span, XRAY_ATTR, STR("user.id"));
		break;
	case FIELD_LINKS:
		if (json_enter_if(r, JSON_ARRAY))
			while (json_next_object(r))
				read_link(s, r, span);
		break;
	default:
		json_skip(r);
		break;
	}
}

/* A list of subsegments that is open: of which span, and which of its own is
 * being read. */
struct level {
	uint32_t owner;
	uint32_t span;
	bool is_open; /* in the latter */
};

/* The list comes next; down and up again without recursion. */
static void read_subsegments(struct xray_segment *s, struct json_reader *r)
{
	struct level levels[LIMIT_XRAY_DEPTH];
	unsigned depth = 0;
	uint32_t owner = 0;
	struct str key;

	if (!json_enter_if(r, JSON_ARRAY))
		return;
	levels[depth++] = (struct level){ .owner = owner };
	while (depth && !json_failed(r)) {
		struct level *at = &levels[depth - 1];
		int field;

		if (!at->is_open) {
			at->is_open = json_next_object(r);
			if (!at->is_open)
				depth--;
			else if (add_span(s, r, at->owner + 1))
				at->span = (uint32_t)s->span_count - 1;
			continue;
		}
		if (!json_next_key(r, &key)) {
			at->is_open = false;
			continue;
		}
		field = trace_json_field(names, key);
		if (field != FIELD_SUBSEGMENTS) {
			read_field(s, r, at->span, field);
		} else if (json_peek(r) == JSON_ARRAY &&
			   depth == LIMIT_XRAY_DEPTH) {
			(void)json_fail(r,
					"subsegments more than %d deep: "
					"measure fewer calls within calls",
					LIMIT_XRAY_DEPTH);
		} else if (json_enter_if(r, JSON_ARRAY)) {
			levels[depth++] = (struct level){ .owner = at->span };
		}
	}
}

void xray_segment_begin(struct xray_segment *s, struct json_reader *r)
{
	s->span_count = 0;
	s->note_count = 0;
	buf_clear(&s->texts);
	s->trace_id = (struct trace_id){ .bytes = { 0 } };
	s->parent_id = 0;
	s->has_trace_id = s->is_subsegment = s->is_inferred = false;
	s->is_any = false;
	error_clear(&s->err);
	(void)!add_span(s, r, 0);
}

void xray_segment_member(struct xray_segment *s, struct json_reader *r,
			 struct str key)
{
	int field = trace_json_field(names, key);

	if (json_failed(r))
		return;
	s->is_any |= field == FIELD_ID || field == FIELD_START ||
		     field == FIELD_TRACE_ID;
	if (field == FIELD_SUBSEGMENTS)
		read_subsegments(s, r);
	else if (field == FIELD_TRACE_ID)
		s->has_trace_id = read_trace_id(r, &s->trace_id);
	else if (field == FIELD_INFERRED)
		read_flag(r, &s->is_inferred);
	else if (field == FIELD_PARENT_ID)
		s->parent_id = read_id(r);
	else if (field == FIELD_TYPE)
		s->is_subsegment =
			str_equal(json_text_nullable(r), STR("subsegment"));
	else
		read_field(s, r, 0, field);
}

bool xray_segment_end(struct xray_segment *s, struct json_reader *r)
{
	if (json_failed(r))
		return false;
	if (!s->has_trace_id)
		return json_fail(r, "a segment without a trace id");
	for (size_t i = 0; i < s->span_count; i++)
		if (!s->spans[i].id)
			return json_fail(r, "a %s without an id",
					 i || s->is_subsegment ? "subsegment"
							       : "segment");
	return true;
}
