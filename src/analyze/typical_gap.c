/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/typical_gap.h"

#include "analyze/operations.h"
#include "analyze/ordering.h"
#include "base/num.h"

#define WHAT "the history of the operations"

/* Calls of one operation and what served them, trace by trace. */
struct sides {
	int64_t calls_ns;
	int64_t served_ns;
	uint32_t calls;
	uint32_t served;
};

/* Room for one window. */
struct gaps {
	const struct history_window *window;
	struct time_range range;
	struct sides *by_trace;
	int64_t *values; /* by trace */
};

static bool is_in(struct time_range range, int64_t time_ns)
{
	return (!range.from_ns && !range.to_ns) ||
	       (time_ns >= range.from_ns && time_ns < range.to_ns);
}

static bool gaps_init(struct gaps *g, const struct history_window *w,
		      struct time_range range, struct arena *scratch,
		      struct error *err)
{
	*g = (struct gaps){ .window = w, .range = range };
	g->by_trace = arena_array(scratch, w->trace_count, sizeof *g->by_trace);
	g->values = arena_array(scratch, w->trace_count, sizeof *g->values);
	return (g->by_trace && g->values) || arena_fail(scratch, WHAT, err);
}

static void sum_sides(struct gaps *g, uint32_t operation, uint32_t served)
{
	const struct history_window *w = g->window;

	for (uint32_t i = 0; i < w->trace_count; i++)
		g->by_trace[i] = (struct sides){ 0 };
	for (uint32_t i = 0; i < w->span_count; i++) {
		const struct history_span *s = &w->spans[i];
		struct sides *sides;

		if (s->trace >= w->trace_count || !is_in(g->range, s->start_ns))
			continue;
		sides = &g->by_trace[s->trace];
		if (s->operation == operation) {
			sides->calls_ns =
				sat_add_i64(sides->calls_ns, s->duration_ns);
			sides->calls++;
		} else if (s->operation < OPERATIONS_MAX &&
			   (served & 1u << s->operation)) {
			sides->served_ns =
				sat_add_i64(sides->served_ns, s->duration_ns);
			sides->served++;
		}
	}
}

/* Ascending. A trace in which some call had no server side, or another call
 * reached the same one, does not tell whose time is whose. */
static size_t measure(struct gaps *g, uint32_t operation, uint32_t served)
{
	size_t n = 0;

	sum_sides(g, operation, served);
	for (uint32_t i = 0; i < g->window->trace_count; i++) {
		const struct sides *s = &g->by_trace[i];
		int64_t gap = sat_sub_i64(s->calls_ns, s->served_ns);

		if (!s->calls || s->calls != s->served)
			continue;
		g->values[n++] = gap > 0 ? gap / s->calls : 0;
	}
	values_sort(g->values, n);
	return n;
}

static void add(struct typical_operation *o, struct gaps *base,
		struct gaps *slow, uint32_t operation, uint32_t served)
{
	size_t n = measure(base, operation, served);
	size_t slow_n = measure(slow, operation, served);

	if (!n)
		return;
	o->is_gap = true;
	o->own_count = (uint32_t)n;
	o->own_p50_ns = values_quantile(base->values, n, 50);
	o->own_p90_ns = values_quantile(base->values, n, 90);
	typical_compare_own(slow->values, slow_n, base->values, n, o);
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
	for (uint32_t i = 0; is_done && i < u->operation_count; i++)
		if (served[i])
			add(&u->items[i], &base, &slow, i, served[i]);
	arena_release(&scratch);
	return is_done;
}
