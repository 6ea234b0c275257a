/* SPDX-License-Identifier: Apache-2.0
 *
 * What a search found: order, quantiles, a histogram of durations, health
 * checks, and which of the slow traces stands for the others. Knows no
 * server.
 */
#ifndef ANALYZE_SEARCH_SUMMARY_H
#define ANALYZE_SEARCH_SUMMARY_H

#include "model/history.h"
#include "model/metrics.h"

/* Returns whether a route or method is one that only asks if a program is
 * alive: "GET /healthz", "/api/ready?full=1", "grpc.health.v1.Health/Check".
 * THE rule; the last part of the path decides. */
bool route_is_health_check(struct str name);

/* The same rule as a regular expression for a server, RE2, that matches whole
 * names. */
struct str health_check_pattern(void);

/* Returns whether a trace is one, by its root; by the span that matched when it
 * has none. */
bool hit_is_health_check(const struct hit *hit);

/* Longest first, then newest first, then by id. */
void hits_sort(struct hit *items, size_t count);

void durations_sort(int64_t *durations_ns, size_t count);

/* Nearest rank: the smallest value that at least so many thousandths of all
 * do not exceed. sorted ascending, count > 0, permille 1..1000. */
int64_t durations_quantile(const int64_t *sorted, size_t count,
			   unsigned permille);

/* "p95", "p99.9", "p50" -> 950, 999, 500; at least p1. */
bool quantile_parse(struct str text, unsigned *permille) MUST_CHECK;

#define HISTOGRAM_ROWS 16u

/* Row i holds durations in [edges_ns[i], edges_ns[i + 1]), the last one also
 * its upper edge. */
struct histogram {
	int64_t edges_ns[HISTOGRAM_ROWS + 1];
	size_t counts[HISTOGRAM_ROWS];
	size_t row_count;
	size_t largest;
};

/* Equal steps of 1, 2 or 5 times a power of ten while the longest is less
 * than ten times the shortest; else steps of 1, 2, 5, 10, or whole powers of
 * ten when these are too many. sorted ascending, count > 0. */
void histogram_build(const int64_t *sorted, size_t count, struct histogram *h);

/* ---- by powers of two ---- */

/* The same nearest rank, placed inside its bucket as if durations there grew
 * evenly by factors, as Tempo does: off by a factor of two at most. Where the
 * longest is known, 0 is not, no bucket goes beyond it. total > 0. */
int64_t buckets_quantile(const struct duration_buckets *b, unsigned permille,
			 int64_t longest_ns);

/* A row a bucket, of more than there is room for several; total > 0. */
void buckets_histogram(const struct duration_buckets *b, struct histogram *h);

/* The durations above a quantile: of `count` durations from from_ns on, the
 * lower edge of its bucket, the `kept` longest. */
struct tail {
	int64_t from_ns;
	int64_t count;
	int64_t kept;
};

struct tail buckets_tail(const struct duration_buckets *b, unsigned permille);

/* The quantile, from durations that were seen themselves: those from
 * tail.from_ns on, longest first, count > 0; a sample of them will do. */
int64_t tail_quantile(const struct tail *tail, const struct hit *items,
		      size_t count);

/* ---- the typical one ---- */

struct typical_hit {
	size_t index;       /* into items */
	size_t group_count; /* slow traces with the same root operation */
};

/* Which of the slow traces is typical: of the root operation that most of
 * them have (of equals the one with more time in all, then by name) the one
 * at the median of its durations, the longer of two. items are in the order
 * of hits_sort(), count > 0. False: memory. */
bool typical_hit_find(const struct hit *items, size_t count,
		      struct typical_hit *out, struct error *err) MUST_CHECK;

/* Which requests take longer than they usually do, told from those that were
 * always long: a login of 25 ms is as ever, a session check of 25 ms instead of
 * half a millisecond is not. Knows no server. */

struct unusual {
	const struct hit *hit; /* one that stands for them; NULL: none */
	size_t count;          /* traces of its root operation now */
	int64_t now_ns;        /* the quantile that grew most, now */
	int64_t usual_ns;      /* and before */
	unsigned percent;      /* which one: 50 or 90 */
	/* Of operations that are as ever the one that takes longest; NULL:
	 * there is none. */
	const struct hit *as_ever;
};

/* now and before: samples of the same search in two windows, in any order. Of
 * several unusual operations the one is taken whose traces took most longer
 * than usual, together. Borrows the hits. */
bool unusual_find(const struct hit *now, size_t now_count,
		  const struct hit *before, size_t before_count,
		  struct unusual *out, struct error *err) MUST_CHECK;

#endif
