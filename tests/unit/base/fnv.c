/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "base/bytes.h"
#include "testing.h"

/* Values of the draft. */
static void test_values(void **state)
{
	(void)state;
	assert_true(fnv64(FNV64_BEGIN, STR("")) == FNV64_BEGIN);
	assert_true(fnv64(FNV64_BEGIN, STR("a")) ==
		    UINT64_C(0xaf63dc4c8601ec8c));
	assert_true(fnv64(FNV64_BEGIN, STR("foobar")) ==
		    UINT64_C(0x85944171f73967e8));
	assert_true(fnv32_mixed(STR("foobar")) ==
		    (0xbf9cf968u ^ 0xbf9cf968u >> 15));
}

static void test_goes_on(void **state)
{
	(void)state;
	assert_true(fnv64(fnv64(FNV64_BEGIN, STR("foo")), STR("bar")) ==
		    fnv64(FNV64_BEGIN, STR("foobar")));
}

UNIT_TESTS(fnv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_goes_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
