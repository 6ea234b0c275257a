/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "testing.h"

#include "base/buf.h"

static void test_appends(void **state)
{
	struct error err;
	struct buf b;

	(void)state;
	buf_init(&b, 1000);
	assert_string_equal(buf_text(&b), "");
	assert_non_null(buf_str(&b).ptr);
	buf_add(&b, "a\0", 2);
	buf_add_str(&b, (struct str){ NULL, 0 });
	buf_add_text(&b, "bc");
	buf_add_char(&b, 'd');
	buf_addf(&b, "%03d%s", 7, "");
	assert_int_equal(b.len, 8);
	assert_memory_equal(b.data, "a\0bcd007\0", 9);
	assert_true(buf_check(&b, "it", &err));
	buf_clear(&b);
	assert_string_equal(buf_text(&b), "");
	buf_addf(&b, "%s", "");
	assert_string_equal(buf_text(&b), "");
	buf_release(&b);
	assert_int_equal(b.max_bytes, 1000);
	assert_null(b.data);
}

static void test_ceiling_from_both_sides(void **state)
{
	struct error err;
	struct buf b;

	(void)state;
	buf_init(&b, 5);
	buf_add_text(&b, "12345");
	assert_true(buf_check(&b, "it", &err));
	buf_add_char(&b, '6');
	buf_add_text(&b, "");
	assert_int_equal(b.state, BUF_OVER_LIMIT);
	assert_string_equal(buf_text(&b), "12345");
	assert_false(buf_check(&b, "the report", &err));
	assert_int_equal(err.code, ERROR_LIMIT);
	assert_string_equal(err.message,
			    "the report is larger than the limit of 5 bytes");
	buf_clear(&b);
	buf_addf(&b, "%s", "1234567");
	assert_int_equal(b.len, 0);
	assert_int_equal(b.state, BUF_OVER_LIMIT);
	buf_release(&b);
	buf_init(&b, 2 * MIB);
	assert_null(buf_reserve(&b, 2 * MIB + 1));
	assert_false(buf_check(&b, "it", &err));
	assert_contains(err.message, "2 MiB");
	buf_release(&b);
}

static void test_no_ceiling(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, SIZE_MAX);
	buf_add_text(&b, "x");
	assert_null(buf_reserve(&b, SIZE_MAX));
	assert_int_equal(b.state, BUF_OVER_LIMIT);
	buf_clear(&b);
	assert_null(buf_reserve(&b, SIZE_MAX));
	assert_int_equal(b.state, BUF_OVER_LIMIT);
	buf_release(&b);
}

static void test_growth_never_passes_the_ceiling(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 100000);
	for (size_t i = 0; i < 100000; i++)
		buf_add_char(&b, (char)('a' + i % 26));
	assert_int_equal(b.state, BUF_OK);
	assert_int_equal(b.cap, 100001);
	for (size_t i = 0; i < 100000; i++)
		assert_int_equal(b.data[i], 'a' + i % 26);
	buf_release(&b);
}

static void test_reserve_and_commit(void **state)
{
	struct buf b;
	char *room;

	(void)state;
	buf_init(&b, 1000);
	room = buf_reserve(&b, 600);
	assert_non_null(room);
	memset(room, 'z', 600);
	buf_commit(&b, 3);
	assert_string_equal(buf_text(&b), "zzz");
	assert_non_null(buf_reserve(&b, 997));
	assert_null(buf_reserve(&b, 998));
	buf_release(&b);
}

static void test_starved(void **state)
{
	struct error err;
	struct buf b;

	(void)state;
	buf_init(&b, 10000);
	buf_add_text(&b, "kept");
	starve_once_after(0);
	assert_null(buf_reserve(&b, 5000));
	assert_true(stop_starving());
	buf_add_text(&b, "lost");
	assert_string_equal(buf_text(&b), "kept");
	assert_false(buf_check(&b, "the report", &err));
	assert_int_equal(err.code, ERROR_MEMORY);
	buf_release(&b);
}

UNIT_TESTS(buf)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_appends),
		cmocka_unit_test(test_ceiling_from_both_sides),
		cmocka_unit_test(test_no_ceiling),
		cmocka_unit_test(test_growth_never_passes_the_ceiling),
		cmocka_unit_test(test_reserve_and_commit),
		cmocka_unit_test(test_starved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
