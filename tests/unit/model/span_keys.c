/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../unit.h"
#include "base/num.h"
#include "model/trace_build.h"

#define MOST 1000u

static struct span_key keys[MOST], spare[MOST], expected[MOST];

static int compare(const void *left, const void *right)
{
	const struct span_key *a = left, *b = right;
	int order = compare_u64(a->major, b->major);

	if (!order)
		order = compare_u64(a->minor, b->minor);
	return order ? order : compare_u64(a->index, b->index);
}

/* Numbers of so many bits, shifted, so that some bytes never differ. */
static void sort(size_t count, unsigned bits, unsigned shift)
{
	const struct span_sort room = { keys, spare };
	uint64_t x = count * 64 + bits;

	for (size_t i = 0; i < count; i++) {
		uint64_t mask =
			bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX;

		x = x * 6364136223846793005u + 1442695040888963407u;
		keys[i].major = (x >> 7 & mask) << shift;
		keys[i].minor = x >> 61;
		keys[i].index = (uint32_t)i;
	}
	memcpy(expected, keys, sizeof keys);
	qsort(expected, count, sizeof *expected, compare);
	span_keys_sort(&room, count);
	for (size_t i = 0; i < count; i++) {
		assert_true(keys[i].major == expected[i].major);
		assert_true(keys[i].minor == expected[i].minor);
		assert_int_equal(keys[i].index, expected[i].index);
	}
	/* Once more, now that they are in order. */
	span_keys_sort(&room, count);
	assert_memory_equal(keys, expected, count * sizeof *keys);
}

static void test_orders(void **state)
{
	static const size_t counts[] = { 0, 1, 2, 3, 17, 255, 256, 257, MOST };

	(void)state;
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		sort(counts[i], 64, 0);
		sort(counts[i], 2, 0);
		sort(counts[i], 0, 0);
		sort(counts[i], 9, 55);
		sort(counts[i], 20, 30);
	}
}

UNIT_TESTS(span_keys)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_orders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
