/* SPDX-License-Identifier: Apache-2.0
 *
 * The nearest colours of terminals, worked by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../unit.h"
#include "render/render.h"

/* Corners of the cube, greys between its levels, and ties to the lower. */
static void test_256(void **state)
{
	(void)state;
	assert_int_equal(ansi_256(0x000000), 16);
	assert_int_equal(ansi_256(0xffffff), 231);
	assert_int_equal(ansi_256(0xff8700), 208);
	assert_int_equal(ansi_256(0x5f87af), 67);
	/* 238 is the last grey; 227 lies nearer to 228. */
	assert_int_equal(ansi_256(0xeeeeee), 255);
	assert_int_equal(ansi_256(0xe3e3e3), 254);
	assert_int_equal(ansi_256(0x080808), 232);
}

static void test_16(void **state)
{
	(void)state;
	assert_int_equal(ansi_16(0xe3e3e3), 7);
	assert_int_equal(ansi_16(0xff0000), 9);
	assert_int_equal(ansi_16(0xf4812b), 3);  /* 24 degrees */
	assert_int_equal(ansi_16(0xa9d18e), 2);  /* 96 */
	assert_int_equal(ansi_16(0x8fd3c7), 14); /* 169 */
	assert_int_equal(ansi_16(0x4a94cd), 6);  /* 206 */
	assert_int_equal(ansi_16(0xc8b0e0), 5);  /* 270 */
	assert_int_equal(ansi_16(0xff0040), 9);  /* 345 */
	assert_int_equal(ansi_16(0x000000), 7);
}

static void test_shade(void **state)
{
	(void)state;
	assert_int_equal(ansi_shade(0x000000), 0);
	assert_int_equal(ansi_shade(0x18f030), 0x17e62e);
}

UNIT_TESTS(ansi)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_256),
		cmocka_unit_test(test_16),
		cmocka_unit_test(test_shade),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
