/* SPDX-License-Identifier: Apache-2.0
 *
 * Tests whether an operation's latency changed: the rank test of Mann and
 * Whitney over the requests of two sides, each sampled in runs (parts of its
 * window). The variance between runs of a side is included in the noise, as
 * requests of one minute are correlated. Pure functions of durations.
 */
#ifndef ANALYZE_LATENCY_H
#define ANALYZE_LATENCY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

/* Maximum number of runs per side. */
#define LATENCY_RUNS 8u

/* Minimum number of requests per side, with which a change by half is not
 * significant, and of runs per side, from which their variance is estimated. */
#define LATENCY_MIN_REQUESTS 50u
#define LATENCY_MIN_RUNS 3u

/* Factor from which requests of a run are reported as correlated: the variance
 * of their sum relative to that of independent ones. */
#define LATENCY_ALIKE 2.0

/* A request of an operation. */
struct latency_request {
	int64_t duration_ns;
	uint32_t run; /* below LATENCY_RUNS */
};

/* The requests of one side; sorted by latency_judge(). */
struct latency_sample {
	struct latency_request *requests;
	size_t count;
};

/* Quantiles of durations; -1: fewer than 20 requests for p95, than 100 for
 * p99. */
struct latency_quantiles {
	int64_t p50_ns;
	int64_t p95_ns;
	int64_t p99_ns;
};

enum latency_change {
	LATENCY_NOISE = 0, /* not significant */
	LATENCY_LONGER,
	LATENCY_SHORTER,
	LATENCY_FEW, /* too few requests or runs */
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
	/* Relative growth of the latency: the factor that makes both sides
	 * equal (Hodges and Lehmann), with a 95 % interval. NaN for
	 * LATENCY_FEW, like all below. */
	double growth;
	double low;
	double high;
	double q;
	double alike;      /* see LATENCY_ALIKE; 1: independent */
	double detectable; /* with a power of 80 % */
};

/* Tests all operations together; rows[i] is that of operations[i], whose name
 * it borrows. Samples are sorted. Returns false without memory. */
bool latency_judge(const struct latency_operation *operations, size_t count,
		   struct latency_row *rows, struct arena *arena,
		   struct error *err) MUST_CHECK;

#endif
