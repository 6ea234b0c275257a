/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "../unit.h"
#include "../analyze/profile_making.h"
#include "../random.h"

#include "base/buf.h"
#include "model/profile.h"
#include "model/profile_runs.h"

struct parts {
	struct profile items[3];
	const struct profile *list[3];
	struct profile sum;
	struct notes notes;
};

static void make_parts(struct parts *f, const char *const *texts, size_t n)
{
	notes_init(&f->notes);
	profile_init(&f->sum);
	for (size_t i = 0; i < 3; i++) {
		make_profile(&f->items[i], "cpu", "nanoseconds", 10,
			     i < n ? texts[i] : "");
		f->items[i].has_lines = true;
		f->list[i] = &f->items[i];
	}
}

static void release(struct parts *f)
{
	for (size_t i = 0; i < 3; i++)
		profile_release(&f->items[i]);
	profile_release(&f->sum);
}

static int64_t value_of(const struct profile *p, const char *leaf,
			uint32_t line)
{
	for (uint32_t i = 0; i < p->stack_count; i++) {
		const struct stack *s = &p->stacks[i];
		uint32_t id = p->frame_ids[s->frame_first + s->frame_count - 1];
		const struct frame *f = &p->frames[id];

		if (f->line == line &&
		    str_equal(function_name(p, f->function), str_from(leaf)))
			return s->value;
	}
	return 0;
}

/* The same function stands at different places in the parts' tables. */
static void test_adds_up(void **state)
{
	static const char *const texts[] = {
		"main;a@a.go:1 10\nmain;b@b.go:7 20\n",
		"",
		"main;b@b.go:7 300\nmain;b@b.go:8 40\nzero;main;a@a.go:1 50\n",
	};
	struct parts f;

	(void)state;
	make_parts(&f, texts, 3);
	f.items[0].time_ns = 900;
	f.items[2].time_ns = 500;
	f.items[0].duration_ns = 60;
	f.items[2].duration_ns = 40;
	f.items[2].truncated_share = 0.42;
	assert_ok(profile_merge(&f.sum, f.list, 3, &f.notes, &err));
	assert_ok(profile_check(&f.sum, &err));
	assert_int_equal(f.sum.stack_count, 4);
	assert_int_equal(f.sum.total, 420);
	assert_int_equal(value_of(&f.sum, "b", 7), 320);
	assert_int_equal(value_of(&f.sum, "b", 8), 40);
	assert_int_equal(f.sum.sample_count, 42);
	assert_int_equal(f.sum.period, 10);
	assert_int_equal(f.sum.time_ns, 500);
	assert_int_equal(f.sum.duration_ns, 100);
	assert_true(f.sum.has_lines && !f.sum.is_gauge);
	/* 0.42 of 390 of 420. */
	assert_true(f.sum.truncated_share > 0.3899 &&
		    f.sum.truncated_share < 0.3901);
	assert_true(str_equal(profile_type_name(&f.sum), STR("cpu")));
	assert_int_equal(f.notes.count, 0);
	release(&f);
}

static void test_disagreement(void **state)
{
	static const char *const texts[] = { "a 10\n", "a 20\n", "" };
	struct parts f;

	(void)state;
	make_parts(&f, texts, 3);
	f.items[1].period = 5;
	f.items[1].sample_count = -1;
	f.items[1].has_lines = false;
	f.items[1].is_gauge = true;
	f.items[0].duration_ns = 60; /* of the other it is not known */
	assert_ok(profile_merge(&f.sum, f.list, 3, &f.notes, &err));
	assert_int_equal(f.sum.period, 0);
	assert_int_equal(f.sum.sample_count, -1);
	assert_true(!f.sum.has_lines && f.sum.is_gauge);
	assert_int_equal(f.sum.duration_ns, 0);
	assert_int_equal(f.sum.total, 30);
	release(&f);
}

/* An empty part has no say, whatever its header. */
static void test_empty_parts(void **state)
{
	static const char *const texts[] = { "", "a 20\n", "" };
	struct parts f;

	(void)state;
	make_parts(&f, texts, 3);
	f.items[0].period = 7;
	f.items[0].sample_count = -1;
	f.items[2].has_lines = false;
	assert_ok(profile_merge(&f.sum, f.list, 3, &f.notes, &err));
	assert_int_equal(f.sum.period, 10);
	assert_int_equal(f.sum.sample_count, 2);
	assert_true(f.sum.has_lines);
	release(&f);
	make_parts(&f, texts, 0);
	assert_ok(profile_merge(&f.sum, f.list, 3, &f.notes, &err));
	assert_ok(profile_check(&f.sum, &err));
	assert_int_equal(f.sum.total, 0);
	assert_int_equal(f.sum.period, 10);
	assert_true(str_equal(profile_unit(&f.sum), STR("nanoseconds")));
	release(&f);
	make_parts(&f, texts, 0);
	assert_ok(profile_merge(&f.sum, NULL, 0, &f.notes, &err));
	assert_ok(profile_check(&f.sum, &err));
	assert_int_equal(f.sum.stack_count, 0);
	release(&f);
}

/* Filters left nothing of the second part, but the whole is larger by it. */
static void test_filtered_parts(void **state)
{
	static const char *const texts[] = { "a 10\n", "", "b 30\n" };
	struct parts f;

	(void)state;
	make_parts(&f, texts, 3);
	f.items[1].whole_total = 70;
	f.items[1].time_ns = 5;
	f.items[2].whole_total = 90;
	assert_ok(profile_merge(&f.sum, f.list, 3, &f.notes, &err));
	assert_int_equal(f.sum.total, 40);
	assert_int_equal(f.sum.whole_total, 170);
	assert_int_equal(f.sum.time_ns, 5);
	release(&f);
	make_parts(&f, texts + 1, 1);
	f.items[0].whole_total = 70;
	assert_ok(profile_merge(&f.sum, f.list, 1, &f.notes, &err));
	assert_int_equal(f.sum.stack_count, 0);
	assert_int_equal(f.sum.whole_total, 70);
	release(&f);
}

static void test_other_type(void **state)
{
	static const char *const texts[] = { "a 10\n", "a 20\n" };
	struct parts f;

	(void)state;
	make_parts(&f, texts, 2);
	profile_release(&f.items[1]);
	make_profile(&f.items[1], "wall", "nanoseconds", 10, "a 20\n");
	error_clear(&err);
	assert_false(profile_merge(&f.sum, f.list, 2, &f.notes, &err));
	assert_non_null(strstr(err.message, "cpu/nanoseconds and "
					    "wall/nanoseconds"));
	release(&f);
}

static void test_saturation(void **state)
{
	static const char *const texts[] = { "a 9000000000000000000\n",
					     "a 9000000000000000000\n" };
	struct parts f;

	(void)state;
	make_parts(&f, texts, 2);
	assert_ok(profile_merge(&f.sum, f.list, 2, &f.notes, &err));
	assert_true(f.sum.total == INT64_MAX);
	assert_int_equal(f.notes.count, 1);
	release(&f);
}

/* Few names, files, lines and values: many equal stacks, and many that cancel
 * each other out. Only some parts say more of a frame. */
static void write_stacks(struct buf *text, uint32_t *random)
{
	static const char *const names[] = { "a",     "a@x",     "a@x:1",
					     "a@x:2", "a@y",     "ab",
					     "b",     "ab@x:1",  "a@x^2",
					     "b^1",   "a@x:1^2", "ab^3" };
	static const int values[] = { 1, -1, 2, -3, 5 };
	uint32_t count = next_random(random) % 12;
	uint32_t kinds = next_random(random) % 3 ? 8 : 12;

	for (uint32_t i = 0; i < count; i++) {
		for (uint32_t k = next_random(random) % 4 + 1; k; k--)
			buf_addf(text, "%s%s",
				 names[next_random(random) % kinds],
				 k > 1 ? ";" : "");
		buf_addf(text, " %d\n", values[next_random(random) % 5]);
	}
}

static void assert_same_frame(const struct profile *a, const struct profile *b,
			      uint32_t at)
{
	struct whole_frame x = whole_frame(a, at), y = whole_frame(b, at);

	assert_memory_equal(&x, &y, sizeof x);
	assert_true(str_equal(function_name(a, x.frame.function),
			      function_name(b, y.frame.function)));
	assert_true(str_equal(function_file(a, x.frame.function),
			      function_file(b, y.frame.function)));
}

static void assert_same(const struct profile *a, const struct profile *b)
{
	assert_int_equal(a->function_count, b->function_count);
	assert_int_equal(a->frame_count, b->frame_count);
	assert_int_equal(a->stack_count, b->stack_count);
	assert_true(a->total == b->total);
	for (uint32_t i = 0; i < a->frame_count; i++)
		assert_same_frame(a, b, i);
	for (uint32_t i = 0; i < a->stack_count; i++) {
		const struct stack *s = &a->stacks[i], *t = &b->stacks[i];

		assert_int_equal(s->frame_count, t->frame_count);
		assert_true(s->value == t->value);
		assert_memory_equal(&a->frame_ids[s->frame_first],
				    &b->frame_ids[t->frame_first],
				    s->frame_count * sizeof *a->frame_ids);
	}
	for (size_t i = 0; i < a->frame_id_count; i++)
		assert_true(a->frame_ids[i] < a->frame_count);
}

static bool is_same_stack(const struct profile *a, const struct stack *s,
			  const struct profile *b, const struct stack *t)
{
	if (s->frame_count != t->frame_count)
		return false;
	for (uint32_t i = 0; i < s->frame_count; i++) {
		struct whole_frame x =
			whole_frame(a, a->frame_ids[s->frame_first + i]);
		struct whole_frame y =
			whole_frame(b, b->frame_ids[t->frame_first + i]);

		if (x.frame.line != y.frame.line ||
		    x.detail.column != y.detail.column ||
		    !str_equal(function_name(a, x.frame.function),
			       function_name(b, y.frame.function)) ||
		    !str_equal(function_file(a, x.frame.function),
			       function_file(b, y.frame.function)))
			return false;
	}
	return true;
}

/* The same stacks in any order, each once. */
static void assert_same_loose(const struct profile *loose,
			      const struct profile *whole)
{
	assert_true(loose->is_loose);
	assert_int_equal(loose->stack_count, whole->stack_count);
	assert_true(loose->total == whole->total);
	for (uint32_t i = 0; i < whole->stack_count; i++) {
		const struct stack *s = &whole->stacks[i];
		uint32_t k = 0;

		while (k < loose->stack_count &&
		       !is_same_stack(whole, s, loose, &loose->stacks[k]))
			k++;
		assert_true(k < loose->stack_count);
		assert_true(loose->stacks[k].value == s->value);
	}
}

enum { MANY = 9 };

/* What the values of a run say of a stack, which may come again. */
static int64_t value_in_run(const struct profile_runs *r, size_t run,
			    uint32_t stack)
{
	struct run_walk w;
	int64_t sum = 0;

	for (run_walk_init(&w, r, run); run_walk_next(&w);)
		sum += w.stack == stack ? w.value : 0;
	return sum;
}

static int64_t value_in_profile(const struct profile *p,
				const struct profile *of,
				const struct stack *stack)
{
	for (uint32_t i = 0; i < p->stack_count; i++)
		if (is_same_stack(of, stack, p, &p->stacks[i]))
			return p->stacks[i].value;
	return 0;
}

/* Folded parts are their sum, too, and still tell which part had what. The
 * parts are gone then. */
static void assert_folds(struct profile *parts, const char *const *texts,
			 size_t count, const struct profile *whole)
{
	struct profile_runs runs;
	struct profile sum;

	profile_init(&sum);
	assert_ok(profile_runs_init(&runs, &sum, count, &err));
	for (size_t i = 0; i < count; i++)
		assert_ok(profile_runs_add(&runs, &parts[i], &err));
	assert_ok(profile_runs_finish(&runs, NULL, &err));
	assert_ok(profile_check(&sum, &err));
	assert_same(&sum, whole);
	for (size_t i = 0; i < count; i++) {
		make_profile(&parts[i], "cpu", "nanoseconds", 10, texts[i]);
		assert_true(runs.heads[i].total == parts[i].total);
		assert_true(runs.heads[i].sample_count ==
			    parts[i].sample_count);
		for (uint32_t k = 0; k < sum.stack_count; k++)
			assert_true(value_in_run(&runs, i, k) ==
				    value_in_profile(&parts[i], &sum,
						     &sum.stacks[k]));
	}
	profile_runs_release(&runs);
	profile_release(&sum);
}

/* Parts added up are what all of their stacks make as one profile. */
static void assert_like_one(uint32_t random, size_t count)
{
	struct profile parts[MANY], sum, whole;
	const struct profile *list[MANY];
	const char *texts[MANY];
	struct buf all, text[MANY];
	struct notes notes;

	notes_init(&notes);
	buf_init(&all, MIB);
	for (size_t i = 0; i < count; i++) {
		buf_init(&text[i], MIB);
		write_stacks(&text[i], &random);
		buf_add_str(&all, buf_str(&text[i]));
		texts[i] = buf_text(&text[i]);
		make_profile(&parts[i], "cpu", "nanoseconds", 10, texts[i]);
		list[i] = &parts[i];
	}
	make_profile(&whole, "cpu", "nanoseconds", 10, buf_text(&all));
	profile_init(&sum);
	assert_ok(profile_merge(&sum, list, count, &notes, &err));
	assert_ok(profile_check(&sum, &err));
	assert_same(&sum, &whole);
	profile_release(&sum);
	parts[count / 2].is_loose = true;
	assert_ok(profile_merge(&sum, list, count, &notes, &err));
	if (parts[count / 2].stack_count)
		assert_same_loose(&sum, &whole);
	profile_release(&sum);
	assert_folds(parts, texts, count, &whole);
	profile_release(&whole);
	for (size_t i = 0; i < count; i++) {
		profile_release(&parts[i]);
		buf_release(&text[i]);
	}
	buf_release(&all);
}

static void test_like_one(void **state)
{
	(void)state;
	for (uint32_t random = 1; random <= 200; random++)
		for (size_t count = 1; count <= MANY; count++)
			assert_like_one(random, count);
}

/* Nothing of it stays, not even what only it used. */
static void test_cancelled(void **state)
{
	static const char *const texts[] = { "a;b@x 10\nc 3\n",
					     "a;b@x -10\nd -4\n",
					     "c -3\nd 4\n" };
	struct parts f;

	(void)state;
	make_parts(&f, texts, 2);
	assert_ok(profile_merge(&f.sum, f.list, 2, &f.notes, &err));
	assert_ok(profile_check(&f.sum, &err));
	assert_int_equal(f.sum.stack_count, 2);
	assert_int_equal(f.sum.function_count, 2);
	assert_true(str_equal(function_name(&f.sum, 1), STR("d")));
	release(&f);
	make_parts(&f, texts, 3);
	assert_ok(profile_merge(&f.sum, f.list, 3, &f.notes, &err));
	assert_ok(profile_check(&f.sum, &err));
	assert_int_equal(f.sum.stack_count, 0);
	assert_int_equal(f.sum.function_count, 0);
	assert_int_equal(f.sum.frame_id_count, 0);
	assert_int_equal(f.sum.whole_total, 34);
	release(&f);
}

/* Sums of loose ones add up, too, and are capped likewise. What begins alike
 * lies together, the frames of most first. */
static void test_loose(void **state)
{
	static const char *const texts[] = {
		"a;b;c 1\nx;y;z 2\na;b;d 4\n",
		"x;y;w 8\na;b;c 1\na;b;e 3\n",
		"m 9000000000000000000\n",
	};
	struct parts f;
	struct profile sum;
	const struct profile *again[] = { &f.sum, &f.items[2], &f.items[2] };
	uint32_t changes = 0, last = UINT32_MAX;

	(void)state;
	make_parts(&f, texts, 3);
	f.items[1].is_loose = true;
	assert_ok(profile_merge(&f.sum, f.list, 2, &f.notes, &err));
	assert_int_equal(f.sum.stack_count, 5);
	assert_int_equal(f.sum.total, 19);
	assert_int_equal(value_of(&f.sum, "c", 0), 2);
	assert_int_equal(value_of(&f.sum, "w", 0), 8);
	for (uint32_t i = 0; i < f.sum.stack_count; i++) {
		uint32_t root = f.sum.frame_ids[f.sum.stacks[i].frame_first];

		changes += root != last;
		last = root;
	}
	assert_int_equal(changes, 2);
	assert_true(str_equal(function_name(&f.sum, f.sum.frames[0].function),
			      STR("x")));
	profile_init(&sum);
	assert_ok(profile_merge(&sum, again, 3, &f.notes, &err));
	assert_int_equal(sum.stack_count, 6);
	assert_true(sum.total == INT64_MAX);
	assert_true(value_of(&sum, "m", 0) == INT64_MAX);
	assert_int_equal(value_of(&sum, "e", 0), 3);
	assert_int_equal(f.notes.count, 1);
	profile_release(&sum);
	release(&f);
}

enum { RUNS = 40, RUN_STACKS = 20000 };

static void make_run(struct profile *p, uint32_t *random)
{
	struct profile_build *b;
	uint32_t frames[12];

	profile_init(p);
	b = profile_build_new(p, &err);
	assert_non_null(b);
	assert_ok(profile_build_type(b, STR("cpu"), STR("nanoseconds"), &err));
	for (uint32_t i = 0; i < 12; i++) {
		char name[8];

		snprintf(name, sizeof name, "f%u", i);
		frames[i] = make_frame(b, str_from(name));
	}
	for (uint32_t i = 0; i < RUN_STACKS; i++) {
		uint32_t stack[12];

		for (uint32_t k = 0; k < 12; k++)
			stack[k] = frames[i >> k & 1 ? k : 11 - k];
		assert_ok(profile_build_stack(b, stack, 12,
					      10000000 *
						      (1 + (int64_t)next_random(
								   random) % 9),
					      &err));
	}
	assert_ok(profile_build_finish(b, NULL, &err));
	profile_build_free(b);
}

static size_t bytes_of_runs(size_t count)
{
	struct profile_runs runs;
	struct profile sum, run;
	uint32_t random = 1;
	size_t bytes;

	profile_init(&sum);
	assert_ok(profile_runs_init(&runs, &sum, count, &err));
	for (size_t i = 0; i < count; i++) {
		make_run(&run, &random);
		assert_ok(profile_runs_add(&runs, &run, &err));
	}
	assert_ok(profile_runs_finish(&runs, NULL, &err));
	bytes = runs.arena.used_bytes + sum.arena.used_bytes;
	profile_runs_release(&runs);
	profile_release(&sum);
	return bytes;
}

/* A run more takes some bytes a stack. */
static void test_many_runs(void **state)
{
	size_t one = bytes_of_runs(1), many = bytes_of_runs(RUNS);

	(void)state;
	assert_true(many - one < 4 * (size_t)RUNS * RUN_STACKS);
}

#define DEEP_STACKS 1024u
#define FLAT_STACKS 200000u

/* The first stacks tell nothing of the others: all would be too many if they
 * were as deep. */
static void test_deep_ones_first(void **state)
{
	static uint32_t frames[LIMIT_STACK_FRAMES];
	struct profile parts[2], sum;
	const struct profile *list[] = { &parts[0], &parts[1] };
	struct profile_build *b;
	struct notes notes;
	uint32_t other;

	(void)state;
	notes_init(&notes);
	make_profile(&parts[1], "cpu", "nanoseconds", 10, "z 1\n");
	parts[1].is_loose = true;
	profile_init(&parts[0]);
	b = profile_build_new(&parts[0], &err);
	assert_ok(profile_build_type(b, STR("cpu"), STR("nanoseconds"), &err));
	frames[0] = make_frame(b, STR("a"));
	for (uint32_t i = 1; i < LIMIT_STACK_FRAMES; i++)
		frames[i] = frames[0];
	for (uint32_t i = 0; i < DEEP_STACKS; i++)
		assert_ok(profile_build_stack(b, frames, LIMIT_STACK_FRAMES - i,
					      1, &err));
	assert_ok(profile_build_function(b, STR("b"), STR(""), &other, &err));
	for (uint32_t i = 0; i < FLAT_STACKS; i++) {
		assert_ok(profile_build_frame(b, other, i, frames, &err));
		assert_ok(profile_build_stack(b, frames, 1, 1, &err));
	}
	assert_ok(profile_build_finish(b, &notes, &err));
	profile_build_free(b);
	assert_int_equal(parts[0].stacks[0].frame_count,
			 LIMIT_STACK_FRAMES - DEEP_STACKS + 1);
	profile_init(&sum);
	assert_ok(profile_merge(&sum, list, 2, &notes, &err));
	assert_int_equal(sum.stack_count, DEEP_STACKS + FLAT_STACKS + 1);
	assert_int_equal(sum.total, sum.stack_count);
	profile_release(&sum);
	profile_release(&parts[0]);
	profile_release(&parts[1]);
}

UNIT_TESTS(profile_merge)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_adds_up),
		cmocka_unit_test(test_disagreement),
		cmocka_unit_test(test_empty_parts),
		cmocka_unit_test(test_filtered_parts),
		cmocka_unit_test(test_other_type),
		cmocka_unit_test(test_saturation),
		cmocka_unit_test(test_like_one),
		cmocka_unit_test(test_cancelled),
		cmocka_unit_test(test_loose),
		cmocka_unit_test(test_deep_ones_first),
		cmocka_unit_test(test_many_runs),
	};

	return cmocka_run_group_tests_name("model/profile_merge", tests, NULL,
					   NULL);
}
