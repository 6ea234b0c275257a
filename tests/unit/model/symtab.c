/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "../unit.h"
#include "../starving.h"
#include "model/symtab.h"

static struct error err;

static uint32_t add(struct symtab *t, struct str text)
{
	uint32_t id;

	assert_true(symtab_add(t, text, &id, &err));
	return id;
}

static void test_equal_text_has_one_id(void **state)
{
	struct arena arena;
	struct symtab t;

	(void)state;
	arena_init(&arena, MIB);
	assert_true(symtab_init(&t, &arena, &err));
	assert_int_equal(add(&t, STR("")), 0);
	assert_int_equal(add(&t, (struct str){ NULL, 0 }), 0);
	assert_int_equal(add(&t, STR("web")), 1);
	assert_int_equal(add(&t, STR("cart")), 2);
	assert_int_equal(add(&t, STR("web")), 1);
	assert_int_equal(symtab_count(&t), 3);
	assert_int_equal(symtab_find(&t, STR("cart")), 2);
	assert_int_equal(symtab_find(&t, STR("car")), TEXT_NONE);
	assert_int_equal(symtab_find(&t, STR("")), 0);
	arena_release(&arena);
}

static void test_text_is_copied_with_its_nul_bytes(void **state)
{
	char text[] = { 'a', '\0', 'b' };
	struct arena arena;
	struct symtab t;
	uint32_t id;

	(void)state;
	arena_init(&arena, MIB);
	assert_true(symtab_init(&t, &arena, &err));
	id = add(&t, (struct str){ text, 3 });
	assert_int_not_equal(id, add(&t, STR("a")));
	text[2] = 'x';
	assert_int_equal(symtab_text(&t, id).len, 3);
	assert_int_equal(symtab_text(&t, id).ptr[2], 'b');
	assert_int_equal(symtab_text(&t, id).ptr[3], '\0');
	arena_release(&arena);
}

static void test_many_ids_stay_put(void **state)
{
	struct arena arena;
	struct symtab t;
	char text[16];

	(void)state;
	arena_init(&arena, 64 * MIB);
	assert_true(symtab_init(&t, &arena, &err));
	for (unsigned i = 1; i <= 50000; i++) {
		snprintf(text, sizeof text, "name %u", i);
		assert_int_equal(add(&t, str_from(text)), i);
	}
	for (unsigned i = 1; i <= 50000; i += 997) {
		snprintf(text, sizeof text, "name %u", i);
		assert_int_equal(symtab_find(&t, str_from(text)), i);
		assert_true(str_equal(symtab_text(&t, i), str_from(text)));
	}
	arena_release(&arena);
}

static void test_ceiling_is_told(void **state)
{
	struct arena arena;
	struct symtab t;
	char text[16];
	uint32_t id;
	unsigned i = 0;

	(void)state;
	arena_init(&arena, MIB);
	assert_true(symtab_init(&t, &arena, &err));
	do
		snprintf(text, sizeof text, "name %u", i++);
	while (symtab_add(&t, str_from(text), &id, &err));
	assert_int_equal(err.code, ERROR_LIMIT);
	assert_int_equal(symtab_find(&t, STR("name 0")), 1);
	arena_release(&arena);
}

static void test_out_of_memory_is_told(void **state)
{
	struct arena arena;
	struct symtab t;

	(void)state;
	for (int n = 0; n < 2; n++) {
		arena_init(&arena, MIB);
		starve_after(n);
		if (!symtab_init(&t, &arena, &err))
			assert_int_equal(err.code, ERROR_MEMORY);
		else
			assert_true(n > 0);
		arena_release(&arena);
	}
	stop_starving();
}

static void test_settled(void **state)
{
	struct arena arena;
	struct symtab t;
	uint32_t id;

	(void)state;
	arena_init(&arena, MIB);
	assert_true(symtab_init(&t, &arena, &err));
	assert_true(symtab_add(&t, STR("a"), &id, &err));
	assert_true(symtab_add(&t, STR("b"), &id, &err));
	symtab_settle(&t);
	assert_int_equal(symtab_find(&t, STR("a")), 1);
	assert_int_equal(symtab_find(&t, STR("b")), 2);
	assert_int_equal(symtab_find(&t, STR("")), 0);
	assert_int_equal(symtab_find(&t, STR("c")), TEXT_NONE);
	assert_true(symtab_add(&t, STR("b"), &id, &err));
	assert_int_equal(id, 2);
	assert_true(symtab_add(&t, STR("c"), &id, &err));
	assert_int_equal(id, 3);
	assert_int_equal(symtab_find(&t, STR("c")), 3);
	assert_int_equal(symtab_count(&t), 4);
	arena_release(&arena);
}

/* Of `count` texts every third is known, and two are the same. */
static void expect_added(size_t count, bool is_settled)
{
	struct arena arena;
	struct symtab from, to;
	uint32_t ids[100];
	char text[32];

	arena_init(&arena, MIB);
	assert_true(symtab_init(&from, &arena, &err));
	assert_true(symtab_init(&to, &arena, &err));
	for (size_t i = 1; i < count; i++) {
		int len = snprintf(text, sizeof text, "text %zu", i);
		struct str name = { text, (size_t)len };

		assert_int_equal(add(&from, name), i);
		if (i % 3 == 0)
			add(&to, name);
	}
	if (is_settled)
		symtab_settle(&to);
	assert_true(symtab_add_all(&to, &from, ids, &err));
	assert_int_equal(symtab_count(&to), count);
	for (size_t i = 0; i < count; i++)
		assert_true(str_equal(symtab_text(&to, ids[i]),
				      symtab_text(&from, (uint32_t)i)));
	arena_release(&arena);
}

static void test_all_of_another(void **state)
{
	(void)state;
	for (size_t count = 1; count < 60; count++) {
		expect_added(count, false);
		expect_added(count, true);
	}
}

static void test_nothing_of_another(void **state)
{
	struct symtab none = { 0 }, t;
	struct arena arena;
	uint32_t id = 7;

	(void)state;
	arena_init(&arena, MIB);
	assert_true(symtab_init(&t, &arena, &err));
	assert_true(symtab_add_all(&t, &none, &id, &err));
	assert_int_equal(symtab_count(&t), 1);
	assert_int_equal(id, 7);
	arena_release(&arena);
}

UNIT_TESTS(symtab)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_settled),
		cmocka_unit_test(test_all_of_another),
		cmocka_unit_test(test_nothing_of_another),
		cmocka_unit_test(test_equal_text_has_one_id),
		cmocka_unit_test(test_text_is_copied_with_its_nul_bytes),
		cmocka_unit_test(test_many_ids_stay_put),
		cmocka_unit_test(test_ceiling_is_told),
		cmocka_unit_test(test_out_of_memory_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
