/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "investigate/trace_search.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* The second of three found is a bound that misses none of the two slowest. */
static void test_bound(void **state)
{
	static const struct hit items[] = {
		{ .duration_ns = 90 },
		{ .duration_ns = 70 },
		{ .duration_ns = 50 },
	};

	(void)state;
	assert_int_equal(trace_search_bound(items, 3, 2, 0), 70);
	assert_int_equal(trace_search_bound(items, 3, 3, 40), 50);
	/* Fewer than wanted, all wanted, or none slower than the last bound:
	 * it stays. */
	assert_int_equal(trace_search_bound(items, 3, 4, 40), 40);
	assert_int_equal(trace_search_bound(items, 3, 0, 40), 40);
	assert_int_equal(trace_search_bound(items, 3, 2, 80), 80);
	assert_int_equal(trace_search_bound(NULL, 0, 1, 7), 7);
}

UNIT_TESTS(trace_search)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
