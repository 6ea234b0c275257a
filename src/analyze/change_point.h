/* SPDX-License-Identifier: Apache-2.0
 *
 * At which steps of a series its level changed for longer: what a request cost,
 * minute by minute. Each jump is held against how far neighbouring stretches of
 * the same length lie apart anywhere else in the series, so that a series that
 * wanders, rises or has a rhythm makes no change of what it does all the time.
 * Levels are compared as ratios. Pure arithmetic: knows neither units nor what
 * is measured.
 */
#ifndef ANALYZE_CHANGE_POINT_H
#define ANALYZE_CHANGE_POINT_H

#include "base/arena.h"
#include "base/error.h"

/* Steps with a value that are needed: of fewer nothing tells how far they lie
 * apart by themselves. */
#define CHANGE_STEPS_MIN 12u

/* Changes told at most, the largest first. */
#define CHANGE_POINTS_MAX 8u

/* Ratio of two levels that is worth telling, whatever the noise. */
#define CHANGE_RATIO 1.05

/* Ratio from which on the newest steps are worth a hint. */
#define CHANGE_RECENT_RATIO 1.25

struct change_series {
	/* The level of steps together is the sum of their amounts by that of
	 * their counts; of a step without a count nothing is known. */
	const double *amounts;
	const double *counts;
	size_t step_count;
	/* Amounts are sums of logarithms, so that a level is one already. */
	bool is_log;
	/* Steps a day, where the series is longer than that; 0: it is not. */
	size_t day_steps;
	/* Steps at which something is known to have changed (a version): a jump
	 * there needs less evidence than one that was looked for anywhere. */
	const size_t *known;
	size_t known_count;
};

enum series_kind {
	SERIES_TOO_FEW = 0, /* fewer than CHANGE_STEPS_MIN steps are known */
	SERIES_STEADY,      /* nothing beyond what it does all the time */
	SERIES_RAMP,        /* it rises or falls, but nowhere at once */
	SERIES_RHYTHM,      /* it goes as it does on other days */
	SERIES_BRIEF,       /* what jumps goes back soon */
	SERIES_STEP,
};

struct change_point {
	/* The first step of the new level, and within which steps it lies. */
	size_t at;
	size_t low;
	size_t high;
	/* Levels up to the change before and after this one. */
	double before;
	double after;
	double score; /* jump by what is needed to believe it: 1 and more */
};

struct change_points {
	enum series_kind kind;
	struct change_point items[CHANGE_POINTS_MAX]; /* by time */
	size_t count;
	size_t largest; /* of them, by ratio; of nearly equal ones the first */
	/* Smallest ratio that would have been told; INFINITY: none. */
	double least_ratio;
	double noise; /* of one step, relative: how far levels usually lie */
	double first; /* levels of the first and the last quarter */
	double last;
	/* What may become a step: set where the newest steps that have a value
	 * (recent_count, 0: none) lie farther beyond all earlier ones than
	 * half of what those lie apart. It is no verdict: too little has come
	 * since to tell it from a spike or from what wanders. */
	struct change_point recent;
	size_t recent_count;
};

/* False only without memory. */
bool change_points_find(const struct change_series *series, struct arena *arena,
			struct change_points *out,
			struct error *err) MUST_CHECK;

#endif
