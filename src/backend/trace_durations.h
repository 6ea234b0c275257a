/* SPDX-License-Identifier: Apache-2.0
 *
 * How long everything took that a search describes, where the trace server
 * counts it.
 */
#ifndef BACKEND_TRACE_DURATIONS_H
#define BACKEND_TRACE_DURATIONS_H

#include "backend/backends.h"
#include "model/durations.h"

/* Asks for all durations of the query in its range, given that
 * traces_counted() is not NONE. out->total is 0 when the
 * server cannot tell, knows only a part, or counts fewer than the `least` that
 * are known to be there. False only when nothing could be sent. */
bool trace_durations_ask(struct backends *b, const struct find_query *query,
			 int64_t least, struct duration_buckets *out,
			 struct error *err) MUST_CHECK;

#endif
