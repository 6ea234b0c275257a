/* SPDX-License-Identifier: Apache-2.0
 *
 * Who else is hit by what made a request slow, of what was read anyway: the
 * share of the operation's requests, the services above it, and other requests
 * that come through it.
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
	uint32_t operation; /* in it, OPERATION_NONE: it has none */
};

/* Nothing where it was not judged which requests are slow. Names are borrowed
 * from the trace and the history, the lists live in the arena. False only
 * without memory. */
bool affected_find(const struct affected_want *want, struct arena *arena,
		   struct affected_info *out, struct error *err) MUST_CHECK;

#endif
