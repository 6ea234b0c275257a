/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "base/suggest.h"
#include "testing.h"

static void test_distances(void **state)
{
	(void)state;
	assert_int_equal(edit_distance(STR(""), STR(""), 1), 0);
	assert_int_equal(edit_distance(STR(""), STR("abc"), 1), 3);
	assert_int_equal(edit_distance(STR("abc"), STR(""), 1), 3);
	assert_int_equal(edit_distance(STR("same"), STR("same"), 1), 0);
	assert_int_equal(edit_distance(STR("kitten"), STR("sitting"), 1), 3);
	assert_int_equal(edit_distance(STR("chekcout"), STR("checkout"), 1), 1);
	assert_int_equal(edit_distance(STR("chekcout"), STR("checkout"), 2), 2);
	/* Not 2: what was swapped is not edited again. */
	assert_int_equal(edit_distance(STR("ca"), STR("abc"), 1), 3);
	assert_int_equal(edit_distance(STR("A"), STR("a"), 1), 1);
}

static void test_long_words_are_cut(void **state)
{
	char a[200], b[200];

	(void)state;
	memset(a, 'a', sizeof a);
	memset(b, 'b', sizeof b);
	assert_int_equal(edit_distance((struct str){ a, sizeof a },
				       (struct str){ b, sizeof b }, 1),
			 EDIT_WORD_BYTES);
}

UNIT_TESTS(edit)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_distances),
		cmocka_unit_test(test_long_words_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
