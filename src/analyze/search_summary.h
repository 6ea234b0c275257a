/* SPDX-License-Identifier: Apache-2.0
 *
 * Summarizes the result of a search: order, quantiles, a histogram of
 * durations, health checks, and the slow trace that represents the others.
 */
#ifndef ANALYZE_SEARCH_SUMMARY_H
#define ANALYZE_SEARCH_SUMMARY_H

#include "model/history.h"
#include "model/metrics.h"

/* Returns whether a route or method only checks that a program is alive: "GET
 * /healthz", "/api/ready?full=1", "grpc.health.v1.Health/Check". The one rule
 * for health checks; the last part of the path decides. */
bool route_is_health_check(struct str name);

/* Returns the same rule as a regular expression for servers, RE2, that matches
 * whole names. */
struct str health_check_pattern(void);

/* Returns whether a trace is a health check, by its root, or without one by the
 * matching span. */
bool hit_is_health_check(const struct hit *hit);

/* Sorts by duration, longest first, then newest first, then by id. */
void hits_sort(struct hit *items, size_t count);

void durations_sort(int64_t *durations_ns, size_t count);

/* Returns the quantile by nearest rank: the smallest value that at least
 * permille thousandths of all do not exceed. sorted ascending, count > 0,
 * permille 1..1000. */
int64_t durations_quantile(const int64_t *sorted, size_t count,
			   unsigned permille);

/* Parses "p95", "p99.9", "p50" -> 950, 999, 500; at least p1. */
bool quantile_parse(struct str text, unsigned *permille) MUST_CHECK;

#define HISTOGRAM_ROWS 16u

/* Row i counts durations in [edges_ns[i], edges_ns[i + 1]), the last one also
 * its upper edge. */
struct histogram {
	int64_t edges_ns[HISTOGRAM_ROWS + 1];
	size_t counts[HISTOGRAM_ROWS];
	size_t row_count;
	size_t largest;
};

/* Builds a histogram: equal steps of 1, 2 or 5 times a power of ten if the
 * longest is less than ten times the shortest; else steps of 1, 2, 5, 10, or
 * whole powers of ten if these are too many. sorted ascending, count > 0. */
void histogram_build(const int64_t *sorted, size_t count, struct histogram *h);

/* ---- buckets of powers of two ---- */

/* Returns the quantile by nearest rank, interpolated geometrically within its
 * bucket, as Tempo does: accurate to a factor of two. If the longest duration
 * is known (not 0), buckets end there. total > 0. */
int64_t buckets_quantile(const struct duration_buckets *b, unsigned permille,
			 int64_t longest_ns);

/* Builds a histogram with a row per bucket; buckets are merged if there are too
 * many; total > 0. */
void buckets_histogram(const struct duration_buckets *b, struct histogram *h);

/* The durations above a quantile: the `kept` longest of `count` durations from
 * from_ns on, the lower edge of its bucket. */
struct tail {
	int64_t from_ns;
	int64_t count;
	int64_t kept;
};

struct tail buckets_tail(const struct duration_buckets *b, unsigned permille);

/* Returns the quantile from observed durations from tail.from_ns on, longest
 * first, count > 0; a sample of them suffices. */
int64_t tail_quantile(const struct tail *tail, const struct hit *items,
		      size_t count);

/* ---- the typical trace ---- */

struct typical_hit {
	size_t index;       /* of items */
	size_t group_count; /* slow traces with the same root operation */
};

/* Finds the typical one of the slow traces: of the most frequent root operation
 * (ties: more total time, then by name) the one at the median of its durations,
 * the longer of two. items are in the order of hits_sort(), count > 0. Returns
 * false without memory. */
bool typical_hit_find(const struct hit *items, size_t count,
		      struct typical_hit *out, struct error *err) MUST_CHECK;

/* Distinguishes unusually slow requests from those that are always slow: a
 * login of 25 ms is normal, a session check of 25 ms instead of half a
 * millisecond is not. */

struct unusual {
	const struct hit *hit; /* a representative trace; NULL: none */
	size_t count;          /* traces of its root operation now */
	int64_t now_ns;        /* the quantile that grew most, now */
	int64_t usual_ns;      /* and in the earlier window */
	unsigned percent;      /* which quantile: 50 or 90 */
	/* The slowest of the operations that are normal; NULL: none. */
	const struct hit *as_ever;
};

/* Finds the operation with the largest total growth. now and before: samples of
 * the same search in two windows, in any order. Borrows the hits. */
bool unusual_find(const struct hit *now, size_t now_count,
		  const struct hit *before, size_t before_count,
		  struct unusual *out, struct error *err) MUST_CHECK;

#endif
