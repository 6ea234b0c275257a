/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "analyze/search_summary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/timefmt.h"

#define MOST 64

static struct hit now[MOST], before[MOST];
static size_t now_count, before_count;
static struct unusual found;

static void add(struct hit *items, size_t *count, const char *name,
		size_t traces, double ms)
{
	for (size_t i = 0; i < traces; i++) {
		assert_true(*count < MOST);
		items[*count] = (struct hit){
			.root_service = STR("web"),
			.root_name = str_from(name),
			.start_ns = (int64_t)*count,
			.duration_ns = (int64_t)(ms * 1e6),
		};
		(*count)++;
	}
}

static void find(void)
{
	struct error err = { 0 };

	assert_true(unusual_find(now, now_count, before, before_count, &found,
				 &err));
}

static int setup(void **state)
{
	(void)state;
	now_count = before_count = 0;
	return 0;
}

/* Logins are as long as ever, and longer than what is not. */
static void what_is_not_as_usual_is_taken(void **state)
{
	(void)state;
	add(now, &now_count, "login", 10, 40);
	add(now, &now_count, "session", 20, 25);
	add(before, &before_count, "session", 20, 0.5);
	add(before, &before_count, "login", 10, 38);
	find();
	assert_non_null(found.hit);
	assert_true(str_equal(found.hit->root_name, STR("session")));
	assert_int_equal(found.count, 20);
	assert_int_equal(found.now_ns, 25 * NS_PER_MS);
	assert_int_equal(found.usual_ns, NS_PER_MS / 2);
	assert_true(str_equal(found.as_ever->root_name, STR("login")));
}

static void of_several_the_one_that_costs_most(void **state)
{
	(void)state;
	add(now, &now_count, "rare", 5, 30);
	add(now, &now_count, "often", 30, 10);
	add(before, &before_count, "rare", 5, 1);
	add(before, &before_count, "often", 30, 2);
	find();
	assert_true(str_equal(found.hit->root_name, STR("often")));
	assert_null(found.as_ever);
}

/* One request in seven became slow: the median does not know it. */
static void a_tail_counts_too(void **state)
{
	(void)state;
	add(now, &now_count, "cart", 24, 10);
	add(now, &now_count, "cart", 4, 500);
	add(before, &before_count, "cart", 28, 10);
	find();
	assert_non_null(found.hit);
	assert_int_equal(found.percent, 90);
	assert_int_equal(found.hit->duration_ns, 500 * NS_PER_MS);
}

static void less_than_twice_is_as_ever(void **state)
{
	(void)state;
	add(now, &now_count, "cart", 10, 19.9);
	add(before, &before_count, "cart", 10, 10);
	find();
	assert_null(found.hit);
	assert_non_null(found.as_ever);
	setup(state);
	add(now, &now_count, "cart", 10, 20);
	add(before, &before_count, "cart", 10, 10);
	find();
	assert_non_null(found.hit);
}

static void few_traces_tell_nothing(void **state)
{
	(void)state;
	add(now, &now_count, "cart", 4, 100);
	add(before, &before_count, "cart", 5, 10);
	find();
	assert_null(found.hit);
	setup(state);
	add(now, &now_count, "cart", 5, 100);
	add(before, &before_count, "cart", 4, 10);
	find();
	assert_null(found.hit);
	add(before, &before_count, "cart", 1, 10);
	find();
	assert_non_null(found.hit);
	setup(state);
	find();
	assert_null(found.hit);
}

UNIT_TESTS(unusual)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(what_is_not_as_usual_is_taken, setup),
		cmocka_unit_test_setup(of_several_the_one_that_costs_most,
				       setup),
		cmocka_unit_test_setup(a_tail_counts_too, setup),
		cmocka_unit_test_setup(less_than_twice_is_as_ever, setup),
		cmocka_unit_test_setup(few_traces_tell_nothing, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
