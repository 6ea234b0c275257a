/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "analyze/burn.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/timefmt.h"

static bool is_near(double a, double b)
{
	return fabs(a - b) < 1e-9;
}

static void test_rates(void **state)
{
	const struct burn_count none = { 0, 0 }, some = { 1000, 20 };

	(void)state;
	assert_true(is_near(burn_rate(some, 0.99), 2));
	assert_true(is_near(burn_left(some, 0.99), -1));
	assert_true(is_near(burn_left(some, 0.95), 0.6));
	assert_true(is_near(burn_rate(none, 0.99), 0));
	assert_true(is_near(burn_left(none, 0.99), 1));
}

static void test_forecast(void **state)
{
	(void)state;
	assert_true(is_near(burn_seconds_left(0.5, 10, 28 * NS_PER_DAY),
			    28 * 86400 * 0.05));
	assert_true(is_near(burn_seconds_left(-0.1, 10, NS_PER_DAY), 0));
	assert_true(is_near(burn_seconds_left(0, 0, NS_PER_DAY), 0));
	assert_true(isinf(burn_seconds_left(0.5, 0, NS_PER_DAY)));
}

static void test_pairs(void **state)
{
	static const struct {
		int64_t window_ns;
		size_t count;
		double first, last;
	} cases[] = {
		{ 30 * NS_PER_DAY, 4, 14.4, 1 },
		{ 28 * NS_PER_DAY, 4, 13.44, 28.0 / 30 },
		{ 27 * NS_PER_DAY, 4, 12.96, 0.9 },
		{ 26 * NS_PER_DAY, 3, 12.48, 2.6 },
		{ 7 * NS_PER_DAY, 2, 3.36, 1.4 },
		{ 2 * NS_PER_DAY, 1, 0.96, 0.96 },
		{ 45 * NS_PER_HOUR, 1, 0.9, 0.9 },
		/* Scaled: at 12, 48 and 144 minutes of a day. */
		{ 45 * NS_PER_HOUR - NS_PER_MIN, 3, 0.05 * 2699 / 22,
		  0.1 * 2699 / 269 },
		{ NS_PER_DAY, 3, 6, 1 },
		{ 2 * NS_PER_HOUR, 1, 1, 1 },
		{ 100 * NS_PER_MIN, 1, 1, 1 },
		{ 99 * NS_PER_MIN, 0, 0, 0 },
		{ NS_PER_HOUR, 0, 0, 0 },
	};
	struct burn_pair pairs[BURN_PAIRS];

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		size_t count = burn_pairs(cases[i].window_ns, pairs);

		assert_int_equal(count, cases[i].count);
		if (!count)
			continue;
		assert_true(is_near(pairs[0].rate, cases[i].first));
		assert_true(is_near(pairs[count - 1].rate, cases[i].last));
	}
}

static void test_scaled(void **state)
{
	static const struct burn_pair expected[] = {
		{ 12 * NS_PER_MIN, 5 * NS_PER_MIN, 0.05, 6, true },
		{ 48 * NS_PER_MIN, 5 * NS_PER_MIN, 0.10, 3, false },
		{ 144 * NS_PER_MIN, 12 * NS_PER_MIN, 0.10, 1, false },
	};
	struct burn_pair pairs[BURN_PAIRS];

	(void)state;
	assert_int_equal(burn_pairs(NS_PER_DAY, pairs), 3);
	for (size_t i = 0; i < 3; i++) {
		assert_true(pairs[i].long_ns == expected[i].long_ns);
		assert_true(pairs[i].short_ns == expected[i].short_ns);
		assert_true(is_near(pairs[i].rate, expected[i].rate));
		assert_int_equal(pairs[i].is_page, expected[i].is_page);
	}
}

static void test_windows(void **state)
{
	static const int64_t hours[] = { 6, 12, 24, 72 };
	int64_t list[BURN_WINDOWS] = { 5 * NS_PER_MIN };
	struct burn_pair pairs[BURN_PAIRS];
	size_t count = burn_pairs(30 * NS_PER_DAY, pairs);

	(void)state;
	/* 5m 30m 1h 2h 6h 1d 3d 30d */
	assert_int_equal(burn_windows(pairs, count, 30 * NS_PER_DAY, list, 1),
			 8);
	for (size_t i = 1; i < 8; i++)
		assert_true(list[i - 1] < list[i]);
	assert_int_equal(list[7], 30 * NS_PER_DAY);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(burn_windows(NULL, 0, hours[i] * NS_PER_HOUR,
					      list, 0),
				 1);
}

static void test_firing(void **state)
{
	const struct burn_pair pair = { .rate = 14.4 };
	const struct burn_count bad = { 100, 15 }, fine = { 100, 14 },
				few = { 20, 4 };

	(void)state;
	assert_true(burn_pair_fires(&pair, 0.99, bad, bad));
	assert_false(burn_pair_fires(&pair, 0.99, bad, fine));
	assert_false(burn_pair_fires(&pair, 0.99, fine, bad));
	assert_false(burn_pair_fires(&pair, 0.99, few, bad));
	assert_true(burn_pair_can_fire(&pair, 0.95));
	/* All requests being bad make a rate of 10, and of 14.4. */
	assert_false(burn_pair_can_fire(&pair, 0.9));
	assert_false(burn_pair_can_fire(&(struct burn_pair){ .rate = 8 },
					0.875));
}

UNIT_TESTS(burn)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rates),
		cmocka_unit_test(test_forecast),
		cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_scaled),
		cmocka_unit_test(test_windows),
		cmocka_unit_test(test_firing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
