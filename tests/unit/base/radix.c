/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "testing.h"

#include <stdlib.h>

#include "base/num.h"
#include "base/radix.h"

#define MANY 5000u

static int compare(const void *pa, const void *pb)
{
	const struct radix_item *a = pa, *b = pb;
	int order = compare_u64(a->key, b->key);

	return order ? order : compare_u64(a->index, b->index);
}

/* As a sort that compares, equal keys by where they were. */
static void expect_order(const uint64_t *keys, uint32_t count)
{
	static struct radix_item items[MANY], room[MANY], wanted[MANY];
	struct radix_item *sorted;

	for (uint32_t i = 0; i < count; i++)
		wanted[i] = items[i] = (struct radix_item){ keys[i], i };
	qsort(wanted, count, sizeof *wanted, compare);
	sorted = radix_sort(items, room, count);
	assert_true(sorted == items || sorted == room);
	for (uint32_t i = 0; i < count; i++) {
		assert_true(sorted[i].key == wanted[i].key);
		assert_int_equal(sorted[i].index, wanted[i].index);
	}
}

static void test_few(void **state)
{
	(void)state;
	expect_order(NULL, 0);
	expect_order((const uint64_t[]){ 7 }, 1);
	expect_order((const uint64_t[]){ 2, 1, 2, 1 }, 4);
	expect_order((const uint64_t[]){ UINT64_MAX, 0, UINT64_MAX - 1 }, 3);
}

/* Keys that differ in some of their digits alone: an odd and an even number of
 * them, with digits in between in which they do not. */
static void test_many(void **state)
{
	static const uint64_t masks[] = {
		0,
		0x3,
		0x7FF,
		0x7FF000,
		UINT64_C(0xFFFFFFFF),
		UINT64_C(0xFFF0000000000001),
		UINT64_MAX,
	};
	static uint64_t keys[MANY];
	uint64_t random = 1;

	(void)state;
	for (size_t m = 0; m < sizeof masks / sizeof *masks; m++) {
		for (size_t i = 0; i < MANY; i++) {
			random = random * UINT64_C(6364136223846793005) + 1;
			keys[i] = (random ^ random >> 32) & masks[m];
		}
		expect_order(keys, MANY);
		/* Where digits are shorter, and where just not. */
		expect_order(keys, 1023);
		expect_order(keys, 1024);
	}
}

UNIT_TESTS(radix)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_few),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
