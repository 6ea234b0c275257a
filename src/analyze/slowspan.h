/* SPDX-License-Identifier: Apache-2.0
 *
 * Ranking over calls that were classified already, and the filter of the
 * user's choice, shared by all that choose spans.
 */
#ifndef ANALYZE_SLOWSPAN_H
#define ANALYZE_SLOWSPAN_H

#include "analyze/calls.h"
#include "analyze/trace_analysis.h"

/* Without a filter only spans of the analysed tree compete. *out lives in the
 * arena. */
bool candidates_rank(const struct calls *c, const struct trace_times *times,
		     const struct guilty_want *want, struct arena *arena,
		     struct candidates *out, struct error *err) MUST_CHECK;

/* Whether the user asked for anything but the ranking as it comes. */
bool guilty_want_is_narrow(const struct guilty_want *want);

/* Whether the span passes service and name; span_id is not looked at. */
bool guilty_want_accepts(const struct guilty_want *want, const struct trace *t,
			 uint32_t span);

#endif
