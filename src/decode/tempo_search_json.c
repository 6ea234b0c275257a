/* SPDX-License-Identifier: Apache-2.0
 *
 * Tempo's search answer in JSON: traces with the spans that matched.
 */
#include "base/num.h"
#include "base/timefmt.h"
#include "decode/formats.h"
#include "decode/otlp_json_value.h"

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

/* Of those that the answer holds so far. */
static uint32_t last_trace(const struct trace_json *t)
{
	return (uint32_t)t->to->gather->trace_count - 1;
}

static void read_span(struct trace_json *t)
{
	static const struct json_name names[] = {
		JSON_NAME("spanID", FIELD_ID),
		JSON_NAME("name", FIELD_NAME),
		JSON_NAME("startTimeUnixNano", FIELD_START),
		JSON_NAME("durationNanos", FIELD_DURATION),
		JSON_NAME("attributes", FIELD_ATTRIBUTES),
		NAMES_END,
	};
	struct taker *to = t->to;
	unsigned at = 0;
	struct str key;

	facts_clear_span(&to->facts);
	facts_clear_process(&to->facts);
	while (json_next_key(t->r, &key))
		read_span_field(t, trace_json_next_field(names, &at, key));
	if (!json_failed(t->r))
		trace_json_taken(t, gather_span(to->gather, last_trace(t),
						&to->facts, &t->err));
}

/* Reads as many spans as the set lists; more may have matched. */
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

/* What a trace says of itself. */
struct found {
	bool has_root_service; /* as wanted */
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
		/* The first of spanSets again, and all that old servers give;
		 * which of the two is known at the end. */
		trace_json_keep_late(t);
		break;
	default:
		json_skip(t->r);
		break;
	}
}

static void read_trace(struct trace_json *t)
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
	struct gather *g = t->to->gather;
	struct found found = { is_wanted_text(g->want->root_service, STR("")),
			       is_wanted_text(g->want->root_name, STR("")),
			       false };
	struct gathered_trace *trace;
	struct str key;

	if (!trace_json_taken(t, gather_trace_next(g, &t->err)))
		return;
	buf_clear(&t->late);
	/* Stays where it is: nothing is added while it is read. */
	trace = &g->traces[last_trace(t)];
	while (json_next_key(t->r, &key))
		read_trace_field(t, trace_json_field(names, key), &trace->trace,
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
