/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "profile_making.h"

#include <stdio.h>

#include "../starving.h"
#include "analyze/profile_analysis.h"

struct fixture {
	struct profile slow;
	struct profile baseline;
	struct arena arena;
	struct stack_line *lines;
	size_t count;
};

static void build(struct fixture *f, const char *slow, const char *baseline)
{
	make_cpu_profile(&f->slow, slow);
	make_cpu_profile(&f->baseline, baseline ? baseline : "");
	arena_init(&f->arena, 64 * MIB);
	assert_ok(stack_lines_build(&f->slow, baseline ? &f->baseline : NULL,
				    &f->arena, &f->lines, &f->count, &err));
}

static void release(struct fixture *f)
{
	arena_release(&f->arena);
	profile_release(&f->slow);
	profile_release(&f->baseline);
}

/* "a;b before after" a line. */
static void assert_lines(const struct fixture *f, const char *want)
{
	char text[4096] = "";
	size_t len = 0;

	for (size_t i = 0; i < f->count; i++) {
		const struct stack_line *line = &f->lines[i];

		for (uint32_t k = 0; k < line->count; k++)
			len += (size_t)snprintf(text + len, sizeof text - len,
						"%s%.*s", k ? ";" : "",
						STR_ARGS(line->names[k]));
		len += (size_t)snprintf(text + len, sizeof text - len,
					" %lld %lld\n", (long long)line->before,
					(long long)line->after);
	}
	assert_string_equal(text, want);
}

static void test_one_side(void **state)
{
	struct fixture f;

	(void)state;
	build(&f, "main;b 3\nmain 1\nmain;a;x 5\nidle 2\n", NULL);
	assert_lines(&f, "idle 0 2\nmain 0 1\nmain;a;x 0 5\nmain;b 0 3\n");
	release(&f);
}

/* Their frames are no longer there. */
static void test_stacks_that_cancelled_out(void **state)
{
	const unsigned count = 5000;
	char *text = malloc(count * 40), *end = text;
	struct fixture f;

	(void)state;
	for (unsigned i = 0; i < count; i++)
		end += sprintf(end, "gone%u;x 7\ngone%u;x -7\n", i, i);
	sprintf(end, "main 1\n");
	build(&f, text, NULL);
	assert_lines(&f, "main 0 1\n");
	release(&f);
	free(text);
}

static void test_two_sides(void **state)
{
	struct fixture f;

	(void)state;
	build(&f, "main;a 3\nmain;new 4\n", "main;a 7\nmain;gone 9\nmain 1\n");
	assert_lines(&f, "main 1 0\nmain;a 7 3\nmain;gone 9 0\nmain;new 0 4\n");
	release(&f);
}

/* Files and lines are not shown: such stacks are one. */
static void test_lines_are_added_up(void **state)
{
	struct fixture f;

	(void)state;
	build(&f, "main@m.c:1;a@x.c:5 3\nmain@m.c:2;a@x.c:5 4\nmain;a 1\n",
	      "main@old.c:9;a 2\n");
	assert_lines(&f, "main;a 2 8\n");
	release(&f);
}

/* Different names, one line of text. */
static void test_escaped_names_are_one(void **state)
{
	struct profile_build *b;
	struct fixture f;
	struct notes notes;
	static const struct str names[] = {
		{ "a;b", 3 },
		{ "a:b", 3 },
		{ " a:b\n", 5 },
		{ "a\xff", 2 },
	};

	(void)state;
	profile_init(&f.slow);
	profile_init(&f.baseline);
	notes_init(&notes);
	b = profile_build_new(&f.slow, &err);
	assert_non_null(b);
	for (size_t i = 0; i < 4; i++) {
		uint32_t function, frame;

		assert_ok(profile_build_function(b, names[i], STR(""),
						 &function, &err));
		assert_ok(profile_build_frame(b, function, 0, &frame, &err));
		assert_ok(profile_build_stack(b, &frame, 1, 1 << i, &err));
	}
	assert_ok(profile_build_finish(b, &notes, &err));
	profile_build_free(b);
	arena_init(&f.arena, MIB);
	assert_ok(stack_lines_build(&f.slow, NULL, &f.arena, &f.lines, &f.count,
				    &err));
	assert_lines(&f, "a:b 0 7\na\xEF\xBF\xBD 0 8\n");
	release(&f);
}

/* By frame, not by the text of the line, where ';' stands between. */
static void test_order(void **state)
{
	struct fixture f;

	(void)state;
	build(&f, "a;z 1\na b;a 2\na!;c 3\na;b;c 4\n\xc3\xa4 6\n", NULL);
	assert_lines(&f, "a;b;c 0 4\na;z 0 1\na b;a 0 2\na!;c 0 3\n"
			 "\xc3\xa4 0 6\n");
	release(&f);
}

/* Values that cancel out leave no line; large ones do not wrap. */
static void test_values(void **state)
{
	struct fixture f;

	(void)state;
	build(&f, "a@1.c 5\na@2.c -5\nb@1.c 9223372036854775807\nb@2.c 1\n",
	      NULL);
	assert_lines(&f, "b 0 9223372036854775807\n");
	release(&f);
}

static void test_empty(void **state)
{
	struct fixture f;

	(void)state;
	build(&f, "", "");
	assert_int_equal(f.count, 0);
	release(&f);
}

static void test_memory_failures(void **state)
{
	struct fixture f;
	bool is_done = false;
	long count;

	(void)state;
	build(&f, "main;a 3\nmain;new 4\n", "main;a 7\nmain;gone 9\n");
	arena_release(&f.arena);
	for (count = 0; !is_done && count < 1000; count++) {
		arena_init(&f.arena, MIB);
		starve_after(count);
		is_done = stack_lines_build(&f.slow, &f.baseline, &f.arena,
					    &f.lines, &f.count, &err);
		stop_starving();
		if (!is_done) {
			assert_int_equal(err.code, ERROR_MEMORY);
			arena_release(&f.arena);
		}
	}
	assert_true(is_done && count > 2);
	release(&f);
}

UNIT_TESTS(stack_lines)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_side),
		cmocka_unit_test(test_stacks_that_cancelled_out),
		cmocka_unit_test(test_two_sides),
		cmocka_unit_test(test_lines_are_added_up),
		cmocka_unit_test(test_escaped_names_are_one),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_memory_failures),
	};

	return cmocka_run_group_tests_name("analyze/stack_lines", tests, NULL,
					   NULL);
}
