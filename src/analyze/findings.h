/* SPDX-License-Identifier: Apache-2.0
 *
 * What else a trace shows, whatever span is to blame: repeated and retried
 * calls, slow branches and queries, gaps, failures, work nobody waited for,
 * clocks that disagree.
 */
#ifndef ANALYZE_FINDINGS_H
#define ANALYZE_FINDINGS_H

#include "analyze/nplusone.h"
#include "model/result.h"

/* Findings of one kind; more are counted in a last one. */
#define FINDINGS_PER_KIND 10u

/* Span ids of one finding; the number of all stands in its text. */
#define FINDING_SPAN_IDS 100u

/* Less time than this, or than this part of the critical path, is not worth
 * a word, whatever its pattern. */
#define FINDING_LEAST_NS ((int64_t)10000000)
#define FINDING_LEAST_PERCENT 5

/* Retries are told from the size on from which spans are candidates. */
#define RETRY_LEAST_PERCENT 1

/* One query that takes as long is worth a word by itself (Sentry's rule). */
#define SLOW_QUERY_NS ((int64_t)500000000)

/* Three remote calls and more, one after another, each of 500 ms and more
 * and 500 ms apart at most, that would save 2 s side by side (Sentry's
 * rule). */
#define CONSECUTIVE_COUNT 3u
#define CONSECUTIVE_NS ((int64_t)500000000)
#define CONSECUTIVE_GAP_NS ((int64_t)500000000)
#define CONSECUTIVE_SAVING_NS ((int64_t)2000000000)

/* Branches of a fan-out: 3 tell a slow one, which takes twice the median and
 * ends last; without one, 6 are worth a word by their number. */
#define SHARD_COUNT 3u
#define SHARD_TIMES 2
#define FAN_OUT_COUNT REPEAT_PARALLEL_COUNT

/* The first of 4 and more calls takes 5 times the median of the others. */
#define COLD_COUNT 4u
#define COLD_TIMES 5
#define COLD_NS ((int64_t)50000000)

/* Between the two sides of a call: a fifth of it. */
#define QUEUE_PERCENT 20

/* A stretch without any child, of the whole critical path. */
#define GAP_PERCENT 30

/* From the end of sending to the begin of working. */
#define MESSAGE_DELAY_NS ((int64_t)100000000)

/* Appends to result->findings, in this order: n_plus_one, retry, slow_shard
 * and fan_out, cold_call, slow_query, consecutive_http, queue_gap, gap, error,
 * message_delay, session or async_work and other_roots, clock_skew. Their texts
 * are left to report/finding_texts.h. */
bool findings_collect(const struct calls *c, const struct trace_times *times,
		      const struct repeats *repeats, struct result *result,
		      struct error *err) MUST_CHECK;

#endif
