/* SPDX-License-Identifier: Apache-2.0 */
#include "render/render.h"

#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/wirew.h"

/* Field numbers. */
enum {
	TRACES_RESOURCE_SPANS = 1,
	RESOURCE_SPANS_RESOURCE = 1,
	RESOURCE_SPANS_SCOPE_SPANS = 2,
	RESOURCE_ATTRIBUTES = 1,
	SCOPE_SPANS_SPANS = 2,

	SPAN_TRACE_ID = 1,
	SPAN_ID = 2,
	SPAN_PARENT_ID = 4,
	SPAN_NAME = 5,
	SPAN_KIND = 6,
	SPAN_START = 7,
	SPAN_END = 8,
	SPAN_ATTRIBUTES = 9,
	SPAN_EVENTS = 11,
	SPAN_LINKS = 13,
	SPAN_STATUS = 15,

	EVENT_TIME = 1,
	EVENT_NAME = 2,
	EVENT_ATTRIBUTES = 3,
	LINK_TRACE_ID = 1,
	LINK_SPAN_ID = 2,
	LINK_ATTRIBUTES = 4,
	STATUS_MESSAGE = 2,
	STATUS_CODE = 3,
	STATUS_ERROR = 2,

	PAIR_KEY = 1,
	PAIR_VALUE = 2,
	VALUE_STRING = 1,
	VALUE_INT = 3,
};

/* Keys defined as int by OpenTelemetry semantic conventions 1.44, and their
 * older names. */
static const char *const number_keys[] = {
	"client.port",
	"code.column",
	"code.column.number",
	"code.line.number",
	"code.lineno",
	"db.operation.batch.size",
	"db.response.returned_rows",
	"http.request.body.size",
	"http.request.resend_count",
	"http.request.size",
	"http.request_content_length",
	"http.response.body.size",
	"http.response.size",
	"http.response.status_code",
	"http.response_content_length",
	"http.status_code",
	"messaging.batch.message_count",
	"messaging.kafka.offset",
	"messaging.message.body.size",
	"net.host.port",
	"net.peer.port",
	"network.local.port",
	"network.peer.port",
	"process.parent_pid",
	"process.pid",
	"rpc.grpc.status_code",
	"server.port",
	"thread.id",
};

static void put_pair(struct buf *b, uint32_t field, struct str key,
		     struct str value)
{
	size_t pair = wirew_open(b, field), any;
	int64_t number;

	wirew_utf8(b, PAIR_KEY, key);
	any = wirew_open(b, PAIR_VALUE);
	if (str_is_one_of(key, number_keys, COUNT_OF(number_keys)) &&
	    parse_i64(value, &number))
		wirew_varint(b, VALUE_INT, (uint64_t)number);
	else
		wirew_utf8(b, VALUE_STRING, value);
	wirew_close(b, any);
	wirew_close(b, pair);
}

static void put_attrs(struct buf *b, uint32_t field, const struct trace *t,
		      const struct attr *attrs, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		put_pair(b, field, trace_text(t, attrs[i].key),
			 trace_text(t, attrs[i].value));
}

/* Writes consecutive details of one kind; returns their number. */
static uint32_t put_details(struct buf *b, uint32_t field,
			    const struct trace *t, const struct detail *d,
			    uint32_t count, enum detail_kind kind)
{
	uint32_t i = 0;

	for (; i < count && d[i].kind == kind; i++)
		put_pair(b, field, trace_text(t, d[i].key),
			 trace_text(t, d[i].value));
	return i;
}

/* ---- spans ---- */

static void put_id(struct buf *b, uint32_t field, uint64_t id)
{
	char bytes[8];

	for (unsigned i = 0; i < sizeof bytes; i++)
		bytes[i] = (char)(id >> (56 - 8 * i));
	wirew_str(b, field, (struct str){ bytes, sizeof bytes });
}

static void put_trace_id(struct buf *b, uint32_t field,
			 const struct trace_id *id)
{
	wirew_str(b, field,
		  (struct str){ (const char *)id->bytes, sizeof id->bytes });
}

static uint32_t put_link(struct buf *b, const struct trace *t,
			 const struct detail *d, uint32_t count)
{
	size_t at = wirew_open(b, SPAN_LINKS);
	unsigned char span_id[8] = { 0 };
	struct trace_id trace_id = { .bytes = { 0 } };
	uint32_t used = 1;

	/* The model generated these texts. */
	(void)!trace_id_parse(trace_text(t, d->key), &trace_id);
	(void)!hex_decode(trace_text(t, d->value), span_id, sizeof span_id);
	put_trace_id(b, LINK_TRACE_ID, &trace_id);
	wirew_str(b, LINK_SPAN_ID,
		  (struct str){ (const char *)span_id, sizeof span_id });
	used += put_details(b, LINK_ATTRIBUTES, t, d + 1, count - 1,
			    DETAIL_LINK_ATTR);
	wirew_close(b, at);
	return used;
}

static void put_parts(struct buf *b, const struct trace *t,
		      const struct span *s)
{
	const struct detail *d = t->details + s->detail_first;
	uint32_t i = 0;

	while (i < s->detail_count) {
		uint32_t left = s->detail_count - i;

		if (d[i].kind == DETAIL_EVENT) {
			size_t at = wirew_open(b, SPAN_EVENTS);

			wirew_fixed64(b, EVENT_TIME, (uint64_t)d[i].time_ns);
			wirew_utf8(b, EVENT_NAME, trace_text(t, d[i].key));
			/* Its attributes follow it. */
			i += 1 + put_details(b, EVENT_ATTRIBUTES, t, d + i + 1,
					     left - 1, DETAIL_EVENT_ATTR);
			wirew_close(b, at);
		} else if (d[i].kind == DETAIL_LINK) {
			i += put_link(b, t, d + i, left);
		} else if (d[i].kind == DETAIL_ATTR) {
			i += put_details(b, SPAN_ATTRIBUTES, t, d + i, left,
					 DETAIL_ATTR);
		} else {
			i++;
		}
	}
}

static void put_status(struct buf *b, const struct trace *t,
		       const struct span *s)
{
	struct str message = trace_text(t, s->status_message);
	size_t at;

	if (!(s->flags & SPAN_IS_ERROR) && !message.len)
		return;
	at = wirew_open(b, SPAN_STATUS);
	if (message.len)
		wirew_utf8(b, STATUS_MESSAGE, message);
	if (s->flags & SPAN_IS_ERROR)
		wirew_varint(b, STATUS_CODE, STATUS_ERROR);
	wirew_close(b, at);
}

bool otlp_finding_is_written(const struct trace *t,
			     const struct trace_finding *f)
{
	return !f->facts.more_count && f->facts.span < t->span_count &&
	       f->text.len;
}

static void put_findings(struct buf *b, const struct trace *t,
			 const struct result *r, const struct span *s)
{
	for (size_t i = 0; r && i < r->finding_count; i++) {
		const struct trace_finding *f = &r->findings[i];
		size_t at;

		if (!otlp_finding_is_written(t, f) ||
		    &t->spans[f->facts.span] != s)
			continue;
		at = wirew_open(b, SPAN_EVENTS);
		wirew_fixed64(b, EVENT_TIME, (uint64_t)s->start_ns);
		wirew_utf8(b, EVENT_NAME, STR("tracefind.finding"));
		put_pair(b, EVENT_ATTRIBUTES, STR("tracefind.finding.kind"),
			 str_from(finding_kind_name(f->facts.kind)));
		put_pair(b, EVENT_ATTRIBUTES, STR("tracefind.finding.text"),
			 f->text);
		wirew_close(b, at);
	}
}

static void put_span(struct buf *b, const struct trace *t,
		     const struct result *findings, const struct trace_id *id,
		     const struct span *s)
{
	/* Span.SpanKind starts with "unspecified". */
	static const uint8_t kinds[] = {
		[SPAN_KIND_INTERNAL] = 1, [SPAN_KIND_SERVER] = 2,
		[SPAN_KIND_CLIENT] = 3,   [SPAN_KIND_PRODUCER] = 4,
		[SPAN_KIND_CONSUMER] = 5,
	};
	size_t at = wirew_open(b, SCOPE_SPANS_SPANS);

	put_trace_id(b, SPAN_TRACE_ID, id);
	put_id(b, SPAN_ID, s->span_id);
	if (s->parent_id)
		put_id(b, SPAN_PARENT_ID, s->parent_id);
	wirew_utf8(b, SPAN_NAME, trace_text(t, s->name));
	wirew_varint(b, SPAN_KIND, kinds[s->kind]);
	wirew_fixed64(b, SPAN_START, (uint64_t)s->start_ns);
	wirew_fixed64(b, SPAN_END, (uint64_t)s->end_ns);
	put_attrs(b, SPAN_ATTRIBUTES, t, t->attrs + s->attr_first,
		  s->attr_count);
	put_parts(b, t, s);
	put_findings(b, t, findings, s);
	put_status(b, t, s);
	wirew_close(b, at);
}

/* ---- traces without an id ---- */

static void hash_text(uint64_t hashes[2], struct str text)
{
	for (unsigned k = 0; k < 2; k++)
		hashes[k] = fnv64(hashes[k], text);
}

static void hash_number(uint64_t hashes[2], uint64_t number)
{
	char bytes[8];

	for (unsigned i = 0; i < sizeof bytes; i++)
		bytes[i] = (char)(number >> 8 * i);
	hash_text(hashes, (struct str){ bytes, sizeof bytes });
}

/* OTLP does not allow an id of zeros, and two such traces would be merged: the
 * id is derived from the spans, so that it is the same each time. */
static struct trace_id make_trace_id(const struct trace *t)
{
	uint64_t hashes[2] = { FNV64_BEGIN, FNV64_OTHER_BEGIN };
	struct trace_id id;

	for (uint32_t i = 0; i < t->span_count; i++) {
		const struct span *s = &t->spans[i];

		hash_text(hashes, span_service(t, i));
		hash_text(hashes, trace_text(t, s->name));
		hash_number(hashes, s->span_id);
		hash_number(hashes, (uint64_t)s->start_ns);
		hash_number(hashes, (uint64_t)s->end_ns);
	}
	for (unsigned i = 0; i < sizeof id.bytes; i++)
		id.bytes[i] = (unsigned char)(hashes[i / 8] >> i % 8 * 8);
	return id;
}

/* ---- parts ---- */

static void put_resource(struct buf *b, const struct trace *t, uint32_t index)
{
	const struct resource *r = &t->resources[index];
	size_t at = wirew_open(b, RESOURCE_SPANS_RESOURCE);

	/* For formats that have the service elsewhere. */
	if (!resource_attr(t, index, STR("service.name")).ptr && r->service)
		put_pair(b, RESOURCE_ATTRIBUTES, STR("service.name"),
			 trace_text(t, r->service));
	put_attrs(b, RESOURCE_ATTRIBUTES, t, t->attrs + r->attr_first,
		  r->attr_count);
	put_details(b, RESOURCE_ATTRIBUTES, t, t->details + r->detail_first,
		    r->detail_count, DETAIL_ATTR);
	wirew_close(b, at);
}

/* Returns the spans grouped by resource, in order. */
static uint32_t *order_make(const struct trace *t)
{
	uint32_t *order = mem_calloc((size_t)t->span_count + 1, sizeof *order);
	uint32_t *ends =
		mem_calloc((size_t)t->resource_count + 2, sizeof *ends);

	for (uint32_t i = 0; order && ends && i < t->span_count; i++)
		ends[t->spans[i].resource + 1]++;
	for (uint32_t i = 0; order && ends && i < t->resource_count; i++)
		ends[i + 1] += ends[i];
	for (uint32_t i = 0; order && ends && i < t->span_count; i++)
		order[ends[t->spans[i].resource]++] = i;
	if (!ends) {
		mem_free(order);
		order = NULL;
	}
	mem_free(ends);
	return order;
}

/* Writes the next part: spans from *at on. */
static void put_part(struct buf *b, const struct trace *t,
		     const struct result *findings, const struct trace_id *id, const uint32_t *order,
		     uint32_t *at, size_t part_bytes)
{
	while (*at < t->span_count && b->len < part_bytes) {
		uint32_t resource = t->spans[order[*at]].resource;
		size_t group = wirew_open(b, TRACES_RESOURCE_SPANS), spans;

		put_resource(b, t, resource);
		spans = wirew_open(b, RESOURCE_SPANS_SCOPE_SPANS);
		do {
			put_span(b, t, findings, id,
				 &t->spans[order[(*at)++]]);
		} while (*at < t->span_count && b->len < part_bytes &&
			 t->spans[order[*at]].resource == resource);
		wirew_close(b, spans);
		wirew_close(b, group);
	}
}

bool otlp_trace_write(const struct trace *t, const struct result *findings,
		      size_t part_bytes,
		      bool (*take)(void *context, struct str part,
				   uint32_t span_count, struct error *err),
		      void *context, struct error *err)
{
	struct trace_id id =
		trace_id_is_zero(&t->id) ? make_trace_id(t) : t->id;
	uint32_t *order = order_make(t);
	uint32_t at = 0;
	struct buf part;
	bool is_ok = order || error_memory(err, "a trace");

	buf_init(&part, LIMIT_BODY_PLAIN_BYTES);
	while (is_ok && at < t->span_count) {
		uint32_t first = at;

		buf_clear(&part);
		put_part(&part, t, findings, &id, order, &at, part_bytes);
		is_ok = buf_check(&part, "a trace", err) &&
			take(context, buf_str(&part), at - first, err);
	}
	buf_release(&part);
	mem_free(order);
	return is_ok;
}

static bool write_part(void *out, struct str part, uint32_t span_count,
		       struct error *err)
{
	(void)span_count;
	(void)err;
	out_str(out, part);
	return true;
}

/* Written in parts, so that memory use does not depend on the trace's size. */
#define FILE_PART_BYTES ((size_t)1 << 20)

void render_otlp(const struct render_input *in, struct out *out)
{
	struct error err;

	if (in->result->has_profile)
		otlp_profile(in, out);
	else if (!otlp_trace_write(in->trace, NULL, FILE_PART_BYTES, write_part, out,
				   &err))
		out_fail_memory(out);
}
