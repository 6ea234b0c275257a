/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "testing.h"

#include "base/arena.h"

static bool is_zero(const void *ptr, size_t len)
{
	const unsigned char *bytes = ptr;

	for (size_t i = 0; i < len; i++)
		if (bytes[i])
			return false;
	return true;
}

static void test_alloc_is_zeroed_and_aligned(void **state)
{
	struct arena a;

	(void)state;
	arena_init(&a, MIB);
	for (size_t size = 0; size < 40000; size = size * 3 / 2 + 1) {
		char *p = arena_alloc(&a, size);

		assert_non_null(p);
		assert_int_equal((uintptr_t)p % _Alignof(max_align_t), 0);
		assert_true(is_zero(p, size));
		memset(p, 0xAA, size);
	}
	arena_release(&a);
	assert_int_equal(a.used_bytes, 0);
	assert_int_equal(a.max_bytes, MIB);
}

static void test_allocations_do_not_overlap(void **state)
{
	unsigned char *p[500];
	struct arena a;

	(void)state;
	arena_init(&a, 16 * MIB);
	for (size_t i = 0; i < COUNT_OF(p); i++) {
		p[i] = arena_alloc(&a, i * 7 + 1);
		assert_non_null(p[i]);
		memset(p[i], (int)(i & 0xFF), i * 7 + 1);
	}
	for (size_t i = 0; i < COUNT_OF(p); i++)
		for (size_t k = 0; k < i * 7 + 1; k++)
			assert_int_equal(p[i][k], i & 0xFF);
	arena_release(&a);
}

static void test_ceiling(void **state)
{
	struct arena a;
	struct error err;
	size_t given = 0;

	(void)state;
	arena_init(&a, MIB);
	while (arena_alloc(&a, 1024))
		given += 1024;
	assert_true(a.is_over_limit);
	assert_true(a.used_bytes <= MIB);
	assert_true(given > MIB / 10 * 9);
	assert_false(arena_fail(&a, "the trace", &err));
	assert_int_equal(err.code, ERROR_LIMIT);
	assert_contains(err.message, "the trace needs more than 1 MiB");
	assert_null(arena_alloc(&a, MIB));
	arena_release(&a);
	assert_non_null(arena_alloc(&a, 1024));
	arena_release(&a);
}

/* An arena of a few strings does not take a whole block. */
static void test_blocks_grow(void **state)
{
	struct arena a;
	size_t used = 0, blocks = 0;

	(void)state;
	arena_init(&a, MIB);
	assert_non_null(arena_alloc(&a, 16));
	assert_in_range(a.used_bytes, 4 * KIB, 4 * KIB + 64);
	for (size_t given = 0; given < 200 * KIB; given += 16) {
		assert_non_null(arena_alloc(&a, 16));
		blocks += a.used_bytes != used;
		used = a.used_bytes;
	}
	/* 4 + 16 + 64 + 64 + 64 KiB, the last one begun. */
	assert_int_equal(blocks, 5);
	assert_in_range(used, 212 * KIB, 212 * KIB + 5 * 64);
	arena_release(&a);
	/* Fits no first block. */
	assert_non_null(arena_alloc(&a, 15 * KIB));
	assert_in_range(a.used_bytes, 16 * KIB, 16 * KIB + 64);
	arena_release(&a);
}

/* What was given back counts no more, whichever of the list it is. */
static void test_drop(void **state)
{
	struct arena a;
	char *blocks[3], *small;

	(void)state;
	for (unsigned gone = 0; gone < 3; gone++) {
		arena_init(&a, MIB);
		small = arena_alloc(&a, 100);
		for (unsigned i = 0; i < 3; i++)
			blocks[i] = arena_alloc(&a, 300 * KIB);
		assert_null(arena_alloc(&a, 300 * KIB));
		arena_drop(&a, small, 100);
		arena_drop(&a, NULL, 0);
		arena_drop(&a, blocks[gone], 300 * KIB);
		memset(small, 1, 100);
		memset(blocks[(gone + 1) % 3], 1, 300 * KIB);
		memset(blocks[(gone + 2) % 3], 1, 300 * KIB);
		assert_non_null(arena_alloc(&a, 300 * KIB));
		assert_null(arena_alloc(&a, 300 * KIB));
		arena_release(&a);
	}
}

/* Small pieces stay as they are. */
static void test_trim(void **state)
{
	struct arena a;
	void *small, *large, *beside;
	size_t small_cap = 50, large_cap = 300 * KIB;

	(void)state;
	arena_init(&a, MIB);
	small = arena_alloc(&a, 100);
	large = arena_alloc(&a, 600 * KIB);
	beside = arena_alloc(&a, 200 * KIB);
	assert_null(arena_alloc(&a, 300 * KIB));
	memset(large, 7, 600 * KIB);
	arena_trim(&a, &small, &small_cap, 25, 2);
	assert_int_equal(small_cap, 50);
	arena_trim(&a, &large, &large_cap, 300 * KIB, 2);
	arena_trim(&a, &large, &large_cap, 50, 2);
	assert_int_equal(large_cap, 300 * KIB);
	arena_trim(&a, &large, &large_cap, 100 * KIB, 2);
	assert_int_equal(large_cap, 100 * KIB);
	assert_int_equal(((char *)large)[200 * KIB - 1], 7);
	memset(beside, 1, 200 * KIB);
	assert_non_null(arena_alloc(&a, 300 * KIB));
	arena_release(&a);
}

/* What was handed over is counted by the other arena, and outlives the first;
 * what does not fit stays. */
static void test_hand_over(void **state)
{
	struct arena from, to;
	char *small, *large, *beside;
	void *none;

	(void)state;
	arena_init(&from, MIB);
	arena_init(&to, 400 * KIB);
	small = arena_alloc(&from, 100);
	beside = arena_alloc(&from, 300 * KIB);
	large = arena_alloc(&from, 300 * KIB);
	memset(small, 1, 100);
	memset(large, 2, 300 * KIB);
	memset(beside, 3, 300 * KIB);
	small = arena_hand_over(&from, &to, small, 100, 100, 1);
	large = arena_hand_over(&from, &to, large, 150 * KIB, 150 * KIB, 2);
	assert_null(
		arena_hand_over(&from, &to, beside, 150 * KIB, 100 * KIB, 2));
	assert_true(to.is_over_limit);
	none = arena_hand_over(&from, &to, NULL, 0, 0, 2);
	assert_non_null(none);
	assert_in_range(from.used_bytes, 200 * KIB, 210 * KIB);
	arena_release(&from);
	assert_int_equal(small[99], 1);
	assert_int_equal(large[300 * KIB - 1], 2);
	assert_in_range(to.used_bytes, 300 * KIB, 310 * KIB);
	arena_release(&to);
}

static void test_ceiling_below_one_block(void **state)
{
	struct arena a;
	struct error err;
	size_t given = 0;

	(void)state;
	arena_init(&a, 1000);
	while (arena_alloc(&a, 16))
		given += 16;
	assert_true(given > 800 && given <= 1000);
	arena_fail(&a, "it", &err);
	assert_contains(err.message, "1000 bytes");
	arena_release(&a);
	arena_init(&a, 0);
	assert_null(arena_alloc(&a, 1));
	assert_true(a.is_over_limit);
	arena_release(&a);
}

static void test_large_ceiling_is_exact(void **state)
{
	struct arena a;
	size_t header;

	(void)state;
	arena_init(&a, SIZE_MAX);
	assert_non_null(arena_alloc(&a, 100000));
	header = a.used_bytes - 100000;
	arena_release(&a);
	arena_init(&a, 100000 + header);
	assert_non_null(arena_alloc(&a, 100000));
	arena_release(&a);
	arena_init(&a, 100000 + header - 1);
	assert_null(arena_alloc(&a, 100000));
	assert_int_equal(a.used_bytes, 0);
	arena_release(&a);
}

static void test_sizes_that_overflow(void **state)
{
	struct arena a;
	void *items = NULL;
	size_t cap = 0;

	(void)state;
	arena_init(&a, SIZE_MAX);
	assert_null(arena_alloc(&a, SIZE_MAX));
	assert_null(arena_alloc(&a, SIZE_MAX - 8));
	assert_null(arena_array(&a, SIZE_MAX / 8 + 1, 8));
	assert_true(a.is_over_limit);
	assert_false(arena_reserve(&a, &items, &cap, SIZE_MAX, 1));
	assert_false(arena_reserve(&a, &items, &cap, SIZE_MAX / 16, 64));
	assert_null(items);
	assert_int_equal(cap, 0);
	arena_release(&a);
}

/* Grows through the border between shared and own blocks. */
static void test_grow_keeps_and_zeroes(void **state)
{
	struct arena a;
	unsigned char *p = NULL;
	size_t old = 0;

	(void)state;
	arena_init(&a, 64 * MIB);
	for (size_t size = 10; size < 4 * MIB; size *= 3) {
		p = arena_grow(&a, p, old, size);
		assert_non_null(p);
		for (size_t i = 0; i < old; i++)
			assert_int_equal(p[i], 0x5A);
		assert_true(is_zero(p + old, size - old));
		memset(p, 0x5A, size);
		old = size;
	}
	assert_ptr_equal(arena_grow(&a, p, old, old / 2), p);
	arena_release(&a);
}

static void test_grow_back_after_shrinking(void **state)
{
	struct arena a;
	unsigned char *p;

	(void)state;
	arena_init(&a, MIB);
	p = arena_alloc(&a, 100000);
	memset(p, 1, 100000);
	p = arena_grow(&a, p, 100000, 50000);
	p = arena_grow(&a, p, 50000, 80000);
	assert_non_null(p);
	assert_int_equal(p[49999], 1);
	assert_true(is_zero(p + 50000, 30000));
	p = arena_grow(&a, p, 80000, 200000);
	assert_non_null(p);
	assert_true(is_zero(p + 80000, 120000));
	arena_release(&a);
}

/* Several own blocks grow in turn, so that list links are rewritten in the
 * middle and at both ends. */
static void test_grow_of_linked_blocks(void **state)
{
	unsigned char *p[3];
	struct arena a;
	size_t size = 20000;

	(void)state;
	arena_init(&a, 64 * MIB);
	for (size_t i = 0; i < 3; i++) {
		p[i] = arena_alloc(&a, size);
		memset(p[i], (int)i + 1, size);
	}
	for (; size < MIB; size *= 2) {
		for (size_t i = 0; i < 3; i++) {
			p[i] = arena_grow(&a, p[i], size, size * 2);
			assert_non_null(p[i]);
			memset(p[i] + size, (int)i + 1, size);
		}
	}
	for (size_t i = 0; i < 3; i++)
		for (size_t k = 0; k < size; k++)
			assert_int_equal(p[i][k], i + 1);
	arena_release(&a);
}

static void test_reserve_doubles(void **state)
{
	struct arena a;
	void *items = NULL;
	size_t cap = 0;

	(void)state;
	arena_init(&a, MIB);
	assert_true(arena_reserve(&a, &items, &cap, 1, 8));
	assert_int_equal(cap, 16);
	((uint64_t *)items)[15] = 7;
	assert_true(arena_reserve(&a, &items, &cap, 16, 8));
	assert_int_equal(cap, 16);
	assert_true(arena_reserve(&a, &items, &cap, 17, 8));
	assert_int_equal(cap, 32);
	assert_int_equal(((uint64_t *)items)[15], 7);
	assert_false(arena_reserve(&a, &items, &cap, MIB, 8));
	assert_int_equal(cap, 32);
	/* Twice as much would not fit. */
	assert_true(arena_reserve(&a, &items, &cap, 70000, 8));
	assert_int_equal(cap, 70000);
	assert_int_equal(((uint64_t *)items)[15], 7);
	arena_release(&a);
}

static void test_reserve_exactly(void **state)
{
	struct arena a;
	void *items = NULL;
	size_t cap = 0;

	(void)state;
	arena_init(&a, MIB);
	assert_true(arena_reserve_exactly(&a, &items, &cap, 0, 8));
	assert_null(items);
	assert_true(arena_reserve_exactly(&a, &items, &cap, 5, 8));
	assert_int_equal(cap, 5);
	((uint64_t *)items)[4] = 7;
	assert_true(arena_reserve_exactly(&a, &items, &cap, 4, 8));
	assert_int_equal(cap, 5);
	assert_true(arena_reserve_exactly(&a, &items, &cap, 3000, 8));
	assert_int_equal(cap, 3000);
	assert_false(arena_reserve_exactly(&a, &items, &cap, MIB, 8));
	assert_false(arena_reserve_exactly(&a, &items, &cap, SIZE_MAX / 8, 8));
	assert_int_equal(cap, 3000);
	assert_true(arena_reserve(&a, &items, &cap, 3001, 8));
	assert_int_equal(cap, 6000);
	assert_int_equal(((uint64_t *)items)[4], 7);
	arena_release(&a);
}

static void test_text(void **state)
{
	struct arena a;
	struct str s;

	(void)state;
	arena_init(&a, MIB);
	s = arena_str(&a, (struct str){ "a\0b", 3 });
	assert_int_equal(s.len, 3);
	assert_memory_equal(s.ptr, "a\0b\0", 4);
	s = arena_str(&a, (struct str){ NULL, 0 });
	assert_text(s, "");
	assert_int_equal(s.ptr[0], 0);
	s = arena_printf(&a, "%s-%d", "x", 42);
	assert_text(s, "x-42");
	assert_int_equal(s.ptr[4], 0);
	arena_release(&a);
}

static void test_starved(void **state)
{
	struct arena a;
	struct error err;
	unsigned char *p;
	void *items = NULL;
	size_t cap = 0;

	(void)state;
	arena_init(&a, MIB);
	p = arena_alloc(&a, 20000);
	p[19999] = 9;
	starve_once_after(0);
	assert_null(arena_alloc(&a, 16));
	starve_once_after(0);
	assert_null(arena_grow(&a, p, 20000, 90000));
	starve_once_after(0);
	assert_false(arena_reserve(&a, &items, &cap, 1, 8));
	starve_once_after(0);
	assert_null(arena_str(&a, STR("x")).ptr);
	starve_once_after(0);
	assert_null(arena_printf(&a, "x").ptr);
	assert_true(stop_starving());
	assert_false(a.is_over_limit);
	arena_fail(&a, "the trace", &err);
	assert_int_equal(err.code, ERROR_MEMORY);
	assert_string_equal(err.message, "out of memory for the trace");
	assert_int_equal(p[19999], 9);
	p = arena_grow(&a, p, 20000, 90000);
	assert_non_null(p);
	assert_int_equal(p[19999], 9);
	arena_release(&a);
}

static void test_wipe(void **state)
{
	struct arena a;
	char *small, *large;

	(void)state;
	arena_init(&a, MIB);
	small = arena_alloc(&a, 10);
	large = arena_alloc(&a, 100000);
	memset(small, 'x', 10);
	memset(large, 'x', 100000);
	arena_wipe(&a);
	for (size_t i = 0; i < 10; i++)
		assert_int_equal(small[i], 0);
	for (size_t i = 0; i < 100000; i++)
		assert_int_equal(large[i], 0);
	arena_release(&a);
}

UNIT_TESTS(arena)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alloc_is_zeroed_and_aligned),
		cmocka_unit_test(test_allocations_do_not_overlap),
		cmocka_unit_test(test_ceiling),
		cmocka_unit_test(test_blocks_grow),
		cmocka_unit_test(test_drop),
		cmocka_unit_test(test_trim),
		cmocka_unit_test(test_hand_over),
		cmocka_unit_test(test_ceiling_below_one_block),
		cmocka_unit_test(test_large_ceiling_is_exact),
		cmocka_unit_test(test_sizes_that_overflow),
		cmocka_unit_test(test_grow_keeps_and_zeroes),
		cmocka_unit_test(test_grow_back_after_shrinking),
		cmocka_unit_test(test_grow_of_linked_blocks),
		cmocka_unit_test(test_reserve_doubles),
		cmocka_unit_test(test_reserve_exactly),
		cmocka_unit_test(test_wipe),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_starved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
