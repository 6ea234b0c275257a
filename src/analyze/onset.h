/* SPDX-License-Identifier: Apache-2.0
 *
 * When an operation became slow, and what was deployed about then. Found in
 * the spans of the slow window and the one before it; ranks are compared, so
 * no shape of the durations is assumed.
 */
#ifndef ANALYZE_ONSET_H
#define ANALYZE_ONSET_H

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

#endif
