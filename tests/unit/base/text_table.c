/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "../unit.h"
#include "base/limits.h"
#include "base/map.h"

#define MANY 20000u

static struct str name_of(unsigned i, char text[32])
{
	return (struct str){ text, (size_t)snprintf(text, 32, "name%u", i) };
}

static void start(struct text_table *t, struct arena *arena)
{
	arena_init(arena, 4 * MIB);
	text_table_init(t, arena);
}

static uint32_t find(const struct text_table *t, struct str name)
{
	uint32_t number = text_table_find(t, name, text_table_hash(t, name));

	if (number != TEXT_NONE)
		assert_true(str_equal(t->texts[number], name));
	return number;
}

static void find_all(const struct text_table *t, struct text_ref *refs,
		     size_t count)
{
	for (size_t i = 0; i < count; i++)
		refs[i].hash = text_table_hash(t, refs[i].text);
	text_table_find_all(t, refs, count);
}

static uint32_t add(struct text_table *t, struct str name)
{
	return text_table_add(t, name, text_table_hash(t, name));
}

static void test_names_are_found_again(void **state)
{
	struct arena arena;
	struct text_table t;
	char text[32];

	(void)state;
	start(&t, &arena);
	assert_int_equal(find(&t, STR("name0")), TEXT_NONE);
	for (unsigned i = 0; i < MANY; i++) {
		struct str name = arena_str(&arena, name_of(i, text));

		assert_int_equal(find(&t, name), TEXT_NONE);
		assert_int_equal(add(&t, name), i);
	}
	for (unsigned i = 0; i < MANY; i++)
		assert_int_equal(find(&t, name_of(i, text)), i);
	assert_int_equal(find(&t, STR("name")), TEXT_NONE);
	assert_int_equal(find(&t, STR("")), TEXT_NONE);
	assert_int_equal(add(&t, STR("")), MANY);
	assert_int_equal(find(&t, STR("")), MANY);
	arena_release(&arena);
}

/* As one by one: known names and others, the longest first, two of them the
 * same. */
static void test_names_side_by_side(void **state)
{
	enum { COUNT = 100 };
	struct text_ref refs[COUNT];
	struct arena arena;
	struct text_table t;
	char text[32];

	(void)state;
	start(&t, &arena);
	for (unsigned i = 0; i < COUNT; i++)
		refs[i].text = arena_str(&arena, name_of(i ^ 64, text));
	find_all(&t, refs, COUNT);
	for (unsigned i = 0; i < COUNT; i++)
		assert_int_equal(refs[i].number, TEXT_NONE);
	for (unsigned i = 0; i < COUNT; i += 2)
		assert_int_equal(add(&t, refs[i].text), i / 2);
	refs[1].text = refs[98].text;
	find_all(&t, refs, COUNT);
	assert_int_equal(refs[1].number, 49);
	for (unsigned i = 2; i < COUNT; i++) {
		uint32_t number = i % 2 ? TEXT_NONE : i / 2;

		assert_int_equal(find(&t, refs[i].text), number);
		assert_int_equal(refs[i].number, number);
	}
	find_all(&t, refs, 0);
	arena_release(&arena);
}

/* Of one hash they are still told apart. */
static void test_names_of_one_hash(void **state)
{
	struct text_ref refs[] = { { .text = STR("b") }, { .text = STR("a") } };
	struct arena arena;
	struct text_table t;

	(void)state;
	start(&t, &arena);
	assert_int_equal(
		text_table_add(&t, STR("a"), text_table_hash(&t, STR("b"))), 0);
	assert_int_equal(add(&t, STR("b")), 1);
	find_all(&t, refs, 2);
	assert_int_equal(refs[0].number, 1);
	assert_int_equal(refs[1].number, TEXT_NONE);
	arena_release(&arena);
}

/* Every length on both sides of those that are hashed otherwise; and one byte
 * more, or another one anywhere, is another hash. */
static void test_hashes(void **state)
{
	char text[TEXT_HASHED_BYTES + 9] = { 0 };
	struct arena arena;
	struct text_table t;

	(void)state;
	start(&t, &arena);
	for (size_t len = 0; len + 1 < sizeof text; len++) {
		struct str name = { text, len };
		uint32_t hash = text_table_hash(&t, name);

		assert_true(hash == text_table_hash(&t, name));
		for (size_t i = 0; i < len; i++) {
			text[i] = 1;
			assert_true(hash != text_table_hash(&t, name));
			text[i] = 0;
		}
		name.len++;
		assert_true(hash != text_table_hash(&t, name));
	}
	arena_release(&arena);
}

/* Reserved or not, numbers are the same, and room is made once. */
static void test_reserved(void **state)
{
	struct arena arena;
	struct text_table t;
	const struct text_slot *slots;
	const struct str *texts;
	char text[32];

	(void)state;
	start(&t, &arena);
	assert_int_equal(add(&t, STR("a")), 0);
	assert_true(text_table_reserve(&t, 1000));
	slots = t.slots;
	texts = t.texts;
	for (unsigned i = 0; i < 1000; i++)
		assert_int_equal(add(&t, arena_str(&arena, name_of(i, text))),
				 i + 1);
	assert_ptr_equal(t.slots, slots);
	assert_ptr_equal(t.texts, texts);
	assert_int_equal(find(&t, STR("a")), 0);
	assert_false(text_table_reserve(&t, MIB));
	assert_int_equal(find(&t, STR("name999")), 1000);
	arena_release(&arena);
}

/* Without slots all is found, one by one or side by side, and added. */
static void test_settled(void **state)
{
	struct text_ref refs[] = { { .text = STR("b") }, { .text = STR("x") } };
	struct arena arena;
	struct text_table t;

	(void)state;
	start(&t, &arena);
	assert_int_equal(add(&t, STR("a")), 0);
	assert_int_equal(add(&t, STR("b")), 1);
	text_table_settle(&t);
	assert_null(t.slots);
	assert_int_equal(find(&t, STR("a")), 0);
	assert_int_equal(find(&t, STR("c")), TEXT_NONE);
	assert_int_equal(add(&t, STR("c")), 2);
	assert_int_equal(find(&t, STR("c")), 2);
	find_all(&t, refs, 2);
	assert_int_equal(refs[0].number, 1);
	assert_int_equal(refs[1].number, TEXT_NONE);
	arena_release(&arena);
}

static void test_memory_runs_out(void **state)
{
	struct arena arena;
	struct text_table t;

	(void)state;
	arena_init(&arena, 100);
	text_table_init(&t, &arena);
	assert_int_equal(text_table_add(&t, STR("a"), 1), TEXT_NONE);
	assert_true(arena.is_over_limit);
	arena_release(&arena);
}

UNIT_TESTS(text_table)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_are_found_again),
		cmocka_unit_test(test_names_side_by_side),
		cmocka_unit_test(test_names_of_one_hash),
		cmocka_unit_test(test_reserved),
		cmocka_unit_test(test_settled),
		cmocka_unit_test(test_hashes),
		cmocka_unit_test(test_memory_runs_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
