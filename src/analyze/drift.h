/* SPDX-License-Identifier: Apache-2.0
 *
 * What all functions of a comparison have in common: how the whole moved,
 * whether most of them moved with it, and how far those that did not change lie
 * apart from one window to the next.
 */
#ifndef ANALYZE_DRIFT_H
#define ANALYZE_DRIFT_H

#include "analyze/diff.h"

/* Shares hang together: one function that grows lowers all others. The median
 * ratio of the sides, over functions of DIFF_MIN_DELTA or more, tells how far
 * an unchanged one drifts; of fewer functions it tells little. */
#define DIFF_DRIFT_ROWS 8

/* The whole profile moved when it certainly did, by this factor at least. */
#define DIFF_WHOLE_RATIO 1.1

/* Most functions moved together when this part of their weight has moved by
 * about what the whole did: half as much to one and a half times, on a
 * logarithmic scale. Three functions are the fewest to be called most. */
#define DIFF_TOGETHER_PART 0.66
#define DIFF_TOGETHER_ROWS 3
/* A function that is in most of a profile moves with the whole by itself. */
#define DIFF_TOGETHER_SHARE 0.5

/* One window a side does not tell how far windows lie apart, but the functions
 * that did not change do: how much they wander against each other, see
 * wander.h. Of functions with fewer samples their number tells nothing. */
#define DIFF_WANDER_SAMPLES 20.0
/* So many of the largest tell enough. */
#define DIFF_WANDER_PEERS 2048

/* Rates move together with the load, the speed of the host and requests that
 * were not counted. What all functions have in common up to this factor is
 * put down to those. */
#define DIFF_COMMON_RATE 1.25

/* Tests both sides as wholes: d->whole. After the counts, and the prior of the
 * blocks, are set. */
void whole_test(struct diff *d);

/* What became of an unchanged function, and whether most functions moved so:
 * d->drift, d->is_together. After whole_test(); uses d->p as scratch. */
bool drift_find(struct diff *d, struct error *err) MUST_CHECK;

/* How unchanged functions wander: d->wander. After the counts are set. */
bool drift_find_wander(struct diff *d, struct error *err) MUST_CHECK;

#endif
