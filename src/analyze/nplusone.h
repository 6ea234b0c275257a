/* SPDX-License-Identifier: Apache-2.0
 *
 * Loops that call: the same small call repeated by one span, one after
 * another. Rules and thresholds follow Sentry's performance issues, with two
 * additions: a call inside a wrapper span of its own counts, and other spans
 * may stand between repetitions when they repeat with them (a loop of several
 * calls).
 */
#ifndef ANALYZE_NPLUSONE_H
#define ANALYZE_NPLUSONE_H

#include "analyze/calls.h"
#include "analyze/trace_analysis.h"

/* Database calls: 5 and more that take 50 ms together. */
#define REPEAT_DB_COUNT 5u
#define REPEAT_DB_NS ((int64_t)50000000)

/* HTTP, RPC and messages: 10 and more that take 300 ms together, of 100 ms
 * at most on average: slower ones are slow calls, whatever their number. */
#define REPEAT_CALL_COUNT 10u
#define REPEAT_CALL_NS ((int64_t)300000000)
#define REPEAT_CALL_MEAN_NS ((int64_t)100000000)

struct repeat {
	uint32_t parent; /* the span that runs the loop */
	uint32_t leaf;   /* the first member's call; itself or inside it */
	uint32_t count;
	uint32_t member_first; /* into repeats.members */
	enum call_kind kind;
	int64_t start_ns; /* first start and last end, as recorded */
	int64_t end_ns;
	int64_t sum_ns;     /* durations */
	int64_t through_ns; /* of the critical path, with what is below */
};

struct repeats {
	struct repeat *items; /* the most time of the path first */
	size_t count;
	size_t cap;
	uint32_t *members; /* spans, children of the parent, by start */
	size_t member_count;
	size_t member_cap;
};

/* Runs of like children, one after another. *out lives in the arena. */
bool repeats_find(const struct calls *c, const struct trace_times *times,
		  struct arena *arena, struct repeats *out,
		  struct error *err) MUST_CHECK;

#endif
