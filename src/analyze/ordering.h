/* SPDX-License-Identifier: Apache-2.0
 *
 * Statistics of ordered values: quantiles and the rank-sum test. Durations
 * are skewed and have outliers; ranks do not mind.
 */
#ifndef ANALYZE_ORDERING_H
#define ANALYZE_ORDERING_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/* Sorts in place, ascending. */
void values_sort(int64_t *values, size_t count);

/* Returns the quantile of sorted values, percent 0..100, by the nearest rank
 * below or at (p50 of an even count is the mean of the middle two); -1 when
 * there are none. */
int64_t values_quantile(const int64_t *sorted, size_t count, unsigned percent);

/* Values below `value` of sorted ones. */
size_t values_below(const int64_t *sorted, size_t count, int64_t value);

/* Wilcoxon's rank sum of a against b (both sorted) by the normal
 * distribution with correction for ties and continuity: two-sided p, 1 when
 * a side is empty. z is positive when a is larger. */
double rank_sum_test(const int64_t *a, size_t a_count, const int64_t *b,
		     size_t b_count, double *z);

/* How often one of a is larger than one of b (both sorted, neither empty), equal
 * ones by half: 0 never, 1 always. */
double values_order(const int64_t *a, size_t a_count, const int64_t *b,
		    size_t b_count);

/* How closely two measures of the same items follow each other, by their ranks
 * (Spearman): 1 exactly, -1 the other way round; 0 without a difference in one
 * of them, or without memory. */
double rank_correlation(const int64_t *a, const int64_t *b, size_t count);

#endif
