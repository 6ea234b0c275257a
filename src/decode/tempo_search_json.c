/* SPDX-License-Identifier: Apache-2.0
 *
 * Tempo's search answer in JSON: traces with the spans that matched.
 */
#include "base/num.h"
#include "decode/history_json.h"
#include "decode/trace_json.h"

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

#define NAMES_END                                                              \
	{                                                                      \
		{ NULL, 0 }, 0                                                 \
	}

static void read_span_field(struct search_json *s, int field)
{
	struct span_facts *f = &s->facts;

	switch (field) {
	case FIELD_ID:
		f->span_id = search_json_span_id(s);
		break;
	case FIELD_NAME:
		facts_set(f, FACT_NAME, json_text_nullable(s->r));
		break;
	case FIELD_START:
		f->start_ns = search_json_number(s);
		break;
	case FIELD_DURATION:
		f->duration_ns = search_json_number(s);
		break;
	case FIELD_ATTRIBUTES:
		search_json_attributes(s);
		break;
	default:
		json_skip(s->r);
		break;
	}
}

static void read_span(struct search_json *s)
{
	static const struct json_name names[] = {
		JSON_NAME("spanID", FIELD_ID),
		JSON_NAME("name", FIELD_NAME),
		JSON_NAME("startTimeUnixNano", FIELD_START),
		JSON_NAME("durationNanos", FIELD_DURATION),
		JSON_NAME("attributes", FIELD_ATTRIBUTES),
		NAMES_END,
	};
	uint32_t trace = (uint32_t)s->gather.trace_count - 1;
	struct str key;

	facts_clear_span(&s->facts);
	facts_clear_process(&s->facts);
	while (json_next_key(s->r, &key))
		read_span_field(s, trace_json_field(names, key));
	if (!json_failed(s->r))
		search_json_stored(
			s, gather_span(&s->gather, trace, &s->facts, &s->err));
}

/* Reads as many spans as the set lists; more may have matched. */
static void read_span_set(struct search_json *s)
{
	static const struct json_name names[] = {
		JSON_NAME("spans", FIELD_SPANS),
		JSON_NAME("matched", FIELD_MATCHED),
		NAMES_END,
	};
	uint64_t matched = 0, listed = 0;
	struct str key;

	if (!json_enter_nullable(s->r, JSON_OBJECT))
		return;
	while (json_next_key(s->r, &key)) {
		int field = trace_json_field(names, key);

		if (field == FIELD_MATCHED) {
			matched = search_json_number(s);
		} else if (field != FIELD_SPANS) {
			json_skip(s->r);
		} else if (json_enter_nullable(s->r, JSON_ARRAY)) {
			for (; json_next_item(s->r); listed++)
				if (json_enter_nullable(s->r, JSON_OBJECT))
					read_span(s);
		}
	}
	s->gather.is_sample |= matched > listed;
}

static void read_span_sets(struct search_json *s)
{
	if (!json_enter_nullable(s->r, JSON_ARRAY))
		return;
	while (json_next_item(s->r))
		read_span_set(s);
}

static bool is_wanted_text(struct str wanted, struct str text)
{
	return wanted.len == 0 || str_equal(wanted, text);
}

static void read_service_stats(struct search_json *s)
{
	uint64_t spans = 0, errors = 0;
	struct str key;

	if (!json_enter_nullable(s->r, JSON_OBJECT))
		return;
	while (json_next_key(s->r, &key))
		if (str_equal(key, STR("spanCount")))
			spans = search_json_number(s);
		else if (str_equal(key, STR("errorCount")))
			errors = search_json_number(s);
		else
			json_skip(s->r);
	gather_stats(&s->gather, (uint32_t)s->gather.trace_count - 1, spans,
		     errors);
}

static void read_stats(struct search_json *s)
{
	struct str key;

	if (!json_enter_nullable(s->r, JSON_OBJECT))
		return;
	while (json_next_key(s->r, &key))
		read_service_stats(s);
}

/* What a trace says of itself. */
struct found {
	bool has_root_service; /* as wanted */
	bool has_root_name;
	bool has_sets;
};

static void read_trace_field(struct search_json *s, int field,
			     struct gathered_trace *t, struct found *found)
{
	const struct history_want *want = s->gather.want;
	uint32_t trace = (uint32_t)s->gather.trace_count - 1;
	struct str text;

	switch (field) {
	case FIELD_ID:
		search_json_trace_id(s, &t->trace.id);
		break;
	case FIELD_ROOT_SERVICE:
		text = json_text_nullable(s->r);
		found->has_root_service =
			is_wanted_text(want->root_service, text);
		gather_root_service(&s->gather, trace, text);
		break;
	case FIELD_ROOT_NAME:
		text = json_text_nullable(s->r);
		found->has_root_name = is_wanted_text(want->root_name, text);
		gather_root_name(&s->gather, trace, text);
		break;
	case FIELD_STATS:
		read_stats(s);
		break;
	case FIELD_START:
		t->trace.start_ns = history_time(search_json_number(s));
		break;
	case FIELD_DURATION:
		t->trace.duration_ns = sat_mul_i64(
			history_time(search_json_number(s)), NS_PER_MS);
		break;
	case FIELD_SPAN_SETS:
		found->has_sets = true;
		read_span_sets(s);
		break;
	case FIELD_SPAN_SET:
		/* The first of spanSets again, and all that old servers give;
		 * which of the two is known at the end. */
		buf_clear(&s->late);
		(void)!json_raw(s->r, &s->late);
		break;
	default:
		json_skip(s->r);
		break;
	}
}

static void read_trace(struct search_json *s)
{
	static const struct json_name names[] = {
		JSON_NAME("traceID", FIELD_ID),
		JSON_NAME("rootServiceName", FIELD_ROOT_SERVICE),
		JSON_NAME("rootTraceName", FIELD_ROOT_NAME),
		JSON_NAME("startTimeUnixNano", FIELD_START),
		JSON_NAME("durationMs", FIELD_DURATION),
		JSON_NAME("spanSet", FIELD_SPAN_SET),
		JSON_NAME("spanSets", FIELD_SPAN_SETS),
		JSON_NAME("serviceStats", FIELD_STATS),
		NAMES_END,
	};
	const struct history_want *want = s->gather.want;
	struct found found = { want->root_service.len == 0,
			       want->root_name.len == 0, false };
	struct gathered_trace *t;
	struct str key;

	if (!search_json_stored(s, gather_trace_next(&s->gather, &s->err)))
		return;
	buf_clear(&s->late);
	/* Stays where it is: nothing is added while it is read. */
	t = &s->gather.traces[s->gather.trace_count - 1];
	while (json_next_key(s->r, &key))
		read_trace_field(s, trace_json_field(names, key), t, &found);
	t->has_root = found.has_root_service && found.has_root_name;
	if (!found.has_sets && !json_failed(s->r))
		search_json_late(s, read_span_set);
}

static void read_document(struct search_json *s)
{
	struct str key;

	if (!json_enter(s->r, JSON_OBJECT))
		return;
	while (json_next_key(s->r, &key)) {
		if (!str_equal(key, STR("traces"))) {
			json_skip(s->r);
			continue;
		}
		if (!json_enter_nullable(s->r, JSON_ARRAY))
			continue;
		while (json_next_item(s->r))
			if (json_enter_nullable(s->r, JSON_OBJECT))
				read_trace(s);
	}
}

bool decode_tempo_search_json(struct str bytes, struct history *h,
			      const struct history_want *want,
			      struct error *err)
{
	struct search_json s;

	if (!search_json_init(&s, bytes, h, want, err))
		return false;
	s.facts.scope = FACTS_TRACEQL;
	read_document(&s);
	json_expect_end(s.r, "answer");
	return search_json_finish(&s, "search answer", err);
}
