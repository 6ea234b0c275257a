/* SPDX-License-Identifier: Apache-2.0
 *
 * Traces that are one story: what a request set off by messages may stand in
 * traces of its own, which only links lead to.
 */
#ifndef MODEL_TRACE_JOIN_H
#define MODEL_TRACE_JOIN_H

#include "model/trace.h"

/* Traces that are joined to one: a batch is told well by a few of its
 * messages, and each costs a request. */
#define TRACE_JOIN_MOST 3u

/* The messages of a trace that are checked for who waits for them, and the
 * levels above their senders: each takes a walk through the trace. */
#define TRACE_AWAITED_MOST 16u

/* Joins traces by links. Of two linked spans the later one follows from the
 * earlier, whichever of them has the link: when it is a root or takes a message,
 * it is put below it and flagged SPAN_IS_FOLLOWS_FROM; below the one that ended
 * first, when there are several. Spans of the others are SPAN_IS_LINKED. A trace
 * that nothing ties to `main` is left out, and so is one with ids of spans that
 * another has. At most TRACE_JOIN_MOST others.
 *
 * What its sender waits for is put below the span that waits, and flagged
 * SPAN_IS_AWAITED instead; in main itself, too.
 *
 * *out, which the caller has not initialised, is a trace of its own with
 * main's id, partial when main is; *joined tells how many were. */
bool trace_join(const struct trace *main, const struct trace *const *others,
		size_t count, struct trace *out, size_t *joined,
		struct error *err) MUST_CHECK;

/* Returns whether trace_join() moves something without others. */
bool trace_has_awaited(const struct trace *t);

/* From when on the parent of a span that is flagged so was idle, waiting for
 * its end. */
int64_t trace_awaited_from(const struct trace *t, uint32_t span);

/* Takes out a span and what is below it; it is a root then whose caller is not
 * there: one request of many that a trace is of. *out, which the caller has not
 * initialised, is a trace of its own with the same id. */
bool trace_part(const struct trace *t, uint32_t top, struct trace *out,
		struct error *err) MUST_CHECK;

#endif
