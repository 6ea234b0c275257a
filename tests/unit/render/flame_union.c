/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "render/flame.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/num.h"

#define CLOSE 1e-9

/* all 10 > a > { b 6, gone }, c 4; before, which counts twice: b 1, gone 4. */
static struct flame_node nodes[] = {
	{ .parent = FLAME_NONE, .end = 5 },
	{ .parent = 0, .depth = 1, .end = 4 },
	{ .parent = 1, .depth = 2, .end = 3, .values = { { 6, 6 }, { 1, 1 } } },
	{ .parent = 1, .depth = 2, .end = 4, .values = { { 0, 0 }, { 4, 4 } } },
	{ .parent = 0, .depth = 1, .end = 5, .values = { { 4, 4 }, { 0, 0 } } },
};

static void test_larger_side(void **state)
{
	static const double widths[] = { 18, 14, 6, 8, 4 };
	static const double starts[] = { 0, 0, 0, 6, 14 };
	const struct flame f = { .nodes = nodes,
				 .node_count = COUNT_OF(nodes),
				 .has_baseline = true,
				 .baseline_scale = 2 };
	struct flame_union u;

	(void)state;
	assert_true(flame_union_init(&u, &f));
	for (size_t i = 0; i < COUNT_OF(nodes); i++) {
		assert_float_equal(u.widths[i], widths[i] / 18, CLOSE);
		assert_float_equal(u.starts[i], starts[i] / 18, CLOSE);
	}
	flame_union_release(&u);
}

static void test_nothing(void **state)
{
	struct flame_node root = { .parent = FLAME_NONE, .end = 1 };
	const struct flame f = { .nodes = &root,
				 .node_count = 1,
				 .baseline_scale = 1 };
	struct flame_union u;

	(void)state;
	assert_true(flame_union_init(&u, &f));
	assert_float_equal(u.widths[0], 0, CLOSE);
	flame_union_release(&u);
}

UNIT_TESTS(flame_union)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_larger_side),
		cmocka_unit_test(test_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
