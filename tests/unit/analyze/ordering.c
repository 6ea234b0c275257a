/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "trace_fixture.h"

#include "analyze/ordering.h"

static void quantiles(void **state)
{
	int64_t values[] = { 9, 1, 5, 7, 3 };

	(void)state;
	values_sort(values, 5);
	assert_int_equal(values[0], 1);
	assert_int_equal(values[4], 9);
	assert_int_equal(values_quantile(values, 5, 0), 1);
	assert_int_equal(values_quantile(values, 5, 50), 5);
	assert_int_equal(values_quantile(values, 5, 90), 7);
	assert_int_equal(values_quantile(values, 5, 100), 9);
	assert_int_equal(values_quantile(values, 4, 50), 4);
	assert_int_equal(values_quantile(values, 1, 90), 1);
	assert_int_equal(values_quantile(values, 0, 50), -1);
	values_sort(values, 0);
}

static int compare(const void *a, const void *b)
{
	int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;

	return (left > right) - (left < right);
}

/* Whichever way so many are sorted. */
static void sorted(void **state)
{
	int64_t values[1000], expected[1000];
	uint64_t number = 1;

	(void)state;
	for (size_t count = 0; count <= 1000; count += count < 140 ? 1 : 97) {
		for (size_t i = 0; i < count; i++) {
			number = number * 6364136223846793005u +
				 1442695040888963407u;
			values[i] = (int64_t)number >> (number >> 32) % 64;
		}
		if (count > 2) {
			values[1] = INT64_MIN;
			values[2] = INT64_MAX;
		}
		memcpy(expected, values, count * sizeof *values);
		qsort(expected, count, sizeof *expected, compare);
		values_sort(values, count);
		assert_memory_equal(values, expected, count * sizeof *values);
	}
}

/* No sum of the two: durations may be as large as numbers go. */
static void median_of_large(void **state)
{
	const int64_t values[] = { INT64_MAX - 3, INT64_MAX - 1 };

	(void)state;
	assert_int_equal(values_quantile(values, 2, 50), INT64_MAX - 2);
}

static void below(void **state)
{
	const int64_t values[] = { 1, 3, 3, 5 };

	(void)state;
	assert_int_equal(values_below(values, 4, 1), 0);
	assert_int_equal(values_below(values, 4, 3), 1);
	assert_int_equal(values_below(values, 4, 4), 3);
	assert_int_equal(values_below(values, 4, 6), 4);
	assert_int_equal(values_below(values, 0, 6), 0);
}

/* a = 6..10 against b = 1..5: ranks of a add up to 40, 27.5 expected, with a
 * variance of 5 * 5 * 11 / 12 = 22.92: z = 12 / 4.787 = 2.507. */
static void rank_sum(void **state)
{
	const int64_t a[] = { 6, 7, 8, 9, 10 };
	const int64_t b[] = { 1, 2, 3, 4, 5 };
	double z;

	(void)state;
	assert_float_equal(rank_sum_test(a, 5, b, 5, &z), 0.01219, 1e-4);
	assert_float_equal(z, 2.5067, 1e-3);
	assert_float_equal(rank_sum_test(b, 5, a, 5, &z), 0.01219, 1e-4);
	assert_float_equal(z, -2.5067, 1e-3);
	assert_float_equal(rank_sum_test(a, 0, b, 5, &z), 1, 0);
	assert_float_equal(z, 0, 0);
}

/* Ranks 1.5, 1.5, 3.5, 3.5; a holds 1.5 + 3.5 = 5, just what is expected. All
 * equal: no variance at all. */
static void rank_sum_ties(void **state)
{
	const int64_t a[] = { 1, 2 };
	const int64_t b[] = { 2, 2, 2 };
	double z;

	(void)state;
	assert_float_equal(rank_sum_test(a, 2, a, 2, &z), 1, 0);
	assert_float_equal(rank_sum_test(b, 3, b, 2, &z), 1, 0);
	/* Ranks: 1, then four times 3.5; a has 4.5 of 6 expected. The
	 * variance is 6 / 12 * (6 - 60 / 20) = 1.5: z = -1 / 1.2247. */
	rank_sum_test(a, 2, b, 3, &z);
	assert_float_equal(z, -0.8165, 1e-3);
}

/* By hand: 1 - 6 * (1 + 1) / (4 * 15) for one pair exchanged. */
static void rank_correlations(void **state)
{
	const int64_t up[] = { 1, 20, 300, 4000 };
	const int64_t down[] = { 9, 7, 5, 3 };
	const int64_t exchanged[] = { 2, 1, 3, 4 };
	const int64_t same[] = { 5, 5, 5, 5 };

	(void)state;
	assert_float_equal(rank_correlation(up, up, 4), 1, 1e-12);
	assert_float_equal(rank_correlation(up, down, 4), -1, 1e-12);
	assert_float_equal(rank_correlation(up, exchanged, 4), 0.8, 1e-12);
	assert_float_equal(rank_correlation(up, same, 4), 0, 0);
	assert_float_equal(rank_correlation(up, up, 1), 0, 0);
}

UNIT_TESTS(ordering)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantiles),
		cmocka_unit_test(sorted),
		cmocka_unit_test(median_of_large),
		cmocka_unit_test(below),
		cmocka_unit_test(rank_sum),
		cmocka_unit_test(rank_sum_ties),
		cmocka_unit_test(rank_correlations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
