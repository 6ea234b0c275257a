/* SPDX-License-Identifier: Apache-2.0
 *
 * Zipkin JSON: a list of spans, or a list of such lists, one per trace. Times
 * are in microseconds. A server span may share its client's id (`shared`); the
 * model distinguishes them by kind.
 *
 * In version 1, fields of version 2 are annotations: the times at which client
 * and server sent and received ("cs", "sr", "ss", "cr"), which determine kind
 * and owner, and tags ("binaryAnnotations"), of which "sa" and "ca" are the
 * remote side. A span of both sides becomes two.
 *
 * Next.js writes build traces in this format (.next/trace), with numeric ids,
 * times since boot, and next to them the wall-clock time in milliseconds.
 */
#include "base/num.h"
#include "decode/formats.h"
#include "decode/trace_json.h"

enum field {
	FIELD_ANNOTATIONS,
	FIELD_BINARY,
	FIELD_DURATION,
	FIELD_ID,
	FIELD_IPV4,
	FIELD_IPV6,
	FIELD_KIND,
	FIELD_LOCAL,
	FIELD_NAME,
	FIELD_PARENT_ID,
	FIELD_PORT,
	FIELD_REMOTE,
	FIELD_SERVICE,
	FIELD_SHARED,
	FIELD_START_TIME,
	FIELD_TAGS,
	FIELD_TIMESTAMP,
	FIELD_TRACE_ID,
};

/* The service of the span being read; it becomes a resource once the span's own
 * attributes are stored. */
struct endpoint_text {
	struct buf service;
	struct buf address;
};

/* Annotations of version 1 for start or end, with the kind of span they
 * imply. */
enum mark {
	CLIENT_SENT,
	CLIENT_RECEIVED,
	SERVER_RECEIVED,
	SERVER_SENT,
	MESSAGE_SENT,
	MESSAGE_RECEIVED,
	MARK_COUNT
};

static const struct {
	struct str name;
	enum span_kind kind;
} marks[MARK_COUNT] = {
	[CLIENT_SENT] = { { "cs", 2 }, SPAN_KIND_CLIENT },
	[CLIENT_RECEIVED] = { { "cr", 2 }, SPAN_KIND_CLIENT },
	[SERVER_RECEIVED] = { { "sr", 2 }, SPAN_KIND_SERVER },
	[SERVER_SENT] = { { "ss", 2 }, SPAN_KIND_SERVER },
	[MESSAGE_SENT] = { { "ms", 2 }, SPAN_KIND_PRODUCER },
	[MESSAGE_RECEIVED] = { { "mr", 2 }, SPAN_KIND_CONSUMER },
};

struct zipkin {
	struct trace_json t;
	struct endpoint_text local;
	struct endpoint_text server; /* for a span of both sides */
	struct endpoint_text read;   /* of the current annotation */
	struct buf text;             /* its value */
	/* Origin of Next.js times, from the first span of this trace; and that
	 * trace. */
	uint64_t origin_us;
	struct trace_id origin_of;
};

/* Parts of a span that are evaluated at its end. */
struct pieces {
	uint64_t start_us;
	uint64_t duration_us;
	bool has_duration;
	bool is_shared;
	bool has_kind;
	uint64_t marks_us[MARK_COUNT]; /* 0: absent */
	uint64_t start_ms;             /* Next.js; 0: absent */
};

/* ---- tags ---- */

static void use_tag(struct trace_json *t, const struct attr_key *key,
		    struct span_input *in)
{
	struct str name = attr_key_str(key);
	struct str text;

	if (!trace_json_value(t, &text) ||
	    trace_json_status_tag(t, name, text, in))
		return;
	/* The tag by itself means failure, even if empty. */
	if (str_equal(name, STR("error"))) {
		in->flags |= SPAN_IS_ERROR;
		if (!text.len || str_equal(text, STR("true")))
			return;
	}
	trace_json_attr(t, name);
}

static void read_tags(struct trace_json *t, struct span_input *in)
{
	struct attr_key key;
	struct str name;

	if (!json_enter_nullable(t->r, JSON_OBJECT))
		return;
	while (json_next_key(t->r, &name)) {
		attr_key_set(&key, name);
		trace_json_plain_value(t);
		use_tag(t, &key, in);
	}
}

/* ---- endpoints ---- */

static struct json_fields endpoint_fields = JSON_FIELDS(
	JSON_NAME("serviceName", FIELD_SERVICE), JSON_NAME("ipv4", FIELD_IPV4),
	JSON_NAME("ipv6", FIELD_IPV6), JSON_NAME("port", FIELD_PORT));

static void keep_text(struct trace_json *t, struct buf *out)
{
	struct str text = json_text_nullable(t->r);

	buf_clear(out);
	buf_add_str(out, text);
	trace_json_taken(t, buf_check(out, "the name of a service", &t->err));
}

static void read_endpoint(struct trace_json *t, struct endpoint_text *into)
{
	struct str key;

	if (!json_enter_nullable(t->r, JSON_OBJECT))
		return;
	while (json_next_key(t->r, &key))
		switch (json_field(&endpoint_fields, key)) {
		case FIELD_SERVICE:
			keep_text(t, &into->service);
			break;
		case FIELD_IPV4:
		case FIELD_IPV6:
			keep_text(t, &into->address);
			break;
		default:
			json_skip(t->r);
			break;
		}
}

/* Reads the remote side, with OpenTelemetry's names. */
static void read_remote(struct trace_json *t)
{
	static const struct json_name kept[] = {
		JSON_NAME("peer.service", FIELD_SERVICE),
		JSON_NAME("network.peer.address", FIELD_IPV4),
		JSON_NAME("network.peer.address", FIELD_IPV6),
		JSON_NAME("net.peer.port", FIELD_PORT),
		NAMES_END,
	};
	struct str key;

	if (!json_enter_nullable(t->r, JSON_OBJECT))
		return;
	while (json_next_key(t->r, &key)) {
		int field = json_field(&endpoint_fields, key);

		if (field < 0 || json_peek(t->r) == JSON_NULL) {
			json_skip(t->r);
			continue;
		}
		trace_json_plain_value(t);
		for (const struct json_name *n = kept; n->text.len; n++)
			if (n->field == field)
				trace_json_attr(t, n->text);
	}
}

static void add_local_attr(struct trace_json *t, struct str key,
			   const struct buf *text)
{
	if (!text->len)
		return;
	value_clear(&t->value);
	value_string(&t->value, buf_str(text));
	trace_json_attr(t, key);
}

/* ---- spans ---- */

static uint64_t read_us(struct trace_json *t)
{
	uint64_t time_us = 0;

	return json_u64(t->r, &time_us) ? time_us : 0;
}

/* Uses an endpoint of version 1: the owner of a span's annotations is its
 * service. */
static void use_endpoint(struct zipkin *z, struct endpoint_text *whose)
{
	struct trace_json *t = &z->t;

	if (!z->read.service.len || whose->service.len)
		return;
	buf_clear(&whose->service);
	buf_add_str(&whose->service, buf_str(&z->read.service));
	buf_clear(&whose->address);
	buf_add_str(&whose->address, buf_str(&z->read.address));
	trace_json_taken(
		t, buf_check(&whose->service, "a service", &t->err) &&
			   buf_check(&whose->address, "an address", &t->err));
}

static void read_annotation(struct zipkin *z, struct pieces *p)
{
	struct trace_json *t = &z->t;
	uint64_t time_us = 0;
	unsigned mark = 0;
	uint32_t name;
	struct str key;

	buf_clear(&z->text);
	buf_clear(&z->read.service);
	buf_clear(&z->read.address);
	while (json_next_key(t->r, &key))
		if (str_equal(key, STR("timestamp")))
			time_us = read_us(t);
		else if (str_equal(key, STR("value")))
			keep_text(t, &z->text);
		else if (str_equal(key, STR("endpoint")))
			read_endpoint(t, &z->read);
		else
			json_skip(t->r);
	while (mark < MARK_COUNT &&
	       !str_equal(buf_str(&z->text), marks[mark].name))
		mark++;
	if (mark == MARK_COUNT) {
		use_endpoint(z, &z->local);
		if (taker_has_details(t->to) &&
		    trace_json_taken(
			    t, trace_build_part_begin(t->to->b, DETAIL_EVENT,
						      &t->err) &&
				       taker_text(t->to, buf_str(&z->text),
						  &name, &t->err)))
			trace_build_event_end(t->to->b, trace_json_ns(time_us),
					      name);
		return;
	}
	p->marks_us[mark] = time_us;
	use_endpoint(z, marks[mark].kind == SPAN_KIND_SERVER ? &z->server
							     : &z->local);
}

/* Reads a tag of version 1, or the remote side. */
static void read_binary(struct zipkin *z, struct span_input *in)
{
	struct trace_json *t = &z->t;
	struct attr_key name = { .len = 0 };
	struct str key;

	buf_clear(&z->read.service);
	buf_clear(&z->read.address);
	value_clear(&t->value);
	while (json_next_key(t->r, &key))
		if (str_equal(key, STR("key")))
			trace_json_key(t, &name);
		else if (str_equal(key, STR("value")))
			trace_json_plain_value(t);
		else if (str_equal(key, STR("endpoint")))
			read_endpoint(t, &z->read);
		else
			json_skip(t->r);
	if (str_equal(attr_key_str(&name), STR("sa")) ||
	    str_equal(attr_key_str(&name), STR("ca"))) {
		add_local_attr(t, STR("peer.service"), &z->read.service);
		add_local_attr(t, STR("network.peer.address"),
			       &z->read.address);
		return;
	}
	use_endpoint(z, &z->local);
	use_tag(t, &name, in);
}

/* Reads an id, in Next.js a number. */
static uint64_t read_id(struct trace_json *t)
{
	uint64_t id = 0;

	if (json_peek(t->r) != JSON_NUMBER)
		return trace_json_span_id(t);
	return json_u64(t->r, &id) ? id : 0;
}

static void read_span_field(struct zipkin *z, int field, struct span_input *in,
			    struct pieces *p)
{
	struct trace_json *t = &z->t;
	enum span_kind kind;

	switch (field) {
	case FIELD_TRACE_ID:
		trace_json_trace_id(t, &in->trace_id);
		break;
	case FIELD_ID:
		in->span_id = read_id(t);
		break;
	case FIELD_PARENT_ID:
		in->parent_id = read_id(t);
		break;
	case FIELD_NAME:
		trace_json_name(t, in);
		break;
	case FIELD_KIND:
		span_kind_parse(json_text_nullable(t->r), &kind);
		in->kind = (uint8_t)kind;
		p->has_kind = true;
		break;
	case FIELD_TIMESTAMP:
		p->start_us = read_us(t);
		break;
	case FIELD_START_TIME:
		p->start_ms = read_us(t);
		break;
	case FIELD_DURATION:
		p->has_duration = json_peek(t->r) != JSON_NULL;
		p->duration_us = read_us(t);
		break;
	case FIELD_TAGS:
		read_tags(t, in);
		break;
	case FIELD_LOCAL:
		read_endpoint(t, &z->local);
		break;
	case FIELD_REMOTE:
		read_remote(t);
		break;
	case FIELD_ANNOTATIONS:
		if (json_enter_nullable(t->r, JSON_ARRAY))
			while (json_next_object(t->r))
				read_annotation(z, p);
		break;
	case FIELD_BINARY:
		if (json_enter_nullable(t->r, JSON_ARRAY))
			while (json_next_object(t->r))
				read_binary(z, in);
		break;
	case FIELD_SHARED:
		if (json_peek(t->r) == JSON_NULL)
			json_skip(t->r);
		else if (!json_bool(t->r, &p->is_shared))
			p->is_shared = false;
		break;
	}
}

static bool has_side(const struct pieces *p, enum span_kind kind)
{
	for (unsigned i = 0; i < MARK_COUNT; i++)
		if (p->marks_us[i] && marks[i].kind == kind)
			return true;
	return false;
}

/* From the first to the last mark. */
static void use_marks(struct pieces *p, enum span_kind kind)
{
	uint64_t first = UINT64_MAX, last = 0;

	for (unsigned i = 0; i < MARK_COUNT; i++)
		if (p->marks_us[i] && marks[i].kind == kind) {
			first = p->marks_us[i] < first ? p->marks_us[i] : first;
			last = p->marks_us[i] > last ? p->marks_us[i] : last;
		}
	p->start_us = first;
	p->has_duration = last > first;
	p->duration_us = last - first;
}

static void give_span(struct trace_json *t, const struct endpoint_text *of,
		      const struct pieces *p, struct span_input *in)
{
	if (!trace_json_taken(
		    t, taker_process_reserve(t->to, &in->resource, &t->err)))
		return;
	in->start_unix_ns = trace_json_ns(p->start_us);
	if (p->has_duration && p->duration_us <= UINT64_MAX - p->start_us)
		in->end_unix_ns = trace_json_ns(p->start_us + p->duration_us);
	/* Only servers share an id; old ones omit the kind. */
	if (p->is_shared && !p->has_kind)
		in->kind = SPAN_KIND_SERVER;
	if (trace_json_taken(t, taker_span(t->to, in, &t->err))) {
		taker_attrs_begin(t->to, ATTRS_OF_PROCESS);
		add_local_attr(t, STR("service.name"), &of->service);
		add_local_attr(t, STR("ip"), &of->address);
		trace_json_taken(t, taker_process_describe(t->to, in->resource,
							   &t->err) &&
					    taker_settle(t->to, &t->err));
	}
}

static struct json_fields span_fields = JSON_FIELDS(
	JSON_NAME("traceId", FIELD_TRACE_ID), JSON_NAME("id", FIELD_ID),
	JSON_NAME("parentId", FIELD_PARENT_ID), JSON_NAME("name", FIELD_NAME),
	JSON_NAME("kind", FIELD_KIND), JSON_NAME("timestamp", FIELD_TIMESTAMP),
	JSON_NAME("duration", FIELD_DURATION), JSON_NAME("tags", FIELD_TAGS),
	JSON_NAME("localEndpoint", FIELD_LOCAL),
	JSON_NAME("remoteEndpoint", FIELD_REMOTE),
	JSON_NAME("annotations", FIELD_ANNOTATIONS),
	JSON_NAME("binaryAnnotations", FIELD_BINARY),
	JSON_NAME("shared", FIELD_SHARED),
	JSON_NAME("startTime", FIELD_START_TIME));

/* Uses the wall-clock start: all spans of a trace have the same origin, known
 * to the millisecond from each. */
static void use_start_time(struct zipkin *z, struct pieces *p,
			   const struct trace_id *id)
{
	uint64_t start_us = p->start_ms * 1000;

	if (!p->start_ms || p->start_ms > UINT64_MAX / 1000)
		return;
	if (!trace_id_equal(&z->origin_of, id)) {
		z->origin_of = *id;
		z->origin_us =
			start_us > p->start_us ? start_us - p->start_us : 0;
	}
	if (z->origin_us <= UINT64_MAX - p->start_us)
		p->start_us += z->origin_us;
	if (!z->local.service.len)
		buf_add_text(&z->local.service, "Next.js");
}

static void read_span(struct zipkin *z)
{
	struct span_input in = { .resource = 0 };
	struct pieces p = { .has_duration = false };
	struct trace_json *t = &z->t;
	bool is_two;
	int field;

	buf_clear(&z->local.service);
	buf_clear(&z->local.address);
	buf_clear(&z->server.service);
	buf_clear(&z->server.address);
	taker_attrs_begin(t->to, ATTRS_OF_SPAN);
	while ((field = json_next_field(t->r, &span_fields)) >= 0)
		read_span_field(z, field, &in, &p);
	if (json_failed(t->r))
		return;
	is_two = !p.has_kind && has_side(&p, SPAN_KIND_CLIENT) &&
		 has_side(&p, SPAN_KIND_SERVER);
	/* The kind of version 1 follows from the marks; the client's if both
	 * sides are present. The span's own times take precedence. */
	for (unsigned i = 0; i < MARK_COUNT && !p.has_kind; i++)
		if (p.marks_us[i]) {
			in.kind = (uint8_t)marks[i].kind;
			p.has_kind = true;
			if (!p.start_us)
				use_marks(&p, marks[i].kind);
		}
	use_start_time(z, &p, &in.trace_id);
	give_span(t,
		  in.kind == SPAN_KIND_SERVER && z->server.service.len
			  ? &z->server
			  : &z->local,
		  &p, &in);
	if (!is_two)
		return;
	use_marks(&p, SPAN_KIND_SERVER);
	in.kind = SPAN_KIND_SERVER;
	in.flags = 0;
	taker_attrs_begin(t->to, ATTRS_OF_SPAN);
	give_span(t, &z->server, &p, &in);
}

/* ---- documents ---- */

/* The item that is announced and those that follow. */
static void read_items(struct zipkin *z)
{
	struct json_reader *r = z->t.r;

	do {
		if (!trace_json_at(&z->t))
			return;
		if (json_peek(r) != JSON_ARRAY || !json_enter(r, JSON_ARRAY)) {
			if (json_enter_nullable(r, JSON_OBJECT))
				read_span(z);
			continue;
		}
		while (json_next_item(r))
			if (json_enter_nullable(r, JSON_OBJECT))
				read_span(z);
	} while (json_next_item(r));
}

bool decode_zipkin_json(struct feed *feed, struct taker *to, struct error *err)
{
	struct zipkin z = { 0 };
	struct buf *const kept[] = { &z.local.service,
				     &z.local.address,
				     &z.server.service,
				     &z.server.address,
				     &z.read.service,
				     &z.read.address,
				     &z.text };
	bool is_read;

	if (!trace_json_init(&z.t, feed, to, err))
		return false;
	z.t.has_short_ids = true;
	for (size_t i = 0; i < COUNT_OF(kept); i++)
		buf_init(kept[i], LIMIT_STRING_BYTES);
	if (trace_json_resume(&z.t)) {
		read_items(&z);
		trace_json_leave(&z.t);
	}
	while (!z.t.is_enough && !json_at_end(z.t.r)) {
		struct json_reader *r = z.t.r;

		/* Lists of spans, or spans, concatenated. */
		trace_json_nowhere(&z.t);
		if (json_peek(r) == JSON_OBJECT) {
			if (json_enter(r, JSON_OBJECT))
				read_span(&z);
		} else if (json_enter(r, JSON_ARRAY) && json_next_item(r)) {
			read_items(&z);
		}
	}
	is_read = trace_json_finish(&z.t, "Zipkin JSON", err);
	for (size_t i = 0; i < COUNT_OF(kept); i++)
		buf_release(kept[i]);
	return is_read;
}
