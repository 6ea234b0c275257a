/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages of a trace: who sent each and who took it, and how long it lay
 * between them. Published late, waited and worked long are three things: the
 * first lies in the sender's time, the last in the receiver's, and the wait is
 * in nobody's span.
 */
#ifndef ANALYZE_MESSAGES_H
#define ANALYZE_MESSAGES_H

#include "analyze/onset.h"
#include "analyze/trace_analysis.h"
#include "model/history.h"

/* A wait that is shorter is no queue, but the way there. */
#define MESSAGE_WAIT_NS ((int64_t)10000000)

struct message {
	uint32_t sender;   /* its producer span, above it or by a link
				  within the trace; else the span above */
	uint32_t receiver; /* span that took it: the top of a tree */
	/* From the end of sending, or as the broker noted it, to the begin of
	 * taking; at least 0. */
	int64_t wait_ns;
};

struct messages {
	struct message *items; /* in the order of their receivers */
	size_t count;
};

/* Messages that nobody waited for the answer of. *out lives in the arena. */
bool messages_find(const struct trace *t, const struct trace_times *times,
		   struct arena *arena, struct messages *out,
		   struct error *err) MUST_CHECK;

/* The queue or topic of a message, as one of its spans names it; empty when
 * none does. */
struct str message_queue(const struct trace *t, const struct message *m);

/* How long messages from one operation to another usually wait. */
struct message_wait {
	uint32_t sender; /* operations of the history */
	uint32_t receiver;
	uint32_t count; /* messages behind it */
	int64_t p50_ns; /* -1 when there are none, both of these */
	int64_t p90_ns;
	int64_t slow_p50_ns; /* in the slow window; -1 not known */
	struct onset onset;  /* since when they wait longer */
};

/* Fewer tell nothing of what is usual. So few tell little of how far waits
 * spread: one that grew is as many times the longest of them. */
#define MESSAGE_LEAST 3u

/* Sorts the values: the usual ones of wait. */
void message_wait_set(struct message_wait *wait, int64_t *values,
		      uint32_t count);

/* For wait->sender and ->receiver: the waits in `window` of messages that were
 * taken in `range` (both 0: all) before the waits grew, and in slow_window
 * (UINT32_MAX: none), of the part in which they are long. A message is paired
 * with the last one that its trace had sent by then. */
bool message_wait_measure(const struct history *h, uint32_t window,
			  struct time_range range, uint32_t slow_window,
			  struct arena *arena, struct message_wait *wait,
			  struct error *err) MUST_CHECK;

#endif
