/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "analyze/operations.h"
#include "analyze/ordering.h"
#include "analyze/typical.h"
#include "base/num.h"
#include "base/radix.h"

/* Spans of one window, trace by trace. */
struct timeline {
	const struct history_span **spans;
	size_t count;
};

/* A walk along traces. */
struct walk {
	const struct history_span *open; /* its own time is being measured */
	int64_t covered_to_ns;
	int64_t own_ns;
	int64_t *values;                   /* found so far, of all traces */
	const struct history_span **spans; /* they belong to; NULL not asked */
	size_t count;
	uint32_t trace;
	size_t before; /* values found before this trace */
	bool is_left_out;
};

/* For spans of one trace that begin together: the longer first, then the one
 * that holds more of the analysed trace. */
static int compare_spans(const void *left, const void *right)
{
	const struct history_span *a =
		*(const struct history_span *const *)left;
	const struct history_span *b =
		*(const struct history_span *const *)right;
	int order = compare_i64(b->duration_ns, a->duration_ns);

	if (!order)
		order = compare_i64(a->operation, b->operation);
	return order ? order : compare_u64(a->span_id, b->span_id);
}

static bool begin_together(const struct history_span *a,
			   const struct history_span *b)
{
	return a->trace == b->trace && a->start_ns == b->start_ns;
}

/* By trace. Windows are in the order of starts. */
static void timeline_fill(struct timeline *l, const struct history_window *w,
			  const struct radix_item *by_trace)
{
	for (size_t i = 0; i < l->count; i++)
		l->spans[i] = &w->spans[by_trace[i].index];
	for (size_t i = 0, end; i < l->count; i = end) {
		for (end = i + 1; end < l->count; end++)
			if (!begin_together(l->spans[i], l->spans[end]))
				break;
		if (end - i > 1)
			qsort(l->spans + i, end - i, sizeof *l->spans,
			      compare_spans);
	}
}

static bool timeline_build(struct timeline *l, const struct history_window *w,
			   struct time_range range, struct arena *arena,
			   struct error *err)
{
	const size_t size = 2 * sizeof(struct radix_item);
	struct radix_item *items = arena_array(arena, w->span_count, size);

	l->count = 0;
	l->spans = arena_array(arena, w->span_count, sizeof(void *));
	if (!l->spans || !items)
		return arena_fail(arena, "the history of the operations", err);
	for (uint32_t i = 0; i < w->span_count; i++)
		if (history_range_has(range, w->spans[i].start_ns))
			items[l->count++] =
				(struct radix_item){ w->spans[i].trace, i };
	timeline_fill(
		l, w,
		radix_sort(items, items + w->span_count, (uint32_t)l->count));
	arena_drop(arena, items, w->span_count * size);
	return true;
}

static int64_t end_of(const struct history_span *s)
{
	return sat_add_i64(s->start_ns, s->duration_ns);
}

static void close_span(struct walk *k)
{
	if (k->open && k->spans)
		k->spans[k->count] = k->open;
	if (k->open)
		k->values[k->count++] = k->own_ns;
	k->open = NULL;
}

static void take_away(struct walk *k, const struct history_span *s)
{
	int64_t from =
		s->start_ns > k->covered_to_ns ? s->start_ns : k->covered_to_ns;
	int64_t end = end_of(k->open);
	int64_t to = end_of(s) < end ? end_of(s) : end;

	if (to <= from)
		return;
	k->own_ns -= to - from;
	k->covered_to_ns = to;
}

/* Is its operation one of these? */
static bool is_of(const struct history_span *s, uint32_t operations)
{
	return s->operation < OPERATIONS_MAX &&
	       (operations & 1u << s->operation);
}

static void begin_trace(struct walk *k, uint32_t trace)
{
	close_span(k);
	k->trace = trace;
	k->before = k->count;
	k->is_left_out = false;
}

/* Spans of the operation side by side: the trace is left out. */
static void leave_out(struct walk *k)
{
	k->count = k->before;
	k->open = NULL;
	k->is_left_out = true;
}

static void open_span(struct walk *k, const struct history_span *s)
{
	close_span(k);
	k->open = s;
	k->covered_to_ns = s->start_ns;
	k->own_ns = s->duration_ns;
}

static size_t walk_all(const struct timeline *l, uint32_t operation,
		       uint32_t below, int64_t *values,
		       const struct history_span **spans)
{
	struct walk k = { .values = values, .spans = spans };
	uint32_t wanted = below | 1u << operation;

	for (size_t i = 0; i < l->count; i++) {
		const struct history_span *s = l->spans[i];
		bool is_own = s->operation == operation, is_inside;

		if (!is_of(s, wanted))
			continue;
		if (s->trace != k.trace)
			begin_trace(&k, s->trace);
		is_inside = k.open && s->start_ns < end_of(k.open);
		if (k.is_left_out)
			continue;
		if (is_own && is_inside)
			leave_out(&k);
		else if (is_own)
			open_span(&k, s);
		else if (is_inside)
			take_away(&k, s);
	}
	close_span(&k);
	return k.count;
}

/* Own times of all spans of an operation, ascending. */
static size_t measure(const struct timeline *l, uint32_t operation,
		      uint32_t below, int64_t *values)
{
	size_t n = walk_all(l, operation, below, values, NULL);

	values_sort(values, n);
	return n;
}

void typical_compare_own(const int64_t *slow, size_t slow_count,
			 const int64_t *base, size_t base_count,
			 struct typical_operation *out)
{
	double z, p;

	if (slow_count < TYPICAL_MIN || base_count < TYPICAL_MIN)
		return;
	out->is_own_compared = true;
	out->slow_own_p50_ns = values_quantile(slow, slow_count, 50);
	p = rank_sum_test(slow, slow_count, base, base_count, &z);
	out->has_own_moved =
		z > 0 && p < TYPICAL_MOVED_P &&
		(double)out->slow_own_p50_ns >=
			TYPICAL_MOVED_RATIO * (double)out->own_p50_ns;
}

uint32_t typical_most_moved(const struct typical *u)
{
	uint32_t found = OPERATION_NONE;
	int64_t most_ns = 0;

	for (uint32_t i = 0; i < u->operation_count; i++) {
		const struct typical_operation *o = &u->items[i];
		int64_t moved_ns =
			sat_mul_i64(o->slow_own_p50_ns - o->own_p50_ns,
				    o->calls_p50 ? o->calls_p50 : 1);

		if (!o->has_own_moved || moved_ns <= most_ns)
			continue;
		most_ns = moved_ns;
		found = i;
	}
	return found;
}

static bool add_own(struct typical *u, const struct timeline *base,
		    const struct timeline *slow, const uint32_t *below,
		    struct arena *scratch, struct error *err)
{
	int64_t *base_values =
		arena_array(scratch, base->count, sizeof *base_values);
	int64_t *slow_values =
		arena_array(scratch, slow->count, sizeof *slow_values);

	if (!base_values || !slow_values)
		return arena_fail(scratch, "the history of the operations",
				  err);
	for (uint32_t i = 0; i < u->operation_count; i++) {
		struct typical_operation *o = &u->items[i];
		size_t n, slow_n;

		if (below[i] == OPERATIONS_BELOW_UNKNOWN)
			continue;
		n = measure(base, i, below[i], base_values);
		slow_n = measure(slow, i, below[i], slow_values);
		o->own_count = (uint32_t)n;
		o->own_p50_ns = values_quantile(base_values, n, 50);
		o->own_p90_ns = values_quantile(base_values, n, 90);
		typical_compare_own(slow_values, slow_n, base_values, n, o);
	}
	return true;
}

bool typical_add_own(struct typical *u, const struct history *h,
		     uint32_t window, struct time_range range,
		     const uint32_t *below, uint32_t slow_window,
		     struct error *err)
{
	const struct time_range all = { 0, 0 };
	const struct history_window none = { 0 };
	const struct history_window *slow_from =
		slow_window < h->window_count ? &h->windows[slow_window]
					      : &none;
	struct timeline base, slow;
	struct arena scratch;
	bool is_done;

	arena_init(&scratch, LIMIT_ANALYZE_HEAP_BYTES);
	is_done = timeline_build(&base, &h->windows[window], range, &scratch,
				 err) &&
		  timeline_build(&slow, slow_from, all, &scratch, err) &&
		  add_own(u, &base, &slow, below, &scratch, err);
	arena_release(&scratch);
	return is_done;
}

/* ---- when own times grew ---- */

/* A history in which spans of one operation last as long as their own time. */
struct own_history {
	struct history h;
	const struct history_window *from[OWN_WINDOWS];
	struct timeline timelines[OWN_WINDOWS];
	/* Found in them, of one window behind the other. */
	int64_t *values;
	const struct history_span **spans;
	size_t counts[OWN_WINDOWS];
	int64_t *by_place; /* room: own times by place in a window, or -1 */
};

static bool own_history_init(struct own_history *own, const struct history *h,
			     const uint32_t *windows,
			     const struct history_window *none,
			     struct arena *scratch, struct error *err)
{
	size_t count = 0;

	own->h.window_count = OWN_WINDOWS;
	for (size_t i = 0; i < OWN_WINDOWS; i++) {
		const struct history_window *from =
			windows[i] < h->window_count ? &h->windows[windows[i]]
						     : none;
		struct history_window *to = &own->h.windows[i];

		own->from[i] = from;
		if (!timeline_build(&own->timelines[i], from,
				    (struct time_range){ 0, 0 }, scratch, err))
			return false;
		to->spans = arena_array(scratch, from->span_count,
					sizeof *to->spans);
		if (!to->spans)
			return arena_fail(scratch, "own times", err);
		count += from->span_count;
	}
	own->values = arena_array(scratch, count, sizeof *own->values);
	own->spans = arena_array(scratch, count, sizeof(void *));
	own->by_place = arena_array(scratch, count, sizeof *own->by_place);
	if (!own->values || !own->spans || !own->by_place)
		return arena_fail(scratch, "own times", err);
	for (size_t i = 0; i < count; i++)
		own->by_place[i] = -1;
	return true;
}

static void own_history_measure(struct own_history *own, uint32_t operation,
				uint32_t below)
{
	size_t count = 0;

	for (size_t i = 0; i < OWN_WINDOWS; i++) {
		own->counts[i] =
			walk_all(&own->timelines[i], operation, below,
				 own->values + count, own->spans + count);
		count += own->counts[i];
	}
}

/* Whether medians can be step_ns apart: of the slow ones half are as much
 * longer than the shortest of all. Mostly not, and that is soon known. */
static bool may_have_step(const struct own_history *own, int64_t step_ns)
{
	int64_t shortest_ns = INT64_MAX;
	size_t count = 0, long_count = 0;

	for (size_t i = 0; i < OWN_WINDOWS; i++)
		count += own->counts[i];
	for (size_t i = 0; i < count; i++)
		if (own->values[i] < shortest_ns)
			shortest_ns = own->values[i];
	for (size_t i = 0; i < count; i++)
		long_count += own->values[i] - shortest_ns >= step_ns;
	return long_count >= ONSET_MIN_SPANS / 2;
}

/* From traces back to the order of starts. */
static void own_history_fill(struct own_history *own)
{
	size_t before = 0;

	for (size_t i = 0; i < OWN_WINDOWS; i++) {
		const struct history_window *from = own->from[i];
		struct history_window *to = &own->h.windows[i];

		for (size_t j = before; j < before + own->counts[i]; j++)
			own->by_place[own->spans[j] - from->spans] =
				own->values[j];
		before += own->counts[i];
		to->span_count = 0;
		for (uint32_t j = 0; j < from->span_count; j++) {
			if (own->by_place[j] < 0)
				continue;
			to->spans[to->span_count] = from->spans[j];
			to->spans[to->span_count++].duration_ns =
				own->by_place[j];
			own->by_place[j] = -1;
		}
	}
}

static bool find_largest(struct own_history *own, const struct history *h,
			 const uint32_t *below, int64_t least_ns,
			 struct arena *scratch, struct onset *out,
			 struct error *err)
{
	const uint32_t windows[OWN_WINDOWS] = { 0, 1 };
	int64_t largest_ns = least_ns;

	for (uint32_t i = 0; i < h->operation_count; i++) {
		struct onset found;
		int64_t grown_ns;

		if (below[i] == OPERATIONS_BELOW_UNKNOWN)
			continue;
		own_history_measure(own, i, below[i]);
		if (!may_have_step(own, largest_ns))
			continue;
		own_history_fill(own);
		if (!onset_find(&own->h, windows, OWN_WINDOWS, i, scratch,
				&found, err))
			return false;
		grown_ns = sat_sub_i64(found.slow_p50_ns, found.fast_p50_ns);
		if (!found.is_found || grown_ns < largest_ns)
			continue;
		largest_ns = grown_ns;
		*out = found;
	}
	return true;
}

bool own_onset_find(const struct history *h, const uint32_t *windows,
		    const uint32_t *below, int64_t least_ns, struct onset *out,
		    struct error *err)
{
	const struct history_window none = { 0 };
	struct own_history own = { 0 };
	struct arena scratch;
	bool is_done;

	*out = (struct onset){ 0 };
	arena_init(&scratch, LIMIT_ANALYZE_HEAP_BYTES);
	is_done = own_history_init(&own, h, windows, &none, &scratch, err) &&
		  find_largest(&own, h, below, least_ns, &scratch, out, err);
	arena_release(&scratch);
	return is_done;
}
