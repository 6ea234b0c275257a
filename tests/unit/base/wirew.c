/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "testing.h"

#include "base/wirew.h"

static void check(const struct buf *b, const char *bytes, size_t len)
{
	assert_int_equal(b->state, BUF_OK);
	assert_int_equal(b->len, len);
	assert_memory_equal(b->data, bytes, len);
}

#define CHECK(b, bytes) check(b, bytes, sizeof(bytes) - 1)

/* The numbers of the encoding guide: 150 is 96 01, -1 ten bytes. */
static void test_fixed64(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 1000);
	wirew_fixed64(&b, 7, 0x0102030405060708u);
	CHECK(&b, "\x39\x08\x07\x06\x05\x04\x03\x02\x01");
	buf_release(&b);
}

static void test_varint(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 1000);
	wirew_varint(&b, 1, 150);
	wirew_varint(&b, 2, 0);
	wirew_known(&b, 3, 0);
	wirew_known(&b, 3, 127);
	wirew_varint(&b, 16, 128);
	CHECK(&b, "\x08\x96\x01\x10\x00\x18\x7f\x80\x01\x80\x01");
	buf_clear(&b);
	wirew_varint(&b, 1, (uint64_t)-1);
	CHECK(&b, "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
	buf_release(&b);
}

static void test_nested(void **state)
{
	struct buf b;
	size_t outer, inner;

	(void)state;
	buf_init(&b, 1000);
	wirew_str(&b, 2, STR("testing"));
	wirew_str(&b, 2, STR(""));
	outer = wirew_open(&b, 3);
	wirew_varint(&b, 1, 150);
	inner = wirew_open(&b, 4);
	wirew_element(&b, 3);
	wirew_element(&b, 270);
	wirew_close(&b, inner);
	wirew_close(&b, outer);
	outer = wirew_open(&b, 5);
	wirew_close(&b, outer);
	CHECK(&b, "\x12\x07testing\x12\x00\x1a\x08\x08\x96\x01\x22\x03\x03\x8e"
		  "\x02\x2a\x00");
	buf_release(&b);
}

/* Of sixty bytes that are none 180 are made, whose length takes two. */
static void test_utf8(void **state)
{
	char bytes[60];
	struct buf b;

	(void)state;
	memset(bytes, 0x80, sizeof bytes);
	buf_init(&b, 1000);
	wirew_utf8(&b, 2, STR("testing"));
	wirew_utf8(&b, 2, STR(""));
	wirew_utf8(&b, 2, STR("\xC3\xA9\n"));
	wirew_utf8(&b, 2, STR("a\xFFz"));
	CHECK(&b, "\x12\x07testing\x12\x00\x12\x03\xC3\xA9\n"
		  "\x12\x05"
		  "a\xEF\xBF\xBDz");
	buf_clear(&b);
	wirew_utf8(&b, 2, (struct str){ bytes, sizeof bytes });
	assert_int_equal(b.len, 3 + 180);
	assert_memory_equal(b.data, "\x12\xB4\x01\xEF\xBF\xBD", 6);
	buf_release(&b);
}

/* From the end on, the same bytes as in the other direction. */
static void test_before(void **state)
{
	static const uint64_t values[] = { 0,     1,     127,       128,
					   16383, 16384, UINT64_MAX };
	size_t count = sizeof values / sizeof *values;
	char bytes[sizeof values / sizeof *values * WIREW_VARINT_BYTES];
	char *at = bytes + sizeof bytes;
	struct buf b;

	(void)state;
	buf_init(&b, 1000);
	for (size_t i = 0; i < count; i++) {
		wirew_element(&b, values[i]);
		at -= wirew_before(at, values[count - 1 - i]);
	}
	assert_int_equal(bytes + sizeof bytes - at, b.len);
	assert_memory_equal(at, b.data, b.len);
	buf_release(&b);
}

/* 127 bytes have a length of one byte, 128 one of two; so with what stands
 * around them. */
static void check_long(size_t count, const char *head, size_t head_len)
{
	struct buf b;
	size_t outer, inner;

	buf_init(&b, 100000);
	outer = wirew_open(&b, 1);
	inner = wirew_open(&b, 2);
	for (size_t i = 0; i < count; i++)
		wirew_element(&b, i % 100);
	wirew_close(&b, inner);
	wirew_close(&b, outer);
	assert_int_equal(b.len, head_len + count);
	assert_memory_equal(b.data, head, head_len);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(b.data[head_len + i], i % 100);
	buf_release(&b);
}

static void test_long(void **state)
{
	(void)state;
	check_long(125, "\x0a\x7f\x12\x7d", 4);
	check_long(126, "\x0a\x80\x01\x12\x7e", 5);
	check_long(127, "\x0a\x81\x01\x12\x7f", 5);
	check_long(128, "\x0a\x83\x01\x12\x80\x01", 6);
	check_long(16384, "\x0a\x84\x80\x01\x12\x80\x80\x01", 8);
}

/* Wherever the ceiling is met, the buffer says so and nothing is moved. */
static void test_ceiling(void **state)
{
	(void)state;
	for (size_t max = 0; max < 140; max++) {
		struct buf b;
		size_t at;

		buf_init(&b, max);
		at = wirew_open(&b, 1);
		for (size_t i = 0; i < 130; i++)
			wirew_element(&b, 1);
		wirew_close(&b, at);
		assert_int_equal(b.state == BUF_OK, max >= 133);
		assert_true(b.len <= max);
		buf_release(&b);
	}
}

UNIT_TESTS(wirew)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_varint),
		cmocka_unit_test(test_fixed64), cmocka_unit_test(test_nested),
		cmocka_unit_test(test_utf8),   cmocka_unit_test(test_before),
		cmocka_unit_test(test_long),   cmocka_unit_test(test_ceiling),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
