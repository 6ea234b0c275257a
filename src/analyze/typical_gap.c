/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/typical_gap.h"

#include <stdlib.h>

#include "analyze/operations.h"
#include "analyze/ordering.h"
#include "base/num.h"

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

/* By trace, the calls first. */
static void collect(struct gaps *g, uint32_t operation, uint32_t served)
{
	const struct history_window *w = g->window;

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
	if (g->side_count)
		qsort(g->sides, g->side_count, sizeof *g->sides, compare_sides);
}

static bool fits(const struct side *server, const struct side *call)
{
	return !call->is_taken && server->start_ns >= call->start_ns &&
	       sat_add_i64(server->start_ns, server->duration_ns) <=
		       sat_add_i64(call->start_ns, call->duration_ns);
}

/* The shortest call around it. */
static struct side *find_call(const struct side *server, struct side *calls,
			      size_t count)
{
	struct side *found = NULL;

	for (size_t i = 0; i < count; i++)
		if (fits(server, &calls[i]) &&
		    (!found || calls[i].duration_ns < found->duration_ns))
			found = &calls[i];
	return found;
}

/* Of a trace with other calls of that name: only those that hold a server side
 * are known to be answered by one. -1 none. */
static int64_t pair(struct side *calls, size_t call_count,
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
		return pair(sides, calls, sides + calls, servers);
	gap = sat_sub_i64(sum_of(sides, calls), sum_of(sides + calls, servers));
	return gap > 0 ? gap / (int64_t)calls : 0;
}

/* Ascending. */
static size_t measure(struct gaps *g, uint32_t operation, uint32_t served)
{
	size_t n = 0;

	collect(g, operation, served);
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
