/* SPDX-License-Identifier: Apache-2.0
 *
 * Typical durations of operations, from the traces of one window. A trace may
 * call an operation several times, so both single durations and sums per trace
 * are kept: "52 calls, normally 3".
 */
#ifndef ANALYZE_TYPICAL_H
#define ANALYZE_TYPICAL_H

#include "analyze/messages.h"
#include "analyze/onset.h"
#include "model/history.h"
#include "model/trace.h"

/* Minimum number of spans or traces for a typical value. */
#define TYPICAL_MIN 5u

struct typical_operation {
	uint32_t span_count;
	uint32_t trace_count; /* traces with such a span */
	int64_t span_p50_ns;  /* -1: none, for all of these */
	int64_t span_p90_ns;
	int64_t slow_p50_ns; /* of single spans in the slow window, or -1 */
	int64_t sum_p50_ns; /* of sums per trace, over traces that have it */
	int64_t sum_p90_ns;
	uint32_t calls_p50; /* spans per trace, over traces that have it */
	uint32_t calls_p90;
	/* Fraction of the root's traces that have it, here and in the slow
	 * window; -1: not known. */
	double share;
	double slow_share;
	/* Self time of single spans, without waits for other spans of the
	 * process: see typical_add_own(). */
	uint32_t own_count; /* 0: not known */
	int64_t own_p50_ns;
	int64_t own_p90_ns;
	bool is_own_compared;    /* with the slow window */
	bool has_own_moved;      /* it is longer there, for most requests */
	int64_t slow_own_p50_ns; /* in the slow window */
	bool is_gap; /* of a call: own_* is the time outside its server side */
};

struct account_change; /* analyze/account.h */

struct typical {
	const struct operation *operations; /* borrowed */
	struct typical_operation *items;    /* by operation */
	uint32_t operation_count;
	uint32_t trace_count; /* traces of the same root */
	struct time_range range;
	struct message_wait *waits; /* see typical_add_waits() */
	size_t wait_count;
	/* Accounts of the request and of others; NULL: not known. */
	const struct account_change *account;
};

/* Computes typical values from the spans of `window` that start in `range`
 * (both 0: all). Shares are fractions of the traces with a span of operation
 * `root` (OPERATION_NONE or no such span: of all). slow_window is used for
 * slow_share and slow_p50_ns; UINT32_MAX: not known. *out lives in the
 * arena. */
bool typical_build(const struct history *h, uint32_t window,
		   struct time_range range, uint32_t root, uint32_t slow_window,
		   struct arena *arena, struct typical *out,
		   struct error *err) MUST_CHECK;

/* Computes self times, from the operations that each one waits for
 * (operations.below). Traces with concurrent spans of one operation are left
 * out, as it is unknown which of them waited for what. Windows and range as in
 * typical_build(). */
bool typical_add_own(struct typical *u, const struct history *h,
		     uint32_t window, struct time_range range,
		     const uint32_t *below, uint32_t slow_window,
		     struct error *err) MUST_CHECK;

/* Computes the mean self time of an operation's spans that start in the range,
 * as in typical_add_own(); -1 if fewer than TYPICAL_MIN, or if self time is not
 * known. below: of this operation. */
bool typical_mean_own(const struct history *h, uint32_t window,
		      struct time_range range, uint32_t operation,
		      uint32_t below, double *mean_ns,
		      struct error *err) MUST_CHECK;

/* Returns the operation that made most requests of the slow window slower, by
 * its self time and its calls; OPERATION_NONE: none. */
uint32_t typical_most_moved(const struct typical *u);

/* Computes the waits of messages like those of the trace, by sender and
 * receiver if both are operations of the history. Windows and range as in
 * typical_build(). */
bool typical_add_waits(struct typical *u, const struct history *h,
		       uint32_t window, struct time_range range,
		       const struct trace *t, const struct messages *messages,
		       uint32_t slow_window, struct arena *arena,
		       struct error *err) MUST_CHECK;

/* Returns the wait of messages between these operations; NULL: not known. */
struct message_wait *typical_find_wait(const struct typical *u, uint32_t sender,
				       uint32_t receiver);

/* Sets a wait that was measured otherwise, replacing an existing one. */
bool typical_set_wait(struct typical *u, const struct message_wait *wait,
		      struct arena *arena, struct error *err) MUST_CHECK;

/* Drops the shares of operations in other traces than the root's, as these do
 * not show whether the root's traces have them. foreign: a bit mask of
 * operations. */
void typical_forget_shares(struct typical *u, uint32_t foreign);

/* Windows searched for an onset: the one before and the slow one. */
#define OWN_WINDOWS 2u

/* Finds when the self time of an operation grew, if onset_find() finds nothing
 * in total durations: of all operations the largest change of medians by at
 * least least_ns. below as above. */
bool own_onset_find(const struct history *h, const uint32_t *windows,
		    const uint32_t *below, int64_t least_ns, struct onset *out,
		    struct error *err) MUST_CHECK;

/* Returns the facts of a span's operation; NULL if it was not queried. */
const struct typical_operation *typical_find(const struct typical *u,
					     const struct trace *t,
					     uint32_t span);

/* Returns whether there is a typical value: TYPICAL_MIN spans; or no span in
 * TYPICAL_MIN traces of the root: then the operation is new. */
bool typical_is_known(const struct typical *u,
		      const struct typical_operation *o);

/* Returns the typical duration of `count` of the `all` calls in a trace: for a
 * typical number of calls their medians, for more their part of the typical
 * sum. 0 for a new call: never seen in the root's traces, or in less than half
 * of them and at most half as often as in the slow window (for example a cache
 * that misses now). -1: not known. */
int64_t typical_duration(const struct typical *u,
			 const struct typical_operation *o, uint32_t count,
			 uint32_t all);

/* Returns the same for the 90th percentile. */
int64_t typical_long_duration(const struct typical *u,
			      const struct typical_operation *o, uint32_t count,
			      uint32_t all);

/* Returns whether it is known, and not called in typical traces (see
 * typical_duration()). */
bool typical_is_new(const struct typical *u, const struct typical_operation *o);

/* Returns whether it is known, and the number of calls is typical: up to the
 * 90th percentile, or 1.5 times the median. */
bool typical_has_calls(const struct typical *u,
		       const struct typical_operation *o, uint32_t all);

/* The typical time between a call and its server side: network, proxies,
 * connection setup, queues before the handler. Computed from durations alone,
 * so that clock skew does not matter. */

/* Fills own_* of operations that are calls (is_gap), from their server sides
 * (operations.served): for each trace the mean of its calls, if there are as
 * many server sides, else of those calls that contain one. Windows and range as
 * in typical_build(). */
bool typical_add_gaps(struct typical *u, const struct history *h,
		      uint32_t window, struct time_range range,
		      const uint32_t *served, uint32_t slow_window,
		      struct error *err) MUST_CHECK;

#endif
