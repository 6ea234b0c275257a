/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/onset.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/ordering.h"
#include "base/num.h"
#include "model/history.h"

/* The search looks at every run of spans, mostly at many together: above this
 * many, every n-th is taken. */
#define ONSET_POINTS 1000u

/* Powers of two up to that many. */
#define ONSET_LEVELS 10
_Static_assert(ONSET_POINTS <= 1u << ONSET_LEVELS, "peaks reach far enough");

/* The best of all runs in n spans without any change reaches a squared
 * deviation of about 2 ln n; a fifth more has to be there. */
#define ONSET_EVIDENCE 2.5

/* A slow part shorter than this holds too few samples of any profile. */
#define ONSET_RANGE_NS NS_PER_MIN

struct point {
	int64_t start_ns;
	int64_t duration_ns;
	double rank;
};

struct series {
	struct point *points; /* by start */
	size_t count;
	int64_t *values; /* room */
	double *scales;  /* by the number of points in a run */
	double *sums;    /* of ranks above their mean, of the first so many */
	double *peaks[ONSET_LEVELS]; /* [m][i]: of sums i..i + 2^m the most */
};

struct run {
	size_t from;
	size_t to; /* behind the last */
	double score;
};

static int compare_start(const void *left, const void *right)
{
	const struct point *a = left;
	const struct point *b = right;
	int order = compare_i64(a->start_ns, b->start_ns);

	return order ? order : compare_i64(a->duration_ns, b->duration_ns);
}

static size_t count_spans(const struct history *h, const uint32_t *windows,
			  size_t count, uint32_t operation)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		if (windows[i] >= h->window_count)
			continue;
		for (uint32_t j = 0; j < h->windows[windows[i]].span_count; j++)
			n += h->windows[windows[i]].spans[j].operation ==
			     operation;
	}
	return n;
}

static void add_points(struct series *s, const struct history *h,
		       const uint32_t *windows, size_t count,
		       uint32_t operation)
{
	bool is_ordered = true;

	for (size_t i = 0; i < count; i++) {
		if (windows[i] >= h->window_count)
			continue;
		const struct history_window *w = &h->windows[windows[i]];

		for (uint32_t j = 0; j < w->span_count; j++) {
			if (w->spans[j].operation != operation)
				continue;
			s->points[s->count++] = (struct point){
				.start_ns = w->spans[j].start_ns,
				.duration_ns = w->spans[j].duration_ns,
			};
		}
	}
	/* Mostly: windows are, and follow each other. */
	for (size_t i = 1; is_ordered && i < s->count; i++)
		is_ordered = compare_start(&s->points[i - 1],
					   &s->points[i]) <= 0;
	if (!is_ordered)
		qsort(s->points, s->count, sizeof *s->points, compare_start);
}

/* Mid-ranks, by looking each duration up among all. */
static void set_ranks(struct series *s)
{
	for (size_t i = 0; i < s->count; i++)
		s->values[i] = s->points[i].duration_ns;
	values_sort(s->values, s->count);
	for (size_t i = 0; i < s->count; i++) {
		int64_t value = s->points[i].duration_ns;
		size_t below = values_below(s->values, s->count, value);
		size_t up_to =
			value == INT64_MAX
				? s->count
				: values_below(s->values, s->count, value + 1);

		s->points[i].rank = ((double)below + (double)up_to + 1) / 2;
	}
}

/* Ranks and their mean are halves: all sums are exact. */
static void set_sums(struct series *s)
{
	double n = (double)s->count, mean = (n + 1) / 2;

	/* The standard deviation of the sum of k of n ranks by chance,
	 * inverted. */
	for (size_t i = 1; i < s->count; i++) {
		double k = (double)i;

		s->scales[i] = 1 / sqrt(k * (n - k) * (n + 1) / 12);
	}
	for (size_t i = 0; i < s->count; i++)
		s->sums[i + 1] = s->sums[i] + (s->points[i].rank - mean);
	s->peaks[0] = s->sums;
	for (size_t m = 1; m < ONSET_LEVELS; m++) {
		size_t half = (size_t)1 << (m - 1);

		for (size_t i = 0; i + 2 * half <= s->count + 1; i++)
			s->peaks[m][i] = fmax(s->peaks[m - 1][i],
					      s->peaks[m - 1][i + half]);
	}
}

/* Runs of from..to points beginning at i that are better. Scales are largest
 * at an end: a bound that says no speaks for all of them. */
static void try_runs(const struct series *s, size_t i, size_t from, size_t to,
		     struct run *best)
{
	size_t length = to + 1 - from, m = 0, first = i + from;
	double above;

	/* The largest of the sums, as that of two parts of a power of two that
	 * may overlap. */
	while (m + 1 < ONSET_LEVELS && (size_t)2 << m <= length)
		m++;
	above = fmax(s->peaks[m][first],
		     s->peaks[m][first + length - ((size_t)1 << m)]) -
		s->sums[i];
	if (above * fmax(s->scales[from], s->scales[to]) <= best->score)
		return;
	for (size_t k = from; k <= to; k++) {
		double score = (s->sums[i + k] - s->sums[i]) * s->scales[k];

		if (score > best->score)
			*best = (struct run){ i, i + k, score };
	}
}

/* The run whose sum of ranks lies farthest above what chance gives it, which
 * is their mean each. */
static struct run find_run(const struct series *s)
{
	struct run best = { 0, 0, 0 };

	for (size_t i = 0; i + ONSET_MIN_SPANS <= s->count; i++) {
		size_t longest = s->count - ONSET_MIN_SPANS;

		if (longest > s->count - i)
			longest = s->count - i;
		for (size_t k = ONSET_MIN_SPANS; k <= longest; k *= 2)
			try_runs(s, i, k,
				 2 * k <= longest ? 2 * k - 1 : longest, &best);
	}
	return best;
}

static int64_t median_of(struct series *s, const struct run *r, bool is_inside)
{
	size_t n = 0;

	for (size_t i = 0; i < s->count; i++)
		if ((i >= r->from && i < r->to) == is_inside)
			s->values[n++] = s->points[i].duration_ns;
	values_sort(s->values, n);
	return values_quantile(s->values, n, 50);
}

/* The run with the highest ranks leaves out slow spans at its ends that are a
 * little quicker than the others: what is nearer to the slow median than to
 * the fast one belongs to it. Less than ONSET_MIN_SPANS beyond an end are no
 * evidence that it ended. */
static void run_widen(const struct series *s, struct run *r, double middle)
{
	while (r->from > 0 &&
	       (double)s->points[r->from - 1].duration_ns >= middle)
		r->from--;
	while (r->to < s->count &&
	       (double)s->points[r->to].duration_ns >= middle)
		r->to++;
	if (r->from < ONSET_MIN_SPANS)
		r->from = 0;
	if (s->count - r->to < ONSET_MIN_SPANS)
		r->to = s->count;
}

/* Ratio of the medians from which it is a change worth telling. */
#define ONSET_RATIO 1.5

static void fill_onset(struct series *s, struct onset *out)
{
	struct run r;

	set_sums(s);
	r = find_run(s);
	if (r.score * r.score < ONSET_EVIDENCE * log((double)s->count) ||
	    r.score <= 0)
		return;
	out->slow_p50_ns = median_of(s, &r, true);
	out->fast_p50_ns = median_of(s, &r, false);
	if ((double)out->slow_p50_ns < ONSET_RATIO * (double)out->fast_p50_ns)
		return;
	run_widen(s, &r,
		  sqrt((double)out->slow_p50_ns) *
			  sqrt((double)out->fast_p50_ns));
	if (r.to - r.from == s->count)
		return;
	out->is_found = true;
	out->has_start = r.from > 0;
	out->has_recovered = r.to < s->count;
	out->start_ns = s->points[r.from].start_ns;
	if (out->has_start)
		out->last_fast_ns = s->points[r.from - 1].start_ns;
	out->end_ns = s->points[out->has_recovered ? r.to : r.to - 1].start_ns;
	out->slow_count = (uint32_t)(r.to - r.from);
	out->fast_count = (uint32_t)s->count - out->slow_count;
}

static bool series_reserve(struct series *s, struct arena *arena)
{
	size_t n = s->count + 1;

	s->scales = arena_array(arena, n, sizeof *s->scales);
	s->sums = arena_array(arena, n, sizeof *s->sums);
	for (size_t m = 1; m < ONSET_LEVELS; m++) {
		s->peaks[m] = arena_array(arena, n, sizeof **s->peaks);
		if (!s->peaks[m])
			return false;
	}
	return s->scales && s->sums;
}

bool onset_find(const struct history *h, const uint32_t *windows, size_t count,
		uint32_t operation, struct arena *arena, struct onset *out,
		struct error *err)
{
	size_t n = count_spans(h, windows, count, operation), step, kept = 0;
	struct series s = { 0 };

	*out = (struct onset){ 0 };
	if (n < 2 * (size_t)ONSET_MIN_SPANS)
		return true;
	s.points = arena_array(arena, n, sizeof *s.points);
	s.values = arena_array(arena, n, sizeof *s.values);
	if (!s.points || !s.values)
		return arena_fail(arena, "the history of the operations", err);
	add_points(&s, h, windows, count, operation);
	step = (s.count + ONSET_POINTS - 1) / ONSET_POINTS;
	for (size_t i = 0; i < s.count; i += step)
		s.points[kept++] = s.points[i];
	s.count = kept;
	if (!series_reserve(&s, arena))
		return arena_fail(arena, "the history of the operations", err);
	set_ranks(&s);
	fill_onset(&s, out);
	return true;
}

void onset_forget_past(struct onset *o, int64_t at_ns)
{
	if (o->is_found && !o->has_start && o->has_recovered &&
	    o->end_ns <= at_ns)
		*o = (struct onset){ .is_found = false };
}

struct time_range onset_slow_range(const struct onset *o,
				   struct time_range range, int64_t at_ns)
{
	struct time_range slow = range;

	if (!o || !o->is_found)
		return range;
	if (o->has_start && o->start_ns > slow.from_ns)
		slow.from_ns = o->start_ns;
	if (o->has_recovered && o->end_ns < slow.to_ns)
		slow.to_ns = o->end_ns;
	if (slow.from_ns > slow.to_ns ||
	    slow.to_ns - slow.from_ns < ONSET_RANGE_NS ||
	    !time_range_has(slow, at_ns))
		return range;
	return slow;
}

struct time_range onset_healthy_range(const struct onset *o,
				      struct time_range range)
{
	struct time_range before = range, after = range;

	if (!o || !o->is_found)
		return range;
	if (o->has_start) {
		if (o->start_ns < before.to_ns)
			before.to_ns = o->last_fast_ns ? o->last_fast_ns + 1
						       : o->start_ns;
	} else {
		before.to_ns = before.from_ns;
	}
	if (!o->has_recovered || o->end_ns >= after.to_ns)
		after.from_ns = after.to_ns;
	else if (o->end_ns > after.from_ns)
		after.from_ns = o->end_ns;
	if (before.to_ns < before.from_ns)
		before.to_ns = before.from_ns;
	return before.to_ns - before.from_ns >= after.to_ns - after.from_ns
		       ? before
		       : after;
}

/* ---- deploys ---- */

struct version_seen {
	uint32_t version;
	int64_t first_ns;
	int64_t last_ns;
	uint32_t count;
};

/* Versions of one service in one window and the one before: a rollout that
 * is undone makes three. */
#define VERSIONS_MAX 16u

static void see_version(struct version_seen *seen, size_t *count,
			const struct history_span *span)
{
	size_t i = 0;

	while (i < *count && seen[i].version != span->version)
		i++;
	if (i == VERSIONS_MAX)
		return;
	if (i == *count)
		seen[(*count)++] = (struct version_seen){
			.version = span->version,
			.first_ns = span->start_ns,
			.last_ns = span->start_ns,
		};
	if (span->start_ns < seen[i].first_ns)
		seen[i].first_ns = span->start_ns;
	if (span->start_ns > seen[i].last_ns)
		seen[i].last_ns = span->start_ns;
	seen[i].count++;
}

static size_t see_versions(const struct history *h, const uint32_t *windows,
			   size_t count, struct str service,
			   struct version_seen *seen)
{
	size_t seen_count = 0;

	for (size_t i = 0; i < count; i++) {
		if (windows[i] >= h->window_count)
			continue;
		const struct history_window *w = &h->windows[windows[i]];

		for (uint32_t j = 0; j < w->span_count; j++) {
			const struct history_span *s = &w->spans[j];

			if (s->version && s->operation < h->operation_count &&
			    str_equal(h->operations[s->operation].service,
				      service))
				see_version(seen, &seen_count, s);
		}
	}
	return seen_count;
}

/* The version that came last, and of the others the one that lasted longest
 * before it did. */
void deploy_find(const struct history *h, const uint32_t *windows, size_t count,
		 struct str service, const struct onset *onset,
		 struct deploy *out)
{
	struct version_seen seen[VERSIONS_MAX];
	size_t n = see_versions(h, windows, count, service, seen);
	size_t to = 0, from;

	*out = (struct deploy){ 0 };
	if (n < 2)
		return;
	for (size_t i = 1; i < n; i++)
		if (seen[i].first_ns > seen[to].first_ns)
			to = i;
	from = to ? 0 : 1;
	for (size_t i = 0; i < n; i++)
		if (i != to && seen[i].last_ns > seen[from].last_ns)
			from = i;
	*out = (struct deploy){
		.is_found = true,
		.from_version = symtab_text(&h->symtab, seen[from].version),
		.to_version = symtab_text(&h->symtab, seen[to].version),
		.at_ns = seen[to].first_ns,
		.is_partial = seen[from].last_ns >= seen[to].last_ns,
		.new_count = seen[to].count,
		.old_count = seen[from].count,
	};
	out->is_near_onset =
		onset && onset->is_found && onset->has_start &&
		sat_sub_i64(onset->start_ns, out->at_ns) <= ONSET_NEAR_NS &&
		sat_sub_i64(out->at_ns, onset->start_ns) <= ONSET_NEAR_NS;
}
