/* SPDX-License-Identifier: Apache-2.0
 *
 * Jaeger's older /api/traces, for releases without v3 and for imitations:
 * trace by trace, microseconds, processes behind the spans that name them.
 */
#include <string.h>

#include "base/num.h"
#include "decode/history_json.h"
#include "decode/trace_json.h"

enum field {
	FIELD_DURATION,
	FIELD_ID,
	FIELD_NAME,
	FIELD_PARENT,
	FIELD_PROCESS,
	FIELD_REFERENCES,
	FIELD_START,
	FIELD_TAGS,
	FIELD_TRACE_ID,
};

#define NAMES_END                                                              \
	{                                                                      \
		{ NULL, 0 }, 0                                                 \
	}

/* A process as it is needed here: its facts, one behind the other. */
struct process {
	struct str service;
	struct str instance;
	struct str version;
};

struct legacy {
	struct search_json s;
	struct arena arena; /* of the trace being read */
	struct map by_id;
	struct process *processes;
	size_t process_count, process_cap;
	struct trace_id trace_id; /* of the span read last */
};

/* ---- tags ---- */

/* Strings and booleans; "false" is the only boolean that matters. */
static void read_tag_value(struct search_json *s)
{
	bool value;

	buf_clear(&s->text);
	switch (json_peek(s->r)) {
	case JSON_STRING:
		buf_add_str(&s->text, json_text_nullable(s->r));
		break;
	case JSON_TRUE:
	case JSON_FALSE:
		if (json_bool(s->r, &value))
			buf_add_text(&s->text, value ? "true" : "false");
		break;
	default:
		json_skip(s->r);
		break;
	}
}

static void read_tag(struct search_json *s)
{
	struct attr_key name = { .len = 0 };
	struct str member, text;

	buf_clear(&s->text);
	while (json_next_key(s->r, &member))
		if (str_equal(member, STR("key"))) {
			text = json_text_nullable(s->r);
			name.len = text.len < sizeof name.text ? text.len : 0;
			memcpy(name.text, text.ptr, name.len);
		} else if (str_equal(member, STR("value"))) {
			read_tag_value(s);
		} else {
			json_skip(s->r);
		}
	search_json_text_set(s, attr_key_str(&name));
}

static void read_tags(struct search_json *s)
{
	if (!json_enter_nullable(s->r, JSON_ARRAY))
		return;
	while (json_next_item(s->r))
		if (json_enter_nullable(s->r, JSON_OBJECT))
			read_tag(s);
}

/* ---- processes ---- */

static bool process_add(struct legacy *l, struct str id)
{
	const struct span_facts *f = &l->s.facts;
	void *items = l->processes;
	struct process *p;
	uint32_t index;

	if (f->is_starved ||
	    !arena_reserve(&l->arena, &items, &l->process_cap,
			   l->process_count + 1, sizeof *l->processes))
		return false;
	l->processes = items;
	p = &l->processes[l->process_count];
	p->service = arena_str(&l->arena, f->texts[FACT_SERVICE]);
	p->instance = arena_str(&l->arena, facts_instance(f));
	p->version = arena_str(&l->arena, f->texts[FACT_VERSION]);
	return p->service.ptr && p->instance.ptr && p->version.ptr &&
	       map_insert(&l->by_id, id, (uint32_t)l->process_count++, &index);
}

static void read_process(struct legacy *l)
{
	struct search_json *s = &l->s;
	struct str key;

	facts_clear_process(&s->facts);
	s->facts.scope = FACTS_PROCESS;
	if (!json_enter_nullable(s->r, JSON_OBJECT))
		return;
	while (json_next_key(s->r, &key))
		if (str_equal(key, STR("serviceName")))
			facts_set(&s->facts, FACT_SERVICE,
				  json_text_nullable(s->r));
		else if (str_equal(key, STR("tags")))
			read_tags(s);
		else
			json_skip(s->r);
}

static void read_processes(struct legacy *l)
{
	struct str key;

	if (!json_enter_nullable(l->s.r, JSON_OBJECT))
		return;
	while (json_next_key(l->s.r, &key)) {
		key = arena_str(&l->arena, key);
		if (key.ptr)
			read_process(l);
		if (!key.ptr || !process_add(l, key))
			search_json_stored(&l->s,
					   arena_fail(&l->arena, "other traces",
						      &l->s.err));
	}
}

static void use_process(struct legacy *l, uint32_t index)
{
	struct span_facts *f = &l->s.facts;

	facts_clear_process(f);
	if (index == MAP_NONE)
		return;
	f->texts[FACT_SERVICE] = l->processes[index].service;
	f->texts[FACT_POD] = l->processes[index].instance;
	f->texts[FACT_VERSION] = l->processes[index].version;
}

/* ---- spans ---- */

/* A reference to a span of another trace is a link, no parent. */
static bool read_reference(struct legacy *l)
{
	struct trace_id id = { { 0 } };
	bool has_span = false;
	struct str key;

	while (json_next_key(l->s.r, &key))
		if (str_equal(key, STR("traceID")))
			search_json_trace_id(&l->s, &id);
		else if (str_equal(key, STR("spanID")))
			has_span = search_json_span_id(&l->s) != 0;
		else
			json_skip(l->s.r);
	return has_span &&
	       (trace_id_is_zero(&id) || trace_id_equal(&id, &l->trace_id));
}

static bool read_references(struct legacy *l)
{
	bool has_parent = false;

	if (!json_enter_nullable(l->s.r, JSON_ARRAY))
		return false;
	while (json_next_item(l->s.r))
		if (json_enter_nullable(l->s.r, JSON_OBJECT))
			has_parent |= read_reference(l);
	return has_parent;
}

static uint64_t read_us(struct search_json *s)
{
	uint64_t time_us = search_json_number(s);

	return time_us > INT64_MAX / NS_PER_US ? 0
					       : time_us * (uint64_t)NS_PER_US;
}

struct span_links {
	uint32_t process;
	bool has_parent;
};

static void read_span_field(struct legacy *l, int field,
			    struct span_links *links)
{
	struct search_json *s = &l->s;
	struct span_facts *f = &s->facts;

	switch (field) {
	case FIELD_TRACE_ID:
		search_json_trace_id(s, &l->trace_id);
		break;
	case FIELD_ID:
		f->span_id = search_json_span_id(s);
		break;
	case FIELD_PARENT:
		links->has_parent |= search_json_span_id(s) != 0;
		break;
	case FIELD_REFERENCES:
		links->has_parent |= read_references(l);
		break;
	case FIELD_NAME:
		facts_set(f, FACT_NAME, json_text_nullable(s->r));
		break;
	case FIELD_START:
		f->start_ns = read_us(s);
		break;
	case FIELD_DURATION:
		f->duration_ns = read_us(s);
		break;
	case FIELD_TAGS:
		f->scope = FACTS_TAGS;
		read_tags(s);
		break;
	case FIELD_PROCESS:
		links->process = map_find(&l->by_id, json_text_nullable(s->r));
		break;
	default:
		json_skip(s->r);
		break;
	}
}

static void store_span(struct legacy *l, const struct span_links *links)
{
	struct gather *g = &l->s.gather;
	struct span_facts *f = &l->s.facts;
	uint32_t trace;

	use_process(l, links->process);
	f->has_kind = true;
	if (!search_json_stored(
		    &l->s, gather_trace(g, &l->trace_id, &trace, &l->s.err)))
		return;
	gather_extent(g, trace, f);
	if (!links->has_parent)
		gather_root(g, trace, f->texts[FACT_SERVICE],
			    f->texts[FACT_NAME]);
	search_json_stored(&l->s, gather_span(g, trace, f, &l->s.err));
}

static void read_span(struct legacy *l)
{
	static const struct json_name names[] = {
		JSON_NAME("traceID", FIELD_TRACE_ID),
		JSON_NAME("spanID", FIELD_ID),
		JSON_NAME("parentSpanID", FIELD_PARENT),
		JSON_NAME("references", FIELD_REFERENCES),
		JSON_NAME("operationName", FIELD_NAME),
		JSON_NAME("startTime", FIELD_START),
		JSON_NAME("duration", FIELD_DURATION),
		JSON_NAME("tags", FIELD_TAGS),
		JSON_NAME("processID", FIELD_PROCESS),
		NAMES_END,
	};
	struct span_links links = { .process = MAP_NONE };
	struct str key;

	facts_clear_span(&l->s.facts);
	while (json_next_key(l->s.r, &key))
		read_span_field(l, trace_json_field(names, key), &links);
	if (!json_failed(l->s.r))
		store_span(l, &links);
}

/* The reader's view of a struct legacy: its first member. */
static void read_spans(struct search_json *s)
{
	struct legacy *l = (struct legacy *)s;

	if (!json_enter_nullable(s->r, JSON_ARRAY))
		return;
	while (json_next_item(s->r))
		if (json_enter_nullable(s->r, JSON_OBJECT))
			read_span(l);
}

/* ---- documents ---- */

/* Spans wait for the processes, which come behind them. */
static void read_trace(struct legacy *l)
{
	struct search_json *s = &l->s;
	struct str key;

	facts_clear_process(&s->facts); /* its texts lie there */
	arena_release(&l->arena);
	map_init(&l->by_id, &l->arena);
	l->processes = NULL;
	l->process_count = 0;
	l->process_cap = 0;
	buf_clear(&s->late);
	while (json_next_key(s->r, &key)) {
		if (str_equal(key, STR("traceID"))) {
			search_json_trace_id(s, &l->trace_id);
		} else if (str_equal(key, STR("processes"))) {
			read_processes(l);
		} else if (str_equal(key, STR("spans")) && s->late.len == 0) {
			(void)!json_raw(s->r, &s->late);
		} else {
			json_skip(s->r);
		}
	}
	if (!json_failed(s->r))
		search_json_late(s, read_spans);
}

static void read_document(struct legacy *l)
{
	struct search_json *s = &l->s;
	struct str key;

	if (!json_enter(s->r, JSON_OBJECT))
		return;
	while (json_next_key(s->r, &key)) {
		if (!str_equal(key, STR("data"))) {
			json_skip(s->r);
			continue;
		}
		if (!json_enter_nullable(s->r, JSON_ARRAY))
			continue;
		while (json_next_item(s->r))
			if (json_enter_nullable(s->r, JSON_OBJECT))
				read_trace(l);
	}
}

bool decode_jaeger_search_legacy(struct str bytes, struct history *h,
				 const struct history_want *want,
				 struct error *err)
{
	struct legacy l = { .process_count = 0 };
	bool is_stored;

	if (!search_json_init(&l.s, bytes, h, want, err))
		return false;
	arena_init(&l.arena, LIMIT_DECODE_HEAP_BYTES);
	read_document(&l);
	json_expect_end(l.s.r, "answer");
	is_stored = search_json_finish(&l.s, "search answer", err);
	arena_release(&l.arena);
	return is_stored;
}
