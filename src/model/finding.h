/* SPDX-License-Identifier: Apache-2.0
 *
 * What a trace shows beside the answer, as numbers and spans; the words for it
 * are report/'s.
 */
#ifndef MODEL_FINDING_H
#define MODEL_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* Which facts each has; the others are 0, their spans mean nothing. */
enum finding_kind {
	/* span calls `call` count times in this manner, time_ns together */
	FINDING_N_PLUS_ONE = 0,
	/* span makes `call` count times, failed_count fail, the last of them as
	 * `failed` says; time_ns are lost, pause_ns of them between attempts;
	 * `other` served one for other_ns, SPAN_NONE: not known */
	FINDING_RETRY,
	/* of count calls side by side `call` is the slowest: time_ns, the
	 * median other_ns */
	FINDING_SLOW_SHARD,
	/* count calls side by side in time_ns, the slowest other_ns */
	FINDING_FAN_OUT,
	/* the first of count calls took time_ns, the others other_ns */
	FINDING_COLD_CALL,
	/* span took time_ns, count spans like it were slow */
	FINDING_SLOW_QUERY,
	/* count calls one after another in time_ns, `call` the longest; side
	 * by side they would save other_ns */
	FINDING_CONSECUTIVE,
	/* span waited time_ns outside `other`, its callee, at this rim; so did
	 * count calls, no longer */
	FINDING_QUEUE_GAP,
	/* span had no child for time_ns, from other_ns after its start */
	FINDING_GAP,
	/* span failed, count times so; the request too when is_fatal */
	FINDING_ERROR,
	/* count messages of span; time_ns until `other` began, the longest */
	FINDING_MESSAGE_DELAY,
	/* count spans were not waited for, of which span is the longest: for
	 * time_ns after the request was over */
	FINDING_ASYNC_WORK,
	/* span, idle, waited for `other`, which a message of its set off: for
	 * time_ns until that ended */
	FINDING_AWAITED_JOB,
	/* count roots besides span, of which `other` is the longest */
	FINDING_OTHER_ROOTS,
	/* count requests follow one another in time_ns, other_ns of them in
	 * pauses; span is the slowest */
	FINDING_SESSION,
	/* count calls do not fit into their caller's time, by other_ns to
	 * time_ns; moved_count spans were moved */
	FINDING_CLOCK_SKEW,
	FINDING_KINDS,
};

/* How calls of a loop run. */
enum repeat_manner {
	REPEAT_ONE_BY_ONE = 0,
	REPEAT_SOME_AT_A_TIME,
	REPEAT_SIDE_BY_SIDE,
};

/* Where the time of a call lies that its callee does not cover. */
enum call_rim {
	CALL_RIM_BEFORE = 0,
	CALL_RIM_BEHIND,
	CALL_RIM_BOTH, /* clocks disagree: only the sum is known */
};

struct finding_facts {
	enum finding_kind kind;
	/* So many more of the kind are not listed; nothing else is set. */
	size_t more_count;
	uint32_t span; /* indices into the trace */
	uint32_t call;
	uint32_t other;
	uint32_t failed;
	uint32_t count;
	uint32_t failed_count;
	uint32_t moved_count;
	int64_t time_ns;
	int64_t other_ns;
	int64_t pause_ns;
	enum repeat_manner manner;
	enum call_rim rim;
	bool is_fatal;
};

struct trace_finding {
	struct str kind; /* n_plus_one, error, clock_skew, ... */
	struct finding_facts facts;
	struct str text;
	uint64_t *span_ids;
	size_t span_id_count;
};

/* "n_plus_one", as JSON has it. */
const char *finding_kind_name(enum finding_kind kind);

#endif
