/* SPDX-License-Identifier: Apache-2.0
 *
 * Requests of one operation, and of each the spans that tell something of it.
 */
#ifndef ANALYZE_CONTRAST_REQUESTS_H
#define ANALYZE_CONTRAST_REQUESTS_H

#include "base/map.h"
#include "model/history.h"

struct contrast_request {
	int64_t start_ns; /* of the operation's span, the longest of several */
	int64_t duration_ns;
	bool is_of_slow_only; /* chosen by its duration */
};

struct contrast_requests {
	struct arena *arena;
	const struct history *history;
	uint32_t operation;
	struct map by_id; /* traces */
	struct contrast_request *items;
	uint32_t count;
	size_t cap;
	/* By request, then by operation: its longest span there, or NULL. */
	const struct history_span **spans;
	size_t span_cap;
	/* By operation, NULL without requests: a bit for each key of which spans of one request bear
	 * several values. The longest's then says which span took long, not
	 * what the request is like. */
	uint32_t *mixed_keys;
};

/* None yet; all that is added lives in the arena. */
void contrast_requests_init(struct contrast_requests *r,
			    const struct history *history, uint32_t operation,
			    struct arena *arena);

/* Adds those of a window whose span of the operation begins in the range,
 * unless their trace is among them already. Windows that were not asked for
 * hold none. */
bool contrast_requests_add(struct contrast_requests *r, uint32_t window,
			   struct time_range range, bool is_slow_only,
			   struct error *err) MUST_CHECK;

static inline const struct history_span *contrast_request_span(
	const struct contrast_requests *r, uint32_t request, uint32_t operation)
{
	return r->spans[(size_t)request * r->history->operation_count +
			operation];
}

#endif
