/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "../unit.h"
#include "base/limits.h"
#include "model/profile.h"

static struct stack_place child(struct stack_tree *t, struct stack_place parent,
				uint32_t frame)
{
	struct stack_place places[2] = { parent };

	assert_true(stack_tree_walk(t, &frame, 1, places));
	assert_int_equal(t->nodes[places[1].node].parent, parent.node);
	assert_int_equal(t->nodes[places[1].node].frame, frame);
	return places[1];
}

static const struct stack_place root = { 0 };

static void test_children_are_found_again(void **state)
{
	enum { MANY = 3000 };
	struct stack_place places[MANY];
	struct arena arena;
	struct stack_tree t;

	(void)state;
	arena_init(&arena, 64 * MIB);
	assert_true(stack_tree_init(&t, &arena));
	for (uint32_t i = 0; i < MANY; i++)
		places[i] = child(&t, root, i);
	for (uint32_t i = MANY; i-- > 0;)
		assert_int_equal(child(&t, root, i).node, places[i].node);
	assert_int_equal(t.count, MANY + 1);
	assert_int_not_equal(child(&t, places[0], 5).node, places[5].node);
	assert_int_equal(t.count, MANY + 2);
	arena_release(&arena);
}

/* The same frames in another order, and more than once, lead elsewhere. */
static void test_whole_stacks(void **state)
{
	static const uint32_t stacks[][4] = {
		{ 0, 1, 2, 2 }, { 0, 1, 2, 0 }, { 2, 1, 0, 2 }, { 0, 0, 0, 0 }
	};
	struct stack_place places[4][5] = { 0 };
	struct arena arena;
	struct stack_tree t;

	(void)state;
	arena_init(&arena, MIB);
	assert_true(stack_tree_init(&t, &arena));
	for (int again = 0; again < 2; again++)
		for (int i = 0; i < 4; i++)
			assert_true(
				stack_tree_walk(&t, stacks[i], 4, places[i]));
	assert_int_equal(t.count, 1 + 4 + 1 + 4 + 3);
	assert_int_equal(places[1][3].node, places[0][3].node);
	assert_int_equal(places[3][1].node, places[0][1].node);
	assert_int_equal(child(&t, places[0][3], 0).node, places[1][4].node);
	assert_true(stack_tree_walk(&t, NULL, 0, places[0]));
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
		child(&t, root, i);
	child(&t, child(&t, root, 3), 0);
	child(&t, child(&t, root, 3), 1);
	child(&t, child(&t, root, 8), 1);
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

UNIT_TESTS(stack_tree)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_children_are_found_again),
		cmocka_unit_test(test_whole_stacks),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_an_empty_tree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
