/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../unit.h"
#include "investigate/comparison.h"

static void assert_plan(struct budget_want want, size_t parts, bool has_request)
{
	struct budget_plan plan = budget_plan(&want);

	assert_int_equal(plan.parts, parts);
	assert_int_equal(plan.has_request, has_request);
}

/* A cohort beside the service's two sides and two counts: 4 fixed, and 8 for
 * four parts a side. Two types of waiting are 4 more: with the request 17. */
static void test_all_is_asked_for_while_it_fits(void **state)
{
	(void)state;
	assert_plan((struct budget_want){ 17, 4, 2, 4, true, false }, 4, true);
	assert_plan((struct budget_want){ 16, 4, 2, 4, true, false }, 4, false);
	assert_plan((struct budget_want){ 16, 4, 2, 4, false, false }, 4,
		    false);
}

/* Five types: 4 + 2 p + 10; 18 requests of 40 are sent before. */
static void test_parts_yield_last(void **state)
{
	(void)state;
	assert_plan((struct budget_want){ 22, 4, 2, 10, true, false }, 4,
		    false);
	assert_plan((struct budget_want){ 21, 4, 2, 10, true, false }, 3,
		    false);
	assert_plan((struct budget_want){ 20, 4, 2, 10, true, false }, 3,
		    false);
	assert_plan((struct budget_want){ 19, 4, 2, 10, true, false }, 2,
		    false);
	assert_plan((struct budget_want){ 17, 4, 2, 10, true, false }, 1,
		    false);
}

/* When the service was there: not at the price of the run's limit. */
static void test_coverage_goes_when_nothing_else_can(void **state)
{
	struct budget_want want = { .left = 9,
				    .fixed = 4,
				    .sides = 2,
				    .later = 2,
				    .has_coverage = true };

	(void)state;
	assert_true(budget_plan(&want).has_coverage);
	assert_int_equal(budget_plan(&want).parts, 1);
	want.left = 8;
	assert_false(budget_plan(&want).has_coverage);
	assert_int_equal(budget_plan(&want).parts, 1);
}

/* A verdict needs one profile, whatever was sent before. */
static void test_one_part_is_always_asked_for(void **state)
{
	(void)state;
	assert_plan((struct budget_want){ 0, 4, 2, 10, true, false }, 1, false);
	assert_int_equal(budget_parts(0, 2), 1);
}

static void test_last_parts_fill_what_is_left(void **state)
{
	(void)state;
	assert_int_equal(budget_parts(40, 2), 4);
	assert_int_equal(budget_parts(8, 2), 4);
	assert_int_equal(budget_parts(7, 2), 3);
	assert_int_equal(budget_parts(4, 2), 2);
	assert_int_equal(budget_parts(3, 2), 1);
	assert_int_equal(budget_parts(3, 1), 3);
}

UNIT_TESTS(budget)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_is_asked_for_while_it_fits),
		cmocka_unit_test(test_parts_yield_last),
		cmocka_unit_test(test_coverage_goes_when_nothing_else_can),
		cmocka_unit_test(test_one_part_is_always_asked_for),
		cmocka_unit_test(test_last_parts_fill_what_is_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
