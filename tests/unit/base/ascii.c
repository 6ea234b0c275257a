/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "base/str.h"
#include "testing.h"

/* Each kind as the list of its members; every other byte is outside. */
static void check(bool (*is)(char), const char *members)
{
	for (int i = 1; i < 256; i++)
		if (is((char)i) != (strchr(members, i) != NULL))
			fail_msg("byte 0x%02x among \"%s\"", i, members);
	assert_false(is('\0'));
}

static void test_kinds(void **state)
{
	(void)state;
	check(ascii_is_digit, "0123456789");
	check(ascii_is_hex, "0123456789abcdefABCDEF");
	check(ascii_is_lower, "abcdefghijklmnopqrstuvwxyz");
	check(ascii_is_upper, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
	check(ascii_is_letter, "abcdefghijklmnopqrstuvwxyz"
			       "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
	check(ascii_is_alnum, "0123456789abcdefghijklmnopqrstuvwxyz"
			      "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
}

static void test_lower(void **state)
{
	(void)state;
	assert_int_equal(ascii_lower('A'), 'a');
	assert_int_equal(ascii_lower('Z'), 'z');
	assert_int_equal(ascii_lower('['), '[');
	assert_int_equal(ascii_lower('@'), '@');
	assert_int_equal(ascii_lower('\xC4'), '\xC4');
}

UNIT_TESTS(ascii)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_lower),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
