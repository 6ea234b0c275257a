/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../unit.h"
#include "backend/files/files.h"

static char large[512], small[512];
static struct notes notes;

static const struct type_name cpu = { { "cpu", 3 }, { "nanoseconds", 11 } };

static int find_files(void **state)
{
	(void)state;
	snprintf(large, sizeof large, "%s/pprof/wide.pb.gz",
		 getenv("TESTDATA"));
	snprintf(small, sizeof small, "%s/pprof/odd.pb.gz", getenv("TESTDATA"));
	return 0;
}

/* What is read ahead is what is read, for whoever asks for its type. */
static void test_second_of_two(void **state)
{
	struct backends backends = { .file_order = STACKS_IN_ORDER };
	struct file_ahead a;
	struct profile ahead, now;
	struct error err = { 0 };

	(void)state;
	notes_init(&notes);
	backends.notes = &notes;
	profile_init(&ahead);
	profile_init(&now);
	file_ahead_start(&a, &backends, large, large, STR(""), NULL, &ahead);
	assert_int_equal(a.path != NULL, thread_is_worth_it());
	assert_true(fetch_profile_file(&backends, large, STR(""), NULL, &now,
				       &err));
	if (file_ahead_take(&a, &backends, &cpu)) {
		assert_true(profile_check(&ahead, &err));
		assert_int_equal(ahead.stack_count, now.stack_count);
		assert_true(ahead.total == now.total);
	}
	assert_null(a.path);
	profile_release(&ahead);
	profile_release(&now);
}

static void test_of_another_type(void **state)
{
	struct backends backends = { .file_order = STACKS_SUMMED };
	const struct type_name others[] = {
		{ STR("alloc_space"), STR("bytes") },
		{ STR("cpu"), STR("count") },
		{ STR("wall"), STR("nanoseconds") },
	};
	struct file_ahead a;
	struct profile ahead;

	(void)state;
	notes_init(&notes);
	backends.notes = &notes;
	profile_init(&ahead);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		file_ahead_start(&a, &backends, large, large, STR(""), NULL,
				 &ahead);
		assert_false(file_ahead_take(&a, &backends, &others[i]));
		assert_int_equal(ahead.stack_count, 0);
		assert_null(ahead.packed);
		assert_int_equal(notes.count, 0);
	}
	profile_release(&ahead);
}

static void test_not_worth_it(void **state)
{
	struct backends backends = { .file_order = STACKS_SUMMED };
	struct file_ahead a;
	struct profile ahead;
	const char *const pairs[][2] = {
		{ small, large },
		{ large, small },
		{ "-", large },
		{ large, "/nonexistent" },
	};

	(void)state;
	profile_init(&ahead);
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		file_ahead_start(&a, &backends, pairs[i][0], pairs[i][1],
				 STR(""), NULL, &ahead);
		assert_null(a.path);
		assert_false(file_ahead_take(&a, &backends, &cpu));
	}
}

UNIT_TESTS(fetch_file)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_second_of_two),
		cmocka_unit_test(test_of_another_type),
		cmocka_unit_test(test_not_worth_it),
	};

	return cmocka_run_group_tests(tests, find_files, NULL);
}
