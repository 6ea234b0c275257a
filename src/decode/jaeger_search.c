/* SPDX-License-Identifier: Apache-2.0
 *
 * Jaeger's /api/v3/traces: OTLP JSON of many traces, whole and mixed, with
 * the same resources again and again. Only what a history needs is read.
 */
#include "decode/history_json.h"
#include "decode/otlp.h"
#include "decode/trace_json.h"

enum field {
	FIELD_ATTRIBUTES,
	FIELD_END,
	FIELD_ID,
	FIELD_KIND,
	FIELD_NAME,
	FIELD_PARENT,
	FIELD_RESOURCE,
	FIELD_SCOPES,
	FIELD_START,
	FIELD_STATUS,
	FIELD_TRACE_ID,
};

#define NAMES_END                                                              \
	{                                                                      \
		{ NULL, 0 }, 0                                                 \
	}

static void read_status(struct search_json *s)
{
	struct str key;

	if (!json_enter_nullable(s->r, JSON_OBJECT))
		return;
	while (json_next_key(s->r, &key))
		if (str_equal(key, STR("code")))
			s->facts.is_error =
				search_json_number(s) == OTLP_STATUS_ERROR;
		else
			json_skip(s->r);
}

struct span_ids {
	struct trace_id trace_id;
	uint64_t parent_id;
	uint64_t end_ns;
};

static void read_span_field(struct search_json *s, int field,
			    struct span_ids *ids)
{
	struct span_facts *f = &s->facts;

	switch (field) {
	case FIELD_TRACE_ID:
		search_json_trace_id(s, &ids->trace_id);
		break;
	case FIELD_ID:
		f->span_id = search_json_span_id(s);
		break;
	case FIELD_PARENT:
		ids->parent_id = search_json_span_id(s);
		break;
	case FIELD_NAME:
		facts_set(f, FACT_NAME, json_text_nullable(s->r));
		break;
	case FIELD_KIND:
		f->kind = otlp_kind(search_json_number(s));
		break;
	case FIELD_START:
		f->start_ns = search_json_number(s);
		break;
	case FIELD_END:
		ids->end_ns = search_json_number(s);
		break;
	case FIELD_ATTRIBUTES:
		search_json_attributes(s);
		break;
	case FIELD_STATUS:
		read_status(s);
		break;
	default:
		json_skip(s->r);
		break;
	}
}

static void store_span(struct search_json *s, const struct span_ids *ids)
{
	struct gather *g = &s->gather;
	struct span_facts *f = &s->facts;
	uint32_t trace;

	f->duration_ns =
		ids->end_ns > f->start_ns ? ids->end_ns - f->start_ns : 0;
	if (!search_json_stored(
		    s, gather_trace(g, &ids->trace_id, &trace, &s->err)))
		return;
	gather_extent(g, trace, f);
	if (ids->parent_id == 0)
		gather_root(g, trace, f->texts[FACT_SERVICE],
			    f->texts[FACT_NAME]);
	search_json_stored(s, gather_span(g, trace, f, &s->err));
}

static void read_span(struct search_json *s)
{
	static const struct json_name names[] = {
		JSON_NAME("traceId", FIELD_TRACE_ID),
		JSON_NAME("spanId", FIELD_ID),
		JSON_NAME("parentSpanId", FIELD_PARENT),
		JSON_NAME("name", FIELD_NAME),
		JSON_NAME("kind", FIELD_KIND),
		JSON_NAME("startTimeUnixNano", FIELD_START),
		JSON_NAME("endTimeUnixNano", FIELD_END),
		JSON_NAME("attributes", FIELD_ATTRIBUTES),
		JSON_NAME("status", FIELD_STATUS),
		NAMES_END,
	};
	struct span_ids ids = { .parent_id = 0 };
	struct str key;

	facts_clear_span(&s->facts);
	s->facts.scope = FACTS_SPAN;
	while (json_next_key(s->r, &key))
		read_span_field(s, trace_json_field(names, key), &ids);
	/* Left out when unspecified, which counts as internal. */
	s->facts.has_kind = true;
	if (!json_failed(s->r))
		store_span(s, &ids);
}

static void read_scope(struct search_json *s)
{
	struct str key;

	while (json_next_key(s->r, &key)) {
		if (!str_equal(key, STR("spans"))) {
			json_skip(s->r);
			continue;
		}
		if (!json_enter_nullable(s->r, JSON_ARRAY))
			continue;
		while (json_next_item(s->r))
			if (json_enter_nullable(s->r, JSON_OBJECT))
				read_span(s);
	}
}

static void read_scopes(struct search_json *s)
{
	if (!json_enter_nullable(s->r, JSON_ARRAY))
		return;
	while (json_next_item(s->r))
		if (json_enter_nullable(s->r, JSON_OBJECT))
			read_scope(s);
}

static void read_resource(struct search_json *s)
{
	struct str key;

	s->facts.scope = FACTS_PROCESS;
	if (!json_enter_nullable(s->r, JSON_OBJECT))
		return;
	while (json_next_key(s->r, &key))
		if (str_equal(key, STR("attributes")))
			search_json_attributes(s);
		else
			json_skip(s->r);
}

/* Spans that come before their resource wait for it. */
static void read_group(struct search_json *s)
{
	static const struct json_name names[] = {
		JSON_NAME("resource", FIELD_RESOURCE),
		JSON_NAME("scopeSpans", FIELD_SCOPES),
		NAMES_END,
	};
	bool has_resource = false;
	struct str key;

	facts_clear_process(&s->facts);
	buf_clear(&s->late);
	while (json_next_key(s->r, &key)) {
		int field = trace_json_field(names, key);

		if (field == FIELD_RESOURCE) {
			read_resource(s);
			has_resource = true;
		} else if (field == FIELD_SCOPES && has_resource) {
			read_scopes(s);
		} else if (field == FIELD_SCOPES && s->late.len == 0) {
			(void)!json_raw(s->r, &s->late);
		} else {
			json_skip(s->r);
		}
	}
	if (!json_failed(s->r))
		search_json_late(s, read_scopes);
}

static void read_groups(struct search_json *s)
{
	if (!json_enter_nullable(s->r, JSON_ARRAY))
		return;
	while (json_next_item(s->r))
		if (json_enter_nullable(s->r, JSON_OBJECT))
			read_group(s);
}

static void read_result(struct search_json *s)
{
	struct str key;

	if (!json_enter_nullable(s->r, JSON_OBJECT))
		return;
	while (json_next_key(s->r, &key))
		if (str_equal(key, STR("resourceSpans")))
			read_groups(s);
		else
			json_skip(s->r);
}

/* An error behind traces: the server stopped, and what came is a part. */
static void read_document(struct search_json *s)
{
	struct str key;

	if (!json_enter(s->r, JSON_OBJECT))
		return;
	while (json_next_key(s->r, &key)) {
		if (str_equal(key, STR("result"))) {
			read_result(s);
			continue;
		}
		if (str_equal(key, STR("error")))
			s->gather.is_sample = true;
		json_skip(s->r);
	}
}

bool decode_jaeger_search(struct str bytes, struct history *h,
			  const struct history_want *want, struct error *err)
{
	struct search_json s;

	if (!search_json_init(&s, bytes, h, want, err))
		return false;
	while (!json_at_end(s.r))
		read_document(&s);
	return search_json_finish(&s, "search answer", err);
}
