/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "ranking.h"

#include "../starving.h"
#include "analyze/flame.h"

struct drawing {
	struct fixture x;
	struct flame f;
};

static void draw_ranked(struct drawing *d, bool has_baseline,
			const struct flame_want *want)
{
	arena_init(&d->f.arena, 64 * MIB);
	assert_ok(flame_build(&d->f, &d->x.slow,
			      has_baseline ? &d->x.baseline : NULL,
			      &d->x.result, want, &err));
}

static void draw(struct drawing *d, const char *slow, const char *baseline,
		 const struct flame_want *want)
{
	const struct rank_want ranked = { .is_drawn = true };

	rank_cpu(&d->x, slow, baseline, &ranked);
	draw_ranked(d, baseline != NULL, want);
}

static void clear(struct drawing *d)
{
	arena_release(&d->f.arena);
	release(&d->x);
}

static const struct flame_want plain = { .is_plain = false };
static const struct flame_want reversed = { .is_reversed = true };

/* "  name slow-self/slow-total base-self/base-total" a node. */
static void assert_tree(const struct flame *f, const char *want)
{
	char text[8192] = "";
	size_t len = 0;

	for (uint32_t i = 0; i < f->node_count; i++) {
		const struct flame_node *n = &f->nodes[i];
		const struct flame_function *fn = &f->functions[n->function];
		const struct flame_values *v = n->values;

		len += (size_t)snprintf(text + len, sizeof text - len,
					"%*s%.*s %lld/%lld %lld/%lld\n",
					(int)n->depth, "", STR_ARGS(fn->name),
					(long long)v[FLAME_SLOW].self,
					(long long)v[FLAME_SLOW].total,
					(long long)v[FLAME_BASELINE].self,
					(long long)v[FLAME_BASELINE].total);
	}
	assert_string_equal(text, want);
}

/* Parents, ends, depths and sums say the same of the tree. */
static void assert_sound(const struct flame *f)
{
	uint32_t deepest = 0;

	assert_int_equal(f->nodes[0].parent, FLAME_NONE);
	assert_int_equal(f->nodes[0].end, f->node_count);
	for (uint32_t i = 0; i < f->node_count; i++) {
		const struct flame_node *n = &f->nodes[i];
		int64_t sums[FLAME_SIDES] = { n->values[0].self,
					      n->values[1].self };

		deepest = n->depth > deepest ? n->depth : deepest;
		for (uint32_t c = i + 1; c < n->end; c = f->nodes[c].end) {
			const struct flame_node *child = &f->nodes[c];

			assert_int_equal(child->parent, i);
			assert_int_equal(child->depth, n->depth + 1);
			assert_true(child->end > c && child->end <= n->end);
			for (int s = 0; s < FLAME_SIDES; s++)
				sums[s] += child->values[s].total;
		}
		for (int s = 0; s < FLAME_SIDES; s++)
			assert_int_equal(sums[s], n->values[s].total);
	}
	assert_int_equal(deepest, f->depth);
}

static void test_siblings_by_name(void **state)
{
	struct drawing d;

	(void)state;
	draw(&d, "main;b 3\nmain 1\nmain;a;x 5\nmain;a 2\nidle 2\n", NULL,
	     &plain);
	assert_tree(&d.f, "all 0/13 0/0\n"
			  " idle 2/2 0/0\n"
			  " main 1/11 0/0\n"
			  "  a 2/7 0/0\n"
			  "   x 5/5 0/0\n"
			  "  b 3/3 0/0\n");
	assert_sound(&d.f);
	assert_false(d.f.has_baseline);
	assert_int_equal(d.f.whole[FLAME_SLOW], 13);
	clear(&d);
}

static void test_recursion_and_lines(void **state)
{
	struct drawing d;

	(void)state;
	draw(&d, "m@m.c:1;f@x.c:5;f@x.c:9 3\nm@m.c:2;f@x.c:5 4\n", NULL,
	     &plain);
	assert_tree(&d.f, "all 0/7 0/0\n m 0/7 0/0\n  f 4/7 0/0\n"
			  "   f 3/3 0/0\n");
	assert_true(str_equal(d.f.functions[d.f.nodes[2].function].file,
			      STR("x.c")));
	/* Line 5 has all of the value, line 9 a part. */
	assert_int_equal(d.f.functions[d.f.nodes[2].function].line, 5);
	clear(&d);
}

/* Samples of spans have none; the rows were given those of the service. */
static void test_lines_of_rows(void **state)
{
	const struct rank_want ranked = { .is_drawn = true };
	struct drawing d;
	struct function_row *rows;
	size_t found = 0;

	(void)state;
	rank_cpu(&d.x, "main;a 10\nmain;b@b.go 5\nmain;c@c.go 3\n", NULL,
		 &ranked);
	rows = d.x.result.functions;
	for (size_t i = 0; i < d.x.result.function_count; i++) {
		rows[i].file = str_equal(rows[i].name, STR("c")) ? STR("d.go")
								  : STR("b.go");
		rows[i].line = 7;
	}
	draw_ranked(&d, false, &plain);
	for (uint32_t i = 1; i < d.f.function_count; i++) {
		const struct flame_function *fn = &d.f.functions[i];
		bool is_other = str_equal(fn->name, STR("c"));

		assert_int_equal(fn->line, is_other ? 0 : 7);
		assert_true(str_equal(fn->file,
				      is_other ? STR("c.go") : STR("b.go")));
		found++;
	}
	assert_int_equal(found, 4);
	clear(&d);
}

static void test_callees_first(void **state)
{
	struct drawing d;

	(void)state;
	draw(&d, "main;a;x 5\nmain;b;x 2\nmain;b 1\n", NULL, &reversed);
	assert_tree(&d.f, "all 0/8 0/0\n"
			  " b 0/1 0/0\n"
			  "  main 1/1 0/0\n"
			  " x 0/7 0/0\n"
			  "  a 0/5 0/0\n"
			  "   main 5/5 0/0\n"
			  "  b 0/2 0/0\n"
			  "   main 2/2 0/0\n");
	assert_sound(&d.f);
	clear(&d);
}

static void test_two_sides(void **state)
{
	struct drawing d;

	(void)state;
	draw(&d, "main;a 300\nmain;new 400\n", "main;a 290\nmain;gone 410\n",
	     &plain);
	assert_tree(&d.f, "all 0/700 0/700\n"
			  " main 0/700 0/700\n"
			  "  a 300/300 290/290\n"
			  "  gone 0/0 410/410\n"
			  "  new 400/400 0/0\n");
	assert_sound(&d.f);
	assert_true(d.f.has_baseline);
	assert_int_equal(d.f.normalize, NORMALIZE_SHARE);
	assert_close(d.f.baseline_scale, 1);
	clear(&d);
}

static const struct flame_node *node(const struct flame *f, const char *name)
{
	for (uint32_t i = 0; i < f->node_count; i++)
		if (str_equal(f->functions[f->nodes[i].function].name,
			      str_from(name)))
			return &f->nodes[i];
	fail_msg("no node %s", name);
	return f->nodes;
}

static enum change change_of(const struct flame *f, const char *name)
{
	return f->functions[node(f, name)->function].change;
}

/* The path to what grew has grown, the root cannot, and noise is no change. */
static void test_changes(void **state)
{
	struct drawing d;

	(void)state;
	draw(&d,
	     "main;load;parse 600\nmain;a 1000\nmain;b 1010\nmain;small 1\n",
	     "main;load;parse 100\nmain;a 1000\nmain;b 1000\n"
	     "main;old 500\nmain;rare 2\n",
	     &plain);
	assert_int_equal(change_of(&d.f, "parse"), CHANGE_GROWN);
	assert_int_equal(change_of(&d.f, "load"), CHANGE_GROWN);
	assert_int_equal(change_of(&d.f, "old"), CHANGE_GONE);
	assert_false(change_is_real(change_of(&d.f, "main")));
	assert_false(change_is_real(change_of(&d.f, "b")));
	assert_false(change_is_real(change_of(&d.f, "small")));
	assert_false(change_is_real(change_of(&d.f, "rare")));
	assert_true(flame_is_gone(node(&d.f, "old")));
	assert_true(flame_is_gone(node(&d.f, "rare")));
	assert_false(flame_is_gone(node(&d.f, "parse")));
	assert_true(
		d.f.functions[node(&d.f, "parse")->function].is_to_blame);
	clear(&d);
}

/* The one that the answer names: neither callers, whose totals grew with it,
 * nor others that grew less, nor what shrank. */
static void test_one_is_to_blame(void **state)
{
	struct drawing d;
	uint32_t marked = 0;

	(void)state;
	draw(&d, "main;serve;apply 900\nmain;also 500\nmain;rest 4000\n",
	     "main;serve;apply 100\nmain;also 100\nmain;rest 4000\n"
	     "main;old 500\n",
	     &plain);
	assert_int_equal(change_of(&d.f, "apply"), CHANGE_GROWN);
	assert_int_equal(change_of(&d.f, "also"), CHANGE_GROWN);
	for (uint32_t i = 0; i < d.f.function_count; i++)
		marked += d.f.functions[i].is_to_blame;
	assert_int_equal(marked, 1);
	assert_true(str_equal(d.x.result.functions[0].name, STR("apply")));
	assert_true(d.f.functions[node(&d.f, "apply")->function].is_to_blame);
	clear(&d);
}

/* Where nothing grew nothing is to blame. */
static void test_none_is_to_blame(void **state)
{
	struct drawing d;

	(void)state;
	draw(&d, "main;a 4000\nmain;b 4000\n", "main;a 4050\nmain;b 3950\n",
	     &plain);
	for (uint32_t i = 0; i < d.f.function_count; i++)
		assert_false(d.f.functions[i].is_to_blame);
	clear(&d);
}

/* What a function took on all its paths is what its row says; what is within
 * itself counts once. */
static void test_whole_functions(void **state)
{
	struct drawing d;

	(void)state;
	draw(&d, "main;a;h 500\nmain;b;h 300\nmain;b;h;h 200\n",
	     "main;a;h 40\nmain;b 60\n", &plain);
	for (size_t i = 0; i < d.x.result.function_count; i++) {
		const struct function_row *row = &d.x.result.functions[i];
		const struct flame_function *fn = d.f.functions;

		while (!str_equal(fn->name, row->name))
			fn++;
		assert_int_equal(fn->totals[FLAME_SLOW], row->total_value);
		assert_int_equal(fn->totals[FLAME_BASELINE],
				 row->baseline_total_value);
		if (str_equal(row->name, STR("h")))
			assert_int_equal(fn->totals[FLAME_SLOW], 1000);
	}
	assert_int_equal(d.f.functions[0].totals[FLAME_BASELINE], 100);
	clear(&d);
}

/* Twice the seconds: half of the baseline's values stand beside. */
static void test_rates_are_scaled(void **state)
{
	const struct rank_want want = { .is_drawn = true,
					.normalize = NORMALIZE_RATE,
					.window_ns = 30,
					.baseline_ns = 60 };
	struct drawing d;

	(void)state;
	make_cpu_profile(&d.x.slow, "main;a 500\n");
	make_cpu_profile(&d.x.baseline, "main;a 400\n");
	rank(&d.x, true, &want);
	draw_ranked(&d, true, &plain);
	assert_int_equal(d.f.normalize, NORMALIZE_RATE);
	assert_close(d.f.baseline_scale, 0.5);
	assert_close(flame_before(&d.f, &d.f.nodes[0]), 200);
	clear(&d);
}

static void test_healthy_blames_nothing(void **state)
{
	const struct rank_want want = { .is_drawn = true };
	struct drawing d;

	(void)state;
	rank_cpu(&d.x, "m;new 600\nm;a 1000\n", "m;old 600\nm;a 1000\n", &want);
	d.x.result.is_healthy = true;
	draw_ranked(&d, true, &plain);
	assert_int_equal(change_of(&d.f, "new"), CHANGE_NOISE);
	assert_false(
		d.f.functions[node(&d.f, "new")->function].is_to_blame);
	assert_int_equal(change_of(&d.f, "old"), CHANGE_GONE);
	clear(&d);
}

/* Without is_drawn nothing is listed, and nothing is a change. */
static void test_not_drawn(void **state)
{
	const struct rank_want want = { .is_drawn = false };
	struct drawing d;

	(void)state;
	rank_cpu(&d.x, "m;new 600\nm;a 1000\n", "m;old 600\nm;a 1000\n", &want);
	assert_int_equal(d.x.result.change_count, 0);
	draw_ranked(&d, true, &plain);
	assert_int_equal(change_of(&d.f, "new"), CHANGE_SAME);
	clear(&d);
}

/* An empty baseline compares with nothing: it is left out. */
static void test_empty_baseline(void **state)
{
	struct drawing d;

	(void)state;
	draw(&d, "main;a 5\n", "", &plain);
	assert_false(d.f.has_baseline);
	assert_int_equal(d.f.functions[1].change, CHANGE_NONE);
	clear(&d);
}

static void test_generated_names_are_one(void **state)
{
	struct drawing d;

	(void)state;
	draw(&d, "m;P$$Lambda/0x00007f01 3\nm;P$$Lambda/0x00007f02 4\n",
	     "m;P$$Lambda/0x00007f03 7\n", &plain);
	assert_tree(&d.f, "all 0/7 0/7\n m 0/7 0/7\n  P$$Lambda 7/7 7/7\n");
	clear(&d);
	draw(&d, "m;P$$Lambda/0x00007f01 3\nm;P$$Lambda/0x00007f02 4\n", NULL,
	     &(struct flame_want){ .is_plain = true });
	assert_int_equal(d.f.node_count, 4);
	clear(&d);
}

static void test_negative_has_no_width(void **state)
{
	struct drawing d;

	(void)state;
	draw(&d, "main;a 5\nmain;b -3\nmain;a;c -4\n", NULL, &plain);
	assert_tree(&d.f, "all 0/5 0/0\n main 0/5 0/0\n  a 5/5 0/0\n");
	assert_int_equal(d.f.negative[FLAME_SLOW], -7);
	clear(&d);
}

static void test_nothing(void **state)
{
	struct drawing d;

	(void)state;
	draw(&d, "", NULL, &plain);
	assert_tree(&d.f, "all 0/0 0/0\n");
	assert_sound(&d.f);
	clear(&d);
}

static void test_kinds_and_languages(void **state)
{
	struct drawing d;

	(void)state;
	draw(&d,
	     "main.main@/app/main.go;runtime.mallocgc@/go/src/runtime/malloc.go"
	     " 5\n",
	     NULL, &plain);
	assert_int_equal(d.f.functions[1].kind, CODE_APPLICATION);
	assert_int_equal(d.f.functions[1].language, FLAME_GO);
	assert_int_equal(
		d.f.functions[node(&d.f, "runtime.mallocgc")->function].kind,
		CODE_GC_ALLOC);
	clear(&d);
}

/* Each stack of `depth` frames of its own. */
static void make_comb(struct profile *p, uint32_t stacks, uint32_t depth)
{
	static uint32_t frames[LIMIT_STACK_FRAMES];
	struct profile_build *b;
	struct notes notes;
	char name[32];

	profile_init(p);
	notes_init(&notes);
	b = profile_build_new(p, &err);
	assert_non_null(b);
	assert_ok(profile_build_type(b, STR("samples"), STR("count"), &err));
	for (uint32_t i = 0; i < stacks; i++) {
		for (uint32_t k = 0; k < depth; k++) {
			uint32_t function;

			snprintf(name, sizeof name, "f%u",
				 k ? k % 7 : i + 1000000);
			assert_ok(profile_build_function(
				b, str_from(name), STR(""), &function, &err));
			assert_ok(profile_build_frame(b, function, 0,
						      &frames[k], &err));
		}
		assert_ok(profile_build_stack(b, frames, depth, 1, &err));
	}
	assert_ok(profile_build_finish(b, &notes, &err));
	profile_build_free(b);
}

static void draw_comb(struct drawing *d, uint32_t stacks, uint32_t depth)
{
	const struct rank_want want = { .is_drawn = true };

	make_comb(&d->x.slow, stacks, depth);
	make_cpu_profile(&d->x.baseline, "");
	rank(&d->x, false, &want);
	arena_init(&d->f.arena, LIMIT_RESULT_BYTES);
	assert_ok(flame_build(&d->f, &d->x.slow, NULL, &d->x.result, &plain,
			      &err));
}

static void test_deepest_stack(void **state)
{
	struct drawing d;

	(void)state;
	draw_comb(&d, 1, LIMIT_STACK_FRAMES);
	assert_int_equal(d.f.depth, LIMIT_STACK_FRAMES);
	assert_sound(&d.f);
	clear(&d);
}

/* With the root one node too many by one, then just enough. */
static void test_node_limit(void **state)
{
	const uint32_t depth = 4000, stacks = LIMIT_FLAME_NODES / depth;
	struct drawing d;

	(void)state;
	draw_comb(&d, stacks, depth);
	assert_int_equal(d.f.node_count, LIMIT_FLAME_NODES);
	assert_int_equal(d.f.cut_stacks, 1);
	assert_int_equal(d.f.nodes[0].values[FLAME_SLOW].total, stacks);
	clear(&d);
	draw_comb(&d, stacks, depth - 1);
	assert_int_equal(d.f.node_count, 1 + stacks * (depth - 1));
	assert_int_equal(d.f.cut_stacks, 0);
	clear(&d);
}

static void test_memory_runs_out(void **state)
{
	struct drawing d;
	bool is_done = false;

	(void)state;
	draw(&d, "main;a 300\nmain;new;x 400\n", "main;a 290\nmain;gone 9\n",
	     &plain);
	for (long count = 0; !is_done; count++) {
		struct flame f = { .node_count = 0 };
		struct error e = { 0 };

		arena_init(&f.arena, 64 * MIB);
		starve_after(count);
		is_done = flame_build(&f, &d.x.slow, &d.x.baseline, &d.x.result,
				      &plain, &e);
		assert_int_equal(stop_starving(), !is_done);
		assert_true(is_done || e.code != ERROR_NONE);
		arena_release(&f.arena);
	}
	clear(&d);
}

UNIT_TESTS(flame)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_siblings_by_name),
		cmocka_unit_test(test_recursion_and_lines),
		cmocka_unit_test(test_lines_of_rows),
		cmocka_unit_test(test_callees_first),
		cmocka_unit_test(test_two_sides),
		cmocka_unit_test(test_changes),
		cmocka_unit_test(test_one_is_to_blame),
		cmocka_unit_test(test_none_is_to_blame),
		cmocka_unit_test(test_whole_functions),
		cmocka_unit_test(test_rates_are_scaled),
		cmocka_unit_test(test_healthy_blames_nothing),
		cmocka_unit_test(test_not_drawn),
		cmocka_unit_test(test_empty_baseline),
		cmocka_unit_test(test_generated_names_are_one),
		cmocka_unit_test(test_negative_has_no_width),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_kinds_and_languages),
		cmocka_unit_test(test_deepest_stack),
		cmocka_unit_test(test_node_limit),
		cmocka_unit_test(test_memory_runs_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
