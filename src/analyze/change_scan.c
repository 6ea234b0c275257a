/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/change_scan.h"

#include <math.h>
#include <string.h>

#include "analyze/stats.h"
#include "base/num.h"

/* Of [from, to). */
double change_ratio(const struct change_scan *s, size_t from, size_t to)
{
	return (s->amounts[to] - s->amounts[from]) /
	       (s->counts[to] - s->counts[from]);
}

static double cleaned_of(const struct change_scan *s, size_t from, size_t to)
{
	return (s->cleaned[to] - s->cleaned[from]) /
	       (s->counts[to] - s->counts[from]);
}

double change_log(const struct change_scan *s, double level)
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

double change_jump(const struct change_scan *s, size_t at, size_t length)
{
	return change_log(s, cleaned_of(s, at, at + length)) -
	       change_log(s, cleaned_of(s, at - length, at));
}

bool change_scan_make(struct change_scan *s, const struct change_series *series,
		      struct arena *arena, struct error *err)
{
	*s = (struct change_scan){ .count = 0 };
	if (!make_room(s, series, arena))
		return arena_fail(arena, "the series", err);
	fill(s, series);
	return true;
}
