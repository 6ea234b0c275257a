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

static void collect(const struct history_window *w, struct time_range range,
		    uint32_t operation, enum concentration_by by,
		    struct tally *t)
{

	for (uint32_t i = 0; i < w->span_count; i++) {
		const struct history_span *s = &w->spans[i];

		if (s->operation != operation || !label_of(s, by) ||
		    s->start_ns < range.from_ns || s->start_ns >= range.to_ns)
			continue;
		t->items[t->count++] =
			(struct labelled){ label_of(s, by), s->duration_ns };
	}
	if (t->count)
		qsort(t->items, t->count, sizeof *t->items, compare_labelled);
}

/* Values of one label (is_inside) or of all others, sorted. */
static int64_t median_of(const struct tally *t, uint32_t label, bool is_inside,
			 int64_t *values)
{
	size_t n = 0;

	for (size_t i = 0; i < t->count; i++)
		if ((t->items[i].label == label) == is_inside)
			values[n++] = t->items[i].duration_ns;
	values_sort(values, n);
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
static void judge(const struct history *h, struct tally *t, int64_t *values,
		  struct concentration *out)
{
	uint32_t leader = find_leader(t, out);

	if (!leader)
		return;
	out->other_slow_count = t->slow_count - out->slow_count;
	out->other_count = (uint32_t)t->count - out->span_count;
	out->value = symtab_text(&h->symtab, leader);
	out->p50_ns = median_of(t, leader, true, values);
	out->other_p50_ns = median_of(t, leader, false, values);
	out->p = fisher_mid_p(out->slow_count, out->span_count,
			      out->other_slow_count, out->other_count);
	out->is_found = is_concentrated(out);
}

bool concentration_find(const struct history *h, uint32_t window,
			struct time_range range, uint32_t operation,
			int64_t threshold_ns, enum concentration_by by,
			struct concentration *out, struct error *err)
{
	struct tally t = { .threshold_ns = threshold_ns };
	const struct history_window *w;
	struct arena scratch;
	int64_t *values;
	bool is_done;

	*out = (struct concentration){ .p50_ns = -1,
				       .other_p50_ns = -1,
				       .p = 1 };
	if (window >= h->window_count)
		return true;
	w = &h->windows[window];
	arena_init(&scratch, LIMIT_ANALYZE_HEAP_BYTES);
	t.items = arena_array(&scratch, w->span_count, sizeof *t.items);
	values = arena_array(&scratch, w->span_count, sizeof *values);
	is_done = (t.items && values) ||
		  arena_fail(&scratch, "the history of the operations", err);
	if (is_done) {
		collect(w, range, operation, by, &t);
		judge(h, &t, values, out);
	}
	arena_release(&scratch);
	return is_done;
}
