/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether requests of an operation take longer than before: the rank test of
 * Mann and Whitney over the requests of two sides, each drawn in runs (parts of
 * its window). How far runs of a side lie apart is noise, too: requests of one
 * minute share its weather. Pure functions of durations.
 */
#ifndef ANALYZE_LATENCY_H
#define ANALYZE_LATENCY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

/* Runs of a side, at most. */
#define LATENCY_RUNS 8u

/* Fewer requests of a side tell nothing: a half of them more or less is not
 * told from chance. Fewer runs do not tell how far they lie apart. */
#define LATENCY_MIN_REQUESTS 50u
#define LATENCY_MIN_RUNS 3u

/* From here on it is told that requests of a run are alike: the variance of
 * their sum is so many times that of independent ones. */
#define LATENCY_ALIKE 2.0

/* A request of an operation. */
struct latency_request {
	int64_t duration_ns;
	uint32_t run; /* below LATENCY_RUNS */
};

/* Those of one side; sorted when they are looked at. */
struct latency_sample {
	struct latency_request *requests;
	size_t count;
};

/* The quantiles of durations; -1: fewer than 20 for p95, than 100 for p99. */
struct latency_quantiles {
	int64_t p50_ns;
	int64_t p95_ns;
	int64_t p99_ns;
};

enum latency_change {
	LATENCY_NOISE = 0, /* not told from it */
	LATENCY_LONGER,
	LATENCY_SHORTER,
	LATENCY_FEW, /* requests or runs, too few to tell */
};

struct latency_side {
	size_t count;
	struct latency_quantiles quantiles;
};

/* An operation and its requests on both sides. */
struct latency_operation {
	struct str name;
	struct latency_sample after;
	struct latency_sample before;
};

struct latency_row {
	struct str name;
	struct latency_side after;
	struct latency_side before;
	enum latency_change change;
	/* By how much a request takes longer, as a part of what it took: the
	 * factor that makes both sides alike (Hodges and Lehmann), with a 95 %
	 * interval. NaN of LATENCY_FEW, as all that follows. */
	double growth;
	double low;
	double high;
	double q;
	double alike;      /* see LATENCY_ALIKE; 1: independent */
	double detectable; /* growth that is seen in four of five cases */
};

/* Tests all operations together; rows[i] is that of operations[i], whose name
 * it borrows. Samples are sorted. False: no memory. */
bool latency_judge(const struct latency_operation *operations, size_t count,
		   struct latency_row *rows, struct arena *arena,
		   struct error *err) MUST_CHECK;

#endif
