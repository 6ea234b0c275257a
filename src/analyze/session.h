/* SPDX-License-Identifier: Apache-2.0
 *
 * Traces that are no request: a session in a browser, an installation, a
 * poller, a batch. Many requests follow one another in them, and between them
 * nothing runs, for nobody waits: the pauses explain nothing.
 */
#ifndef ANALYZE_SESSION_H
#define ANALYZE_SESSION_H

#include "analyze/trace_analysis.h"

/* A pause is longer than requests wait for anything in between, and several
 * of them make up half of the time at least. */
#define SESSION_PAUSE_NS NS_PER_S
#define SESSION_PAUSES 3u
#define SESSION_PAUSE_PERCENT 50

/* Whether a root stands for a session rather than for work of its own: no
 * server waits in it and no message was taken, what it calls pauses as above,
 * and most of that went well (attempts at one thing pause, too). */
bool session_is_root(const struct trace *t, uint32_t span);

/* Looks for such pauses between the trees of a trace, those of messages aside,
 * which are the story of one request. False, and an empty *out, when there are
 * not enough. */
bool session_find(const struct trace *t, const struct trace_times *times,
		  struct session *out);

/* Nobody waits for a root that polls or begins a job: when what it sets off
 * takes so many times as long, that is what the trace is about. */
#define POLL_RATIO 10

/* The longest of that, else the root. */
uint32_t session_poll_work(const struct trace *t,
			   const struct trace_times *times, uint32_t root);

#endif
