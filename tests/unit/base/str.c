/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "testing.h"

static const struct str none = { NULL, 0 };

static void test_equal_and_compare(void **state)
{
	(void)state;
	assert_true(str_equal(none, STR("")));
	assert_true(str_equal((struct str){ "a\0b", 3 }, STR("a\0b")));
	assert_false(str_equal(STR("a\0b"), STR("a\0c")));
	assert_int_equal(str_compare(none, STR("")), 0);
	assert_true(str_compare(STR("a"), STR("ab")) < 0);
	assert_true(str_compare(STR("b"), STR("ab")) > 0);
	assert_true(str_compare(STR("\xFF"), STR("a")) > 0);
	assert_true(str_equal_nocase(STR("Content-TYPE"), STR("content-type")));
	assert_false(str_equal_nocase(STR("a"), STR("ab")));
	assert_false(str_equal_nocase(STR("@"), STR("`")));
	assert_false(str_equal_nocase(STR("\xC0"), STR("\xE0")));
}

static void test_starts_and_ends(void **state)
{
	(void)state;
	assert_true(str_starts(STR("abc"), STR("ab")));
	assert_true(str_starts(none, none));
	assert_false(str_starts(STR("a"), STR("ab")));
	assert_true(str_ends(STR("a.pb.gz"), STR(".gz")));
	assert_false(str_ends(STR("gz"), STR(".gz")));
	assert_true(str_ends(STR("x"), none));
}

static void test_is_one_of(void **state)
{
	static const char *const words[] = { "", "ab", "abc" };
	const struct str texts[] = { STR("ab"), STR("b") };

	(void)state;
	assert_true(str_is_one_of(STR("abc"), words, 3));
	assert_true(str_is_one_of(none, words, 3));
	assert_false(str_is_one_of(STR("abc"), words, 2));
	assert_false(str_is_one_of(STR("AB"), words, 3));
	assert_true(str_is_one_of_nocase(STR("AB"), words, 3));
	assert_false(str_is_one_of_nocase(STR("b"), words, 3));
	assert_true(str_is_among(STR("b"), texts, 2));
	assert_false(str_is_among(STR("B"), texts, 2));
	assert_false(str_is_among(none, NULL, 0));
}

static void expect_length(struct str text, size_t len)
{
	if (utf8_length(text) != len)
		fail_msg("%02x %02x: not %zu bytes", (unsigned char)text.ptr[0],
			 text.len > 1 ? (unsigned char)text.ptr[1] : 0, len);
}

/* The first and the last character of each length, and what is next to them. */
static void test_utf8_length(void **state)
{
	(void)state;
	expect_length(STR("\0"), 1);
	expect_length(STR("\x7F\x80"), 1);
	expect_length(STR("\x80"), 0);
	expect_length(STR("\xC1\xBF"), 0);
	expect_length(STR("\xC2\x80"), 2);
	expect_length(STR("\xDF\xBFz"), 2);
	expect_length(STR("\xC2"), 0);
	expect_length(STR("\xC2z"), 0);
	expect_length(STR("\xE0\x9F\xBF"), 0);
	expect_length(STR("\xE0\xA0\x80"), 3);
	expect_length(STR("\xED\x9F\xBF"), 3);
	expect_length(STR("\xED\xA0\x80"), 0);
	expect_length(STR("\xEF\xBF\xBF"), 3);
	expect_length(STR("\xEF\xBF"), 0);
	expect_length(STR("\xF0\x8F\xBF\xBF"), 0);
	expect_length(STR("\xF0\x90\x80\x80"), 4);
	expect_length(STR("\xF4\x8F\xBF\xBF"), 4);
	expect_length(STR("\xF4\x90\x80\x80"), 0);
	expect_length(STR("\xF4\x8F\xBFz"), 0);
	expect_length(STR("\xF5\x80\x80\x80"), 0);
}

static void test_digits(void **state)
{
	(void)state;
	assert_true(str_is_digits(STR("0189")));
	assert_false(str_is_digits(STR("01a")));
	assert_false(str_is_digits(STR("")));
}

static void test_find(void **state)
{
	(void)state;
	assert_int_equal(str_until(STR("a;b;c"), 0, ';'), 1);
	assert_int_equal(str_until(STR("a;b;c"), 1, ';'), 1);
	assert_int_equal(str_until(STR("a;b;c"), 2, ';'), 3);
	assert_int_equal(str_until(STR("a;b;c"), 4, ';'), 5);
	assert_int_equal(str_until(STR("a;b;c"), 5, ';'), 5);
	assert_int_equal(str_until(none, 0, ';'), 0);
	assert_int_equal(str_find(STR("hello"), STR("l")), 2);
	assert_int_equal(str_find(STR("a\0b"), STR("\0b")), 1);
	assert_int_equal(str_find(STR("abc"), STR("abcd")), SIZE_MAX);
	assert_int_equal(str_find(STR("abc"), STR("x")), SIZE_MAX);
	assert_int_equal(str_find(none, STR("x")), SIZE_MAX);
	assert_int_equal(str_find(STR("abc"), none), 0);
	/* False starts, and a match that ends with the text. */
	assert_int_equal(str_find(STR("aaab aab"), STR("aab")), 1);
	assert_int_equal(str_find(STR("xxab"), STR("ab")), 2);
	assert_int_equal(str_find(STR("xxa"), STR("ab")), SIZE_MAX);
}

/* Both sides of the length from which the library searches. */
static void test_find_short_and_long(void **state)
{
	static const char text[] = "01234567890123456789012345678901"
				   "0123456789012345678901234567890123.";

	(void)state;
	for (size_t len = 30; len <= 34; len++) {
		struct str tail =
			str_slice(str_from(text), sizeof text - 1 - len, len);

		assert_int_equal(str_find(str_from(text), tail),
				 sizeof text - 1 - len);
		assert_int_equal(
			str_find(str_slice(str_from(text), 0, 65), tail),
			SIZE_MAX);
	}
}

static void test_behind_last(void **state)
{
	(void)state;
	assert_int_equal(str_behind_last(STR("a\nb\nc"), '\n'), 4);
	assert_int_equal(str_behind_last(STR("a\n"), '\n'), 2);
	assert_int_equal(str_behind_last(STR("a"), '\n'), 0);
	assert_int_equal(str_behind_last((struct str){ NULL, 0 }, '\n'), 0);
}

static void test_trim_and_slice(void **state)
{
	(void)state;
	assert_text(str_trim(STR(" \t\r\na b\n ")), "a b");
	assert_text(str_trim(STR("  ")), "");
	assert_text(str_trim(none), "");
	assert_text(str_slice(STR("abc"), 1, 1), "b");
	assert_text(str_slice(STR("abc"), 1, SIZE_MAX), "bc");
	assert_text(str_slice(STR("abc"), 9, 9), "");
	assert_text(str_slice(none, 0, 1), "");
	assert_text(str_from(NULL), "");
	assert_text(str_from("x"), "x");
}

static void test_printing(void **state)
{
	struct str three = { "abcd", 3 };
	struct str long_text = { "", 5000 };
	char text[8];

	(void)state;
	snprintf(text, sizeof text, "<%.*s>", STR_ARGS(three));
	assert_string_equal(text, "<abc>");
	assert_int_equal(str_printed(&none), 0);
	assert_int_equal(str_printed(&long_text), 4096);
}

static void test_utf8_floor(void **state)
{
	/* 1, 2, 3 and 4 bytes: boundaries at 0, 1, 3, 6, 10. */
	const char *text = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80";
	const size_t floors[] = { 0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10 };

	(void)state;
	for (size_t at = 0; at <= 10; at++)
		assert_int_equal(utf8_floor(text, 10, at), floors[at]);
	assert_int_equal(utf8_floor(text, 10, 99), 10);
	assert_int_equal(utf8_floor("\x80\x80\x80\x80\x80\x80", 6, 5), 5);
	assert_int_equal(utf8_floor("\x80\x80", 2, 1), 1);
	assert_int_equal(utf8_floor("", 0, 0), 0);
}

UNIT_TESTS(str)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal_and_compare),
		cmocka_unit_test(test_starts_and_ends),
		cmocka_unit_test(test_is_one_of),
		cmocka_unit_test(test_utf8_length),
		cmocka_unit_test(test_digits),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_find_short_and_long),
		cmocka_unit_test(test_behind_last),
		cmocka_unit_test(test_trim_and_slice),
		cmocka_unit_test(test_printing),
		cmocka_unit_test(test_utf8_floor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
