/* SPDX-License-Identifier: Apache-2.0
 *
 * What is drawn and what is not; that pprof chooses the same of real profiles
 * is shown by tests/pprof/drawn.py.
 */
#include "../unit.h"
#include "profile_making.h"

#include <stdio.h>

#include "../starving.h"
#include "analyze/call_graph.h"
#include "base/buf.h"

static void build(struct drawn_graph *g, struct profile *p, const char *text)
{
	make_profile(p, "cpu", "count", 0, text);
	*g = (struct drawn_graph){ .node_count = 0 };
	arena_init(&g->arena, MIB);
	assert_ok(drawn_graph_build(g, p, &err));
}

/* "name flat cum", then "from>to value", "..." for '>' when residual. */
static void check(const char *text, const char *wanted)
{
	struct drawn_graph g;
	struct profile p;
	struct buf found;

	build(&g, &p, text);
	buf_init(&found, MIB);
	for (size_t i = 0; i < g.node_count; i++)
		buf_addf(&found, "%.*s %lld %lld\n", STR_ARGS(g.nodes[i].name),
			 (long long)g.nodes[i].flat, (long long)g.nodes[i].cum);
	for (size_t i = 0; i < g.edge_count; i++) {
		const struct drawn_edge *e = &g.edges[i];

		buf_addf(&found, "%.*s%s%.*s %lld\n",
			 STR_ARGS(g.nodes[e->from].name),
			 e->is_residual ? "..." : ">",
			 STR_ARGS(g.nodes[e->to].name), (long long)e->value);
	}
	assert_string_equal(buf_text(&found), wanted);
	buf_release(&found);
	arena_release(&g.arena);
	profile_release(&p);
}

/* Scores, of entry + leaf and bits of branching: main 1 + (5/9, 4/9) = 1.99,
 * times 9; a (1 caller: 0 bits) + leaf 1, times 5; b the same times 4. */
static void test_all(void **state)
{
	(void)state;
	check("main;a 5\nmain;b 4\n", "main 0 9\na 5 5\nb 4 4\n"
				      "main>a 5\nmain>b 4\n");
}

/* Recursion counts once, and is no call of itself. a passes all on: 0 bits; b
 * has half of its value itself, half in a call: 1 bit. */
static void test_recursion(void **state)
{
	(void)state;
	check("a;a;b;a;b 3\n", "b 3 3\na 0 3\na>b 3\nb>a 3\n");
}

/* 0.5 % of 1000 is 5: 5 is drawn, 4 is not, and what it calls hangs on its
 * caller. y, which passes all on, comes last. */
static void test_node_cutoff(void **state)
{
	(void)state;
	check("m;five 5\nm;four;x 4\nm;y;x 500\nm 491\n",
	      "m 491 1000\nx 504 504\nfive 5 5\ny 0 500\n"
	      "m>y 500\ny>x 500\nm>five 5\n");
	check("m;five 4\nm;four;x 4\nm;y;x 500\nm 492\n",
	      "m 492 1000\nx 504 504\ny 0 500\nm>y 500\ny>x 500\n");
}

/* 0.1 % of 2000 is 2: a call of 2 is drawn, of 1 not. */
static void test_edge_cutoff(void **state)
{
	(void)state;
	check("m;a 1000\nm;b 990\nm;a;b 2\nm 8\n",
	      "m 8 2000\nb 992 992\na 1000 1002\nm>a 1002\nm>b 990\na>b 2\n");
	check("m;a 1000\nm;b 991\nm;a;b 1\nm 8\n",
	      "m 8 2000\nb 992 992\na 1000 1001\nm>a 1001\nm>b 991\n");
}

/* A call over one left out stays where no other way leads. */
static void test_residual(void **state)
{
	(void)state;
	check("m;s1;x 4\nm;s2;x 4\nm;s3;x 4\nm 988\n",
	      "m 988 1000\nx 12 12\nm...x 12\n");
}

static void test_nothing(void **state)
{
	(void)state;
	check("", "");
	check("a 5\nb;a -5\nb 7\n", "b 7 2\n");
}

/* The 80 that tell the most, of a hundred: the largest. */
static void test_node_limit(void **state)
{
	struct drawn_graph g;
	struct profile p;
	struct buf text;

	(void)state;
	buf_init(&text, MIB);
	for (int i = 0; i < 100; i++)
		buf_addf(&text, "f%03d %d\n", i, 1000 + i);
	build(&g, &p, buf_text(&text));
	assert_int_equal(g.node_total, 100);
	assert_int_equal(g.node_count, 80);
	assert_true(str_equal(g.nodes[0].name, STR("f099")));
	assert_true(str_equal(g.nodes[79].name, STR("f020")));
	assert_int_equal(g.edge_count, 0);
	arena_release(&g.arena);
	profile_release(&p);
	buf_release(&text);
}

static void test_memory(void **state)
{
	struct profile p;
	bool has_failed = true;

	(void)state;
	make_profile(&p, "cpu", "count", 0, "m;a;b 900\nm;c 4\nm;b 96\n");
	for (long n = 0; has_failed; n++) {
		struct drawn_graph g = { .node_count = 0 };
		bool is_done;

		arena_init(&g.arena, MIB);
		starve_once_after(n);
		is_done = drawn_graph_build(&g, &p, &err);
		has_failed = stop_starving();
		assert_int_equal(is_done, !has_failed);
		arena_release(&g.arena);
	}
	profile_release(&p);
}

UNIT_TESTS(drawn_graph)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_recursion),
		cmocka_unit_test(test_node_cutoff),
		cmocka_unit_test(test_edge_cutoff),
		cmocka_unit_test(test_residual),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_node_limit),
		cmocka_unit_test(test_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
