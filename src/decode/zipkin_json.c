/* SPDX-License-Identifier: Apache-2.0
 *
 * Zipkin v2 JSON: a list of spans, or a list of such lists, one a trace. Times
 * are microseconds. A server span may share its client's id (`shared`); the
 * model tells the two apart by their kinds.
 */
#include "base/num.h"
#include "base/timefmt.h"
#include "decode/formats.h"
#include "decode/trace_json.h"

enum field {
	FIELD_ANNOTATIONS,
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
	FIELD_TAGS,
	FIELD_TIMESTAMP,
	FIELD_TRACE_ID,
};

/* The producer of the span being read; it becomes a resource once the span's
 * own attributes are stored. */
struct endpoint_text {
	struct buf service;
	struct buf address;
};

struct zipkin {
	struct trace_json t;
	struct endpoint_text local;
};

/* What of a span is judged when all its members are known. */
struct pieces {
	uint64_t start_us;
	uint64_t duration_us;
	bool has_duration;
	bool is_shared;
	bool has_kind;
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
	/* The tag alone means failure, also when it is empty. */
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

static const struct json_name endpoint_names[] = {
	JSON_NAME("serviceName", FIELD_SERVICE),
	JSON_NAME("ipv4", FIELD_IPV4),
	JSON_NAME("ipv6", FIELD_IPV6),
	JSON_NAME("port", FIELD_PORT),
	NAMES_END,
};

static void keep_text(struct trace_json *t, struct buf *out)
{
	struct str text = json_text_nullable(t->r);

	buf_clear(out);
	buf_add_str(out, text);
	trace_json_taken(t, buf_check(out, "the name of a service", &t->err));
}

static void read_local(struct zipkin *z)
{
	struct trace_json *t = &z->t;
	struct str key;

	if (!json_enter_nullable(t->r, JSON_OBJECT))
		return;
	while (json_next_key(t->r, &key))
		switch (trace_json_field(endpoint_names, key)) {
		case FIELD_SERVICE:
			keep_text(t, &z->local.service);
			break;
		case FIELD_IPV4:
		case FIELD_IPV6:
			keep_text(t, &z->local.address);
			break;
		default:
			json_skip(t->r);
			break;
		}
}

/* The other side, under the names that OpenTelemetry has for it. */
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
		int field = trace_json_field(endpoint_names, key);

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

static void describe_resource(struct zipkin *z, uint32_t resource)
{
	struct trace_json *t = &z->t;

	taker_attrs_begin(t->to, ATTRS_OF_PROCESS);
	add_local_attr(t, STR("service.name"), &z->local.service);
	add_local_attr(t, STR("ip"), &z->local.address);
	trace_json_taken(t, taker_process_describe(t->to, resource, &t->err) &&
				    taker_settle(t->to, &t->err));
}

/* ---- spans ---- */

static uint64_t read_us(struct trace_json *t)
{
	uint64_t time_us = 0;

	return json_u64(t->r, &time_us) ? time_us : 0;
}

static void read_annotation(struct trace_json *t)
{
	uint64_t time_us = 0;
	uint32_t name = 0;
	struct str key;

	if (!trace_json_taken(
		    t, trace_build_part_begin(t->to->b, DETAIL_EVENT, &t->err)))
		return;
	while (json_next_key(t->r, &key))
		if (str_equal(key, STR("timestamp")))
			time_us = read_us(t);
		else if (str_equal(key, STR("value")))
			name = trace_json_symbol(t);
		else
			json_skip(t->r);
	trace_build_event_end(t->to->b, trace_json_ns(time_us), name);
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
		in->span_id = trace_json_span_id(t);
		break;
	case FIELD_PARENT_ID:
		in->parent_id = trace_json_span_id(t);
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
	case FIELD_DURATION:
		p->has_duration = json_peek(t->r) != JSON_NULL;
		p->duration_us = read_us(t);
		break;
	case FIELD_TAGS:
		read_tags(t, in);
		break;
	case FIELD_LOCAL:
		read_local(z);
		break;
	case FIELD_REMOTE:
		read_remote(t);
		break;
	case FIELD_ANNOTATIONS:
		if (trace_json_enter_events(t))
			while (json_next_object(t->r))
				read_annotation(t);
		break;
	case FIELD_SHARED:
		if (json_peek(t->r) == JSON_NULL)
			json_skip(t->r);
		else if (!json_bool(t->r, &p->is_shared))
			p->is_shared = false;
		break;
	default:
		json_skip(t->r);
		break;
	}
}

static void use_pieces(const struct pieces *p, struct span_input *in)
{
	in->start_unix_ns = trace_json_ns(p->start_us);
	if (p->has_duration && p->duration_us <= UINT64_MAX - p->start_us)
		in->end_unix_ns = trace_json_ns(p->start_us + p->duration_us);
	/* Only servers share an id; old ones leave the kind out. */
	if (p->is_shared && !p->has_kind)
		in->kind = SPAN_KIND_SERVER;
}

static void read_span(struct zipkin *z)
{
	static const struct json_name names[] = {
		JSON_NAME("traceId", FIELD_TRACE_ID),
		JSON_NAME("id", FIELD_ID),
		JSON_NAME("parentId", FIELD_PARENT_ID),
		JSON_NAME("name", FIELD_NAME),
		JSON_NAME("kind", FIELD_KIND),
		JSON_NAME("timestamp", FIELD_TIMESTAMP),
		JSON_NAME("duration", FIELD_DURATION),
		JSON_NAME("tags", FIELD_TAGS),
		JSON_NAME("localEndpoint", FIELD_LOCAL),
		JSON_NAME("remoteEndpoint", FIELD_REMOTE),
		JSON_NAME("annotations", FIELD_ANNOTATIONS),
		JSON_NAME("shared", FIELD_SHARED),
		NAMES_END,
	};
	struct span_input in = { .resource = 0 };
	struct pieces p = { .has_duration = false };
	struct trace_json *t = &z->t;
	struct str key;

	buf_clear(&z->local.service);
	buf_clear(&z->local.address);
	taker_attrs_begin(t->to, ATTRS_OF_SPAN);
	while (json_next_key(t->r, &key))
		read_span_field(z, trace_json_field(names, key), &in, &p);
	if (json_failed(t->r) ||
	    !trace_json_taken(
		    t, taker_process_reserve(t->to, &in.resource, &t->err)))
		return;
	use_pieces(&p, &in);
	if (trace_json_taken(t, taker_span(t->to, &in, &t->err)))
		describe_resource(z, in.resource);
}

/* ---- documents ---- */

static void read_item(struct zipkin *z)
{
	struct json_reader *r = z->t.r;

	if (json_peek(r) != JSON_ARRAY || !json_enter(r, JSON_ARRAY)) {
		if (json_enter_nullable(r, JSON_OBJECT))
			read_span(z);
		return;
	}
	while (json_next_item(r))
		if (json_enter_nullable(r, JSON_OBJECT))
			read_span(z);
}

bool decode_zipkin_json(struct feed *feed, struct taker *to, struct error *err)
{
	struct zipkin z = { 0 };
	bool is_read;

	if (!trace_json_init(&z.t, feed, to, err))
		return false;
	z.t.has_short_ids = true;
	buf_init(&z.local.service, LIMIT_STRING_BYTES);
	buf_init(&z.local.address, LIMIT_STRING_BYTES);
	while (!json_at_end(z.t.r) && json_enter(z.t.r, JSON_ARRAY))
		while (json_next_item(z.t.r))
			read_item(&z);
	is_read = trace_json_finish(&z.t, "Zipkin JSON", err);
	buf_release(&z.local.address);
	buf_release(&z.local.service);
	return is_read;
}
