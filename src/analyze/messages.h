/* SPDX-License-Identifier: Apache-2.0
 *
 * The messages of a trace: sender, receiver and wait in between. Late sending,
 * waiting and slow processing differ: the first is part of the sender's time,
 * the last of the receiver's, and the wait is in no span.
 */
#ifndef ANALYZE_MESSAGES_H
#define ANALYZE_MESSAGES_H

#include "analyze/onset.h"
#include "analyze/trace_analysis.h"
#include "model/history.h"

/* Minimum wait in a queue; shorter ones are the transport. */
#define MESSAGE_WAIT_NS ((int64_t)10000000)

struct message {
	uint32_t sender;   /* its producer span, above the receiver or linked
			    * within the trace; else the span above */
	uint32_t receiver; /* span that received it: the top of a tree */
	/* From the end of sending, or the broker's timestamp, to the start of
	 * receiving; at least 0. */
	int64_t wait_ns;
};

struct messages {
	struct message *items; /* in the order of their receivers */
	size_t count;
};

/* Finds messages without a waiting sender. *out lives in the arena. */
bool messages_find(const struct trace *t, const struct trace_times *times,
		   struct arena *arena, struct messages *out,
		   struct error *err) MUST_CHECK;

/* Returns the queue or topic of a message, as named by one of its spans; empty:
 * not named. */
struct str message_queue(const struct trace *t, const struct message *m);

/* The typical wait of messages from one operation to another. */
struct message_wait {
	uint32_t sender; /* operations of the history */
	uint32_t receiver;
	uint32_t count; /* number of messages it is based on */
	int64_t p50_ns; /* -1: none, for both */
	int64_t p90_ns;
	int64_t slow_p50_ns; /* in the slow window; -1: not known */
	struct onset onset;  /* since when they wait longer */
};

/* Minimum number of messages for a typical wait. With so few the variance is
 * hardly known: a wait has grown if it exceeds the longest of them by a
 * factor. */
#define MESSAGE_LEAST 3u

/* Sets the typical values of wait; sorts the values. */
void message_wait_set(struct message_wait *wait, int64_t *values,
		      uint32_t count);

/* Measures for wait->sender and ->receiver: the waits in `window` of messages
 * received in `range` (both 0: all) before the waits grew, and in slow_window
 * (UINT32_MAX: none), after they grew. A message is paired with the last one
 * that its trace had sent by then. */
bool message_wait_measure(const struct history *h, uint32_t window,
			  struct time_range range, uint32_t slow_window,
			  struct arena *arena, struct message_wait *wait,
			  struct error *err) MUST_CHECK;

#endif
