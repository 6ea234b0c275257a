/* SPDX-License-Identifier: Apache-2.0
 *
 * What changed between the two sides of a function table, and whether it can
 * be told from noise. Where samples can be counted, a test decides; elsewhere
 * thresholds do, and the caller says so. Ranked is the end of the interval
 * that is nearer to no change: by p value large dull functions would win, by
 * ratio those that went from nothing to one sample.
 */
#ifndef ANALYZE_DIFF_H
#define ANALYZE_DIFF_H

#include "analyze/flatcum.h"
#include "analyze/stats.h"

/* Fewer samples on both sides together decide nothing. */
#define DIFF_MIN_SAMPLES 10

/* Part of false claims among all claims that is put up with. */
#define DIFF_FALSE_DISCOVERY 0.05

/* Half a percent of the time explains no slow request, however certain. */
#define DIFF_MIN_DELTA 0.005

/* Functions in nearly all samples of both sides cannot change. */
#define DIFF_EVERYWHERE 0.99

/* Without a test: idle waits and allocations of ordinary services wander by
 * 10 to 20 % from window to window, and one large sample can make a percent. */
#define DIFF_UNTESTED_RATIO 1.25
#define DIFF_UNTESTED_DELTA 0.01

/* Shares hang together: one function that grows lowers all others. The median
 * ratio of the sides, over functions of DIFF_MIN_DELTA or more, tells how far
 * an unchanged one drifts; of fewer functions it tells little. */
#define DIFF_DRIFT_ROWS 8

/* Bytes of one sampled allocation: the default of Go and of async-profiler. A
 * finer setting cannot be seen; then there are more samples than counted, and
 * the test is stricter than it needs to be. */
#define DIFF_ALLOC_SAMPLE_BYTES 524288

/* One entry's change in the ranked measure. */
struct entry_diff {
	double delta;
	struct interval range; /* NaN when not tested */
	double q;              /* NaN when not tested */
	double effect;         /* what is left of delta in the worst case */
	enum change change;
};

struct diff_want {
	enum rank_by by;
	enum normalize normalize;
	double window_s; /* rates only */
	double baseline_s;
};

/* The ranked measure: RANK_DELTA compares what functions own. */
int64_t side_value(const struct side_values *v, enum rank_by by);

/* Part of the side's total, 0..1. */
double side_share(const struct profile *p, int64_t value);

/* The value of one sample, when values are samples that can be counted or, for
 * allocated bytes, estimated; else 0. */
double profile_sample_value(const struct profile *p);

/* Fills diffs[], one per entry. Both sides must be present. drift receives
 * what became of an unchanged share: 0.4 when all others fell to 40 %, 1 when
 * nothing moved or cannot be told. */
bool func_table_diff(const struct func_table *t, const struct diff_want *want,
		     struct entry_diff *diffs, double *drift,
		     struct error *err) MUST_CHECK;

#endif
