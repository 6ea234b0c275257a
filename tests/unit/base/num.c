/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "../skipping.h"
#include "testing.h"

#include <locale.h>
#include <math.h>

#include "base/num.h"

static void test_checked_arithmetic(void **state)
{
	int64_t v = 0;

	(void)state;
	assert_true(add_i64(INT64_MAX, 0, &v) && v == INT64_MAX);
	assert_false(add_i64(INT64_MAX, 1, &v));
	assert_false(add_i64(INT64_MIN, -1, &v));
	assert_true(sub_i64(INT64_MIN + 1, 1, &v) && v == INT64_MIN);
	assert_false(sub_i64(0, INT64_MIN, &v));
	assert_true(mul_i64(-1, INT64_MAX, &v) && v == -INT64_MAX);
	assert_false(mul_i64(-1, INT64_MIN, &v));
}

static void test_saturating_arithmetic(void **state)
{
	(void)state;
	assert_true(sat_add_i64(1, 2) == 3);
	assert_true(sat_add_i64(INT64_MAX, 1) == INT64_MAX);
	assert_true(sat_add_i64(INT64_MIN, -1) == INT64_MIN);
	assert_true(sat_sub_i64(0, INT64_MIN) == INT64_MAX);
	assert_true(sat_sub_i64(-2, INT64_MAX) == INT64_MIN);
	assert_true(sat_sub_i64(5, 7) == -2);
	assert_true(sat_mul_i64(INT64_MAX, -2) == INT64_MIN);
	assert_true(sat_mul_i64(INT64_MIN, -1) == INT64_MAX);
	assert_true(sat_mul_i64(-3, 4) == -12);
	assert_true(sat_from_f64(-2.9) == -2);
	assert_true(sat_from_f64(0x1.fffffffffffffp62) ==
		    INT64_MAX - 0x3ff);
	assert_true(sat_from_f64(0x1p63) == INT64_MAX);
	assert_true(sat_from_f64(-0x1p63) == INT64_MIN);
	assert_true(sat_from_f64(-0x1.0000000000001p63) == INT64_MIN);
	assert_true(sat_from_f64(INFINITY) == INT64_MAX);
	assert_true(sat_from_f64(-INFINITY) == INT64_MIN);
	assert_true(sat_from_f64(NAN) == 0);
	assert_true(sat_round_f64(-2.5) == -3);
	assert_true(sat_round_f64(0x1p63) == INT64_MAX);
	assert_true(sat_round_f64(-INFINITY) == INT64_MIN);
	assert_true(sat_round_f64(NAN) == 0);
}

static void test_parse_u64(void **state)
{
	uint64_t v = 0;

	(void)state;
	assert_true(parse_u64(STR("18446744073709551615"), &v));
	assert_true(v == UINT64_MAX);
	assert_false(parse_u64(STR("18446744073709551616"), &v));
	assert_false(parse_u64(STR("99999999999999999999"), &v));
	assert_true(parse_u64(STR("000"), &v) && v == 0);
	assert_false(parse_u64(STR(""), &v));
	assert_false(parse_u64(STR("-1"), &v));
	assert_false(parse_u64(STR("+1"), &v));
	assert_false(parse_u64(STR(" 1"), &v));
	assert_false(parse_u64(STR("1\0"), &v));
}

static void test_parse_size(void **state)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} good[] = { { "0", 0 },	     { "7B", 7 },
		     { "2k", 2000 },	     { "2kB", 2000 },
		     { "1Ki", 1024 },	     { "1KiB", 1024 },
		     { "768Mi", 805306368 }, { "1GiB", 1073741824 },
		     { "3M", 3000000 },	     { "2T", 2000000000000 },
		     { "16777215Ti", 16777215ULL << 40 } };
	static const char *const bad[] = { "",	   "B",	  "Gi",	 "i",
					   "1i",   "1K",  "1.5G", "1 GiB",
					   "-1Mi", "1gi", "1BB", "16777216Ti",
					   "1iB" };
	uint64_t v = 0;

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		assert_true(parse_size(str_from(good[i].text), &v));
		assert_true(v == good[i].bytes);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_false(parse_size(str_from(bad[i]), &v));
}

static void test_parse_i64(void **state)
{
	int64_t v = 0;

	(void)state;
	assert_true(parse_i64(STR("9223372036854775807"), &v));
	assert_true(v == INT64_MAX);
	assert_false(parse_i64(STR("9223372036854775808"), &v));
	assert_true(parse_i64(STR("-9223372036854775808"), &v));
	assert_true(v == INT64_MIN);
	assert_false(parse_i64(STR("-9223372036854775809"), &v));
	assert_true(parse_i64(STR("-0"), &v) && v == 0);
	assert_false(parse_i64(STR("-"), &v));
	assert_false(parse_i64(STR("--1"), &v));
}

static void test_decimal_grammar(void **state)
{
	static const char *const good[] = { "0",    "-0",   "10",      "1.5",
					    "-1e3", "1E+3", "0.0e-00", "9e9" };
	static const char *const bad[] = { "",   "-",   "+1",  "01",  ".5",
					   "1.", "1e",  "1e+", "-.1", "1 ",
					   " 1", "0x1", "inf", "nan", "1,5" };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(good); i++)
		assert_true(is_decimal(str_from(good[i])));
	for (size_t i = 0; i < COUNT_OF(bad); i++)
		assert_false(is_decimal(str_from(bad[i])));
}

static void test_parse_whole(void **state)
{
	static const struct {
		const char *text;
		int64_t value;
	} good[] = {
		{ "0", 0 },
		{ "-0.0e9", 0 },
		{ "1e3", 1000 },
		{ "5.0", 5 },
		{ "-1.25e2", -125 },
		{ "1000e-3", 1 },
		{ "0.000000000000000000001e21", 1 },
		{ "1.00000000000000000000000000000000", 1 },
		{ "9223372036854775807", INT64_MAX },
		{ "9223372036854775807.000", INT64_MAX },
		{ "922337203685477580.7e1", INT64_MAX },
		{ "-9223372036854775808", INT64_MIN },
		{ "9007199254740993", 9007199254740993 },
		{ "0e999999999999999999999", 0 },
		{ "1e18", 1000000000000000000 },
	};
	static const char *const bad[] = {
		"1.5",
		"1e-1",
		"9223372036854775808",
		"1e19",
		"1e999999999999",
		"-9223372036854775809",
		"12345678901234567890123",
		"1e-99999999",
		"x",
		"",
		"0.1",
		"125e-2",
		"1e3x",
	};
	int64_t v;
	uint64_t u;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(good); i++) {
		v = 77;
		assert_true(parse_whole_i64(str_from(good[i].text), &v));
		assert_true(v == good[i].value);
	}
	for (size_t i = 0; i < COUNT_OF(bad); i++)
		assert_false(parse_whole_i64(str_from(bad[i]), &v));
	assert_true(parse_whole_u64(STR("18446744073709551615.0"), &u));
	assert_true(u == UINT64_MAX);
	assert_true(parse_whole_u64(STR("1.8e19"), &u));
	assert_true(u == 18000000000000000000u);
	assert_true(parse_whole_u64(STR("-0"), &u) && u == 0);
	assert_false(parse_whole_u64(STR("18446744073709551616"), &u));
	assert_false(parse_whole_u64(STR("1.9e19"), &u));
	assert_false(parse_whole_u64(STR("-1"), &u));
}

static void test_parse_scaled(void **state)
{
	static const struct {
		const char *text;
		int64_t value;
	} good[] = {
		{ "1.478293361271E9", 1478293361271000000 },
		{ "1763812336.25", 1763812336250000000 },
		{ "1763812336.1234567891", 1763812336123456789 },
		{ "0", 0 },
		{ "-0", 0 },
		{ "-1.5", -1500000000 },
		{ "1e-9", 1 },
		{ "9e-10", 0 },
		{ "0.000000000000000000000000000001e30", 1000000000 },
		{ "9223372036.854775807", INT64_MAX },
		{ "9223372036.854775808", INT64_MAX },
		{ "-9223372036.854775809", INT64_MIN },
		{ "1e400", INT64_MAX },
		{ "-1e400", INT64_MIN },
		{ "1e-400", 0 },
	};
	static const char *const bad[] = { "",	  "+1", "1.",  ".5",
					   "NaN", "1e", "0x1", " 1" };
	int64_t v;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(good); i++) {
		v = 77;
		assert_true(parse_scaled_i64(str_from(good[i].text), 9, &v));
		if (v != good[i].value)
			fail_msg("%s", good[i].text);
	}
	assert_true(parse_scaled_i64(STR("-12.3456"), 3, &v));
	assert_int_equal(v, -12345);
	for (size_t i = 0; i < COUNT_OF(bad); i++)
		assert_false(parse_scaled_i64(str_from(bad[i]), 9, &v));
}

/* Up to 18 digits go a quicker way, which must end where the other does: one
 * that an exponent of nothing is written behind. */
static void test_ordinary_numbers(void **state)
{
	static const char *const numbers[] = {
		"0",    "-0",   "0.0", "-0.5", "1.5", "999999999999999999",
		"9007199254740993",    "9007199254740992",
		"1763812336.123456789", "123456789012345678.9",
		"0.00000000000000001", "-12345678.000000001", "4503599627370497.5",
		"100000000000000000",  "0.1", "2.675", "1e0",
	};
	static const char *const bad[] = { "", "-", ".", "5.", ".5", "01",
					   "-01", "1.2.3", "--1", "1-" };
	char other[40];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(numbers); i++) {
		double quick, slow;
		int64_t a, b;

		snprintf(other, sizeof other, "%s%s", numbers[i],
			 strchr(numbers[i], 'e') ? "" : "e0");
		assert_true(parse_f64(str_from(numbers[i]), &quick));
		assert_true(parse_f64(str_from(other), &slow));
		assert_memory_equal(&quick, &slow, sizeof quick);
		for (unsigned power = 0; power < 22; power += 3) {
			assert_true(parse_scaled_i64(str_from(numbers[i]),
						     power, &a));
			assert_true(
				parse_scaled_i64(str_from(other), power, &b));
			assert_true(a == b);
		}
	}
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		double value;
		int64_t scaled;

		assert_false(parse_f64(str_from(bad[i]), &value));
		assert_false(parse_scaled_i64(str_from(bad[i]), 3, &scaled));
	}
}

static void test_parse_f64(void **state)
{
	char text[LIMIT_NUMBER_BYTES + 1];
	double v = 0;

	(void)state;
	assert_true(parse_f64(STR("-1.5e3"), &v));
	assert_true(v <= -1500 && v >= -1500);
	assert_true(parse_f64(STR("1e-400"), &v) && v <= 0 && v >= 0);
	assert_true(parse_f64(STR("1.7976931348623157e308"), &v));
	assert_false(parse_f64(STR("1e309"), &v));
	assert_false(parse_f64(STR("Infinity"), &v));
	assert_false(parse_f64(STR("0x10"), &v));
	memset(text, '1', sizeof text);
	assert_false(parse_f64((struct str){ text, LIMIT_NUMBER_BYTES }, &v));
	text[1] = '.';
	assert_true(
		parse_f64((struct str){ text, LIMIT_NUMBER_BYTES - 1 }, &v));
}

/* Where the machine has a locale with a comma. */
static void test_no_locale(void **state)
{
	double v = 0;

	(void)state;
	if (!setlocale(LC_NUMERIC, "de_DE.UTF-8"))
		SKIP_BECAUSE(NO_GERMAN);
	assert_true(parse_f64(STR("1.5"), &v));
	assert_false(parse_f64(STR("1,5"), &v));
	setlocale(LC_NUMERIC, "C");
	assert_true(v > 1.4 && v < 1.6);
}

static void test_hex(void **state)
{
	unsigned char bytes[4];
	char text[9];
	uint64_t v = 0;

	(void)state;
	assert_true(hex_decode(STR("00fFAb10"), bytes, 4));
	assert_memory_equal(bytes, "\x00\xff\xab\x10", 4);
	hex_encode(bytes, 4, text);
	assert_string_equal(text, "00ffab10");
	assert_false(hex_decode(STR("00ffab1"), bytes, 4));
	assert_false(hex_decode(STR("00ffab1g"), bytes, 4));
	assert_false(hex_decode(STR("00ffab1000"), bytes, 4));
	assert_false(hex_decode(STR("0 ffab10"), bytes, 4));
	assert_true(hex_decode(STR(""), bytes, 0));
	assert_true(parse_hex_u64(STR("ffffffffffffffff"), &v));
	assert_true(v == UINT64_MAX);
	assert_true(parse_hex_u64(STR("1F"), &v) && v == 31);
	assert_false(parse_hex_u64(STR("10000000000000000"), &v));
	assert_false(parse_hex_u64(STR(""), &v));
	assert_false(parse_hex_u64(STR("0x1"), &v));
}

/* The vectors of RFC 4648, section 10. */
static void test_base64_vectors(void **state)
{
	static const char *const plain[] = { "",     "f",     "fo",    "foo",
					     "foob", "fooba", "foobar" };
	static const char *const packed[] = {
		"", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(plain); i++) {
		struct str text = str_from(packed[i]);
		unsigned char bytes[8];
		char back[16];
		size_t len = 99;

		base64_encode((const unsigned char *)plain[i], strlen(plain[i]),
			      back);
		assert_string_equal(back, packed[i]);
		assert_true(base64_decode(text, bytes, strlen(plain[i]), &len));
		assert_int_equal(len, strlen(plain[i]));
		assert_memory_equal(bytes, plain[i], len);
		while (str_ends(text, STR("=")))
			text.len--;
		assert_true(base64_decode(text, bytes, strlen(plain[i]), &len));
		assert_memory_equal(bytes, plain[i], len);
		if (len)
			assert_false(base64_decode(text, bytes,
						   strlen(plain[i]) - 1, &len));
	}
}

static void test_base64_forms(void **state)
{
	static const char *const bad[] = {
		"A",    "AAAAA", "A===",      "AA=",  "AA=A",
		"=",    "====",  "AA==AA==",  "A A=", "AAA\n",
		"AA*A", "AAAA=", "AA\xc3\xa9"
	};
	unsigned char bytes[768];
	unsigned char back[768];
	char text[1025];
	size_t len;

	(void)state;
	assert_true(base64_decode(STR("-_+/"), bytes, 3, &len));
	assert_memory_equal(bytes, "\xfb\xff\xbf", 3);
	for (size_t i = 0; i < COUNT_OF(bad); i++)
		assert_false(base64_decode(str_from(bad[i]), bytes,
					   sizeof bytes, &len));
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (unsigned char)(i * 7 + i / 256);
	for (size_t size = 0; size <= sizeof bytes; size += 5) {
		base64_encode(bytes, size, text);
		assert_int_equal(strlen(text), (size + 2) / 3 * 4);
		assert_true(base64_decode(str_from(text), back, size, &len));
		assert_int_equal(len, size);
		assert_memory_equal(back, bytes, size);
		/* Where it lies. */
		assert_true(base64_decode(str_from(text), (unsigned char *)text,
					  size, &len));
		assert_memory_equal(text, bytes, size);
	}
}

static void test_gcd(void **state)
{
	(void)state;
	assert_true(gcd_u64(0, 0) == 0);
	assert_true(gcd_u64(0, 7) == 7);
	assert_true(gcd_u64(7, 0) == 7);
	assert_true(gcd_u64(12, 18) == 6);
	assert_true(gcd_u64(UINT64_MAX, UINT64_MAX - 1) == 1);
}

static void expect_digits(uint64_t value, unsigned width, const char *expected)
{
	char out[DIGITS_U64];
	char *end = put_u64(out, value, width);

	assert_text((struct str){ out, (size_t)(end - out) }, expected);
}

static void test_put_u64(void **state)
{
	(void)state;
	expect_digits(0, 1, "0");
	expect_digits(9, 1, "9");
	expect_digits(10, 1, "10");
	expect_digits(7, 3, "007");
	expect_digits(1234, 3, "1234");
	expect_digits(UINT64_MAX, 1, "18446744073709551615");
	expect_digits(1, DIGITS_U64, "00000000000000000001");
}

UNIT_TESTS(num)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_put_u64),
		cmocka_unit_test(test_checked_arithmetic),
		cmocka_unit_test(test_saturating_arithmetic),
		cmocka_unit_test(test_parse_u64),
		cmocka_unit_test(test_parse_size),
		cmocka_unit_test(test_parse_i64),
		cmocka_unit_test(test_decimal_grammar),
		cmocka_unit_test(test_parse_whole),
		cmocka_unit_test(test_parse_scaled),
		cmocka_unit_test(test_ordinary_numbers),
		cmocka_unit_test(test_parse_f64),
		cmocka_unit_test(test_no_locale),
		cmocka_unit_test(test_hex),
		cmocka_unit_test(test_base64_vectors),
		cmocka_unit_test(test_base64_forms),
		cmocka_unit_test(test_gcd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
