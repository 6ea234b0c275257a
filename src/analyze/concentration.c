/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/concentration.h"

#include <stdlib.h>

#include "analyze/ordering.h"
#include "analyze/stats.h"
#include "base/arena.h"
#include "base/num.h"

/* One span with the label that is looked at. */
struct labelled {
	uint32_t label;
	int64_t duration_ns;
};

/* As many of each as there are spans. */
struct room {
	int64_t *values;
	int64_t *others;
	struct labelled *items;
};

struct tally {
	struct labelled *items; /* by label, then duration */
	size_t count;
	int64_t threshold_ns;
	uint32_t slow_count;
};

static int compare_labelled(const void *left, const void *right)
{
	const struct labelled *a = left;
	const struct labelled *b = right;
	int order = compare_i64(a->label, b->label);

	return order ? order : compare_i64(a->duration_ns, b->duration_ns);
}

static uint32_t label_of(const struct history_span *s, enum concentration_by by)
{
	return by == CONCENTRATION_VERSION ? s->version : s->instance;
}

static void collect(const struct concentration_want *want,
		    const struct concentration_spans *from, struct tally *t)
{
	const struct history_window *w = &want->history->windows[from->window];

	for (uint32_t i = 0; i < w->span_count; i++) {
		const struct history_span *s = &w->spans[i];
		uint32_t label = label_of(s, want->by);

		if (s->operation != want->operation || !label ||
		    !time_range_has(from->range, s->start_ns))
			continue;
		t->items[t->count++] =
			(struct labelled){ label, s->duration_ns };
	}
	if (t->count)
		qsort(t->items, t->count, sizeof *t->items, compare_labelled);
}

/* Values of one label (is_inside) or of all others, sorted. */
static size_t take(const struct tally *t, uint32_t label, bool is_inside,
		   int64_t *values)
{
	size_t n = 0;

	for (size_t i = 0; i < t->count; i++)
		if ((t->items[i].label == label) == is_inside)
			values[n++] = t->items[i].duration_ns;
	values_sort(values, n);
	return n;
}

static int64_t median_of(const struct tally *t, uint32_t label, bool is_inside,
			 int64_t *values)
{
	size_t n = take(t, label, is_inside, values);

	return values_quantile(values, n, 50);
}

/* The label with the most slow spans; of equal ones the smaller number. */
static uint32_t find_leader(struct tally *t, struct concentration *out)
{
	uint32_t leader = 0;

	for (size_t i = 0; i < t->count;) {
		uint32_t label = t->items[i].label, slow = 0, all = 0;

		for (; i < t->count && t->items[i].label == label; i++) {
			slow += t->items[i].duration_ns >= t->threshold_ns;
			all++;
		}
		out->value_count++;
		t->slow_count += slow;
		if (slow > out->slow_count) {
			leader = label;
			out->slow_count = slow;
			out->span_count = all;
		}
	}
	return leader;
}

static bool is_concentrated(const struct concentration *c)
{
	uint32_t slow = c->slow_count + c->other_slow_count;

	return c->value_count >= 2 && slow && c->other_count &&
	       (double)c->slow_count >= CONCENTRATION_SHARE * slow &&
	       (double)c->other_slow_count <=
		       CONCENTRATION_OTHERS * c->other_count &&
	       c->p < CONCENTRATION_P;
}

/* values: room for as many as there are items. */
static uint32_t judge(const struct history *h, struct tally *t, int64_t *values,
		      struct concentration *out)
{
	uint32_t leader = find_leader(t, out);

	if (!leader)
		return 0;
	out->other_slow_count = t->slow_count - out->slow_count;
	out->other_count = (uint32_t)t->count - out->span_count;
	out->value = symtab_text(&h->symtab, leader);
	out->p50_ns = median_of(t, leader, true, values);
	out->other_p50_ns = median_of(t, leader, false, values);
	out->p = fisher_mid_p(out->slow_count, out->span_count,
			      out->other_slow_count, out->other_count);
	out->is_found = is_concentrated(out);
	return leader;
}

/* ---- by order ---- */

static double ratio_of(int64_t p50_ns, int64_t other_p50_ns)
{
	return (double)p50_ns / (double)(other_p50_ns > 0 ? other_p50_ns : 1);
}

struct order_test {
	uint32_t without; /* a label that is left out; 0: none */
	size_t least;     /* spans of either side */
	double p;         /* corrected for the number of labels */
};

/* The label that is slower than the rest of them for the least chance; 0: none
 * is. */
static uint32_t find_slower(const struct tally *t,
			    const struct order_test *test,
			    const struct room *room, struct concentration *out)
{
	struct tally rest = { .items = room->items };
	int64_t *values = room->values, *others = room->others;
	uint32_t slower = 0;

	for (size_t i = 0; i < t->count; i++)
		if (t->items[i].label != test->without)
			rest.items[rest.count++] = t->items[i];
	for (size_t i = 0; i < rest.count; i++) {
		uint32_t label = rest.items[i].label;
		size_t n, m;
		double z, p;

		if (i && rest.items[i - 1].label == label)
			continue;
		n = take(&rest, label, true, values);
		m = take(&rest, label, false, others);
		if (n < test->least || m < test->least)
			continue;
		p = out->value_count * rank_sum_test(values, n, others, m, &z);
		if (z <= 0 || p >= test->p || (slower && p >= out->p) ||
		    ratio_of(values_quantile(values, n, 50),
			     values_quantile(others, m, 50)) <
			    CONCENTRATION_RATIO)
			continue;
		slower = label;
		out->span_count = (uint32_t)n;
		out->other_count = (uint32_t)m;
		out->p50_ns = values_quantile(values, n, 50);
		out->other_p50_ns = values_quantile(others, m, 50);
		out->p = p;
	}
	return slower;
}

/* One alone: among the rest none stands out again. */
static uint32_t judge_order(const struct history *h, const struct tally *t,
			    const struct room *room, struct concentration *out)
{
	struct concentration first = { .value_count = out->value_count };
	struct concentration second = first;
	struct order_test test = { .least = CONCENTRATION_ORDER_MIN,
				   .p = CONCENTRATION_ORDER_P };
	uint32_t slower = find_slower(t, &test, room, &first);

	if (!slower)
		return 0;
	test = (struct order_test){ slower, CONCENTRATION_ALONE_MIN,
				    CONCENTRATION_ALONE_P };
	if (find_slower(t, &test, room, &second))
		return 0;
	first.value = symtab_text(&h->symtab, slower);
	first.is_found = first.is_by_order = true;
	*out = first;
	return slower;
}

/* ---- before ---- */

static bool was_slower(const struct tally *before, uint32_t label,
		       int64_t *values, const struct concentration *c)
{
	double now = ratio_of(c->p50_ns, c->other_p50_ns), then;
	size_t n = take(before, label, true, values);
	int64_t p50 = values_quantile(values, n, 50), other_p50;
	size_t m = take(before, label, false, values);

	other_p50 = values_quantile(values, m, 50);
	then = ratio_of(p50, other_p50);
	return n >= CONCENTRATION_BEFORE_MIN && m >= CONCENTRATION_BEFORE_MIN &&
	       then - 1 >= (now - 1) / 2;
}

static uint32_t spans_of(const struct history *h,
			 const struct concentration_spans *spans)
{
	return spans->window < h->window_count
		       ? h->windows[spans->window].span_count
		       : 0;
}

static bool find(const struct concentration_want *want, struct arena *scratch,
		 struct concentration *out)
{
	const struct history *h = want->history;
	size_t most = spans_of(h, &want->now),
	       then = spans_of(h, &want->before);
	struct tally now = { .threshold_ns = want->threshold_ns };
	struct tally before = { .count = 0 };
	size_t all = most > then ? most : then;
	struct room room;
	uint32_t leader;

	now.items = arena_array(scratch, most, sizeof *now.items);
	before.items = arena_array(scratch, then, sizeof *before.items);
	room.values = arena_array(scratch, all, sizeof *room.values);
	room.others = arena_array(scratch, all, sizeof *room.others);
	room.items = arena_array(scratch, all, sizeof *room.items);
	if (!now.items || !before.items || !room.values || !room.others ||
	    !room.items)
		return false;
	if (most)
		collect(want, &want->now, &now);
	if (then)
		collect(want, &want->before, &before);
	leader = judge(h, &now, room.values, out);
	if (!out->is_found)
		leader = judge_order(h, &now, &room, out);
	/* Of versions side by side the slower one is news for as long as it
	 * runs; an instance may be far away for ever. */
	out->is_as_ever = out->is_found && want->by == CONCENTRATION_INSTANCE &&
			  was_slower(&before, leader, room.values, out);
	out->is_found = out->is_found && !out->is_as_ever;
	return true;
}

bool concentration_find(const struct concentration_want *want,
			struct concentration *out, struct error *err)
{
	struct arena scratch;
	bool is_done;

	*out = (struct concentration){ .p50_ns = -1,
				       .other_p50_ns = -1,
				       .p = 1 };
	arena_init(&scratch, LIMIT_ANALYZE_HEAP_BYTES);
	is_done = find(want, &scratch, out) ||
		  arena_fail(&scratch, "the history of the operations", err);
	arena_release(&scratch);
	return is_done;
}
