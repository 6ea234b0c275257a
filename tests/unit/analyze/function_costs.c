/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "analyze/function_costs.h"

#include "profile_making.h"

#include <math.h>

#define TEN_MS 10000000

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-3)

static struct arena arena;
static struct profile whole, parts[4];

static int setup(void **state)
{
	(void)state;
	arena_init(&arena, 64 * MIB);
	profile_init(&whole);
	for (int i = 0; i < 4; i++)
		profile_init(&parts[i]);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	profile_release(&whole);
	for (int i = 0; i < 4; i++)
		profile_release(&parts[i]);
	arena_release(&arena);
	return 0;
}

static struct function_costs find(size_t slices)
{
	const struct profile *list[] = { &parts[0], &parts[1], &parts[2],
					 &parts[3] };
	const double exposure[] = { 100, 100, 100, 100 };
	struct rank_slices of = { list, exposure, slices };
	struct function_costs out;

	assert_ok(function_costs_find(&whole, &of, NULL, &arena, &out, &err));
	return out;
}

static void make_whole(int64_t period)
{
	profile_release(&whole);
	make_profile(&whole, "cpu", "nanoseconds", period,
		     "main;shop.Pay@pay.go:7;encoding/json.Marshal 8000000000\n"
		     "main;shop.Pay@pay.go:7 1000000000\n"
		     "main;shop.Cart@cart.go:3 960000000\n"
		     "main;shop.Tip@tip.go:1 40000000");
}

/* Each stack is charged once. */
static void test_adds_up(void **state)
{
	struct function_costs f;
	double sum = 0;

	(void)state;
	make_whole(TEN_MS);
	f = find(0);
	assert_int_equal(f.count, 3);
	assert_true(str_equal(f.items[0].name, STR("shop.Pay")));
	assert_true(str_equal(f.items[0].leaf, STR("encoding/json.Marshal")));
	assert_true(str_equal(f.items[0].file, STR("pay.go")));
	assert_null(f.items[1].leaf.ptr);
	for (size_t i = 0; i < f.count; i++)
		sum += f.items[i].value;
	assert_true(sum == f.whole.value);
	assert_true(sum == 10e9);
}

/* Without parts the noise is taken as three times that of samples: 900 samples,
 * and four, of which there might be none. */
static void test_assumed_noise(void **state)
{
	struct function_costs f;

	(void)state;
	make_whole(TEN_MS);
	f = find(0);
	assert_false(f.is_by_slices);
	NEAR(f.items[0].error, 1.96 * sqrt(3.0 / 900));
	assert_true(f.items[2].error > 1);
	make_whole(0);
	f = find(0);
	assert_true(isnan(f.items[0].error) != 0);
	assert_true(isnan(f.whole.error) != 0);
}

static void make_parts(const char *steady, const char *burst)
{
	for (int i = 0; i < 4; i++) {
		profile_release(&parts[i]);
		make_profile(&parts[i], "cpu", "nanoseconds", TEN_MS,
			     i == 2 && burst ? burst : steady);
	}
}

/* What comes all at once is known less well than what comes evenly. */
static void test_slices(void **state)
{
	double even, uneven;
	struct function_costs f;

	(void)state;
	make_profile(&whole, "cpu", "nanoseconds", TEN_MS,
		     "main;shop.Pay 8000000000\nmain;shop.Cart 4000000000");
	make_parts("main;shop.Pay 2000000000\nmain;shop.Cart 1000000000", NULL);
	f = find(4);
	assert_true(f.is_by_slices);
	even = f.items[0].error;
	assert_true(even > 0 && even < 0.2);
	make_parts("main;shop.Pay 10000000\nmain;shop.Cart 1000000000",
		   "main;shop.Pay 7970000000\nmain;shop.Cart 1000000000");
	uneven = find(4).items[0].error;
	assert_true(uneven > 5 * even);
}

static void test_error_of_a_sum(void **state)
{
	const double values[] = { 100, 100, 100, 100 };
	const double none[] = { 0, 0, 0, 0 };
	const double exposure[] = { 1, 1, 1, 1 };

	(void)state;
	/* Student's t of three degrees of freedom, phi at least 1. */
	NEAR(cost_error(values, exposure, 4, 1), 3.182 / 20);
	NEAR(cost_error(values, exposure, 1, 1), 1.96 * sqrt(3.0 / 100));
	assert_true(isnan(cost_error(none, exposure, 4, 1)));
	assert_true(isnan(cost_error(values, exposure, 4, 0)));
}

UNIT_TESTS(function_costs)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_adds_up, setup, teardown),
		cmocka_unit_test_setup_teardown(test_assumed_noise, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_slices, setup, teardown),
		cmocka_unit_test(test_error_of_a_sum),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
