/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "testing.h"

#include "base/map.h"

#define KEYS 100000u

static void test_empty(void **state)
{
	struct arena a;
	struct map m;

	(void)state;
	arena_init(&a, MIB);
	map_init(&m, &a);
	assert_int_equal(map_find(&m, STR("x")), MAP_NONE);
	assert_int_equal(map_find_u64(&m, 0), MAP_NONE);
	assert_int_equal(a.used_bytes, 0);
	arena_release(&a);
}

static void test_odd_keys(void **state)
{
	struct arena a;
	struct map m;
	uint32_t value;

	(void)state;
	arena_init(&a, MIB);
	map_init(&m, &a);
	assert_true(map_insert(&m, (struct str){ NULL, 0 }, 0, &value));
	assert_int_equal(value, 0);
	assert_true(map_insert(&m, STR("a\0b"), 1, &value));
	assert_true(map_insert(&m, STR("a\0c"), 2, &value));
	assert_true(map_insert(&m, STR("a"), MAP_NONE - 1, &value));
	assert_true(map_insert(&m, STR("a\0b"), 9, &value));
	assert_int_equal(value, 1);
	assert_int_equal(map_find(&m, STR("")), 0);
	assert_int_equal(map_find(&m, STR("a\0b")), 1);
	assert_int_equal(map_find(&m, STR("a\0c")), 2);
	assert_int_equal(map_find(&m, STR("a")), MAP_NONE - 1);
	assert_int_equal(map_find(&m, STR("a\0")), MAP_NONE);
	assert_int_equal(m.count, 4);
	arena_release(&a);
}

static void test_many_texts(void **state)
{
	struct arena a;
	struct map m;
	uint32_t value;

	(void)state;
	arena_init(&a, 64 * MIB);
	map_init(&m, &a);
	for (uint32_t i = 0; i < KEYS; i++) {
		struct str key = arena_printf(&a, "key %u", i);

		assert_non_null(key.ptr);
		assert_true(map_insert(&m, key, i, &value));
		assert_int_equal(value, i);
	}
	assert_int_equal(m.count, KEYS);
	for (uint32_t i = 0; i < KEYS + 1000; i++) {
		char text[32];

		snprintf(text, sizeof text, "key %u", i);
		assert_int_equal(map_find(&m, str_from(text)),
				 i < KEYS ? i : MAP_NONE);
	}
	arena_release(&a);
}

static void test_many_numbers(void **state)
{
	struct arena a;
	struct map m;
	uint32_t value;

	(void)state;
	arena_init(&a, 64 * MIB);
	map_init(&m, &a);
	for (uint32_t i = 0; i < KEYS; i++)
		assert_true(map_insert_u64(&m, (uint64_t)i << 32, i, &value));
	for (uint32_t i = 0; i < KEYS; i++) {
		assert_int_equal(map_find_u64(&m, (uint64_t)i << 32), i);
		assert_int_equal(map_find_u64(&m, ((uint64_t)i << 32) + 1),
				 MAP_NONE);
	}
	assert_true(map_insert_u64(&m, UINT64_MAX, 5, &value));
	assert_int_equal(map_find_u64(&m, UINT64_MAX), 5);
	arena_release(&a);
}

static void test_starved_growth_leaves_the_map_whole(void **state)
{
	struct arena a;
	struct map m;
	uint32_t value = 0;
	uint64_t i = 0;

	(void)state;
	arena_init(&a, 20000);
	map_init(&m, &a);
	while (map_insert_u64(&m, i, (uint32_t)i, &value))
		i++;
	assert_true(i > 64 && i < 1000);
	assert_true(a.is_over_limit);
	for (uint64_t k = 0; k < i; k++)
		assert_int_equal(map_find_u64(&m, k), k);
	arena_release(&a);
	arena_init(&a, MIB);
	map_init(&m, &a);
	starve_once_after(0);
	assert_false(map_insert(&m, STR("x"), 1, &value));
	assert_true(stop_starving());
	assert_true(map_insert(&m, STR("x"), 1, &value));
	arena_release(&a);
}

static void test_hash(void **state)
{
	unsigned char bytes[64] = { 0 };
	uint64_t seen[64];

	(void)state;
	/* Every length of the same zero bytes hashes apart. */
	for (size_t len = 0; len < 64; len++) {
		seen[len] = hash_bytes(bytes, len);
		assert_true(seen[len] == hash_bytes(bytes, len));
		for (size_t k = 0; k < len; k++)
			assert_true(seen[k] != seen[len]);
	}
	for (size_t bit = 0; bit < 512; bit++) {
		bytes[bit / 8] = (unsigned char)(1u << bit % 8);
		assert_true(hash_bytes(bytes, 63) != seen[63] || bit >= 504);
		bytes[bit / 8] = 0;
	}
}

/* The table grows between the two steps. */
static void test_approach(void **state)
{
	uint32_t hashes[KEYS / 100];
	struct arena a;
	struct map m;
	uint32_t value;

	(void)state;
	arena_init(&a, MIB);
	map_init(&m, &a);
	for (uint32_t i = 0; i < KEYS / 100; i++)
		hashes[i] = map_approach_u64(&m, i);
	for (uint32_t i = 0; i < KEYS / 100; i++) {
		assert_true(map_insert_near_u64(&m, i, hashes[i], i, &value));
		assert_int_equal(value, i);
		assert_int_equal(map_approach_u64(&m, i), hashes[i]);
	}
	for (uint32_t i = 0; i < KEYS / 100; i++)
		assert_int_equal(map_find_u64(&m, i), i);
	assert_true(map_insert_near_u64(&m, 7, hashes[7], 70, &value));
	assert_int_equal(value, 7);
	arena_release(&a);
}

UNIT_TESTS(map)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_odd_keys),
		cmocka_unit_test(test_many_texts),
		cmocka_unit_test(test_many_numbers),
		cmocka_unit_test(test_starved_growth_leaves_the_map_whole),
		cmocka_unit_test(test_hash),
		cmocka_unit_test(test_approach),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
