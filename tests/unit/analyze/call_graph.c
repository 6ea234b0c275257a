/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "../unit.h"
#include "analyze/call_graph.h"
#include "profile_making.h"

static struct regex *re(const char *pattern)
{
	struct regex *made = regex_new(str_from(pattern), "--peek", &err);

	assert_non_null(made);
	return made;
}

static const struct graph_node *find(const struct call_graph *g,
				     const char *name)
{
	for (size_t i = 0; i < g->count; i++)
		if (str_equal(g->nodes[i].name, str_from(name)))
			return &g->nodes[i];
	fail_msg("%s is missing", name);
	return NULL;
}

static void expect_edges(const struct graph_edge *edges, size_t count,
			 const char *wanted)
{
	char text[256] = "";

	for (size_t i = 0; i < count; i++)
		snprintf(text + strlen(text), sizeof text - strlen(text),
			 "%.*s %d,", (int)edges[i].name.len, edges[i].name.ptr,
			 (int)edges[i].value);
	assert_string_equal(text, wanted);
}

static void build(struct call_graph *g, struct profile *p, const char *text,
		  struct regex *symbol, bool is_by_cum)
{
	struct call_graph_want want = { symbol, is_by_cum };

	make_cpu_profile(p, text);
	*g = (struct call_graph){ .count = 0 };
	arena_init(&g->arena, 16 * MIB);
	assert_ok(call_graph_build(g, p, &want, &err));
}

static void test_values(void **state)
{
	struct call_graph g;
	struct profile p;
	const struct graph_node *n;

	(void)state;
	build(&g, &p, "r;a;b 5\nr;a 2\nr;c;b 3", NULL, false);
	assert_int_equal(g.count, 4);
	assert_int_equal(g.total, 10);
	n = &g.nodes[0];
	assert_true(str_equal(n->name, STR("b")));
	assert_int_equal(n->flat, 8);
	assert_int_equal(n->cum, 8);
	expect_edges(n->callers, n->caller_count, "a 5,c 3,");
	expect_edges(n->callees, n->callee_count, "");
	n = find(&g, "a");
	assert_int_equal(n->flat, 2);
	assert_int_equal(n->cum, 7);
	assert_int_equal(n->flat_sum, 10);
	n = find(&g, "r");
	expect_edges(n->callees, n->callee_count, "a 7,c 3,");
	arena_release(&g.arena);
	profile_release(&p);
}

/* a>a is no call, a>b>a>b counts each pair once. */
static void test_recursion(void **state)
{
	struct call_graph g;
	struct profile p;
	const struct graph_node *n;

	(void)state;
	build(&g, &p, "a;a;b;a;b 4", NULL, false);
	n = find(&g, "a");
	assert_int_equal(n->cum, 4);
	assert_int_equal(n->flat, 0);
	expect_edges(n->callees, n->callee_count, "b 4,");
	expect_edges(n->callers, n->caller_count, "b 4,");
	arena_release(&g.arena);
	profile_release(&p);
}

static void test_choice_and_order(void **state)
{
	struct call_graph g;
	struct profile p;
	struct regex *symbol = re("^[ab]$");

	(void)state;
	build(&g, &p, "r;a;b 5\nr;a 2\nr;c;b 3", symbol, true);
	assert_int_equal(g.count, 2);
	assert_true(str_equal(g.nodes[0].name, STR("b")));
	expect_edges(g.nodes[0].callers, g.nodes[0].caller_count, "a 5,c 3,");
	expect_edges(g.nodes[1].callers, g.nodes[1].caller_count, "r 7,");
	arena_release(&g.arena);
	profile_release(&p);
	regex_free(symbol);
	symbol = re("zzz");
	build(&g, &p, "a 1", symbol, false);
	assert_int_equal(g.count, 0);
	arena_release(&g.arena);
	profile_release(&p);
	regex_free(symbol);
}

static void test_lines(void **state)
{
	struct listings l = { .count = 0 };
	struct profile p;
	struct regex *symbol = re("^f");

	(void)state;
	make_cpu_profile(&p, "r;f@a.c:5;g 2\nr;f@a.c:5;f@a.c:7 4\n"
			     "f@b.c:1 8\nf2;x 1");
	arena_init(&l.arena, 16 * MIB);
	assert_ok(listings_build(&l, &p, symbol, &err));
	assert_int_equal(l.count, 3);
	assert_true(str_equal(l.items[0].file, STR("a.c")));
	assert_int_equal(l.items[0].flat, 4);
	/* 6 at line 5 and 4 at line 7: pprof adds lines up. */
	assert_int_equal(l.items[0].cum, 10);
	assert_int_equal(l.items[0].line_count, 2);
	assert_int_equal(l.items[0].lines[0].number, 5);
	assert_int_equal(l.items[0].lines[0].flat, 0);
	assert_int_equal(l.items[0].lines[0].cum, 6);
	assert_int_equal(l.items[0].lines[1].flat, 4);
	assert_true(str_equal(l.items[1].file, STR("b.c")));
	assert_true(str_equal(l.items[2].function, STR("f2")));
	assert_int_equal(l.items[2].file.len, 0);
	arena_release(&l.arena);
	profile_release(&p);
	regex_free(symbol);
}

UNIT_TESTS(call_graph)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_recursion),
		cmocka_unit_test(test_choice_and_order),
		cmocka_unit_test(test_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
