/* SPDX-License-Identifier: Apache-2.0
 *
 * What operations usually take, from the traces of one window. A trace may
 * call an operation several times, so both single durations and sums over a
 * trace are kept: "52 calls, normally 3".
 */
#ifndef ANALYZE_TYPICAL_H
#define ANALYZE_TYPICAL_H

#include "analyze/messages.h"
#include "analyze/onset.h"
#include "model/history.h"
#include "model/trace.h"

/* Spans or traces below which nothing is called usual. */
#define TYPICAL_MIN 5u

struct typical_operation {
	uint32_t span_count;
	uint32_t trace_count; /* traces that have such a span */
	int64_t span_p50_ns;  /* -1 when there is none, all of these */
	int64_t span_p90_ns;
	int64_t slow_p50_ns; /* of single ones in the slow window, or -1 */
	int64_t sum_p50_ns; /* of the sums by trace, of traces that have it */
	int64_t sum_p90_ns;
	uint32_t calls_p50; /* spans by trace, of traces that have it */
	uint32_t calls_p90;
	/* Part of the root's traces that have it, here and in the slow
	 * window; -1 not known. */
	double share;
	double slow_share;
	/* Its own time, without what it waits for in its process, of single
	 * spans: see typical_add_own(). */
	uint32_t own_count; /* 0: not known */
	int64_t own_p50_ns;
	int64_t own_p90_ns;
	bool is_own_compared;    /* with the slow window */
	bool has_own_moved;      /* there it is longer, for most requests */
	int64_t slow_own_p50_ns; /* of it there */
	bool is_gap; /* of a call: own time is that outside its server side */
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
	/* Where the request's time went, and that of others; NULL not known. */
	const struct account_change *account;
};

/* From the spans of `window` that start in `range` (both 0: all). Traces that
 * have a span of operation `root` are the ones counted for shares
 * (OPERATION_NONE or no such span: all). slow_window gives slow_share
 * and slow_p50_ns; UINT32_MAX: not known. *out lives in the arena. */
bool typical_build(const struct history *h, uint32_t window,
		   struct time_range range, uint32_t root, uint32_t slow_window,
		   struct arena *arena, struct typical *out,
		   struct error *err) MUST_CHECK;

/* Own times, by what each operation waits for (operations.below). A trace
 * whose spans of one operation run side by side does not tell which of them
 * waited for what, and is left out. Windows and range as in typical_build(). */
bool typical_add_own(struct typical *u, const struct history *h,
		     uint32_t window, struct time_range range,
		     const uint32_t *below, uint32_t slow_window,
		     struct error *err) MUST_CHECK;

/* The mean of the own times of an operation's spans that start in the range, as
 * typical_add_own() takes them; -1 of fewer than TYPICAL_MIN, or where own time
 * is not known. below: of this operation. */
bool typical_mean_own(const struct history *h, uint32_t window,
		      struct time_range range, uint32_t operation,
		      uint32_t below, double *mean_ns,
		      struct error *err) MUST_CHECK;

/* The operation that made most requests of the slow window slower, by its own
 * time and its calls; OPERATION_NONE: none did. */
uint32_t typical_most_moved(const struct typical *u);

/* How long messages like those of the trace waited, by sender and receiver
 * where both are operations of the history. Windows and range as in
 * typical_build(). */
bool typical_add_waits(struct typical *u, const struct history *h,
		       uint32_t window, struct time_range range,
		       const struct trace *t, const struct messages *messages,
		       uint32_t slow_window, struct arena *arena,
		       struct error *err) MUST_CHECK;

/* Returns the wait of messages between these operations; NULL: not known. */
struct message_wait *typical_find_wait(const struct typical *u, uint32_t sender,
				       uint32_t receiver);

/* The same of what was found out otherwise, in the place of what there is. */
bool typical_set_wait(struct typical *u, const struct message_wait *wait,
		      struct arena *arena, struct error *err) MUST_CHECK;

/* Forgets the shares of operations that stand in another trace than the root,
 * which says nothing of whether the root's traces have them. foreign: a bit for
 * each operation. */
void typical_forget_shares(struct typical *u, uint32_t foreign);

/* Windows in which an onset is looked for: the one before and the slow one. */
#define OWN_WINDOWS 2u

/* When the own time of an operation grew, where onset_find() sees nothing in
 * the durations of the whole: of all operations the largest step of the
 * medians, least_ns and more. below as above. */
bool own_onset_find(const struct history *h, const uint32_t *windows,
		    const uint32_t *below, int64_t least_ns, struct onset *out,
		    struct error *err) MUST_CHECK;

/* Returns the facts of a span's operation; NULL when nothing was queried. */
const struct typical_operation *typical_find(const struct typical *u,
					     const struct trace *t,
					     uint32_t span);

/* Returns whether there is enough to say what is usual for it: TYPICAL_MIN
 * spans; or it never occurred in TYPICAL_MIN traces of the root: then it is
 * new. */
bool typical_is_known(const struct typical *u,
		      const struct typical_operation *o);

/* Usual duration of `count` of the `all` calls that a trace makes: of as many
 * as usual their medians, of more than usual their part of the usual sum. 0
 * for a call that is new: never seen in the root's traces, or in at most half
 * as large a part of them as in the slow window and in less than half (the
 * cache that no longer hits). -1 not known. */
int64_t typical_duration(const struct typical *u,
			 const struct typical_operation *o, uint32_t count,
			 uint32_t all);

/* The same by the ninth decile: one in ten takes longer. */
int64_t typical_long_duration(const struct typical *u,
			      const struct typical_operation *o, uint32_t count,
			      uint32_t all);

/* Known, and no usual trace called it (see typical_duration()). */
bool typical_is_new(const struct typical *u, const struct typical_operation *o);

/* Known, and traces make about as many calls: up to the ninth decile, or half
 * as many again as the median. */
bool typical_has_calls(const struct typical *u,
		       const struct typical_operation *o, uint32_t all);

/* The time between a call and its server side as it usually is: network,
 * proxies, setting up connections, queues before the handler. Made of
 * durations alone, so that it does not matter what the clocks say. */

/* Fills own_* of operations that are calls (is_gap), by what serves them
 * (operations.served): of each trace the mean of its calls, where it has as
 * many server sides as calls, else of those calls that a server side fits
 * into. Windows and range as in typical_build(). */
bool typical_add_gaps(struct typical *u, const struct history *h,
		      uint32_t window, struct time_range range,
		      const uint32_t *served, uint32_t slow_window,
		      struct error *err) MUST_CHECK;

#endif
