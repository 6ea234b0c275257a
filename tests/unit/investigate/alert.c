/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "investigate/slo.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void check(size_t count, const double *values, size_t step_count,
		  enum alert_state wanted, size_t above)
{
	struct alert_service s = { .state = ALERT_SILENT };

	alert_judge(&s, values, count, step_count, 2);
	assert_int_equal(s.state, wanted);
	assert_int_equal(s.above_count, above);
	assert_int_equal(s.sample_count, count);
	if (count)
		assert_true(s.last_s == values[count - 1]);
}

/* Every step has to have a value, and each of them to be above. */
static void test_condition(void **state)
{
	static const double above[] = { 2.1, 9, 3, 2.5 };
	static const double once_at[] = { 2.1, 2, 3, 2.5 };
	static const double low[] = { 0.1, 0.2, 0.1, 0.3 };

	(void)state;
	check(4, above, 4, ALERT_FIRES, 4);
	check(4, above, 5, ALERT_QUIET, 4);
	check(4, once_at, 4, ALERT_QUIET, 3);
	check(4, low, 4, ALERT_QUIET, 0);
	check(0, low, 4, ALERT_SILENT, 0);
	check(1, above, 1, ALERT_FIRES, 1);
}

static void test_highest(void **state)
{
	static const double values[] = { 2.1, 9, 3 };
	struct alert_service s = { .state = ALERT_SILENT };

	(void)state;
	alert_judge(&s, values, 3, 3, 2);
	assert_true(s.highest_s == 9);
}

UNIT_TESTS(alert)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_condition),
		cmocka_unit_test(test_highest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
