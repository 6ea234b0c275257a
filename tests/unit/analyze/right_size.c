/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "analyze/right_size.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/num.h"

#define NEAR(a, b)                                                             \
	assert_true(fabs((double)(a) - (b)) < 1e-9 * (1 + fabs((double)(b))))

static void test_percentiles(void **state)
{
	struct size_sample samples[100];
	struct size_advice a;

	(void)state;
	for (int i = 0; i < 100; i++)
		samples[i] = (struct size_sample){ (double)(100 - i), 1 };
	right_size_advise(samples, 100, 7, false, &a);
	assert_int_equal(a.count, 100);
	NEAR(a.p50, 50);
	NEAR(a.p90, 90);
	NEAR(a.p95, 95);
	NEAR(a.peak, 100);
	NEAR(a.target, 90 * 1.15);
	NEAR(a.high, 95 * 1.15 * (1 + 1.0 / 7));
	assert_true(a.low < 50 * 1.15 && a.low > 50 * 1.149);
}

/* What was used a day ago counts half as much: of three at 1 and two at 10, a
 * day older, the upper ones hold a quarter of the weight. */
static void test_forgets(void **state)
{
	struct size_sample samples[] = {
		{ 1, 0 }, { 10, 1 }, { 1, 0 }, { 10, 1 }, { 1, 0 },
	};
	struct size_advice a;

	(void)state;
	right_size_advise(samples, COUNT_OF(samples), 2, false, &a);
	NEAR(a.p50, 1);
	NEAR(a.p90, 10);
	samples[3].age_days = samples[4].age_days = 10;
	right_size_advise(samples, COUNT_OF(samples), 2, false, &a);
	NEAR(a.p90, 1);
	NEAR(a.peak, 10);
}

/* A process that lacks memory dies of it, one that lacks CPU waits. */
static void test_memory_holds_its_peak(void **state)
{
	struct size_sample samples[20];
	struct size_advice a;

	(void)state;
	for (int i = 0; i < 20; i++)
		samples[i] = (struct size_sample){ i ? 100 : 300, 5 };
	right_size_advise(samples, 20, 8, true, &a);
	NEAR(a.target, 300 * 1.15);
	assert_true(a.high >= a.target);
	right_size_advise(samples, 20, 8, false, &a);
	NEAR(a.target, 100 * 1.15);
}

static void test_ends(void **state)
{
	struct size_sample idle = { 0.001, 0 };
	struct size_advice a;

	(void)state;
	right_size_advise(&idle, 1, 1, false, &a);
	NEAR(a.target, 0.025);
	assert_true(a.high >= a.target);
	right_size_advise(&idle, 0, 1, false, &a);
	assert_int_equal(a.count, 0);
	NEAR(a.target, 0);
}

UNIT_TESTS(right_size)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_percentiles),
		cmocka_unit_test(test_forgets),
		cmocka_unit_test(test_memory_holds_its_peak),
		cmocka_unit_test(test_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
