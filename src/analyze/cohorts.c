/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/contrasts.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/baseline.h"
#include "analyze/ordering.h"
#include "analyze/stats.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/num.h"
#include "model/history.h"

/* Whether slow spans come from one instance or one version while the others
 * are fast in the same minutes: then those are the ones to compare with. A
 * new pod has no past. */

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

static void collect_counts(const struct concentration_want *want,
			   const struct concentration_spans *from,
			   struct tally *t)
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

#define CONCENTRATION_P 0.01

#define CONCENTRATION_OTHERS 0.2

/* Part of the slow spans that one instance must hold, and the part of the
 * others' spans that may be slow. */
#define CONCENTRATION_SHARE 0.8

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

/* One that is slower than the others in the same minutes without any of its
 * spans being slow for the operation: by its median, and beyond doubt by rank,
 * corrected for the number of values. Instances differ by some ten percent as
 * their machines and their share of large requests do. */
#define CONCENTRATION_RATIO 1.2

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

#define CONCENTRATION_ALONE_P 0.1

/* It is the one when none of the rest looks as if it were another. */
#define CONCENTRATION_ALONE_MIN 5u

#define CONCENTRATION_ORDER_MIN 10u

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

/* An instance that was slower before, too, is no news: by half as much and
 * more. */
#define CONCENTRATION_BEFORE_MIN 5u

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

static bool find_concentration(const struct concentration_want *want,
			       struct arena *scratch, struct concentration *out)
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
		collect_counts(want, &want->now, &now);
	if (then)
		collect_counts(want, &want->before, &before);
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
	is_done = find_concentration(want, &scratch, out) ||
		  arena_fail(&scratch, "the history of the operations", err);
	arena_release(&scratch);
	return is_done;
}

#define COHORT_IDS (LIMIT_COHORT_SPANS / 2)

/* The valley between two modes: from a third to two thirds of the way. */
#define VALLEY_FROM (1.0 / 3)
#define VALLEY_TO (2.0 / 3)
#define VALLEY_HALF_WIDTH (1.0 / 6)
#define VALLEY_DEPTH 0.5

/* A part that was always there: the slow window has less than twice of it. */
#define NEW_SHARE_RATIO 2.0

/* Durations of one window's spans of the operation, ascending. */
struct durations {
	int64_t *values;
	size_t count;
	size_t cap;
	int64_t p50_ns;
};

struct work {
	const struct cohort_want *want;
	struct arena *arena; /* of the result */
	struct arena scratch;
	struct cohorts *out;
	struct durations now;
	struct durations before;
	struct durations earlier; /* than the baseline, all that is known */
	bool is_moved;
};

static const struct history_window *get_window(const struct work *w,
					       uint32_t window)
{
	const struct history *h = w->want->history;

	return window < h->window_count ? &h->windows[window] : NULL;
}

static struct time_range baseline_range(const struct work *w)
{
	const struct baseline_choice *b = w->want->baseline;

	if (!b || b->chosen >= BASELINE_SLOTS)
		return (struct time_range){ 0, 0 };
	return b->slots[b->chosen].range;
}

static uint32_t baseline_window(const struct work *w)
{
	return w->want->baseline ? w->want->baseline->window : WINDOW_NONE;
}

/* Adds the spans of a window. */
static bool add(struct work *w, uint32_t window, struct time_range range,
		struct durations *out, struct error *err)
{
	const struct history_window *from = get_window(w, window);
	void *values = out->values;

	if (!from)
		return true;
	if (!arena_reserve(&w->scratch, &values, &out->cap,
			   out->count + from->span_count + 1,
			   sizeof *out->values))
		return arena_fail(&w->scratch, "the cohorts", err);
	out->values = values;
	for (uint32_t i = 0; i < from->span_count; i++) {
		const struct history_span *s = &from->spans[i];

		if (s->operation == w->want->operation &&
		    time_range_has(range, s->start_ns))
			out->values[out->count++] = s->duration_ns;
	}
	return true;
}

static void put_in_order(struct durations *d)
{
	values_sort(d->values, d->count);
	d->p50_ns = values_quantile(d->values, d->count, 50);
}

static bool collect(struct work *w, uint32_t window, struct time_range range,
		    struct durations *out, struct error *err)
{
	*out = (struct durations){ .p50_ns = -1 };
	if (!add(w, window, range, out, err))
		return false;
	put_in_order(out);
	return true;
}

static bool collect_earlier(struct work *w, struct error *err)
{
	const struct baseline_choice *b = w->want->baseline;
	unsigned first = b && b->chosen < BASELINE_SLOTS ? b->chosen + 1
							 : BASELINE_DAY;

	for (unsigned i = first; i < BASELINE_SLOTS; i++) {
		uint32_t window = w->want->roles->baselines[i];
		const struct history_window *from = get_window(w, window);

		if (from && !add(w, window, from->range, &w->earlier, err))
			return false;
	}
	put_in_order(&w->earlier);
	return true;
}

/* ---- which mode ---- */

static double ratio(int64_t a, int64_t b)
{
	return (double)a / (double)(b > 0 ? b : 1);
}

static double log_of(int64_t value)
{
	return log((double)(value > 0 ? value : 1));
}

#define COHORT_WANDER_SPANS 20u

/* Logarithms of the medians of windows before. Returns how many. */
static size_t list_medians(const struct work *w, double logs[BASELINE_SLOTS])
{
	const struct baseline_choice *b = w->want->baseline;
	size_t count = 0;

	for (unsigned i = 0; b && i < BASELINE_SLOTS; i++)
		if (b->slots[i].count >= COHORT_WANDER_SPANS)
			logs[count++] = log_of(b->slots[i].p50_ns);
	return count;
}

/* Medians of some dozens of spans are no better known. */
#define COHORT_WANDER_LEAST 0.01

#define COHORT_WANDER_WINDOWS 3u

#define COHORT_WANDER_P 0.02

/* Sets what they wander by, and says whether the median now is beyond that. */
static bool is_beyond_wander(struct work *w)
{
	double logs[BASELINE_SLOTS], mean = 0, most = 0, squares = 0, t;
	size_t count = list_medians(w, logs);
	double n = (double)count, now = log_of(w->now.p50_ns);

	w->out->wander = NAN;
	if (count < COHORT_WANDER_WINDOWS)
		return false;
	for (size_t i = 0; i < count; i++) {
		mean += logs[i] / n;
		most = fmax(most, logs[i]);
	}
	for (size_t i = 0; i < count; i++)
		squares += (logs[i] - mean) * (logs[i] - mean);
	w->out->wander = fmax(COHORT_WANDER_LEAST, sqrt(squares / (n - 1)));
	t = (now - mean) / (w->out->wander * sqrt(1 + 1 / n));
	return now > most && student_two_sided(t, n - 1) < COHORT_WANDER_P &&
	       t > 0;
}

/* A smaller move is told where earlier windows say how far medians wander: it
 * is beyond chance by rank, beyond each of them, and beyond their spread
 * (Student, of so many medians, each of so many spans). */
#define COHORT_SMALL_RATIO 1.05

#define COHORT_DRIFT_RATIO 1.2

/* A moved median, and one that moved less but beyond doubt. Ordinary services
 * drift by some ten percent from one window to the next. */
#define COHORT_RATIO 1.5

static void test_median(struct work *w)
{
	struct cohorts *out = w->out;
	double moved;

	out->p = out->wander = NAN;
	if (w->now.count < COHORT_MIN || w->before.count < COHORT_MIN)
		return;
	out->p = rank_sum_test(w->now.values, w->now.count, w->before.values,
			       w->before.count, &out->z);
	moved = ratio(w->now.p50_ns, w->before.p50_ns);
	w->is_moved = moved >= COHORT_RATIO ||
		      (moved >= COHORT_DRIFT_RATIO && out->p < COHORT_P);
	out->is_small_move = is_beyond_wander(w) && !w->is_moved &&
			     moved >= COHORT_SMALL_RATIO &&
			     out->p < COHORT_SMALL_P;
	w->is_moved |= out->is_small_move;
}

/* Otsu's method on the logarithms: where the two parts differ most. Only
 * splits that leave the span on the slow side, well above the median of the
 * fast one. Returns the size of the fast part, 0 for none. */
static size_t find_split(const struct work *w)
{
	const int64_t *v = w->now.values;
	double total = 0, below = 0, best = 0, n = (double)w->now.count;
	size_t split = 0;

	for (size_t i = 0; i < w->now.count; i++)
		total += log_of(v[i]);
	for (size_t i = 1; i < w->now.count; i++) {
		double k = (double)i, distance, between;
		int64_t fast_p50 = values_quantile(v, i, 50);

		below += log_of(v[i - 1]);
		if (v[i] == v[i - 1] || v[i] > w->want->duration_ns ||
		    ratio(v[i], fast_p50) < COHORT_RATIO)
			continue;
		distance = (total - below) / (n - k) - below / k;
		between = distance * distance * k * (n - k);
		if (between > best) {
			best = between;
			split = i;
		}
	}
	return split;
}

static size_t count_between(const struct durations *d, double from, double to)
{
	size_t n = 0;

	for (size_t i = 0; i < d->count; i++)
		n += log_of(d->values[i]) >= from && log_of(d->values[i]) < to;
	return n;
}

static bool has_valley(const struct work *w)
{
	double fast = log_of(w->out->fast_p50_ns);
	double way = log_of(w->out->slow_p50_ns) - fast;
	size_t valley = count_between(&w->now, fast + way * VALLEY_FROM,
				      fast + way * VALLEY_TO);
	size_t slow =
		count_between(&w->now, fast + way * (1 - VALLEY_HALF_WIDTH),
			      fast + way * (1 + VALLEY_HALF_WIDTH));

	return (double)valley <= VALLEY_DEPTH * (double)slow;
}

static void set_medians(struct work *w, size_t split)
{
	w->out->fast_p50_ns = values_quantile(w->now.values, split, 50);
	w->out->slow_p50_ns = values_quantile(w->now.values + split,
					      w->now.count - split, 50);
}

#define COHORT_MODE_RATIO 3.0

/* A second mode: this part of the spans, this much slower, with a valley in
 * between: in the middle third of the way from one median to the other (of
 * the logarithms) lie at most half as many spans as around the slow median.
 * The tail of a single distribution falls steadily and has none. */
#define COHORT_MODE_SHARE 0.03

static bool has_two_modes(struct work *w)
{
	size_t split = find_split(w), slow = w->now.count - split;

	if (split < COHORT_MIN || slow < COHORT_MIN ||
	    (double)slow < COHORT_MODE_SHARE * (double)w->now.count)
		return false;
	set_medians(w, split);
	if (ratio(w->out->slow_p50_ns, w->out->fast_p50_ns) <
		    COHORT_MODE_RATIO ||
	    !has_valley(w))
		return false;
	w->out->threshold_ns = w->now.values[split];
	return true;
}

/* Geometric mean: durations spread by factors. */
static int64_t between(int64_t a, int64_t b)
{
	return (int64_t)exp((log_of(a) + log_of(b)) / 2);
}

/* Slow from half way between what is usual and what the slow ones take, but
 * never more than the span in question took. */
static int64_t find_threshold(const struct work *w)
{
	int64_t own = w->want->duration_ns;
	int64_t typical = w->before.count >= COHORT_MIN ? w->before.p50_ns
							: w->now.p50_ns;
	int64_t slow = own, threshold;

	if (typical < 0)
		return own;
	if (w->is_moved && w->now.p50_ns < own)
		slow = w->now.p50_ns;
	threshold = between(typical, slow);
	if (!w->is_moved && (double)threshold < COHORT_RATIO * (double)typical)
		threshold = (int64_t)(COHORT_RATIO * (double)typical);
	return threshold < own ? threshold : own;
}

static uint32_t count_slow(const struct durations *d, int64_t threshold_ns)
{
	return (uint32_t)(d->count -
			  values_below(d->values, d->count, threshold_ns));
}

static double share_of(uint32_t part, size_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

/* Whether the slow part is larger than so many of so many before, by chance
 * with less than p. */
static bool is_larger_than(const struct work *w, uint32_t slow, size_t count,
			   double p)
{
	double now_share = share_of(w->out->slow_count, w->now.count);

	return count >= COHORT_MIN &&
	       now_share >= NEW_SHARE_RATIO * share_of(slow, count) &&
	       fisher_mid_p(w->out->slow_count, (double)w->now.count, slow,
			    (double)count) < p;
}

static bool is_larger_part(const struct work *w, const struct durations *before,
			   double p)
{
	return is_larger_than(w, count_slow(before, w->out->threshold_ns),
			      before->count, p);
}

/* A fault may be older than the baseline, whose median it leaves alone. */
static bool is_new_part(const struct work *w)
{
	return is_larger_part(w, &w->before, COHORT_P) ||
	       is_larger_part(w, &w->earlier, COHORT_P);
}

/* Two modes are no fault by themselves: big exports are slow as ever. Where
 * such spans were seen before, there must be twice as many of them now, and
 * hardly by chance; less sure than of a part without a valley, for that there
 * are two modes is certain. */
#define COHORT_MODE_P 0.05

/* Where no slow one was seen before, or nothing is known of it, they are what
 * they look like. */
static bool has_part_changed(const struct work *w)
{
	return w->before.count < COHORT_MIN || !w->out->before_slow_count ||
	       w->out->is_new || is_larger_part(w, &w->before, COHORT_MODE_P);
}

/* Nothing is denied that may be: so many slow ones, twice the part that there
 * was, by chance in less than one of ten. */
#define COHORT_UNSURE_MIN 3u

/* Fewer than make a change: neither is it denied. The baseline has the fewest
 * slow ones of the windows looked at, so that it alone has too few of them:
 * those further back count as well. */
static bool is_unsure(const struct work *w)
{
	int64_t threshold_ns = w->out->threshold_ns;
	uint32_t slow = count_slow(&w->before, threshold_ns) +
			count_slow(&w->earlier, threshold_ns);

	return w->out->slow_count >= COHORT_UNSURE_MIN &&
	       (is_larger_than(w, slow, w->before.count + w->earlier.count,
			       COHORT_UNSURE_P) ||
		is_larger_part(w, &w->earlier, COHORT_UNSURE_P));
}

#define COHORT_TAIL_MIN 40u

/* Slow from where the slowest of the baseline begin, in place of what the
 * request in question took. */
static bool has_new_tail(struct work *w)
{
	const struct durations *now = &w->now, *before = &w->before;
	int64_t edge_ns = values_quantile(before->values, before->count,
					  COHORT_TAIL_PERCENT);
	struct cohorts *out = w->out;
	int64_t threshold_ns = out->threshold_ns;
	uint32_t slow_count = out->slow_count;

	if (before->count < COHORT_TAIL_MIN || now->count < COHORT_TAIL_MIN ||
	    edge_ns > w->want->duration_ns ||
	    ratio(values_quantile(now->values, now->count,
				  COHORT_TAIL_PERCENT),
		  edge_ns) < COHORT_RATIO)
		return false;
	out->threshold_ns = edge_ns;
	out->slow_count = count_slow(now, edge_ns);
	if (is_larger_part(w, before, COHORT_P)) {
		out->before_slow_count = count_slow(before, edge_ns);
		set_medians(w, now->count - out->slow_count);
		return true;
	}
	out->threshold_ns = threshold_ns;
	out->slow_count = slow_count;
	return false;
}

static bool is_as_before(const struct work *w)
{
	return share_of(w->out->slow_count, w->now.count) <
	       NEW_SHARE_RATIO *
		       share_of(w->out->before_slow_count, w->before.count);
}

/* A part much slower than the rest, and more than there was of it, is a change
 * without a valley too: some requests of a feature, a burst. */
static bool is_new_mode(struct work *w)
{
	if (!w->out->is_new || w->out->slow_count < COHORT_MIN)
		return false;
	set_medians(w, w->now.count - w->out->slow_count);
	return w->out->fast_p50_ns >= 0 &&
	       ratio(w->out->slow_p50_ns, w->out->fast_p50_ns) >=
		       COHORT_MODE_RATIO;
}

static void set_percentile(struct work *w)
{
	const struct durations *d =
		w->now.count >= COHORT_MIN ? &w->now : &w->before;

	w->out->percentile = NAN;
	if (d->count >= COHORT_MIN)
		w->out->percentile =
			(double)values_below(d->values, d->count,
					     w->want->duration_ns) /
			(double)d->count;
}

static bool find_concentrations(struct work *w, struct error *err)
{
	struct cohorts *out = w->out;
	struct concentration_want want = {
		.history = w->want->history,
		.now = { w->want->roles->slow, w->want->slow_range },
		.before = { baseline_window(w), baseline_range(w) },
		.operation = w->want->operation,
		.threshold_ns = out->threshold_ns,
		.by = CONCENTRATION_INSTANCE,
	};

	if (!concentration_find(&want, &out->instance, err))
		return false;
	want.by = CONCENTRATION_VERSION;
	return concentration_find(&want, &out->version, err);
}

/* Of the lead, whatever part of the slow ones it has. */
static bool fill_lead(struct work *w, struct concentration *c,
		      struct error *err)
{
	const struct cohort_want *want = w->want;
	const struct history_window *from = get_window(w, want->roles->slow);
	uint32_t count = from ? from->span_count : 0;
	int64_t *with = arena_array(&w->scratch, count, sizeof *with);
	int64_t *without = arena_array(&w->scratch, count, sizeof *without);
	uint32_t value_count = c->value_count;

	if (!with || !without)
		return arena_fail(&w->scratch, "the cohorts", err);
	*c = (struct concentration){ .is_found = true,
				     .value = want->lead.value,
				     .value_count = value_count };
	for (uint32_t i = 0; i < count; i++) {
		const struct history_span *s = &from->spans[i];
		bool is_slow = s->duration_ns >= w->out->threshold_ns;
		uint32_t label = want->lead.by == CONCENTRATION_INSTANCE
					 ? s->instance
					 : s->version;

		if (s->operation != want->operation || !label ||
		    !time_range_has(want->slow_range, s->start_ns))
			continue;
		if (str_equal(symtab_text(&want->history->symtab, label),
			      c->value)) {
			with[c->span_count++] = s->duration_ns;
			c->slow_count += is_slow;
		} else {
			without[c->other_count++] = s->duration_ns;
			c->other_slow_count += is_slow;
		}
	}
	values_sort(with, c->span_count);
	values_sort(without, c->other_count);
	c->p50_ns = values_quantile(with, c->span_count, 50);
	c->other_p50_ns = values_quantile(without, c->other_count, 50);
	c->p = fisher_mid_p(c->slow_count, c->span_count, c->other_slow_count,
			    c->other_count);
	return true;
}

static bool heed_lead(struct work *w, struct error *err)
{
	const struct cohort_lead *lead = &w->want->lead;

	return !lead->value.len ||
	       fill_lead(w,
			 lead->by == CONCENTRATION_INSTANCE ? &w->out->instance
							    : &w->out->version,
			 err);
}

/* One that is slower as a whole is not the matter of a request that took no
 * longer than those elsewhere. */
static void heed_own(const struct work *w, struct concentration *c)
{
	if (c->is_by_order &&
	    w->want->duration_ns < between(c->other_p50_ns, c->p50_ns))
		c->is_found = false;
}

/* Of fewer the slowest one alone would be the quantile. */
#define COHORT_P99_MIN 100u

static int64_t p99_of(const struct durations *d)
{
	return d->count < COHORT_P99_MIN
		       ? -1
		       : values_quantile(d->values, d->count, 99);
}

static double part_p(const struct work *w)
{
	const struct cohorts *c = w->out;

	if (w->now.count < COHORT_MIN || w->before.count < COHORT_MIN)
		return NAN;
	return fisher_mid_p(c->slow_count, (double)w->now.count,
			    c->before_slow_count, (double)w->before.count);
}

static enum cohort_mode mode_of(const struct work *w, bool is_bimodal)
{
	const struct cohorts *out = w->out;

	if (w->now.count < COHORT_MIN)
		return COHORT_UNKNOWN;
	if (out->instance.is_found || out->version.is_found)
		return COHORT_BIMODAL;
	if (w->is_moved)
		return COHORT_WINDOW;
	if (is_bimodal || out->is_tail)
		return COHORT_BIMODAL;
	if (w->before.count < COHORT_MIN)
		return COHORT_UNKNOWN;
	return is_unsure(w) ? COHORT_UNSURE : COHORT_HEALTHY;
}

static bool find_mode(struct work *w, struct error *err)
{
	struct cohorts *out = w->out;
	bool is_bimodal;

	test_median(w);
	is_bimodal = has_two_modes(w);
	if (!is_bimodal)
		out->threshold_ns = find_threshold(w);
	out->slow_count = count_slow(&w->now, out->threshold_ns);
	out->before_slow_count = count_slow(&w->before, out->threshold_ns);
	out->is_new = is_new_part(w);
	out->is_part_as_ever = is_bimodal && !has_part_changed(w);
	is_bimodal = (is_bimodal && !out->is_part_as_ever) || is_new_mode(w);
	out->is_tail = !is_bimodal && !w->is_moved && has_new_tail(w);
	out->is_new |= out->is_tail;
	out->is_as_before = is_as_before(w);
	set_percentile(w);
	if (!find_concentrations(w, err))
		return false;
	heed_own(w, &out->instance);
	heed_own(w, &out->version);
	if (!heed_lead(w, err))
		return false;
	out->mode = mode_of(w, is_bimodal);
	out->is_against_fast = out->mode == COHORT_BIMODAL;
	out->earlier_count = (uint32_t)w->earlier.count;
	out->earlier_slow_count = count_slow(&w->earlier, out->threshold_ns);
	out->part_p = part_p(w);
	return true;
}

/* ---- the cohorts ---- */

enum part { PART_SLOW, PART_FAST, PART_ALL };

struct member {
	uint64_t span_id;
	uint64_t profile_id;
	int64_t duration_ns;
};

struct gathering {
	struct member *items;
	size_t count;
	size_t cap;
};

static int compare_member(const void *left, const void *right)
{
	const struct member *a = left;
	const struct member *b = right;
	int order = compare_u64(a->profile_id, b->profile_id);

	if (!order)
		order = compare_u64(a->span_id, b->span_id);
	return order ? order : compare_i64(a->duration_ns, b->duration_ns);
}

/* With a concentration, slow means the leader's slow spans and fast the fast
 * ones of all others; where it is slower as a whole, all of both. */
static bool is_of_part(const struct work *w, const struct history_span *s,
		       enum part part)
{
	const struct history *h = w->want->history;
	const struct cohorts *out = w->out;
	bool is_slow = s->duration_ns >= out->threshold_ns;
	const struct concentration *c =
		out->instance.is_found ? &out->instance : &out->version;
	uint32_t label = out->instance.is_found ? s->instance : s->version;

	if (part == PART_ALL)
		return true;
	if (is_slow != (part == PART_SLOW) && !(c->is_found && c->is_by_order))
		return false;
	return !c->is_found || str_equal(symtab_text(&h->symtab, label),
					 c->value) == (part == PART_SLOW);
}

static bool gather(struct work *w, uint32_t window, struct time_range range,
		   enum part part, struct gathering *g, struct error *err)
{
	const struct history_window *from = get_window(w, window);

	if (!from)
		return true;
	if (!arena_reserve(&w->scratch, (void **)&g->items, &g->cap,
			   g->count + from->span_count + 1, sizeof *g->items))
		return arena_fail(&w->scratch, "the cohorts", err);
	for (uint32_t i = 0; i < from->span_count; i++) {
		const struct history_span *s = &from->spans[i];

		if (s->operation == w->want->operation &&
		    time_range_has(range, s->start_ns) &&
		    is_of_part(w, s, part))
			g->items[g->count++] =
				(struct member){ s->span_id, s->profile_id,
						 s->duration_ns };
	}
	return true;
}

static bool add_own(struct work *w, struct gathering *g, struct error *err)
{
	if (!w->want->profile_id)
		return true;
	if (!arena_reserve(&w->scratch, (void **)&g->items, &g->cap,
			   g->count + 1, sizeof *g->items))
		return arena_fail(&w->scratch, "the cohorts", err);
	g->items[g->count++] = (struct member){
		.profile_id = w->want->profile_id,
		.duration_ns = w->want->duration_ns,
	};
	return true;
}

/* Both windows around the trace may hold a span: once is enough. */
static void drop_repeats(struct gathering *g)
{
	size_t kept = 0;

	if (g->count)
		qsort(g->items, g->count, sizeof *g->items, compare_member);
	for (size_t i = 0; i < g->count; i++) {
		const struct member *m = &g->items[i];

		if (kept && m->span_id &&
		    m->span_id == g->items[kept - 1].span_id &&
		    m->profile_id == g->items[kept - 1].profile_id)
			continue;
		g->items[kept++] = *m;
	}
	g->count = kept;
}

static bool set_median(struct work *w, const struct gathering *g,
		       struct cohort *out, struct error *err)
{
	int64_t *values = arena_array(&w->scratch, g->count, sizeof *values);

	if (!values)
		return arena_fail(&w->scratch, "the cohorts", err);
	for (size_t i = 0; i < g->count; i++)
		values[i] = g->items[i].duration_ns;
	values_sort(values, g->count);
	out->p50_ns = values_quantile(values, g->count, 50);
	return true;
}

/* Ids are random numbers, so every n-th in their order is a fair sample. The
 * own one is taken in any case. */
static void take_ids(const struct work *w, const struct gathering *g,
		     size_t labelled, bool is_slow, struct cohort *out)
{
	size_t step = labelled / COHORT_IDS + 1, seen = 0;
	uint64_t own = is_slow ? w->want->profile_id : 0;
	double sum = 0;

	for (size_t i = 0; i < g->count; i++) {
		uint64_t id = g->items[i].profile_id;

		if (!id || (i && id == g->items[i - 1].profile_id))
			continue;
		if (seen++ % step && id != own)
			continue;
		out->profile_ids[out->count++] = id;
		sum += (double)g->items[i].duration_ns;
	}
	out->mean_duration_ns = out->count ? sum / (double)out->count : NAN;
}

static bool fill_cohort(struct work *w, struct gathering *g,
			struct time_range range, bool is_slow,
			struct cohort *out, struct error *err)
{
	size_t labelled = 0;

	drop_repeats(g);
	*out = (struct cohort){ .range = range,
				.span_count = (uint32_t)g->count };
	for (size_t i = 0; i < g->count; i++)
		labelled += g->items[i].profile_id != 0;
	out->profile_ids =
		arena_array(w->arena, labelled, sizeof *out->profile_ids);
	if (!out->profile_ids)
		return arena_fail(w->arena, "the cohorts", err);
	take_ids(w, g, labelled, is_slow, out);
	return set_median(w, g, out, err);
}

static bool fill_cohorts(struct work *w, struct error *err)
{
	const struct cohort_want *want = w->want;
	struct time_range before = baseline_range(w);
	struct gathering slow = { 0 }, fast = { 0 }, base = { 0 };

	return gather(w, want->roles->slow, want->slow_range, PART_SLOW, &slow,
		      err) &&
	       gather(w, want->roles->slow_only, want->slow_range, PART_SLOW,
		      &slow, err) &&
	       add_own(w, &slow, err) &&
	       gather(w, want->roles->slow, want->slow_range, PART_FAST, &fast,
		      err) &&
	       gather(w, baseline_window(w), before, PART_ALL, &base, err) &&
	       fill_cohort(w, &slow, want->slow_range, true, &w->out->slow,
			   err) &&
	       fill_cohort(w, &fast, want->slow_range, false, &w->out->fast,
			   err) &&
	       fill_cohort(w, &base, before, false, &w->out->baseline, err);
}

static bool find(struct work *w, struct error *err)
{
	const struct cohort_want *want = w->want;

	if (!collect(w, want->roles->slow, want->slow_range, &w->now, err) ||
	    !collect(w, baseline_window(w), baseline_range(w), &w->before,
		     err) ||
	    !collect_earlier(w, err))
		return false;
	w->out->window_count = (uint32_t)w->now.count;
	w->out->p50_ns = w->now.p50_ns;
	w->out->before_count = (uint32_t)w->before.count;
	w->out->before_p50_ns = w->before.p50_ns;
	w->out->p99_ns = p99_of(&w->now);
	w->out->before_p99_ns = p99_of(&w->before);
	w->out->is_judged = find_mode(w, err) && fill_cohorts(w, err);
	return w->out->is_judged;
}

bool cohorts_find(const struct cohort_want *want, struct arena *arena,
		  struct cohorts *out, struct error *err)
{
	struct work w = { .want = want, .arena = arena, .out = out };
	bool is_done;

	*out = (struct cohorts){ 0 };
	arena_init(&w.scratch, LIMIT_ANALYZE_HEAP_BYTES);
	is_done = find(&w, err);
	arena_release(&w.scratch);
	return is_done;
}

/* How many instances of a service a window's traces saw. */

static bool is_wanted(const struct history *h, const struct history_span *s,
		      struct time_range range, struct str service,
		      struct str version)
{
	if (!s->instance || s->operation >= h->operation_count ||
	    !time_range_has(range, s->start_ns) ||
	    !str_equal(h->operations[s->operation].service, service))
		return false;
	return !version.len ||
	       str_equal(symtab_text(&h->symtab, s->version), version);
}

/* More are not told apart. */
#define INSTANCES_MAX 100u

/* Spans needed by instance. When instances share the load alike, with ten
 * spans for each that was seen the chance that one was missed is below
 * k exp(-10) for k of them. */
#define INSTANCES_SPANS 10u

uint32_t instances_count(const struct history *h, uint32_t window,
			 struct time_range range, struct str service,
			 struct str version)
{
	uint32_t seen[INSTANCES_MAX], count = 0, spans = 0;
	const struct history_window *w;

	if (window >= h->window_count)
		return 0;
	w = &h->windows[window];
	/* One selected by duration sees the slow instances only. */
	if (w->slow_operation != OPERATION_NONE)
		return 0;
	for (uint32_t i = 0; i < w->span_count; i++) {
		const struct history_span *s = &w->spans[i];
		uint32_t at = 0;

		if (!is_wanted(h, s, range, service, version))
			continue;
		spans++;
		while (at < count && seen[at] != s->instance)
			at++;
		if (at == INSTANCES_MAX)
			return 0;
		if (at == count)
			seen[count++] = s->instance;
	}
	return spans >= INSTANCES_SPANS * count ? count : 0;
}
