/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "backend/fetch_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void part_of_a_service_is_believed(void **state)
{
	(void)state;
	assert_true(span_answer_is_believable(99, 100, true));
	assert_true(span_answer_is_believable(0, 100, true));
	assert_true(span_answer_is_believable(0, 0, true));
}

static void the_whole_service_is_not(void **state)
{
	(void)state;
	assert_false(span_answer_is_believable(100, 100, true));
	assert_false(span_answer_is_believable(101, 100, true));
	assert_false(span_answer_is_believable(100, 0, true));
}

static void the_only_request_may_be_the_whole_service(void **state)
{
	(void)state;
	assert_true(span_answer_is_believable(100, 100, false));
	assert_false(span_answer_is_believable(101, 100, false));
}

UNIT_TESTS(fetch_profile)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(part_of_a_service_is_believed),
		cmocka_unit_test(the_whole_service_is_not),
		cmocka_unit_test(the_only_request_may_be_the_whole_service),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
