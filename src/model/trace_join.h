/* SPDX-License-Identifier: Apache-2.0
 *
 * Joining traces: work that a request started by messages may be in separate
 * traces, connected only by links.
 */
#ifndef MODEL_TRACE_JOIN_H
#define MODEL_TRACE_JOIN_H

#include "model/trace.h"

/* Maximum number of traces joined to one: a few messages represent a batch, and
 * each takes a request. */
#define TRACE_JOIN_MOST 3u

/* Maximum number of messages checked for a waiting span, and of levels above
 * their senders: each takes a pass over the trace. */
#define TRACE_AWAITED_MOST 16u

/* Joins traces by links. Of two linked spans the later follows from the
 * earlier, whichever of them has the link: if it is a root or receives a
 * message, it becomes a child of the other, flagged SPAN_IS_FOLLOWS_FROM; with
 * several candidates, of the one that ended first. Spans of the others are
 * flagged SPAN_IS_LINKED. Traces not connected to `main`, and those whose span
 * ids occur in another one, are left out. Joins at most TRACE_JOIN_MOST others.
 *
 * Work that the sender waits for becomes a child of the waiting span, flagged
 * SPAN_IS_AWAITED instead; also within main.
 *
 * *out, uninitialised, receives a trace of its own with main's id, partial if
 * main is; *joined is the number of traces joined. */
bool trace_join(const struct trace *main, const struct trace *const *others,
		size_t count, struct trace *out, size_t *joined,
		struct error *err) MUST_CHECK;

/* Returns whether trace_join() would change the trace without others. */
bool trace_has_awaited(const struct trace *t);

/* Returns the time from which the parent of such a span was idle, waiting for
 * its end. */
int64_t trace_awaited_from(const struct trace *t, uint32_t span);

/* Extracts a span and its descendants, as a root with a missing caller: one
 * request of the many in a trace. *out, uninitialised, receives a trace of its
 * own with the same id. */
bool trace_part(const struct trace *t, uint32_t top, struct trace *out,
		struct error *err) MUST_CHECK;

#endif
