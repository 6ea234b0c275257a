/* SPDX-License-Identifier: Apache-2.0
 *
 * AWS X-Ray: the response of BatchGetTraces, whose segments are documents in
 * strings; a trace or segment of it; or segment documents as sent by SDKs. A
 * segment is the span of a service, a subsegment one within. Segments that
 * X-Ray infers for the callee of a call repeat the call and were not measured:
 * they are left out. Subsegments sent separately do not name their process,
 * which is their segment's; that usually comes later.
 */
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/instance.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/num.h"
#include "decode/formats.h"
#include "decode/trace_json.h"
#include "decode/values.h"
#include "model/trace.h"

enum xray_note_kind {
	XRAY_ATTR,       /* of the span */
	XRAY_OF_PROCESS, /* of the process */
	XRAY_EXCEPTION,  /* begins an event */
	XRAY_OF_EVENT,   /* attribute of that event */
	XRAY_LINK,       /* value: a struct xray_link */
};

/* Maps a member of "http", "aws", "sql" or "service", by its path such as
 * "http.request.url", to OpenTelemetry's name. */
struct xray_naming {
	struct str path;
	struct str key;
	enum xray_note_kind kind;
};

/* Members of "http", "aws", "sql" and "service" with OpenTelemetry names.
 * Others keep their path. */
static const struct xray_naming namings[] = {
#define OF_SPAN(path, key)                                                     \
	{                                                                      \
		{ path, sizeof(path) - 1 }, { key, sizeof(key) - 1 },          \
			XRAY_ATTR                                              \
	}
#define OF_PROCESS(path, key)                                                  \
	{                                                                      \
		{ path, sizeof(path) - 1 }, { key, sizeof(key) - 1 },          \
			XRAY_OF_PROCESS                                        \
	}
	OF_SPAN("http.request.url", "url.full"),
	OF_SPAN("http.request.user_agent", "user_agent.original"),
	OF_SPAN("http.request.client_ip", "client.address"),
	OF_SPAN("http.response.status", "http.response.status_code"),
	OF_SPAN("http.response.content_length", "http.response.body.size"),
	OF_SPAN("sql.sanitized_query", "db.query.text"),
	OF_SPAN("sql.database_type", "db.system"),
	OF_SPAN("sql.user", "db.user"),
	OF_SPAN("aws.table_name", "db.collection.name"),
	OF_SPAN("aws.queue_url", "messaging.destination.name"),
	OF_SPAN("aws.topic_arn", "messaging.destination.name"),
	OF_SPAN("aws.region", "cloud.region"),
	OF_PROCESS("aws.ec2.instance_id", "host.id"),
	OF_PROCESS("aws.ec2.availability_zone", "cloud.availability_zone"),
	OF_PROCESS("aws.ecs.container", "container.name"),
	OF_PROCESS("aws.ecs.container_id", "container.id"),
	OF_PROCESS("aws.eks.cluster_name", "k8s.cluster.name"),
	OF_PROCESS("aws.eks.pod", INSTANCE_POD),
	OF_PROCESS("aws.eks.container_id", "container.id"),
	OF_PROCESS("aws.elastic_beanstalk.environment_name",
		   "deployment.environment"),
	OF_PROCESS("aws.elastic_beanstalk.version_label", "service.version"),
	OF_PROCESS("service.version", "service.version"),
	OF_PROCESS("service.runtime", "process.runtime.name"),
	OF_PROCESS("service.runtime_version", "process.runtime.version"),
};

/* Returns NULL if it keeps its path. */
static const struct xray_naming *xray_naming(struct str path)
{
	for (size_t i = 0; i < sizeof namings / sizeof *namings; i++)
		if (str_equal(namings[i].path, path))
			return &namings[i];
	return NULL;
}

/* An AWS X-Ray segment document: a segment with its subsegments, or a
 * subsegment sent separately. Members come in any order, and its trace and
 * process may come last, so a document is kept until it is complete: X-Ray
 * limits it to 64 KiB. Source: "AWS X-Ray segment documents", X-Ray developer
 * guide. */

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

static struct json_fields fields = JSON_FIELDS(
	JSON_NAME("id", FIELD_ID), JSON_NAME("name", FIELD_NAME),
	JSON_NAME("start_time", FIELD_START), JSON_NAME("end_time", FIELD_END),
	JSON_NAME("trace_id", FIELD_TRACE_ID),
	JSON_NAME("parent_id", FIELD_PARENT_ID), JSON_NAME("type", FIELD_TYPE),
	JSON_NAME("namespace", FIELD_NAMESPACE),
	JSON_NAME("inferred", FIELD_INFERRED), JSON_NAME("error", FIELD_ERROR),
	JSON_NAME("fault", FIELD_ERROR), JSON_NAME("throttle", FIELD_ERROR),
	JSON_NAME("cause", FIELD_CAUSE), JSON_NAME("http", FIELD_HTTP),
	JSON_NAME("aws", FIELD_AWS), JSON_NAME("sql", FIELD_SQL),
	JSON_NAME("service", FIELD_SERVICE),
	JSON_NAME("annotations", FIELD_ANNOTATIONS),
	JSON_NAME("metadata", FIELD_METADATA),
	JSON_NAME("origin", FIELD_ORIGIN), JSON_NAME("user", FIELD_USER),
	JSON_NAME("links", FIELD_LINKS),
	JSON_NAME("subsegments", FIELD_SUBSEGMENTS));

/* Prefix of OpenTelemetry's X-Ray exporters for resource attributes, which are
 * in the metadata of a segment. */
static const struct str resource_prefix = { "otel.resource.", 14 };

/* A range of the document's texts. */
struct xray_text {
	size_t at;
	size_t len;
};

/* The segment, or a subsegment. */
struct xray_span {
	uint64_t id;
	int64_t start_ns;
	int64_t end_ns;    /* 0: in progress */
	uint32_t parent;   /* index of the enclosing span, + 1 */
	uint32_t note;     /* index of the first, + 1 */
	uint32_t note_end; /* index of the last, + 1 */
	struct xray_text name;
	struct xray_text operation; /* of a call to AWS */
	struct xray_text message;   /* of the first exception */
	bool is_error;
	bool is_call; /* to another service: has "namespace" */
	bool is_aws;  /* to AWS itself */
};

/* Other data of a span. */
struct xray_note {
	enum xray_note_kind kind;
	uint32_t next; /* of the same span, + 1; 0: the last */
	struct xray_text key;
	struct xray_text value;
};

/* spans[0] is the document itself. */
struct xray_segment {
	const struct taker *to; /* destination */
	struct arena arena;
	struct xray_span *spans;
	size_t span_count, span_cap;
	struct xray_note *notes;
	size_t note_count, note_cap;
	struct buf texts;
	struct buf raw;
	struct value_text value;
	struct trace_id trace_id;
	uint64_t parent_id;
	bool has_trace_id;
	bool is_subsegment;
	bool is_inferred; /* by X-Ray, from a call to it */
	bool is_any;      /* some member of a segment was found */
	struct error err; /* other than errors in the document */
};

/* Borrowed until the next document. */
static struct str xray_segment_text(const struct xray_segment *s,
				    struct xray_text text)
{
	return str_slice(buf_str(&s->texts), text.at, text.len);
}

/* ---- storage ---- */

static void lack_memory(struct xray_segment *s, struct json_reader *r)
{
	if (s->err.code == ERROR_NONE)
		(void)arena_fail(&s->arena, WHAT, &s->err);
	(void)json_fail(r, "%s", s->err.message);
}

static struct xray_text text_keep(struct xray_segment *s, struct json_reader *r,
				  struct str text)
{
	struct xray_text kept = { s->texts.len, text.len };

	buf_add_str(&s->texts, text);
	if (!json_failed(r) && !buf_check(&s->texts, WHAT, &s->err))
		(void)json_fail(r, "%s", s->err.message);
	return kept;
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

	note.key = text_keep(s, r, key);
	note.value = text_keep(s, r, value);
	add_note(s, r, span, &note);
}

/* Adds the next value under a key: a list or a map as JSON. */
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
	/* One byte more than allowed, so that truncation is counted. */
	add_text(s, r, span, kind, key,
		 str_slice(text, 0, LIMIT_STRING_BYTES + 1));
}

/* ---- object members ---- */

static void add_renamed(struct xray_segment *s, struct json_reader *r,
			uint32_t span, struct str path)
{
	const struct xray_naming *naming;

	if (str_equal(path, STR("aws.operation"))) {
		s->spans[span].operation =
			text_keep(s, r, json_text_nullable(r));
		return;
	}
	naming = xray_naming(path);
	if (naming) {
		/* In a call it describes the callee. */
		add_value(s, r, span, span ? XRAY_ATTR : naming->kind,
			  naming->key);
		return;
	}
	add_value(s, r, span, XRAY_ATTR, path);
}

/* Makes "front.key"; returns false if too long for a key. */
static bool key_join(struct attr_key *path, struct str front, struct str key)
{
	if (front.len + 1 + key.len > sizeof path->text)
		return false;
	memcpy(path->text, front.ptr, front.len);
	path->text[front.len] = '.';
	memcpy(path->text + front.len + 1, key.ptr, key.len);
	path->len = front.len + 1 + key.len;
	return true;
}

/* Reads two levels of names and values; deeper ones become JSON. */
static void read_section(struct xray_segment *s, struct json_reader *r,
			 uint32_t span, struct str section)
{
	struct attr_key outer, path;
	struct str key;

	if (!json_enter_if(r, JSON_OBJECT))
		return;
	while (json_next_key(r, &key)) {
		if (!key_join(&outer, section, key)) {
			json_skip(r);
			continue;
		}
		if (json_peek(r) != JSON_OBJECT ||
		    !json_enter(r, JSON_OBJECT)) {
			add_renamed(s, r, span, attr_key_str(&outer));
			continue;
		}
		while (json_next_key(r, &key))
			if (key_join(&path, attr_key_str(&outer), key))
				add_renamed(s, r, span, attr_key_str(&path));
			else
				json_skip(r);
	}
}

/* Reads names within a namespace; those of "default" are not prefixed. */
static void read_metadata_of(struct xray_segment *s, struct json_reader *r,
			     uint32_t span, struct str space)
{
	bool is_default = str_equal(space, STR("metadata.default"));
	struct attr_key path;
	struct str name, key;

	while (json_next_key(r, &key)) {
		if (!key_join(&path, space, key)) {
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
		if (!key_join(&space, STR("metadata"), key))
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

/* Reads "label (path:line)", truncated. */
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
			struct xray_text text =
				text_keep(s, r, json_text_nullable(r));
			struct xray_note note = {
				.kind = XRAY_OF_EVENT,
				.key = text_keep(s, r,
						 STR("exception.message")),
				.value = text,
			};

			if (!s->spans[span].message.len)
				s->spans[span].message = text;
			add_note(s, r, span, &note);
		}
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

/* Parses "1-58406520-a006649127e371903a2de979", or the same in OpenTelemetry's
 * format. */
static bool read_trace_id(struct json_reader *r, struct trace_id *id)
{
	struct str text = json_text_nullable(r), whole = text;
	char hex[32];

	if (text.len == 35 && str_starts(text, STR("1-")) &&
	    text.ptr[10] == '-') {
		memcpy(hex, text.ptr + 2, 8);
		memcpy(hex + 8, text.ptr + 11, 24);
		whole = (struct str){ hex, sizeof hex };
	}
	return (whole.len == sizeof hex && trace_id_parse(whole, id)) ||
	       json_fail(r,
			 "'%.*s' is no trace id of X-Ray: one such as "
			 "1-58406520-a006649127e371903a2de979 is expected",
			 STR_ARGS(text));
}

/* Reads seconds with a fraction. */
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

struct xray_link {
	struct trace_id trace_id;
	uint64_t span_id;
};

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
	note.value = text_keep(
		s, r, (struct str){ (const char *)&link, sizeof link });
	add_note(s, r, span, &note);
}

/* ---- segments ---- */

/* Reads a field; for a trace that is not kept, only ids and times are used, and
 * everything else is only checked for syntax. */
static void read_field(struct xray_segment *s, struct json_reader *r,
		       uint32_t span, int field)
{
	struct attr_key key;
	struct str text;

	if (field != FIELD_ID && field != FIELD_START && field != FIELD_END &&
	    taker_skips(s->to, &s->trace_id)) {
		json_skip(r);
		return;
	}
	switch (field) {
	case FIELD_ID:
		s->spans[span].id = read_id(r);
		break;
	case FIELD_NAME:
		s->spans[span].name = text_keep(s, r, json_text_nullable(r));
		break;
	case FIELD_START:
		s->spans[span].start_ns = read_time(r);
		break;
	case FIELD_END:
		s->spans[span].end_ns = read_time(r);
		break;
	case FIELD_NAMESPACE:
		/* The namespace, which calls to other services have. */
		text = json_text_nullable(r);
		s->spans[span].is_aws = str_equal(text, STR("aws"));
		s->spans[span].is_call =
			s->spans[span].is_aws || str_equal(text, STR("remote"));
		break;
	case FIELD_ERROR:
		read_flag(r, &s->spans[span].is_error);
		break;
	case FIELD_CAUSE:
		/* An object with exceptions, or the id of one elsewhere. */
		if (json_enter_if(r, JSON_OBJECT))
			while (json_next_named(r, STR("exceptions")))
				if (json_enter_if(r, JSON_ARRAY))
					while (json_next_object(r))
						read_exception(s, r, span);
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
		if (json_enter_if(r, JSON_OBJECT))
			while (json_next_key(r, &text)) {
				attr_key_set(&key, text);
				add_value(s, r, span, XRAY_ATTR,
					  attr_key_str(&key));
			}
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

/* An open list of subsegments: its span, and the subsegment being read. */
struct level {
	uint32_t owner;
	uint32_t span;
	bool is_open; /* within a subsegment */
};

/* Reads the list that comes next, without recursion. */
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
		field = json_field(&fields, key);
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

/* Reads the member of the document whose key came last; skips those that
 * segments do not have. Stops the parser on failure; unless the document is
 * invalid, s->err has the reason. */
static void xray_segment_member(struct xray_segment *s, struct json_reader *r,
				struct str key)
{
	int field = json_field(&fields, key);

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

/* A resource that spans refer to before it is described. Those known to be the
 * same form a ring. */
struct place {
	uint32_t process;
	uint32_t next; /* next in the ring */
	uint32_t top;  /* towards the representative of its ring */
	struct str
		attrs; /* as process_describe() reads them; NULL ptr: unknown */
};

struct span_key {
	struct trace_id trace_id;
	uint64_t span_id;
};

struct xray {
	struct trace_json t;
	struct xray_segment segment;
	struct buf document; /* a segment, extracted from its string */
	struct buf attrs;    /* of the resource being described */
	struct arena arena;
	struct map places_by_span; /* struct span_key -> place */
	struct map callers; /* struct span_key of a span left out -> caller */
	struct map parents; /* struct span_key of spans referred to */
	uint64_t *caller_ids;
	size_t caller_count, caller_cap;
	struct place *places;
	size_t place_count, place_cap;
};

static bool no_memory(struct xray *x)
{
	return arena_fail(&x->arena, "the trace", &x->t.err);
}

/* ---- resources ---- */

static struct str key_bytes(const struct span_key *key)
{
	return (struct str){ (const char *)key, sizeof *key };
}

static struct span_key key_of(const struct xray *x, uint64_t span_id)
{
	struct span_key key;

	memset(&key, 0, sizeof key);
	key.trace_id = x->segment.trace_id;
	key.span_id = span_id;
	return key;
}

static uint32_t find_place(const struct xray *x, uint64_t span_id)
{
	struct span_key key = key_of(x, span_id);

	return map_find(&x->places_by_span, key_bytes(&key));
}

static bool add_key(struct xray *x, struct map *map, uint64_t span_id,
		    uint32_t value)
{
	struct span_key key = key_of(x, span_id);
	struct str kept = arena_str(&x->arena, key_bytes(&key));
	uint32_t found;

	return (kept.ptr && map_insert(map, kept, value, &found)) ||
	       no_memory(x);
}

static void add_process_attr(struct xray *x, struct str key, struct str value)
{
	struct xray_text head = { key.len, value.len };

	buf_add(&x->attrs, &head, sizeof head);
	buf_add_str(&x->attrs, key);
	buf_add_str(&x->attrs, value);
}

static bool process_describe(struct xray *x, uint32_t process, struct str attrs)
{
	struct taker *to = x->t.to;
	struct xray_text head;

	taker_attrs_begin(to, ATTRS_OF_PROCESS);
	while (attrs.len >= sizeof head) {
		struct str key, value;

		memcpy(&head, attrs.ptr, sizeof head);
		attrs = str_slice(attrs, sizeof head, attrs.len);
		key = str_slice(attrs, 0, head.at);
		value = str_slice(attrs, head.at, head.len);
		attrs = str_slice(attrs, head.at + head.len, attrs.len);
		if (!taker_attr(to, key, value, &x->t.err))
			return false;
	}
	return taker_process_describe(to, process, &x->t.err);
}

/* Describes all undescribed places of a ring. */
static bool describe_ring(struct xray *x, uint32_t first, struct str attrs)
{
	uint32_t at = first;

	do {
		struct place *place = &x->places[at];

		if (!place->attrs.ptr) {
			place->attrs = attrs;
			if (!process_describe(x, place->process, attrs))
				return false;
		}
		at = place->next;
	} while (at != first);
	return true;
}

/* Returns the representative of its ring, with path compression. */
static uint32_t top_of(const struct xray *x, uint32_t at)
{
	while (x->places[at].top != at) {
		struct place *place = &x->places[at];

		place->top = x->places[place->top].top;
		at = place->top;
	}
	return at;
}

/* Merges two places that turn out to be the same process. */
static bool join_places(struct xray *x, uint32_t a, uint32_t b)
{
	struct place *one = &x->places[a], *other = &x->places[b];
	uint32_t next, top;

	if (a == b)
		return true;
	if (one->attrs.ptr)
		return other->attrs.ptr || describe_ring(x, b, one->attrs);
	if (other->attrs.ptr)
		return describe_ring(x, a, other->attrs);
	/* Within one ring this would split it. */
	top = top_of(x, a);
	if (top == top_of(x, b))
		return true;
	x->places[top_of(x, b)].top = top;
	next = one->next;
	one->next = other->next;
	other->next = next;
	return true;
}

/* Determines the place of the document's spans. */
static bool choose_place(struct xray *x, uint32_t *place)
{
	const struct xray_segment *s = &x->segment;
	void *items = x->places;
	uint32_t process;

	*place = s->is_subsegment ? find_place(x, s->parent_id)
				  : find_place(x, s->spans[0].id);
	if (*place != MAP_NONE)
		return true;
	if (!taker_process_reserve(x->t.to, &process, &x->t.err))
		return false;
	if (!arena_reserve(&x->arena, &items, &x->place_cap, x->place_count + 1,
			   sizeof *x->places))
		return no_memory(x);
	x->places = items;
	*place = (uint32_t)x->place_count++;
	x->places[*place] = (struct place){ .process = process,
					    .next = *place,
					    .top = *place };
	return !s->is_subsegment || !s->parent_id ||
	       add_key(x, &x->places_by_span, s->parent_id, *place);
}

/* Records spans that separately sent subsegments may refer to. */
static bool place_spans(struct xray *x, uint32_t place)
{
	const struct xray_segment *s = &x->segment;

	for (size_t i = 0; i < s->span_count; i++) {
		uint32_t own = find_place(x, s->spans[i].id);

		if (!(own == MAP_NONE ? add_key(x, &x->places_by_span,
						s->spans[i].id, place)
				      : join_places(x, own, place)))
			return false;
	}
	return true;
}

static bool describe_segment(struct xray *x, uint32_t place)
{
	const struct xray_segment *s = &x->segment;
	const struct xray_note *note;
	struct str attrs;

	if (s->is_subsegment || x->places[place].attrs.ptr)
		return true;
	buf_clear(&x->attrs);
	add_process_attr(x, STR("service.name"),
			 xray_segment_text(s, s->spans[0].name));
	for (uint32_t i = s->spans[0].note; i; i = note->next) {
		note = &s->notes[i - 1];
		if (note->kind == XRAY_OF_PROCESS)
			add_process_attr(x, xray_segment_text(s, note->key),
					 xray_segment_text(s, note->value));
	}
	if (!buf_check(&x->attrs, "a segment", &x->t.err))
		return false;
	attrs = arena_str(&x->arena, buf_str(&x->attrs));
	return attrs.ptr ? describe_ring(x, place, attrs) : no_memory(x);
}

/* ---- inferred segments ---- */

/* ---- spans ---- */

/* Adds OpenTelemetry's attributes for a call by an AWS SDK. X-Ray SDKs write
 * the service in upper or lower case. */
static bool add_call(struct xray *x, struct str name, struct str operation)
{
	struct taker *to = x->t.to;
	struct error *err = &x->t.err;

	if (str_equal_nocase(name, STR("dynamodb")) &&
	    !taker_attr(to, STR("db.system"), STR("dynamodb"), err))
		return false;
	if (str_equal_nocase(name, STR("sqs")) &&
	    !taker_attr(to, STR("messaging.system"), STR("aws_sqs"), err))
		return false;
	if (str_equal_nocase(name, STR("sns")) &&
	    !taker_attr(to, STR("messaging.system"), STR("aws.sns"), err))
		return false;
	return taker_attr(to, STR("rpc.system"), STR("aws-api"), err) &&
	       taker_attr(to, STR("rpc.service"), name, err) &&
	       (!operation.len ||
		taker_attr(to, STR("rpc.method"), operation, err));
}

static bool add_attrs(struct xray *x, const struct xray_span *span)
{
	const struct xray_segment *s = &x->segment;
	struct taker *to = x->t.to;

	taker_attrs_begin(to, ATTRS_OF_SPAN);
	for (uint32_t i = span->note; i; i = s->notes[i - 1].next) {
		const struct xray_note *note = &s->notes[i - 1];

		if (note->kind == XRAY_ATTR &&
		    !taker_attr(to, xray_segment_text(s, note->key),
				xray_segment_text(s, note->value), &x->t.err))
			return false;
	}
	return true;
}

/* Exceptions have no time: they are placed at the end of the span. */
static bool end_exception(struct xray *x, bool *is_open, uint64_t end_ns)
{
	uint32_t name = 0;

	if (!*is_open)
		return true;
	*is_open = false;
	if (!taker_text(x->t.to, STR("exception"), &name, &x->t.err))
		return false;
	trace_build_event_end(x->t.to->b, end_ns, name);
	return true;
}

static bool add_parts(struct xray *x, const struct xray_span *span)
{
	const struct xray_segment *s = &x->segment;
	struct taker *to = x->t.to;
	uint64_t end_ns = (uint64_t)span->end_ns;
	bool is_open = false;

	for (uint32_t i = span->note; i; i = s->notes[i - 1].next) {
		const struct xray_note *note = &s->notes[i - 1];
		struct str value = xray_segment_text(s, note->value);

		if (note->kind == XRAY_LINK) {
			struct xray_link link;

			if (!end_exception(x, &is_open, end_ns))
				return false;
			if (!taker_has_links(to))
				continue;
			memcpy(&link, value.ptr, sizeof link);
			if (!trace_build_part_begin(to->b, DETAIL_LINK,
						    &x->t.err) ||
			    !trace_build_link_end(to->b, &link.trace_id,
						  link.span_id, &x->t.err))
				return false;
		} else if (!taker_has_details(to)) {
			continue;
		} else if (note->kind == XRAY_EXCEPTION) {
			if (!end_exception(x, &is_open, end_ns) ||
			    !trace_build_part_begin(to->b, DETAIL_EVENT,
						    &x->t.err))
				return false;
			is_open = true;
		} else if (note->kind == XRAY_OF_EVENT && is_open &&
			   !taker_attr(to, xray_segment_text(s, note->key),
				       value, &x->t.err)) {
			return false;
		}
	}
	return end_exception(x, &is_open, end_ns);
}

/* Names it "DynamoDB.GetItem": the operation distinguishes calls to a
 * service. */
static bool name_span(struct xray *x, const struct xray_span *span,
		      struct span_input *in)
{
	struct str name = xray_segment_text(&x->segment, span->name);
	struct str operation = xray_segment_text(&x->segment, span->operation);

	if (!span->is_aws || !operation.len)
		return taker_name(x->t.to, name, in, &x->t.err);
	buf_clear(&x->attrs);
	buf_add_str(&x->attrs, name);
	buf_add_char(&x->attrs, '.');
	buf_add_str(&x->attrs, operation);
	return buf_check(&x->attrs, "a segment", &x->t.err) &&
	       taker_name(x->t.to, buf_str(&x->attrs), in, &x->t.err);
}

static bool store_span(struct xray *x, size_t index, uint32_t process)
{
	const struct xray_segment *s = &x->segment;
	const struct xray_span *span = &s->spans[index];
	struct span_input in = {
		.trace_id = s->trace_id,
		.span_id = span->id,
		.parent_id =
			index ? s->spans[span->parent - 1].id : s->parent_id,
		.resource = process,
		.start_unix_ns = (uint64_t)span->start_ns,
		.end_unix_ns = (uint64_t)span->end_ns,
		.kind = SPAN_KIND_INTERNAL,
		.flags = span->is_error ? SPAN_IS_ERROR : 0,
	};

	if (span->is_call)
		in.kind = SPAN_KIND_CLIENT;
	else if (!index && !s->is_subsegment)
		in.kind = SPAN_KIND_SERVER;
	if (taker_skips(x->t.to, &in.trace_id))
		return taker_span(x->t.to, &in, &x->t.err);
	return add_attrs(x, span) &&
	       (!span->is_aws ||
		add_call(x, xray_segment_text(s, span->name),
			 xray_segment_text(s, span->operation))) &&
	       add_parts(x, span) && name_span(x, span, &in) &&
	       (!span->message.len ||
		taker_text(x->t.to, xray_segment_text(s, span->message),
			   &in.status_message, &x->t.err)) &&
	       taker_span(x->t.to, &in, &x->t.err);
}

static bool store_segment(struct xray *x)
{
	struct xray_segment *s = &x->segment;
	bool is_kept = !taker_skips(x->t.to, &s->trace_id);
	struct span_key key = key_of(x, s->spans[0].id);
	uint32_t place = 0, process = 0, caller;

	if (s->is_inferred && s->parent_id && s->span_count == 1 &&
	    map_find(&x->parents, key_bytes(&key)) == MAP_NONE) {
		void *items = x->caller_ids;

		/* None of its children came before. The document is left out:
		 * its children belong to its caller. */
		if (!arena_reserve(&x->arena, &items, &x->caller_cap,
				   x->caller_count + 1, sizeof *x->caller_ids))
			return no_memory(x);
		x->caller_ids = items;
		x->caller_ids[x->caller_count] = s->parent_id;
		return add_key(x, &x->callers, s->spans[0].id,
			       (uint32_t)x->caller_count++);
	}
	key = key_of(x, s->parent_id);
	caller = map_find(&x->callers, key_bytes(&key));
	if (caller != MAP_NONE)
		s->parent_id = x->caller_ids[caller];
	if (s->parent_id && !add_key(x, &x->parents, s->parent_id, 0))
		return false;
	if (is_kept && !choose_place(x, &place))
		return false;
	if (is_kept)
		process = x->places[place].process;
	for (size_t i = 0; i < s->span_count; i++)
		if (!store_span(x, i, process))
			return false;
	return !is_kept ||
	       (place_spans(x, place) && describe_segment(x, place));
}

/* ---- documents ---- */

static void begin_segment(struct xray *x)
{
	struct xray_segment *s = &x->segment;

	/* Resets for the next document; keeps memory. */
	s->span_count = 0;
	s->note_count = 0;
	buf_clear(&s->texts);
	s->trace_id = (struct trace_id){ .bytes = { 0 } };
	s->parent_id = 0;
	s->has_trace_id = s->is_subsegment = s->is_inferred = false;
	s->is_any = false;
	error_clear(&s->err);
	(void)!add_span(s, x->t.r, 0);
}

static void end_segment(struct xray *x)
{
	struct xray_segment *s = &x->segment;
	struct trace_json *t = &x->t;

	if (s->err.code != ERROR_NONE && t->err.code == ERROR_NONE)
		t->err = s->err;
	if (!s->is_any || json_failed(t->r))
		return;
	if (!s->has_trace_id) {
		(void)json_fail(t->r, "a segment without a trace id");
		return;
	}
	for (size_t i = 0; i < s->span_count; i++)
		if (!s->spans[i].id) {
			(void)json_fail(t->r, "a %s without an id",
					i || s->is_subsegment ? "subsegment"
							      : "segment");
			return;
		}
	s->is_any = false;
	(void)trace_json_taken(t, store_segment(x));
}

static void read_segment(struct xray *x)
{
	struct str key;

	begin_segment(x);
	while (json_next_key(x->t.r, &key))
		xray_segment_member(&x->segment, x->t.r, key);
	end_segment(x);
}

/* Reads a document in a string with another parser. */
static void read_string(struct xray *x)
{
	struct trace_json *t = &x->t;
	struct json_reader *outer = t->r;
	struct error err;

	error_clear(&err);
	buf_clear(&x->document);
	if (!json_string_long(outer, &x->document))
		return;
	t->r = json_new(buf_str(&x->document), &t->err);
	if (t->r) {
		if (json_enter_if(t->r, JSON_OBJECT))
			read_segment(x);
		json_expect_end(t->r, "segment");
		if (!json_check(t->r, &err) && t->err.code == ERROR_NONE)
			(void)json_fail(outer, "in a segment's document: %s",
					err.message);
		json_free(t->r);
	}
	t->r = outer;
	(void)trace_json_taken(t, t->err.code == ERROR_NONE);
}

/* As in the response, or as exported by the console. */
static void read_document_member(struct xray *x)
{
	if (json_peek(x->t.r) == JSON_STRING)
		read_string(x);
	else if (json_enter_if(x->t.r, JSON_OBJECT))
		read_segment(x);
}

static void read_entries(struct xray *x)
{
	struct trace_json *t = &x->t;
	struct str key;

	if (!json_enter_nullable(t->r, JSON_ARRAY))
		return;
	while (json_next_object(t->r)) {
		begin_segment(x);
		while (json_next_key(t->r, &key))
			if (str_equal(key, STR("Document")))
				read_document_member(x);
			else
				xray_segment_member(&x->segment, x->t.r, key);
		end_segment(x);
	}
}

static void read_trace_member(struct xray *x, struct str key)
{
	if (str_equal(key, STR("Segments"))) {
		read_entries(x);
	} else if (str_equal(key, STR("Document"))) {
		read_document_member(x);
	} else if (str_equal(key, STR("LimitExceeded"))) {
		bool is_cut;

		if (json_peek(x->t.r) != JSON_TRUE)
			json_skip(x->t.r);
		else if (json_bool(x->t.r, &is_cut))
			taker_partial(
				x->t.to,
				"X-Ray has more of this trace than it keeps: "
				"segments are missing");
	} else {
		xray_segment_member(&x->segment, x->t.r, key);
	}
}

static void read_traces(struct xray *x)
{
	struct str key;

	if (!json_enter_nullable(x->t.r, JSON_ARRAY))
		return;
	while (json_next_object(x->t.r)) {
		begin_segment(x);
		while (json_next_key(x->t.r, &key))
			read_trace_member(x, key);
		end_segment(x);
	}
}

/* Reads a response, a trace of it, or a segment: they share no keys. */
static void read_object(struct xray *x)
{
	struct json_reader *r = x->t.r;
	struct str key;

	begin_segment(x);
	while (json_next_key(r, &key))
		if (str_equal(key, STR("Traces"))) {
			read_traces(x);
		} else if (str_equal(key, STR("UnprocessedTraceIds"))) {
			if (json_enter_if(r, JSON_ARRAY))
				while (json_next_item(r)) {
					struct str id = json_text_nullable(r);

					taker_partial(
						x->t.to,
						"X-Ray did not give trace %.*s",
						STR_ARGS(id));
				}
		} else if (str_equal(key, STR("NextToken"))) {
			if (json_text_nullable(r).len)
				taker_partial(x->t.to,
					      "X-Ray's answer goes on "
					      "elsewhere (NextToken): segments "
					      "are missing");
		} else {
			read_trace_member(x, key);
		}

	end_segment(x);
}

bool decode_xray_json(struct feed *feed, struct taker *to, struct error *err)
{
	struct xray x = { .segment = { .to = to } };
	struct xray_segment *s = &x.segment;
	bool is_read;

	if (!trace_json_init(&x.t, feed, to, err))
		return false;
	if (to->b)
		trace_build_may_have_links(to->b);
	arena_init(&x.arena, LIMIT_DECODE_HEAP_BYTES);
	map_init(&x.places_by_span, &x.arena);
	map_init(&x.callers, &x.arena);
	map_init(&x.parents, &x.arena);
	arena_init(&s->arena, LIMIT_DECODE_HEAP_BYTES);
	buf_init(&s->texts, LIMIT_BODY_PLAIN_BYTES);
	buf_init(&s->raw, LIMIT_BODY_PLAIN_BYTES);
	value_init(&s->value);
	buf_init(&x.document, LIMIT_BODY_PLAIN_BYTES);
	buf_init(&x.attrs, LIMIT_BODY_PLAIN_BYTES);
	while (!json_at_end(x.t.r))
		if (json_peek(x.t.r) != JSON_ARRAY) {
			if (json_enter(x.t.r, JSON_OBJECT))
				read_object(&x);
		} else if (json_enter(x.t.r, JSON_ARRAY)) {
			while (json_next_object(x.t.r))
				read_object(&x);
		}
	if (!json_failed(x.t.r))
		(void)trace_json_taken(&x.t, taker_settle(to, &x.t.err));
	is_read = trace_json_finish(&x.t, "AWS X-Ray JSON", err);
	buf_release(&x.attrs);
	buf_release(&x.document);
	value_release(&s->value);
	buf_release(&s->raw);
	buf_release(&s->texts);
	arena_release(&s->arena);
	arena_release(&x.arena);
	return is_read;
}
