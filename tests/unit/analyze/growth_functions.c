/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "analyze/growth.h"

#include "profile_making.h"

#include <stdio.h>

static struct arena arena;
static struct notes notes;
static struct profile profiles[GROWTH_BLOCKS];
static struct growth_segment segment;
static struct growth_function list[GROWTH_FUNCTIONS];
static size_t count;

/* A process that holds, beside what the text says, so much of a function in
 * block i; each profile is the sum of three snapshots. */
static void make(const char *rest, const char *stack, long (*grown)(size_t i))
{
	for (size_t i = 0; i < GROWTH_BLOCKS; i++) {
		char text[400];

		snprintf(text, sizeof text, "%s\n%s %ld", rest, stack,
			 3 * grown(i));
		make_cpu_profile(&profiles[i], text);
		segment.hours[i] = (double)i;
		segment.values[i] = (double)profiles[i].total / 3;
	}
}

static struct growth_functions *find(double least)
{
	struct growth_blocks want = { .profiles = profiles,
				      .segments = &segment,
				      .process_count = 1,
				      .least = least,
				      .most_q = GROWTH_PART_Q,
				      .keep = &arena,
				      .notes = &notes };
	struct growth_functions *g = growth_functions_new(&want, &err);

	assert_non_null(g);
	assert_ok(growth_functions_find(g, list, &count, &err));
	return g;
}

static void release(struct growth_functions *g)
{
	growth_functions_free(g);
	for (size_t i = 0; i < GROWTH_BLOCKS; i++)
		profile_release(&profiles[i]);
}

static long line(size_t i)
{
	return 10 + 5 * (long)i;
}

static long level(size_t i)
{
	return i % 2 ? 40 : 41;
}

/* Of two ways to one function the one that grew, not the larger one. */
static void test_the_function_and_its_path(void **state)
{
	struct growth_functions *g;
	struct profile other;
	double value;

	(void)state;
	make("main.main;main.load;main.Store@store.go:9 300\n"
	     "main.main;main.render 90",
	     "main.main;main.serve;main.Store@store.go:9", line);
	g = find(10);
	assert_int_equal(count, 2);
	assert_true(str_equal(list[0].name, STR("main.Store")));
	assert_true(str_equal(list[0].file, STR("store.go")));
	assert_int_equal(list[0].growth.kind, GROWTH_ENDLESS);
	assert_true(list[0].growth.per_hour > 4.99 &&
		    list[0].growth.per_hour < 5.01);
	assert_true(str_equal(list[0].path,
			      STR("main.main > main.serve > main.Store")));
	assert_int_equal(list[1].growth.kind, GROWTH_NONE);
	assert_null(list[1].path.ptr);
	make_cpu_profile(&other,
			 "main.main;main.serve;main.Store 7\nmain.main 2");
	assert_ok(growth_functions_value(g, 0, &other, &value, &err));
	assert_true(value == 7);
	profile_release(&other);
	release(g);
}

static void test_none_grows(void **state)
{
	(void)state;
	make("main.main;main.render 90", "main.main;main.Store", level);
	release(find(10));
	for (size_t i = 0; i < count; i++)
		assert_int_equal(list[i].growth.kind, GROWTH_NONE);
}

/* What grows by less than counts is told, but is no leak. */
static void test_little(void **state)
{
	(void)state;
	make("main.main;main.render 90", "main.main;main.Store", line);
	release(find(100));
	assert_int_equal(list[0].growth.kind, GROWTH_SMALL);
	assert_null(list[0].path.ptr);
}

static int setup(void **state)
{
	(void)state;
	arena_init(&arena, MIB);
	notes_init(&notes);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	arena_release(&arena);
	return 0;
}

UNIT_TESTS(growth_functions)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_function_and_its_path),
		cmocka_unit_test(test_none_grows),
		cmocka_unit_test(test_little),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
