/* SPDX-License-Identifier: Apache-2.0
 *
 * Who else is affected by the cause of a slow request, from data fetched
 * anyway: the fraction of the operation's requests, the services above it, and
 * other requests that pass through it.
 */
#ifndef ANALYZE_AFFECTED_H
#define ANALYZE_AFFECTED_H

#include "base/arena.h"
#include "base/error.h"
#include "model/history.h"
#include "model/result.h"
#include "model/trace.h"

struct affected_want {
	const struct trace *trace;
	uint32_t entry; /* its span of the operation */
	const struct request_history *requests; /* NULL: none were seen */
	const struct history *history;
	uint32_t operation; /* in the history; OPERATION_NONE: none */
};

/* Finds them; nothing if slow requests were not determined. Names are borrowed
 * from the trace and the history, the lists live in the arena. Returns false
 * only without memory. */
bool affected_find(const struct affected_want *want, struct arena *arena,
		   struct affected_info *out, struct error *err) MUST_CHECK;

#endif
