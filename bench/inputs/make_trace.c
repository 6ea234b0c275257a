/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/wirew.h"
#include "make_spans.h"

#define ATTRS 7
#define TEXT_BYTES 96
#define NS_PER_US 1000u
#define SCOPE "go.opentelemetry.io/contrib/instrumentation/net/http"
#define SCOPE_VERSION "0.49.0"

struct trace_maker {
	struct spans_maker spans;
	enum trace_format format;
	/* Protobuf parts under construction, from the innermost one out. */
	struct buf value, attr, span, group, resource;
	uint32_t groups; /* written so far, for the commas of JSON */
	bool is_started, is_ended;
};

struct made_attr {
	const char *key;
	bool is_number;
	uint64_t number;
	char text[TEXT_BYTES];
};

/* ---- what a span carries ---- */

static void fill_texts(enum trace_kind kind, const struct made_span *s,
		       struct made_attr attrs[ATTRS])
{
	uint32_t id = s->alike;

	snprintf(attrs[0].text, TEXT_BYTES, "GET");
	made_span_name(kind, s, attrs[1].text);
	snprintf(attrs[3].text, TEXT_BYTES, "%s-%u.prod.internal",
		 service_names[s->service], id % 9);
	snprintf(attrs[4].text, TEXT_BYTES, "10.%u.%u.%u", id % 200,
		 id / 7 % 200, id / 11 % 200);
	snprintf(attrs[6].text, TEXT_BYTES, "%016" PRIx64 "-%u", s->id,
		 s->number);
}

static void fill_attrs(enum trace_kind kind, const struct made_span *s,
		       struct made_attr attrs[ATTRS])
{
	static const char *const keys[ATTRS] = {
		"http.request.method",
		"http.route",
		"http.response.status_code",
		"server.address",
		"net.peer.ip",
		"thread.id",
		"request.id",
	};

	for (int i = 0; i < ATTRS; i++) {
		attrs[i].key = keys[i];
		attrs[i].is_number = i == 2 || i == 5;
	}
	attrs[2].number = span_is_error(s) ? 500 : 200;
	attrs[5].number = s->alike % 64;
	fill_texts(kind, s, attrs);
}

static const struct made_span *parent_of(const struct trace_maker *m,
					 const struct made_span *s)
{
	return s->parent == NO_PARENT ? NULL : &m->spans.batch.spans[s->parent];
}

static uint64_t event_ns(const struct made_span *s)
{
	return s->start_ns + s->duration_ns / 2;
}

static uint32_t event_size(const struct made_span *s)
{
	return s->alike % 4096;
}

/* As OTLP counts them: internal, server, client, producer, consumer. */
static uint32_t span_kind(const struct made_span *s)
{
	return 1 + s->alike % 5;
}

/* ---- OTLP protobuf: field numbers of opentelemetry/proto/trace/v1 ---- */

#define WIRE_FIXED64 1u

static void big_endian(uint64_t value, char bytes[8])
{
	for (int i = 7; i >= 0; i--, value >>= 8)
		bytes[i] = (char)value;
}

static void put_fixed64(struct buf *out, unsigned field, uint64_t value)
{
	char bytes[8];

	for (unsigned i = 0; i < sizeof bytes; i++)
		bytes[i] = (char)(value >> 8 * i);
	wirew_element(out, field << 3 | WIRE_FIXED64);
	buf_add(out, bytes, sizeof bytes);
}

static void put_attr(struct trace_maker *m, unsigned field, const char *key,
		     const char *text, uint64_t number, struct buf *out)
{
	buf_clear(&m->value);
	if (text)
		wirew_str(&m->value, 1, str_from(text));
	else
		wirew_varint(&m->value, 3, number);
	buf_clear(&m->attr);
	wirew_str(&m->attr, 1, str_from(key));
	wirew_str(&m->attr, 2, buf_str(&m->value));
	wirew_str(out, field, buf_str(&m->attr));
}

static void put_ids(struct trace_maker *m, const struct made_trace *t,
		    const struct made_span *s)
{
	const struct made_span *parent = parent_of(m, s);
	char bytes[16];

	big_endian(t->id[0], bytes);
	big_endian(t->id[1], bytes + 8);
	wirew_str(&m->span, 1, (struct str){ bytes, 16 });
	big_endian(s->id, bytes);
	wirew_str(&m->span, 2, (struct str){ bytes, 8 });
	if (!parent)
		return;
	big_endian(parent->id, bytes);
	wirew_str(&m->span, 4, (struct str){ bytes, 8 });
}

/* The value is built in one buffer, the event in another that put_attr() has
 * no use for. */
static void put_event(struct trace_maker *m, const struct made_span *s)
{
	buf_clear(&m->resource);
	put_fixed64(&m->resource, 1, event_ns(s));
	wirew_str(&m->resource, 2, STR("message.sent"));
	put_attr(m, 3, "message.size", NULL, event_size(s), &m->resource);
	wirew_str(&m->span, 11, buf_str(&m->resource));
}

static void put_span(struct trace_maker *m, const struct made_trace *t,
		     const struct made_span *s)
{
	struct made_attr attrs[ATTRS];
	char name[SPAN_NAME_BYTES];

	fill_attrs(m->spans.kind, s, attrs);
	made_span_name(m->spans.kind, s, name);
	buf_clear(&m->span);
	put_ids(m, t, s);
	wirew_str(&m->span, 5, str_from(name));
	wirew_varint(&m->span, 6, span_kind(s));
	put_fixed64(&m->span, 7, s->start_ns);
	put_fixed64(&m->span, 8, s->start_ns + s->duration_ns);
	for (int i = 0; i < ATTRS; i++)
		put_attr(m, 9, attrs[i].key,
			 attrs[i].is_number ? NULL : attrs[i].text,
			 attrs[i].number, &m->span);
	if (span_has_event(s))
		put_event(m, s);
	if (span_is_error(s)) {
		buf_clear(&m->value);
		wirew_str(&m->value, 2, STR("upstream failed"));
		wirew_varint(&m->value, 3, 2);
		wirew_str(&m->span, 15, buf_str(&m->value));
	}
	wirew_str(&m->group, 2, buf_str(&m->span));
}

static void put_resource(struct trace_maker *m, uint32_t service)
{
	char version[16], host[16];

	snprintf(version, sizeof version, "1.%u.0", service);
	snprintf(host, sizeof host, "node-%u", service);
	buf_clear(&m->resource);
	put_attr(m, 1, "service.name", service_names[service], 0, &m->resource);
	put_attr(m, 1, "service.version", version, 0, &m->resource);
	put_attr(m, 1, "host.name", host, 0, &m->resource);
	put_attr(m, 1, "telemetry.sdk.language", "go", 0, &m->resource);
}

static void end_group_pb(struct trace_maker *m, uint32_t service,
			 struct buf *out)
{
	put_resource(m, service);
	buf_clear(&m->span);
	wirew_str(&m->span, 1, buf_str(&m->resource));
	wirew_str(&m->span, 2, buf_str(&m->group));
	wirew_str(out, 1, buf_str(&m->span));
}

static void start_group_pb(struct trace_maker *m)
{
	buf_clear(&m->value);
	wirew_str(&m->value, 1, STR(SCOPE));
	wirew_str(&m->value, 2, STR(SCOPE_VERSION));
	buf_clear(&m->group);
	wirew_str(&m->group, 1, buf_str(&m->value));
}

/* ---- OTLP JSON ---- */

static void json_attrs(const struct made_attr attrs[ATTRS], struct buf *out)
{
	for (int i = 0; i < ATTRS; i++) {
		const struct made_attr *a = &attrs[i];

		buf_addf(out, "%s{\"key\":\"%s\",\"value\":{", i ? "," : "",
			 a->key);
		if (a->is_number)
			buf_addf(out, "\"intValue\":\"%" PRIu64 "\"}}",
				 a->number);
		else
			buf_addf(out, "\"stringValue\":\"%s\"}}", a->text);
	}
}

static void json_event(const struct made_span *s, struct buf *out)
{
	buf_addf(out,
		 ",\"events\":[{\"timeUnixNano\":\"%" PRIu64
		 "\",\"name\":\"message.sent\",\"attributes\":[{\"key\":"
		 "\"message.size\",\"value\":{\"intValue\":\"%u\"}}]}]",
		 event_ns(s), event_size(s));
}

static void json_span(struct trace_maker *m, const struct made_trace *t,
		      const struct made_span *s, struct buf *out)
{
	const struct made_span *parent = parent_of(m, s);
	struct made_attr attrs[ATTRS];
	char name[SPAN_NAME_BYTES];

	fill_attrs(m->spans.kind, s, attrs);
	made_span_name(m->spans.kind, s, name);
	buf_addf(out,
		 "{\"traceId\":\"%016" PRIx64 "%016" PRIx64
		 "\",\"spanId\":\"%016" PRIx64 "\"",
		 t->id[0], t->id[1], s->id);
	if (parent)
		buf_addf(out, ",\"parentSpanId\":\"%016" PRIx64 "\"",
			 parent->id);
	buf_addf(out,
		 ",\"name\":\"%s\",\"kind\":%u,\"startTimeUnixNano\":\"%" PRIu64
		 "\",\"endTimeUnixNano\":\"%" PRIu64 "\",\"attributes\":[",
		 name, span_kind(s), s->start_ns, s->start_ns + s->duration_ns);
	json_attrs(attrs, out);
	buf_add_char(out, ']');
	if (span_has_event(s))
		json_event(s, out);
	buf_add_text(out, span_is_error(s)
				  ? ",\"status\":{\"message\":\"upstream "
				    "failed\",\"code\":2}}"
				  : ",\"status\":{}}");
}

static void start_group_json(struct trace_maker *m, uint32_t service,
			     struct buf *out)
{
	buf_addf(
		out,
		"%s{\"resource\":{\"attributes\":["
		"{\"key\":\"service.name\",\"value\":{\"stringValue\":\"%s\"}},"
		"{\"key\":\"service.version\",\"value\":{\"stringValue\":"
		"\"1.%u.0\"}},{\"key\":\"host.name\",\"value\":{"
		"\"stringValue\":\"node-%u\"}},{\"key\":"
		"\"telemetry.sdk.language\",\"value\":{\"stringValue\":"
		"\"go\"}}]},\"scopeSpans\":[{\"scope\":{\"name\":\"" SCOPE
		"\",\"version\":\"" SCOPE_VERSION "\"},\"spans\":[",
		m->groups++ ? "," : "", service_names[service], service,
		service);
}

/* ---- both forms of OTLP: a batch by service ---- */

static uint32_t put_service(struct trace_maker *m, uint32_t service,
			    struct buf *out)
{
	const struct batch *b = &m->spans.batch;
	uint32_t count = 0;

	for (size_t t = 0; t < b->trace_count; t++) {
		const struct made_trace *trace = &b->traces[t];
		const struct made_span *s = &b->spans[trace->first];

		for (uint32_t i = 0; i < trace->count; i++, s++) {
			if (s->service != service)
				continue;
			if (m->format == OTLP_PB) {
				put_span(m, trace, s);
			} else {
				if (count)
					buf_add_char(out, ',');
				json_span(m, trace, s, out);
			}
			count++;
		}
	}
	return count;
}

static bool has_service(const struct batch *b, uint32_t service)
{
	for (size_t i = 0; i < b->span_count; i++)
		if (b->spans[i].service == service)
			return true;
	return false;
}

static void put_batch(struct trace_maker *m, struct buf *out)
{
	for (uint32_t service = 0; service < SERVICES; service++) {
		if (!has_service(&m->spans.batch, service))
			continue;
		if (m->format == OTLP_PB) {
			start_group_pb(m);
			put_service(m, service, out);
			end_group_pb(m, service, out);
		} else {
			start_group_json(m, service, out);
			put_service(m, service, out);
			buf_add_text(out, "]}]}");
		}
	}
}

/* ---- Jaeger's JSON: a trace at a time ---- */

static void jaeger_attrs(const struct made_attr attrs[ATTRS], struct buf *out)
{
	for (int i = 0; i < ATTRS; i++) {
		const struct made_attr *a = &attrs[i];

		buf_addf(out, "%s{\"key\":\"%s\",", i ? "," : "", a->key);
		if (a->is_number)
			buf_addf(out,
				 "\"type\":\"int64\",\"value\":%" PRIu64 "}",
				 a->number);
		else
			buf_addf(out, "\"type\":\"string\",\"value\":\"%s\"}",
				 a->text);
	}
}

static void jaeger_log(const struct made_span *s, struct buf *out)
{
	buf_addf(out,
		 "{\"timestamp\":%" PRIu64 ",\"fields\":[{\"key\":\"event\","
		 "\"type\":\"string\",\"value\":\"message.sent\"}]}",
		 event_ns(s) / NS_PER_US);
}

static void jaeger_head(struct trace_maker *m, const struct made_trace *t,
			const struct made_span *s, struct buf *out)
{
	const struct made_span *parent = parent_of(m, s);
	char name[SPAN_NAME_BYTES];

	made_span_name(m->spans.kind, s, name);
	buf_addf(out,
		 "{\"traceID\":\"%016" PRIx64 "%016" PRIx64
		 "\",\"spanID\":\"%016" PRIx64
		 "\",\"flags\":1,\"operationName\":\"%s\",\"references\":[",
		 t->id[0], t->id[1], s->id, name);
	if (parent)
		buf_addf(out,
			 "{\"refType\":\"CHILD_OF\",\"traceID\":\"%016" PRIx64
			 "%016" PRIx64 "\",\"spanID\":\"%016" PRIx64 "\"}",
			 t->id[0], t->id[1], parent->id);
	buf_addf(out,
		 "],\"startTime\":%" PRIu64 ",\"duration\":%" PRIu64
		 ",\"tags\":[",
		 s->start_ns / NS_PER_US, s->duration_ns / NS_PER_US);
}

static void jaeger_span(struct trace_maker *m, const struct made_trace *t,
			const struct made_span *s, struct buf *out)
{
	struct made_attr attrs[ATTRS];

	fill_attrs(m->spans.kind, s, attrs);
	jaeger_head(m, t, s, out);
	jaeger_attrs(attrs, out);
	if (span_is_error(s))
		buf_add_text(out, ",{\"key\":\"error\",\"type\":\"bool\","
				  "\"value\":true}");
	buf_add_text(out, "],\"logs\":[");
	if (span_has_event(s))
		jaeger_log(s, out);
	buf_addf(out, "],\"processID\":\"p%u\",\"warnings\":null}",
		 s->service + 1u);
}

static void jaeger_processes(const struct trace_maker *m,
			     const struct made_trace *t, struct buf *out)
{
	const struct made_span *spans = &m->spans.batch.spans[t->first];
	bool is_used[SERVICES] = { false };
	const char *comma = "";

	for (uint32_t i = 0; i < t->count; i++)
		is_used[spans[i].service] = true;
	for (uint32_t i = 0; i < SERVICES; i++) {
		if (!is_used[i])
			continue;
		buf_addf(out,
			 "%s\"p%u\":{\"serviceName\":\"%s\",\"tags\":[{\"key\":"
			 "\"host.name\",\"type\":\"string\",\"value\":"
			 "\"node-%u\"}]}",
			 comma, i + 1, service_names[i], i);
		comma = ",";
	}
}

static void jaeger_trace(struct trace_maker *m, const struct made_trace *t,
			 struct buf *out)
{
	const struct made_span *spans = &m->spans.batch.spans[t->first];

	buf_addf(out,
		 "%s{\"traceID\":\"%016" PRIx64 "%016" PRIx64 "\",\"spans\":[",
		 m->groups++ ? "," : "", t->id[0], t->id[1]);
	for (uint32_t i = 0; i < t->count; i++) {
		if (i)
			buf_add_char(out, ',');
		jaeger_span(m, t, &spans[i], out);
	}
	buf_add_text(out, "],\"processes\":{");
	jaeger_processes(m, t, out);
	buf_add_text(out, "},\"warnings\":null}");
}

/* ---- all of it ---- */

struct trace_maker *trace_maker_new(enum trace_kind kind, uint32_t span_count,
				    enum trace_format format)
{
	struct trace_maker *m = mem_calloc(1, sizeof *m);

	if (!m)
		return NULL;
	m->format = format;
	spans_init(&m->spans, kind, span_count);
	buf_init(&m->value, MADE_BYTES);
	buf_init(&m->attr, MADE_BYTES);
	buf_init(&m->span, MADE_BYTES);
	buf_init(&m->group, MADE_BYTES);
	buf_init(&m->resource, MADE_BYTES);
	return m;
}

void trace_maker_free(struct trace_maker *m)
{
	if (!m)
		return;
	spans_release(&m->spans);
	buf_release(&m->value);
	buf_release(&m->attr);
	buf_release(&m->span);
	buf_release(&m->group);
	buf_release(&m->resource);
	mem_free(m);
}

static const char *const heads[] = {
	[OTLP_PB] = "",
	[OTLP_JSON] = "{\"resourceSpans\":[",
	[JAEGER_JSON] = "{\"data\":[",
};
#define JAEGER_TAIL "],\"total\":0,\"limit\":0,\"offset\":0,\"errors\":null}\n"
static const char *const tails[] = {
	[OTLP_PB] = "",
	[OTLP_JSON] = "]}\n",
	[JAEGER_JSON] = JAEGER_TAIL,
};

bool trace_maker_step(struct trace_maker *m, struct buf *out)
{
	if (m->is_ended)
		return false;
	if (!m->is_started)
		buf_add_text(out, heads[m->format]);
	m->is_started = true;
	if (!spans_next(&m->spans)) {
		buf_add_text(out, tails[m->format]);
		m->is_ended = true;
		return true;
	}
	if (m->format != JAEGER_JSON)
		put_batch(m, out);
	for (size_t t = 0;
	     m->format == JAEGER_JSON && t < m->spans.batch.trace_count; t++)
		jaeger_trace(m, &m->spans.batch.traces[t], out);
	return true;
}
