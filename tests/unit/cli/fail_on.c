/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "../unit.h"
#include "cli/options.h"

static void assert_near(double have, double want, double apart)
{
	if (!(fabs(have - want) <= apart))
		fail_msg("%.15g is not %.15g", have, want);
}

static struct gate_limits limits;
static struct error err;

static void expect(const char *text, double total, double function,
		   double is_new)
{
	assert_true(fail_on_parse(text, &limits, &err));
	assert_near(limits.limit[GATE_TOTAL], total, 1e-12);
	assert_near(limits.limit[GATE_FUNCTION], function, 1e-12);
	assert_near(limits.limit[GATE_NEW], is_new, 1e-12);
}

static void test_read(void **state)
{
	(void)state;
	expect(FAIL_ON_DEFAULT, 0.03, 0.05, 0.01);
	expect("function>5", -1, 0.05, -1);
	expect(" new > 0.5 % , total>0%", 0, -1, 0.005);
	expect("function>100000%", -1, 1000, -1);
	expect("latency>10%", -1, -1, -1);
	assert_near(limits.limit[GATE_LATENCY], 0.1, 1e-12);
	expect(FAIL_ON_DEFAULT, 0.03, 0.05, 0.01);
	assert_near(limits.limit[GATE_LATENCY], -1, 1e-12);
}

static void test_refused(void **state)
{
	static const char *const texts[] = {
		"",	       "function",     "function>",
		"function>-1", "function>nan", "function>100001",
		"total>3%,",   "what>3%",      "total>3%,total>4%",
		"total<3%",
	};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		assert_false(fail_on_parse(texts[i], &limits, &err));
		assert_int_equal(err.code, ERROR_USAGE);
	}
}

UNIT_TESTS(fail_on)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
