/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "investigate/cost.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define NEAR(a, b)                                                             \
	assert_true(fabs((double)(a) - (b)) < 1e-9 * (1 + fabs((double)(b))))

static struct comparison_side make_side(size_t parts)
{
	return (struct comparison_side){
		.range = { NS_PER_DAY, NS_PER_DAY + NS_PER_HOUR },
		.part_count = parts,
		.requests = -1,
		.exposure = { 900, 900, 900, 900 },
	};
}

static void test_counts_by_part(void **state)
{
	const double parts[] = { 10, 20, 30, 40 };
	struct comparison_side side = make_side(4);
	struct cost_number n = { 0 };

	(void)state;
	cost_count_side(&side, parts, true, COST_OF_TRACES, &n);
	NEAR(n.value, 100);
	assert_int_equal(n.source, COST_OF_TRACES);
	NEAR(side.requests, 100);
	assert_true(side.is_requests_sampled);
	NEAR(side.exposure[2], 30);
	side = make_side(1);
	cost_count_side(&side, parts, false, COST_OF_METRICS, &n);
	NEAR(side.exposure[0], 100);
}

/* Profiled for a tenth of the time: so much of the requests is in the profile,
 * and parts still count by their time. */
static void test_counts_what_was_profiled(void **state)
{
	const double parts[] = { 100, 100, 100, 100 };
	struct comparison_side side = make_side(4);
	struct cost_number n = { 0 };

	(void)state;
	side.profiled_s = 360;
	for (int i = 0; i < 4; i++)
		side.exposure[i] = 90;
	cost_count_side(&side, parts, false, COST_OF_METRICS, &n);
	NEAR(n.value, 40);
	NEAR(side.exposure[0], 90);
}

/* No requests at all are not known to be none. */
static void test_counts_nothing(void **state)
{
	const double parts[] = { 0, 0, 0, 0 };
	struct comparison_side side = make_side(4);
	struct cost_number n = { 0 };

	(void)state;
	cost_count_side(&side, parts, true, COST_OF_TRACES, &n);
	assert_int_equal(n.source, COST_UNKNOWN);
	assert_true(side.requests < 0);
	NEAR(side.exposure[0], 900);
}

static void test_rates(void **state)
{
	struct cost c = { .unit_s = 1e-9,
			  .seconds = 600,
			  .requests = { 300, COST_GIVEN } };

	(void)state;
	NEAR(cost_per_request(&c, 60e9), 0.2);
	NEAR(cost_amount(&c, 60e9), 0.1);
	NEAR(cost_request_rate(&c), 0.5);
	c.requests.source = COST_UNKNOWN;
	c.seconds = 0;
	assert_true(cost_per_request(&c, 1) < 0 && cost_amount(&c, 1) < 0 &&
		    cost_request_rate(&c) < 0);
}

UNIT_TESTS(cost)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts_by_part),
		cmocka_unit_test(test_counts_what_was_profiled),
		cmocka_unit_test(test_counts_nothing),
		cmocka_unit_test(test_rates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
