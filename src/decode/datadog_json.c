/* SPDX-License-Identifier: Apache-2.0
 *
 * Datadog: spans as sent by tracers to the agent (a list of traces, each a list
 * of spans; {"traces": ...} in their logs), or a trace exported by the web UI
 * ({"trace": {"root_id", "spans": {ID: ...}}}, times in seconds). Spans have
 * the lower half of their trace id; the upper one is in one span of each list,
 * not necessarily the first, so the input is first searched for those.
 */
#include <stdbool.h>
#include <string.h>

#include "base/instance.h"
#include "base/map.h"
#include "base/num.h"
#include "base/str.h"
#include "decode/formats.h"
#include "decode/trace_json.h"

/* Datadog span tags and their OpenTelemetry names. Resource attributes are tags
 * of at least one span per process. Source: "Span Tag Semantics" of Datadog's
 * documentation. */

#define TEXT(literal)                                                          \
	{                                                                      \
		literal, sizeof(literal) - 1                                   \
	}

struct naming {
	struct str tag;
	struct str key;
};

enum datadog_process {
	/* The process's service, if the span has another one. */
	DATADOG_SERVICE,
	DATADOG_VERSION,
	DATADOG_ENV,
	DATADOG_INSTANCE,
	DATADOG_HOST,
	DATADOG_LANGUAGE,
	DATADOG_PID,
	DATADOG_CONTAINER,
	DATADOG_POD,
	DATADOG_PROCESS_KEYS,
};

static const struct naming process_names[DATADOG_PROCESS_KEYS] = {
	[DATADOG_SERVICE] = { TEXT("_dd.base_service"), TEXT("service.name") },
	[DATADOG_VERSION] = { TEXT("version"), TEXT("service.version") },
	[DATADOG_ENV] = { TEXT("env"), TEXT("deployment.environment") },
	[DATADOG_INSTANCE] = { TEXT("runtime-id"), TEXT(INSTANCE_ID) },
	[DATADOG_HOST] = { TEXT("_dd.hostname"), TEXT(INSTANCE_HOST) },
	[DATADOG_LANGUAGE] = { TEXT("language"),
			       TEXT("telemetry.sdk.language") },
	[DATADOG_PID] = { TEXT("process_id"), TEXT("process.pid") },
	[DATADOG_CONTAINER] = { TEXT("container_id"), TEXT("container.id") },
	[DATADOG_POD] = { TEXT("pod_name"), TEXT(INSTANCE_POD) },
};

static const struct naming of_span[] = {
	{ TEXT("sql.query"), TEXT("db.query.text") },
	{ TEXT("redis.raw_command"), TEXT("db.query.text") },
	{ TEXT("mongodb.query"), TEXT("db.query.text") },
	{ TEXT("cassandra.query"), TEXT("db.query.text") },
	{ TEXT("db.type"), TEXT("db.system") },
	{ TEXT("db.row_count"), TEXT("db.response.returned_rows") },
	{ TEXT("out.host"), TEXT("server.address") },
	{ TEXT("out.port"), TEXT("server.port") },
	{ TEXT("network.destination.name"), TEXT("server.address") },
	{ TEXT("network.destination.port"), TEXT("server.port") },
	{ TEXT("grpc.method.name"), TEXT("rpc.method") },
	{ TEXT("grpc.method.service"), TEXT("rpc.service") },
	{ TEXT("http.useragent"), TEXT("user_agent.original") },
	{ TEXT("error.stack"), TEXT("exception.stacktrace") },
};

static const struct str databases[] = {
	TEXT("sql"),      TEXT("cassandra"),     TEXT("redis"),
	TEXT("mongodb"),  TEXT("elasticsearch"), TEXT("memcached"),
	TEXT("dynamodb"), TEXT("opensearch"),    TEXT("db"),
};

/* Returns a resource key; DATADOG_PROCESS_KEYS: a span attribute. */
static unsigned datadog_process_key(struct str tag)
{
	unsigned i;

	/* Written by older tracers. */
	if (str_equal(tag, STR("system.pid")) ||
	    str_equal(tag, STR("system.process_id")))
		return DATADOG_PID;
	for (i = 0; i < DATADOG_PROCESS_KEYS; i++)
		if (str_equal(process_names[i].tag, tag))
			break;
	return i;
}

/* Returns whether spans of this type are database calls, whose resource is a
 * query. */
static bool datadog_type_is_database(struct str type)
{
	for (size_t i = 0; i < COUNT_OF(databases); i++)
		if (str_equal(databases[i], type))
			return true;
	return false;
}

enum field {
	FIELD_DURATION,
	FIELD_ERROR,
	FIELD_HOSTNAME,
	FIELD_ID,
	FIELD_LINKS,
	FIELD_META,
	FIELD_METRICS,
	FIELD_NAME,
	FIELD_PARENT_ID,
	FIELD_RESOURCE,
	FIELD_SERVICE,
	FIELD_START,
	FIELD_TRACE_ID,
	FIELD_TYPE,
};

static struct json_fields span_fields = JSON_FIELDS(
	JSON_NAME("trace_id", FIELD_TRACE_ID), JSON_NAME("span_id", FIELD_ID),
	JSON_NAME("parent_id", FIELD_PARENT_ID), JSON_NAME("name", FIELD_NAME),
	JSON_NAME("service", FIELD_SERVICE),
	JSON_NAME("resource", FIELD_RESOURCE), JSON_NAME("type", FIELD_TYPE),
	JSON_NAME("start", FIELD_START), JSON_NAME("duration", FIELD_DURATION),
	JSON_NAME("error", FIELD_ERROR), JSON_NAME("meta", FIELD_META),
	JSON_NAME("metrics", FIELD_METRICS),
	JSON_NAME("hostname", FIELD_HOSTNAME),
	JSON_NAME("span_links", FIELD_LINKS));

/* Texts of the span being read that are evaluated at its end. */
enum text {
	TEXT_NAME,
	TEXT_RESOURCE,
	TEXT_SERVICE,
	TEXT_TYPE,
	TEXT_PROCESS, /* the first of those of the resource */
	TEXTS = TEXT_PROCESS + DATADOG_PROCESS_KEYS,
};

struct datadog {
	struct trace_json t;
	struct buf texts[TEXTS];
	struct buf message; /* error message */
	struct arena arena;
	struct map uppers; /* lower half of a trace id -> index */
	uint64_t *upper_ids;
	size_t upper_count, upper_cap;
	bool is_survey; /* only reads upper halves */
	bool has_hex;   /* strings are hex ids */
	bool has_seconds;
	bool is_placed; /* input can be resumed at a list item */
};

/* A trace id as numbers. */
struct halves {
	uint64_t lower;
	uint64_t upper; /* 0: not in this span */
};

/* ---- ids and times ---- */

/* Reads a 64-bit number, decimal digits in a string, or hex digits. */
static struct halves read_id(struct datadog *d)
{
	struct json_reader *r = d->t.r;
	bool is_text = json_peek(r) == JSON_STRING;
	struct halves id = { 0 };
	struct str text;
	int64_t negative;

	if (json_peek(r) == JSON_NULL)
		json_skip(r);
	else if (!json_number_text(r, &text) || !text.len ||
		 (text.len == 32 &&
		  parse_hex_u64(str_slice(text, 0, 16), &id.upper) &&
		  parse_hex_u64(str_slice(text, 16, 16), &id.lower)) ||
		 (!(is_text && d->has_hex) && parse_u64(text, &id.lower)) ||
		 (is_text && parse_hex_u64(text, &id.lower)))
		return id;
	else if (parse_i64(text, &negative))
		/* Written by JSON libraries with signed numbers. */
		id.lower = (uint64_t)negative;
	else
		(void)json_fail(r,
				"'%.*s' is no id: a whole number of 64 bits is "
				"expected",
				STR_ARGS(text));
	return id;
}

/* Reads a time: integers are nanoseconds, except in the web UI, which has
 * seconds. */
static int64_t read_time(struct datadog *d)
{
	struct json_reader *r = d->t.r;
	int64_t time_ns = 0;
	struct str text;

	if (json_peek(r) == JSON_NULL)
		json_skip(r);
	else if (json_number_text(r, &text) &&
		 (d->has_seconds || !parse_whole_i64(text, &time_ns)) &&
		 !parse_scaled_i64(text, 9, &time_ns))
		(void)json_fail(r, "'%.*s' is no time", STR_ARGS(text));
	return time_ns;
}

/* ---- upper halves ---- */

static bool keep_upper(struct datadog *d, const struct halves *id)
{
	void *items = d->upper_ids;
	uint32_t index;

	if (!id->upper || map_find_u64(&d->uppers, id->lower) != MAP_NONE)
		return true;
	if (!arena_reserve(&d->arena, &items, &d->upper_cap, d->upper_count + 1,
			   sizeof *d->upper_ids))
		return arena_fail(&d->arena, "the trace", &d->t.err);
	d->upper_ids = items;
	d->upper_ids[d->upper_count] = id->upper;
	return map_insert_u64(&d->uppers, id->lower, (uint32_t)d->upper_count++,
			      &index) ||
	       arena_fail(&d->arena, "the trace", &d->t.err);
}

static void survey_span(struct datadog *d)
{
	struct json_reader *r = d->t.r;
	struct halves id = { 0 }, read;
	struct str text;
	int field;

	while ((field = json_next_field(r, &span_fields)) >= 0)
		switch (field) {
		case FIELD_TRACE_ID:
			read = read_id(d);
			id.lower = read.lower;
			id.upper = read.upper ? read.upper : id.upper;
			break;
		case FIELD_META:
			if (!json_enter_if(r, JSON_OBJECT))
				break;
			while (json_next_named(r, STR("_dd.p.tid")))
				if (json_peek(r) != JSON_STRING)
					json_skip(r);
				else if (json_text(r, &text) &&
					 !parse_hex_u64(text, &id.upper))
					id.upper = 0;
			break;
		default:
			json_skip(d->t.r);
			break;
		}
	if (!json_failed(d->t.r))
		(void)trace_json_taken(&d->t, keep_upper(d, &id));
}

static struct trace_id whole_id(const struct datadog *d, struct halves id)
{
	uint32_t index = map_find_u64(&d->uppers, id.lower);
	struct trace_id whole;

	if (!id.upper && index != MAP_NONE)
		id.upper = d->upper_ids[index];
	for (unsigned i = 0; i < 8; i++) {
		whole.bytes[i] = (unsigned char)(id.upper >> (56 - 8 * i));
		whole.bytes[8 + i] = (unsigned char)(id.lower >> (56 - 8 * i));
	}
	return whole;
}

/* ---- members ---- */

static void keep_text(struct datadog *d, struct buf *out, struct str text)
{
	buf_clear(out);
	buf_add_str(out, text);
	(void)trace_json_taken(&d->t, buf_check(out, "a span", &d->t.err));
}

static struct str text_of(const struct datadog *d, enum text text)
{
	return buf_str(&d->texts[text]);
}

/* Stores the value of t->value under this name. */
static void use_tag(struct datadog *d, struct str name, struct span_input *in)
{
	struct trace_json *t = &d->t;
	unsigned of_process;
	enum span_kind kind;
	struct str text;

	if (!trace_json_value(t, &text))
		return;
	of_process = datadog_process_key(name);
	if (of_process < DATADOG_PROCESS_KEYS) {
		keep_text(d, &d->texts[TEXT_PROCESS + of_process], text);
	} else if (str_equal(name, STR("span.kind"))) {
		if (span_kind_parse(text, &kind))
			in->kind = (uint8_t)kind;
	} else if (str_equal(name, STR("error.msg")) ||
		   str_equal(name, STR("error.message"))) {
		keep_text(d, &d->message, text);
	} else if (!str_starts(name, STR("_"))) {
		/* The tag's own name if OpenTelemetry has none. */
		for (size_t i = 0; i < COUNT_OF(of_span); i++)
			if (str_equal(of_span[i].tag, name)) {
				name = of_span[i].key;
				break;
			}
		trace_json_attr(t, name);
	}
}

static void read_tags(struct datadog *d, struct span_input *in)
{
	struct trace_json *t = &d->t;
	struct attr_key kept;
	struct str key;

	if (!json_enter_if(t->r, JSON_OBJECT))
		return;
	while (json_next_key(t->r, &key)) {
		enum json_kind kind;
		int64_t whole;

		attr_key_set(&kept, key);
		kind = json_peek(t->r);
		if (kind == JSON_NULL || kind == JSON_OBJECT ||
		    kind == JSON_ARRAY) {
			json_skip(t->r);
			continue;
		}
		trace_json_plain_value(t);
		/* Metrics are doubles, mostly integers: "41", not "41.0". */
		if (kind == JSON_NUMBER &&
		    parse_whole_i64(buf_str(&t->value.buf), &whole)) {
			value_clear(&t->value);
			value_i64(&t->value, whole);
		}
		use_tag(d, attr_key_str(&kept), in);
	}
}

static void read_link(struct datadog *d)
{
	struct halves id = { 0 }, span = { 0 };
	struct trace_id whole;
	struct trace_json *t = &d->t;
	uint64_t upper = 0;
	struct str key;

	while (json_next_key(t->r, &key))
		if (str_equal(key, STR("trace_id")))
			id = read_id(d);
		else if (str_equal(key, STR("trace_id_high")))
			upper = read_id(d).lower;
		else if (str_equal(key, STR("span_id")))
			span = read_id(d);
		else
			json_skip(t->r);
	if (upper)
		id.upper = upper;
	whole = whole_id(d, id);
	if (json_failed(t->r) || trace_id_is_zero(&whole))
		return;
	(void)trace_json_taken(
		t, trace_build_part_begin(t->to->b, DETAIL_LINK, &t->err) &&
			   trace_build_link_end(t->to->b, &whole, span.lower,
						&t->err));
}

/* Reads 0 or 1, or a boolean. */
static bool read_flag(struct datadog *d)
{
	struct str text;
	bool value;

	switch (json_peek(d->t.r)) {
	case JSON_NUMBER:
		return json_number_text(d->t.r, &text) &&
		       !str_equal(text, STR("0"));
	case JSON_TRUE:
		return json_bool(d->t.r, &value) && value;
	default:
		json_skip(d->t.r);
		return false;
	}
}

/* ---- spans ---- */

struct pieces {
	int64_t start_ns;
	int64_t duration_ns;
	bool has_duration;
};

static void read_span_field(struct datadog *d, int field, struct span_input *in,
			    struct pieces *p)
{
	struct json_reader *r = d->t.r;

	/* For spans that are not kept only ids and times are needed. */
	if (field != FIELD_TRACE_ID && field != FIELD_ID &&
	    field != FIELD_PARENT_ID && field != FIELD_START &&
	    field != FIELD_DURATION && taker_skips(d->t.to, &in->trace_id)) {
		json_skip(r);
		return;
	}
	switch (field) {
	case FIELD_TRACE_ID:
		in->trace_id = whole_id(d, read_id(d));
		break;
	case FIELD_ID:
		in->span_id = read_id(d).lower;
		break;
	case FIELD_PARENT_ID:
		in->parent_id = read_id(d).lower;
		break;
	case FIELD_NAME:
		keep_text(d, &d->texts[TEXT_NAME], json_text_nullable(r));
		break;
	case FIELD_RESOURCE:
		keep_text(d, &d->texts[TEXT_RESOURCE], json_text_nullable(r));
		break;
	case FIELD_SERVICE:
		keep_text(d, &d->texts[TEXT_SERVICE], json_text_nullable(r));
		break;
	case FIELD_TYPE:
		keep_text(d, &d->texts[TEXT_TYPE], json_text_nullable(r));
		break;
	case FIELD_HOSTNAME:
		keep_text(d, &d->texts[TEXT_PROCESS + DATADOG_HOST],
			  json_text_nullable(r));
		break;
	case FIELD_START:
		p->start_ns = read_time(d);
		break;
	case FIELD_DURATION:
		p->has_duration = json_peek(r) != JSON_NULL;
		p->duration_ns = read_time(d);
		break;
	case FIELD_ERROR:
		if (read_flag(d))
			in->flags |= SPAN_IS_ERROR;
		break;
	case FIELD_META:
	case FIELD_METRICS:
		read_tags(d, in);
		break;
	case FIELD_LINKS:
		if (trace_json_enter_links(&d->t))
			while (json_next_object(r))
				read_link(d);
		break;
	}
}

/* Sets the name: "resource" distinguishes requests and calls, but is the query
 * for databases. */
static bool name_span(struct datadog *d, struct span_input *in)
{
	struct taker *to = d->t.to;
	struct error *err = &d->t.err;
	struct str resource = text_of(d, TEXT_RESOURCE);
	struct str name = text_of(d, TEXT_NAME);
	struct str type = text_of(d, TEXT_TYPE);
	bool is_database = datadog_type_is_database(type);

	if (is_database && resource.len &&
	    (!taker_attr(to, STR("db.query.text"), resource, err) ||
	     !taker_attr(to, STR("db.system"), type, err)))
		return false;
	if (name.len && !taker_attr(to, STR("operation.name"), name, err))
		return false;
	if (type.len && !taker_attr(to, STR("span.type"), type, err))
		return false;
	return taker_name(to,
			  is_database && name.len ? name
			  : resource.len          ? resource
						  : name,
			  in, err);
}

/* Sets the process's service if the span has another one: calls are named after
 * the callee. */
static bool describe_process(struct datadog *d, uint32_t process)
{
	struct taker *to = d->t.to;
	struct error *err = &d->t.err;
	struct str service = text_of(d, TEXT_PROCESS + DATADOG_SERVICE);

	taker_attrs_begin(to, ATTRS_OF_PROCESS);
	if (!service.len)
		service = text_of(d, TEXT_SERVICE);
	if (service.len && !taker_attr(to, STR("service.name"), service, err))
		return false;
	for (unsigned i = DATADOG_SERVICE + 1; i < DATADOG_PROCESS_KEYS; i++) {
		struct str text = text_of(d, TEXT_PROCESS + i);

		if (text.len &&
		    !taker_attr(to, process_names[i].key, text, err))
			return false;
	}
	return taker_process_describe(to, process, err) &&
	       taker_settle(to, err);
}

static bool store_span(struct datadog *d, struct span_input *in)
{
	struct taker *to = d->t.to;
	struct error *err = &d->t.err;
	struct str base = text_of(d, TEXT_PROCESS + DATADOG_SERVICE);
	struct str service = text_of(d, TEXT_SERVICE);
	struct str type = text_of(d, TEXT_TYPE);

	/* The type of work, if there is no span kind. */
	if (in->kind == SPAN_KIND_INTERNAL) {
		if (str_equal(type, STR("web")))
			in->kind = SPAN_KIND_SERVER;
		else if (str_equal(type, STR("http")) ||
			 datadog_type_is_database(type))
			in->kind = SPAN_KIND_CLIENT;
	}
	if (base.len && service.len && !str_equal(base, service) &&
	    !taker_attr(to, STR("peer.service"), service, err))
		return false;
	return name_span(d, in) &&
	       (!d->message.len || taker_text(to, buf_str(&d->message),
					      &in->status_message, err)) &&
	       taker_process_reserve(to, &in->resource, err) &&
	       taker_span(to, in, err) && describe_process(d, in->resource);
}

static void read_span(struct datadog *d)
{
	struct span_input in = { .kind = SPAN_KIND_INTERNAL };
	struct pieces p = { .has_duration = false };
	struct trace_json *t = &d->t;
	int field;

	if (d->is_survey) {
		survey_span(d);
		return;
	}
	for (unsigned i = 0; i < TEXTS; i++)
		buf_clear(&d->texts[i]);
	buf_clear(&d->message);
	taker_attrs_begin(t->to, ATTRS_OF_SPAN);
	while ((field = json_next_field(t->r, &span_fields)) >= 0)
		read_span_field(d, field, &in, &p);
	if (json_failed(t->r))
		return;
	in.start_unix_ns = (uint64_t)p.start_ns;
	if (p.has_duration)
		in.end_unix_ns =
			(uint64_t)sat_add_i64(p.start_ns, p.duration_ns);
	(void)trace_json_taken(t, taker_skips(t->to, &in.trace_id)
					  ? taker_span(t->to, &in, &t->err)
					  : store_span(d, &in));
}

/* ---- documents ---- */

/* Reads the announced item and those that follow. */
static void read_items(struct datadog *d)
{
	struct json_reader *r = d->t.r;

	do {
		if (!d->is_placed)
			trace_json_nowhere(&d->t);
		else if (!trace_json_at(&d->t))
			return;
		if (json_peek(r) != JSON_ARRAY) {
			if (json_enter_nullable(r, JSON_OBJECT))
				read_span(d);
		} else if (json_enter(r, JSON_ARRAY)) {
			while (json_next_object(r))
				read_span(d);
		}
	} while (json_next_item(r));
}

/* Reads a list of lists of spans, or of spans. */
static void read_traces(struct datadog *d)
{
	if (json_enter_nullable(d->t.r, JSON_ARRAY) && json_next_item(d->t.r))
		read_items(d);
}

/* Reads spans by id, or in a list. */
static void read_spans(struct datadog *d)
{
	struct json_reader *r = d->t.r;
	struct str key;

	d->is_placed = false;
	trace_json_nowhere(&d->t);
	if (json_peek(r) == JSON_ARRAY) {
		read_traces(d);
		return;
	}
	if (!json_enter_nullable(r, JSON_OBJECT))
		return;
	while (json_next_key(r, &key))
		if (json_enter_if(r, JSON_OBJECT))
			read_span(d);
}

static void read_object(struct datadog *d, bool is_placed)
{
	struct str key;

	while (!d->t.is_enough && json_next_key(d->t.r, &key))
		if (str_equal(key, STR("trace"))) {
			if (json_enter_nullable(d->t.r, JSON_OBJECT)) {
				d->has_seconds = true;
				while (json_next_named(d->t.r, STR("spans")))
					read_spans(d);
				d->has_seconds = false;
			}
		} else if (str_equal(key, STR("traces"))) {
			d->has_hex = true;
			d->is_placed = is_placed;
			read_traces(d);
			d->has_hex = false;
		} else {
			json_skip(d->t.r);
		}
}

/* When resuming, ids are as in the first document: items in documents of the
 * other kind have no places. */
static void read_input(struct datadog *d)
{
	struct json_reader *r = d->t.r;
	bool is_object = json_peek(r) == JSON_OBJECT;

	d->t.is_enough = false;
	if (trace_json_resume(&d->t)) {
		d->is_placed = true;
		d->has_hex = is_object;
		read_items(d);
		d->has_hex = false;
		trace_json_leave(&d->t);
	}
	while (!d->t.is_enough && !json_at_end(r))
		if (json_peek(r) == JSON_ARRAY) {
			d->is_placed = !is_object;
			read_traces(d);
		} else if (json_enter(r, JSON_OBJECT)) {
			read_object(d, is_object);
		}
}

/* Searches for upper halves, and starts over. */
static bool datadog_survey(struct datadog *d, struct feed *feed)
{
	struct json_reader *fresh;

	d->is_survey = true;
	read_input(d);
	d->is_survey = false;
	if (json_failed(d->t.r))
		return false;
	feed_seek(feed, 0);
	fresh = json_new_feed(feed, &d->t.err);
	if (!fresh)
		return json_fail(d->t.r, "%s", d->t.err.message);
	json_free(d->t.r);
	d->t.r = fresh;
	return true;
}

bool decode_datadog_json(struct feed *feed, struct taker *to, struct error *err)
{
	struct datadog d = { .is_survey = false };
	bool is_read;

	if (!trace_json_init(&d.t, feed, to, err))
		return false;
	arena_init(&d.arena, LIMIT_DECODE_HEAP_BYTES);
	map_init(&d.uppers, &d.arena);
	for (unsigned i = 0; i < TEXTS; i++)
		buf_init(&d.texts[i], LIMIT_STRING_BYTES + 16);
	buf_init(&d.message, LIMIT_STRING_BYTES + 16);
	if (datadog_survey(&d, feed))
		read_input(&d);
	is_read = trace_json_finish(&d.t, "Datadog JSON", err);
	buf_release(&d.message);
	for (unsigned i = 0; i < TEXTS; i++)
		buf_release(&d.texts[i]);
	arena_release(&d.arena);
	return is_read;
}
