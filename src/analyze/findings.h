/* SPDX-License-Identifier: Apache-2.0
 *
 * What else a trace shows, whatever span is to blame: repeated calls, slow
 * queries, failures, work nobody waited for, clocks that disagree.
 */
#ifndef ANALYZE_FINDINGS_H
#define ANALYZE_FINDINGS_H

#include "analyze/nplusone.h"
#include "model/result.h"

/* Findings of one kind; more are counted in a last one. */
#define FINDINGS_PER_KIND 10u

/* Span ids of one finding; the number of all stands in its text. */
#define FINDING_SPAN_IDS 100u

/* One query that takes as long is worth a word by itself (Sentry's rule). */
#define SLOW_QUERY_NS ((int64_t)500000000)

/* Appends to result->findings: n_plus_one, slow_query, error, async_work,
 * clock_skew, in this order. */
bool findings_collect(const struct calls *c, const struct trace_times *times,
		      const struct repeats *repeats, struct result *result,
		      struct error *err) MUST_CHECK;

#endif
