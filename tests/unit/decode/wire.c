/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../unit.h"
#include "base/limits.h"
#include "decode/wire.h"

static struct error err;

static void expect_failure(struct str bytes, size_t at, const char *text)
{
	struct wire_field f;
	struct wire w;

	wire_init(&w, bytes);
	while (wire_next(&w, &f))
		;
	assert_false(wire_check(&w, "the test", &err));
	assert_int_equal(err.code, ERROR_FORMAT);
	assert_non_null(strstr(err.message, text));
	assert_int_equal(w.failed_at, at);
	assert_false(wire_next(&w, &f));
}

static void test_every_type(void **state)
{
	struct str bytes = STR("\x08\x96\x01"
			       "\x11\x01\x02\x03\x04\x05\x06\x07\x08"
			       "\x1a\x02hi"
			       "\x25\x01\x00\x00\x80"
			       "\xf8\xff\xff\xff\x0f\x00");
	struct wire_field f;
	struct wire w;

	(void)state;
	wire_init(&w, bytes);
	assert_true(wire_next(&w, &f));
	assert_int_equal(f.tag, WIRE_TAG(1, WIRE_VARINT));
	assert_int_equal(f.value, 150);
	assert_true(wire_next(&w, &f));
	assert_int_equal(f.tag, WIRE_TAG(2, WIRE_FIXED64));
	assert_true(f.value == 0x0807060504030201u);
	assert_true(wire_next(&w, &f));
	assert_int_equal(f.tag, WIRE_TAG(3, WIRE_BYTES));
	assert_true(str_equal(f.bytes, STR("hi")));
	assert_true(wire_next(&w, &f));
	assert_int_equal(f.tag, WIRE_TAG(4, WIRE_FIXED32));
	assert_true(f.value == 0x80000001u);
	assert_true(wire_next(&w, &f));
	assert_int_equal(f.tag, WIRE_TAG((1u << 29) - 1, WIRE_VARINT));
	assert_false(wire_next(&w, &f));
	assert_true(wire_check(&w, "the test", &err));
}

static void test_varint_limits(void **state)
{
	struct wire_field f;
	struct wire w;

	(void)state;
	wire_init(&w, STR("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"));
	assert_true(wire_next(&w, &f));
	assert_true(f.value == UINT64_MAX);
	expect_failure(STR("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"), 11,
		       "more than 64 bits");
	expect_failure(STR("\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"),
		       11, "more than 64 bits");
}

static size_t put_varint(char *bytes, uint64_t value)
{
	size_t len = 0;

	for (; value >= 0x80; value >>= 7)
		bytes[len++] = (char)(value | 0x80);
	bytes[len++] = (char)value;
	return len;
}

/* Of this number, with so many bytes behind it that are not its own. */
static void expect_number(uint64_t value, size_t behind)
{
	char *bytes = malloc(32); /* so that reading past them is noticed */
	size_t len = put_varint(bytes, value);
	uint64_t read = ~value;
	struct wire w;

	memset(bytes + len, 0xff, behind);
	bytes = realloc(bytes, len + behind);
	wire_init(&w, (struct str){ bytes, len + behind });
	assert_true(wire_next_varint(&w, &read));
	assert_true(read == value);
	assert_int_equal(w.at, len);
	free(bytes);
}

static void test_numbers_of_every_length(void **state)
{
	(void)state;
	for (unsigned bit = 0; bit < 64; bit++)
		for (size_t behind = 0; behind < 12; behind++) {
			uint64_t power = (uint64_t)1 << bit;

			expect_number(power, behind);
			expect_number(power - 1, behind);
			expect_number(power | power >> 3 | 1, behind);
			expect_number(0xA5C396870F1E2D3Cu >> bit, behind);
		}
	for (unsigned len = 1; len < 10; len++) {
		const char ends[] = "\xff\xff\xff\xff\xff\xff\xff\xff\xff";
		uint64_t read;
		struct wire w;

		wire_init(&w, (struct str){ ends, len });
		assert_false(wire_next_varint(&w, &read));
		assert_int_equal(w.failed_at, len);
		assert_true(w.is_short);
	}
}

static void test_damage_is_placed(void **state)
{
	(void)state;
	expect_failure(STR("\x08\x80"), 2, "inside a number");
	expect_failure(STR("\x08"), 1, "inside a number");
	expect_failure(STR("\x11\x01\x02"), 1, "inside a number");
	expect_failure(STR("\x25\x01\x02"), 1, "inside a number");
	expect_failure(STR("\x08\x01\x12\x05"
			   "abc"),
		       4, "longer than what is left");
	expect_failure(STR("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), 11,
		       "longer than what is left");
	expect_failure(STR("\x02\x00"), 1, "impossible number");
	expect_failure(STR("\x80\x80\x80\x80\x10\x00"), 5, "impossible number");
	expect_failure(STR("\x0b\x0c"), 1, "impossible type");
	expect_failure(STR("\x0f"), 1, "impossible type");
}

/* Offsets are those of the whole input, also deep inside. */
static void test_nested_offset(void **state)
{
	struct str bytes = STR("\x08\x01\x12\x04\x0a\x02\x08\x80");
	struct wire outer, middle, inner;
	struct wire_field f;

	(void)state;
	wire_init(&outer, bytes);
	assert_true(wire_next(&outer, &f));
	assert_true(wire_next(&outer, &f));
	assert_true(wire_enter(&outer, &f, &middle));
	assert_true(wire_next(&middle, &f));
	assert_true(wire_enter(&middle, &f, &inner));
	assert_false(wire_next(&inner, &f));
	assert_false(wire_check(&inner, "the test", &err));
	assert_non_null(strstr(err.message, "byte 8"));
	assert_true(wire_check(&middle, "the test", &err));
}

static void test_depth_has_a_limit(void **state)
{
	struct wire_field f = { .tag = WIRE_TAG(1, WIRE_BYTES),
				.bytes = STR("") };
	struct wire levels[LIMIT_PB_DEPTH];

	(void)state;
	wire_init(&levels[0], STR(""));
	for (unsigned i = 1; i < LIMIT_PB_DEPTH; i++)
		assert_true(wire_enter(&levels[i - 1], &f, &levels[i]));
	assert_false(wire_enter(&levels[LIMIT_PB_DEPTH - 1], &f, &levels[0]));
	assert_false(wire_check(&levels[LIMIT_PB_DEPTH - 1], "the test", &err));
	assert_non_null(strstr(err.message, "nested"));
}

static void test_packed(void **state)
{
	uint64_t value;
	struct wire w;

	(void)state;
	wire_init(&w, STR("\x01\x96\x01\x00"));
	assert_true(wire_next_varint(&w, &value));
	assert_int_equal(value, 1);
	assert_true(wire_next_varint(&w, &value));
	assert_int_equal(value, 150);
	assert_true(wire_next_varint(&w, &value));
	assert_int_equal(value, 0);
	assert_false(wire_next_varint(&w, &value));
	assert_true(wire_check(&w, "the test", &err));
	wire_init(&w, STR("\x01\x96"));
	assert_true(wire_next_varint(&w, &value));
	assert_false(wire_next_varint(&w, &value));
	assert_false(wire_check(&w, "the test", &err));
}

UNIT_TESTS(wire)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_type),
		cmocka_unit_test(test_varint_limits),
		cmocka_unit_test(test_numbers_of_every_length),
		cmocka_unit_test(test_damage_is_placed),
		cmocka_unit_test(test_nested_offset),
		cmocka_unit_test(test_depth_has_a_limit),
		cmocka_unit_test(test_packed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
