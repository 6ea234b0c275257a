/* SPDX-License-Identifier: Apache-2.0
 *
 * Field numbers: opentelemetry-proto trace/v1/trace.proto and
 * common/v1/common.proto; Tempo's tempopb for the envelopes.
 */
#include <stdio.h>
#include <string.h>

#include "decode/formats.h"
#include "decode/otlp.h"
#include "decode/values.h"
#include "decode/wire.h"

#define WHAT "OTLP protobuf"

#define TEMPO_PARTIAL 1

/* Field number that OTLP before 0.16 used instead of scope_spans (2). */
#define OLD_LIBRARY_SPANS 1000

struct pb_reader {
	struct taker *to;
	struct value_text value;
	struct error *err;
};

/* ---- attribute values ---- */

/* Finds the member of the AnyValue that is set, the last if several. */
static bool find_any(struct wire *any, struct wire_field *found)
{
	struct wire_field f;

	*found = (struct wire_field){ 0 };
	while (wire_next(any, &f))
		switch (f.tag) {
		case WIRE_TAG(1, WIRE_BYTES):
		case WIRE_TAG(2, WIRE_VARINT):
		case WIRE_TAG(3, WIRE_VARINT):
		case WIRE_TAG(4, WIRE_FIXED64):
		case WIRE_TAG(5, WIRE_BYTES):
		case WIRE_TAG(6, WIRE_BYTES):
		case WIRE_TAG(7, WIRE_BYTES):
			*found = f;
			break;
		}
	return !any->failure;
}

void otlp_pb_scalar(struct value_text *v, const struct wire_field *f)
{
	double number;

	switch (f->tag) {
	case WIRE_TAG(1, WIRE_BYTES):
		value_string(v, f->bytes);
		break;
	case WIRE_TAG(2, WIRE_VARINT):
		value_bool(v, f->value != 0);
		break;
	case WIRE_TAG(3, WIRE_VARINT):
		value_i64(v, (int64_t)f->value);
		break;
	case WIRE_TAG(4, WIRE_FIXED64):
		memcpy(&number, &f->value, sizeof number);
		value_f64(v, number);
		break;
	case WIRE_TAG(7, WIRE_BYTES):
		value_bytes(v, f->bytes);
		break;
	default:
		value_null(v);
		break;
	}
}

bool otlp_pb_pair(struct wire *kv, struct str *key, struct wire_field *value)
{
	struct wire_field f;

	*key = STR("");
	*value = (struct wire_field){ .bytes = STR("") };
	while (wire_next(kv, &f))
		if (f.tag == WIRE_TAG(1, WIRE_BYTES))
			*key = f.bytes;
		else if (f.tag == WIRE_TAG(2, WIRE_BYTES))
			*value = f;
	return !kv->failure;
}

/* Open lists and maps, innermost last. */
struct nesting {
	struct wire levels[LIMIT_PB_DEPTH];
	bool is_map[LIMIT_PB_DEPTH];
	unsigned depth;
};

/* Writes the AnyValue in field `f` of `parent`; of a list or map only the
 * opening, the members are pushed on the nesting. */
static bool write_any(struct pb_reader *p, struct wire *parent,
		      const struct wire_field *f, struct nesting *n)
{
	struct wire any;
	struct wire_field member;

	/* An absent value is an empty message. */
	any = wire_inside(parent, f);
	if (!find_any(&any, &member))
		return wire_check(&any, WHAT, p->err);
	if (member.tag != WIRE_TAG(5, WIRE_BYTES) &&
	    member.tag != WIRE_TAG(6, WIRE_BYTES)) {
		otlp_pb_scalar(&p->value, &member);
		return true;
	}
	if (!wire_enter(&any, &member, &n->levels[n->depth]))
		return wire_check(&any, WHAT, p->err);
	n->is_map[n->depth] = member.tag == WIRE_TAG(6, WIRE_BYTES);
	value_open(&p->value, n->is_map[n->depth] ? '{' : '[');
	n->depth++;
	return true;
}

/* Writes a member of the innermost list or map, or its end. */
static bool write_member(struct pb_reader *p, struct nesting *n)
{
	struct wire *level = &n->levels[n->depth - 1];
	bool is_map = n->is_map[n->depth - 1];
	struct wire_field f, value;
	struct wire kv;
	struct str key;

	if (!wire_next(level, &f)) {
		n->depth--;
		value_close(&p->value, is_map ? '}' : ']');
		return wire_check(level, WHAT, p->err);
	}
	if (f.tag != WIRE_TAG(1, WIRE_BYTES))
		return true;
	if (!is_map)
		return write_any(p, level, &f, n);
	kv = wire_inside(level, &f);
	if (!otlp_pb_pair(&kv, &key, &value))
		return wire_check(&kv, WHAT, p->err);
	value_key(&p->value, key);
	return write_any(p, &kv, &value, n);
}

static bool read_attr(struct pb_reader *p, struct wire *parent,
		      const struct wire_field *f)
{
	struct nesting n;
	struct wire kv;
	struct wire_field value;
	struct str key, text;

	kv = wire_inside(parent, f);
	if (!otlp_pb_pair(&kv, &key, &value))
		return wire_check(&kv, WHAT, p->err);
	if (!taker_wants(p->to, key))
		return true;
	value_clear(&p->value);
	n.depth = 0;
	if (!write_any(p, &kv, &value, &n))
		return false;
	while (n.depth)
		if (!write_member(p, &n))
			return false;
	return value_check(&p->value, &text, p->err) &&
	       taker_attr(p->to, key, text, p->err);
}

/* ---- spans ---- */

static bool read_status(struct pb_reader *p, struct wire *parent,
			const struct wire_field *f, struct span_input *in)
{
	struct wire w;
	struct wire_field member;

	w = wire_inside(parent, f);
	while (wire_next(&w, &member))
		if (member.tag == WIRE_TAG(3, WIRE_VARINT))
			in->flags = member.value == OTLP_STATUS_ERROR
					    ? SPAN_IS_ERROR
					    : 0;
		else if (member.tag == WIRE_TAG(2, WIRE_BYTES) &&
			 !taker_text(p->to, member.bytes, &in->status_message,
				     p->err))
			return false;
	return wire_check(&w, WHAT, p->err);
}

static bool read_id(struct pb_reader *p, struct wire *w,
		    const struct wire_field *f, struct span_input *in)
{
	bool is_read;

	switch (f->tag) {
	case WIRE_TAG(1, WIRE_BYTES):
		is_read = trace_id_from_bytes(f->bytes, &in->trace_id);
		break;
	case WIRE_TAG(2, WIRE_BYTES):
		is_read = span_id_from_bytes(f->bytes, &in->span_id);
		break;
	default:
		is_read = span_id_from_bytes(f->bytes, &in->parent_id);
		break;
	}
	if (!is_read)
		wire_fail(w, "an id is neither 16 nor 8 bytes long");
	return wire_check(w, WHAT, p->err);
}

/* Event: time 1, name 2, attributes 3. */
static bool read_event(struct pb_reader *p, struct wire *parent,
		       const struct wire_field *f)
{
	uint64_t time_ns = 0;
	uint32_t name = 0;
	struct wire w;
	struct wire_field member;

	w = wire_inside(parent, f);
	if (!trace_build_part_begin(p->to->b, DETAIL_EVENT, p->err))
		return false;
	while (wire_next(&w, &member))
		if (member.tag == WIRE_TAG(1, WIRE_FIXED64))
			time_ns = member.value;
		else if (member.tag == WIRE_TAG(2, WIRE_BYTES) &&
			 !taker_text(p->to, member.bytes, &name, p->err))
			return false;
		else if (member.tag == WIRE_TAG(3, WIRE_BYTES) &&
			 !read_attr(p, &w, &member))
			return false;
	trace_build_event_end(p->to->b, time_ns, name);
	return wire_check(&w, WHAT, p->err);
}

/* Link: trace id 1, span id 2, attributes 4. */
static bool read_link(struct pb_reader *p, struct wire *parent,
		      const struct wire_field *f)
{
	struct span_input to = { .name = 0 };
	struct wire w;
	struct wire_field member;

	w = wire_inside(parent, f);
	if (!trace_build_part_begin(p->to->b, DETAIL_LINK, p->err))
		return false;
	while (wire_next(&w, &member))
		if ((member.tag == WIRE_TAG(1, WIRE_BYTES) ||
		     member.tag == WIRE_TAG(2, WIRE_BYTES)) &&
		    !read_id(p, &w, &member, &to))
			return false;
		else if (member.tag == WIRE_TAG(4, WIRE_BYTES) &&
			 taker_has_details(p->to) && !read_attr(p, &w, &member))
			return false;
	return wire_check(&w, WHAT, p->err) &&
	       trace_build_link_end(p->to->b, &to.trace_id, to.span_id, p->err);
}

static bool read_span_field(struct pb_reader *p, struct wire *w,
			    const struct wire_field *f, struct span_input *in)
{
	switch (f->tag) {
	case WIRE_TAG(1, WIRE_BYTES):
	case WIRE_TAG(2, WIRE_BYTES):
	case WIRE_TAG(4, WIRE_BYTES):
		return read_id(p, w, f, in);
	case WIRE_TAG(5, WIRE_BYTES):
		return taker_name(p->to, f->bytes, in, p->err);
	case WIRE_TAG(6, WIRE_VARINT):
		in->kind = (uint8_t)otlp_kind(f->value);
		return true;
	case WIRE_TAG(7, WIRE_FIXED64):
		in->start_unix_ns = f->value;
		return true;
	case WIRE_TAG(8, WIRE_FIXED64):
		in->end_unix_ns = f->value;
		return true;
	case WIRE_TAG(9, WIRE_BYTES):
		return read_attr(p, w, f);
	case WIRE_TAG(11, WIRE_BYTES):
		return !taker_has_details(p->to) || read_event(p, w, f);
	case WIRE_TAG(13, WIRE_BYTES):
		return !taker_has_links(p->to) || read_link(p, w, f);
	case WIRE_TAG(15, WIRE_BYTES):
		return read_status(p, w, f, in);
	default:
		return true;
	}
}

static bool read_span(struct pb_reader *p, struct wire *parent,
		      const struct wire_field *f, uint32_t resource)
{
	struct span_input in = { .resource = resource };
	struct wire w;
	struct wire_field member;

	w = wire_inside(parent, f);
	taker_attrs_begin(p->to, ATTRS_OF_SPAN);
	while (wire_next(&w, &member))
		if (!read_span_field(p, &w, &member, &in))
			return false;
	return wire_check(&w, WHAT, p->err) && taker_span(p->to, &in, p->err);
}

static bool read_scope_spans(struct pb_reader *p, struct wire *parent,
			     const struct wire_field *f, uint32_t resource)
{
	struct wire w;
	struct wire_field member;

	w = wire_inside(parent, f);
	while (wire_next(&w, &member))
		if (member.tag == WIRE_TAG(2, WIRE_BYTES) &&
		    !read_span(p, &w, &member, resource))
			return false;
	return wire_check(&w, WHAT, p->err);
}

/* ---- resources and envelopes ---- */

static bool read_resource(struct pb_reader *p, struct wire *parent,
			  const struct wire_field *f)
{
	struct wire w;
	struct wire_field member;

	w = wire_inside(parent, f);
	while (wire_next(&w, &member))
		if (member.tag == WIRE_TAG(1, WIRE_BYTES) &&
		    !read_attr(p, &w, &member))
			return false;
	return wire_check(&w, WHAT, p->err);
}

/* Two passes over the same bytes, since the resource may follow its spans. */
static bool read_resource_spans(struct pb_reader *p, struct wire *parent,
				const struct wire_field *f)
{
	struct wire w, again;
	struct wire_field member;
	uint32_t resource;

	w = wire_inside(parent, f);
	again = w;
	taker_attrs_begin(p->to, ATTRS_OF_PROCESS);
	while (wire_next(&w, &member))
		if (member.tag == WIRE_TAG(1, WIRE_BYTES) &&
		    !read_resource(p, &w, &member))
			return false;
	if (!wire_check(&w, WHAT, p->err) ||
	    !taker_process(p->to, &resource, p->err))
		return false;
	while (wire_next(&again, &member))
		if ((member.tag == WIRE_TAG(2, WIRE_BYTES) ||
		     member.tag == WIRE_TAG(OLD_LIBRARY_SPANS, WIRE_BYTES)) &&
		    !read_scope_spans(p, &again, &member, resource))
			return false;
	return wire_check(&again, WHAT, p->err);
}

static bool read_trace(struct pb_reader *p, struct wire *w)
{
	struct wire_field f;

	while (wire_next(w, &f))
		if (f.tag == WIRE_TAG(1, WIRE_BYTES) &&
		    !read_resource_spans(p, w, &f))
			return false;
	return wire_check(w, WHAT, p->err);
}

static bool read_top(struct pb_reader *p, struct wire_feed *top)
{
	struct trace_build *b = p->to->b;
	struct feed_place place;
	struct wire_field f;

	if (b && trace_build_resume(b, &place))
		wire_feed_seek(top, place.offset);
	/* Concatenated messages are equivalent to one; the Collector's file
	 * exporter writes a length before each. */
	for (;;) {
		wire_feed_skip_length(top);
		if (!wire_feed_next(top, &f))
			break;
		place = (struct feed_place){ .offset = top->field_start };
		if (b && !trace_build_at(b, &place))
			break;
		if (f.tag == WIRE_TAG(1, WIRE_BYTES) &&
		    !read_resource_spans(p, &top->w, &f))
			return false;
	}
	return wire_feed_check(top, WHAT, p->err);
}

/* TraceByIDResponse: the trace, then status and message. */
static bool read_response(struct pb_reader *p, struct wire_feed *top)
{
	char message[LIMIT_NOTE_BYTES] = "";
	bool is_partial = false;
	struct wire trace;
	struct wire_field f;

	while (wire_feed_next(top, &f))
		switch (f.tag) {
		case WIRE_TAG(1, WIRE_BYTES):
			trace = wire_inside(&top->w, &f);
			if (!read_trace(p, &trace))
				return false;
			break;
		case WIRE_TAG(3, WIRE_VARINT):
			is_partial = f.value == TEMPO_PARTIAL;
			break;
		case WIRE_TAG(4, WIRE_BYTES):
			snprintf(message, sizeof message, "%.*s",
				 STR_ARGS(f.bytes));
			break;
		}
	if (is_partial)
		otlp_note_partial(p->to, str_from(message));
	return wire_feed_check(top, WHAT, p->err);
}

static bool read_feed(struct feed *feed, struct taker *to, struct error *err,
		      bool (*read)(struct pb_reader *p, struct wire_feed *top))
{
	struct pb_reader p = { .to = to, .err = err };
	struct wire_feed top;
	bool is_read;

	wire_feed_init(&top, feed);
	value_init(&p.value);
	is_read = read(&p, &top);
	value_release(&p.value);
	wire_feed_release(&top);
	return is_read;
}

bool decode_otlp_pb(struct feed *feed, struct taker *to, struct error *err)
{
	return read_feed(feed, to, err, read_top);
}

bool decode_tempo_pb(struct feed *feed, struct taker *to, struct error *err)
{
	return read_feed(feed, to, err, read_response);
}
