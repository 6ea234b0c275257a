/* SPDX-License-Identifier: Apache-2.0
 *
 * OTLP JSON in all variants: Collector files (a request per line), Tempo v1
 * ("batches") and v2 ("trace", status), Jaeger v3 ("result"; a last document
 * may be an error). Members come in any order.
 */
#include "base/num.h"
#include "decode/formats.h"
#include "decode/otlp.h"
#include "decode/taker.h"
#include "decode/trace_json.h"
#include "decode/values.h"

/* OTLP JSON in Tempo's search responses: attributes, and AnyValue as text. */

enum place {
	IN_ANY,     /* {"stringValue":...} */
	IN_WRAPPER, /* {"values":...} of a list or map */
	IN_LIST,    /* [AnyValue...] */
	IN_MAP,     /* [KeyValue...] */
	IN_PAIR,    /* {"key":...,"value":...} */
};

struct level {
	unsigned char place;
	bool is_map;    /* IN_WRAPPER */
	bool has_value; /* IN_ANY, IN_PAIR */
	bool has_key;   /* IN_PAIR */
};

struct walk {
	struct json_reader *r;
	struct value_text *v;
	struct level levels[LIMIT_JSON_DEPTH];
	unsigned depth;
};

static bool is_any_of(struct str key, struct str camel, struct str snake)
{
	return str_equal(key, camel) || str_equal(key, snake);
}

/* Enters the next value if it is of the expected kind. */
static bool walk_descend(struct walk *w, enum json_kind kind, enum place place,
			 bool is_map)
{
	if (!json_enter_nullable(w->r, kind))
		return false;
	w->levels[w->depth++] = (struct level){ .place = (unsigned char)place,
						.is_map = is_map };
	return true;
}

static void write_double(struct walk *w)
{
	double value;

	if (json_f64(w->r, &value))
		value_f64(w->v, value);
}

static void write_string(struct walk *w)
{
	struct str text;

	if (json_text(w->r, &text))
		value_string(w->v, text);
}

static void write_bool(struct walk *w)
{
	bool value;

	if (json_bool(w->r, &value))
		value_bool(w->v, value);
}

static void open_wrapper(struct walk *w, bool is_map)
{
	if (walk_descend(w, JSON_OBJECT, IN_WRAPPER, is_map))
		value_open(w->v, is_map ? '{' : '[');
	else
		value_null(w->v);
}

/* Reads a member of an AnyValue; only the first known one counts. */
static void read_any(struct walk *w, struct str key)
{
	struct level *level = &w->levels[w->depth - 1];
	bool is_null = json_peek(w->r) == JSON_NULL;

	if (level->has_value || is_null) {
		json_skip(w->r);
		return;
	}
	level->has_value = true;
	if (is_any_of(key, STR("stringValue"), STR("string_value")) ||
	    is_any_of(key, STR("bytesValue"), STR("bytes_value"))) {
		write_string(w);
	} else if (is_any_of(key, STR("intValue"), STR("int_value"))) {
		struct str text;
		int64_t value;

		if (json_number_text(w->r, &text)) {
			if (parse_whole_i64(text, &value))
				value_i64(w->v, value);
			else
				value_string(w->v, text);
		}
	} else if (is_any_of(key, STR("doubleValue"), STR("double_value"))) {
		write_double(w);
	} else if (is_any_of(key, STR("boolValue"), STR("bool_value"))) {
		write_bool(w);
	} else if (is_any_of(key, STR("arrayValue"), STR("array_value"))) {
		open_wrapper(w, false);
	} else if (is_any_of(key, STR("kvlistValue"), STR("kvlist_value"))) {
		open_wrapper(w, true);
	} else {
		level->has_value = false;
		json_skip(w->r);
	}
}

/* A key after its value is lost: no encoder writes that, and only a label in a
 * nested map would be missing. */
static void read_pair(struct walk *w, struct str key)
{
	struct level *level = &w->levels[w->depth - 1];

	if (str_equal(key, STR("key")) && !level->has_key) {
		level->has_key = true;
		value_key(w->v, json_text_nullable(w->r));
	} else if (str_equal(key, STR("value")) && !level->has_value) {
		if (!level->has_key)
			value_key(w->v, STR(""));
		level->has_key = level->has_value = true;
		if (!walk_descend(w, JSON_OBJECT, IN_ANY, false))
			value_null(w->v);
	} else {
		json_skip(w->r);
	}
}

static void walk_leave(struct walk *w)
{
	struct level level = w->levels[--w->depth];

	if (level.place == IN_WRAPPER)
		value_close(w->v, level.is_map ? '}' : ']');
	else if (level.place == IN_ANY && !level.has_value)
		value_null(w->v);
	else if (level.place == IN_PAIR && level.has_key && !level.has_value)
		value_null(w->v);
}

static void walk_step(struct walk *w)
{
	enum place place = w->levels[w->depth - 1].place;
	struct str key;

	if (place == IN_LIST || place == IN_MAP) {
		if (json_next_item(w->r)) {
			if (!walk_descend(w, JSON_OBJECT,
					  (place == IN_MAP) ? IN_PAIR : IN_ANY,
					  false))
				value_null(w->v);
		} else {
			walk_leave(w);
		}
	} else if (!json_next_key(w->r, &key)) {
		walk_leave(w);
	} else if (place == IN_ANY) {
		read_any(w, key);
	} else if (place == IN_WRAPPER) {
		bool is_map = w->levels[w->depth - 1].is_map;

		if (str_equal(key, STR("values")))
			walk_descend(w, JSON_ARRAY, is_map ? IN_MAP : IN_LIST,
				     false);
		else
			json_skip(w->r);
	} else {
		read_pair(w, key);
	}
}

/* Reads the next value of r. Nesting is limited by the parser and handled
 * without recursion. Errors stay in r. */
static void otlp_json_value(struct json_reader *r, struct value_text *v)
{
	struct walk w;

	/* The levels, of which most values need one, are not initialised. */
	w.r = r;
	w.v = v;
	w.depth = 0;
	/* Some exports have plain values instead of objects. */
	switch (json_peek(r)) {
	case JSON_STRING:
		write_string(&w);
		return;
	case JSON_NUMBER:
		write_double(&w);
		return;
	case JSON_TRUE:
	case JSON_FALSE:
		write_bool(&w);
		return;
	default:
		break;
	}
	walk_descend(&w, JSON_OBJECT, IN_ANY, false);
	while (w.depth)
		walk_step(&w);
}

#define NO_RESOURCE UINT32_MAX

enum field {
	FIELD_ATTRIBUTES,
	FIELD_CODE,
	FIELD_END,
	FIELD_ERROR,
	FIELD_EVENTS,
	FIELD_GROUPS,
	FIELD_INNER,
	FIELD_KIND,
	FIELD_LINKS,
	FIELD_MESSAGE,
	FIELD_NAME,
	FIELD_PARENT_ID,
	FIELD_RESOURCE,
	FIELD_SCOPES,
	FIELD_SPANS,
	FIELD_SPAN_ID,
	FIELD_START,
	FIELD_STATUS,
	FIELD_TRACE_ID,
};

/* ---- attributes ---- */

static void read_attribute(struct trace_json *t)
{
	struct attr_key key = { .len = 0 };
	bool has_key = false, is_wanted = true;
	struct str name;

	value_clear(&t->value);
	while (json_next_key(t->r, &name))
		if (str_equal(name, STR("key"))) {
			trace_json_key(t, &key);
			has_key = true;
		} else if (!str_equal(name, STR("value"))) {
			json_skip(t->r);
		} else if (!has_key || taker_wants(t->to, attr_key_str(&key))) {
			otlp_json_value(t->r, &t->value);
		} else {
			json_skip(t->r);
			is_wanted = false;
		}
	if (is_wanted)
		trace_json_attr(t, attr_key_str(&key));
}

void otlp_json_attributes(struct trace_json *t)
{
	if (json_enter_nullable(t->r, JSON_ARRAY))
		while (json_next_object(t->r))
			read_attribute(t);
}

/* ---- spans ---- */

/* Reads a number, a number as a string, or a name such as
 * "SPAN_KIND_SERVER". */
static uint64_t read_enum(struct trace_json *t, struct json_fields *names)
{
	uint64_t number;
	struct str text;
	int named;

	if (json_peek(t->r) != JSON_STRING) {
		int64_t value = 0;

		if (!json_i64(t->r, &value) || value < 0)
			return 0;
		return (uint64_t)value;
	}
	text = json_text_nullable(t->r);
	if (parse_u64(text, &number))
		return number;
	named = json_field(names, text);
	return named < 0 ? 0 : (uint64_t)named;
}

static struct json_fields kind_fields = JSON_FIELDS(
	JSON_NAME("SPAN_KIND_INTERNAL", 1), JSON_NAME("SPAN_KIND_SERVER", 2),
	JSON_NAME("SPAN_KIND_CLIENT", 3), JSON_NAME("SPAN_KIND_PRODUCER", 4),
	JSON_NAME("SPAN_KIND_CONSUMER", 5));

static struct json_fields status_fields = JSON_FIELDS(
	JSON_NAME("code", FIELD_CODE), JSON_NAME("message", FIELD_MESSAGE));

static struct json_fields status_codes = JSON_FIELDS(
	JSON_NAME("STATUS_CODE_OK", 1),
	JSON_NAME("STATUS_CODE_ERROR", OTLP_STATUS_ERROR));

static void read_status(struct trace_json *t, struct span_input *in)
{
	struct str key;

	if (!json_enter_nullable(t->r, JSON_OBJECT))
		return;
	while (json_next_key(t->r, &key))
		switch (json_field(&status_fields, key)) {
		case FIELD_CODE:
			in->flags = read_enum(t, &status_codes) ==
						    OTLP_STATUS_ERROR
					    ? SPAN_IS_ERROR
					    : 0;
			break;
		case FIELD_MESSAGE:
			in->status_message = trace_json_symbol(t);
			break;
		default:
			json_skip(t->r);
			break;
		}
}

static uint64_t read_time(struct trace_json *t)
{
	uint64_t time_ns = 0;

	return json_u64(t->r, &time_ns) ? time_ns : 0;
}

static struct json_fields part_fields = JSON_FIELDS(
	JSON_NAME("timeUnixNano", FIELD_START),
	JSON_NAME("time_unix_nano", FIELD_START), JSON_NAME("name", FIELD_NAME),
	JSON_NAME("traceId", FIELD_TRACE_ID),
	JSON_NAME("trace_id", FIELD_TRACE_ID),
	JSON_NAME("spanId", FIELD_SPAN_ID), JSON_NAME("span_id", FIELD_SPAN_ID),
	JSON_NAME("attributes", FIELD_ATTRIBUTES));

/* Events and links have no members in common except attributes. */
static void read_part(struct trace_json *t, enum detail_kind kind)
{
	struct span_input in = { .name = 0 };
	int field;

	if (!trace_json_taken(t,
			      trace_build_part_begin(t->to->b, kind, &t->err)))
		return;
	while ((field = json_next_field(t->r, &part_fields)) >= 0)
		switch (field) {
		case FIELD_START:
			in.start_unix_ns = read_time(t);
			break;
		case FIELD_NAME:
			in.name = trace_json_symbol(t);
			break;
		case FIELD_TRACE_ID:
			trace_json_trace_id(t, &in.trace_id);
			break;
		case FIELD_SPAN_ID:
			in.span_id = trace_json_span_id(t);
			break;
		case FIELD_ATTRIBUTES:
			if (taker_has_details(t->to))
				otlp_json_attributes(t);
			else
				json_skip(t->r);
			break;
		}
	if (kind == DETAIL_EVENT)
		trace_build_event_end(t->to->b, in.start_unix_ns, in.name);
	else
		trace_json_taken(t, trace_build_link_end(t->to->b, &in.trace_id,
							 in.span_id, &t->err));
}

static void read_span_field(struct trace_json *t, int field,
			    struct span_input *in)
{
	/* For a span that is not kept, other fields are only checked for
	 * syntax. */
	if (field != FIELD_TRACE_ID && field != FIELD_SPAN_ID &&
	    field != FIELD_PARENT_ID && field != FIELD_START &&
	    field != FIELD_END && field != FIELD_LINKS &&
	    taker_skips(t->to, &in->trace_id)) {
		json_skip(t->r);
		return;
	}
	switch (field) {
	case FIELD_TRACE_ID:
		trace_json_trace_id(t, &in->trace_id);
		break;
	case FIELD_SPAN_ID:
		in->span_id = trace_json_span_id(t);
		break;
	case FIELD_PARENT_ID:
		in->parent_id = trace_json_span_id(t);
		break;
	case FIELD_NAME:
		trace_json_name(t, in);
		break;
	case FIELD_KIND:
		in->kind = (uint8_t)otlp_kind(read_enum(t, &kind_fields));
		break;
	case FIELD_START:
		in->start_unix_ns = read_time(t);
		break;
	case FIELD_END:
		in->end_unix_ns = read_time(t);
		break;
	case FIELD_ATTRIBUTES:
		otlp_json_attributes(t);
		break;
	case FIELD_STATUS:
		read_status(t, in);
		break;
	case FIELD_EVENTS:
		if (trace_json_enter_events(t))
			while (json_next_object(t->r))
				read_part(t, DETAIL_EVENT);
		break;
	case FIELD_LINKS:
		if (trace_json_enter_links(t))
			while (json_next_object(t->r))
				read_part(t, DETAIL_LINK);
		break;
	}
}

static struct json_fields span_fields = JSON_FIELDS(
	JSON_NAME("traceId", FIELD_TRACE_ID),
	JSON_NAME("spanId", FIELD_SPAN_ID),
	JSON_NAME("parentSpanId", FIELD_PARENT_ID),
	JSON_NAME("name", FIELD_NAME), JSON_NAME("kind", FIELD_KIND),
	JSON_NAME("startTimeUnixNano", FIELD_START),
	JSON_NAME("endTimeUnixNano", FIELD_END),
	JSON_NAME("attributes", FIELD_ATTRIBUTES),
	JSON_NAME("events", FIELD_EVENTS), JSON_NAME("links", FIELD_LINKS),
	JSON_NAME("status", FIELD_STATUS),
	JSON_NAME("trace_id", FIELD_TRACE_ID),
	JSON_NAME("span_id", FIELD_SPAN_ID),
	JSON_NAME("parent_span_id", FIELD_PARENT_ID),
	JSON_NAME("start_time_unix_nano", FIELD_START),
	JSON_NAME("end_time_unix_nano", FIELD_END));

static void read_span(struct trace_json *t, uint32_t resource)
{
	struct span_input in = { .resource = resource };
	int field;

	taker_attrs_begin(t->to, ATTRS_OF_SPAN);
	while ((field = json_next_field(t->r, &span_fields)) >= 0)
		read_span_field(t, field, &in);
	if (json_failed(t->r))
		return;
	trace_json_taken(t, taker_span(t->to, &in, &t->err));
}

/* ---- resources ---- */

static void read_scope(struct trace_json *t, uint32_t resource)
{
	while (json_next_named(t->r, STR("spans")))
		if (json_enter_nullable(t->r, JSON_ARRAY))
			while (json_next_object(t->r))
				read_span(t, resource);
}

/* Describes a reserved resource, or creates one. */
static void read_resource(struct trace_json *t, uint32_t *resource)
{
	taker_attrs_begin(t->to, ATTRS_OF_PROCESS);
	if (!json_enter_nullable(t->r, JSON_OBJECT))
		return;
	while (json_next_named(t->r, STR("attributes")))
		otlp_json_attributes(t);
	if (*resource == NO_RESOURCE)
		trace_json_taken(t, taker_process(t->to, resource, &t->err));
	else
		trace_json_taken(
			t, taker_process_describe(t->to, *resource, &t->err));
}

static struct json_fields group_fields = JSON_FIELDS(
	JSON_NAME("resource", FIELD_RESOURCE),
	JSON_NAME("scopeSpans", FIELD_SCOPES),
	JSON_NAME("scope_spans", FIELD_SCOPES),
	JSON_NAME("instrumentationLibrarySpans", FIELD_SCOPES),
	JSON_NAME("instrumentation_library_spans", FIELD_SCOPES));

struct group {
	uint32_t resource;
	bool is_described;
	bool has_members;
};

/* Reads the value of a member. */
static void read_group_member(struct trace_json *t, int field, struct group *g)
{
	if (field == FIELD_RESOURCE && !g->is_described) {
		read_resource(t, &g->resource);
		g->is_described = g->resource != NO_RESOURCE;
	} else if (field != FIELD_SCOPES) {
		json_skip(t->r);
	} else if (g->resource != NO_RESOURCE ||
		   trace_json_taken(t,
				    taker_process_reserve(t->to, &g->resource,
							  &t->err))) {
		if (json_enter_nullable(t->r, JSON_ARRAY))
			while (json_next_object(t->r))
				read_scope(t, g->resource);
	}
	g->has_members = true;
}

/* ---- documents ---- */

/* Reads the announced item and those that follow. */
static void read_group_items(struct trace_json *t)
{
	do {
		if (!trace_json_at(t))
			return;
		if (json_enter_nullable(t->r, JSON_OBJECT)) {
			struct group g = { .resource = NO_RESOURCE };
			struct str key;

			while (json_next_key(t->r, &key))
				read_group_member(
					t, json_field(&group_fields, key), &g);
			if (!json_failed(t->r))
				trace_json_taken(t,
						 taker_settle(t->to, &t->err));
		}
	} while (json_next_item(t->r));
}

static void read_groups(struct trace_json *t)
{
	if (json_enter_nullable(t->r, JSON_ARRAY) && json_next_item(t->r))
		read_group_items(t);
}

static struct json_fields envelope_fields = JSON_FIELDS(
	JSON_NAME("resourceSpans", FIELD_GROUPS),
	JSON_NAME("resource_spans", FIELD_GROUPS),
	JSON_NAME("batches", FIELD_GROUPS), JSON_NAME("trace", FIELD_INNER),
	JSON_NAME("result", FIELD_INNER), JSON_NAME("status", FIELD_STATUS),
	JSON_NAME("message", FIELD_MESSAGE), JSON_NAME("error", FIELD_ERROR));

static struct json_fields document_statuses = JSON_FIELDS(
	JSON_NAME("PARTIAL", 1));

/* OpenTelemetry's Java log exporter writes the spans of a resource per line,
 * without the list around them. */
static void read_document(struct trace_json *t)
{
	struct group alone = { .resource = NO_RESOURCE };
	char text[LIMIT_NOTE_BYTES / 2];
	struct str key, message = STR("");
	bool is_partial = false;
	int field;

	if (!json_enter(t->r, JSON_OBJECT))
		return;
	while (!t->is_enough && json_next_key(t->r, &key))
		switch (json_field(&envelope_fields, key)) {
		case FIELD_GROUPS:
			read_groups(t);
			break;
		case FIELD_INNER:
			if (!json_enter_nullable(t->r, JSON_OBJECT))
				break;
			while (!t->is_enough && json_next_key(t->r, &key))
				if (json_field(&envelope_fields, key) ==
				    FIELD_GROUPS)
					read_groups(t);
				else
					json_skip(t->r);
			break;
		case FIELD_STATUS:
			is_partial = read_enum(t, &document_statuses) == 1;
			break;
		case FIELD_MESSAGE:
			trace_json_copy(t, text, sizeof text);
			message = str_from(text);
			break;
		case FIELD_ERROR:
			trace_json_server_error(t);
			break;
		default:
			field = json_field(&group_fields, key);
			if (field >= 0)
				read_group_member(t, field, &alone);
			else
				json_skip(t->r);
			break;
		}
	if (alone.has_members && !json_failed(t->r))
		trace_json_taken(t, taker_settle(t->to, &t->err));
	if (is_partial)
		otlp_note_partial(t->to, message);
}

bool decode_otlp_json(struct feed *feed, struct taker *to, struct error *err)
{
	struct trace_json t;

	if (!trace_json_init(&t, feed, to, err))
		return false;
	if (trace_json_resume(&t)) {
		read_group_items(&t);
		trace_json_leave(&t);
	}
	while (!t.is_enough && !json_at_end(t.r))
		read_document(&t);
	return trace_json_finish(&t, "OTLP JSON", err);
}
