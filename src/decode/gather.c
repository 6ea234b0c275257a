/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/taker.h"

#include <string.h>

#include "base/instance.h"
#include "base/num.h"

/* ---- facts ---- */

/* Header of a stored value. */
struct attr_head {
	uint32_t key;
	uint32_t len;
};

/* Buffer limit, since a span may repeat a key. */
#define ATTRS_BYTES                                                            \
	(4 * HISTORY_KEYS * (HISTORY_VALUE_BYTES + sizeof(struct attr_head)))

void facts_init(struct span_facts *f)
{
	memset(f, 0, sizeof *f);
	for (size_t i = 0; i < FACT_TEXTS; i++)
		buf_init(&f->copies[i], LIMIT_STRING_BYTES);
	buf_init(&f->of_span, ATTRS_BYTES);
	buf_init(&f->of_process, ATTRS_BYTES);
}

void facts_release(struct span_facts *f)
{
	for (size_t i = 0; i < FACT_TEXTS; i++)
		buf_release(&f->copies[i]);
	buf_release(&f->of_span);
	buf_release(&f->of_process);
}

void facts_clear_span(struct span_facts *f)
{
	f->texts[FACT_NAME] = STR("");
	f->span_id = 0;
	f->parent_id = 0;
	f->profile_id = 0;
	f->start_ns = 0;
	f->duration_ns = 0;
	f->kind = SPAN_KIND_INTERNAL;
	f->has_kind = false;
	f->is_error = false;
	buf_clear(&f->of_span);
}

void facts_clear_process(struct span_facts *f)
{
	for (size_t i = 0; i < FACT_TEXTS; i++)
		if (i != FACT_NAME)
			f->texts[i] = STR("");
	buf_clear(&f->of_process);
}

#define OF_PROCESS (FACTS_TRACEQL | FACTS_PROCESS)
#define OF_SPAN (FACTS_TRACEQL | FACTS_SPAN)

static const struct {
	struct str key;
	enum fact fact;
	unsigned scopes;
} facts[] = {
	{ { "service.name", 12 }, FACT_SERVICE, OF_PROCESS },
	{ { INSTANCE_POD, sizeof INSTANCE_POD - 1 }, FACT_POD, OF_PROCESS },
	{ { INSTANCE_ID, sizeof INSTANCE_ID - 1 }, FACT_INSTANCE, OF_PROCESS },
	{ { INSTANCE_HOST, sizeof INSTANCE_HOST - 1 }, FACT_HOST, OF_PROCESS },
	{ { "service.version", 15 }, FACT_VERSION, OF_PROCESS },
	{ { "pyroscope.profile.id", 20 }, FACT_PROFILE, OF_SPAN },
	{ { "span:parentID", 13 }, FACT_PARENT, FACTS_TRACEQL },
	{ { "name", 4 }, FACT_NAME, FACTS_TRACEQL },
	{ { "kind", 4 }, FACT_KIND, FACTS_TRACEQL },
	{ { "status", 6 }, FACT_STATUS, FACTS_TRACEQL },
};

enum fact facts_find(const struct span_facts *f, struct str key)
{
	for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
		if ((facts[i].scopes & f->scope) &&
		    str_equal(facts[i].key, key))
			return facts[i].fact;
	return FACT_NONE;
}

static void set_text(struct span_facts *f, enum fact fact, struct str value)
{
	struct buf *copy = &f->copies[fact];

	if (f->has_lasting_texts) {
		f->texts[fact] =
			value.len > LIMIT_STRING_BYTES ? STR("") : value;
		return;
	}
	buf_clear(copy);
	buf_add_str(copy, value);
	f->is_starved |= copy->state == BUF_OUT_OF_MEMORY;
	f->texts[fact] = buf_str(copy);
}

void facts_set(struct span_facts *f, enum fact fact, struct str value)
{
	switch (fact) {
	case FACT_PROFILE:
		if (!parse_hex_u64(value, &f->profile_id))
			f->profile_id = 0;
		break;
	case FACT_PARENT:
		if (!parse_hex_u64(value, &f->parent_id))
			f->parent_id = 0;
		break;
	case FACT_KIND:
		f->has_kind = span_kind_parse(value, &f->kind);
		break;
	case FACT_STATUS:
		f->is_error |= str_equal_nocase(value, STR("error"));
		break;
	case FACT_NONE:
		break;
	default:
		set_text(f, fact, value);
		break;
	}
}

uint32_t facts_key(const struct span_facts *f, struct str key)
{
	return f->history ? history_key(f->history, key) : HISTORY_KEYS;
}

void facts_add_attr(struct span_facts *f, uint32_t key, struct str value)
{
	struct buf *attrs =
		f->scope == FACTS_PROCESS ? &f->of_process : &f->of_span;
	struct attr_head head = { key, (uint32_t)value.len };

	if (value.len > HISTORY_VALUE_BYTES ||
	    attrs->len + sizeof head + value.len > ATTRS_BYTES)
		return;
	buf_add(attrs, &head, sizeof head);
	buf_add_str(attrs, value);
	f->is_starved |= attrs->state == BUF_OUT_OF_MEMORY;
}

void facts_set_attrs(struct span_facts *f, struct buf *attrs, struct str held)
{
	buf_clear(attrs);
	buf_add_str(attrs, held);
	f->is_starved |= attrs->state == BUF_OUT_OF_MEMORY;
}

struct str facts_instance(const struct span_facts *f)
{
	if (f->texts[FACT_POD].len)
		return f->texts[FACT_POD];
	return f->texts[f->texts[FACT_INSTANCE].len ? FACT_INSTANCE
						    : FACT_HOST];
}

/* ---- gathering ---- */

void gather_init(struct gather *g, struct history *h,
		 const struct history_want *want)
{
	*g = (struct gather){ .history = h, .want = want };
	arena_init(&g->arena, LIMIT_DECODE_HEAP_BYTES);
	trace_id_map_init(&g->by_id, &g->arena);
}

static bool gather_fail(const struct gather *g, struct error *err)
{
	return arena_fail(&g->arena, "other traces", err);
}

static bool trace_append(struct gather *g, const struct trace_id *id,
			 struct error *err)
{
	void *items = g->traces;

	if (!arena_reserve(&g->arena, &items, &g->trace_cap, g->trace_count + 1,
			   sizeof *g->traces))
		return gather_fail(g, err);
	g->traces = items;
	g->traces[g->trace_count] = (struct gathered_trace){ .trace.id = *id };
	g->trace_count++;
	return true;
}

bool gather_trace(struct gather *g, const struct trace_id *id, uint32_t *index,
		  struct error *err)
{
	struct trace_id *known;

	*index = trace_id_map_find(&g->by_id, id);
	known = *index == MAP_NONE ? NULL : &g->traces[*index].trace.id;
	if (known && trace_id_is_same(known, id)) {
		if (!trace_id_is_half(known) || trace_id_is_half(id))
			return true;
		*known = *id;
		return trace_id_map_insert(&g->by_id, id, *index) ||
		       gather_fail(g, err);
	}
	*index = (uint32_t)g->trace_count;
	if (!trace_id_map_insert(&g->by_id, id, *index))
		return gather_fail(g, err);
	return trace_append(g, id, err);
}

bool gather_trace_next(struct gather *g, struct error *err)
{
	static const struct trace_id none;

	return trace_append(g, &none, err);
}

/* Copies the text into the arena unless it is equal already. */
static void gather_keep(struct gather *g, struct str *at, struct str text)
{
	if (str_equal(*at, text))
		return;
	*at = arena_str(&g->arena, text);
	g->is_starved |= !at->ptr;
}

/* Removes Tempo's placeholder for a trace without a root. */
static struct str without_placeholder(struct str service)
{
	return str_equal(service, STR("<root span not yet received>"))
		       ? STR("")
		       : service;
}

/* Returns whether roots are needed, to tell who is affected by slow spans. */
static bool keeps_roots(const struct gather *g)
{
	return g->want->hits ||
	       g->history->windows[g->want->window].slow_operation !=
		       OPERATION_NONE;
}

void gather_root(struct gather *g, uint32_t trace, struct str service,
		 struct str name)
{
	const struct history_want *want = g->want;

	if (keeps_roots(g)) {
		struct gathered_trace *t = &g->traces[trace];
		bool is_known = t->hit.root_service.len || t->hit.root_name.len;

		if (!is_known || t->last_start_ns < t->root_start_ns) {
			t->root_start_ns = t->last_start_ns;
			gather_keep(g, &t->hit.root_service,
				    without_placeholder(service));
			gather_keep(g, &t->hit.root_name, name);
		}
	}

	if ((want->root_service.len == 0 ||
	     str_equal(want->root_service, service)) &&
	    (want->root_name.len == 0 || str_equal(want->root_name, name)))
		g->traces[trace].has_root = true;
}

void gather_root_service(struct gather *g, uint32_t trace, struct str service)
{
	if (keeps_roots(g))
		gather_keep(g, &g->traces[trace].hit.root_service,
			    without_placeholder(service));
}

void gather_root_name(struct gather *g, uint32_t trace, struct str name)
{
	if (keeps_roots(g))
		gather_keep(g, &g->traces[trace].hit.root_name, name);
}

/* A span whose end is before its start has a duration near 2^64. */
int64_t history_time(uint64_t time_ns)
{
	return time_ns > INT64_MAX ? 0 : (int64_t)time_ns;
}

static uint32_t add_count(uint32_t count, uint64_t more)
{
	return more > UINT32_MAX - count ? UINT32_MAX : count + (uint32_t)more;
}

void gather_stats(struct gather *g, uint32_t trace, uint64_t spans,
		  uint64_t errors)
{
	struct hit *hit = &g->traces[trace].hit;

	hit->span_count = add_count(hit->span_count, spans);
	hit->error_count = add_count(hit->error_count, errors);
}

void gather_stats_forget(struct gather *g, uint32_t trace)
{
	g->traces[trace].hit.span_count = 0;
	g->traces[trace].hit.error_count = 0;
}

void gather_extent(struct gather *g, uint32_t trace, const struct span_facts *f)
{
	struct gathered_trace *t = &g->traces[trace];
	int64_t start = history_time(f->start_ns);
	int64_t end = sat_add_i64(start, history_time(f->duration_ns));

	t->last_start_ns = start ? start : INT64_MAX;
	/* A span without a start says nothing about the trace. */
	if (start && (!t->has_extent || start < t->trace.start_ns))
		t->trace.start_ns = start;
	if (start && (!t->has_extent || end > t->end_ns))
		t->end_ns = end;
	t->has_extent |= start != 0;
	gather_stats(g, trace, 1, f->is_error);
	t->trace.duration_ns = sat_sub_i64(t->end_ns, t->trace.start_ns);
}

/* Returns the last span stored, NULL if none: consecutive spans are often of
 * one process and operation. */
static const struct history_span *last_span(const struct gather *g)
{
	return g->span_count ? &g->spans[g->span_count - 1] : NULL;
}

/* Without a kind in the response, the server has checked it. */
static uint32_t find_operation(const struct gather *g,
			       const struct span_facts *f)
{
	struct str service = f->texts[FACT_SERVICE];
	struct str name = f->texts[FACT_NAME];
	const struct history_span *last = last_span(g);
	const struct history *h = g->history;

	if (last && f->has_kind &&
	    h->operations[last->operation].kind == f->kind &&
	    operation_is_named(&h->operations[last->operation], service, name))
		return last->operation;
	if (f->has_kind)
		return history_operation(h, service, name, f->kind);
	for (uint32_t i = 0; i < h->operation_count; i++)
		if (operation_is_named(&h->operations[i], service, name))
			return i;
	return OPERATION_NONE;
}

/* Interns a text, which `last` may be already. */
static bool set_symbol(struct gather *g, struct str text, uint32_t last,
		       uint32_t *symbol, struct error *err)
{
	*symbol = last;
	return (last && str_equal(history_text(g->history, last), text)) ||
	       history_symbol(g->history, text, symbol, err);
}

static bool add_attrs(struct gather *g, const struct buf *attrs,
		      struct history_span *span, struct error *err)
{
	struct str left = buf_str(attrs);
	struct attr_head head;

	while (left.len >= sizeof head) {
		struct str value;

		memcpy(&head, left.ptr, sizeof head);
		value = str_slice(left, sizeof head, head.len);
		left = str_slice(left, sizeof head + head.len, left.len);
		if (!history_add_attr(g->history, span, head.key, value, err))
			return false;
	}
	return true;
}

/* Returns whether a text matches; one that the server did not return, it has
 * checked. */
static bool text_fits(struct str wanted, struct str text)
{
	return !wanted.len || !text.len || str_equal(wanted, text);
}

static void match_span(struct gather *g, uint32_t trace,
		       const struct span_facts *f)
{
	const struct hit_want *want = g->want->hit_want;
	struct gathered_trace *t = &g->traces[trace];
	int64_t duration_ns = history_time(f->duration_ns);

	if (!text_fits(want->service, f->texts[FACT_SERVICE]) ||
	    !text_fits(want->name, f->texts[FACT_NAME]) ||
	    (want->is_error && !f->is_error))
		return;
	if (t->has_match && duration_ns <= t->hit.span_ns)
		return;
	t->has_match = true;
	t->hit.span_ns = duration_ns;
	gather_keep(g, &t->hit.service, f->texts[FACT_SERVICE]);
	gather_keep(g, &t->hit.name, f->texts[FACT_NAME]);
}

bool gather_span(struct gather *g, uint32_t trace, const struct span_facts *f,
		 struct error *err)
{
	struct history_span span = {
		.trace = trace,
		.span_id = f->span_id,
		.parent_id = f->parent_id,
		.profile_id = f->profile_id,
		.start_ns = history_time(f->start_ns),
		.duration_ns = history_time(f->duration_ns),
		.is_error = f->is_error,
	};
	const struct history_span *last = last_span(g);
	void *items = g->spans;

	if (f->is_starved)
		return error_memory(err, "other traces");
	if (g->want->hits) {
		match_span(g, trace, f);
		return true;
	}
	span.operation = find_operation(g, f);
	if (span.operation == OPERATION_NONE &&
	    !history_learn(g->history, f->texts[FACT_SERVICE],
			   f->texts[FACT_NAME], f->kind, &span.operation, err))
		return false;
	if (span.operation == OPERATION_NONE)
		return true;
	if (g->span_count >= LIMIT_HISTORY_SPANS) {
		g->is_sample = true;
		return true;
	}
	if (!set_symbol(g, facts_instance(f), last ? last->instance : 0,
			&span.instance, err) ||
	    !set_symbol(g, f->texts[FACT_VERSION], last ? last->version : 0,
			&span.version, err) ||
	    !add_attrs(g, &f->of_process, &span, err) ||
	    !add_attrs(g, &f->of_span, &span, err))
		return false;
	if (!arena_reserve(&g->arena, &items, &g->span_cap, g->span_count + 1,
			   sizeof *g->spans))
		return gather_fail(g, err);
	g->spans = items;
	g->spans[g->span_count++] = span;
	return true;
}

/* Links the spans of each trace: the history takes them trace by trace. */
static bool gather_store(struct gather *g, struct error *err)
{
	const struct history_want *want = g->want;
	uint32_t window = want->window;
	uint32_t *first, *next;

	first = arena_array(&g->arena, g->trace_count + 1, sizeof *first);
	next = arena_array(&g->arena, g->span_count + 1, sizeof *next);
	if (!first || !next)
		return gather_fail(g, err);
	for (size_t i = g->span_count; i-- > 0;) {
		next[i] = first[g->spans[i].trace];
		first[g->spans[i].trace] = (uint32_t)i + 1;
	}
	for (size_t i = 0; i < g->trace_count; i++) {
		struct gathered_trace *t = &g->traces[i];

		if (want->except &&
		    trace_id_is_same(want->except, &t->trace.id))
			continue;
		if (!t->has_root &&
		    (want->root_service.len || want->root_name.len))
			continue;
		if (!history_symbol(g->history, t->hit.root_service,
				    &t->trace.root_service, err) ||
		    !history_symbol(g->history, t->hit.root_name,
				    &t->trace.root_name, err) ||
		    !history_add_trace(g->history, window, &t->trace, err))
			return false;
		for (uint32_t at = first[i]; at; at = next[at - 1])
			if (!history_add_span(g->history, window,
					      &g->spans[at - 1], err))
				return false;
	}
	return true;
}

static bool store_hits(struct gather *g, struct error *err)
{
	const struct hit_want *want = g->want->hit_want;
	int64_t slack_ns = want->is_by_span ? 0 : want->slack_ns;

	for (size_t i = 0; i < g->trace_count; i++) {
		const struct gathered_trace *t = &g->traces[i];
		struct hit hit = t->hit;

		hit.id = t->trace.id;
		hit.start_ns = t->trace.start_ns;
		hit.trace_ns = t->trace.duration_ns;
		/* Without a root, the span is the only description. */
		if (!want->has_span && hit.root_name.len)
			hit.service = hit.name = STR("");
		hit.duration_ns = want->is_by_span ? hit.span_ns : hit.trace_ns;
		if ((t->has_match || !(want->is_by_span || want->must_match)) &&
		    sat_add_i64(hit.duration_ns, slack_ns) >=
			    want->min_duration_ns &&
		    hit.start_ns < want->range.to_ns &&
		    sat_add_i64(hit.start_ns, hit.trace_ns) >=
			    want->range.from_ns &&
		    !hits_add(g->want->hits, &hit, err))
			return false;
	}
	g->want->hits->answer_count = g->trace_count;
	return true;
}

static bool finish_window(struct gather *g, bool is_read, struct error *err)
{
	struct history_window *w = &g->history->windows[g->want->window];
	uint32_t traces_before = w->trace_count, spans_before = w->span_count;
	bool is_stored = is_read && gather_store(g, err);

	if (is_stored) {
		w->is_sample |=
			g->is_sample || g->trace_count >= g->want->trace_limit;
		w->is_answered = true;
		history_finish_window(g->history, g->want->window);
	} else {
		/* Restores the window, which may contain results of another
		 * response. */
		w->trace_count = traces_before;
		w->span_count = spans_before;
	}
	arena_release(&g->arena);
	return is_stored;
}

bool gather_finish(struct gather *g, bool is_read, struct error *err)
{
	if (!g->want->hits)
		return finish_window(g, is_read, err);
	if (is_read)
		is_read = g->is_starved ? gather_fail(g, err)
					: store_hits(g, err);
	arena_release(&g->arena);
	return is_read;
}
