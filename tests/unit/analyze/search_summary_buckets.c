/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../unit.h"
#include "analyze/search_summary.h"

/* Four of 512 to 1024 ns, four of 2048 to 4096 ns. */
static const struct duration_buckets two = {
	.counts = { [10] = 4, [12] = 4 },
	.total = 8,
};

static void test_quantiles(void **state)
{
	(void)state;
	/* The 4th of 8 ends its bucket, the 2nd stands in its middle:
	 * 512 * 2^(2/4). */
	assert_int_equal(buckets_quantile(&two, 500, 0), 1024);
	assert_int_equal(buckets_quantile(&two, 250, 0), 724);
	assert_int_equal(buckets_quantile(&two, 1, 0), 609);
	assert_int_equal(buckets_quantile(&two, 1000, 0), 4096);
	/* The 6th: 2048 * 2^(2/4). */
	assert_int_equal(buckets_quantile(&two, 750, 0), 2896);
}

static void test_no_quantile_beyond_the_longest(void **state)
{
	(void)state;
	/* 2048 * (3000 / 2048)^(2/4) is the square root of 2048 * 3000. */
	assert_int_equal(buckets_quantile(&two, 1000, 3000), 3000);
	assert_int_equal(buckets_quantile(&two, 750, 3000), 2479);
	assert_int_equal(buckets_quantile(&two, 500, 3000), 1024);
	/* Not all that is known of the longest is true. */
	assert_int_equal(buckets_quantile(&two, 750, 100), 2896);
	assert_int_equal(buckets_quantile(&two, 750, 5000), 2896);
}

static void test_extreme_buckets(void **state)
{
	const struct duration_buckets least = { .counts = { 3 }, .total = 3 };
	const struct duration_buckets most = { .counts = { [62] = 1 },
					       .total = 1 };
	/* Counts that do not add up, as no server should send. */
	const struct duration_buckets odd = { .counts = { [1] = 1 },
					      .total = INT64_MAX };

	(void)state;
	assert_int_equal(buckets_quantile(&least, 500, 0), 1);
	assert_true(buckets_quantile(&most, 500, 0) == (int64_t)1 << 62);
	assert_true(buckets_quantile(&odd, 990, 0) == (int64_t)1 << 62);
	assert_int_equal(buckets_tail(&least, 500).from_ns, 0);
}

static void test_histogram(void **state)
{
	struct histogram h;

	(void)state;
	buckets_histogram(&two, &h);
	assert_int_equal(h.row_count, 3);
	assert_int_equal(h.edges_ns[0], 512);
	assert_int_equal(h.edges_ns[1], 1024);
	assert_int_equal(h.edges_ns[3], 4096);
	assert_int_equal(h.counts[0], 4);
	assert_int_equal(h.counts[1], 0);
	assert_int_equal(h.counts[2], 4);
	assert_int_equal(h.largest, 4);
}

static void test_histogram_of_many(void **state)
{
	struct duration_buckets b = { .counts = { [3] = 1, [18] = 2 },
				      .total = 3 };
	struct histogram h;

	(void)state;
	/* As many as there are rows, then one more: two to a row. */
	buckets_histogram(&b, &h);
	assert_int_equal(h.row_count, HISTOGRAM_ROWS);
	b.counts[19] = 5;
	buckets_histogram(&b, &h);
	assert_int_equal(h.row_count, 9);
	assert_int_equal(h.edges_ns[0], 4);
	assert_int_equal(h.edges_ns[1], 16);
	assert_int_equal(h.counts[7], 2);
	assert_int_equal(h.edges_ns[9], 1 << 19);
	assert_int_equal(h.counts[8], 5);
	b.counts[0] = b.counts[62] = 1;
	buckets_histogram(&b, &h);
	assert_int_equal(h.row_count, HISTOGRAM_ROWS);
	assert_int_equal(h.edges_ns[0], 0);
	assert_true(h.edges_ns[HISTOGRAM_ROWS] == (int64_t)1 << 62);
}

static void test_tail(void **state)
{
	const struct hit items[] = { { .duration_ns = 4000 },
				     { .duration_ns = 3500 },
				     { .duration_ns = 3000 },
				     { .duration_ns = 2500 } };
	struct tail tail = buckets_tail(&two, 750);

	(void)state;
	assert_int_equal(tail.from_ns, 2048);
	assert_int_equal(tail.count, 4);
	assert_int_equal(tail.kept, 3);
	assert_int_equal(tail_quantile(&tail, items, 4), 3000);
	/* A sample of half: three quarters of it, whole traces. */
	assert_int_equal(tail_quantile(&tail, items, 2), 3500);
	assert_int_equal(tail_quantile(&tail, items, 1), 4000);
	tail = buckets_tail(&two, 1000);
	assert_int_equal(tail_quantile(&tail, items, 4), 4000);
}

UNIT_TESTS(search_summary_buckets)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quantiles),
		cmocka_unit_test(test_no_quantile_beyond_the_longest),
		cmocka_unit_test(test_extreme_buckets),
		cmocka_unit_test(test_histogram),
		cmocka_unit_test(test_histogram_of_many),
		cmocka_unit_test(test_tail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
