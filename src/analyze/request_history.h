/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts the requests of an operation for people to look at: a histogram of
 * their durations and how these went over time, with examples.
 */
#ifndef ANALYZE_REQUEST_HISTORY_H
#define ANALYZE_REQUEST_HISTORY_H

#include "analyze/baseline.h"
#include "analyze/cohorts.h"
#include "model/request_history.h"

struct request_history_want {
	const struct history *history;
	const struct window_roles *roles;
	uint32_t operation;
	int64_t start_ns; /* of the request in question */
	int64_t duration_ns;
	const struct cohorts *cohorts;          /* NULL: nothing was judged */
	const struct baseline_choice *baseline; /* NULL: none */
	struct time_range slow_range;
	const struct onset *onset; /* NULL: not looked for */
};

/* *out is NULL when there are no requests; else it lives in the arena, as do
 * the operation's names in the history. */
bool request_history_build(const struct request_history_want *want,
			   struct arena *arena, struct request_history **out,
			   struct error *err) MUST_CHECK;

#endif
