/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/limits.h"
#include "model/stack_tree.h"

static uint32_t child(struct stack_tree *t, uint32_t parent, uint32_t frame)
{
	uint32_t node;

	assert_true(stack_tree_child(t, parent, frame, &node));
	assert_int_equal(t->nodes[node].parent, parent);
	assert_int_equal(t->nodes[node].frame, frame);
	return node;
}

/* More than are walked, in several orders. */
static void test_children_are_found_again(void **state)
{
	enum { MANY = 3000 };
	uint32_t nodes[MANY];
	struct arena arena;
	struct stack_tree t;

	(void)state;
	arena_init(&arena, 64 * MIB);
	assert_true(stack_tree_init(&t, &arena));
	for (uint32_t i = 0; i < MANY; i++)
		nodes[i] = child(&t, 0, i);
	for (uint32_t i = MANY; i-- > 0;)
		assert_int_equal(child(&t, 0, i), nodes[i]);
	for (uint32_t i = 0; i < MANY; i++)
		assert_int_equal(child(&t, 0, i * 7 % MANY),
				 nodes[i * 7 % MANY]);
	assert_int_equal(t.count, MANY + 1);
	assert_int_not_equal(child(&t, nodes[0], 5), nodes[5]);
	assert_int_equal(t.count, MANY + 2);
	arena_release(&arena);
}

/* Frames 0 to 7 have the places 7 to 0; 8 has none and leaves. */
static void test_order(void **state)
{
	uint32_t place[9] = { 7, 6, 5, 4, 3, 2, 1, 0, UINT32_MAX };
	uint32_t frames[16], depths[16], count = 0, depth = 0;
	struct arena arena;
	struct stack_tree t;

	(void)state;
	arena_init(&arena, MIB);
	assert_true(stack_tree_init(&t, &arena));
	for (uint32_t i = 0; i < 9; i++)
		child(&t, 0, i);
	child(&t, child(&t, 0, 3), 0);
	child(&t, child(&t, 0, 3), 1);
	child(&t, child(&t, 0, 8), 1);
	assert_true(stack_tree_order(&t, place, 8));
	for (uint32_t i = 0; (i = stack_tree_next(&t, i, &depth));) {
		frames[count] = t.nodes[i].frame;
		depths[count++] = depth;
	}
	assert_int_equal(count, 10);
	assert_memory_equal(frames,
			    ((uint32_t[]){ 7, 6, 5, 4, 3, 1, 0, 2, 1, 0 }),
			    10 * sizeof *frames);
	assert_memory_equal(depths,
			    ((uint32_t[]){ 1, 1, 1, 1, 1, 2, 2, 1, 1, 1 }),
			    10 * sizeof *depths);
	arena_release(&arena);
}

static void test_an_empty_tree(void **state)
{
	struct arena arena;
	struct stack_tree t;
	uint32_t depth = 0;

	(void)state;
	arena_init(&arena, MIB);
	assert_true(stack_tree_init(&t, &arena));
	assert_true(stack_tree_order(&t, NULL, 0));
	assert_int_equal(stack_tree_next(&t, 0, &depth), STACK_TREE_NONE);
	assert_int_equal(depth, 0);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_children_are_found_again),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_an_empty_tree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
