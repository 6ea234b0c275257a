/* SPDX-License-Identifier: Apache-2.0
 *
 * Rank statistics: quantiles and the rank-sum test. Durations are skewed and
 * have outliers, to which ranks are robust.
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

/* Returns the number of sorted values below `value`. */
size_t values_below(const int64_t *sorted, size_t count, int64_t value);

/* Returns the two-sided p of Wilcoxon's rank-sum test of a and b (both sorted),
 * by the normal approximation with correction for ties and continuity; 1 if a
 * side is empty. z is positive if a is larger. */
double rank_sum_test(const int64_t *a, size_t a_count, const int64_t *b,
		     size_t b_count, double *z);

/* Returns the probability that a value of a is larger than one of b (both
 * sorted, neither empty), ties counting half: 0 never, 1 always. */
double values_order(const int64_t *a, size_t a_count, const int64_t *b,
		    size_t b_count);

/* Returns Spearman's rank correlation of two measures of the same items: 1 same
 * order, -1 reversed; 0 if one of them is constant, or without memory. */
double rank_correlation(const int64_t *a, const int64_t *b, size_t count);

#endif
