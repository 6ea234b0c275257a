/* SPDX-License-Identifier: Apache-2.0
 *
 * Chooses a healthy baseline: the nearest earlier window in which traces show
 * that the same operation was not slow.
 */
#ifndef ANALYZE_BASELINE_H
#define ANALYZE_BASELINE_H

#include "analyze/onset.h"
#include "model/history.h"

#define WINDOW_NONE UINT32_MAX

/* Nearest first. The windows in between are queried only if the others do not
 * suffice: see baseline_is_open(). */
enum baseline_slot {
	BASELINE_PREVIOUS = 0,
	BASELINE_THIRD_HOUR, /* 20 minutes earlier */
	BASELINE_TWO_THIRDS, /* 40 minutes earlier */
	BASELINE_HOUR,
	BASELINE_THREE_HOURS,
	BASELINE_DAY,
	BASELINE_WEEK,
	BASELINE_SLOTS,
};

/* The windows of a history by role; WINDOW_NONE: not queried. */
struct window_roles {
	uint32_t slow;      /* around the trace, all traces */
	uint32_t slow_only; /* the same, limited by duration */
	uint32_t baselines[BASELINE_SLOTS];
};

/* Sets all to WINDOW_NONE. */
void window_roles_init(struct window_roles *roles);

/* A baseline is healthy if the slow span took at least this many times its
 * median: about three standard deviations of an ordinary service's medians. */
#define BASELINE_RATIO 1.5

/* Why a window was chosen or not. */
enum baseline_said {
	BASELINE_NOT_WEIGHED = 0,
	BASELINE_NO_ANSWER,  /* or not queried */
	BASELINE_ALL_SLOW,   /* nothing is left without the slow part */
	BASELINE_NO_SPANS,   /* of the operation */
	BASELINE_FEW_SPANS,  /* fewer than TYPICAL_MIN */
	BASELINE_NOT_FASTER, /* not clearly */
	BASELINE_IN_FAULT,   /* by its fraction of slow spans, not by its
			      * median */
	BASELINE_HEALTHY,
};

struct baseline_health {
	enum baseline_said said;
	int healthy; /* 1, 0, or -1: not known, fewer than TYPICAL_MIN spans */
	struct time_range range; /* without the slow part */
	uint32_t count;          /* spans */
	uint32_t slow_count;     /* of these, spans from slow_from_ns on */
	int64_t p50_ns;          /* -1: none */
};

struct baseline_choice {
	struct baseline_health slots[BASELINE_SLOTS];
	uint32_t chosen; /* slot; BASELINE_SLOTS: none is healthy */
	uint32_t window; /* of the history, or WINDOW_NONE */
	/* No window was faster: the operation is not slower than typical, and
	 * the nearest window with enough spans was chosen. */
	bool is_alike;
	bool is_only; /* only the chosen window has typical values */
	bool is_creeping;
	/* Nearer windows with a low median have more slow spans. */
	bool is_behind_fault;
	unsigned nearest;   /* nearest of these: the choice otherwise */
	int64_t now_p50_ns; /* of the slow window; -1: none */
	/* Geometric mean of the chosen window's median and of the duration of
	 * the span in question, at least BASELINE_RATIO times the median; 0: no
	 * window was chosen. */
	int64_t slow_from_ns;
	uint32_t now_count; /* for the slow window, as in struct
			     * baseline_health */
	uint32_t now_slow_count;
};

const char *baseline_slot_name(unsigned slot); /* Returns "previous", "1h",
						* ... */

/* Returns whether the slot is queried only if the others leave the choice
 * open. */
static inline bool baseline_slot_is_between(unsigned slot)
{
	return slot == BASELINE_THIRD_HOUR || slot == BASELINE_TWO_THIRDS ||
	       slot == BASELINE_THREE_HOURS;
}

/* Returns whether further windows are needed for the choice: none was chosen,
 * or the chosen one has about as many slow spans as the slow window. */
bool baseline_is_open(const struct baseline_choice *b);

/* Chooses the baseline. duration_ns: of the operation in the trace in question.
 * onset may be NULL. The arena is for temporary data. */
bool baseline_choose(const struct history *h, const struct window_roles *roles,
		     uint32_t operation, int64_t duration_ns,
		     const struct onset *onset, struct arena *arena,
		     struct baseline_choice *out, struct error *err) MUST_CHECK;

#endif
