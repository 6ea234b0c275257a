/* SPDX-License-Identifier: Apache-2.0 */
#include "base/bytes.h"
#include "base/num.h"
#include "base/timefmt.h"
#include "decode/formats.h"
#include "decode/otlp.h"
#include "decode/taker.h"
#include "decode/values.h"
#include "decode/wire.h"

/* Tempo search responses in JSON: traces with the spans that matched. */

enum field {
	FIELD_ATTRIBUTES,
	FIELD_DURATION,
	FIELD_ID,
	FIELD_MATCHED,
	FIELD_NAME,
	FIELD_ROOT_NAME,
	FIELD_ROOT_SERVICE,
	FIELD_SPANS,
	FIELD_SPAN_SET,
	FIELD_SPAN_SETS,
	FIELD_START,
	FIELD_STATS,
};

static void read_span_field(struct trace_json *t, int field)
{
	struct span_facts *f = &t->to->facts;

	switch (field) {
	case FIELD_ID:
		f->span_id = trace_json_span_id(t);
		break;
	case FIELD_NAME:
		facts_set(f, FACT_NAME, json_text_nullable(t->r));
		break;
	case FIELD_START:
		f->start_ns = json_u64_capped(t->r);
		break;
	case FIELD_DURATION:
		f->duration_ns = json_u64_capped(t->r);
		break;
	case FIELD_ATTRIBUTES:
		otlp_json_attributes(t);
		break;
	default:
		json_skip(t->r);
		break;
	}
}

/* Returns the last trace in the response so far. */
static uint32_t last_trace(const struct trace_json *t)
{
	return (uint32_t)t->to->gather->trace_count - 1;
}

static struct json_fields span_fields = JSON_FIELDS(
	JSON_NAME("spanID", FIELD_ID), JSON_NAME("name", FIELD_NAME),
	JSON_NAME("startTimeUnixNano", FIELD_START),
	JSON_NAME("durationNanos", FIELD_DURATION),
	JSON_NAME("attributes", FIELD_ATTRIBUTES));

static void read_span(struct trace_json *t)
{
	struct taker *to = t->to;
	struct str key;

	facts_clear_span(&to->facts);
	facts_clear_process(&to->facts);
	while (json_next_key(t->r, &key))
		read_span_field(t, json_field(&span_fields, key));
	if (!json_failed(t->r))
		trace_json_taken(t, gather_span(to->gather, last_trace(t),
						&to->facts, &t->err));
}

/* Reads the spans listed in a set; more may have matched. */
static void read_span_set(struct trace_json *t)
{
	uint64_t matched = 0, listed = 0;
	struct str key;

	if (!json_enter_nullable(t->r, JSON_OBJECT))
		return;
	while (json_next_key(t->r, &key))
		if (str_equal(key, STR("matched")))
			matched = json_u64_capped(t->r);
		else if (!str_equal(key, STR("spans")))
			json_skip(t->r);
		else if (json_enter_nullable(t->r, JSON_ARRAY))
			for (; json_next_object(t->r); listed++)
				read_span(t);
	t->to->gather->is_sample |= matched > listed;
}

static void read_service_stats(struct trace_json *t)
{
	uint64_t spans = 0, errors = 0;
	struct str key;

	if (!json_enter_nullable(t->r, JSON_OBJECT))
		return;
	while (json_next_key(t->r, &key))
		if (str_equal(key, STR("spanCount")))
			spans = json_u64_capped(t->r);
		else if (str_equal(key, STR("errorCount")))
			errors = json_u64_capped(t->r);
		else
			json_skip(t->r);
	gather_stats(t->to->gather, last_trace(t), spans, errors);
}

/* A trace in the response. */
struct found {
	bool has_root_service; /* as requested */
	bool has_root_name;
	bool has_sets;
};

static bool is_wanted_text(struct str wanted, struct str text)
{
	return wanted.len == 0 || str_equal(wanted, text);
}

static void read_trace_field(struct trace_json *t, int field,
			     struct history_trace *trace, struct found *found)
{
	struct gather *g = t->to->gather;
	struct str text;

	switch (field) {
	case FIELD_ID:
		trace_json_trace_id(t, &trace->id);
		break;
	case FIELD_ROOT_SERVICE:
		text = json_text_nullable(t->r);
		found->has_root_service =
			is_wanted_text(g->want->root_service, text);
		gather_root_service(g, last_trace(t), text);
		break;
	case FIELD_ROOT_NAME:
		text = json_text_nullable(t->r);
		found->has_root_name = is_wanted_text(g->want->root_name, text);
		gather_root_name(g, last_trace(t), text);
		break;
	case FIELD_STATS:
		if (json_enter_nullable(t->r, JSON_OBJECT))
			while (json_next_key(t->r, &text))
				read_service_stats(t);
		break;
	case FIELD_START:
		trace->start_ns = history_time(json_u64_capped(t->r));
		break;
	case FIELD_DURATION:
		trace->duration_ns = sat_mul_i64(
			history_time(json_u64_capped(t->r)), NS_PER_MS);
		break;
	case FIELD_SPAN_SETS:
		found->has_sets = true;
		if (json_enter_nullable(t->r, JSON_ARRAY))
			while (json_next_item(t->r))
				read_span_set(t);
		break;
	case FIELD_SPAN_SET:
		/* Repeats the first of spanSets, and is the only one of old
		 * servers; which is known at the end. */
		trace_json_keep_late(t);
		break;
	default:
		json_skip(t->r);
		break;
	}
}

static struct json_fields trace_fields = JSON_FIELDS(
	JSON_NAME("traceID", FIELD_ID),
	JSON_NAME("rootServiceName", FIELD_ROOT_SERVICE),
	JSON_NAME("rootTraceName", FIELD_ROOT_NAME),
	JSON_NAME("startTimeUnixNano", FIELD_START),
	JSON_NAME("durationMs", FIELD_DURATION),
	JSON_NAME("spanSet", FIELD_SPAN_SET),
	JSON_NAME("spanSets", FIELD_SPAN_SETS),
	JSON_NAME("serviceStats", FIELD_STATS));

static void read_trace(struct trace_json *t)
{
	struct gather *g = t->to->gather;
	struct found found = { is_wanted_text(g->want->root_service, STR("")),
			       is_wanted_text(g->want->root_name, STR("")),
			       false };
	struct gathered_trace *trace;
	struct str key;

	if (!trace_json_taken(t, gather_trace_next(g, &t->err)))
		return;
	buf_clear(&t->late);
	/* Does not move, since nothing is added meanwhile. */
	trace = &g->traces[last_trace(t)];
	while (json_next_key(t->r, &key))
		read_trace_field(t, json_field(&trace_fields, key), &trace->trace,
				 &found);
	trace->has_root = found.has_root_service && found.has_root_name;
	if (!found.has_sets)
		trace_json_read_late(t, read_span_set);
}

static bool read_answer(struct feed *feed, struct taker *to, struct error *err)
{
	struct trace_json t;

	if (!trace_json_init(&t, feed, to, err))
		return false;
	t.has_short_ids = true;
	to->facts.scope = FACTS_TRACEQL;
	if (json_enter(t.r, JSON_OBJECT))
		while (json_next_named(t.r, STR("traces")))
			if (json_enter_nullable(t.r, JSON_ARRAY))
				while (json_next_object(t.r))
					read_trace(&t);
	json_expect_end(t.r, "answer");
	return trace_json_finish(&t, "search answer", err);
}

bool decode_tempo_search_json(struct str bytes, struct history *h,
			      const struct history_want *want,
			      struct error *err)
{
	return decode_search(read_answer, bytes, h, want, err);
}

/* Tempo search responses in protobuf (tempopb.SearchResponse): a third of the
 * JSON's size, and duplicated parts are skipped. */

/* Cache of attributes, since spans of a process repeat them: parsing each would
 * take a quarter of the time. */
#define MET_BITS 6u
#define MET_ATTRIBUTES (1u << MET_BITS)

struct met_attribute {
	struct str bytes; /* the encoded message */
	enum fact fact;
	uint32_t key; /* of the history, or HISTORY_KEYS */
	struct str value;
	/* The result of parsing it. */
	enum span_kind kind;
	bool has_kind;
};

struct search_pb {
	struct gather gather;
	struct span_facts facts;
	struct met_attribute met[MET_ATTRIBUTES]; /* see read_attribute() */
	struct value_text value;
	struct error err;
};

static bool flag_stored(struct wire *w, bool is_stored)
{
	return is_stored || wire_fail(w, "not stored");
}

static void pass_failure(struct wire *w, const struct wire *inner)
{
	if (!inner->failure)
		return;
	w->failure = inner->failure;
	w->failed_at = inner->failed_at;
}

/* Reads the message in f with `read`; failures are passed to the outer one. */
static void read_inner(struct search_pb *s, struct wire *w,
		       const struct wire_field *f,
		       void (*read)(struct search_pb *s, struct wire *w))
{
	struct wire inner = wire_inside(w, f);

	read(s, &inner);
	pass_failure(w, &inner);
}

/* Returns a value as text. */
static struct str read_value(struct search_pb *s, const struct wire_field *f)
{
	struct str text;

	if (f->tag == WIRE_TAG(1, WIRE_BYTES))
		return f->bytes;
	value_clear(&s->value);
	otlp_pb_scalar(&s->value, f);
	if (!value_check(&s->value, &text, &s->err))
		return STR("");
	text = arena_str(&s->gather.arena, text);
	s->facts.is_starved |= !text.ptr;
	return text.ptr ? text : STR("");
}

static void read_new_attribute(struct search_pb *s, struct wire *w,
			       struct met_attribute *out)
{
	struct wire_field value, f;
	struct wire inner;
	struct str key;

	out->bytes = w->bytes;
	out->value = STR("");
	if (otlp_pb_pair(w, &key, &value)) {
		inner = wire_inside(w, &value);
		while (wire_next(&inner, &f))
			if (f.tag == WIRE_TAG(1, WIRE_BYTES) ||
			    f.tag == WIRE_TAG(2, WIRE_VARINT) ||
			    f.tag == WIRE_TAG(3, WIRE_VARINT) ||
			    f.tag == WIRE_TAG(4, WIRE_FIXED64))
				out->value = read_value(s, &f);
		pass_failure(w, &inner);
	}
	out->fact = facts_find(&s->facts, key);
	out->key = facts_key(&s->facts, key);
}

static void read_attribute(struct search_pb *s, struct wire *w,
			   const struct wire_field *f)
{
	/* Selects the slot of an attribute by its length and the last bytes of
	 * its value. A slot holds the latest. */
	uint64_t end =
		f->bytes.len < sizeof end
			? 0
			: load_word(f->bytes.ptr + f->bytes.len - sizeof end);
	struct met_attribute *met =
		&s->met[(end + f->bytes.len) * 0x9E3779B97F4A7C15u >>
			(64 - MET_BITS)];

	if (!str_equal(met->bytes, f->bytes)) {
		struct wire inner = wire_inside(w, f);

		read_new_attribute(s, &inner, met);
		pass_failure(w, &inner);
		facts_set(&s->facts, met->fact, met->value);
		if (met->fact < FACT_TEXTS)
			met->value = s->facts.texts[met->fact];
		met->kind = s->facts.kind;
		met->has_kind = s->facts.has_kind;
	} else {
		/* As facts_set(), without clearing previous values. */
		if (met->fact < FACT_TEXTS) {
			s->facts.texts[met->fact] = met->value;
		} else if (met->fact == FACT_KIND) {
			s->facts.kind = met->kind;
			s->facts.has_kind = met->has_kind;
		} else {
			facts_set(&s->facts, met->fact, met->value);
		}
	}
	if (met->key < HISTORY_KEYS)
		facts_add_attr(&s->facts, met->key, met->value);
}

/* Span: spanID = 1, name = 2, start = 3, duration = 4, attributes = 5. */
static void read_pb_span(struct search_pb *s, struct wire *w)
{
	struct span_facts *facts = &s->facts;
	struct wire_field f;

	facts_clear_span(facts);
	facts_clear_process(facts);
	while (wire_next(w, &f))
		switch (f.tag) {
		case WIRE_TAG(1, WIRE_BYTES):
			if (!span_id_from_short_text(f.bytes, &facts->span_id))
				wire_fail(w, "not a span id");
			break;
		case WIRE_TAG(2, WIRE_BYTES):
			facts_set(facts, FACT_NAME, f.bytes);
			break;
		case WIRE_TAG(3, WIRE_VARINT):
			facts->start_ns = f.value;
			break;
		case WIRE_TAG(4, WIRE_VARINT):
			facts->duration_ns = f.value;
			break;
		case WIRE_TAG(5, WIRE_BYTES):
			read_attribute(s, w, &f);
			break;
		}
	if (!w->failure)
		flag_stored(w, gather_span(&s->gather,
					   (uint32_t)s->gather.trace_count - 1,
					   facts, &s->err));
}

/* SpanSet: spans = 1, matched = 2. */
static void read_pb_span_set(struct search_pb *s, struct wire *w)
{
	uint64_t matched = 0, listed = 0;
	struct wire_field f;

	while (wire_next(w, &f))
		if (f.tag == WIRE_TAG(1, WIRE_BYTES)) {
			read_inner(s, w, &f, read_pb_span);
			listed++;
		} else if (f.tag == WIRE_TAG(2, WIRE_VARINT)) {
			matched = f.value;
		}
	s->gather.is_sample |= matched > listed;
}

/* ServiceStats: spanCount = 1, errorCount = 2. */
static void read_counts(struct search_pb *s, struct wire *w)
{
	uint64_t spans = 0, errors = 0;
	struct wire_field f;

	while (wire_next(w, &f))
		if (f.tag == WIRE_TAG(1, WIRE_VARINT))
			spans = f.value;
		else if (f.tag == WIRE_TAG(2, WIRE_VARINT))
			errors = f.value;
	gather_stats(&s->gather, (uint32_t)s->gather.trace_count - 1, spans,
		     errors);
}

/* A map entry: service name = 1, counts = 2. */
static void read_stats(struct search_pb *s, struct wire *w)
{
	struct wire_field f;

	while (wire_next(w, &f))
		if (f.tag == WIRE_TAG(2, WIRE_BYTES))
			read_inner(s, w, &f, read_counts);
}

static void read_pb_trace_field(struct search_pb *s, struct wire *w,
				const struct wire_field *f,
				struct gathered_trace *t, struct str root[2])
{
	switch (f->tag) {
	case WIRE_TAG(1, WIRE_BYTES):
		if (!trace_id_from_short_text(f->bytes, &t->trace.id))
			wire_fail(w, "not a trace id");
		break;
	case WIRE_TAG(2, WIRE_BYTES):
		root[0] = f->bytes;
		break;
	case WIRE_TAG(3, WIRE_BYTES):
		root[1] = f->bytes;
		break;
	case WIRE_TAG(4, WIRE_VARINT):
		t->trace.start_ns = history_time(f->value);
		break;
	case WIRE_TAG(5, WIRE_VARINT):
		t->trace.duration_ns =
			sat_mul_i64(history_time(f->value), NS_PER_MS);
		break;
	case WIRE_TAG(7, WIRE_BYTES):
		read_inner(s, w, f, read_pb_span_set);
		break;
	case WIRE_TAG(8, WIRE_BYTES):
		read_inner(s, w, f, read_stats);
		break;
	default:
		break;
	}
}

/* TraceSearchMetadata: traceID = 1, rootServiceName = 2, rootTraceName = 3,
 * start = 4, durationMs = 5, spanSets = 7, serviceStats = 8; 6 repeats the
 * first spanSet (all releases with protobuf here have 7). */
static void read_pb_trace(struct search_pb *s, struct wire *w)
{
	struct str root[2] = { STR(""), STR("") };
	struct gathered_trace *t;
	struct wire_field f;

	if (!flag_stored(w, gather_trace_next(&s->gather, &s->err)))
		return;
	/* Does not move, since nothing is added meanwhile. */
	t = &s->gather.traces[s->gather.trace_count - 1];
	while (wire_next(w, &f))
		read_pb_trace_field(s, w, &f, t, root);
	gather_root(&s->gather, (uint32_t)s->gather.trace_count - 1, root[0],
		    root[1]);
}

bool decode_tempo_search_pb(struct str bytes, struct history *h,
			    const struct history_want *want, struct error *err)
{
	struct search_pb s = { .err.code = ERROR_NONE };
	struct wire_field f;
	struct wire w;
	bool is_read;

	gather_init(&s.gather, h, want);
	facts_init(&s.facts);
	s.facts.scope = FACTS_TRACEQL;
	s.facts.has_lasting_texts = true;
	s.facts.history = want->hits ? NULL : h;
	value_init(&s.value);
	for (size_t i = 0; i < MET_ATTRIBUTES; i++) {
		s.met[i].fact = FACT_NONE;
		s.met[i].key = HISTORY_KEYS;
	}
	wire_init(&w, bytes);
	while (wire_next(&w, &f))
		if (f.tag == WIRE_TAG(1, WIRE_BYTES))
			read_inner(&s, &w, &f, read_pb_trace);
	is_read = s.err.code == ERROR_NONE;
	if (!is_read)
		*err = s.err;
	else
		is_read = wire_check(&w, "search answer", err);
	facts_release(&s.facts);
	value_release(&s.value);
	return gather_finish(&s.gather, is_read, err);
}
