/* SPDX-License-Identifier: Apache-2.0
 *
 * Ranking of candidates over classified calls, and the filter of the user's
 * choice, shared by all code that chooses spans.
 */
#ifndef ANALYZE_SLOWSPAN_H
#define ANALYZE_SLOWSPAN_H

#include "analyze/calls.h"
#include "analyze/messages.h"
#include "analyze/trace_analysis.h"
#include "analyze/typical.h"

/* Ranks the candidates; without a filter only spans of the analysed tree
 * compete. *out lives in the arena. */
bool candidates_rank(const struct calls *c, const struct trace_times *times,
		     const struct guilty_want *want, struct arena *arena,
		     struct candidates *out, struct error *err) MUST_CHECK;

/* Returns whether the user restricted the choice. */
bool guilty_want_is_narrow(const struct guilty_want *want);

/* Returns whether the span matches service and name; span_id is ignored. */
bool guilty_want_accepts(const struct guilty_want *want, const struct trace *t,
			 uint32_t span);

/* Finds which part of a trace is slow, if it is more than one request: the
 * request, async work, or a queue between the two. */

/* Growth of a wait needs the same as that of a span: 1.5 times the typical wait
 * and more than 90 % of waits, and a tenth of the request's path. */
struct slow_tree {
	uint32_t top;            /* of the tree to examine, if it is not the
				  * root's */
	bool is_queue;           /* the message waited before it was received */
	struct queue_wait queue; /* set if is_queue */
};

/* Finds async work of a request that grew clearly beyond its typical time, by
 * more than the request itself: the top of that tree, of several the one that
 * grew most. If the request grew, too, the work has to take much longer than it
 * (ASYNC_RATIO), and not in this trace alone; if it did not, work that was long
 * in this trace alone counts from three times its typical time on. An async
 * call is ignored if the request grew at all. Work of a typical duration that
 * started late, because its message waited longer than typical, counts by that
 * wait if that grew more. Without a typical duration it is not known whether a
 * consumer is always that long, and the request has precedence. */
void slow_tree_find(const struct trace *t, const struct trace_times *times,
		    const struct typical *typical,
		    const struct messages *messages, struct slow_tree *out);

#endif
