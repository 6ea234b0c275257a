/* SPDX-License-Identifier: Apache-2.0 */
#include "model/history.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/radix.h"

void history_init(struct history *h, const struct operation *operations,
		  uint32_t count)
{
	memset(h, 0, sizeof *h);
	arena_init(&h->arena, LIMIT_DECODE_HEAP_BYTES);
	h->operations = operations;
	h->operation_count = count;
	for (uint32_t i = 0; i < HISTORY_WINDOWS; i++)
		h->windows[i].slow_operation = OPERATION_NONE;
}

void history_init_service(struct history *h, struct str service)
{
	history_init(h, NULL, 0);
	h->service = service;
}

bool history_learn(struct history *h, struct str service, struct str name,
		   enum span_kind kind, uint32_t *operation, struct error *err)
{
	struct operation *all;

	*operation = OPERATION_NONE;
	if (!h->service.len || !str_equal(h->service, service) ||
	    (h->is_of_requests && !span_kind_is_request(kind)))
		return true;
	*operation = history_operation(h, service, name, kind);
	if (*operation != OPERATION_NONE ||
	    h->operation_count == HISTORY_LEARNED)
		return true;
	all = arena_array(&h->arena, h->operation_count + 1, sizeof *all);
	name = arena_str(&h->arena, name);
	if (!all || !name.ptr)
		return arena_fail(&h->arena, "other traces", err);
	if (h->operation_count)
		memcpy(all, h->operations, h->operation_count * sizeof *all);
	all[h->operation_count] = (struct operation){ h->service, name, kind };
	h->operations = all;
	*operation = h->operation_count++;
	return true;
}

void history_release(struct history *h)
{
	arena_release(&h->arena);
	memset(h, 0, sizeof *h);
}

struct str history_text(const struct history *h, uint32_t symbol)
{
	/* The table is created with the first text. */
	return h->symtab.table.arena ? symtab_text(&h->symtab, symbol)
				     : STR("");
}

bool history_symbol(struct history *h, struct str text, uint32_t *symbol,
		    struct error *err)
{
	*symbol = 0;
	if (text.len == 0)
		return true;
	return (h->symtab.table.arena ||
		symtab_init(&h->symtab, &h->arena, err)) &&
	       symtab_add(&h->symtab, text, symbol, err);
}

uint32_t history_operation(const struct history *h, struct str service,
			   struct str name, enum span_kind kind)
{
	for (uint32_t i = 0; i < h->operation_count; i++) {
		const struct operation *o = &h->operations[i];

		if (o->kind == kind && operation_is_named(o, service, name))
			return i;
	}
	return OPERATION_NONE;
}

uint32_t history_key(const struct history *h, struct str key)
{
	for (uint32_t i = 0; i < h->key_count; i++)
		if (str_equal(h->keys[i].name, key))
			return i;
	return HISTORY_KEYS;
}

static bool attr_append(struct history *h, struct history_span *span,
			struct history_attr attr, struct error *err)
{
	void *items = h->attrs;

	if (!arena_reserve(&h->arena, &items, &h->attr_cap,
			   (size_t)h->attr_count + 1, sizeof *h->attrs))
		return arena_fail(&h->arena, "other traces", err);
	h->attrs = items;
	if (!span->attr_count)
		span->attr_first = h->attr_count;
	h->attrs[h->attr_count++] = attr;
	span->attr_count++;
	return true;
}

bool history_add_attr(struct history *h, struct history_span *span,
		      uint32_t key, struct str value, struct error *err)
{
	struct history_attr attr = { .key = key };

	if (value.len > HISTORY_VALUE_BYTES ||
	    h->attr_count >= LIMIT_HISTORY_ATTRS)
		return true;
	if (!history_symbol(h, value, &attr.value, err))
		return false;
	for (uint32_t i = 0; i < span->attr_count; i++)
		if (h->attrs[span->attr_first + i].key == key) {
			h->attrs[span->attr_first + i].value = attr.value;
			return true;
		}
	return attr_append(h, span, attr, err);
}

uint32_t history_attr(const struct history *h, const struct history_span *span,
		      uint32_t key)
{
	for (uint32_t i = 0; i < span->attr_count; i++)
		if (h->attrs[span->attr_first + i].key == key)
			return h->attrs[span->attr_first + i].value;
	return 0;
}

bool history_add_trace(struct history *h, uint32_t window,
		       const struct history_trace *trace, struct error *err)
{
	struct history_window *w = &h->windows[window];
	void *items = w->traces;

	if (w->trace_count >= LIMIT_HISTORY_TRACES) {
		w->is_sample = true;
		return true;
	}
	if (!arena_reserve(&h->arena, &items, &w->trace_cap,
			   (size_t)w->trace_count + 1, sizeof *w->traces))
		return arena_fail(&h->arena, "other traces", err);
	w->traces = items;
	w->traces[w->trace_count++] = *trace;
	return true;
}

bool history_add_span(struct history *h, uint32_t window,
		      const struct history_span *span, struct error *err)
{
	struct history_window *w = &h->windows[window];
	void *items = w->spans;

	/* If the window is full, the trace of this span may have been
	 * dropped. */
	if (w->span_count >= LIMIT_HISTORY_SPANS || w->trace_count == 0 ||
	    (w->trace_count == LIMIT_HISTORY_TRACES && w->is_sample)) {
		w->is_sample = true;
		return true;
	}
	if (!arena_reserve(&h->arena, &items, &w->span_cap,
			   (size_t)w->span_count + 1, sizeof *w->spans))
		return arena_fail(&h->arena, "other traces", err);
	w->spans = items;
	w->spans[w->span_count] = *span;
	w->spans[w->span_count++].trace = w->trace_count - 1;
	return true;
}

/* ---- order ---- */

/* A trace's index before sorting. */
struct ranked_trace {
	struct history_trace trace;
	uint32_t before;
};

static int compare_ids(const struct trace_id *a, const struct trace_id *b)
{
	return memcmp(a->bytes, b->bytes, sizeof a->bytes);
}

static int compare_traces(const void *pa, const void *pb)
{
	const struct ranked_trace *a = pa, *b = pb;
	int order = compare_ids(&a->trace.id, &b->trace.id);

	if (order == 0)
		order = compare_i64(a->trace.start_ns, b->trace.start_ns);
	return order ? order : compare_u64(a->before, b->before);
}

static int compare_trace_starts(const void *pa, const void *pb)
{
	const struct ranked_trace *a = pa, *b = pb;
	int order = compare_i64(a->trace.start_ns, b->trace.start_ns);

	return order ? order : compare_ids(&a->trace.id, &b->trace.id);
}

/* Compares copies of a span, the longest first. */
static int compare_copies(const void *pa, const void *pb)
{
	const struct history_span *a = pa, *b = pb;
	int order = compare_u64(a->trace, b->trace);

	if (order == 0)
		order = compare_u64(a->span_id, b->span_id);
	if (order == 0)
		order = compare_u64(a->operation, b->operation);
	if (order == 0)
		order = compare_i64(b->duration_ns, a->duration_ns);
	return order ? order : compare_i64(a->start_ns, b->start_ns);
}

static int compare_spans(const void *pa, const void *pb)
{
	const struct history_span *a = pa, *b = pb;
	int order = compare_i64(a->start_ns, b->start_ns);

	if (order == 0)
		order = compare_u64(a->span_id, b->span_id);
	return order ? order : compare_copies(pa, pb);
}

/* Returns whether two spans may have the same id, in any traces and operations;
 * true also when out of memory, or if lookups take long: ids are untrusted. */
static bool may_have_copies(const struct history_window *w)
{
	uint64_t steps = 8 * (uint64_t)w->span_count;
	unsigned bits = 6;
	uint64_t *ids;
	bool is_new;

	/* A hash table of at least twice the count. */
	while ((uint64_t)1 << bits < 2 * (uint64_t)w->span_count)
		bits++;
	ids = mem_calloc((size_t)1 << bits, sizeof *ids);
	is_new = ids;

	for (uint32_t i = 0; is_new && i < w->span_count; i++) {
		uint64_t id = w->spans[i].span_id;
		uint64_t at = id * 0x9E3779B97F4A7C15u >> (64 - bits);

		if (!id)
			continue;
		while (ids[at] && ids[at] != id && --steps)
			at = (at + 1) & (((uint64_t)1 << bits) - 1);
		is_new = !ids[at];
		ids[at] = id;
	}
	mem_free(ids);
	return !is_new;
}

/* Merges traces of equal id into the one that starts first. merged[] maps old
 * indices to those in `traces`; returns the number left. */
static uint32_t merge_traces(struct ranked_trace *traces, uint32_t count,
			     uint32_t *merged)
{
	uint32_t kept = 0;

	qsort(traces, count, sizeof *traces, compare_traces);
	for (uint32_t i = 0; i < count; i++) {
		struct history_trace *last =
			kept ? &traces[kept - 1].trace : NULL;

		merged[traces[i].before] = kept;
		if (last && !compare_ids(&last->id, &traces[i].trace.id)) {
			merged[traces[i].before] = kept - 1;
			if (traces[i].trace.duration_ns > last->duration_ns)
				last->duration_ns = traces[i].trace.duration_ns;
			continue;
		}
		traces[kept] = traces[i];
		traces[kept].before = kept;
		kept++;
	}
	return kept;
}

static void map_spans(struct history_window *w, const uint32_t *map)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < w->span_count; i++) {
		struct history_span span = w->spans[i];

		span.trace = map[span.trace];
		if (span.trace != UINT32_MAX &&
		    time_range_has(w->range, span.start_ns))
			w->spans[kept++] = span;
	}
	w->span_count = kept;
}

static void store_traces(struct history_window *w, struct ranked_trace *traces,
			 uint32_t count, const bool *is_kept, uint32_t *map)
{
	uint32_t kept = 0;

	qsort(traces, count, sizeof *traces, compare_trace_starts);
	for (uint32_t i = 0; i < count; i++) {
		map[traces[i].before] = UINT32_MAX;
		if (!is_kept[traces[i].before] ||
		    !time_range_has(w->range, traces[i].trace.start_ns))
			continue;
		map[traces[i].before] = kept;
		w->traces[kept++] = traces[i].trace;
	}
	w->trace_count = kept;
}

/* Moves the spans, then sorts those with equal starts. */
static void place_spans(struct history_span *spans, uint32_t count,
			const struct radix_item *starts,
			struct history_span *room)
{
	uint32_t end;

	memcpy(room, spans, count * sizeof *room);
	for (uint32_t i = 0; i < count; i++)
		spans[i] = room[starts[i].index];
	for (uint32_t i = 0; i < count; i = end) {
		for (end = i + 1; end < count; end++)
			if (spans[end].start_ns != spans[i].start_ns)
				break;
		if (end - i > 1)
			qsort(spans + i, end - i, sizeof *spans, compare_spans);
	}
}

/* Returns how many spans at the beginning stay in place: those of earlier
 * responses are sorted and mostly start before the new ones. *rest_ns is the
 * earliest start of the others. */
static uint32_t count_in_place(const struct history_window *w, int64_t *rest_ns)
{
	const struct history_span *spans = w->spans;
	uint32_t ordered = 1, kept;

	while (ordered < w->span_count &&
	       (spans[ordered - 1].start_ns < spans[ordered].start_ns ||
		compare_spans(&spans[ordered - 1], &spans[ordered]) <= 0))
		ordered++;
	*rest_ns = INT64_MAX;
	for (uint32_t i = ordered; i < w->span_count; i++)
		if (spans[i].start_ns < *rest_ns)
			*rest_ns = spans[i].start_ns;
	for (kept = ordered; kept > 0; kept--)
		if (spans[kept - 1].start_ns < *rest_ns)
			break;
	return kept;
}

/* Radix sort by start: comparison sorting takes a tenth of an ordinary
 * `slow`. */
static void order_spans(struct history_window *w)
{
	int64_t rest_ns = 0;
	uint32_t kept = w->span_count ? count_in_place(w, &rest_ns) : 0;
	uint32_t count = w->span_count - kept;
	struct history_span *spans, *room;
	struct radix_item *starts;

	if (!count)
		return;
	spans = w->spans + kept;
	/* Not zeroed: at most LIMIT_HISTORY_SPANS. */
	starts = mem_alloc(2 * (size_t)count * sizeof *starts);
	room = mem_alloc(count * sizeof *room);
	if (starts && room) {
		/* Starts relative to the earliest one. */
		for (uint32_t i = 0; i < count; i++)
			starts[i] = (struct radix_item){
				(uint64_t)spans[i].start_ns - (uint64_t)rest_ns,
				i,
			};
		place_spans(spans, count,
			    radix_sort(starts, starts + count, count), room);
	} else {
		qsort(spans, count, sizeof *spans, compare_spans);
	}
	mem_free(starts);
	mem_free(room);
}

void history_finish_window(struct history *h, uint32_t window)
{
	struct history_window *w = &h->windows[window];
	struct ranked_trace traces[LIMIT_HISTORY_TRACES];
	uint32_t map[LIMIT_HISTORY_TRACES];
	bool is_kept[LIMIT_HISTORY_TRACES];
	bool is_of_slow = w->slow_operation != OPERATION_NONE;
	uint32_t count = w->trace_count, kept = 0;

	if (count == 0)
		return;
	for (uint32_t i = 0; i < count; i++)
		traces[i] = (struct ranked_trace){ w->traces[i], i };
	count = merge_traces(traces, count, map);
	for (uint32_t i = 0; i < w->span_count; i++)
		w->spans[i].trace = map[w->spans[i].trace];
	if (w->span_count && may_have_copies(w)) {
		qsort(w->spans, w->span_count, sizeof *w->spans,
		      compare_copies);
		for (uint32_t i = 0; i < w->span_count; i++) {
			const struct history_span *s = &w->spans[i];
			const struct history_span *last =
				kept ? &w->spans[kept - 1] : NULL;

			if (!last || !s->span_id ||
			    s->span_id != last->span_id ||
			    s->trace != last->trace ||
			    s->operation != last->operation)
				w->spans[kept++] = *s;
		}
		w->span_count = kept;
	}
	/* If the query was for slow ones, traces without a slow enough span go.
	 */
	memset(is_kept, !is_of_slow, count * sizeof *is_kept);
	for (uint32_t i = 0; is_of_slow && i < w->span_count; i++)
		if (w->spans[i].operation == w->slow_operation &&
		    w->spans[i].duration_ns >= w->min_duration_ns)
			is_kept[w->spans[i].trace] = true;
	store_traces(w, traces, count, is_kept, map);
	map_spans(w, map);
	order_spans(w);
}

bool history_move_before(struct history *h, uint32_t from, uint32_t to,
			 int64_t before_ns, struct error *err)
{
	struct history_window *early = &h->windows[to];
	struct history_window *late = &h->windows[from];

	/* Traces are sorted by start. */
	for (uint32_t i = 0; i < late->trace_count; i++) {
		if (late->traces[i].start_ns >= before_ns)
			break;
		if (!history_add_trace(h, to, &late->traces[i], err))
			return false;
		for (uint32_t k = 0; k < late->span_count; k++)
			if (late->spans[k].trace == i &&
			    !history_add_span(h, to, &late->spans[k], err))
				return false;
	}
	early->range.to_ns = before_ns;
	early->is_answered = true;
	early->is_sample |= late->is_sample;
	late->range.from_ns = before_ns;
	history_finish_window(h, to);
	history_finish_window(h, from);
	return true;
}
