/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/onset.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/stats.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/num.h"

/* A series as the search for changes goes through it: the steps that have a
 * value, their levels as logarithms, without spikes, and sums of them, so that
 * the level of any stretch is a difference. Not for others than change_point.c.
 */

/* Lengths of stretches that are compared, each half as long again as the one
 * before: up to a fifth of the series, beside which others are left to tell how
 * far they usually lie apart. */
#define LENGTHS 20

struct change_scan {
	size_t count;    /* of steps with a value */
	size_t *steps;   /* their numbers */
	double *levels;  /* of each, as a logarithm */
	double *amounts; /* of the first so many, added up */
	double *cleaned; /* the same without spikes */
	double *counts;
	double *jumps; /* of one length, by place, beyond their median */
	double *sums;  /* of levels, of the first so many */
	double *room;
	bool is_log;
	double floor; /* levels below it are that */
	double spike; /* the largest that was smoothed */
	/* Set by the search: */
	double usual;       /* of jumps of one step, by what longer ones tell */
	double noise;       /* of one step */
	double first_limit; /* jumps of one step that would do */
	size_t *known;      /* among the steps with a value */
	size_t known_count;
	size_t lengths[LENGTHS];
	size_t length_count;
	size_t day_steps;
};

/* The level of [from, to), which are not empty, and a level as a logarithm.
 * Of [from, to). */
static double change_ratio(const struct change_scan *s, size_t from, size_t to)
{
	return (s->amounts[to] - s->amounts[from]) /
	       (s->counts[to] - s->counts[from]);
}

static double cleaned_of(const struct change_scan *s, size_t from, size_t to)
{
	return (s->cleaned[to] - s->cleaned[from]) /
	       (s->counts[to] - s->counts[from]);
}

static double change_log(const struct change_scan *s, double level)
{
	return s->is_log ? level : log(fmax(level, s->floor));
}

static double level_of(const struct change_scan *s, size_t from, size_t to)
{
	return change_log(s, change_ratio(s, from, to));
}

static bool is_used(const struct change_series *in, size_t i)
{
	return in->counts[i] > 0 && isfinite(in->counts[i]) &&
	       isfinite(in->amounts[i]);
}

static bool make_room(struct change_scan *s, const struct change_series *in,
		      struct arena *arena)
{
	size_t n = in->step_count + 1;

	s->steps = arena_array(arena, n, sizeof *s->steps);
	s->known = arena_array(arena, in->known_count + 1, sizeof *s->known);
	s->levels = arena_array(arena, n, sizeof *s->levels);
	s->amounts = arena_array(arena, n, sizeof *s->amounts);
	s->cleaned = arena_array(arena, n, sizeof *s->cleaned);
	s->counts = arena_array(arena, n, sizeof *s->counts);
	s->jumps = arena_array(arena, n, sizeof *s->jumps);
	s->sums = arena_array(arena, n, sizeof *s->sums);
	s->room = arena_array(arena, n, sizeof *s->room);
	return s->steps && s->known && s->levels && s->amounts && s->cleaned &&
	       s->counts && s->jumps && s->sums && s->room;
}

/* Neighbours on either side. */
#define SPIKE_REACH 2

/* What stands out of them by so many usual distances is no level: one or two
 * steps among others. */
#define SPIKE 4.0

static double around(const struct change_scan *s, size_t i)
{
	double near[2 * SPIKE_REACH + 1];
	size_t from = i > SPIKE_REACH ? i - SPIKE_REACH : 0;
	size_t to = min_size(i + SPIKE_REACH + 1, s->count);

	memcpy(near, s->levels + from, (to - from) * sizeof *near);
	return stats_median(near, to - from);
}

/* Takes what is around spikes in their place. */
static void smooth(struct change_scan *s)
{
	double usual;

	for (size_t i = 0; i < s->count; i++) {
		s->jumps[i] = around(s, i);
		s->room[i] = fabs(s->levels[i] - s->jumps[i]);
	}
	usual = 1.4826 * stats_median(s->room, s->count);
	for (size_t i = 0; i < s->count; i++) {
		double count = s->counts[i + 1] - s->counts[i];
		double off = fabs(s->levels[i] - s->jumps[i]), amount;

		if (off > SPIKE * usual) {
			s->levels[i] = s->jumps[i];
			s->spike = fmax(s->spike, off);
		}
		amount = s->is_log ? s->levels[i] : exp(s->levels[i]);
		s->cleaned[i + 1] = s->cleaned[i] + amount * count;
	}
}

/* Nothing has no logarithm: what is far below the whole is called a hundredth
 * of it. */
#define FLOOR_PART 0.01

#define LENGTH_PART 5

static void fill(struct change_scan *s, const struct change_series *in)
{
	for (size_t i = 0; i < in->step_count; i++) {
		if (!is_used(in, i))
			continue;
		s->amounts[s->count + 1] =
			s->amounts[s->count] + in->amounts[i];
		s->counts[s->count + 1] = s->counts[s->count] + in->counts[i];
		s->steps[s->count++] = i;
	}
	for (size_t i = 0; i < in->known_count; i++) {
		size_t at = 0;

		while (at < s->count && s->steps[at] < in->known[i])
			at++;
		if (at > 0 && at < s->count)
			s->known[s->known_count++] = at;
	}
	s->is_log = in->is_log;
	s->day_steps = in->day_steps;
	if (!s->count)
		return;
	s->floor = fmax(FLOOR_PART * change_ratio(s, 0, s->count), 1e-300);
	for (size_t i = 0; i < s->count; i++)
		s->levels[i] = level_of(s, i, i + 1);
	smooth(s);
	for (size_t i = 0; i < s->count; i++)
		s->sums[i + 1] = s->sums[i] + s->levels[i];
	for (size_t k = 1; s->length_count < LENGTHS &&
			   (k == 1 || k * LENGTH_PART <= s->count);
	     k += (k + 1) / 2)
		s->lengths[s->length_count++] = k;
}

/* From the stretch before a place to the one behind it, of the same length,
 * without spikes, as a logarithm. */
static double change_jump(const struct change_scan *s, size_t at, size_t length)
{
	return change_log(s, cleaned_of(s, at, at + length)) -
	       change_log(s, cleaned_of(s, at - length, at));
}

/* False only without memory. */
static bool change_scan_make(struct change_scan *s,
			     const struct change_series *series,
			     struct arena *arena, struct error *err)
{
	*s = (struct change_scan){ .count = 0 };
	if (!make_room(s, series, arena))
		return arena_fail(arena, "the series", err);
	fill(s, series);
	return true;
}

/* How many times the usual distance a jump has to be: more for long stretches
 * and for short series, where the usual distance itself is known badly; and
 * the part of it that is enough where something is known to have changed.
 * bench/steps tells how often that is wrong: docs/verdict.md. */
#define NEEDED 6.0
#define NEEDED_LONG 4.0
#define NEEDED_FEW 70.0
#define NEEDED_KNOWN 0.7

static double needed(size_t length, size_t count)
{
	return NEEDED +
	       (NEEDED_LONG * (double)length + NEEDED_FEW) / (double)count;
}

/* Steps and part of the series that a change lasts; at the ends of it less
 * tells enough. */
#define STRETCH_MIN 3u
#define STRETCH_PART 20
#define END_PART 40

/* Of so few steps less is enough, and one that changes all the time makes some
 * pair of them: a jump is then to be larger than all others of its direction,
 * by this factor. */
#define FEW_STEPS 32
#define ALONE 2.0

/* Of the jump, that is still there at the end of the stretch. */
#define LASTING 0.5

struct candidate {
	size_t at; /* among the steps with a value */
	size_t length;
	bool is_known;
	double jump;
	double usual; /* how far jumps of that length lie apart */
	double limit; /* what is needed */
	double score;
};

struct candidates {
	struct candidate items[CHANGE_POINTS_MAX * 2];
	size_t count;
};

/* ---- jumps ---- */

static bool is_near(const struct candidates *c, size_t at, size_t length)
{
	for (size_t i = 0; i < c->count; i++) {
		size_t there = c->items[i].at;
		size_t apart = there > at ? there - at : at - there;

		if (apart < length)
			return true;
	}
	return false;
}

/* Of jumps of one length that no candidate is part of, into the room. */
static size_t gather(struct change_scan *s, const struct candidates *c,
		     size_t length)
{
	size_t n = 0;

	for (size_t at = length; at + length <= s->count; at++)
		if (!is_near(c, at, length))
			s->room[n++] = s->jumps[at];
	return n;
}

/* How far they usually lie from their median, which is taken off. Longer
 * stretches of what is independent lie nearer by the root of two; nothing lies
 * nearer than that, so that a few stretches that happen to be alike do not make
 * a jump of the next one. */
static double usual_jump(struct change_scan *s, const struct candidates *c,
			 size_t length)
{
	size_t n = gather(s, c, length);
	double middle = stats_median(s->room, n), sum = 0, usual;

	for (size_t i = 0; i < n; i++) {
		s->room[i] = fabs(s->room[i] - middle);
		sum += s->room[i];
	}
	usual = 1.4826 * stats_median(s->room, n);
	/* Most are equal: counts of what seldom happens. */
	if (!(usual > 0) && n)
		usual = 1.2533 * sum / (double)n;
	return fmax(usual, s->usual / sqrt((double)length));
}

static void set_jumps(struct change_scan *s, const struct candidates *c,
		      size_t length)
{
	double middle;

	for (size_t at = length; at + length <= s->count; at++)
		s->jumps[at] = change_jump(s, at, length);
	middle = stats_median(s->room, gather(s, c, length));
	for (size_t at = length; at + length <= s->count; at++)
		s->jumps[at] -= middle;
}

static bool is_alone(const struct change_scan *s, const struct candidates *c,
		     const struct candidate *x)
{
	for (size_t at = x->length; at + x->length <= s->count; at++)
		if (!is_near(c, at, x->length) &&
		    ALONE * s->jumps[at] / x->jump > 1)
			return false;
	return true;
}

static struct candidate best_of_length(const struct change_scan *s,
				       const struct candidates *c,
				       size_t length)
{
	struct candidate best = { .length = length };

	for (size_t at = length; at + length <= s->count; at++)
		if (fabs(s->jumps[at]) > fabs(best.jump) &&
		    !is_near(c, at, length)) {
			best.at = at;
			best.jump = s->jumps[at];
		}
	return best;
}

/* How large a jump is by what is needed to believe it. */
static double score_of(struct change_scan *s, struct candidates *c,
		       struct candidate *x)
{
	bool is_one_of_many;

	/* What it makes of its neighbours is no measure for it. */
	c->items[c->count++] = *x;
	x->usual = usual_jump(s, c, x->length);
	is_one_of_many = s->count < FEW_STEPS && !is_alone(s, c, x);
	c->count--;
	x->limit =
		fmax(x->usual * needed(x->length, s->count), log(CHANGE_RATIO));
	if (x->is_known)
		x->limit = fmax(x->limit * NEEDED_KNOWN, log(CHANGE_RATIO));
	return is_one_of_many ? 0 : fabs(x->jump) / x->limit;
}

static void offer(struct change_scan *s, struct candidates *c,
		  struct candidate *x, struct candidate *best)
{
	x->score = score_of(s, c, x);
	if (x->score > best->score)
		*best = *x;
}

/* At and beside what is known: steps are counted by clocks of two servers. */
static void offer_known(struct change_scan *s, struct candidates *c,
			size_t length, struct candidate *best)
{
	for (size_t i = 0; i < s->known_count; i++)
		for (size_t at = s->known[i] - 1; at <= s->known[i] + 1; at++) {
			struct candidate x = { .at = at,
					       .length = length,
					       .is_known = true };

			if (at < length || at + length > s->count ||
			    is_near(c, at, length))
				continue;
			x.jump = s->jumps[at];
			offer(s, c, &x, best);
		}
}

/* The jump that exceeds most what is needed, beside those that are there. *c
 * has room for one more. *least: the smallest jump that would do. */
static struct candidate find_best(struct change_scan *s, struct candidates *c,
				  double *least)
{
	struct candidate best = { .score = 0 };

	*least = INFINITY;
	s->usual = 0;
	for (size_t i = 0; i < s->length_count; i++) {
		size_t k = s->lengths[i];
		struct candidate x;

		set_jumps(s, c, k);
		x = best_of_length(s, c, k);
		if (!x.at)
			continue;
		offer(s, c, &x, &best);
		*least = fmin(*least, x.limit);
		if (k == 1 && !c->count) {
			s->noise = x.usual / sqrt(2);
			s->first_limit = x.limit;
		}
		s->usual = fmax(s->usual, x.usual * sqrt((double)k));
		offer_known(s, c, k, &best);
	}
	return best;
}

static void find_candidates(struct change_scan *s, struct candidates *c,
			    double *least)
{
	while (c->count + 1 < COUNT_OF(c->items)) {
		double next;
		struct candidate best =
			find_best(s, c, c->count ? &next : least);

		if (best.score < 1)
			return;
		c->items[c->count++] = best;
	}
}

/* ---- which of them last ---- */

static int compare_at(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

static size_t begin_of(const struct candidates *c, size_t i)
{
	return i ? c->items[i - 1].at : 0;
}

static size_t end_of(const struct candidates *c, const struct change_scan *s,
		     size_t i)
{
	return i + 1 < c->count ? c->items[i + 1].at : s->count;
}

static double median_of(struct change_scan *s, size_t from, size_t to)
{
	memcpy(s->room, s->levels + from, (to - from) * sizeof *s->room);
	return stats_median(s->room, to - from);
}

/* By which part of the jump what is farthest from it differs at least: the
 * whole stretches, and the quarters of them that end and begin the series. */
static double lasting_part(struct change_scan *s, const struct candidates *c,
			   size_t i)
{
	size_t from = begin_of(c, i), at = c->items[i].at;
	size_t to = end_of(c, s, i), quarter = (to - at + 3) / 4;
	double before = median_of(s, from, at), after = median_of(s, at, to);
	double part = (after - before) / c->items[i].jump;

	part = fmin(part, (median_of(s, to - quarter, to) - before) /
				  c->items[i].jump);
	quarter = (at - from + 3) / 4;
	return fmin(part, (after - median_of(s, from, from + quarter)) /
				  c->items[i].jump);
}

static bool is_long(const struct change_scan *s, size_t from, size_t to)
{
	bool is_end = !from || to == s->count;
	size_t least = is_end ? max_size(STRETCH_MIN, s->count / END_PART)
			      : max_size(STRETCH_MIN + (s->count >= FEW_STEPS),
					 s->count / STRETCH_PART);

	return to - from >= least;
}

static bool is_lasting(struct change_scan *s, const struct candidates *c,
		       size_t i)
{
	size_t at = c->items[i].at;

	return is_long(s, begin_of(c, i), at) &&
	       is_long(s, at, end_of(c, s, i)) &&
	       lasting_part(s, c, i) >= LASTING;
}

static void drop(struct candidates *c, size_t i)
{
	memmove(c->items + i, c->items + i + 1,
		(--c->count - i) * sizeof *c->items);
}

/* The weakest of those that do not last goes, then it is looked at anew. */
static void keep_lasting(struct change_scan *s, struct candidates *c)
{
	size_t worst;

	do {
		worst = c->count;
		for (size_t i = 0; i < c->count; i++)
			if (!is_lasting(s, c, i) &&
			    (worst == c->count ||
			     c->items[i].score < c->items[worst].score))
				worst = i;
		if (worst < c->count)
			drop(c, worst);
	} while (worst < c->count);
}

/* ---- where it is ---- */

/* Of what the levels lie around the means of [from, at) and [at, to), the part
 * that goes by the place. */
static double cost_of(const struct change_scan *s, size_t from, size_t at,
		      size_t to)
{
	double left = s->sums[at] - s->sums[from];
	double right = s->sums[to] - s->sums[at];

	return -left * left / (double)(at - from) -
	       right * right / (double)(to - at);
}

/* Lengths on either side that tell the place. */
#define PLACE_LENGTHS 4

/* Twice the logarithm of the likelihood that 19 of 20 places stay within. */
#define PLACE_LIKELY 7.35

static double variance(const struct change_scan *s, size_t from, size_t to)
{
	double mean = (s->sums[to] - s->sums[from]) / (double)(to - from);
	double sum = 0;

	for (size_t i = from; i < to; i++)
		sum += (s->levels[i] - mean) * (s->levels[i] - mean);
	return to - from > 1 ? sum / (double)(to - from - 1) : 0;
}

struct place {
	size_t from; /* stretches that tell it */
	size_t to;
	size_t at;
	size_t low;
	size_t high;
};

static struct place place_of(const struct change_scan *s,
			     const struct candidates *c, size_t i)
{
	const struct candidate *x = &c->items[i];
	size_t reach = max_size(PLACE_LENGTHS * x->length, CHANGE_STEPS_MIN);
	size_t around = max_size(x->length, 2);
	struct place p = { .from = begin_of(c, i), .to = end_of(c, s, i) };

	if (x->at - p.from > reach)
		p.from = x->at - reach;
	if (p.to - x->at > reach)
		p.to = x->at + reach;
	p.low = max_size(p.from + 1, x->at > around ? x->at - around : 1);
	p.high = min_size(p.to - 1, x->at + around);
	p.at = p.low;
	for (size_t at = p.low; at <= p.high; at++)
		if (cost_of(s, p.from, at, p.to) <
		    cost_of(s, p.from, p.at, p.to))
			p.at = at;
	return p;
}

/* Steps that hang together tell less than their number. */
static void narrow(const struct change_scan *s, const struct candidate *x,
		   struct place *p)
{
	double noise = fmax(
		(variance(s, p->from, p->at) + variance(s, p->at, p->to)) / 2,
		x->usual * x->usual * (double)x->length / 2);
	double limit = cost_of(s, p->from, p->at, p->to) + PLACE_LIKELY * noise;

	while (p->low < p->at && cost_of(s, p->from, p->low, p->to) > limit)
		p->low++;
	while (p->high > p->at && cost_of(s, p->from, p->high, p->to) > limit)
		p->high--;
}

static void fill_point(const struct change_scan *s, const struct candidates *c,
		       size_t i, struct change_point *out)
{
	struct place p = place_of(s, c, i);

	narrow(s, &c->items[i], &p);
	*out = (struct change_point){
		.at = s->steps[p.at],
		/* It may have come right behind the step before. */
		.low = s->steps[p.low - 1] + 1,
		.high = s->steps[p.high],
		.before = change_ratio(s, begin_of(c, i), p.at),
		.after = change_ratio(s, p.at, end_of(c, s, i)),
		.score = c->items[i].score,
	};
}

/* ---- a rhythm ---- */

/* Steps with a value that a day has; 0: they are of less than two days. */
static double steps_per_day(const struct change_scan *s)
{
	size_t span = s->steps[s->count - 1] - s->steps[0] + 1;

	if (!s->day_steps || span < 2 * s->day_steps)
		return 0;
	return (double)s->day_steps * (double)s->count / (double)span;
}

/* Whether it jumps like that at this time of another day. Stretches of half a
 * day at most, which tell nothing of the jump itself a day from it. */
static bool is_rhythm(const struct change_scan *s, const struct candidate *x)
{
	double per_day = steps_per_day(s);
	size_t length = min_size(x->length, max_size((size_t)per_day / 2, 1));
	double around = fmax(1, per_day / 24);
	double jump = change_jump(s, x->at, length);

	for (int side = -1; per_day > 0 && side <= 1; side += 2) {
		double other = (double)x->at + side * per_day;

		for (size_t at = length; at + length <= s->count; at++)
			if (fabs((double)at - other) <= around &&
			    change_jump(s, at, length) / jump >= LASTING)
				return true;
	}
	return false;
}

/* How closely levels follow those of a day before: two days at least. */
#define DAY_FOLLOWED 0.5

static bool follows_days(const struct change_scan *s)
{
	size_t day = (size_t)steps_per_day(s);
	double mean = s->sums[s->count] / (double)s->count;
	double both = 0, square = 0;

	if (!day || s->count < 2 * day)
		return false;
	for (size_t i = 0; i + day < s->count; i++) {
		double a = s->levels[i] - mean, b = s->levels[i + day] - mean;

		both += a * b;
		square += (a * a + b * b) / 2;
	}
	return both > DAY_FOLLOWED * square;
}

/* True when there was one. */
static bool drop_rhythm(const struct change_scan *s, struct candidates *c)
{
	bool had_one = false;

	for (size_t i = c->count; i > 0; i--)
		if (is_rhythm(s, &c->items[i - 1])) {
			drop(c, i - 1);
			had_one = true;
		}
	return had_one;
}

/* ---- a ramp ---- */

/* Of the pairs of blocks so many more rise than fall, or the other way round:
 * by chance one series in fifty. */
static const struct {
	size_t blocks;
	int pairs;
} ramps[] = { { 8, 20 }, { 6, 13 } };

#define BLOCKS_MOST 8

static bool is_ramp_of(struct change_scan *s, size_t blocks, int least)
{
	double levels[BLOCKS_MOST];
	int pairs = 0;

	for (size_t i = 0; i < blocks; i++)
		levels[i] = median_of(s, i * s->count / blocks,
				      (i + 1) * s->count / blocks);
	for (size_t i = 0; i < blocks; i++)
		for (size_t j = i + 1; j < blocks; j++)
			pairs += (levels[j] > levels[i]) -
				 (levels[j] < levels[i]);
	return abs(pairs) >= least &&
	       fabs(levels[blocks - 1] - levels[0]) >= log(CHANGE_RATIO);
}

/* Two steps of each block at least. */
static bool is_ramp(struct change_scan *s)
{
	size_t i = s->count >= 2 * ramps[0].blocks ? 0 : 1;

	return is_ramp_of(s, ramps[i].blocks, ramps[i].pairs);
}

/* ---- what is too new for a step ---- */

/* Steps of it at least: one is a spike as often as not. Of more than a quarter
 * of the series the search for steps would tell. */
#define RECENT_LEAST 2
#define RECENT_PART 4

/* How far they lie beyond the others, by how far those lie apart. */
#define RECENT_GAP 0.5

struct extent {
	double low;
	double high;
};

static struct extent extent_of(const struct change_scan *s, size_t from,
			       size_t to)
{
	struct extent e = { INFINITY, -INFINITY };

	for (size_t i = from; i < to; i++) {
		double level = level_of(s, i, i + 1);

		e.low = fmin(e.low, level);
		e.high = fmax(e.high, level);
	}
	return e;
}

/* The newest steps that lie farthest beyond all others. */
static void find_recent(const struct change_scan *s, struct change_points *out)
{
	double most = 0;

	for (size_t k = RECENT_LEAST; k * RECENT_PART <= s->count; k++) {
		size_t at = s->count - k;
		struct extent old = extent_of(s, 0, at);
		struct extent new = extent_of(s, at, s->count);
		double gap = fmax(new.low - old.high, old.low - new.high);
		double jump = fabs(level_of(s, at, s->count) -
				   level_of(s, 0, at));

		if (gap <= most || gap < RECENT_GAP * (old.high - old.low) ||
		    jump < log(CHANGE_RECENT_RATIO))
			continue;
		most = gap;
		out->recent_count = k;
		out->recent = (struct change_point){
			.at = s->steps[at],
			.low = s->steps[at - 1] + 1,
			.high = s->steps[at],
			.before = change_ratio(s, 0, at),
			.after = change_ratio(s, at, s->count),
		};
	}
}

/* ---- all of it ---- */

/* A jump and the one back are nearly equal. */
#define NEARLY 0.85

static void fill_points(const struct change_scan *s, const struct candidates *c,
			struct change_points *out)
{
	double most = 0;

	for (size_t i = 0; i < c->count && i < CHANGE_POINTS_MAX; i++) {
		struct change_point *p = &out->items[out->count];
		double jump;

		fill_point(s, c, i, p);
		jump = fabs(change_log(s, p->after) - change_log(s, p->before));
		if (jump < log(CHANGE_RATIO))
			continue;
		if (jump * NEARLY > most)
			out->largest = out->count;
		most = fmax(most, jump);
		out->count++;
	}
}

bool change_points_find(const struct change_series *series, struct arena *arena,
			struct change_points *out, struct error *err)
{
	struct candidates c = { .count = 0 };
	struct change_scan s;
	double least = INFINITY;
	bool has_rhythm, had_one;

	*out = (struct change_points){ .least_ratio = INFINITY };
	if (!change_scan_make(&s, series, arena, err))
		return false;
	if (s.count < CHANGE_STEPS_MIN)
		return true;
	out->first = change_ratio(&s, 0, (s.count + 3) / 4);
	out->last = change_ratio(&s, s.count - (s.count + 3) / 4, s.count);
	find_candidates(&s, &c, &least);
	out->least_ratio = exp(least);
	out->noise = s.noise;
	has_rhythm = drop_rhythm(&s, &c) || follows_days(&s);
	qsort(c.items, c.count, sizeof *c.items, compare_at);
	had_one = c.count > 0 || s.spike > s.first_limit;
	keep_lasting(&s, &c);
	fill_points(&s, &c, out);
	out->kind = out->count    ? SERIES_STEP
		    : has_rhythm  ? SERIES_RHYTHM
		    : is_ramp(&s) ? SERIES_RAMP
		    : had_one     ? SERIES_BRIEF
				  : SERIES_STEADY;
	if (out->kind == SERIES_STEADY || out->kind == SERIES_BRIEF)
		find_recent(&s, out);
	return true;
}
