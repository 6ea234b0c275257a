/* SPDX-License-Identifier: Apache-2.0
 *
 * A baseline that is known to be healthy: the nearest earlier window in which
 * the traces say that the same operation was not slow.
 */
#ifndef ANALYZE_BASELINE_H
#define ANALYZE_BASELINE_H

#include "analyze/onset.h"
#include "model/history.h"

#define WINDOW_NONE UINT32_MAX

enum baseline_slot {
	BASELINE_PREVIOUS = 0,
	BASELINE_HOUR,
	BASELINE_DAY,
	BASELINE_WEEK,
	BASELINE_SLOTS,
};

/* Which window of the history is what; WINDOW_NONE: not asked. */
struct window_roles {
	uint32_t slow;      /* around the trace, all traces */
	uint32_t slow_only; /* the same, selected by duration */
	uint32_t baselines[BASELINE_SLOTS];
};

/* All WINDOW_NONE. */
void window_roles_init(struct window_roles *roles);

/* A baseline is healthy when the slow span took at least this many times its
 * median: about what three standard deviations of an ordinary service's
 * medians come to. */
#define BASELINE_RATIO 1.5

/* What creeps has no step: each window is little slower than the one before it,
 * and the nearest is taken for healthy though it holds most of the fault. Then
 * one further back is the baseline: now the median is so many times its, beyond
 * doubt, the nearer window has a part of that already, and what lies further
 * back still is no slower. Ordinary services differ by some ten to twenty
 * percent from day to day. */
#define CREEP_RATIO 1.5
#define CREEP_PART_RATIO 1.2
#define CREEP_P 0.001
#define CREEP_MIN 10u

/* Why a window was taken or not. */
enum baseline_said {
	BASELINE_NOT_WEIGHED = 0,
	BASELINE_NO_ANSWER,  /* or not asked for */
	BASELINE_ALL_SLOW,   /* nothing is left of it without the slow part */
	BASELINE_NO_SPANS,   /* of the operation */
	BASELINE_FEW_SPANS,  /* less than TYPICAL_MIN */
	BASELINE_NOT_FASTER, /* not clearly */
	BASELINE_HEALTHY,
};

struct baseline_health {
	enum baseline_said said;
	int healthy; /* 1, 0, -1 not known: less than TYPICAL_MIN spans */
	struct time_range range; /* without the slow part */
	uint32_t count;          /* spans */
	int64_t p50_ns;          /* -1 none */
};

struct baseline_choice {
	struct baseline_health slots[BASELINE_SLOTS];
	uint32_t chosen; /* slot, BASELINE_SLOTS: none is healthy */
	uint32_t window; /* of the history, WINDOW_NONE */
	/* No window was faster: the operation is not slower than usual, and
	 * the nearest with enough spans was taken. */
	bool is_alike;
	bool is_only; /* no window but the chosen one says what is usual */
	bool is_creeping;
	unsigned nearest;   /* creeping: the slot that would have been chosen */
	int64_t now_p50_ns; /* creeping: of the slow window */
};

const char *baseline_slot_name(unsigned slot); /* "previous", "1h", ... */

/* duration_ns: what the operation took in the trace in question. onset may be
 * NULL. The arena is for what lasts no longer than the call. */
bool baseline_choose(const struct history *h, const struct window_roles *roles,
		     uint32_t operation, int64_t duration_ns,
		     const struct onset *onset, struct arena *arena,
		     struct baseline_choice *out, struct error *err) MUST_CHECK;

#endif
