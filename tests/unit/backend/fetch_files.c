/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "../unit.h"
#include "backend/fetch_profile.h"
#include "backend/files/files.h"
#include "backend/rooms.h"

static struct arena arena;
static struct notes notes;
static struct backends backends;
static char wide[512], odd[512], folded[512];
static struct error err;

static int set_up(void **state)
{
	const char *data = getenv("TESTDATA");

	(void)state;
	snprintf(wide, sizeof wide, "%s/pprof/wide.pb.gz", data);
	snprintf(odd, sizeof odd, "%s/pprof/odd.pb.gz", data);
	snprintf(folded, sizeof folded, "%s/folded/py-spy.folded", data);
	backends = (struct backends){ .arena = &arena, .notes = &notes };
	error_clear(&err);
	notes_init(&notes);
	arena_init(&arena, LIMIT_CONTEXT_BYTES);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_release(&arena);
	return 0;
}

static bool read_sum(const char *const *paths, size_t count, struct str type,
		     struct profile *sum)
{
	profile_init(sum);
	return fetch_profile_files(&backends, paths, count, type, sum, &err);
}

/* One file any number of times: pairs read at once, a last one alone, sums of
 * sums. */
static void test_counts(void **state)
{
	const char *paths[LIMIT_ARGUMENTS];
	static const size_t counts[] = { 2, 3, 7, 8, LIMIT_ARGUMENTS };
	struct profile one, sum;

	(void)state;
	profile_init(&one);
	assert_true(
		fetch_profile_file(&backends, odd, STR(""), NULL, &one, &err));
	for (size_t i = 0; i < LIMIT_ARGUMENTS; i++)
		paths[i] = odd;
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		int64_t n = (int64_t)counts[i];

		assert_true(read_sum(paths, counts[i], STR(""), &sum));
		assert_true(profile_check(&sum, &err));
		assert_int_equal(sum.stack_count, one.stack_count);
		assert_true(sum.total == n * one.total);
		assert_true(sum.whole_total == n * one.whole_total);
		assert_true(sum.duration_ns == n * one.duration_ns);
		assert_true(sum.stacks[0].value == n * one.stacks[0].value);
		profile_release(&sum);
	}
	profile_release(&one);
}

static void test_large_ones(void **state)
{
	const char *const paths[] = { wide, wide };
	struct profile one, sum;

	(void)state;
	profile_init(&one);
	assert_true(
		fetch_profile_file(&backends, wide, STR(""), NULL, &one, &err));
	assert_true(read_sum(paths, 2, STR(""), &sum));
	assert_int_equal(sum.stack_count, one.stack_count);
	assert_true(sum.total == 2 * one.total);
	profile_release(&one);
	profile_release(&sum);
}

/* A type without samples: sample_type, and its strings. */
static const char empty_pprof[] = "\x0a\x04\x08\x01\x10\x02"
				  "\x32\x00"
				  "\x32\x03"
				  "cpu"
				  "\x32\x0b"
				  "nanoseconds";

/* The only one of several that holds samples is put into order as a sum is,
 * though nothing is added to it. */
static void test_one_holds_samples(void **state)
{
	char empty[] = "/tmp/tracefind-empty-XXXXXX";
	const char *const first[] = { wide, empty }, *const last[] = { empty,
								       wide };
	int fd = mkstemp(empty);
	struct profile sum;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, empty_pprof, sizeof empty_pprof - 1),
			 sizeof empty_pprof - 1);
	close(fd);
	backends.file_order = STACKS_ANY_ORDER;
	for (int i = 0; i < 2; i++) {
		assert_true(read_sum(i ? last : first, 2, STR(""), &sum));
		assert_null(sum.packed);
		assert_true(sum.stack_count > 0);
		assert_non_null(sum.stacks);
		profile_release(&sum);
	}
	unlink(empty);
}

static uint64_t frames_of_stacks(const struct profile *p)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < p->stack_count; i++)
		sum += p->stacks[i].frame_count;
	return sum;
}

/* Where no order is asked for: all values are the same, and the stacks of equal
 * files meet. Small files are ordered all the same. */
static void test_any_order(void **state)
{
	static const enum profile_detail details[] = {
		PROFILE_DETAIL_LINES,
		PROFILE_DETAIL_PLACES,
	};
	const char *const paths[] = { wide, wide, wide };
	struct profile one, sum;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		backends.want.detail = details[i];
		backends.file_order = STACKS_IN_ORDER;
		profile_init(&one);
		assert_true(fetch_profile_file(&backends, wide, STR(""), NULL,
					       &one, &err));
		backends.file_order = STACKS_ANY_ORDER;
		assert_true(read_sum(paths, 3, STR(""), &sum));
		assert_true(sum.is_loose);
		assert_int_equal(sum.stack_count, one.stack_count);
		assert_int_equal(sum.frame_count, one.frame_count);
		assert_int_equal(sum.function_count, one.function_count);
		assert_int_equal(frames_of_stacks(&sum),
				 frames_of_stacks(&one));
		assert_true(sum.total == 3 * one.total);
		assert_true(sum.whole_total == 3 * one.whole_total);
		assert_true(sum.period == one.period);
		assert_true(sum.sample_count == 3 * one.sample_count);
		profile_release(&one);
		profile_release(&sum);
	}
	assert_true(read_sum((const char *[]){ odd, odd }, 2, STR(""), &sum));
	assert_false(sum.is_loose);
	profile_release(&sum);
}

/* Whichever comes first. */
static void test_different_things(void **state)
{
	const char *const paths[] = { wide, folded, odd };
	struct profile sum;

	(void)state;
	assert_false(read_sum(paths, 2, STR("cpu"), &sum));
	assert_int_equal(err.code, ERROR_FORMAT);
	assert_non_null(strstr(err.message, "wide.pb.gz holds cpu/nanoseconds "
					    "and "));
	assert_non_null(strstr(err.message, "py-spy.folded samples/count: "));
	profile_release(&sum);
}

static void test_second_missing(void **state)
{
	const char *const paths[] = { wide, "/nonexistent", wide };
	struct profile sum;

	(void)state;
	assert_false(read_sum(paths, 3, STR(""), &sum));
	assert_int_equal(err.code, ERROR_USAGE);
	assert_non_null(strstr(err.message, "/nonexistent: no such file"));
	assert_int_equal(sum.stack_count, 0);
	profile_release(&sum);
}

static void test_names(void **state)
{
	const char *const paths[] = { "a", "-", "c", "d" };

	(void)state;
	assert_string_equal(profile_files_name(&backends, paths, 2).ptr,
			    "a + standard input");
	assert_string_equal(profile_files_name(&backends, paths, 3).ptr,
			    "a + standard input + c");
	assert_string_equal(profile_files_name(&backends, paths, 4).ptr,
			    "a + 3 more");
}

UNIT_TESTS(fetch_files)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_counts, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_large_ones, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_one_holds_samples, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_any_order, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_different_things, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_second_missing, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_names, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
