/* SPDX-License-Identifier: Apache-2.0
 *
 * Comparisons whose sides come in blocks, and those per request.
 */
#include "../unit.h"
#include "ranking.h"

#include "../starving.h"
#include "analyze/diff.h"
#include "analyze/function_table.h"
#include "model/profile.h"
#include "model/profile_runs.h"

#define MOST_SLICES 6

struct side_slices {
	struct profile items[MOST_SLICES];
	const struct profile *list[MOST_SLICES];
	size_t count;
};

struct slice_fixture {
	struct fixture f;
	struct side_slices slow;
	struct side_slices base;
	const char *type;
	const char *unit;
	int64_t period;
};

static void make_side(const struct slice_fixture *b, struct side_slices *side,
		      struct profile *sum, const char *const *texts)
{
	for (side->count = 0; texts[side->count]; side->count++) {
		struct profile *p = &side->items[side->count];

		make_profile(p, b->type, b->unit, b->period,
			     texts[side->count]);
		side->list[side->count] = p;
	}
	profile_init(sum);
	assert_ok(profile_merge(sum, side->list, side->count, NULL, &err));
}

static void rank_slices(struct slice_fixture *b, const char *const *slow,
			const char *const *base, struct rank_want want)
{
	if (!b->type) {
		b->type = "samples";
		b->unit = "count";
		b->period = 1;
	}
	make_side(b, &b->slow, &b->f.slow, slow);
	make_side(b, &b->base, &b->f.baseline, base);
	want.slow_slices.profiles = b->slow.list;
	want.slow_slices.count = b->slow.count;
	want.baseline_slices.profiles = b->base.list;
	want.baseline_slices.count = b->base.count;
	rank(&b->f, true, &want);
}

static void release_slices(struct slice_fixture *b)
{
	for (size_t i = 0; i < b->slow.count; i++)
		profile_release(&b->slow.items[i]);
	for (size_t i = 0; i < b->base.count; i++)
		profile_release(&b->base.items[i]);
	release(&b->f);
}

static const struct rank_want by_share = { 0 };

/* The same sums: steady blocks prove the growth, one burst does not. */
static void test_bursts(void **state)
{
	static const char *const steady[] = { "a.x 75\na.y 500\n",
					      "a.x 75\na.y 500\n",
					      "a.x 75\na.y 500\n",
					      "a.x 75\na.y 500\n", NULL };
	static const char *const burst[] = { "a.x 5\na.y 500\n",
					     "a.x 285\na.y 500\n",
					     "a.x 5\na.y 500\n",
					     "a.x 5\na.y 500\n", NULL };
	static const char *const base[] = { "a.x 5\na.y 500\n",
					    "a.x 5\na.y 500\n",
					    "a.x 5\na.y 500\n",
					    "a.x 5\na.y 500\n", NULL };
	struct slice_fixture b = { 0 };

	(void)state;
	rank_slices(&b, steady, base, by_share);
	assert_int_equal(row(&b.f, "a.x")->change, CHANGE_GROWN);
	assert_true(row(&b.f, "a.x")->q < 0.01);
	assert_true(has_note(&b.f, "noise: measured on 4 time slices of the "
				   "comparison and 4 of the baseline"));
	release_slices(&b);
	rank_slices(&b, burst, base, by_share);
	assert_int_equal(row(&b.f, "a.x")->change, CHANGE_NOISE);
	assert_true(row(&b.f, "a.x")->q > 0.05);
	release_slices(&b);
}

/* Hand-worked: 40, 50, 60 of seconds 1 each against 20, 20, 20. Too few
 * functions to tell of a trend: all of them are a.x, whose variance is
 * (100 + 0 + 100) / 50 / 4 = 1 on four degrees of freedom, as the trend is taken
 * to be on four more (a.y with 100 everywhere has none). Between the windows
 * 2 * 0.05^2 are added to 4 / 210: phi 1.2625 with 8 * 1.2625^2 degrees of
 * freedom. z of 150 in 210 by mid-p is 6.293982; R's pt() gives q, twice p for
 * two candidates. */
static void test_rate_by_hand(void **state)
{
	static const char *const slow[] = { "a.x 40\na.y 100\n",
					    "a.x 50\na.y 100\n",
					    "a.x 60\na.y 100\n", NULL };
	static const char *const base[] = { "a.x 20\na.y 100\n",
					    "a.x 20\na.y 100\n",
					    "a.x 20\na.y 100\n", NULL };
	struct rank_want want = { .normalize = NORMALIZE_RATE,
				  .window_ns = 3000000000,
				  .baseline_ns = 3000000000 };
	struct slice_fixture b = { 0 };

	(void)state;
	rank_slices(&b, slow, base, want);
	assert_close(row(&b.f, "a.x")->q, 0.000184872168686);
	assert_close(row(&b.f, "a.x")->delta, 90.0 / 450);
	assert_int_equal(row(&b.f, "a.x")->change, CHANGE_GROWN);
	assert_quiet(row(&b.f, "a.y"));
	release_slices(&b);
}

/* An empty block and one without seconds tell nothing; five and two blocks
 * are as good as others. */
static void test_uneven_slices(void **state)
{
	static const char *const slow[] = { "a.x 40\na.y 100\n",
					    "a.x 50\na.y 100\n",
					    "",
					    "a.x 60\na.y 100\n",
					    "a.x 50\na.y 100\n",
					    "a.x 50\na.y 100\n",
					    NULL };
	static const char *const base[] = { "a.x 10\na.y 100\n",
					    "a.x 10\na.y 100\n", "a.y 1\n",
					    NULL };
	static const double seconds[] = { 60, 60, 60, 60, 60, 60 };
	static const double lacking[] = { 60, 60, 0 };
	struct rank_want want = { .normalize = NORMALIZE_RATE,
				  .window_ns = 360000000000,
				  .baseline_ns = 120000000000,
				  .slow_slices.exposure = seconds,
				  .baseline_slices.exposure = lacking };
	struct slice_fixture b = { 0 };

	(void)state;
	rank_slices(&b, slow, base, want);
	assert_true(has_note(&b.f, "5 time slices of the comparison and 2 "
				   "of the baseline"));
	assert_int_equal(row(&b.f, "a.x")->change, CHANGE_GROWN);
	release_slices(&b);
}

/* One block a side is one window a side. */
static void test_too_few_slices(void **state)
{
	static const char *const slow[] = { "a.x 400\na.y 100\n", "", NULL };
	static const char *const base[] = { "a.x 100\na.y 400\n", NULL };
	struct slice_fixture b = { 0 };

	(void)state;
	rank_slices(&b, slow, base, by_share);
	assert_true(has_note(&b.f, "noise: estimated"));
	release_slices(&b);
}

/* Delays of locks are no samples. Steady growth is proved by blocks, one long
 * wait is not, though it adds up to as much. */
static void test_delays(void **state)
{
	static const char *const slow[] = {
		"a.lock 900000\na.wait 70000\na.rest 500000\n",
		"a.lock 1000000\na.wait 3800000\na.rest 520000\n",
		"a.lock 1100000\na.wait 65000\na.rest 480000\n",
		"a.lock 1000000\na.wait 65000\na.rest 500000\n", NULL
	};
	static const char *const base[] = {
		"a.lock 100000\na.wait 70000\na.rest 510000\n",
		"a.lock 110000\na.wait 60000\na.rest 490000\n",
		"a.lock 90000\na.wait 70000\na.rest 500000\n",
		"a.lock 100000\na.wait 65000\na.rest 500000\n", NULL
	};
	struct rank_want want = { .normalize = NORMALIZE_RATE,
				  .window_ns = 60000000000,
				  .baseline_ns = 60000000000 };
	struct slice_fixture b = { .type = "delay",
				   .unit = "nanoseconds",
				   .period = 1 };

	(void)state;
	rank_slices(&b, slow, base, want);
	assert_int_equal(row(&b.f, "a.lock")->change, CHANGE_GROWN);
	assert_true(row(&b.f, "a.lock")->delta_low > 0);
	assert_int_equal(row(&b.f, "a.wait")->change, CHANGE_NOISE);
	assert_true(row(&b.f, "a.wait")->q > 0.05);
	assert_quiet(row(&b.f, "a.rest"));
	assert_false(has_note(&b.f, "not tested"));
	release_slices(&b);
}

/* Blocks of owner, self and total measures are those of the sides. */
static void test_measures(void **state)
{
	static const char *const slow[] = {
		"m.m;a.x;strings.Map 75\nm.m;a.y 100\nm.m;strings.Map 400\n",
		"m.m;a.x;strings.Map 75\nm.m;a.y 100\nm.m;strings.Map 400\n",
		"m.m;a.x;strings.Map 75\nm.m;a.y 100\nm.m;strings.Map 400\n",
		NULL
	};
	static const char *const base[] = {
		"m.m;a.x;strings.Map 15\nm.m;a.y 100\nm.m;strings.Map 400\n",
		"m.m;a.x;strings.Map 15\nm.m;a.y 100\nm.m;strings.Map 400\n",
		"m.m;a.x;strings.Map 15\nm.m;a.y 100\nm.m;strings.Map 400\n",
		NULL
	};
	struct rank_want self = { .by = RANK_SELF };
	struct rank_want total = { .by = RANK_TOTAL };
	struct slice_fixture b = { 0 };

	(void)state;
	rank_slices(&b, slow, base, by_share);
	assert_int_equal(row(&b.f, "a.x")->change, CHANGE_GROWN);
	assert_quiet(row(&b.f, "strings.Map"));
	release_slices(&b);
	rank_slices(&b, slow, base, total);
	assert_int_equal(row(&b.f, "a.x")->change, CHANGE_GROWN);
	assert_true(isnan(row(&b.f, "m.m")->q));
	release_slices(&b);
	rank_slices(&b, slow, base, self);
	assert_true(isnan(row(&b.f, "a.x")->q));
	assert_true(row(&b.f, "strings.Map")->q >= 0);
	release_slices(&b);
}

/* ---- requests ---- */

/* Twice the traffic is no regression; twice the work per request is. */
static void test_per_request(void **state)
{
	struct rank_want want = { .normalize = NORMALIZE_REQUEST,
				  .slow_requests = 2000,
				  .baseline_requests = 1000 };
	struct fixture f;

	(void)state;
	rank_cpu(&f, "a.x 1200\na.y 800\n", "a.x 600\na.y 400\n", &want);
	assert_close(row(&f, "a.x")->delta, 0);
	assert_quiet(row(&f, "a.x"));
	release(&f);
	rank_cpu(&f, "a.x 2400\na.y 800\n", "a.x 600\na.y 400\n", &want);
	assert_close(row(&f, "a.x")->delta, 1200.0 / 3200);
	assert_int_equal(row(&f, "a.x")->change, CHANGE_GROWN);
	assert_quiet(row(&f, "a.y"));
	release(&f);
	/* Not known: as they are, and who asked for it is told. */
	want.baseline_requests = 0;
	want.is_way_asked = true;
	rank_cpu(&f, "a.x 1200\na.y 800\n", "a.x 600\na.y 400\n", &want);
	assert_int_equal(f.result.normalize, NORMALIZE_VALUE);
	assert_close(row(&f, "a.x")->delta, 0.3);
	assert_true(has_note(&f, "not compared per request: the number"));
	release(&f);
}

/* 300 against 200 in as many requests: phi is 3 + 0.02 * 125 = 5.5. If the
 * requests are 100 sampled traces a side, 125 * (1/100 + 1/100) more. p by
 * scipy's binom and norm, the only candidate. */
static void test_sampled_requests(void **state)
{
	struct rank_want want = { .normalize = NORMALIZE_REQUEST,
				  .slow_requests = 100,
				  .baseline_requests = 100 };
	struct fixture f;
	double exact_low;

	(void)state;
	rank_cpu(&f, "a.x 300\na.y 4\n", "a.x 200\na.y 4\n", &want);
	assert_close(row(&f, "a.x")->q, 0.05598951712105512);
	exact_low = row(&f, "a.x")->delta_low;
	release(&f);
	want.is_requests_sampled = true;
	rank_cpu(&f, "a.x 300\na.y 4\n", "a.x 200\na.y 4\n", &want);
	assert_close(row(&f, "a.x")->q, 0.11305390356776934);
	assert_true(row(&f, "a.x")->delta_low < exact_low);
	release(&f);
}

/* A rare request's function is little of a busy service: 0.3 % that came up
 * from nothing is said per request, 0.3 % more of 60 % is not. */
static void test_small_but_clear(void **state)
{
	struct rank_want want = { .normalize = NORMALIZE_REQUEST,
				  .slow_requests = 1000000,
				  .baseline_requests = 1000000 };
	struct fixture f;

	(void)state;
	rank_cpu(&f, "a.x 3000\na.y 600000\na.z 400000\n",
		 "a.x 300\na.y 597000\na.z 400000\n", &want);
	assert_int_equal(row(&f, "a.x")->change, CHANGE_GROWN);
	assert_quiet(row(&f, "a.y"));
	release(&f);
}

static void add_functions(char *text, int count, int value)
{
	for (int i = 0; i < count; i++)
		sprintf(text + strlen(text), "a.f%d %d\n", i, value);
}

/* All functions took a fifth more, as on a slower host: nothing is claimed.
 * What took half as much again stands out; beyond what load explains all is
 * claimed. */
static void test_common_load(void **state)
{
	char fifth[512] = "a.x 6000\n", base[512] = "a.x 4000\n";
	char half[512] = "a.x 6000\n";
	struct rank_want want = { .normalize = NORMALIZE_REQUEST,
				  .slow_requests = 1000,
				  .baseline_requests = 1000 };
	struct fixture f;

	(void)state;
	add_functions(fifth, 10, 120000);
	add_functions(half, 10, 300000);
	add_functions(base, 10, 100000);
	rank_cpu(&f, fifth, base, &want);
	for (size_t i = 0; i < f.result.function_count; i++)
		assert_false(change_is_real(f.result.functions[i].change));
	assert_true(has_note(&f, "most functions are at 120 %"));
	release(&f);
	rank_cpu(&f, half, base, &want);
	assert_int_equal(row(&f, "a.f3")->change, CHANGE_GROWN);
	release(&f);
}

/* ---- sampling periods ---- */

/* 100 and 50 samples a second for the same work: 400 of 20 ms are as much as
 * 800 of 10 ms. */
static void test_periods_of_rates(void **state)
{
	struct rank_want want = { .normalize = NORMALIZE_REQUEST,
				  .slow_requests = 1000,
				  .baseline_requests = 1000 };
	struct fixture f;

	(void)state;
	make_profile(&f.slow, "cpu", "nanoseconds", 20000000,
		     "a.x 8000000000\na.y 4000000000\n");
	make_profile(&f.baseline, "cpu", "nanoseconds", 10000000,
		     "a.x 8000000000\na.y 1000000000\n");
	rank(&f, true, &want);
	assert_quiet(row(&f, "a.x"));
	assert_close(row(&f, "a.x")->delta, 0);
	assert_int_equal(row(&f, "a.y")->change, CHANGE_GROWN);
	assert_close(row(&f, "a.y")->delta, 0.25);
	assert_true(has_note(&f, "sampled every 20 ms and 10 ms"));
	release(&f);
}

/* A mixture of 100 and 97 Hz has no period: refused, unless its values are
 * whole samples of the other side's, or blocks show the noise. */
static void test_unknown_period(void **state)
{
	static const char *const slow[] = { "a.x 90000000\na.y 10309278\n",
					    "a.x 90000000\na.y 10309278\n",
					    NULL };
	static const char *const base[] = { "a.x 10309278\na.y 90000000\n",
					    "a.x 10309278\na.y 90000000\n",
					    NULL };
	struct slice_fixture b = { .type = "cpu", .unit = "nanoseconds" };
	struct rank_want want = { 0 };
	struct fixture f;

	(void)state;
	make_profile(&f.slow, "cpu", "nanoseconds", 10000000,
		     "a.x 9000000000\na.y 1000000000\n");
	make_profile(&f.baseline, "cpu", "nanoseconds", 0,
		     "a.x 103092780\na.y 9000000000\n");
	rank(&f, true, &want);
	assert_int_equal(row(&f, "a.x")->change, CHANGE_NONE);
	assert_true(isnan(row(&f, "a.x")->q));
	assert_true(row(&f, "a.x")->baseline_self_lib_value == 103092780);
	assert_true(has_note(&f, "the sampling period of the baseline is not "
				 "known"));
	release(&f);
	make_profile(&f.slow, "cpu", "nanoseconds", 10000000,
		     "a.x 9000000000\na.y 1000000000\n");
	make_profile(&f.baseline, "cpu", "nanoseconds", 0,
		     "a.x 1000000000\na.y 9000000000\n");
	rank(&f, true, &want);
	assert_int_equal(row(&f, "a.x")->change, CHANGE_GROWN);
	assert_true(has_note(&f, "noise: estimated"));
	release(&f);
	rank_slices(&b, slow, base, by_share);
	assert_true(has_note(&b.f, "noise: measured on 2 time slices"));
	release_slices(&b);
}

/* Blocks, renames, shifts and holders; a first run made both profiles. */
static void test_memory_failures(void **state)
{
	static const char *const slow[] = { "m.m;a.x;a.new 90\nm.m;a.y 100\n",
					    "m.m;a.x;a.new 90\nm.m;a.y 100\n",
					    NULL };
	static const char *const base[] = { "m.m;a.x;a.old 80\nm.m;a.z 100\n",
					    "m.m;a.x;a.old 80\nm.m;a.z 100\n",
					    NULL };
	struct rank_want want = { .by = RANK_TOTAL };
	struct slice_fixture b = { 0 };
	bool is_done = false;
	long count;

	(void)state;
	rank_slices(&b, slow, base, want);
	want.slow_slices.profiles = b.slow.list;
	want.slow_slices.count = b.slow.count;
	want.baseline_slices.profiles = b.base.list;
	want.baseline_slices.count = b.base.count;
	for (count = 0; !is_done && count < 1000; count++) {
		arena_release(&b.f.result.arena);
		memset(&b.f.result, 0, sizeof b.f.result);
		arena_init(&b.f.result.arena, 64 * MIB);
		starve_after(count);
		is_done = functions_rank(&b.f.slow, &b.f.baseline, &want,
					 &b.f.result, &err);
		stop_starving();
		assert_true(is_done || err.code == ERROR_MEMORY);
	}
	assert_true(is_done && count > 2);
	release_slices(&b);
}

/* Runs that are folded into one give each function what it took in each. */
static void test_folded(void **state)
{
	/* Recursion, stacks that end within others, and some of one run. */
	static const char *const texts[] = {
		"main;a.x;b.y;a.x;runtime.mallocgc 5\nmain;a.x 3\n",
		"main;a.x;b.y 7\nmain;b.y;a.x 1\nmain;c.z 4\n",
		"main;a.x;b.y;a.x 2\nmain;a.x 6\nother 9\n",
		NULL,
	};
	static const enum rank_by measures[] = { RANK_SELF_LIB, RANK_SELF,
						 RANK_TOTAL };
	struct slice_fixture b = { .type = "cpu", .unit = "count", .period = 1 };
	struct profile sum, folded;
	struct profile_runs runs;
	struct func_table plain_table, folded_table;
	struct arena arena;

	(void)state;
	arena_init(&arena, MIB);
	make_side(&b, &b.slow, &sum, texts);
	profile_init(&folded);
	assert_ok(profile_runs_init(&runs, &folded, b.slow.count, &err));
	for (size_t i = 0; i < b.slow.count; i++) {
		struct profile again;

		make_profile(&again, b.type, b.unit, b.period, texts[i]);
		assert_ok(profile_runs_add(&runs, &again, &err));
	}
	assert_ok(profile_runs_finish(&runs, NULL, &err));
	assert_ok(func_table_build(&plain_table, &arena, &sum, NULL, NULL,
				   FUNC_NAMES_MATCHED, &err));
	assert_ok(func_table_build(&folded_table, &arena, &folded, NULL, NULL,
				   FUNC_NAMES_MATCHED, &err));
	assert_int_equal(plain_table.count, folded_table.count);
	for (size_t m = 0; m < 3; m++) {
		struct rank_want want = { .by = measures[m],
					  .slow_slices = { b.slow.list, NULL,
							   b.slow.count } };
		struct slice_values plain, values;

		assert_ok(slice_values_build(&plain, &plain_table, &want, false,
					     &err));
		want.slow_slices.folded = &runs;
		assert_ok(slice_values_build(&values, &folded_table, &want,
					     false, &err));
		for (uint32_t id = 0; id < plain_table.count; id++) {
			uint32_t there = func_table_find(
				&folded_table, plain_table.entries[id].key);

			assert_memory_equal(
				plain.sides[0].values + id * b.slow.count,
				values.sides[0].values + there * b.slow.count,
				b.slow.count * sizeof(double));
		}
	}
	for (size_t i = 0; i < b.slow.count; i++)
		profile_release(&b.slow.items[i]);
	profile_runs_release(&runs);
	profile_release(&folded);
	profile_release(&sum);
	arena_release(&arena);
}

UNIT_TESTS(slices)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bursts),
		cmocka_unit_test(test_rate_by_hand),
		cmocka_unit_test(test_uneven_slices),
		cmocka_unit_test(test_too_few_slices),
		cmocka_unit_test(test_delays),
		cmocka_unit_test(test_measures),
		cmocka_unit_test(test_per_request),
		cmocka_unit_test(test_sampled_requests),
		cmocka_unit_test(test_small_but_clear),
		cmocka_unit_test(test_common_load),
		cmocka_unit_test(test_periods_of_rates),
		cmocka_unit_test(test_unknown_period),
		cmocka_unit_test(test_memory_failures),
		cmocka_unit_test(test_folded),
	};

	return cmocka_run_group_tests_name("analyze/blocks", tests, NULL, NULL);
}
