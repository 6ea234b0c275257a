/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/contrasts.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/baseline.h"
#include "analyze/groups.h"
#include "analyze/stats.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/num.h"
#include "model/history.h"

/* The concentration of slow spans on one instance or version while others are
 * fast at the same time: then the others are the comparison, also since a new
 * pod has no past. */

/* One span with the label that is looked at. */
struct labelled {
	uint32_t label;
	int64_t duration_ns;
};

struct tally {
	struct labelled *items; /* by label */
	size_t count;
};

static int compare_labelled(const void *left, const void *right)
{
	const struct labelled *a = left;
	const struct labelled *b = right;

	return compare_i64(a->label, b->label);
}

static bool tally_spans(const struct group_spans *from,
			enum concentration_by by, struct tally *t,
			struct arena *arena, struct error *err)
{
	const struct history_span *s;
	uint32_t at = 0;

	*t = (struct tally){ .items = arena_array(arena, group_spans_most(from),
						  sizeof *t->items) };
	if (!t->items)
		return arena_fail(arena, "the history of the operations", err);
	while ((s = group_spans_next(from, &at))) {
		uint32_t label =
			by == CONCENTRATION_VERSION ? s->version : s->instance;

		if (label)
			t->items[t->count++] =
				(struct labelled){ label, s->duration_ns };
	}
	if (t->count)
		qsort(t->items, t->count, sizeof *t->items, compare_labelled);
	return true;
}

/* Splits values into those of a label and all others, except those of a label
 * that is left out (0: none). */
static void tally_split(const struct tally *t, uint32_t label,
			uint32_t left_out, struct group_pair *p)
{
	p->with.count = p->without.count = 0;
	for (size_t i = 0; i < t->count; i++)
		if (t->items[i].label == label)
			group_take(&p->with, t->items[i].duration_ns);
		else if (t->items[i].label != left_out)
			group_take(&p->without, t->items[i].duration_ns);
	group_pair_end(p);
}

/* The label with the most slow spans; of equal ones the smaller number. */
static uint32_t find_leader(const struct tally *t, int64_t threshold_ns,
			    struct concentration *out)
{
	uint32_t leader = 0, most = 0;

	for (size_t i = 0; i < t->count;) {
		uint32_t label = t->items[i].label, slow = 0;

		for (; i < t->count && t->items[i].label == label; i++)
			slow += t->items[i].duration_ns >= threshold_ns;
		out->value_count++;
		if (slow > most) {
			leader = label;
			most = slow;
		}
	}
	return leader;
}

static void set_sizes(const struct group_pair *p, struct concentration *out)
{
	out->span_count = (uint32_t)p->with.count;
	out->other_count = (uint32_t)p->without.count;
	out->p50_ns = p->with.p50_ns;
	out->other_p50_ns = p->without.p50_ns;
}

#define CONCENTRATION_P 0.01

#define CONCENTRATION_OTHERS 0.2

/* Part of the slow spans that one instance must hold, and the part of the
 * others' spans that may be slow. */
#define CONCENTRATION_SHARE 0.8

static bool is_concentrated(const struct concentration *c)
{
	uint32_t slow = c->slow_count + c->other_slow_count;

	return c->other_count &&
	       (double)c->slow_count >= CONCENTRATION_SHARE * slow &&
	       (double)c->other_slow_count <=
		       CONCENTRATION_OTHERS * c->other_count &&
	       c->p < CONCENTRATION_P;
}

/* ---- by order ---- */

/* One that is slower than the others in the same minutes without any of its
 * spans being slow for the operation, for the least chance; 0: none is. */
static uint32_t find_slower(const struct tally *t, uint32_t left_out,
			    enum group_rule rule, struct group_pair *p,
			    struct concentration *out)
{
	uint32_t slower = 0;

	for (size_t i = 0; i < t->count; i++) {
		uint32_t label = t->items[i].label;
		struct group_test test;

		if (label == left_out || (i && t->items[i - 1].label == label))
			continue;
		tally_split(t, label, left_out, p);
		test = group_test(&p->with, &p->without);
		if (!group_is_slower(&test, rule, out->value_count) ||
		    (slower && out->value_count * test.p >= out->p))
			continue;
		slower = label;
		set_sizes(p, out);
		out->p = out->value_count * test.p;
	}
	return slower;
}

/* One alone: among the rest none stands out again. */
static uint32_t judge_order(const struct tally *t, struct group_pair *p,
			    struct concentration *out)
{
	struct concentration first = { .value_count = out->value_count };
	struct concentration second = first;
	uint32_t slower = find_slower(t, 0, GROUP_ONE_SLOWER, p, &first);

	if (!slower || find_slower(t, slower, GROUP_ANOTHER_SLOWER, p, &second))
		return 0;
	first.is_found = first.is_by_order = true;
	*out = first;
	return slower;
}

static bool find_concentration(const struct concentration_want *want,
			       struct arena *scratch, struct concentration *out,
			       struct error *err)
{
	const struct symtab *names = &want->now.history->symtab;
	struct tally now, before;
	struct group_pair here, then;
	uint32_t found;

	if (!tally_spans(&want->now, want->by, &now, scratch, err) ||
	    !tally_spans(&want->before, want->by, &before, scratch, err) ||
	    !group_pair_reserve(&here, now.count, scratch, err) ||
	    !group_pair_reserve(&then, before.count, scratch, err))
		return false;
	found = find_leader(&now, want->threshold_ns, out);
	if (want->lead.len) {
		found = 0; /* no span has it */
		for (size_t i = 0; !found && i < now.count; i++)
			if (str_equal(symtab_text(names, now.items[i].label),
				      want->lead))
				found = now.items[i].label;
	}
	if (found || want->lead.len) {
		tally_split(&now, found, 0, &here);
		set_sizes(&here, out);
		out->slow_count = group_from(&here.with, want->threshold_ns);
		out->other_slow_count =
			group_from(&here.without, want->threshold_ns);
		out->p = part_p(
			(struct part){ out->slow_count, out->span_count },
			(struct part){ out->other_slow_count,
				       out->other_count });
		out->value = want->lead;
		out->is_found = want->lead.len || is_concentrated(out);
	}
	if (want->lead.len)
		return true;
	if (!out->is_found) {
		uint32_t slower = judge_order(&now, &here, out);

		found = slower ? slower : found;
	}
	if (found)
		out->value = symtab_text(names, found);
	/* A slower version is always reported; an instance may be permanently
	 * far away. */
	if (out->is_found && want->by == CONCENTRATION_INSTANCE) {
		tally_split(&now, found, 0, &here);
		tally_split(&before, found, 0, &then);
		out->is_as_ever = group_was_apart(&here, &then);
		out->is_found = !out->is_as_ever;
	}
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
	is_done = find_concentration(want, &scratch, out, err);
	arena_release(&scratch);
	return is_done;
}

#define COHORT_IDS (LIMIT_COHORT_SPANS / 2)

/* The valley between two modes: from a third to two thirds of the way. */
#define VALLEY_FROM (1.0 / 3)
#define VALLEY_TO (2.0 / 3)
#define VALLEY_HALF_WIDTH (1.0 / 6)
#define VALLEY_DEPTH 0.5

struct work {
	const struct cohort_want *want;
	struct arena *arena; /* of the result */
	struct arena scratch;
	struct cohorts *out;
	struct span_group now;
	struct span_group before;
	struct span_group earlier; /* than the baseline, all that is known */
	bool is_moved;
};

/* Returns the spans of a window. */
static struct group_spans spans_of(const struct work *w, uint32_t window,
				   struct time_range range)
{
	return (struct group_spans){ w->want->history, w->want->operation,
				     window, range };
}

static struct group_spans spans_now(const struct work *w)
{
	return spans_of(w, w->want->roles->slow, w->want->slow_range);
}

static struct group_spans spans_before(const struct work *w)
{
	const struct baseline_choice *b = w->want->baseline;

	if (!b || b->chosen >= BASELINE_SLOTS)
		return spans_of(w, WINDOW_NONE, (struct time_range){ 0, 0 });
	return spans_of(w, b->window, b->slots[b->chosen].range);
}

static bool cohorts_collect(struct work *w, const struct group_spans *from,
			    struct span_group *out, struct error *err)
{
	if (!group_add(out, from, &w->scratch, err))
		return false;
	group_end(out);
	return true;
}

static bool collect_earlier(struct work *w, struct error *err)
{
	const struct history *h = w->want->history;
	const struct baseline_choice *b = w->want->baseline;
	unsigned first =
		b && b->chosen < BASELINE_SLOTS ? b->chosen + 1 : BASELINE_DAY;

	for (unsigned i = first; i < BASELINE_SLOTS; i++) {
		uint32_t window = w->want->roles->baselines[i];
		struct group_spans from = spans_of(
			w, window,
			window < h->window_count ? h->windows[window].range
						 : (struct time_range){ 0, 0 });

		if (!group_add(&w->earlier, &from, &w->scratch, err))
			return false;
	}
	group_end(&w->earlier);
	return true;
}

/* ---- which mode ---- */

static double log_of(int64_t value)
{
	return log((double)(value > 0 ? value : 1));
}

#define COHORT_WANDER_SPANS 20u

/* Medians of some dozens of spans are no better known. */
#define COHORT_WANDER_LEAST 0.01

#define COHORT_WANDER_WINDOWS 3u

#define COHORT_WANDER_P 0.02

/* Sets the variation of earlier medians, and returns whether the current one is
 * beyond it. */
static bool is_beyond_wander(struct work *w)
{
	const struct baseline_choice *b = w->want->baseline;
	/* Logarithms of the medians of windows before. */
	double logs[BASELINE_SLOTS], mean = 0, squares = 0, t, n;
	double now = log_of(w->now.p50_ns);
	size_t count = 0;

	for (unsigned i = 0; b && i < BASELINE_SLOTS; i++)
		if (b->slots[i].count >= COHORT_WANDER_SPANS)
			logs[count++] = log_of(b->slots[i].p50_ns);
	n = (double)count;
	w->out->wander = NAN;
	if (count < COHORT_WANDER_WINDOWS)
		return false;
	for (size_t i = 0; i < count; i++)
		mean += logs[i] / n;
	for (size_t i = 0; i < count; i++)
		squares += (logs[i] - mean) * (logs[i] - mean);
	w->out->wander = fmax(COHORT_WANDER_LEAST, sqrt(squares / (n - 1)));
	t = (now - mean) / (w->out->wander * sqrt(1 + 1 / n));
	return t > 0 && student_two_sided(t, n - 1) < COHORT_WANDER_P;
}

/* A smaller change is reported if earlier windows show the variation of
 * medians: it is significant by rank, beyond each of them, and beyond their
 * spread (Student, with the number of medians, each of that number of
 * spans). */
static void test_median(struct work *w)
{
	struct cohorts *out = w->out;
	struct group_test t = group_test(&w->now, &w->before);

	out->p = out->wander = NAN;
	if (t.least < GROUP_MIN)
		return;
	out->p = t.p;
	out->z = t.z;
	w->is_moved = group_has_moved(&t);
	out->is_small_move = is_beyond_wander(w) && !w->is_moved &&
			     group_is_slower(&t, GROUP_MOVED_LITTLE, 1);
	w->is_moved |= out->is_small_move;
}

/* A split is worth a look from so far above the median of the fast part. */
#define COHORT_RATIO 1.5

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
		if (v[i] > w->want->duration_ns ||
		    times_as_long(v[i], fast_p50) < COHORT_RATIO)
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

static size_t count_between(const struct span_group *d, double from, double to)
{
	size_t n = 0;

	for (size_t i = 0; i < d->count; i++)
		n += log_of(d->values[i]) >= from && log_of(d->values[i]) < to;
	return n;
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
	size_t valley, around;
	double fast, way;

	if (split < GROUP_MIN || slow < GROUP_MIN ||
	    (double)slow < COHORT_MODE_SHARE * (double)w->now.count)
		return false;
	set_medians(w, split);
	fast = log_of(w->out->fast_p50_ns);
	way = log_of(w->out->slow_p50_ns) - fast;
	valley = count_between(&w->now, fast + way * VALLEY_FROM,
			       fast + way * VALLEY_TO);
	around = count_between(&w->now, fast + way * (1 - VALLEY_HALF_WIDTH),
			       fast + way * (1 + VALLEY_HALF_WIDTH));
	if (times_as_long(w->out->slow_p50_ns, w->out->fast_p50_ns) <
		    COHORT_MODE_RATIO ||
	    (double)valley > VALLEY_DEPTH * (double)around)
		return false;
	w->out->threshold_ns = w->now.values[split];
	return true;
}

/* Geometric mean: durations spread by factors. */
static int64_t middle_between(int64_t a, int64_t b)
{
	return (int64_t)exp((log_of(a) + log_of(b)) / 2);
}

/* Returns the threshold: the midpoint between the typical duration and that of
 * the slow ones, but never more than the duration of the span in question. */
static int64_t find_threshold(const struct work *w)
{
	int64_t own = w->want->duration_ns;
	int64_t typical =
		w->before.count >= GROUP_MIN ? w->before.p50_ns : w->now.p50_ns;
	int64_t slow = own, threshold;

	if (typical < 0)
		return own;
	if (w->is_moved && w->now.p50_ns < own)
		slow = w->now.p50_ns;
	threshold = middle_between(typical, slow);
	if (!w->is_moved && (double)threshold < COHORT_RATIO * (double)typical)
		threshold = (int64_t)(COHORT_RATIO * (double)typical);
	return min_i64(threshold, own);
}

static void set_threshold(struct work *w, int64_t threshold_ns)
{
	w->out->threshold_ns = threshold_ns;
	w->out->slow_count = group_from(&w->now, threshold_ns);
	w->out->before_slow_count = group_from(&w->before, threshold_ns);
}

static struct part slow_of(const struct work *w, const struct span_group *g)
{
	return part_from(g, w->out->threshold_ns);
}

static bool is_larger_part(const struct work *w,
			   const struct span_group *before,
			   enum group_rule rule)
{
	return part_is_larger(slow_of(w, &w->now), slow_of(w, before), rule);
}

/* Minimum number of slow spans for "unsure" instead of "healthy". */
#define COHORT_UNSURE_MIN 3u

#define COHORT_TAIL_MIN 40u

/* Slow from where the slowest of the baseline begin, in place of what the
 * request in question took. */
static bool has_new_tail(struct work *w)
{
	const struct span_group *now = &w->now, *before = &w->before;
	int64_t edge_ns = values_quantile(before->values, before->count,
					  COHORT_TAIL_PERCENT);
	int64_t tail_ns =
		values_quantile(now->values, now->count, COHORT_TAIL_PERCENT);

	if (before->count < COHORT_TAIL_MIN || now->count < COHORT_TAIL_MIN ||
	    edge_ns > w->want->duration_ns ||
	    times_as_long(tail_ns, edge_ns) < COHORT_RATIO ||
	    !part_is_larger(part_from(now, edge_ns), part_from(before, edge_ns),
			    GROUP_MORE))
		return false;
	set_threshold(w, edge_ns);
	set_medians(w, now->count - w->out->slow_count);
	return true;
}

/* A part that was always there: the slow window has less than twice of it. */
#define NEW_SHARE_RATIO 2.0

/* A part much slower than the rest, and more than there was of it, is a change
 * without a valley too: some requests of a feature, a burst. */
static bool is_new_mode(struct work *w)
{
	if (!w->out->is_new || w->out->slow_count < GROUP_MIN)
		return false;
	set_medians(w, w->now.count - w->out->slow_count);
	return w->out->fast_p50_ns >= 0 &&
	       times_as_long(w->out->slow_p50_ns, w->out->fast_p50_ns) >=
		       COHORT_MODE_RATIO;
}

static bool find_concentration_by(struct work *w, enum concentration_by by,
				  struct concentration *out, struct error *err)
{
	struct concentration_want want = {
		.now = spans_now(w),
		.before = spans_before(w),
		.threshold_ns = w->out->threshold_ns,
		.by = by,
	};

	if (w->want->lead.by == by)
		want.lead = w->want->lead.value;
	if (!concentration_find(&want, out, err))
		return false;
	/* One that is slower as a whole is not the matter of a request that
	 * took no longer than those elsewhere. */
	if (out->is_by_order &&
	    w->want->duration_ns <
		    middle_between(out->other_p50_ns, out->p50_ns))
		out->is_found = false;
	return true;
}

/* With fewer the slowest one alone would be the quantile. */
#define COHORT_P99_MIN 100u

static int64_t p99_of(const struct span_group *g)
{
	return g->count < COHORT_P99_MIN
		       ? -1
		       : values_quantile(g->values, g->count, 99);
}

static enum cohort_mode mode_of(const struct work *w, bool is_bimodal)
{
	const struct cohorts *out = w->out;
	struct part now = slow_of(w, &w->now);
	struct part before = slow_of(w, &w->before);
	struct part earlier = slow_of(w, &w->earlier);
	struct part both = { before.some + earlier.some,
			     before.all + earlier.all };

	if (w->now.count < GROUP_MIN)
		return COHORT_UNKNOWN;
	if (out->instance.is_found || out->version.is_found)
		return COHORT_BIMODAL;
	if (w->is_moved)
		return COHORT_WINDOW;
	if (is_bimodal || out->is_tail)
		return COHORT_BIMODAL;
	if (w->before.count < GROUP_MIN)
		return COHORT_UNKNOWN;
	/* Fewer than make a change: neither is it denied. The baseline has the
	 * fewest slow ones of the windows looked at, so that it alone has too
	 * few of them: those further back count as well. */
	return out->slow_count >= COHORT_UNSURE_MIN &&
			       (part_is_larger(now, both, GROUP_MAYBE_MORE) ||
				part_is_larger(now, earlier, GROUP_MAYBE_MORE))
		       ? COHORT_UNSURE
		       : COHORT_HEALTHY;
}

static bool find_mode(struct work *w, struct error *err)
{
	const struct span_group *g =
		w->now.count >= GROUP_MIN ? &w->now : &w->before;
	struct cohorts *out = w->out;
	bool is_bimodal;

	test_median(w);
	is_bimodal = has_two_modes(w);
	set_threshold(w, is_bimodal ? out->threshold_ns : find_threshold(w));
	/* A fault may be older than the baseline, whose median it leaves
	 * alone. */
	out->is_new = is_larger_part(w, &w->before, GROUP_MORE) ||
		      is_larger_part(w, &w->earlier, GROUP_MORE);
	/* Two modes alone are no fault: big exports are always slow. If such
	 * spans existed before, there must be twice as many now. If there were
	 * none, or nothing is known, they count. */
	out->is_part_as_ever =
		is_bimodal && out->before_slow_count && !out->is_new &&
		!is_larger_part(w, &w->before, GROUP_MORE_IN_MODE);
	is_bimodal = (is_bimodal && !out->is_part_as_ever) || is_new_mode(w);
	out->is_tail = !is_bimodal && !w->is_moved && has_new_tail(w);
	out->is_new |= out->is_tail;
	out->is_as_before =
		part_share(slow_of(w, &w->now)) <
		NEW_SHARE_RATIO * part_share(slow_of(w, &w->before));
	out->percentile = g->count < GROUP_MIN
				  ? NAN
				  : (double)values_below(g->values, g->count,
							 w->want->duration_ns) /
					    (double)g->count;
	if (!find_concentration_by(w, CONCENTRATION_INSTANCE, &out->instance,
				   err) ||
	    !find_concentration_by(w, CONCENTRATION_VERSION, &out->version,
				   err))
		return false;
	out->mode = mode_of(w, is_bimodal);
	out->is_against_fast = out->mode == COHORT_BIMODAL;
	out->earlier_count = (uint32_t)w->earlier.count;
	out->earlier_slow_count = group_from(&w->earlier, out->threshold_ns);
	out->part_p =
		w->now.count < GROUP_MIN || w->before.count < GROUP_MIN
			? NAN
			: part_p(slow_of(w, &w->now), slow_of(w, &w->before));
	return true;
}

/* ---- the cohorts ---- */

enum which { SLOW_ONES, FAST_ONES, ALL_ONES };

/* Spans by profile id. */
struct members {
	const struct history_span **items;
	size_t count;
};

static int compare_member(const void *left, const void *right)
{
	const struct history_span *a =
		*(const struct history_span *const *)left;
	const struct history_span *b =
		*(const struct history_span *const *)right;
	int order = compare_u64(a->profile_id, b->profile_id);

	if (!order)
		order = compare_u64(a->span_id, b->span_id);
	return order ? order : compare_i64(a->duration_ns, b->duration_ns);
}

/* With a concentration, slow means the leader's slow spans and fast the fast
 * ones of all others; where it is slower as a whole, all of both. */
static bool is_one(const struct work *w, const struct history_span *s,
		   enum which which)
{
	const struct history *h = w->want->history;
	const struct cohorts *out = w->out;
	bool is_slow = s->duration_ns >= out->threshold_ns;
	const struct concentration *c =
		out->instance.is_found ? &out->instance : &out->version;
	uint32_t label = out->instance.is_found ? s->instance : s->version;

	if (which == ALL_ONES)
		return true;
	if (is_slow != (which == SLOW_ONES) && !(c->is_found && c->is_by_order))
		return false;
	return !c->is_found || str_equal(symtab_text(&h->symtab, label),
					 c->value) == (which == SLOW_ONES);
}

/* Both windows around the trace may hold a span: once is enough. */
static void drop_repeats(struct members *m)
{
	size_t kept = 0;

	if (m->count)
		qsort(m->items, m->count, sizeof(void *), compare_member);
	for (size_t i = 0; i < m->count; i++) {
		const struct history_span *s = m->items[i];

		if (kept && s->span_id &&
		    s->span_id == m->items[kept - 1]->span_id &&
		    s->profile_id == m->items[kept - 1]->profile_id)
			continue;
		m->items[kept++] = s;
	}
	m->count = kept;
}

/* Ids are random numbers, so every n-th in their order is a fair sample. The
 * own one is taken in any case. */
static bool take_ids(const struct work *w, const struct members *m,
		     uint64_t own, struct cohort *out, struct error *err)
{
	size_t labelled = 0, step, seen = 0;
	double sum = 0;

	for (size_t i = 0; i < m->count; i++)
		labelled += m->items[i]->profile_id != 0;
	step = labelled / COHORT_IDS + 1;
	out->profile_ids =
		arena_array(w->arena, labelled, sizeof *out->profile_ids);
	if (!out->profile_ids)
		return arena_fail(w->arena, "the cohorts", err);
	for (size_t i = 0; i < m->count; i++) {
		uint64_t id = m->items[i]->profile_id;

		if (!id || (i && id == m->items[i - 1]->profile_id))
			continue;
		if (seen++ % step && id != own)
			continue;
		out->profile_ids[out->count++] = id;
		sum += (double)m->items[i]->duration_ns;
	}
	out->mean_duration_ns = out->count ? sum / (double)out->count : NAN;
	return true;
}

/* Fills a cohort from two sources; own: one more, or NULL. */
static bool fill_cohort(struct work *w, const struct group_spans from[2],
			enum which which, const struct history_span *own,
			struct cohort *out, struct error *err)
{
	size_t most = group_spans_most(&from[0]) + group_spans_most(&from[1]);
	struct members m = { .items = arena_array(&w->scratch, most + 1,
						  sizeof(void *)) };
	struct span_group all = { .count = 0 };
	const struct history_span *s;

	if (!m.items)
		return arena_fail(&w->scratch, "the cohorts", err);
	for (size_t i = 0; i < 2; i++)
		for (uint32_t at = 0; (s = group_spans_next(&from[i], &at));)
			if (is_one(w, s, which))
				m.items[m.count++] = s;
	if (own)
		m.items[m.count++] = own;
	drop_repeats(&m);
	*out = (struct cohort){ .range = from[0].range,
				.span_count = (uint32_t)m.count };
	if (!take_ids(w, &m, own ? own->profile_id : 0, out, err) ||
	    !group_reserve(&all, m.count, &w->scratch, err))
		return false;
	for (size_t i = 0; i < m.count; i++)
		group_take(&all, m.items[i]->duration_ns);
	group_end(&all);
	out->p50_ns = all.p50_ns;
	return true;
}

static bool fill_cohorts(struct work *w, struct error *err)
{
	const struct cohort_want *want = w->want;
	const struct history_span own = { .profile_id = want->profile_id,
					  .duration_ns = want->duration_ns };
	const struct group_spans none =
		spans_of(w, WINDOW_NONE, (struct time_range){ 0, 0 });
	const struct group_spans slow[2] = {
		spans_now(w),
		spans_of(w, want->roles->slow_only, want->slow_range),
	};

	return fill_cohort(w, slow, SLOW_ONES, own.profile_id ? &own : NULL,
			   &w->out->slow, err) &&
	       fill_cohort(w, (struct group_spans[]){ slow[0], none },
			   FAST_ONES, NULL, &w->out->fast, err) &&
	       fill_cohort(w, (struct group_spans[]){ spans_before(w), none },
			   ALL_ONES, NULL, &w->out->baseline, err);
}

static bool cohorts_collect_find(struct work *w, struct error *err)
{
	struct group_spans now = spans_now(w), before = spans_before(w);
	struct cohorts *out = w->out;

	if (!cohorts_collect(w, &now, &w->now, err) ||
	    !cohorts_collect(w, &before, &w->before, err) ||
	    !collect_earlier(w, err))
		return false;
	out->window_count = (uint32_t)w->now.count;
	out->p50_ns = w->now.p50_ns;
	out->before_count = (uint32_t)w->before.count;
	out->before_p50_ns = w->before.p50_ns;
	out->p99_ns = p99_of(&w->now);
	out->before_p99_ns = p99_of(&w->before);
	out->is_judged = find_mode(w, err) && fill_cohorts(w, err);
	return out->is_judged;
}

bool cohorts_find(const struct cohort_want *want, struct arena *arena,
		  struct cohorts *out, struct error *err)
{
	struct work w = { .want = want, .arena = arena, .out = out };
	bool is_done;

	*out = (struct cohorts){ 0 };
	arena_init(&w.scratch, LIMIT_ANALYZE_HEAP_BYTES);
	is_done = cohorts_collect_find(&w, err);
	arena_release(&w.scratch);
	return is_done;
}

/* How many instances of a service a window's traces saw. */

/* Maximum number of instances. */
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

		if (!s->instance || s->operation >= h->operation_count ||
		    !time_range_has(range, s->start_ns) ||
		    !str_equal(h->operations[s->operation].service, service) ||
		    (version.len &&
		     !str_equal(symtab_text(&h->symtab, s->version), version)))
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
