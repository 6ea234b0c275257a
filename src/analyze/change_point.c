/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/onset.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/stats.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/num.h"

/* The state of the search: the steps with a value, their levels as logarithms,
 * without spikes, and prefix sums of them, so that the level of any stretch is
 * a difference. */

struct change_scan {
	size_t count;    /* of steps with a value */
	size_t *steps;   /* their numbers */
	double *levels;  /* of each, as a logarithm */
	double *amounts; /* prefix sums */
	double *cleaned; /* the same without spikes */
	double *counts;
	double *sums; /* prefix sums of levels */
	double *room;
	bool is_log;
	double floor;  /* levels below it are that */
	double spike;  /* the largest that was smoothed */
	double noise;  /* of one step */
	size_t *known; /* among the steps with a value */
	size_t known_count;
	size_t day_steps;
	/* For the current stretch: */
	double *gains; /* of what a step is off, that the next levels are */
	double *scales;
	double *levels_off; /* by that */
	double *line_off;
	double *likely; /* of a step at a place, at best */
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

static bool make_room(struct change_scan *s, const struct change_series *in,
		      struct arena *arena)
{
	double **const rooms[] = {
		&s->levels, &s->amounts,  &s->cleaned,    &s->counts,
		&s->sums,   &s->room,     &s->gains,      &s->scales,
		&s->likely, &s->line_off, &s->levels_off,
	};
	bool done;

	s->steps = arena_array(arena, in->step_count + 1, sizeof *s->steps);
	s->known = arena_array(arena, in->known_count + 1, sizeof *s->known);
	done = s->steps && s->known;
	for (size_t i = 0; i < COUNT_OF(rooms); i++) {
		*rooms[i] = arena_array(arena, in->step_count + 1,
					sizeof **rooms[i]);
		done = done && *rooms[i];
	}
	return done;
}

/* Neighbours on either side. */
#define SPIKE_REACH 2

/* Steps that differ by this many typical distances are outliers and not a
 * level: one or two among others. From SPIKE_TOLD times the noise on they are
 * reported. */
#define SPIKE 4.0
#define SPIKE_TOLD 12.0

/* Replaces spikes by the levels around them. */
static void change_scan_smooth(struct change_scan *s)
{
	double *beside = s->likely, usual;

	for (size_t i = 0; i < s->count; i++) {
		double near[2 * SPIKE_REACH + 1];
		size_t from = i > SPIKE_REACH ? i - SPIKE_REACH : 0;
		size_t to = min_size(i + SPIKE_REACH + 1, s->count);

		memcpy(near, s->levels + from, (to - from) * sizeof *near);
		beside[i] = stats_median(near, to - from);
		s->room[i] = fabs(s->levels[i] - beside[i]);
	}
	usual = 1.4826 * stats_median(s->room, s->count);
	for (size_t i = 0; i < s->count; i++) {
		double count = s->counts[i + 1] - s->counts[i];
		double off = fabs(s->levels[i] - beside[i]), amount;

		if (off > SPIKE * usual) {
			s->levels[i] = beside[i];
			/* The newest steps cannot be seen to revert. */
			if (i + SPIKE_REACH < s->count)
				s->spike = fmax(s->spike, off);
		}
		amount = s->is_log ? s->levels[i] : exp(s->levels[i]);
		s->cleaned[i + 1] = s->cleaned[i] + amount * count;
	}
}

/* By what each step differs from the one before, which levels that wander do
 * not add much to; the one that differs most may be a change, and is left out.
 */
static double noise_of(const struct change_scan *s)
{
	double *jumps = s->room, middle, usual, sum = 0;
	size_t n = s->count - 1;

	for (size_t i = 0; i < n; i++)
		jumps[i] = s->levels[i + 1] - s->levels[i];
	middle = stats_median(jumps, n); /* sorts them */
	if (middle - jumps[0] > jumps[n - 1] - middle)
		jumps++;
	middle = stats_median(jumps, --n);
	for (size_t i = 0; i < n; i++) {
		jumps[i] = fabs(jumps[i] - middle);
		sum += jumps[i];
	}
	usual = 1.4826 * stats_median(jumps, n);
	/* Most are equal: counts of what seldom happens. */
	if (!(usual > 0))
		usual = 1.2533 * sum / (double)n;
	return usual / sqrt(2);
}

/* Zero has no logarithm: levels far below the whole count as this fraction of
 * it. */
#define FLOOR_PART 0.01

static void change_scan_fill(struct change_scan *s,
			     const struct change_series *in)
{
	for (size_t i = 0; i < in->step_count; i++) {
		if (!(in->counts[i] > 0) || !isfinite(in->counts[i]) ||
		    !isfinite(in->amounts[i]))
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
	change_scan_smooth(s);
	for (size_t i = 0; i < s->count; i++)
		s->sums[i + 1] = s->sums[i] + s->levels[i];
	s->noise = s->count > 2 ? noise_of(s) : 0;
}

/* From the stretch before a place to the one behind it, of the same length,
 * without spikes, as a logarithm. */
static double change_jump(const struct change_scan *s, size_t at, size_t length)
{
	return change_log(s, cleaned_of(s, at, at + length)) -
	       change_log(s, cleaned_of(s, at - length, at));
}

/* Minimum length of a change, in steps and as a part of the series; at its ends
 * less suffices. */
#define STRETCH_MIN 3u
#define STRETCH_PART 20
#define END_PART 40

/* From this number of steps on one more is required between two changes. */
#define FEW_STEPS 32

/* Part of the jump that is still there at the end of the stretch. */
#define LASTING 0.5

struct candidate {
	size_t at;     /* among the steps with a value */
	size_t length; /* of what beside it is its own */
	double jump;
	double score; /* relative to the required minimum */
};

struct candidates {
	struct candidate items[CHANGE_POINTS_MAX * 4];
	size_t count;
};

/* ---- a step in what wanders ---- */

/* The level of a stretch drifts, and each step has additional noise: a local
 * level model (Harvey 1989). A change point is distinguished from a trend,
 * correlation or a random walk by the likelihood ratio of one step and a
 * straight line, each with the drift that fits it best. All of the stretch is
 * used, so that few steps suffice. */

/* Variance of what the level wanders in a step, by that of the noise. */
static const double wanders[] = { 0, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 100 };

/* Required logarithm of the likelihood ratio, and the fraction of it that
 * suffices at a known change. bench/steps measures how often that is wrong:
 * docs/lab/verdict.md. */
#define NEEDED 10.0
#define NEEDED_KNOWN 0.8

/* In one of several parts of a stretch, the more. */
#define NEEDED_IN_PART 1.4

/* Noise of a step at least: what has none is exact to this. */
#define NOISE_LEAST 1e-4

/* Weight of a step that hardly counts any more. */
#define WEIGHT_LEAST 1e-9

/* The best explanation of a stretch. */
struct explained {
	double likelihood;
	double least; /* the smallest further jump that would do */
};

struct stretch {
	size_t from;
	size_t count;
	double spread; /* logarithm, of all that is expected */
	struct explained by_line;
	struct explained by_step;
};

/* Computes each step's deviation in units of its standard deviation:
 * independent of each other, from 1 on. */
static void set_off(const struct change_scan *s, const struct stretch *x,
		    const double *values, double *out)
{
	double level = values[0];

	for (size_t i = 1; i < x->count; i++) {
		double off = values[i] - level;

		out[i] = off * s->scales[i];
		level += off * s->gains[i];
	}
}

static double stretch_product(const struct stretch *x, const double *a,
			      const double *b)
{
	double sum = 0;

	for (size_t i = 1; i < x->count; i++)
		sum += a[i] * b[i];
	return sum;
}

/* Returns the log-likelihood from the residuals of the levels. */
static double stretch_likelihood(const struct stretch *x, double squares)
{
	double n = (double)(x->count - 1);

	return -(x->spread + n * log(squares / n + NOISE_LEAST * NOISE_LEAST)) /
	       2;
}

/* A unit step at a position: products of its deviations. */
struct unit_step {
	double self;
	double levels;
	double line;
};

/* part: its fraction in the step before that position, in which it begins. */
static struct unit_step unit_step_at(const struct change_scan *s,
				     const struct stretch *x, size_t at,
				     double part)
{
	struct unit_step step = { 0 };
	double level = 0;

	for (size_t i = at - (part > 0); i < x->count; i++) {
		double left = (i < at ? part : 1) - level;
		double off = left * s->scales[i];

		if (fabs(left) < WEIGHT_LEAST)
			break;
		step.self += off * off;
		step.levels += off * s->levels_off[i];
		step.line += off * s->line_off[i];
		level += left * s->gains[i];
	}
	return step;
}

static void stretch_explain(const struct stretch *x, double squares,
			    double least, struct explained *best)
{
	double n = (double)(x->count - 1);
	double likely = stretch_likelihood(x, squares);

	if (!(likely > best->likelihood))
		return;
	best->likelihood = likely;
	best->least = sqrt(least * (squares + n * NOISE_LEAST * NOISE_LEAST) *
			   expm1(2 * NEEDED / n));
}

static const double parts[] = { 0, 0.5 };

/* By one wandering, a step at each place and in the one before it. */
static void change_scan_look(struct change_scan *s, struct stretch *x,
			     double wander)
{
	double least = INFINITY, nearest = INFINITY;
	double level = 1 + wander; /* variance, by that of the noise */
	double all, line, both;

	/* For what a step is off from what those before it let expect: how much
	 * the level is thought to have moved by it, and what makes it one. */
	x->spread = 0;
	for (size_t i = 1; i < x->count; i++) {
		s->gains[i] = level / (level + 1);
		s->scales[i] = 1 / sqrt(level + 1);
		x->spread += log(level + 1);
		level = s->gains[i] + wander;
	}
	for (size_t i = 0; i < x->count; i++)
		s->room[i] = (double)i;
	set_off(s, x, s->levels + x->from, s->levels_off);
	set_off(s, x, s->room, s->line_off);
	all = stretch_product(x, s->levels_off, s->levels_off);
	line = stretch_product(x, s->line_off, s->line_off);
	both = stretch_product(x, s->levels_off, s->line_off);
	for (size_t i = COUNT_OF(parts); i < COUNT_OF(parts) * x->count; i++) {
		size_t at = i / COUNT_OF(parts);
		double part = at > 1 ? parts[i % COUNT_OF(parts)] : 0;
		struct unit_step step = unit_step_at(s, x, at, part);
		double left = all - step.levels * step.levels / step.self;

		s->likely[at] =
			fmax(s->likely[at], stretch_likelihood(x, left));
		nearest = fmin(nearest, left);
		least = fmin(least,
			     1 / (step.self - step.line * step.line / line));
	}
	stretch_explain(x, all - both * both / line, least, &x->by_line);
	stretch_explain(x, nearest, least, &x->by_step);
}

static double median_of(struct change_scan *s, size_t from, size_t to)
{
	memcpy(s->room, s->levels + from, (to - from) * sizeof *s->room);
	return stats_median(s->room, to - from);
}

/* The likeliest step of a stretch, if it is likely enough and likelier than
 * *best. The smallest jump that would do. */
static double find_in(struct change_scan *s, size_t from, size_t to,
		      double needed, struct candidate *best)
{
	struct stretch x = {
		.from = from,
		.count = to - from,
		.by_line = { .likelihood = -INFINITY },
		.by_step = { .likelihood = -INFINITY },
	};

	for (size_t i = 0; i < x.count; i++)
		s->likely[i] = -INFINITY;
	for (size_t i = 0; i < COUNT_OF(wanders); i++)
		change_scan_look(s, &x, wanders[i]);
	for (size_t i = 1; i < x.count; i++) {
		size_t at = from + i;
		struct candidate c = { .at = at,
				       .length = min_size(i, x.count - i) };
		bool is_known = false;

		/* At or next to a known change: steps are counted by the clocks
		 * of two servers. */
		for (size_t k = 0; k < s->known_count && !is_known; k++)
			is_known =
				at + 1 >= s->known[k] && at <= s->known[k] + 1;
		c.score = (s->likely[i] - x.by_line.likelihood) /
			  (is_known ? needed * NEEDED_KNOWN : needed);

		if (c.score < 1 || c.score <= best->score)
			continue;
		c.jump = median_of(s, at, to) - median_of(s, from, at);
		if (fabs(c.jump) >= log(CHANGE_RATIO))
			*best = c;
	}
	return fmax(best->at ? x.by_step.least : x.by_line.least,
		    log(CHANGE_RATIO));
}

/* A level that rises and reverts is not a single step of the whole: search in
 * parts that overlap by half, down to a third and to the minimum length. */
static void find_in_parts(struct change_scan *s, size_t from, size_t to,
			  struct candidate *best)
{
	static const size_t sixths[] = { 4, 3, 2 };

	for (size_t i = 0; i < COUNT_OF(sixths) && !best->at; i++) {
		size_t length = (to - from) * sixths[i] / 6;

		if (length < CHANGE_STEPS_MIN)
			break;
		for (size_t k = from; k + length <= to; k += length / 2)
			find_in(s, k, k + length, NEEDED * NEEDED_IN_PART,
				best);
	}
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

/* Finds the most likely step, then those in the rest on either side of each.
 * *least: the smallest detectable jump. */
static void find_candidates(struct change_scan *s, struct candidates *c,
			    double *least)
{
	size_t i = 0;

	while (i <= c->count) {
		struct candidate best = { .score = 0 };
		size_t from = i ? c->items[i - 1].at : 0;
		size_t to = i < c->count ? c->items[i].at : s->count;
		double jump = INFINITY;

		if (to - from >= 2 * STRETCH_MIN)
			jump = find_in(s, from, to, NEEDED, &best);
		if (to - from == s->count)
			*least = jump;
		if (!best.at)
			find_in_parts(s, from, to, &best);
		if (!best.at || c->count == COUNT_OF(c->items)) {
			i++;
			continue;
		}
		memmove(c->items + i + 1, c->items + i,
			(c->count++ - i) * sizeof *c->items);
		c->items[i] = best;
	}
}

/* ---- which of them last ---- */

/* Returns the smallest difference from the jump, as a part of it: for the whole
 * stretches, and for the quarters that end and begin the series. */
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

static void candidates_drop(struct candidates *c, size_t i)
{
	memmove(c->items + i, c->items + i + 1,
		(--c->count - i) * sizeof *c->items);
}

/* Removes the weakest change that does not last, then repeats the search. */
static void keep_lasting(struct change_scan *s, struct candidates *c)
{
	size_t worst;

	do {
		worst = c->count;
		for (size_t i = 0; i < c->count; i++) {
			size_t at = c->items[i].at;
			bool is_lasting = is_long(s, begin_of(c, i), at) &&
					  is_long(s, at, end_of(c, s, i)) &&
					  lasting_part(s, c, i) >= LASTING;

			if (!is_lasting &&
			    (worst == c->count ||
			     c->items[i].score < c->items[worst].score))
				worst = i;
		}
		if (worst < c->count)
			candidates_drop(c, worst);
	} while (worst < c->count);
}

/* ---- where it is ---- */

/* Returns the part of the variance around the means of [from, at) and [at, to)
 * that depends on the position. */
static double cost_of(const struct change_scan *s, size_t from, size_t at,
		      size_t to)
{
	double left = s->sums[at] - s->sums[from];
	double right = s->sums[to] - s->sums[at];

	return -left * left / (double)(at - from) -
	       right * right / (double)(to - at);
}

/* Twice the logarithm of the likelihood ratio between the best position and
 * excluded ones, since the noise is an estimate, too. */
#define PLACE_LIKELY 11

static double change_scan_variance(const struct change_scan *s, size_t from,
				   size_t to)
{
	double mean = (s->sums[to] - s->sums[from]) / (double)(to - from);
	double sum = 0;

	for (size_t i = from; i < to; i++)
		sum += (s->levels[i] - mean) * (s->levels[i] - mean);
	return to - from > 1 ? sum / (double)(to - from - 1) : 0;
}

static void fill_point(const struct change_scan *s, const struct candidates *c,
		       size_t i, struct change_point *out)
{
	size_t from = begin_of(c, i), to = end_of(c, s, i);
	size_t at = c->items[i].at, low, high;
	double limit;

	/* A step that came within one of the series is of the side it is nearer
	 * to. */
	if (at - 1 > from &&
	    cost_of(s, from, at - 1, to) < cost_of(s, from, at, to))
		at--;
	/* To places that are nearly as likely. */
	limit = cost_of(s, from, at, to) +
		PLACE_LIKELY * fmax((change_scan_variance(s, from, at) +
				     change_scan_variance(s, at, to)) /
					    2,
				    s->noise * s->noise);
	for (low = at;
	     low - 1 > from && cost_of(s, from, low - 1, to) <= limit;)
		low--;
	for (high = at;
	     high + 1 < to && cost_of(s, from, high + 1, to) <= limit;)
		high++;
	*out = (struct change_point){
		.at = s->steps[at],
		/* It may have come right behind the step before. */
		.low = s->steps[low - 1] + 1,
		.high = s->steps[high],
		.before = change_ratio(s, from, at),
		.after = change_ratio(s, at, to),
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

/* Returns whether there is such a jump at this time of another day. Uses
 * stretches of at most half a day, which are independent of the jump itself a
 * day away. */
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

/* ---- a ramp ---- */

/* Minimum surplus of rising over falling pairs of blocks, or the reverse:
 * reached by chance in one series out of fifty. */
static const struct {
	size_t blocks;
	int pairs;
} ramps[] = { { 8, 20 }, { 6, 13 } };

#define BLOCKS_MOST 8

static bool is_ramp(struct change_scan *s)
{
	/* Two steps of each block at least. */
	size_t ramp = s->count >= 2 * ramps[0].blocks ? 0 : 1;
	size_t blocks = ramps[ramp].blocks;
	double levels[BLOCKS_MOST];
	int pairs = 0;

	for (size_t i = 0; i < blocks; i++)
		levels[i] = median_of(s, i * s->count / blocks,
				      (i + 1) * s->count / blocks);
	for (size_t i = 0; i < blocks; i++)
		for (size_t j = i + 1; j < blocks; j++)
			pairs += (levels[j] > levels[i]) -
				 (levels[j] < levels[i]);
	return abs(pairs) >= ramps[ramp].pairs &&
	       fabs(levels[blocks - 1] - levels[0]) >= log(CHANGE_RATIO);
}

/* ---- too recent for a change point ---- */

/* Minimum number of steps: a single one is often a spike. Changes longer than a
 * quarter of the series are found by the main search. */
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
		double jump =
			fabs(level_of(s, at, s->count) - level_of(s, 0, at));

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
	struct change_scan s = { .count = 0 };
	double least = INFINITY;
	bool has_rhythm = false, had_one;

	*out = (struct change_points){ .least_ratio = INFINITY };
	if (!make_room(&s, series, arena))
		return arena_fail(arena, "the series", err);
	change_scan_fill(&s, series);
	if (s.count < CHANGE_STEPS_MIN)
		return true;
	out->first = change_ratio(&s, 0, (s.count + 3) / 4);
	out->last = change_ratio(&s, s.count - (s.count + 3) / 4, s.count);
	find_candidates(&s, &c, &least);
	out->least_ratio = exp(least);
	out->noise = s.noise;
	for (size_t i = c.count; i > 0; i--)
		if (is_rhythm(&s, &c.items[i - 1])) {
			candidates_drop(&c, i - 1);
			has_rhythm = true;
		}
	has_rhythm = has_rhythm || follows_days(&s);
	/* And may have gone back since. */
	had_one = s.spike > fmax(SPIKE_TOLD * s.noise, log(CHANGE_RATIO));
	for (size_t i = 0; i < c.count; i++)
		had_one |= c.items[i].at + STRETCH_MIN <= s.count;
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
