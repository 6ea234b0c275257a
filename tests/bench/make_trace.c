/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/jsonw.h"
#include "base/num.h"
#include "make_input.h"

#define SEED 20261122u
#define SERVICES 6
#define DEPTH_MAX 60
#define NO_PARENT UINT32_MAX
#define TRACE_START_NS 1700000000000000000u
/* Spans that an exporter sends together. */
#define BATCH 512u
#define ATTRS_MAX 10
#define TEXT_BYTES 160

/* As OTLP numbers them. */
enum kind { INTERNAL = 1, SERVER, CLIENT };

static const char trace_id[] = "5b8efff798038103d269b633813fc70c";
static const char *const services[SERVICES] = {
	"frontend", "checkout", "cart", "inventory", "pricing", "payment",
};
static const char *const scope_name =
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp";

struct made_span {
	uint64_t id;
	uint64_t start_ns;
	uint64_t length_ns;
	uint64_t filled_ns; /* of its length, by the children placed so far */
	uint32_t parent;
	uint32_t repeat; /* which of equal siblings */
	uint8_t service;
	uint8_t kind;
	uint8_t operation;
	uint8_t depth;
	bool is_query; /* a client without a server's side */
	bool is_error;
};

struct made_trace {
	struct arena arena;
	struct made_span *spans; /* a parent comes before its children */
	uint32_t count;
	uint64_t seed;
	uint32_t repeats_left; /* of the query at hand */
};

/* ---- the tree ---- */

/* Depth first: below the span before, beside it, or back up. */
static uint32_t choose_parent(struct made_trace *t, uint32_t i)
{
	const struct made_span *spans = t->spans;
	uint32_t at = i - 1;
	uint32_t dice = random_below(&t->seed, 100);
	bool may_descend = !spans[at].is_query && spans[at].depth < DEPTH_MAX;

	if (may_descend && dice < 60)
		return at;
	if (dice > 90)
		for (uint32_t up = random_below(&t->seed, 12); up; up--)
			if (spans[at].parent != NO_PARENT)
				at = spans[at].parent;
	return spans[at].parent == NO_PARENT ? at : spans[at].parent;
}

static void make_child(struct made_trace *t, uint32_t i)
{
	const struct made_span *p = &t->spans[t->spans[i].parent];
	struct made_span *s = &t->spans[i];
	uint32_t dice = random_below(&t->seed, 100);

	s->depth = (uint8_t)(p->depth + 1);
	s->operation = (uint8_t)random_below(&t->seed, 12);
	s->service = p->service;
	s->kind = INTERNAL;
	s->is_error = random_below(&t->seed, 50) == 0;
	if (p->kind == CLIENT) {
		s->kind = SERVER;
		s->operation = p->operation;
		s->service = (uint8_t)((p->service + 1 + p->operation % 5) %
				       SERVICES);
	} else if (dice < 55) {
		s->kind = CLIENT;
		s->is_query = dice < 25;
	}
	/* One query in twenty is asked in a loop. */
	if (s->is_query && random_below(&t->seed, 20) == 0)
		t->repeats_left = 20 + random_below(&t->seed, 200);
}

static void repeat_query(struct made_trace *t, uint32_t i)
{
	uint64_t id = t->spans[i].id;

	t->spans[i] = t->spans[i - 1];
	t->spans[i].id = id;
	t->spans[i].repeat++;
	t->repeats_left--;
}

/* Bottom up: a span lasts as long as its own work and its children's. */
static void set_lengths(struct made_trace *t)
{
	for (uint32_t i = t->count; i-- > 0;) {
		struct made_span *s = &t->spans[i];

		s->length_ns += 2000 + random_below(&t->seed, 400000);
		if (i)
			t->spans[s->parent].length_ns += s->length_ns + 500;
	}
}

/* Top down, one after the other; some begin together with the next. */
static void set_starts(struct made_trace *t)
{
	t->spans[0].start_ns = TRACE_START_NS;
	for (uint32_t i = 1; i < t->count; i++) {
		struct made_span *s = &t->spans[i];
		struct made_span *p = &t->spans[s->parent];

		s->start_ns = p->start_ns + 700 + p->filled_ns;
		if (random_below(&t->seed, 10))
			p->filled_ns += s->length_ns + 500;
	}
}

static bool trace_make(struct made_trace *t, uint32_t count)
{
	*t = (struct made_trace){ .count = count, .seed = SEED };
	arena_init(&t->arena, MADE_BYTES);
	t->spans = arena_array(&t->arena, count, sizeof *t->spans);
	if (!t->spans)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		t->spans[i].id = random_next(&t->seed);
		if (i == 0) {
			t->spans[i].kind = SERVER;
			t->spans[i].parent = NO_PARENT;
		} else if (t->repeats_left) {
			repeat_query(t, i);
		} else {
			t->spans[i].parent = choose_parent(t, i);
			make_child(t, i);
		}
	}
	set_lengths(t);
	set_starts(t);
	return true;
}

/* ---- what a span carries, in no encoding ---- */

struct made_attr {
	const char *key;
	bool is_number;
	uint64_t number;
	char text[TEXT_BYTES];
};

struct made_attrs {
	struct made_attr items[ATTRS_MAX];
	size_t count;
};

static void add_number(struct made_attrs *a, const char *key, uint64_t number)
{
	struct made_attr *attr = &a->items[a->count++];

	attr->key = key;
	attr->is_number = true;
	attr->number = number;
}

static PRINTF_LIKE(3, 4) void add_text(struct made_attrs *a, const char *key,
				       const char *format, ...)
{
	struct made_attr *attr = &a->items[a->count++];
	va_list args;

	attr->key = key;
	attr->is_number = false;
	va_start(args, format);
	vsnprintf(attr->text, sizeof attr->text, format, args);
	va_end(args);
}

static void http_attrs(const struct made_span *s, struct made_attrs *a)
{
	add_text(a, "http.request.method", s->operation % 3 ? "GET" : "POST");
	add_number(a, "http.response.status_code", s->is_error ? 500 : 200);
	add_text(a, "server.address", "%s-%u.prod.internal",
		 services[s->service], (unsigned)(s->id % 9));
	add_number(a, "server.port", 8080);
	if (s->kind == CLIENT) {
		add_text(a, "url.full", "http://upstream:8080/api/v1/op%u/%u",
			 s->operation, (unsigned)(s->id % 5000));
		return;
	}
	add_text(a, "http.route", "/api/v1/op%u/{id}", s->operation);
	add_text(a, "url.path", "/api/v1/op%u/%u", s->operation,
		 (unsigned)(s->id % 5000));
	add_text(a, "url.scheme", "http");
	add_text(a, "network.peer.address", "10.1.%u.%u",
		 (unsigned)(s->id % 200), (unsigned)(s->id / 200 % 200));
	add_text(a, "user_agent.original", "Go-http-client/1.1");
}

static void query_attrs(const struct made_span *s, struct made_attrs *a)
{
	add_text(a, "db.system", "postgresql");
	add_text(a, "db.name", "%s", services[s->service]);
	add_text(a, "db.operation", "SELECT");
	add_text(a, "db.statement",
		 "SELECT id, name, price, stock FROM items%u WHERE id = %u "
		 "AND region = 'eu-%u' ORDER BY id LIMIT 10",
		 s->operation, s->repeat + 1000, s->operation % 3);
	add_text(a, "server.address", "db-%u.prod.internal", s->service % 2);
	add_number(a, "server.port", 5432);
}

static void span_attrs(const struct made_span *s, struct made_attrs *a)
{
	a->count = 0;
	if (s->is_query) {
		query_attrs(s, a);
	} else if (s->kind != INTERNAL) {
		http_attrs(s, a);
	} else {
		add_text(a, "code.function", "handleStep%u", s->operation);
		add_text(a, "code.namespace", "shop/%s", services[s->service]);
		add_number(a, "thread.id", s->id % 64);
		add_text(a, "app.request", "%016" PRIx64, s->id);
	}
}

static void resource_attrs(unsigned service, struct made_attrs *a)
{
	a->count = 0;
	add_text(a, "service.name", "%s", services[service]);
	add_text(a, "service.version", "1.%u.0", service);
	add_text(a, "service.instance.id", "%s-7d4b9c-x2x%u", services[service],
		 service);
	add_text(a, "host.name", "node-%u", service);
	add_text(a, "k8s.pod.name", "%s-7d4b9c-x2x%u", services[service],
		 service);
	add_text(a, "deployment.environment", "prod");
	add_number(a, "process.pid", 1);
	add_text(a, "telemetry.sdk.language", "go");
	add_text(a, "telemetry.sdk.name", "opentelemetry");
	add_text(a, "telemetry.sdk.version", "1.31.0");
}

static void span_name(const struct made_span *s, char name[TEXT_BYTES])
{
	if (s->is_query)
		snprintf(name, TEXT_BYTES, "SELECT items%u", s->operation);
	else if (s->kind == INTERNAL)
		snprintf(name, TEXT_BYTES, "step %u", s->operation);
	else
		snprintf(name, TEXT_BYTES, "%s /api/v1/op%u/{id}",
			 s->operation % 3 ? "GET" : "POST", s->operation);
}

static bool has_event(const struct made_span *s)
{
	return s->id % 10 == 0;
}

/* ---- OTLP protobuf ---- */

struct pb_scratch {
	struct buf value, pair, span, scope, resource;
};

static void pb_attr(struct pb_scratch *p, struct buf *out, unsigned field,
		    const struct made_attr *a)
{
	buf_clear(&p->value);
	if (a->is_number)
		pb_number(&p->value, 3, a->number);
	else
		pb_text(&p->value, 1, a->text);
	buf_clear(&p->pair);
	pb_text(&p->pair, 1, a->key);
	pb_bytes(&p->pair, 2, buf_str(&p->value));
	pb_bytes(out, field, buf_str(&p->pair));
}

static void pb_id(struct buf *out, unsigned field, uint64_t id)
{
	char bytes[8];

	for (unsigned i = 0; i < sizeof bytes; i++)
		bytes[i] = (char)(id >> (56 - 8 * i));
	pb_bytes(out, field, (struct str){ bytes, sizeof bytes });
}

static void pb_trace_id(struct buf *out)
{
	unsigned char bytes[16];

	if (hex_decode(str_from(trace_id), bytes, sizeof bytes))
		pb_bytes(out, 1, (struct str){ (char *)bytes, sizeof bytes });
}

static void pb_event(struct pb_scratch *p, const struct made_span *s)
{
	struct made_attrs a = { .count = 0 };
	struct buf event;

	buf_init(&event, MADE_BYTES);
	add_number(&a, "message.uncompressed_size", s->id % 4096);
	pb_fixed64(&event, 1, s->start_ns + s->length_ns / 2);
	pb_text(&event, 2, "message.sent");
	pb_attr(p, &event, 3, &a.items[0]);
	pb_bytes(&p->span, 11, buf_str(&event));
	buf_release(&event);
}

static void pb_span(struct pb_scratch *p, const struct made_trace *t,
		    const struct made_span *s)
{
	struct made_attrs a;
	char name[TEXT_BYTES];

	buf_clear(&p->span);
	pb_trace_id(&p->span);
	pb_id(&p->span, 2, s->id);
	if (s->parent != NO_PARENT)
		pb_id(&p->span, 4, t->spans[s->parent].id);
	span_name(s, name);
	pb_text(&p->span, 5, name);
	pb_number(&p->span, 6, s->kind);
	pb_fixed64(&p->span, 7, s->start_ns);
	pb_fixed64(&p->span, 8, s->start_ns + s->length_ns);
	span_attrs(s, &a);
	for (size_t i = 0; i < a.count; i++)
		pb_attr(p, &p->span, 9, &a.items[i]);
	if (has_event(s))
		pb_event(p, s);
	buf_clear(&p->value);
	if (s->is_error)
		pb_number(&p->value, 3, 2);
	pb_bytes(&p->span, 15, buf_str(&p->value));
	pb_bytes(&p->scope, 2, buf_str(&p->span));
}

/* The spans of one service in one batch. */
static void pb_batch(struct pb_scratch *p, const struct made_trace *t,
		     uint32_t first, unsigned service, struct buf *out)
{
	struct made_attrs a;

	buf_clear(&p->scope);
	buf_clear(&p->value);
	pb_text(&p->value, 1, scope_name);
	pb_text(&p->value, 2, "0.56.0");
	pb_bytes(&p->scope, 1, buf_str(&p->value));
	for (uint32_t i = first; i < t->count && i - first < BATCH; i++)
		if (t->spans[i].service == service)
			pb_span(p, t, &t->spans[i]);
	resource_attrs(service, &a);
	buf_clear(&p->span);
	for (size_t i = 0; i < a.count; i++)
		pb_attr(p, &p->span, 1, &a.items[i]);
	buf_clear(&p->resource);
	pb_bytes(&p->resource, 1, buf_str(&p->span));
	pb_bytes(&p->resource, 2, buf_str(&p->scope));
	pb_bytes(out, 1, buf_str(&p->resource));
}

bool make_otlp_pb(uint32_t span_count, struct buf *out)
{
	struct made_trace t;
	struct pb_scratch p;
	struct buf *const all[] = { &p.value, &p.pair, &p.span, &p.scope,
				    &p.resource };
	bool done = trace_make(&t, span_count);

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		buf_init(all[i], MADE_BYTES);
	for (uint32_t i = 0; done && i < span_count; i += BATCH)
		for (unsigned service = 0; service < SERVICES; service++)
			pb_batch(&p, &t, i, service, out);
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		buf_release(all[i]);
	arena_release(&t.arena);
	return done;
}

/* ---- JSON ---- */

static PRINTF_LIKE(3, 4) void json_pair(struct jsonw *w, const char *key,
					const char *format, ...)
{
	char text[TEXT_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	jsonw_key(w, key);
	jsonw_text(w, text);
}

static void begin_object(struct jsonw *w, const char *key)
{
	jsonw_key(w, key);
	jsonw_object(w);
}

static void begin_array(struct jsonw *w, const char *key)
{
	jsonw_key(w, key);
	jsonw_array(w);
}

static void otlp_attrs(struct jsonw *w, const struct made_attrs *a)
{
	begin_array(w, "attributes");
	for (size_t i = 0; i < a->count; i++) {
		const struct made_attr *attr = &a->items[i];

		jsonw_object(w);
		json_pair(w, "key", "%s", attr->key);
		begin_object(w, "value");
		/* proto3 JSON writes 64-bit numbers as text. */
		if (attr->is_number)
			json_pair(w, "intValue", "%" PRIu64, attr->number);
		else
			json_pair(w, "stringValue", "%s", attr->text);
		jsonw_object_end(w);
		jsonw_object_end(w);
	}
	jsonw_array_end(w);
}

static void otlp_event(struct jsonw *w, const struct made_span *s)
{
	struct made_attrs a = { .count = 0 };

	begin_array(w, "events");
	jsonw_object(w);
	json_pair(w, "timeUnixNano", "%" PRIu64,
		  s->start_ns + s->length_ns / 2);
	json_pair(w, "name", "message.sent");
	add_number(&a, "message.uncompressed_size", s->id % 4096);
	otlp_attrs(w, &a);
	jsonw_object_end(w);
	jsonw_array_end(w);
}

static void otlp_span(struct jsonw *w, const struct made_trace *t,
		      const struct made_span *s)
{
	struct made_attrs a;
	char name[TEXT_BYTES];

	span_name(s, name);
	span_attrs(s, &a);
	jsonw_object(w);
	json_pair(w, "traceId", "%s", trace_id);
	json_pair(w, "spanId", "%016" PRIx64, s->id);
	if (s->parent != NO_PARENT)
		json_pair(w, "parentSpanId", "%016" PRIx64,
			  t->spans[s->parent].id);
	jsonw_key(w, "flags");
	jsonw_i64(w, 257);
	json_pair(w, "name", "%s", name);
	jsonw_key(w, "kind");
	jsonw_i64(w, s->kind);
	json_pair(w, "startTimeUnixNano", "%" PRIu64, s->start_ns);
	json_pair(w, "endTimeUnixNano", "%" PRIu64, s->start_ns + s->length_ns);
	otlp_attrs(w, &a);
	if (has_event(s))
		otlp_event(w, s);
	begin_object(w, "status");
	if (s->is_error) {
		jsonw_key(w, "code");
		jsonw_i64(w, 2);
	}
	jsonw_object_end(w);
	jsonw_object_end(w);
}

static void otlp_batch(struct jsonw *w, const struct made_trace *t,
		       uint32_t first, unsigned service)
{
	struct made_attrs a;

	resource_attrs(service, &a);
	jsonw_object(w);
	begin_object(w, "resource");
	otlp_attrs(w, &a);
	jsonw_object_end(w);
	begin_array(w, "scopeSpans");
	jsonw_object(w);
	begin_object(w, "scope");
	json_pair(w, "name", "%s", scope_name);
	json_pair(w, "version", "0.56.0");
	jsonw_object_end(w);
	begin_array(w, "spans");
	for (uint32_t i = first; i < t->count && i - first < BATCH; i++)
		if (t->spans[i].service == service)
			otlp_span(w, t, &t->spans[i]);
	jsonw_array_end(w);
	jsonw_object_end(w);
	jsonw_array_end(w);
	jsonw_object_end(w);
}

static void otlp_document(struct jsonw *w, const struct made_trace *t)
{
	jsonw_object(w);
	begin_array(w, "resourceSpans");
	for (uint32_t i = 0; i < t->count; i += BATCH)
		for (unsigned service = 0; service < SERVICES; service++)
			otlp_batch(w, t, i, service);
	jsonw_array_end(w);
	jsonw_object_end(w);
}

static void jaeger_tag(struct jsonw *w, const struct made_attr *a)
{
	jsonw_object(w);
	json_pair(w, "key", "%s", a->key);
	json_pair(w, "type", a->is_number ? "int64" : "string");
	if (a->is_number) {
		jsonw_key(w, "value");
		jsonw_i64(w, (int64_t)a->number);
	} else {
		json_pair(w, "value", "%s", a->text);
	}
	jsonw_object_end(w);
}

static void jaeger_tags(struct jsonw *w, const struct made_attrs *a)
{
	begin_array(w, "tags");
	for (size_t i = 0; i < a->count; i++)
		jaeger_tag(w, &a->items[i]);
}

static void jaeger_parent(struct jsonw *w, const struct made_trace *t,
			  const struct made_span *s)
{
	begin_array(w, "references");
	if (s->parent != NO_PARENT) {
		jsonw_object(w);
		json_pair(w, "refType", "CHILD_OF");
		json_pair(w, "traceID", "%s", trace_id);
		json_pair(w, "spanID", "%016" PRIx64, t->spans[s->parent].id);
		jsonw_object_end(w);
	}
	jsonw_array_end(w);
}

static void jaeger_log(struct jsonw *w, const struct made_span *s)
{
	struct made_attrs a = { .count = 0 };

	begin_array(w, "logs");
	if (has_event(s)) {
		jsonw_object(w);
		jsonw_key(w, "timestamp");
		jsonw_i64(w, (int64_t)((s->start_ns + s->length_ns / 2) / 1000));
		begin_array(w, "fields");
		add_text(&a, "event", "message.sent");
		jaeger_tag(w, &a.items[0]);
		jsonw_array_end(w);
		jsonw_object_end(w);
	}
	jsonw_array_end(w);
}

static void jaeger_span(struct jsonw *w, const struct made_trace *t,
			const struct made_span *s)
{
	static const char *const kinds[] = { "", "internal", "server",
					     "client" };
	struct made_attrs a, more = { .count = 0 };
	char name[TEXT_BYTES];

	span_name(s, name);
	span_attrs(s, &a);
	add_text(&more, "otel.scope.name", "%s", scope_name);
	add_text(&more, "span.kind", "%s", kinds[s->kind]);
	if (s->is_error)
		add_text(&more, "otel.status_code", "ERROR");
	jsonw_object(w);
	json_pair(w, "traceID", "%s", trace_id);
	json_pair(w, "spanID", "%016" PRIx64, s->id);
	json_pair(w, "operationName", "%s", name);
	jaeger_parent(w, t, s);
	jsonw_key(w, "startTime");
	jsonw_i64(w, (int64_t)(s->start_ns / 1000));
	jsonw_key(w, "duration");
	jsonw_i64(w, (int64_t)(s->length_ns / 1000));
	jaeger_tags(w, &a);
	for (size_t i = 0; i < more.count; i++)
		jaeger_tag(w, &more.items[i]);
	jsonw_array_end(w);
	jaeger_log(w, s);
	json_pair(w, "processID", "p%u", s->service + 1);
	jsonw_key(w, "warnings");
	jsonw_null(w);
	jsonw_object_end(w);
}

static void jaeger_processes(struct jsonw *w)
{
	struct made_attrs a;
	char key[8];

	begin_object(w, "processes");
	for (unsigned service = 0; service < SERVICES; service++) {
		snprintf(key, sizeof key, "p%u", service + 1);
		begin_object(w, key);
		json_pair(w, "serviceName", "%s", services[service]);
		resource_attrs(service, &a);
		jaeger_tags(w, &a);
		jsonw_array_end(w);
		jsonw_object_end(w);
	}
	jsonw_object_end(w);
}

static void jaeger_document(struct jsonw *w, const struct made_trace *t)
{
	jsonw_object(w);
	begin_array(w, "data");
	jsonw_object(w);
	json_pair(w, "traceID", "%s", trace_id);
	begin_array(w, "spans");
	for (uint32_t i = 0; i < t->count; i++)
		jaeger_span(w, t, &t->spans[i]);
	jsonw_array_end(w);
	jaeger_processes(w);
	jsonw_key(w, "warnings");
	jsonw_null(w);
	jsonw_object_end(w);
	jsonw_array_end(w);
	jsonw_object_end(w);
}

static bool make_json(void (*document)(struct jsonw *,
				       const struct made_trace *),
		      uint32_t span_count, struct buf *to)
{
	struct made_trace t;
	struct out out;
	struct jsonw w;
	bool done = trace_make(&t, span_count);

	out_init_memory(&out, to);
	jsonw_init(&w, &out, 0);
	if (done)
		document(&w, &t);
	out_release(&out);
	arena_release(&t.arena);
	return done;
}

bool make_otlp_json(uint32_t span_count, struct buf *out)
{
	return make_json(otlp_document, span_count, out);
}

bool make_jaeger_json(uint32_t span_count, struct buf *out)
{
	return make_json(jaeger_document, span_count, out);
}
