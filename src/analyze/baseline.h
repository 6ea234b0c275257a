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

/* From near to far. Those between the others are asked for only where the
 * first ones do not tell: see baseline_is_open(). */
enum baseline_slot {
	BASELINE_PREVIOUS = 0,
	BASELINE_THIRD_HOUR, /* twenty minutes before */
	BASELINE_TWO_THIRDS, /* forty */
	BASELINE_HOUR,
	BASELINE_THREE_HOURS,
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

/* Why a window was taken or not. */
enum baseline_said {
	BASELINE_NOT_WEIGHED = 0,
	BASELINE_NO_ANSWER,  /* or not asked for */
	BASELINE_ALL_SLOW,   /* nothing is left of it without the slow part */
	BASELINE_NO_SPANS,   /* of the operation */
	BASELINE_FEW_SPANS,  /* less than TYPICAL_MIN */
	BASELINE_NOT_FASTER, /* not clearly */
	BASELINE_IN_FAULT,   /* by its share of slow ones; by its median not */
	BASELINE_HEALTHY,
};

struct baseline_health {
	enum baseline_said said;
	int healthy; /* 1, 0, -1 not known: less than TYPICAL_MIN spans */
	struct time_range range; /* without the slow part */
	uint32_t count;          /* spans */
	uint32_t slow_count;     /* of these from slow_from_ns on */
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
	/* Nearer ones that are quick by their medians have more slow ones. */
	bool is_behind_fault;
	unsigned nearest;   /* of these two: what would have been chosen */
	int64_t now_p50_ns; /* of the slow window; -1 none */
	/* Half way (by factors) from the median of the chosen one to what the
	 * span in question took, at least BASELINE_RATIO times that; 0: no
	 * window was chosen. */
	int64_t slow_from_ns;
	uint32_t now_count; /* of the slow window, as in struct
			       baseline_health */
	uint32_t now_slow_count;
};

const char *baseline_slot_name(unsigned slot); /* "previous", "1h", ... */

/* Asked for only where the others leave it open. */
static inline bool baseline_slot_is_between(unsigned slot)
{
	return slot == BASELINE_THIRD_HOUR || slot == BASELINE_TWO_THIRDS ||
	       slot == BASELINE_THREE_HOURS;
}

/* Returns whether windows that were not asked for may be needed to tell:
 * nothing was chosen, or what was holds about as many slow ones as now. */
bool baseline_is_open(const struct baseline_choice *b);

/* duration_ns: what the operation took in the trace in question. onset may be
 * NULL. The arena is for what lasts no longer than the call. */
bool baseline_choose(const struct history *h, const struct window_roles *roles,
		     uint32_t operation, int64_t duration_ns,
		     const struct onset *onset, struct arena *arena,
		     struct baseline_choice *out, struct error *err) MUST_CHECK;

#endif
