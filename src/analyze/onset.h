/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds when an operation became slow, and which deployment coincides. From the
 * spans of the slow window and the one before it; ranks are compared, so no
 * distribution of the durations is assumed.
 */
#ifndef ANALYZE_ONSET_H
#define ANALYZE_ONSET_H

#include "base/arena.h"
#include "base/error.h"
#include "model/history.h"

/* Minimum number of spans on either side of a change. */
#define ONSET_MIN_SPANS 5u

/* Maximum distance between a deployment and the onset for it to be the likely
 * cause: traces arrive at random and clocks differ. */
#define ONSET_NEAR_NS (2 * NS_PER_MIN)

struct onset {
	bool is_found;
	bool has_start;     /* false: slow from the beginning */
	bool has_recovered; /* false: slow to the end */
	int64_t start_ns;   /* first slow span; without a start that of the
			     * range */
	/* The last fast span before it, 0: unknown. For a busy service only
	 * some traces are sampled: the onset may be anywhere between the
	 * two. */
	int64_t last_fast_ns;
	int64_t end_ns; /* end of the slow part */
	int64_t slow_p50_ns;
	int64_t fast_p50_ns;
	uint32_t slow_count;
	uint32_t fast_count;
};

/* Finds the run of spans, in order of time, whose durations exceed the others
 * most. windows: up to count windows, not limited by duration (UINT32_MAX is
 * skipped). */
bool onset_find(const struct history *h, const uint32_t *windows, size_t count,
		uint32_t operation, struct arena *arena, struct onset *out,
		struct error *err) MUST_CHECK;

/* Drops an onset that was slow from the beginning and ended before the trace:
 * it is not the trace's, and would leave no healthy time before it. */
void onset_forget_past(struct onset *o, int64_t at_ns);

/* Returns the part of a range in which the operation was slow, for a trace at
 * at_ns: the whole range if no onset was found or the trace is outside the slow
 * part, or if less than ONSET_MIN_SPANS or a minute would remain. */
struct time_range onset_slow_range(const struct onset *o,
				   struct time_range range, int64_t at_ns);

/* Returns the healthy part of a baseline: before the onset, or after the
 * recovery if the range lies later; the whole range if they do not overlap;
 * from = to if nothing is left. */
struct time_range onset_healthy_range(const struct onset *o,
				      struct time_range range);

/* A change of a service's version label. */
struct deploy {
	bool is_found;
	struct str from_version; /* borrowed from the history */
	struct str to_version;
	int64_t at_ns;      /* first span of the new version */
	bool is_partial;    /* the old one kept running: a canary or rollout */
	bool is_near_onset; /* within ONSET_NEAR_NS */
	uint32_t new_count; /* number of spans */
	uint32_t old_count;
};

/* Finds the last version that appeared in the windows after another one. Uses
 * spans of all operations of the service. onset may be NULL. */
void deploy_find(const struct history *h, const uint32_t *windows, size_t count,
		 struct str service, const struct onset *onset,
		 struct deploy *out);

/* Change points of a time series: lasting changes of its level, such as the
 * cost per request by minute. A change point has to explain the series far
 * better than a line does, each combined with levels that drift, so that random
 * drift, a trend or a daily rhythm is not reported as one. Levels are compared
 * as ratios. Pure arithmetic on any unit. */

/* Minimum number of steps with a value; with fewer their variance is
 * unknown. */
#define CHANGE_STEPS_MIN 12u

/* Maximum number of change points, the largest first. */
#define CHANGE_POINTS_MAX 8u

/* Minimum ratio of two levels, whatever the noise. */
#define CHANGE_RATIO 1.05

/* Minimum ratio for a hint at the newest steps. */
#define CHANGE_RECENT_RATIO 1.25

struct change_series {
	/* The level of several steps is the sum of their amounts divided by
	 * that of their counts; a step with count 0 has no value. */
	const double *amounts;
	const double *counts;
	size_t step_count;
	/* Amounts are sums of logarithms, so that levels are logarithms. */
	bool is_log;
	/* Steps per day if the series is longer than a day; else 0. */
	size_t day_steps;
	/* Steps with a known change (a version): a change point there needs
	 * less evidence than one at an arbitrary step. */
	const size_t *known;
	size_t known_count;
};

enum series_kind {
	SERIES_TOO_FEW = 0, /* fewer than CHANGE_STEPS_MIN steps have a value */
	SERIES_STEADY,      /* nothing beyond the normal variation */
	SERIES_RAMP,        /* it rises or falls gradually */
	SERIES_RHYTHM,      /* same daily rhythm as on other days */
	SERIES_BRIEF,       /* the changes soon revert */
	SERIES_STEP,
};

struct change_point {
	/* The first step of the new level, and the interval of steps that
	 * contains the change. */
	size_t at;
	size_t low;
	size_t high;
	/* Levels between the previous and the next change point. */
	double before;
	double after;
	double score; /* size relative to the minimum for a claim: at least 1 */
};

struct change_points {
	enum series_kind kind;
	struct change_point items[CHANGE_POINTS_MAX]; /* in order of time */
	size_t count;
	size_t largest; /* index of the largest by ratio; of nearly equal ones
			 * the first */
	/* Smallest detectable ratio; INFINITY: none. */
	double least_ratio;
	double noise; /* of one step: relative standard deviation */
	double first; /* levels of the first and the last quarter */
	double last;
	/* A possible change point at the end: set if the newest recent_count
	 * steps with a value (0: none) exceed all earlier ones by more than
	 * half of the range of those. Not a verdict: there is too little data
	 * to distinguish it from a spike or drift. */
	struct change_point recent;
	size_t recent_count;
};

/* Finds the change points. Returns false only without memory. */
bool change_points_find(const struct change_series *series, struct arena *arena,
			struct change_points *out,
			struct error *err) MUST_CHECK;

#endif
