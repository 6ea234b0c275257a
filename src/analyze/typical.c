/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/typical.h"

#include <stdlib.h>

#include "analyze/groups.h"
#include "analyze/messages.h"
#include "analyze/onset.h"
#include "analyze/operations.h"
#include "analyze/ordering.h"
#include "base/num.h"
#include "base/radix.h"
#include "model/history.h"
#include "model/trace.h"

/* A call that this many times as large a part of the traces make as usual is
 * new to the others. */
#define TYPICAL_SHARE_RATIO 2.0

struct sums {
	const struct history *h;
	const struct history_window *window;
	struct time_range range;
	struct arena *arena;
	bool *is_counted;  /* by trace: has the root's operation */
	uint32_t counted;  /* how many */
	int64_t *by_trace; /* sums of one operation */
	uint32_t *calls;
	int64_t *values; /* room for quantiles: one a span */
};

static bool is_taken(const struct sums *s, const struct history_span *span)
{
	return history_range_has(s->range, span->start_ns) &&
	       span->trace < s->window->trace_count;
}

/* Marks the traces of the root; all that have a span in the range when the
 * root's operation does not occur. */
static void count_traces(struct sums *s, uint32_t root)
{
	const struct history_window *w = s->window;

	for (int pass = 0; pass < 2 && !s->counted; pass++) {
		for (uint32_t i = 0; i < w->span_count; i++) {
			const struct history_span *span = &w->spans[i];

			if (!is_taken(s, span) || s->is_counted[span->trace] ||
			    (!pass && span->operation != root))
				continue;
			s->is_counted[span->trace] = true;
			s->counted++;
		}
	}
}

static bool sums_init(struct sums *s, const struct history *h, uint32_t window,
		      struct time_range range, struct arena *arena,
		      struct error *err)
{
	const struct history_window *w = &h->windows[window];

	*s = (struct sums){
		.h = h, .window = w, .range = range, .arena = arena
	};
	s->is_counted =
		arena_array(arena, w->trace_count, sizeof *s->is_counted);
	s->by_trace = arena_array(arena, w->trace_count, sizeof *s->by_trace);
	s->calls = arena_array(arena, w->trace_count, sizeof *s->calls);
	s->values = arena_array(arena, w->span_count, sizeof *s->values);
	return (s->is_counted && s->by_trace && s->calls && s->values) ||
	       arena_fail(arena, "the history of the operations", err);
}

/* Single durations into values; sums and calls by trace. */
static void add_spans(struct sums *s, uint32_t operation,
		      struct typical_operation *out)
{
	const struct history_window *w = s->window;

	for (uint32_t i = 0; i < w->trace_count; i++) {
		s->by_trace[i] = 0;
		s->calls[i] = 0;
	}
	for (uint32_t i = 0; i < w->span_count; i++) {
		const struct history_span *span = &w->spans[i];

		if (span->operation != operation || !is_taken(s, span))
			continue;
		s->values[out->span_count++] = span->duration_ns;
		s->by_trace[span->trace] = sat_add_i64(s->by_trace[span->trace],
						       span->duration_ns);
		s->calls[span->trace]++;
	}
}

/* After add_spans(): of the root's traces those that have the operation. */
static double share_of(const struct sums *s)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->window->trace_count; i++)
		n += s->calls[i] && s->is_counted[i];
	return s->counted ? (double)n / (double)s->counted : -1;
}

static void sum_operation(struct sums *s, uint32_t operation,
			  struct typical_operation *out)
{
	uint32_t n = 0;

	add_spans(s, operation, out);
	values_sort(s->values, out->span_count);
	out->span_p50_ns = values_quantile(s->values, out->span_count, 50);
	out->span_p90_ns = values_quantile(s->values, out->span_count, 90);
	for (uint32_t i = 0; i < s->window->trace_count; i++) {
		if (!s->calls[i])
			continue;
		s->values[n++] = s->by_trace[i];
	}
	out->trace_count = n;
	values_sort(s->values, n);
	out->sum_p50_ns = values_quantile(s->values, n, 50);
	out->sum_p90_ns = values_quantile(s->values, n, 90);
	n = 0;
	for (uint32_t i = 0; i < s->window->trace_count; i++)
		if (s->calls[i])
			s->values[n++] = s->calls[i];
	values_sort(s->values, n);
	out->calls_p50 = n ? (uint32_t)values_quantile(s->values, n, 50) : 0;
	out->calls_p90 = n ? (uint32_t)values_quantile(s->values, n, 90) : 0;
	out->share = share_of(s);
	out->slow_share = -1;
	out->slow_p50_ns = -1;
}

/* In what part of the slow window's traces of the root each operation is, and
 * how long it takes there. */
static bool add_slow_window(const struct history *h, uint32_t window,
			    uint32_t root, struct arena *arena,
			    struct typical *out, struct error *err)
{
	struct sums s;

	if (!sums_init(&s, h, window, (struct time_range){ 0, 0 }, arena, err))
		return false;
	count_traces(&s, root);
	for (uint32_t i = 0; i < h->operation_count; i++) {
		struct typical_operation slow = { 0 };

		add_spans(&s, i, &slow);
		if (s.counted >= TYPICAL_MIN)
			out->items[i].slow_share = share_of(&s);
		if (slow.span_count < TYPICAL_MIN)
			continue;
		values_sort(s.values, slow.span_count);
		out->items[i].slow_p50_ns =
			values_quantile(s.values, slow.span_count, 50);
	}
	return true;
}

bool typical_build(const struct history *h, uint32_t window,
		   struct time_range range, uint32_t root, uint32_t slow_window,
		   struct arena *arena, struct typical *out, struct error *err)
{
	struct sums s;

	*out = (struct typical){ .operations = h->operations,
				 .operation_count = h->operation_count };
	out->items = arena_array(arena, h->operation_count, sizeof *out->items);
	if (!out->items)
		return arena_fail(arena, "the history of the operations", err);
	if (!sums_init(&s, h, window, range, arena, err))
		return false;
	count_traces(&s, root);
	out->trace_count = s.counted;
	out->range = range.from_ns || range.to_ns ? range : s.window->range;
	for (uint32_t i = 0; i < h->operation_count; i++)
		sum_operation(&s, i, &out->items[i]);
	return slow_window >= h->window_count ||
	       add_slow_window(h, slow_window, root, arena, out, err);
}

struct message_wait *typical_find_wait(const struct typical *u, uint32_t sender,
				       uint32_t receiver)
{
	for (size_t i = 0; i < u->wait_count; i++)
		if (u->waits[i].sender == sender &&
		    u->waits[i].receiver == receiver)
			return &u->waits[i];
	return NULL;
}

/* Pairs of sender and receiver whose waits are looked at. */
#define TYPICAL_WAITS 16u

bool typical_set_wait(struct typical *u, const struct message_wait *wait,
		      struct arena *arena, struct error *err)
{
	struct message_wait *at =
		typical_find_wait(u, wait->sender, wait->receiver);

	if (!u->waits)
		u->waits = arena_array(arena, TYPICAL_WAITS, sizeof *u->waits);
	if (!u->waits)
		return arena_fail(arena, "the history of the messages", err);
	if (!at && u->wait_count < TYPICAL_WAITS)
		at = &u->waits[u->wait_count++];
	if (at)
		*at = *wait;
	return true;
}

void typical_forget_shares(struct typical *u, uint32_t foreign)
{
	for (uint32_t i = 0; i < u->operation_count; i++)
		if (foreign & (1u << i))
			u->items[i].share = -1;
}

bool typical_add_waits(struct typical *u, const struct history *h,
		       uint32_t window, struct time_range range,
		       const struct trace *t, const struct messages *messages,
		       uint32_t slow_window, struct arena *arena,
		       struct error *err)
{
	for (size_t i = 0; i < messages->count && u->wait_count < TYPICAL_WAITS;
	     i++) {
		struct message_wait w = {
			.sender = operations_find_span(
				u->operations, u->operation_count, t,
				messages->items[i].sender),
			.receiver = operations_find_span(
				u->operations, u->operation_count, t,
				messages->items[i].receiver),
		};

		if (w.sender == OPERATION_NONE ||
		    w.receiver == OPERATION_NONE ||
		    typical_find_wait(u, w.sender, w.receiver))
			continue;
		if (!message_wait_measure(h, window, range, slow_window, arena,
					  &w, err) ||
		    !typical_set_wait(u, &w, arena, err))
			return false;
	}
	return true;
}

const struct typical_operation *typical_find(const struct typical *u,
					     const struct trace *t,
					     uint32_t span)
{
	uint32_t found = operations_find_span(u->operations, u->operation_count,
					      t, span);

	return found == OPERATION_NONE ? NULL : &u->items[found];
}

bool typical_is_new(const struct typical *u, const struct typical_operation *o)
{
	if (!o || u->trace_count < TYPICAL_MIN || o->share < 0)
		return false;
	return !o->span_count ||
	       (o->slow_share > 0 &&
		o->share * TYPICAL_SHARE_RATIO <= o->slow_share &&
		o->share < 0.5);
}

bool typical_is_known(const struct typical *u,
		      const struct typical_operation *o)
{
	return o && (o->span_count >= TYPICAL_MIN || typical_is_new(u, o));
}

bool typical_has_calls(const struct typical *u,
		       const struct typical_operation *o, uint32_t all)
{
	if (!typical_is_known(u, o) || typical_is_new(u, o))
		return false;
	return all <= o->calls_p90 || all <= o->calls_p50 + o->calls_p50 / 2;
}

/* From a quantile of single durations and one of sums by trace. */
static int64_t duration_scale(const struct typical_operation *o, int64_t single,
			      int64_t sum, uint32_t count, uint32_t all)
{
	int64_t singles = sat_mul_i64(single, count);
	int64_t sums = sat_mul_i64(sum, count);

	if (all > o->calls_p90)
		return sums / all;
	if (count <= 1)
		return singles;
	sums /= o->calls_p50 ? o->calls_p50 : 1;
	return sums > singles ? sums : singles;
}

static int64_t duration_of(const struct typical *u,
			   const struct typical_operation *o, bool is_long,
			   uint32_t count, uint32_t all)
{
	if (!typical_is_known(u, o))
		return -1;
	if (typical_is_new(u, o))
		return 0;
	return is_long ? duration_scale(o, o->span_p90_ns, o->sum_p90_ns, count,
					all)
		       : duration_scale(o, o->span_p50_ns, o->sum_p50_ns, count,
					all);
}

int64_t typical_duration(const struct typical *u,
			 const struct typical_operation *o, uint32_t count,
			 uint32_t all)
{
	return duration_of(u, o, false, count, all);
}

int64_t typical_long_duration(const struct typical *u,
			      const struct typical_operation *o, uint32_t count,
			      uint32_t all)
{
	return duration_of(u, o, true, count, all);
}

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

/* By trace. Windows are in the order of starts. */
static bool timeline_build(struct timeline *l, const struct history_window *w,
			   struct time_range range, struct arena *arena,
			   struct error *err)
{
	const size_t size = 2 * sizeof(struct radix_item);
	struct radix_item *items = arena_array(arena, w->span_count, size);
	const struct radix_item *by_trace;

	l->count = 0;
	l->spans = arena_array(arena, w->span_count, sizeof(void *));
	if (!l->spans || !items)
		return arena_fail(arena, "the history of the operations", err);
	for (uint32_t i = 0; i < w->span_count; i++)
		if (history_range_has(range, w->spans[i].start_ns))
			items[l->count++] =
				(struct radix_item){ w->spans[i].trace, i };
	by_trace = radix_sort(items, items + w->span_count, (uint32_t)l->count);
	for (size_t i = 0; i < l->count; i++)
		l->spans[i] = &w->spans[by_trace[i].index];
	for (size_t i = 0, end; i < l->count; i = end) {
		const struct history_span *s = l->spans[i];

		for (end = i + 1; end < l->count; end++)
			if (l->spans[end]->trace != s->trace ||
			    l->spans[end]->start_ns != s->start_ns)
				break;
		if (end - i > 1)
			qsort(l->spans + i, end - i, sizeof *l->spans,
			      compare_spans);
	}
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

static size_t walk_all(const struct timeline *l, uint32_t operation,
		       uint32_t below, int64_t *values,
		       const struct history_span **spans)
{
	struct walk k = { .values = values, .spans = spans };
	uint32_t wanted = below | 1u << operation;

	for (size_t i = 0; i < l->count; i++) {
		const struct history_span *s = l->spans[i];
		bool is_own = s->operation == operation, is_inside;

		if (s->operation >= OPERATIONS_MAX ||
		    !(wanted & 1u << s->operation))
			continue;
		if (s->trace != k.trace) {
			close_span(&k);
			k.trace = s->trace;
			k.before = k.count;
			k.is_left_out = false;
		}
		is_inside = k.open && s->start_ns < end_of(k.open);
		if (k.is_left_out)
			continue;
		if (is_own && is_inside) {
			/* Side by side: the trace is left out. */
			k.count = k.before;
			k.open = NULL;
			k.is_left_out = true;
		} else if (is_own) {
			close_span(&k);
			k.open = s;
			k.covered_to_ns = s->start_ns;
			k.own_ns = s->duration_ns;
		} else if (is_inside) {
			int64_t from = max_i64(s->start_ns, k.covered_to_ns);
			int64_t to = min_i64(end_of(s), end_of(k.open));

			if (to <= from)
				continue;
			k.own_ns -= to - from;
			k.covered_to_ns = to;
		}
	}
	close_span(&k);
	return k.count;
}

/* Own times of all spans of an operation, ascending. */
static size_t own_measure(const struct timeline *l, uint32_t operation,
			  uint32_t below, int64_t *values)
{
	size_t n = walk_all(l, operation, below, values, NULL);

	values_sort(values, n);
	return n;
}

/* Compares own times, both ascending. */
static void typical_compare_own(int64_t *slow, size_t slow_count, int64_t *base,
				size_t base_count,
				struct typical_operation *out)
{
	struct span_group now = { .values = slow, .count = slow_count };
	struct span_group before = { .values = base, .count = base_count };
	struct group_test t;

	group_set_median(&now);
	group_set_median(&before);
	t = group_test(&now, &before);
	if (t.least < TYPICAL_MIN)
		return;
	out->is_own_compared = true;
	out->slow_own_p50_ns = now.p50_ns;
	out->has_own_moved = group_is_slower(&t, GROUP_OWN_MOVED, 1);
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
		n = own_measure(base, i, below[i], base_values);
		slow_n = own_measure(slow, i, below[i], slow_values);
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

static bool own_mean(const struct timeline *l, uint32_t operation,
		     uint32_t below, struct arena *scratch, double *mean_ns,
		     struct error *err)
{
	int64_t *values = arena_array(scratch, l->count, sizeof *values);
	double sum = 0;
	size_t n;

	if (!values)
		return arena_fail(scratch, "the history of the operations",
				  err);
	n = walk_all(l, operation, below, values, NULL);
	for (size_t i = 0; i < n; i++)
		sum += (double)values[i];
	if (n >= TYPICAL_MIN)
		*mean_ns = sum / (double)n;
	return true;
}

bool typical_mean_own(const struct history *h, uint32_t window,
		      struct time_range range, uint32_t operation,
		      uint32_t below, double *mean_ns, struct error *err)
{
	struct timeline l;
	struct arena scratch;
	bool is_done;

	*mean_ns = -1;
	if (window >= h->window_count || operation == OPERATION_NONE ||
	    below == OPERATIONS_BELOW_UNKNOWN)
		return true;
	arena_init(&scratch, LIMIT_ANALYZE_HEAP_BYTES);
	is_done = timeline_build(&l, &h->windows[window], range, &scratch,
				 err) &&
		  own_mean(&l, operation, below, &scratch, mean_ns, err);
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

/* Returns whether medians can be step_ns apart: of the slow ones half are as
 * much longer than the shortest of all. Mostly not, and that is soon known. */
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
		for (size_t w = 0, count = 0; w < OWN_WINDOWS; w++) {
			own->counts[w] = walk_all(&own->timelines[w], i,
						  below[i], own->values + count,
						  own->spans + count);
			count += own->counts[w];
		}
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

/* The time between a call and its server side as it usually is: network,
 * proxies, setting up connections, queues before the handler. Made of
 * durations alone, so that it does not matter what the clocks say. */

#define WHAT "the history of the operations"

/* Calls of one trace that are told from each other by their times: more are
 * left out, for each is held against each server side. */
#define CALLS_PAIRED 64u

/* A call, or a server side of one. */
struct side {
	uint32_t trace;
	bool is_server;
	bool is_taken;
	int64_t start_ns;
	int64_t duration_ns;
};

/* Room for one window. */
struct gaps {
	const struct history_window *window;
	struct time_range range;
	struct side *sides;
	size_t side_count;
	int64_t *values; /* by trace */
};

static bool gaps_init(struct gaps *g, const struct history_window *w,
		      struct time_range range, struct arena *scratch,
		      struct error *err)
{
	*g = (struct gaps){ .window = w, .range = range };
	g->sides = arena_array(scratch, w->span_count, sizeof *g->sides);
	g->values = arena_array(scratch, w->trace_count, sizeof *g->values);
	return (g->sides && g->values) || arena_fail(scratch, WHAT, err);
}

static int compare_sides(const void *left, const void *right)
{
	const struct side *a = left;
	const struct side *b = right;
	int order = compare_i64(a->trace, b->trace);

	if (!order)
		order = compare_i64(a->is_server, b->is_server);
	if (!order)
		order = compare_i64(a->start_ns, b->start_ns);
	return order ? order : compare_i64(a->duration_ns, b->duration_ns);
}

/* The shortest call around it. */
static struct side *find_call(const struct side *server, struct side *calls,
			      size_t count)
{
	struct side *found = NULL;

	int64_t end_ns = sat_add_i64(server->start_ns, server->duration_ns);

	for (size_t i = 0; i < count; i++) {
		struct side *c = &calls[i];

		if (!c->is_taken && server->start_ns >= c->start_ns &&
		    end_ns <= sat_add_i64(c->start_ns, c->duration_ns) &&
		    (!found || c->duration_ns < found->duration_ns))
			found = c;
	}
	return found;
}

/* For a trace with other calls of that name: only those that contain a server
 * side are known to be answered by one. Returns -1 if none. */
static int64_t calls_pair(struct side *calls, size_t call_count,
			  const struct side *servers, size_t server_count)
{
	int64_t sum = 0, pairs = 0;

	if (call_count > CALLS_PAIRED)
		return -1;
	for (size_t i = 0; i < server_count; i++) {
		struct side *call = find_call(&servers[i], calls, call_count);

		if (!call)
			continue;
		call->is_taken = true;
		sum = sat_add_i64(sum, sat_sub_i64(call->duration_ns,
						   servers[i].duration_ns));
		pairs++;
	}
	return pairs ? sum / pairs : -1;
}

static int64_t sum_of(const struct side *sides, size_t count)
{
	int64_t sum = 0;

	for (size_t i = 0; i < count; i++)
		sum = sat_add_i64(sum, sides[i].duration_ns);
	return sum;
}

/* Mean of a trace, of as many calls as server sides whatever their clocks say;
 * -1 not known. */
static int64_t gap_of(struct side *sides, size_t count)
{
	size_t calls = 0, servers;
	int64_t gap;

	while (calls < count && !sides[calls].is_server)
		calls++;
	servers = count - calls;
	if (!calls || !servers)
		return -1;
	if (calls != servers)
		return calls_pair(sides, calls, sides + calls, servers);
	gap = sat_sub_i64(sum_of(sides, calls), sum_of(sides + calls, servers));
	return gap > 0 ? gap / (int64_t)calls : 0;
}

/* Ascending. */
static size_t gaps_measure(struct gaps *g, uint32_t operation, uint32_t served)
{
	const struct history_window *w = g->window;
	size_t n = 0;

	g->side_count = 0;
	for (uint32_t i = 0; i < w->span_count; i++) {
		const struct history_span *s = &w->spans[i];
		bool is_server = s->operation < OPERATIONS_MAX &&
				 (served & 1u << s->operation);

		if (s->trace < w->trace_count &&
		    history_range_has(g->range, s->start_ns) &&
		    (is_server || s->operation == operation))
			g->sides[g->side_count++] =
				(struct side){ s->trace, is_server, false,
					       s->start_ns, s->duration_ns };
	}
	/* By trace, the calls first. */
	if (g->side_count)
		qsort(g->sides, g->side_count, sizeof *g->sides, compare_sides);
	for (size_t i = 0, end; i < g->side_count; i = end) {
		int64_t gap;

		for (end = i + 1; end < g->side_count; end++)
			if (g->sides[end].trace != g->sides[i].trace)
				break;
		gap = gap_of(&g->sides[i], end - i);
		if (gap >= 0)
			g->values[n++] = gap;
	}
	values_sort(g->values, n);
	return n;
}

bool typical_add_gaps(struct typical *u, const struct history *h,
		      uint32_t window, struct time_range range,
		      const uint32_t *served, uint32_t slow_window,
		      struct error *err)
{
	const struct history_window none = { 0 };
	const struct history_window *slow_from =
		slow_window < h->window_count ? &h->windows[slow_window]
					      : &none;
	struct gaps base, slow;
	struct arena scratch;
	bool is_done;

	arena_init(&scratch, LIMIT_ANALYZE_HEAP_BYTES);
	is_done = gaps_init(&base, &h->windows[window], range, &scratch, err) &&
		  gaps_init(&slow, slow_from, (struct time_range){ 0, 0 },
			    &scratch, err);
	for (uint32_t i = 0; is_done && i < u->operation_count; i++) {
		struct typical_operation *o = &u->items[i];
		size_t n, slow_n;

		if (!served[i])
			continue;
		n = gaps_measure(&base, i, served[i]);
		slow_n = gaps_measure(&slow, i, served[i]);
		if (!n)
			continue;
		o->is_gap = true;
		o->own_count = (uint32_t)n;
		o->own_p50_ns = values_quantile(base.values, n, 50);
		o->own_p90_ns = values_quantile(base.values, n, 90);
		typical_compare_own(slow.values, slow_n, base.values, n, o);
	}
	arena_release(&scratch);
	return is_done;
}
