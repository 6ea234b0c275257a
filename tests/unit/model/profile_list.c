/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "../unit.h"
#include "model/profile_list.h"

static struct profile_list list;
static struct error err;

static int setup(void **state)
{
	(void)state;
	return profile_list_init(&list, &err) ? 0 : 1;
}

static int teardown(void **state)
{
	(void)state;
	profile_list_release(&list);
	return 0;
}

static void add(const char *name, int64_t start_ns, int64_t duration_ns)
{
	const struct stored_entry entry = { .name = str_from(name),
					    .service = STR("cart"),
					    .type = STORED_CPU,
					    .start_ns = start_ns,
					    .duration_ns = duration_ns };

	assert_true(profile_list_add(&list, &entry, &err));
}

/* [100, 110) against windows that touch it. */
static void test_overlap(void **state)
{
	const struct stored_profile *p;

	(void)state;
	add("a", 100, 10);
	p = &list.profiles[0];
	assert_true(stored_profile_is_in(p, (struct time_range){ 109, 200 }));
	assert_false(stored_profile_is_in(p, (struct time_range){ 110, 200 }));
	assert_true(stored_profile_is_in(p, (struct time_range){ 0, 101 }));
	assert_false(stored_profile_is_in(p, (struct time_range){ 0, 100 }));
	assert_true(stored_profile_is_in(p, (struct time_range){ 104, 105 }));
}

/* Snapshots: [from, to) as ever. */
static void test_snapshots(void **state)
{
	const struct stored_profile *p;

	(void)state;
	add("a", 100, 0);
	add("b", 100, -5);
	assert_int_equal(list.profiles[1].end_ns, 100);
	p = &list.profiles[0];
	assert_true(stored_profile_is_in(p, (struct time_range){ 100, 200 }));
	assert_false(stored_profile_is_in(p, (struct time_range){ 0, 100 }));
}

static void test_labels_of_one_key(void **state)
{
	struct stored_entry entry = {
		.name = STR("a"),
		.service = STR("cart"),
		.labels = { { STR("version"), STR("1") },
			    { STR("zone"), STR("z") },
			    { STR("version"), STR("2") } },
		.label_count = 3,
	};

	(void)state;
	assert_true(profile_list_add(&list, &entry, &err));
	assert_int_equal(list.series[0].label_count, 2);
	assert_true(str_equal(
		stored_series_label(&list, &list.series[0], STR("version")),
		STR("2")));
}

static void test_limit(void **state)
{
	struct stored_entry entry = { .service = STR("cart") };
	char name[32];

	(void)state;
	for (uint32_t i = 0; i <= LIMIT_STORED_PROFILES; i++) {
		int len = snprintf(name, sizeof name, "p%u", i);
		bool is_added;

		entry.name = (struct str){ name, (size_t)len };
		is_added = profile_list_add(&list, &entry, &err);
		if (is_added != (i < LIMIT_STORED_PROFILES))
			fail_msg("%u: %d", i, is_added);
	}
	assert_int_equal(err.code, ERROR_LIMIT);
	assert_int_equal(list.count, LIMIT_STORED_PROFILES);
	entry.name = STR("p7"); /* is there already */
	assert_true(profile_list_add(&list, &entry, &err));
	assert_int_equal(profile_list_find(&list, STR("p7")), 7);
	assert_int_equal(profile_list_find(&list, STR("none")), MAP_NONE);
}

/* Names of the largest size: the list ends before memory does. */
static void test_size(void **state)
{
	static char name[LIMIT_STRING_BYTES];
	struct stored_entry entry = { .service = STR("cart") };
	uint32_t most = LIMIT_PROFILE_LIST_BYTES / sizeof name;
	bool is_added = true;

	(void)state;
	memset(name, 'n', sizeof name);
	for (uint32_t i = 0; is_added; i++) {
		memcpy(name, &i, sizeof i);
		entry.name = (struct str){ name, sizeof name };
		is_added = profile_list_add(&list, &entry, &err);
	}
	assert_int_equal(err.code, ERROR_LIMIT);
	assert_in_range(list.count, most / 2, most);
}

/* A month of one type of one service, with names as long as paths are. */
static void test_a_month_is_small(void **state)
{
	struct stored_entry entry = { .service = STR("cart"),
				      .labels = { { STR("version"),
						    STR("1") } },
				      .label_count = 1 };
	char name[128];

	(void)state;
	for (int i = 0; i < 40000; i++) {
		int len = snprintf(name, sizeof name,
				   "projects/some-project-of-mine/profiles/"
				   "%032d",
				   i);

		entry.name = (struct str){ name, (size_t)len };
		assert_true(profile_list_add(&list, &entry, &err));
	}
	assert_true(list.arena.used_bytes < 16 * MIB);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

UNIT_TESTS(profile_list)
{
	const struct CMUnitTest tests[] = {
		TEST(test_overlap),
		TEST(test_snapshots),
		TEST(test_labels_of_one_key),
		TEST(test_limit),
		TEST(test_size),
		TEST(test_a_month_is_small),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
