/* SPDX-License-Identifier: Apache-2.0
 *
 * Whole outputs against testdata/golden/, named by case and style.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../unit.h"
#include "support.h"

static const struct {
	const char *name;
	struct render_style style;
} styles[] = {
	{ "w0", { .width = 0, .use_unicode = true } },
	{ "w80", { .width = 80, .use_unicode = true } },
	{ "w200", { .width = 200, .use_unicode = true } },
	{ "w80.ascii", { .width = 80 } },
	{ "w80.color",
	  { .width = 80, .use_unicode = true, .use_color = true } },
	{ "w80.quiet", { .width = 80, .use_unicode = true, .is_quiet = true } },
};

static void check_styles(const struct sample *s, const char *name)
{
	char file[128];

	for (size_t i = 0; i < sizeof styles / sizeof *styles; i++) {
		struct buf text;

		snprintf(file, sizeof file, "%s.%s.txt", name, styles[i].name);
		golden_check(s, "table", styles[i].style, file);
		if (styles[i].style.use_color)
			continue;
		render_to(s, "table", styles[i].style, &text);
		text_check(&text, styles[i].style.width);
		buf_release(&text);
	}
}

static void test_slow(void **state)
{
	struct sample s;

	(void)state;
	sample_slow(&s);
	check_styles(&s, "slow");
	golden_check(&s, "json", (struct render_style){ 0 }, "slow.json");
	golden_check(&s, "csv", (struct render_style){ 0 }, "slow.csv");
	golden_check(&s, "markdown", (struct render_style){ 0 }, "slow.md");
	golden_check(&s, "chat", (struct render_style){ 0 }, "slow.chat.md");
}

/* With --why, the evidence that the short answer leaves out. */
static void test_slow_why(void **state)
{
	const struct render_style style = { .width = 80, .use_unicode = true };
	struct sample s;

	(void)state;
	sample_slow(&s);
	s.result.shows_reasons = true;
	golden_check(&s, "table", style, "slow-why.w80.txt");
}

static void test_diff(void **state)
{
	struct sample s;

	(void)state;
	sample_diff(&s);
	check_styles(&s, "diff");
	golden_check(&s, "json", (struct render_style){ 0 }, "diff.json");
	golden_check(&s, "csv", (struct render_style){ 0 }, "diff.csv");
	golden_check(&s, "markdown", (struct render_style){ 0 }, "diff.md");
	golden_check(&s, "chat", (struct render_style){ 0 }, "diff.chat.md");
}

static void test_profile(void **state)
{
	struct sample s;

	(void)state;
	sample_profile(&s);
	check_styles(&s, "profile");
	golden_check(&s, "json", (struct render_style){ 0 }, "profile.json");
	golden_check(&s, "csv", (struct render_style){ 0 }, "profile.csv");
	golden_check(&s, "markdown", (struct render_style){ 0 }, "profile.md");
}

static void test_profile_self_lib(void **state)
{
	const struct render_style style = { .width = 80, .use_unicode = true };
	struct sample s;

	(void)state;
	sample_profile(&s);
	s.result.rank_by = RANK_SELF_LIB;
	golden_check(&s, "table", style, "profile-owned.w80.txt");
}

static void test_show(void **state)
{
	struct sample s;

	(void)state;
	sample_show(&s);
	check_styles(&s, "show");
	golden_check(&s, "json", (struct render_style){ 0 }, "show.json");
	golden_check(&s, "markdown", (struct render_style){ 0 }, "show.md");
	golden_check(&s, "chat", (struct render_style){ 0 }, "show.chat.md");
	sample_release(&s);
}

/* Everything that may be unknown is. */
static void test_slow_bare(void **state)
{
	const struct render_style style = { .width = 80, .use_unicode = true };
	struct sample s;
	struct result *r = &s.result;

	(void)state;
	sample_slow(&s);
	r->span.typical_ns = -1;
	r->span.count = 52;
	r->has_cause = r->has_profile = r->has_baseline = false;
	r->function_count = r->function_total = r->noise_count = 0;
	r->finding_count = r->request_count = r->next_count = 0;
	notes_init(&r->notes);
	notes_add(&r->notes, "no profile: pyroscope knows no service "
			     "\"user-db\"; the nearest name is "
			     "\"prod/user-db\"");
	golden_check(&s, "table", style, "slow-bare.w80.txt");
	golden_check(&s, "json", style, "slow-bare.json");
}

static void test_slow_loop(void **state)
{
	const struct render_style style = { .width = 80, .use_unicode = true };
	struct sample s;

	(void)state;
	sample_slow(&s);
	s.rows[0].measure = RANK_TOTAL;
	s.rows[0].self_lib = s.rows[0].baseline_self_lib = 0.01;
	s.rows[0].delta = 0.609;
	golden_check(&s, "table", style, "slow-loop.w80.txt");
}

static void test_hostile(void **state)
{
	const struct render_style style = { .width = 80, .use_unicode = true };
	struct sample s;

	(void)state;
	sample_slow(&s);
	sample_stacks(&s);
	sample_poison(&s, sample_hostile());
	golden_check(&s, "table", style, "hostile.w80.txt");
	golden_check(&s, "json", style, "hostile.json");
	golden_check(&s, "csv", style, "hostile.csv");
	golden_check(&s, "difffolded", style, "hostile.difffolded");
}

/* What would be markup, HTML, a link, a mention or the end of a cell. */
static void test_hostile_markdown(void **state)
{
	const struct render_style style = { .width = 80 };
	const struct str text =
		STR("# </code><img src=x onerror=alert(1)> | `` "
		    "`a` ```\n*b* [l](javascript:x) @team #1 "
		    "http://e.example www.e.example a\\|b $x$ "
		    "<!-- &lt; m@e.example");
	struct sample s;

	(void)state;
	sample_slow(&s);
	sample_poison(&s, text);
	golden_check(&s, "markdown", style, "hostile-slow.md");
	golden_check(&s, "chat", style, "hostile-slow.chat.md");
	sample_diff(&s);
	sample_poison(&s, text);
	golden_check(&s, "markdown", style, "hostile-diff.md");
	sample_show(&s);
	sample_poison(&s, text);
	golden_check(&s, "markdown", style, "hostile-show.md");
	sample_release(&s);
}

static void test_folded(void **state)
{
	const struct render_style style = { 0 };
	struct sample s;

	(void)state;
	sample_diff(&s);
	sample_stacks(&s);
	golden_check(&s, "folded", style, "stacks.folded");
	golden_check(&s, "difffolded", style, "stacks.difffolded");
}

static void check_svg(const struct sample *s, const char *name)
{
	golden_check(s, "svg", (struct render_style){ 0 }, name);
}

static void test_svg_slow(void **state)
{
	struct sample s;

	(void)state;
	sample_slow(&s);
	sample_flame(&s);
	check_svg(&s, "slow.svg");
	s.picture.palette = PALETTE_KIND;
	s.picture.has_root_below = true;
	s.picture.width_px = 600;
	check_svg(&s, "slow.flame.svg");
}

static void test_svg_profile(void **state)
{
	struct sample s;

	(void)state;
	sample_profile(&s);
	sample_flame(&s);
	check_svg(&s, "profile.svg");
	s.picture.palette = PALETTE_HOT;
	s.picture.min_width_cpx = 10000;
	check_svg(&s, "profile.hot.svg");
	s.picture.palette = PALETTE_JAVA;
	s.picture.min_width_cpx = 0;
	s.flame.is_reversed = true;
	s.flame.negative[FLAME_SLOW] = -120000000;
	s.flame.cut_stacks = 3;
	check_svg(&s, "profile.java.svg");
}

static void test_svg_show(void **state)
{
	struct sample s;

	(void)state;
	sample_show(&s);
	check_svg(&s, "show.svg");
	sample_release(&s);
}

static void test_svg_hostile(void **state)
{
	struct sample s;

	(void)state;
	sample_slow(&s);
	sample_flame(&s);
	sample_poison(&s, sample_hostile());
	check_svg(&s, "hostile.svg");
	sample_show(&s);
	sample_poison(&s, sample_hostile());
	check_svg(&s, "hostile.show.svg");
	sample_release(&s);
}

/* Sums that are as large as can be: frames stay within their caller. */
static void test_svg_saturated(void **state)
{
	struct sample s;

	(void)state;
	sample_profile(&s);
	sample_flame(&s);
	s.flame.whole[FLAME_SLOW] = INT64_MAX;
	for (uint32_t i = 0; i < 6; i++)
		s.nodes[i].values[FLAME_SLOW].total =
			i < 2 ? INT64_MAX : INT64_MAX / 5 * 3;
	check_svg(&s, "saturated.svg");
}

/* Without a sample there is still a picture that says so. */
static void test_svg_empty(void **state)
{
	struct sample s;

	(void)state;
	sample_profile(&s);
	sample_flame(&s);
	s.nodes[0].values[FLAME_SLOW].total = 0;
	s.nodes[0].end = s.flame.node_count = 1;
	check_svg(&s, "empty.svg");
}

/* ---- in the terminal ---- */

static const struct {
	const char *name;
	struct render_style style;
} term_styles[] = {
	{ "w0", { .use_unicode = true } },
	{ "w80.ascii", { .width = 80 } },
	{ "w40", { .width = 40, .use_unicode = true } },
	{ "w200", { .width = 200, .use_unicode = true } },
	{ "16", { .width = 80, .use_color = true } },
	{ "256",
	  { .width = 80,
	    .use_unicode = true,
	    .use_color = true,
	    .has_256_colors = true } },
	{ "true",
	  { .width = 80,
	    .use_unicode = true,
	    .use_color = true,
	    .has_256_colors = true,
	    .has_truecolor = true } },
};

static void check_term(const struct sample *s, const char *name)
{
	char file[128];

	for (size_t i = 0; i < sizeof term_styles / sizeof *term_styles; i++) {
		struct buf text;

		snprintf(file, sizeof file, "%s.term.%s.txt", name,
			 term_styles[i].name);
		golden_check(s, "term", term_styles[i].style, file);
		if (term_styles[i].style.use_color)
			continue;
		render_to(s, "term", term_styles[i].style, &text);
		/* Paragraphs are laid out for 60 columns at least. */
		if (term_styles[i].style.width != 40)
			text_check(&text, term_styles[i].style.width);
		buf_release(&text);
	}
}

static void test_term_slow(void **state)
{
	struct sample s;

	(void)state;
	sample_slow(&s);
	sample_flame(&s);
	check_term(&s, "slow");
}

static void test_term_profile(void **state)
{
	const struct render_style style = { .width = 80, .use_unicode = true };
	struct render_style limited = style;
	struct sample s;

	(void)state;
	sample_profile(&s);
	sample_flame(&s);
	check_term(&s, "profile");
	s.picture.width_px = 480;
	limited.has_limit = true;
	limited.limit = 3;
	golden_check(&s, "term", limited, "profile.term.rows.txt");
}

/* What is gone fills a hundredth of the width to the same scale; frames
 * without a column of their own; an answer and its evidence only. */
static void test_term_narrow(void **state)
{
	const struct render_style style = { .width = 80, .is_quiet = true };
	struct sample s;

	(void)state;
	sample_slow(&s);
	sample_flame(&s);
	s.flame.baseline_scale = 0.02;
	s.nodes[2].values[FLAME_SLOW].total = 30000000;
	golden_check(&s, "term", style, "narrow.term.txt");
	s.picture.min_width_cpx = 20000;
	golden_check(&s, "term", style, "narrow.term.min.txt");
}

static void test_term_hostile(void **state)
{
	const struct render_style style = { .width = 80, .use_unicode = true };
	struct sample s;
	struct buf text;

	(void)state;
	sample_slow(&s);
	sample_flame(&s);
	sample_poison(&s, sample_hostile());
	golden_check(&s, "term", style, "hostile.term.txt");
	render_to(&s, "term", style, &text);
	text_check(&text, 80);
	buf_release(&text);
	sample_poison(&s, sample_huge());
	render_to(&s, "term", style, &text);
	text_check(&text, 80);
	buf_release(&text);
}

static void test_term_edges(void **state)
{
	const struct render_style style = { .width = 80 };
	struct sample s;

	(void)state;
	sample_profile(&s);
	sample_flame(&s);
	s.flame.whole[FLAME_SLOW] = INT64_MAX;
	for (uint32_t i = 0; i < 6; i++)
		s.nodes[i].values[FLAME_SLOW].total =
			i < 2 ? INT64_MAX : INT64_MAX / 5 * 3;
	golden_check(&s, "term", style, "saturated.term.txt");
	s.nodes[0].values[FLAME_SLOW].total = 0;
	s.nodes[0].end = s.flame.node_count = 1;
	golden_check(&s, "term", style, "empty.term.txt");
}

UNIT_TESTS(golden)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slow),
		cmocka_unit_test(test_slow_why),
		cmocka_unit_test(test_slow_bare),
		cmocka_unit_test(test_slow_loop),
		cmocka_unit_test(test_diff),
		cmocka_unit_test(test_profile),
		cmocka_unit_test(test_profile_self_lib),
		cmocka_unit_test(test_show),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_hostile_markdown),
		cmocka_unit_test(test_folded),
		cmocka_unit_test(test_svg_slow),
		cmocka_unit_test(test_svg_profile),
		cmocka_unit_test(test_svg_show),
		cmocka_unit_test(test_svg_hostile),
		cmocka_unit_test(test_svg_empty),
		cmocka_unit_test(test_svg_saturated),
		cmocka_unit_test(test_term_slow),
		cmocka_unit_test(test_term_profile),
		cmocka_unit_test(test_term_narrow),
		cmocka_unit_test(test_term_hostile),
		cmocka_unit_test(test_term_edges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
