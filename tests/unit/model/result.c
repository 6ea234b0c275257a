/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../unit.h"
#include "model/result.h"

static void changes_up_and_down(void **state)
{
	static const struct {
		enum change change;
		bool is_up;
		bool is_down;
	} expected[] = {
		{ CHANGE_NONE, false, false },  { CHANGE_NEW, true, false },
		{ CHANGE_GROWN, true, false },  { CHANGE_SHRUNK, false, true },
		{ CHANGE_GONE, false, true },   { CHANGE_SAME, false, false },
		{ CHANGE_NOISE, false, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
		enum change change = expected[i].change;

		assert_int_equal(change_is_up(change), expected[i].is_up);
		assert_int_equal(change_is_down(change), expected[i].is_down);
		assert_int_equal(change_is_real(change),
				 expected[i].is_up || expected[i].is_down);
	}
}

UNIT_TESTS(result)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(changes_up_and_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
