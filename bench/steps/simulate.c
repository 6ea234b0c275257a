/* SPDX-License-Identifier: Apache-2.0
 *
 * How often `tracefind when` finds a step where there is none, and how often
 * and how near one that is there: draws series, looks for changes, and counts.
 *
 * usage: bench-steps KIND STEPS NOISE RATIO SERIES [known|recent]
 *
 * KIND of series without a step: flat (independent), ar4, ar8, ar95 (each step
 * hangs together with the one before by 0.4, 0.8, 0.95), walk (of which nothing
 * comes back), mix (flat, and as much that hangs together by 0.98), ramp (a
 * half more in the end), hook (it begins to rise in the middle), day (a sine of
 * half the level, a day in 24 hours), part (a quarter of one), office (a day
 * that begins and ends within minutes, a week of them), spikes (one step in
 * fifty is three times as dear), bursts (one stretch of two steps so). NOISE:
 * the relative standard deviation of a step. RATIO: what the level is
 * multiplied by from a random step in the middle half on; 1: none. With known
 * it is told that something changed at that step. Writes "found N wrong N near
 * N within N mean X of N": series in which a step was found within a twentieth
 * of the series, in which another one was told, in which the step was at most
 * one off, in which it lay in the interval that was told; and the mean width of
 * that in steps.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/onset.h"
#include "base/limits.h"

#include "../../tests/unit/random_draws.h"

#define MOST_STEPS 2048u
#define RECENT_STEPS 3

struct plan {
	const char *kind;
	size_t steps;
	double noise, ratio;
	int series;
	bool is_known, is_recent;
};

struct seen {
	int found, wrong, near, within, told, hinted;
	double width;
};

static bool is(const struct plan *p, const char *kind)
{
	return !strcmp(p->kind, kind);
}

static double shape(const struct plan *p, size_t i)
{
	double t = (double)i / (double)p->steps;
	double hour = fmod(t * 7, 1) * 24;

	if (is(p, "ramp"))
		return log(1 + 0.5 * t);
	if (is(p, "hook"))
		return log(1 + fmax(0, t - 0.5));
	if (is(p, "day"))
		return log(1 + 0.5 * sin(2 * M_PI * t));
	if (is(p, "part"))
		return log(1 + 0.5 * sin(M_PI / 2 * t));
	if (is(p, "office"))
		return hour >= 9 && hour < 18 ? log(1.5) : 0;
	return 0;
}

static void draw(const struct plan *p, double *amounts, size_t at)
{
	double hang = is(p, "ar4")    ? 0.4
		      : is(p, "ar8")  ? 0.8
		      : is(p, "ar95") ? 0.95
		      : is(p, "walk") ? 1
				      : 0;
	double kick = hang < 1 ? p->noise * sqrt(1 - hang * hang)
			       : p->noise / sqrt((double)p->steps);
	double x = p->noise * random_normal(), slow = x;
	size_t burst = (size_t)(random_unit() * (double)(p->steps - 2));

	for (size_t i = 0; i < p->steps; i++) {
		x = hang * x + kick * random_normal();
		slow = 0.98 * slow + 0.2 * p->noise * random_normal();
		amounts[i] = exp(x + (is(p, "mix") ? slow : 0) + shape(p, i)) *
			     (i >= at ? p->ratio : 1);
		if (is(p, "spikes") && random_unit() < 0.02)
			amounts[i] *= 3;
		if (is(p, "bursts") && i - burst < 2)
			amounts[i] *= 3;
	}
}

static void count(const struct plan *p, const struct change_points *c,
		  size_t at, struct seen *seen)
{
	bool is_found = false, is_wrong = false;

	for (size_t i = 0; i < c->count; i++) {
		const struct change_point *x = &c->items[i];
		double off = fabs((double)x->at - (double)at);

		if (p->ratio == 1 || off > (double)p->steps / 20) {
			is_wrong = true;
			continue;
		}
		is_found = true;
		seen->near += off <= 1;
		seen->within += at >= x->low && at <= x->high;
		seen->width += (double)(x->high - x->low + 1);
		seen->told++;
	}
	seen->found += is_found;
	seen->wrong += is_wrong;
	seen->hinted += c->recent_count > 0;
}

static bool run(const struct plan *p, struct seen *seen)
{
	static double amounts[MOST_STEPS], counts[MOST_STEPS];
	struct change_series series = {
		.amounts = amounts,
		.counts = counts,
		.step_count = p->steps,
		.day_steps = is(p, "office") ? p->steps / 7 : 0,
	};

	for (size_t i = 0; i < p->steps; i++)
		counts[i] = 1;
	for (int n = 0; n < p->series; n++) {
		size_t at =
			p->is_recent ? p->steps - RECENT_STEPS
				     : (size_t)((0.25 + random_unit() / 2) *
						(double)p->steps);
		struct change_points c;
		struct error err = { 0 };
		struct arena arena;
		bool done;

		draw(p, amounts, at);
		series.known = &at;
		series.known_count = p->is_known;
		arena_init(&arena, LIMIT_ANALYZE_HEAP_BYTES);
		done = change_points_find(&series, &arena, &c, &err);
		arena_release(&arena);
		if (!done)
			return false;
		count(p, &c, at, seen);
	}
	return true;
}

int main(int argc, char **argv)
{
	struct plan p;
	struct seen seen = { 0 };

	if (argc != 6 && argc != 7) {
		fprintf(stderr,
			"usage: %s KIND STEPS NOISE RATIO SERIES [known|recent]\n",
			argv[0]);
		return 2;
	}
	p = (struct plan){ argv[1],       (size_t)atol(argv[2]), atof(argv[3]),
			   atof(argv[4]), atoi(argv[5]) };
	p.is_known = argc == 7 && !strcmp(argv[6], "known");
	p.is_recent = argc == 7 && !strcmp(argv[6], "recent");
	if (p.steps < CHANGE_STEPS_MIN || p.steps > MOST_STEPS)
		return 2;
	random_state = 88172645463325252u;
	if (!run(&p, &seen))
		return 1;
	printf("found %d wrong %d near %d within %d mean %.1f of %d "
	       "hint %d\n",
	       seen.found, seen.wrong, seen.near, seen.within,
	       seen.told ? seen.width / seen.told : 0, p.series, seen.hinted);
	return 0;
}
