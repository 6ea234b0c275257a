/* SPDX-License-Identifier: Apache-2.0
 *
 * A drawing as text. Which functions are drawn is analyze/'s.
 */
#include "../analyze/profile_making.h"

#include "render/render.h"

static void render(struct result *r, const struct drawn_graph *g,
		   struct buf *text)
{
	struct render_input in = { .result = r, .graph = g };
	struct profile p;
	struct out out;

	make_profile(&p, "cpu", "nanoseconds", 0, "a 1\n");
	in.profile = &p;
	buf_init(text, MIB);
	out_init_memory(&out, text);
	render_find(STR("dot"))->render(&in, &out);
	assert_int_equal(text->state, BUF_OK);
	profile_release(&p);
}

static void check_has(const struct buf *text, const char *wanted)
{
	if (str_find(buf_str(text), str_from(wanted)) == SIZE_MAX)
		fail_msg("no %s in\n%s", wanted, buf_text(text));
}

#define MS 1000000

static struct drawn_node nodes[] = {
	{ { "main.run", sizeof "main.run" - 1 }, 0, 100 * MS },
	{ { "a\"b\\n&<x>\n", sizeof "a\"b\\n&<x>\n" - 1 }, 64 * MS, 64 * MS },
	{ { "c", sizeof "c" - 1 }, 16 * MS, 36 * MS },
};

static struct drawn_edge edges[] = {
	{ 0, 1, 64 * MS, true, false },
	{ 0, 2, 36 * MS, false, true },
};

static const struct drawn_graph graph = {
	.nodes = nodes,
	.node_count = 3,
	.edges = edges,
	.edge_count = 2,
	.total = 100 * MS,
	.shown = 80 * MS,
	.node_total = 7,
	.node_cutoff = MS / 2,
	.edge_cutoff = MS / 10,
};

/* Fonts: 8 + 16 for the largest, 8 + 16 * sqrt(1/4) for a quarter of it. */
static void test_profile(void **state)
{
	struct result r = { .command = "profile",
			    .profile = { .selector = STR("x\"}") } };
	struct buf text;

	(void)state;
	render(&r, &graph, &text);
	check_has(&text, "N1 [label=\"main.run\\n0 of 100 ms (100.0 %)\" "
			 "id=\"node1\" fontsize=8 tooltip=\"main.run (100 ms)"
			 "\" color=\"#595959\" fillcolor=\"#f2f2f2\"]\n");
	check_has(&text, "N2 [label=\"a\\\"b\\\\n&amp;<x>\\\\n\\n64 ms (64.0 %)"
			 "\" id=\"node2\" fontsize=24 ");
	check_has(&text, "N3 [label=\"c\\n16 ms (16.0 %)\\nof 36 ms (36.0 %)\" "
			 "id=\"node3\" fontsize=16 ");
	check_has(&text, "N1 -> N2 [label=\" 64 ms\\n (inline)\" weight=65 "
			 "penwidth=4 tooltip=\"main.run -> a\\\"b\\\\n&amp;<x>"
			 "\\\\n (64 ms)\"]\n");
	check_has(&text, "N1 -> N3 [label=\" 36 ms\" weight=37 penwidth=2 "
			 "tooltip=\"main.run ... c (36 ms)\" "
			 "style=\"dotted\"]\n");
	check_has(&text, "profile: x\\\"}\\lshown: 80 ms (80.0 %) of 100 ms\\l"
			 "3 of 7 functions, those from 500 us, calls from "
			 "100 us\\l");
	assert_true(str_find(buf_str(&text), STR("baseline")) == SIZE_MAX);
	buf_release(&text);
}

/* Only what the table says changed has a colour. */
static void test_diff(void **state)
{
	struct function_row rows[] = {
		{ .name = STR("c"),
		  .change = CHANGE_GROWN,
		  .baseline_total = 0.125 },
		{ .name = STR("main.run"),
		  .change = CHANGE_NOISE,
		  .baseline_total = 0.5 },
	};
	struct result r = {
		.command = "diff",
		.has_baseline = true,
		.baseline = { .kind = STR("1d") },
		.functions = rows,
		.function_count = 2,
	};
	struct buf text;

	(void)state;
	render(&r, &graph, &text);
	check_has(&text, "of 36 ms (36.0 %)\\nwas 12.5 %\" id=\"node3\" "
			 "fontsize=16 tooltip=\"c (36 ms)\" color=\"#a63603\" "
			 "fillcolor=\"#fdd0a2\"]\n");
	check_has(&text, "tooltip=\"main.run (100 ms)\" color=\"#595959\" ");
	check_has(&text, "baseline: 1d\\l");
	rows[0].change = CHANGE_SHRUNK;
	buf_release(&text);
	render(&r, &graph, &text);
	check_has(&text, "tooltip=\"c (36 ms)\" color=\"#08519c\" ");
	buf_release(&text);
}

static void test_empty(void **state)
{
	static const struct drawn_graph none = { .total = 0 };
	struct result r = { .command = "profile" };
	struct buf text;

	(void)state;
	render(&r, &none, &text);
	check_has(&text, "shown: 0 s (0.0 %) of 0 s\\l0 of 0 functions");
	assert_true(str_ends(buf_str(&text), STR("}\n")));
	buf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_profile),
		cmocka_unit_test(test_diff),
		cmocka_unit_test(test_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
