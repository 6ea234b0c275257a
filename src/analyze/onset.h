/* SPDX-License-Identifier: Apache-2.0
 *
 * When an operation became slow, and what was deployed about then. Found in
 * the spans of the slow window and the one before it; ranks are compared, so
 * no shape of the durations is assumed.
 */
#ifndef ANALYZE_ONSET_H
#define ANALYZE_ONSET_H

#include "base/arena.h"
#include "base/error.h"
#include "model/history.h"

/* Spans needed on either side of a change. */
#define ONSET_MIN_SPANS 5u

/* Traces arrive at random and clocks differ: a deploy this close to the onset
 * is the likely reason. */
#define ONSET_NEAR_NS (2 * NS_PER_MIN)

struct onset {
	bool is_found;
	bool has_start;     /* false: it was slow from the beginning */
	bool has_recovered; /* false: slow to the end */
	int64_t start_ns;   /* first slow span; range start without one */
	/* The last fast span before it, 0 unknown. Of a busy service only some
	 * traces are drawn: it became slow anywhere between the two. */
	int64_t last_fast_ns;
	int64_t end_ns; /* end of the slow part */
	int64_t slow_p50_ns;
	int64_t fast_p50_ns;
	uint32_t slow_count;
	uint32_t fast_count;
};

/* The run of spans, in time, whose durations stand out most above the rest.
 * windows: up to count window numbers, not selected by duration (UINT32_MAX
 * is skipped). */
bool onset_find(const struct history *h, const uint32_t *windows, size_t count,
		uint32_t operation, struct arena *arena, struct onset *out,
		struct error *err) MUST_CHECK;

/* Forgets what was slow from the beginning and over before a trace: its own
 * onset it is not, and would leave no time before it that is healthy. */
void onset_forget_past(struct onset *o, int64_t at_ns);

/* The part of a range in which it was slow, for a trace at at_ns: the whole
 * range when nothing was found or the trace lies outside the slow part, or
 * when less than ONSET_MIN_SPANS or a minute would remain. */
struct time_range onset_slow_range(const struct onset *o,
				   struct time_range range, int64_t at_ns);

/* The same for a baseline: what lies before the onset (after the recovery
 * when it lies behind); the whole range when they do not meet; from = to when
 * nothing is left. */
struct time_range onset_healthy_range(const struct onset *o,
				      struct time_range range);

/* A change of the version label of a service. */
struct deploy {
	bool is_found;
	struct str from_version; /* borrowed from the history */
	struct str to_version;
	int64_t at_ns;      /* first span of the new version */
	bool is_partial;    /* the old one went on: a canary or rollout */
	bool is_near_onset; /* within ONSET_NEAR_NS */
	uint32_t new_count; /* spans */
	uint32_t old_count;
};

/* The last version that appeared in the windows after another one. Spans of
 * all operations of the service are looked at. onset may be NULL. */
void deploy_find(const struct history *h, const uint32_t *windows, size_t count,
		 struct str service, const struct onset *onset,
		 struct deploy *out);

/* At which steps of a series its level changed for longer: what a request cost,
 * minute by minute. A step has to explain the series by far better than a line
 * does, each beside levels that wander as it suits them, so that a series that
 * wanders, rises or has a rhythm makes no change of what it does all the time.
 * Levels are compared as ratios. Pure arithmetic: knows neither units nor what
 * is measured. */

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
