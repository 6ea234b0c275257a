/* SPDX-License-Identifier: Apache-2.0
 *
 * A drawing as text. Which functions are drawn is analyze/'s.
 */
#include "../unit.h"
#include "../analyze/profile_making.h"

#include "render/render.h"

#define MS 1000000

/* As the flame graph of the same profile has them. */
static struct flame_node roots[] = { { .parent = FLAME_NONE } };
static struct flame_function functions[] = {
	{ .name = { "all", 3 } },
	{ .name = { "main.run", sizeof "main.run" - 1 },
	  .kind = CODE_RUNTIME,
	  .language = FLAME_GO,
	  .totals = { 100 * MS, 50 * MS } },
	{ .name = { "c", 1 },
	  .kind = CODE_DATABASE,
	  .totals = { 36 * MS, 6 * MS } },
};

static struct flame flame(bool has_baseline)
{
	return (struct flame){ .functions = functions,
			       .function_count = 3,
			       .nodes = roots,
			       .node_count = 1,
			       .has_baseline = has_baseline,
			       .whole = { 100 * MS, 48 * MS },
			       .baseline_scale = 1 };
}

static void render(struct result *r, const struct drawn_graph *g,
		   enum palette palette, struct buf *text)
{
	struct flame f = flame(r->has_baseline);
	struct render_input in = {
		.result = r, .graph = g, .flame = &f, .picture.palette = palette
	};
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
	render(&r, &graph, PALETTE_AUTO, &text);
	check_has(&text, "N1 [label=\"main.run\\n0 of 100 ms (100.0 %)\" "
			 "id=\"node1\" fontsize=8 tooltip=\"main.run (100 ms)"
			 "\" color=\"#595959\" fillcolor=\"#cbd5c0\"]\n");
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
	check_has(&text, "tooltip=\"c (36 ms)\" color=\"#595959\" "
			 "fillcolor=\"#7fb3d9\"]\n");
	check_has(&text, "colour by kind of code\\l\"] }\n");
	check_has(&text, "[shape=box label=\"database\" "
			 "fillcolor=\"#7fb3d9\"]\n");
	check_has(&text, "profile: x\\\"}\\lshown: 80 ms (80.0 %) of 100 ms\\l"
			 "3 of 7 functions, those from 500 us, calls from "
			 "100 us\\l");
	assert_true(str_find(buf_str(&text), STR("baseline")) == SIZE_MAX);
	buf_release(&text);
}

/* Colours are those of flame graphs: by how much of the whole function came or
 * went. */
static void test_diff(void **state)
{
	struct result r = {
		.command = "diff",
		.has_baseline = true,
		.baseline = { .kind = STR("1d") },
	};
	struct buf text;

	(void)state;
	functions[1].change = CHANGE_NOISE;
	functions[2].change = CHANGE_GROWN;
	functions[2].is_to_blame = true;
	render(&r, &graph, PALETTE_AUTO, &text);
	check_has(&text, "of 36 ms (36.0 %)\\nwas 12.5 %\" id=\"node3\" "
			 "fontsize=16 tooltip=\"c (36 ms)\" color=\"#5a1e00\" "
			 "penwidth=4 fillcolor=\"#f4812b\"]\n");
	check_has(&text, "tooltip=\"main.run (100 ms)\" color=\"#595959\" "
			 "fillcolor=\"#d3d3d3\"]\n");
	check_has(&text, "baseline: 1d\\l");
	check_has(&text, "colour by change; thick edge: the function to "
			 "blame\\l");
	check_has(&text, "[shape=box label=\"grew or new\" "
			 "fillcolor=\"#f4812b\"]\n");
	functions[2].change = CHANGE_SHRUNK;
	functions[2].is_to_blame = false;
	functions[2].totals[FLAME_BASELINE] = 48 * MS;
	buf_release(&text);
	render(&r, &graph, PALETTE_AUTO, &text);
	check_has(&text, "tooltip=\"c (36 ms)\" color=\"#595959\" "
			 "fillcolor=\"#abcfe8\"]\n");
	assert_true(str_find(buf_str(&text), STR("blame")) == SIZE_MAX);
	buf_release(&text);
	functions[1].change = functions[2].change = CHANGE_NONE;
	functions[2].totals[FLAME_BASELINE] = 6 * MS;
}

static void test_palettes(void **state)
{
	struct result r = { .command = "profile" };
	struct buf text;

	(void)state;
	render(&r, &graph, PALETTE_JAVA, &text);
	check_has(&text, "colour by language\\l");
	check_has(&text, "tooltip=\"main.run (100 ms)\" color=\"#595959\" "
			 "fillcolor=\"#8fd3e8\"]\n");
	check_has(&text, "[shape=box label=\"Go\" fillcolor=\"#8fd3e8\"]\n");
	buf_release(&text);
	render(&r, &graph, PALETTE_HOT, &text);
	check_has(&text, "colour by name\\l");
	buf_release(&text);
}

static void test_empty(void **state)
{
	static const struct drawn_graph none = { .total = 0 };
	struct result r = { .command = "profile" };
	struct buf text;

	(void)state;
	render(&r, &none, PALETTE_AUTO, &text);
	check_has(&text, "shown: 0 s (0.0 %) of 0 s\\l0 of 0 functions");
	assert_true(str_ends(buf_str(&text), STR("}\n")));
	buf_release(&text);
}

UNIT_TESTS(dot)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_profile),
		cmocka_unit_test(test_diff),
		cmocka_unit_test(test_palettes),
		cmocka_unit_test(test_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
