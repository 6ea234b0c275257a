/* SPDX-License-Identifier: Apache-2.0
 *
 * Ranking over calls that were classified already, and the filter of the
 * user's choice, shared by all that choose spans.
 */
#ifndef ANALYZE_SLOWSPAN_H
#define ANALYZE_SLOWSPAN_H

#include "analyze/calls.h"
#include "analyze/messages.h"
#include "analyze/trace_analysis.h"
#include "analyze/typical.h"

/* Without a filter only spans of the analysed tree compete. *out lives in the
 * arena. */
bool candidates_rank(const struct calls *c, const struct trace_times *times,
		     const struct guilty_want *want, struct arena *arena,
		     struct candidates *out, struct error *err) MUST_CHECK;

/* Returns whether the user asked for anything but the ranking as it comes. */
bool guilty_want_is_narrow(const struct guilty_want *want);

/* Returns whether the span passes service and name; span_id is not looked at.
 */
bool guilty_want_accepts(const struct guilty_want *want, const struct trace *t,
			 uint32_t span);

/* Which part of a trace is slow, where it is more than one request: the
 * request itself, work that nobody waited for, or a queue between the two. */

/* A wait grew when it took half as much again as usual and longer than nine in
 * ten, and by a tenth of the request's path: as spans do. */
struct slow_tree {
	uint32_t top;            /* of the tree to look into; else the root */
	bool is_queue;           /* the message lay there before it was taken */
	struct queue_wait queue; /* with is_queue */
};

/* When a request has set off work that nobody waited for, that grew clearly
 * beyond what is usual, by more than the request itself: the top of that tree,
 * of several the one that grew most. Where the request grew, too, the work has
 * to take much longer than it (ASYNC_RATIO), and not in this trace alone; where
 * it did not, what took long in this trace alone counts from three times its
 * usual on. A call that nobody waited for is no matter beside a request that
 * grew at all. Work that takes what it mostly does but began late, because its
 * message lay in a queue for longer than usual, counts by that wait when that
 * grew more than it. Without a usual duration it is not known whether a consumer
 * is always that long, and the request comes first. */
void slow_tree_find(const struct trace *t, const struct trace_times *times,
		    const struct typical *typical,
		    const struct messages *messages, struct slow_tree *out);

#endif
