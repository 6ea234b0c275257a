/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "analyze/burn.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/limits.h"
#include "base/timefmt.h"

static struct arena arena;

static int setup(void **state)
{
	(void)state;
	arena_init(&arena, MIB);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	arena_release(&arena);
	return 0;
}

static bool is_near(double a, double b)
{
	return fabs(a - b) < 0.0005;
}

static struct spent_request request(enum cause_kind cause, const char *service,
				    const char *function, double explained)
{
	return (struct spent_request){ .trace_id = "1",
				       .cause = cause,
				       .service = str_from(service),
				       .operation = STR("GET"),
				       .function = str_from(function),
				       .duration_ns = NS_PER_S,
				       .excess_ns = NS_PER_S / 2,
				       .explained = explained };
}

/* Each request weighs the same, and what its cause leaves is not explained. */
static void test_shares(void **state)
{
	struct spent_request list[] = {
		request(CAUSE_CPU, "a", "f", 1),
		request(CAUSE_LOCK, "b", "g", 0.5),
		request(CAUSE_CPU, "a", "f", 0.8),
		request(CAUSE_CPU, "a", "h", 1),
	};
	struct error err = { 0 };
	struct spent s;

	(void)state;
	list[0].excess_ns = 10 * NS_PER_S;
	assert_true(spent_sum(list, 4, &arena, &s, &err));
	assert_int_equal(s.row_count, 3);
	assert_true(is_near(s.rows[0].share, 0.45));
	assert_int_equal(s.rows[0].count, 2);
	assert_ptr_equal(s.rows[0].example, &list[0]);
	assert_int_equal(s.rows[0].excess_ns, 10400 * NS_PER_MS);
	assert_true(is_near(s.rows[1].share, 0.25));
	assert_true(is_near(s.rows[2].share, 0.125));
	assert_true(is_near(s.unexplained, 0.175));
	assert_int_equal(s.excess_ns, 11500 * NS_PER_MS);
}

/* What one does not show and another does that is alike. */
static void test_filled_in(void **state)
{
	struct spent_request list[] = {
		request(CAUSE_UNKNOWN, "a", NULL, 1),
		request(CAUSE_CPU, "a", "f", 1),
		request(CAUSE_CPU, "a", NULL, 1),
		request(CAUSE_UNKNOWN, "b", NULL, 1),
		request(CAUSE_CPU, "a", NULL, 1),
	};
	struct error err = { 0 };
	struct spent s;

	(void)state;
	list[4].is_failed = true;
	assert_true(spent_sum(list, 5, &arena, &s, &err));
	assert_int_equal(s.row_count, 3);
	assert_int_equal(s.rows[0].count, 3);
	assert_true(str_equal(s.rows[0].example->function, STR("f")));
	assert_int_equal(list[3].cause, CAUSE_UNKNOWN);
	assert_int_equal(list[4].function.len, 0);
}

static void test_none(void **state)
{
	struct error err = { 0 };
	struct spent s;

	(void)state;
	assert_true(spent_sum(NULL, 0, &arena, &s, &err));
	assert_int_equal(s.row_count, 0);
}

/* Wilson's, of tables: 10 of 20 is 29.9 to 70.1 %, 20 of 20 83.9 to 100 %. */
static void test_interval(void **state)
{
	double low, high;

	(void)state;
	spent_interval(0.5, 20, &low, &high);
	assert_true(is_near(low, 0.2993) && is_near(high, 0.7007));
	spent_interval(1, 20, &low, &high);
	assert_true(is_near(low, 0.8389) && is_near(high, 1));
	spent_interval(0, 20, &low, &high);
	assert_true(is_near(low, 0) && is_near(high, 0.1611));
}

UNIT_TESTS(spent)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_shares, setup, teardown),
		cmocka_unit_test_setup_teardown(test_filled_in, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_none, setup, teardown),
		cmocka_unit_test(test_interval),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
