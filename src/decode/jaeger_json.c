/* SPDX-License-Identifier: Apache-2.0
 *
 * Jaeger's legacy JSON: the response of /api/traces, the UI's download, or a
 * bare trace. Times are in microseconds; OpenTelemetry's kind and status are
 * tags.
 */
#include <string.h>

#include "base/map.h"
#include "base/num.h"
#include "base/timefmt.h"
#include "decode/formats.h"
#include "decode/trace_json.h"

enum field {
	FIELD_DATA,
	FIELD_DURATION,
	FIELD_ERRORS,
	FIELD_FLAGS, /* unused */
	FIELD_KEY,
	FIELD_LOGS,
	FIELD_NAME,
	FIELD_PARENT_ID,
	FIELD_PROCESS,
	FIELD_PROCESSES,
	FIELD_PROCESS_ID,
	FIELD_REFERENCES,
	FIELD_REF_TYPE,
	FIELD_SPANS,
	FIELD_SPAN_ID,
	FIELD_START,
	FIELD_TAGS,
	FIELD_TRACE_ID,
	FIELD_TYPE,
	FIELD_VALUE,
	FIELD_WARNINGS,
};

/* A reference of a span, resolved at the span's end. */
struct reference {
	struct trace_id trace_id;
	uint64_t span_id;
	bool has_trace_id;
	bool is_child_of;
};

struct jaeger {
	struct trace_json t;
	struct arena arena;       /* of the trace being read */
	struct trace_id trace_id; /* of the trace, for spans without one */
	struct map processes;     /* its processID -> reserved resource */
	struct buf references;    /* of the span being read */
	uint32_t embedded; /* resource of a span whose process is read later */
};

/* ---- tags ---- */

/* Lists and maps are strings; `type` may follow the value. */
struct tag {
	struct attr_key key;
	bool is_float;
};

static struct json_fields tag_fields = JSON_FIELDS(
	JSON_NAME("key", FIELD_KEY), JSON_NAME("type", FIELD_TYPE),
	JSON_NAME("value", FIELD_VALUE));

static void read_tag(struct jaeger *j, struct tag *tag)
{
	int field;

	*tag = (struct tag){ .is_float = false };
	value_clear(&j->t.value);
	while ((field = json_next_field(j->t.r, &tag_fields)) >= 0)
		switch (field) {
		case FIELD_KEY:
			trace_json_key(&j->t, &tag->key);
			break;
		case FIELD_TYPE:
			tag->is_float = str_equal(json_text_nullable(j->t.r),
						  STR("float64"));
			break;
		case FIELD_VALUE:
			trace_json_plain_value(&j->t);
			break;
		}
	if (tag->is_float) {
		double value;

		/* Formatted like doubles of other formats. */
		if (parse_f64(buf_str(&j->t.value.buf), &value)) {
			value_clear(&j->t.value);
			value_f64(&j->t.value, value);
		}
	}
}

static void use_span_tag(struct jaeger *j, struct span_input *in,
			 const struct tag *tag, struct str text)
{
	struct str key = attr_key_str(&tag->key);
	enum span_kind kind;

	if (str_equal(key, STR("span.kind"))) {
		span_kind_parse(text, &kind);
		in->kind = (uint8_t)kind;
	} else if (str_equal(key, STR("error"))) {
		/* Zipkin's "error" is a text and means failure whatever it is;
		 * Jaeger's is a boolean, which the status repeats, so only
		 * texts are kept. */
		if (!str_equal(text, STR("false"))) {
			in->flags |= SPAN_IS_ERROR;
			if (!str_equal(text, STR("true")))
				trace_json_attr(&j->t, attr_key_str(&tag->key));
		}
	} else if (!trace_json_status_tag(&j->t, key, text, in)) {
		trace_json_attr(&j->t, key);
	}
}

/* in is NULL for a process. */
static void read_tags(struct jaeger *j, struct span_input *in)
{
	struct tag tag;
	struct str text;

	if (!json_enter_nullable(j->t.r, JSON_ARRAY))
		return;
	while (json_next_item(j->t.r)) {
		if (!json_enter_nullable(j->t.r, JSON_OBJECT))
			continue;
		read_tag(j, &tag);
		if (!trace_json_value(&j->t, &text))
			return;
		if (in)
			use_span_tag(j, in, &tag, text);
		else
			trace_json_attr(&j->t, attr_key_str(&tag.key));
	}
}

/* As in Jaeger v3: a list in an attribute. */
static void read_warnings(struct jaeger *j)
{
	struct value_text *v = &j->t.value;
	bool has_any = false;

	if (!json_enter_nullable(j->t.r, JSON_ARRAY))
		return;
	value_clear(v);
	value_open(v, '[');
	while (json_next_item(j->t.r)) {
		value_string(v, json_text_nullable(j->t.r));
		has_any = true;
	}
	value_close(v, ']');
	if (has_any)
		trace_json_attr(&j->t, STR("@jaeger@warnings"));
}

/* ---- processes ---- */

/* Returns the resource of a processID, reserved at its first occurrence. */
static bool find_process(struct jaeger *j, struct str id, uint32_t *resource)
{
	struct trace_json *t = &j->t;
	uint32_t fresh;

	*resource = map_find(&j->processes, id);
	if (*resource != MAP_NONE)
		return true;
	id = arena_str(&j->arena, id);
	return trace_json_taken(
		t, (id.ptr || arena_fail(&j->arena, "the trace", &t->err)) &&
			   taker_process_reserve(t->to, &fresh, &t->err) &&
			   (map_insert(&j->processes, id, fresh, resource) ||
			    arena_fail(&j->arena, "the trace", &t->err)));
}

static void read_process(struct jaeger *j, uint32_t resource)
{
	struct trace_json *t = &j->t;
	struct str key;

	taker_attrs_begin(t->to, ATTRS_OF_PROCESS);
	if (!json_enter_nullable(t->r, JSON_OBJECT))
		return;
	while (json_next_key(t->r, &key)) {
		if (str_equal(key, STR("serviceName"))) {
			value_clear(&t->value);
			value_string(&t->value, json_text_nullable(t->r));
			trace_json_attr(t, STR("service.name"));
		} else if (str_equal(key, STR("tags"))) {
			read_tags(j, NULL);
		} else {
			json_skip(t->r);
		}
	}
	trace_json_taken(t, taker_process_describe(t->to, resource, &t->err));
}

/* Reads the process embedded in a span, after the span's own tags were
 * stored. */
static void read_embedded_process(struct trace_json *t)
{
	/* struct jaeger begins with it. */
	struct jaeger *j = (struct jaeger *)t;

	read_process(j, j->embedded);
}

/* ---- spans ---- */

static struct json_fields reference_fields = JSON_FIELDS(
	JSON_NAME("refType", FIELD_REF_TYPE),
	JSON_NAME("traceID", FIELD_TRACE_ID),
	JSON_NAME("spanID", FIELD_SPAN_ID));

static void read_reference(struct jaeger *j)
{
	struct reference ref;
	int field;

	memset(&ref, 0, sizeof ref);
	while ((field = json_next_field(j->t.r, &reference_fields)) >= 0)
		switch (field) {
		case FIELD_REF_TYPE:
			ref.is_child_of = str_equal(json_text_nullable(j->t.r),
						    STR("CHILD_OF"));
			break;
		case FIELD_TRACE_ID:
			trace_json_trace_id(&j->t, &ref.trace_id);
			ref.has_trace_id = !trace_id_is_zero(&ref.trace_id);
			break;
		case FIELD_SPAN_ID:
			ref.span_id = trace_json_span_id(&j->t);
			break;
		}
	buf_add(&j->references, &ref, sizeof ref);
}

/* Sets the parent: the first CHILD_OF within the trace, else the first
 * FOLLOWS_FROM. */
static void use_references(const struct jaeger *j, struct span_input *in)
{
	bool is_follower = false;
	struct reference ref;

	for (size_t at = 0; at + sizeof ref <= j->references.len;
	     at += sizeof ref) {
		memcpy(&ref, j->references.data + at, sizeof ref);
		if (ref.has_trace_id &&
		    !trace_id_is_same(&ref.trace_id, &in->trace_id))
			continue;
		if (ref.is_child_of) {
			in->parent_id = ref.span_id;
			return;
		}
		if (!is_follower) {
			is_follower = true;
			in->parent_id = ref.span_id;
		}
	}
	if (is_follower)
		in->flags |= SPAN_IS_FOLLOWS_FROM;
}

/* Adds references to other traces as links. */
static void use_links(struct jaeger *j, const struct span_input *in)
{
	struct trace_build *b = j->t.to->b;
	struct error *err = &j->t.err;
	struct reference ref;

	if (!taker_has_links(j->t.to))
		return;
	for (size_t at = 0; at + sizeof ref <= j->references.len;
	     at += sizeof ref) {
		memcpy(&ref, j->references.data + at, sizeof ref);
		if (ref.has_trace_id &&
		    !trace_id_is_same(&ref.trace_id, &in->trace_id) &&
		    !trace_json_taken(
			    &j->t,
			    trace_build_part_begin(b, DETAIL_LINK, err) &&
				    trace_build_link_end(b, &ref.trace_id,
							 ref.span_id, err)))
			return;
	}
}

struct span_times {
	int64_t start_us;
	int64_t duration_us;
	bool has_duration;
};

/* Numbers between 2^63 and 2^64 saturate, an impossible time: Jaeger writes
 * durations that way for spans that end before they begin. */
static void read_number(struct jaeger *j, int64_t *number)
{
	struct str text;
	uint64_t large;

	*number = 0;
	if (json_peek(j->t.r) == JSON_NULL)
		json_skip(j->t.r);
	else if (!json_number_text(j->t.r, &text) || parse_i64(text, number) ||
		 parse_whole_i64(text, number))
		return;
	else if (parse_u64(text, &large))
		*number = INT64_MAX;
	else
		(void)json_fail(j->t.r,
				"\"%.*s\" is no whole number of 64 bits",
				STR_ARGS(text));
}

static void read_log_fields(struct jaeger *j, uint32_t *name)
{
	struct trace_json *t = &j->t;
	struct tag tag;

	if (!json_enter_nullable(t->r, JSON_ARRAY))
		return;
	while (json_next_item(t->r)) {
		struct str key, text;

		if (!json_enter_nullable(t->r, JSON_OBJECT))
			continue;
		read_tag(j, &tag);
		key = attr_key_str(&tag.key);
		/* The name of an event in OpenTelemetry, and of a log in
		 * OpenTracing. */
		if (!str_equal(key, STR("event")))
			trace_json_attr(t, key);
		else if (trace_json_value(t, &text))
			trace_json_taken(
				t, taker_text(t->to, text, name, &t->err));
	}
}

static void read_log(struct jaeger *j)
{
	struct trace_json *t = &j->t;
	int64_t time_us = 0;
	uint32_t name = 0;
	struct str key;

	if (!trace_json_taken(
		    t, trace_build_part_begin(t->to->b, DETAIL_EVENT, &t->err)))
		return;
	while (json_next_key(t->r, &key))
		if (str_equal(key, STR("timestamp")))
			read_number(j, &time_us);
		else if (str_equal(key, STR("fields")))
			read_log_fields(j, &name);
		else
			json_skip(t->r);
	trace_build_event_end(t->to->b, trace_json_ns((uint64_t)time_us), name);
}

static void read_span_field(struct jaeger *j, int field, struct span_input *in,
			    struct span_times *times)
{
	/* For a span that is not kept, other fields are only checked for
	 * syntax. */
	if (field != FIELD_TRACE_ID && field != FIELD_SPAN_ID &&
	    field != FIELD_PARENT_ID && field != FIELD_START &&
	    field != FIELD_DURATION && taker_skips(j->t.to, &in->trace_id)) {
		json_skip(j->t.r);
		return;
	}
	switch (field) {
	case FIELD_TRACE_ID:
		trace_json_trace_id(&j->t, &in->trace_id);
		break;
	case FIELD_SPAN_ID:
		in->span_id = trace_json_span_id(&j->t);
		break;
	case FIELD_PARENT_ID:
		in->parent_id = trace_json_span_id(&j->t);
		break;
	case FIELD_NAME:
		trace_json_name(&j->t, in);
		break;
	case FIELD_REFERENCES:
		if (json_enter_nullable(j->t.r, JSON_ARRAY))
			while (json_next_object(j->t.r))
				read_reference(j);
		break;
	case FIELD_START:
		read_number(j, &times->start_us);
		break;
	case FIELD_DURATION:
		times->has_duration = true;
		read_number(j, &times->duration_us);
		break;
	case FIELD_TAGS:
		read_tags(j, in);
		break;
	case FIELD_WARNINGS:
		read_warnings(j);
		break;
	case FIELD_LOGS:
		if (trace_json_enter_events(&j->t))
			while (json_next_object(j->t.r))
				read_log(j);
		break;
	case FIELD_PROCESS_ID:
		find_process(j, json_text_nullable(j->t.r), &in->resource);
		break;
	case FIELD_PROCESS:
		if (json_peek(j->t.r) == JSON_OBJECT)
			trace_json_keep_late(&j->t);
		else
			json_skip(j->t.r);
		break;
	default:
		json_skip(j->t.r);
		break;
	}
}

static struct json_fields span_fields = JSON_FIELDS(
	JSON_NAME("traceID", FIELD_TRACE_ID),
	JSON_NAME("spanID", FIELD_SPAN_ID), JSON_NAME("flags", FIELD_FLAGS),
	JSON_NAME("parentSpanID", FIELD_PARENT_ID),
	JSON_NAME("operationName", FIELD_NAME),
	JSON_NAME("references", FIELD_REFERENCES),
	JSON_NAME("startTime", FIELD_START),
	JSON_NAME("duration", FIELD_DURATION), JSON_NAME("tags", FIELD_TAGS),
	JSON_NAME("logs", FIELD_LOGS), JSON_NAME("processID", FIELD_PROCESS_ID),
	JSON_NAME("process", FIELD_PROCESS),
	JSON_NAME("warnings", FIELD_WARNINGS));

#define NO_RESOURCE UINT32_MAX

static void read_span(struct jaeger *j)
{
	struct span_input in = { .trace_id = j->trace_id,
				 .resource = NO_RESOURCE };
	struct span_times times = { .has_duration = false };
	struct trace_json *t = &j->t;
	struct str key;

	buf_clear(&j->references);
	buf_clear(&t->late);
	taker_attrs_begin(t->to, ATTRS_OF_SPAN);
	while (json_next_key(t->r, &key))
		read_span_field(j, json_field(&span_fields, key), &in, &times);
	/* References over the limit are links; the parent comes first. */
	if (j->references.state == BUF_OUT_OF_MEMORY)
		trace_json_taken(t, error_memory(&t->err, "the references"));
	if (json_failed(t->r))
		return;
	use_references(j, &in);
	use_links(j, &in);
	in.start_unix_ns = trace_json_ns((uint64_t)times.start_us);
	if (times.has_duration)
		in.end_unix_ns = trace_json_ns((uint64_t)sat_add_i64(
			times.start_us, times.duration_us));
	if (!taker_skips(t->to, &in.trace_id) &&
	    (t->late.len || in.resource == NO_RESOURCE))
		trace_json_taken(
			t, taker_process_reserve(t->to, &in.resource, &t->err));
	trace_json_taken(t,
			 !json_failed(t->r) && taker_span(t->to, &in, &t->err));
	/* None was reserved for a span that is not kept. */
	j->embedded = in.resource;
	if (in.resource != NO_RESOURCE)
		trace_json_read_late(t, read_embedded_process);
}

/* ---- documents ---- */

static void begin_trace(struct jaeger *j)
{
	arena_release(&j->arena);
	map_init(&j->processes, &j->arena);
	j->trace_id = (struct trace_id){ .bytes = { 0 } };
}

static void end_trace(struct jaeger *j)
{
	if (!json_failed(j->t.r))
		trace_json_taken(&j->t, taker_settle(j->t.to, &j->t.err));
}

static struct json_fields document_fields = JSON_FIELDS(
	JSON_NAME("data", FIELD_DATA), JSON_NAME("errors", FIELD_ERRORS),
	JSON_NAME("traceID", FIELD_TRACE_ID), JSON_NAME("spans", FIELD_SPANS),
	JSON_NAME("processes", FIELD_PROCESSES));

static void read_trace_field(struct jaeger *j, int field)
{
	if (field == FIELD_SPANS) {
		if (json_enter_nullable(j->t.r, JSON_ARRAY))
			while (json_next_object(j->t.r))
				read_span(j);
	} else if (field == FIELD_PROCESSES) {
		uint32_t resource;
		struct str key;

		if (json_enter_nullable(j->t.r, JSON_OBJECT))
			while (json_next_key(j->t.r, &key))
				if (find_process(j, key, &resource))
					read_process(j, resource);
	} else if (field == FIELD_TRACE_ID) {
		trace_json_trace_id(&j->t, &j->trace_id);
	} else {
		json_skip(j->t.r);
	}
}

/* Reads the announced item and those that follow. */
static void read_traces(struct jaeger *j)
{
	do {
		if (!trace_json_at(&j->t))
			return;
		if (json_enter_nullable(j->t.r, JSON_OBJECT)) {
			struct str key;

			begin_trace(j);
			while (json_next_key(j->t.r, &key))
				read_trace_field(
					j, json_field(&document_fields, key));
			end_trace(j);
		}
	} while (json_next_item(j->t.r));
}

/* Reads a response, or a bare trace. */
static void read_document(struct jaeger *j)
{
	struct str key;

	begin_trace(j);
	trace_json_nowhere(&j->t);
	if (!json_enter(j->t.r, JSON_OBJECT))
		return;
	while (!j->t.is_enough && json_next_key(j->t.r, &key)) {
		int field = json_field(&document_fields, key);

		if (field == FIELD_DATA) {
			if (json_enter_nullable(j->t.r, JSON_ARRAY) &&
			    json_next_item(j->t.r))
				read_traces(j);
		} else if (field == FIELD_ERRORS) {
			trace_json_server_error(&j->t);
		} else {
			read_trace_field(j, field);
		}
	}
	end_trace(j);
}

bool decode_jaeger_json(struct feed *feed, struct taker *to, struct error *err)
{
	struct jaeger j = { 0 };
	bool is_read;

	if (!trace_json_init(&j.t, feed, to, err))
		return false;
	j.t.has_short_ids = true;
	if (to->b)
		trace_build_may_have_links(to->b);
	arena_init(&j.arena, LIMIT_DECODE_HEAP_BYTES);
	buf_init(&j.references, LIMIT_SPAN_ATTRS * sizeof(struct reference));
	if (trace_json_resume(&j.t)) {
		read_traces(&j);
		trace_json_leave(&j.t);
	} else {
		read_document(&j);
	}
	while (!j.t.is_enough && !json_at_end(j.t.r))
		read_document(&j);
	is_read = trace_json_finish(&j.t, "Jaeger JSON", err);
	buf_release(&j.references);
	arena_release(&j.arena);
	return is_read;
}
