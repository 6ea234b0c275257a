/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/typical.h"

#include "analyze/operations.h"
#include "analyze/ordering.h"
#include "base/num.h"

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

static double part_of(uint32_t part, uint32_t whole)
{
	return whole ? (double)part / (double)whole : -1;
}

/* After add_spans(): of the root's traces those that have the operation. */
static double share_of(const struct sums *s)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->window->trace_count; i++)
		n += s->calls[i] && s->is_counted[i];
	return part_of(n, s->counted);
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

/* NULL: none of these two. */
static struct message_wait *find_wait(const struct typical *u,
				      const struct message_wait *w)
{
	for (size_t i = 0; i < u->wait_count; i++)
		if (u->waits[i].sender == w->sender &&
		    u->waits[i].receiver == w->receiver)
			return &u->waits[i];
	return NULL;
}

bool typical_set_wait(struct typical *u, const struct message_wait *wait,
		      struct arena *arena, struct error *err)
{
	struct message_wait *at = find_wait(u, wait);

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
		    w.receiver == OPERATION_NONE || find_wait(u, &w))
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

static bool is_new(const struct typical *u, const struct typical_operation *o)
{
	if (u->trace_count < TYPICAL_MIN || o->share < 0)
		return false;
	return !o->span_count ||
	       (o->slow_share > 0 &&
		o->share * TYPICAL_SHARE_RATIO <= o->slow_share &&
		o->share < 0.5);
}

bool typical_is_known(const struct typical *u,
		      const struct typical_operation *o)
{
	return o && (o->span_count >= TYPICAL_MIN || is_new(u, o));
}

bool typical_is_new(const struct typical *u, const struct typical_operation *o)
{
	return o && is_new(u, o);
}

bool typical_has_calls(const struct typical *u,
		       const struct typical_operation *o, uint32_t all)
{
	if (!typical_is_known(u, o) || is_new(u, o))
		return false;
	return all <= o->calls_p90 || all <= o->calls_p50 + o->calls_p50 / 2;
}

/* From a quantile of single durations and one of sums by trace. */
static int64_t scale(const struct typical_operation *o, int64_t single,
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
	if (is_new(u, o))
		return 0;
	return is_long ? scale(o, o->span_p90_ns, o->sum_p90_ns, count, all)
		       : scale(o, o->span_p50_ns, o->sum_p50_ns, count, all);
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
