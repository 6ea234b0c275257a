/* SPDX-License-Identifier: Apache-2.0
 *
 * Frames in columns, worked by hand: edges, narrow siblings, zoom, depth.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../unit.h"
#include "../starving.h"
#include "base/num.h"
#include "render/flame.h"
#include "support.h"

#define NODES 256

/* A node for each value; those of equal depth below the last of less. */
struct tree {
	struct flame flame;
	struct flame_node nodes[NODES];
	struct flame_function functions[1];
};

static void tree_init(struct tree *t, const int depths[], const int totals[],
		      uint32_t count)
{
	*t = (struct tree){ .flame = { .functions = t->functions,
				       .function_count = 1,
				       .nodes = t->nodes,
				       .node_count = count } };
	for (uint32_t i = 0; i < count; i++) {
		struct flame_node *n = &t->nodes[i];
		uint32_t parent = i, end = i + 1;

		while (parent != FLAME_NONE && depths[parent] >= depths[i])
			parent = parent ? parent - 1 : FLAME_NONE;
		while (end < count && depths[end] > depths[i])
			end++;
		*n = (struct flame_node){ .parent = parent,
					  .depth = (uint32_t)depths[i],
					  .end = end };
		n->values[FLAME_SLOW].self = totals[i];
		if (i)
			t->nodes[parent].values[FLAME_SLOW].self -= totals[i];
		if (n->depth > t->flame.depth)
			t->flame.depth = n->depth;
	}
}

static void grid_of(const struct tree *t, struct flame_view view,
		    struct flame_grid *g)
{
	struct flame_union places;

	assert_true(flame_union_init(&places, &t->flame));
	view.f = &t->flame;
	view.places = &places;
	if (!view.rows)
		view.rows = 100;
	assert_true(flame_grid_init(g, &view));
	flame_union_release(&places);
}

static void check_bar(const struct flame_grid *g, size_t i, uint32_t node,
		      uint32_t count, uint32_t column, uint32_t columns)
{
	assert_true(i < g->bar_count);
	assert_int_equal(g->bars[i].node, node);
	assert_int_equal(g->bars[i].count, count);
	assert_int_equal(g->bars[i].column, column);
	assert_int_equal(g->bars[i].columns, columns);
}

/* 100 in ten columns: 55 ends at 5.5, which is 6; 44 from there at 9.9. */
static void test_edges(void **state)
{
	static const int depths[] = { 0, 1, 2, 1 };
	static const int totals[] = { 100, 55, 14, 44 };
	struct tree t;
	struct flame_grid g;

	(void)state;
	tree_init(&t, depths, totals, COUNT_OF(depths));
	grid_of(&t, (struct flame_view){ .columns = 10 }, &g);
	assert_int_equal(g.row_count, 3);
	assert_int_equal(g.bar_count, 4);
	check_bar(&g, g.row_starts[0], 0, 1, 0, 10);
	check_bar(&g, g.row_starts[1], 1, 1, 0, 6);
	check_bar(&g, g.row_starts[1] + 1, 3, 1, 6, 4);
	check_bar(&g, g.row_starts[2], 2, 1, 0, 1);
	assert_int_equal(g.row_starts[3], 4);
	assert_int_equal(g.hidden_rows, 0);
	flame_grid_release(&g);
}

/* Eight of 4 each are a stretch of three columns, 0 to 3.2; a wide one ends
 * it, to 6.2; one of 4 behind that would be a column, to 6.6, and is left out;
 * what is beneath narrow ones is, too. */
static void test_narrow(void **state)
{
	static const int depths[] = { 0, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 2, 1 };
	static const int totals[] = {
		100, 4, 4, 4, 4, 4, 4, 4, 4, 4, 30, 20, 4
	};
	struct tree t;
	struct flame_grid g;

	(void)state;
	tree_init(&t, depths, totals, COUNT_OF(depths));
	grid_of(&t, (struct flame_view){ .columns = 10 }, &g);
	assert_int_equal(g.bar_count, 4);
	check_bar(&g, 0, 0, 1, 0, 10);
	check_bar(&g, 1, 1, 8, 0, 3);
	check_bar(&g, 2, 10, 1, 3, 3);
	check_bar(&g, 3, 11, 1, 3, 2);
	flame_grid_release(&g);
}

static void check_rows(const struct flame_grid *g, uint32_t columns)
{
	for (uint32_t row = 0; row < g->row_count; row++) {
		uint32_t column = 0;

		for (size_t i = g->row_starts[row]; i < g->row_starts[row + 1];
		     i++) {
			assert_true(g->bars[i].column >= column);
			column = g->bars[i].column + g->bars[i].columns;
		}
		assert_true(column <= columns);
	}
}

/* Edges in the middle of a column: 40 equal ones in 100 columns. */
static void test_no_bars_overlap(void **state)
{
	static int depths[NODES], totals[NODES];
	struct tree t;
	struct flame_grid g;

	(void)state;
	for (uint32_t count = 1; count + 1 < NODES; count++) {
		for (uint32_t i = 0; i <= count; i++) {
			depths[i] = i > 0;
			totals[i] = i ? 7 : 7 * (int)count;
		}
		tree_init(&t, depths, totals, count + 1);
		for (uint32_t columns = 40; columns < 200; columns += 3) {
			grid_of(&t, (struct flame_view){ .columns = columns },
				&g);
			check_rows(&g, columns);
			flame_grid_release(&g);
		}
		grid_of(&t, (struct flame_view){ .columns = 100 }, &g);
		check_rows(&g, 100);
		flame_grid_release(&g);
	}
}

static void test_zoom(void **state)
{
	static const int depths[] = { 0, 1, 2, 3, 2, 1 };
	static const int totals[] = { 100, 50, 30, 30, 20, 50 };
	struct tree t;
	struct flame_grid g;

	(void)state;
	tree_init(&t, depths, totals, COUNT_OF(depths));
	grid_of(&t, (struct flame_view){ .columns = 10, .node = 4 }, &g);
	assert_int_equal(g.row_count, 3);
	check_bar(&g, 0, 0, 1, 0, 10);
	check_bar(&g, 1, 1, 1, 0, 10);
	check_bar(&g, 2, 4, 1, 0, 10);
	flame_grid_release(&g);
	grid_of(&t,
		(struct flame_view){
			.columns = 10, .node = 1, .top = 1, .rows = 2 },
		&g);
	assert_int_equal(g.row_count, 2);
	check_bar(&g, 0, 1, 1, 0, 10);
	check_bar(&g, 1, 2, 1, 0, 6);
	check_bar(&g, 2, 4, 1, 6, 4);
	assert_int_equal(g.hidden_rows, 1);
	assert_true(g.hidden_part > 0.59 && g.hidden_part < 0.61);
	flame_grid_release(&g);
}

static void test_min(void **state)
{
	static const int depths[] = { 0, 1, 1, 2 };
	static const int totals[] = { 100, 60, 40, 40 };
	struct tree t;
	struct flame_grid g;

	(void)state;
	tree_init(&t, depths, totals, COUNT_OF(depths));
	grid_of(&t, (struct flame_view){ .columns = 10, .min_columns = 4.1 },
		&g);
	assert_int_equal(g.row_count, 2);
	assert_int_equal(g.bar_count, 2);
	check_bar(&g, 1, 1, 1, 0, 6);
	flame_grid_release(&g);
}

/* Every allocation failing in turn is told, and nothing leaks. */
static void test_starving(void **state)
{
	static const int depths[] = { 0, 1, 1, 2 };
	static const int totals[] = { 100, 60, 40, 40 };
	struct flame_union places;
	struct tree t;
	bool has_failed = true;

	(void)state;
	tree_init(&t, depths, totals, COUNT_OF(depths));
	assert_true(flame_union_init(&places, &t.flame));
	for (long n = 0; has_failed; n++) {
		const struct flame_view view = { .f = &t.flame,
						 .places = &places,
						 .columns = 10,
						 .rows = 10 };
		struct flame_grid g;
		bool is_done;

		starve_after(n);
		is_done = flame_grid_init(&g, &view);
		has_failed = stop_starving();
		assert_int_equal(is_done, !has_failed);
		flame_grid_release(&g);
	}
	flame_union_release(&places);
}

static void test_empty(void **state)
{
	static const int depths[] = { 0 };
	static const int totals[] = { 0 };
	struct tree t;
	struct flame_grid g;

	(void)state;
	tree_init(&t, depths, totals, 1);
	grid_of(&t, (struct flame_view){ .columns = 1 }, &g);
	assert_int_equal(g.row_count, 0);
	assert_int_equal(g.bar_count, 0);
	flame_grid_release(&g);
}

UNIT_TESTS(flame_grid)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_narrow),
		cmocka_unit_test(test_no_bars_overlap),
		cmocka_unit_test(test_zoom),
		cmocka_unit_test(test_min),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_starving),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
