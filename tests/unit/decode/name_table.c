/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/limits.h"
#include "decode/name_table.h"

#define MANY 20000u

static struct str name_of(unsigned i, char text[32])
{
	return (struct str){ text, (size_t)snprintf(text, 32, "name%u", i) };
}

#define NAME_NONE UINT32_MAX

static uint32_t find(const struct name_table *t, struct str name)
{
	const struct name_item *item =
		name_table_find(t, name, hash_bytes(name.ptr, name.len));

	if (!item)
		return NAME_NONE;
	assert_true(str_equal(item->name, name));
	return item->frame;
}

static void test_names_are_found_again(void **state)
{
	struct arena arena;
	struct name_table t;
	char text[32];

	(void)state;
	arena_init(&arena, 64 * MIB);
	name_table_init(&t, &arena);
	assert_int_equal(find(&t, STR("name0")), NAME_NONE);
	for (unsigned i = 0; i < MANY; i++) {
		struct str name = arena_str(&arena, name_of(i, text));

		assert_int_equal(find(&t, name), NAME_NONE);
		assert_non_null(name_table_add(
			&t, name, hash_bytes(name.ptr, name.len), MANY - i));
	}
	for (unsigned i = 0; i < MANY; i++)
		assert_int_equal(find(&t, name_of(i, text)), MANY - i);
	assert_int_equal(find(&t, STR("name")), NAME_NONE);
	assert_int_equal(find(&t, STR("")), NAME_NONE);
	assert_non_null(name_table_add(&t, STR(""), hash_bytes("", 0), 7));
	assert_int_equal(find(&t, STR("")), 7);
	arena_release(&arena);
}

static void test_memory_runs_out(void **state)
{
	struct arena arena;
	struct name_table t;

	(void)state;
	arena_init(&arena, 100);
	name_table_init(&t, &arena);
	assert_null(name_table_add(&t, STR("a"), 1, 1));
	assert_true(arena.is_over_limit);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_are_found_again),
		cmocka_unit_test(test_memory_runs_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
