/* SPDX-License-Identifier: Apache-2.0
 *
 * The requests of one operation that an investigation saw, counted: by how long
 * they took, and over time. Facts; analyze/request_history.h makes it.
 */
#ifndef MODEL_REQUEST_HISTORY_H
#define MODEL_REQUEST_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "base/timefmt.h"
#include "model/trace.h"

/* Rows of a histogram of durations. */
#define REQUEST_BUCKETS 16u
/* Parts of a window: of ten minutes some fifty seconds each. */
#define REQUEST_SLOTS 12u
/* A bucket names so many of the longest in it; who wants more of them asks for
 * a search. */
#define REQUEST_EXAMPLES 3u

/* Which minutes: those around the trace, and what they may be compared with. */
enum request_role {
	REQUESTS_NOW = 0,
	REQUESTS_PREVIOUS,
	REQUESTS_THIRD_HOUR,
	REQUESTS_TWO_THIRDS,
	REQUESTS_HOUR,
	REQUESTS_THREE_HOURS,
	REQUESTS_DAY,
	REQUESTS_WEEK,
	REQUEST_ROLES,
};

struct request_example {
	struct trace_id trace_id;
	int64_t start_ns;
	int64_t duration_ns;
	enum request_role role;
};

/* Durations in [from_ns, to_ns), the last bucket's up to to_ns. */
struct request_bucket {
	int64_t from_ns;
	int64_t to_ns;
	uint32_t now_count;
	uint32_t slow_count; /* of these: those that are called slow */
	uint32_t baseline_count;
	/* Only found by asking for long ones: no part of a distribution. */
	uint32_t selected_count;
	struct request_example examples[REQUEST_EXAMPLES];
	size_t example_count;
};

struct request_slot {
	enum request_role role;
	struct time_range range;
	uint32_t count;
	uint32_t slow_count;
	uint32_t error_count;
	int64_t shortest_ns;
	int64_t p50_ns;
	struct request_example longest;
};

struct request_window {
	enum request_role role;
	struct time_range range;
	uint32_t count;
	int64_t p50_ns; /* -1: none */
	bool is_baseline;
	bool is_sample; /* the server had more */
};

struct request_history {
	struct str service;
	struct str name;
	/* The request in question, which is in none of the counts. */
	int64_t this_start_ns;
	int64_t this_duration_ns;
	int64_t threshold_ns;   /* slow from here on; 0: nothing was judged */
	struct time_range slow; /* and began within this */
	int64_t onset_ns;       /* when it became slow; 0: no step is known */
	struct request_bucket buckets[REQUEST_BUCKETS];
	size_t bucket_count;
	struct request_window windows[REQUEST_ROLES]; /* asked for, by role */
	size_t window_count;
	struct request_slot *slots; /* with requests, by role and time */
	size_t slot_count;
	uint32_t selected_count;
};

/* Requests of either side in the fullest bucket, 1 at least: what a histogram
 * is as high as. */
static inline uint32_t request_history_most(const struct request_history *h)
{
	uint32_t most = 1;

	for (size_t i = 0; i < h->bucket_count; i++) {
		const struct request_bucket *b = &h->buckets[i];
		uint32_t now = b->now_count + b->selected_count;

		most = now > most ? now : most;
		most = b->baseline_count > most ? b->baseline_count : most;
	}
	return most;
}

#endif
