/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "ranking.h"

static const char slow_side[] =
	"main.main;shop.find;database/sql.(*DB).Query 1170\n"
	"main.main;shop.render 400\n"
	"main.main;shop.encode 130\n"
	"main.main;shop.fresh 100\n";
static const char base_side[] =
	"main.main;shop.find;database/sql.(*DB).Query 700\n"
	"main.main;shop.render 13300\n"
	"main.main;shop.encode 1200\n"
	"main.main;shop.old 2800\n";

static void test_changes(void **state)
{
	struct fixture f;
	struct rank_want want = { 0 };
	const struct function_row *r;

	(void)state;
	rank_cpu(&f, slow_side, base_side, &want);
	/* Worse ones first, then better ones, the rest by value. */
	ASSERT_ORDER(&f, "shop.find", "shop.fresh", "shop.render", "shop.old",
		     "shop.encode", "main.main");
	r = row(&f, "shop.find");
	assert_int_equal(r->change, CHANGE_GROWN);
	assert_close(r->self_lib, 0.65);
	assert_close(r->baseline_self_lib, 700.0 / 18000);
	assert_close(r->delta, 0.65 - 700.0 / 18000);
	assert_true(r->delta_low > 0.5 && r->delta_low < r->delta);
	assert_true(r->delta_high < 0.75 && r->delta_high > r->delta);
	assert_true(r->q < 1e-10);
	assert_int_equal(r->baseline_self_lib_value, 700);
	assert_int_equal(row(&f, "shop.fresh")->change, CHANGE_NEW);
	assert_int_equal(row(&f, "shop.render")->change, CHANGE_SHRUNK);
	assert_int_equal(row(&f, "shop.old")->change, CHANGE_GONE);
	assert_quiet(row(&f, "main.main"));
	/* 7.2 against 6.7 % in 1,800 samples is nothing to speak of. */
	assert_int_equal(row(&f, "shop.encode")->change, CHANGE_NOISE);
	assert_int_equal(f.result.noise_count, 1);
	assert_true(has_note(&f, "noise is estimated from one profile per "
				 "side"));
	release(&f);
}

/* By difference, what shrank most comes before what grew less. */
static void test_rank_by_delta(void **state)
{
	struct fixture f;
	struct rank_want want = { .by = RANK_DELTA };

	(void)state;
	rank_cpu(&f, slow_side, base_side, &want);
	ASSERT_ORDER(&f, "shop.find", "shop.render", "shop.old", "shop.fresh");
	release(&f);
}

/* Nine samples prove nothing, however new; nor does 2 against 1. */
static void test_few_samples(void **state)
{
	struct fixture f;
	struct rank_want want = { 0 };

	(void)state;
	rank_cpu(&f, "a.x 9\na.y 81\na.z 2\n", "a.y 99\na.z 1\n", &want);
	assert_int_equal(row(&f, "a.x")->change, CHANGE_NOISE);
	assert_true(isnan(row(&f, "a.x")->q));
	assert_int_equal(row(&f, "a.z")->change, CHANGE_NOISE);
	release(&f);
}

/* 0.1 % to 0.4 % of ten million samples is certain and beside the point. */
static void test_practical_floor(void **state)
{
	struct fixture f;
	struct rank_want want = { 0 };

	(void)state;
	rank_cpu(&f, "a.x 40000\na.y 9960000\n", "a.x 10000\na.y 9990000\n",
		 &want);
	assert_true(row(&f, "a.x")->q < 0.001);
	assert_quiet(row(&f, "a.x"));
	assert_int_equal(f.result.noise_count, 0);
	release(&f);
}

/* A function that was called before but owned nothing has grown. */
static void test_new_needs_absence(void **state)
{
	struct fixture f;
	struct rank_want want = { 0 };

	(void)state;
	rank_cpu(&f, "app.a;app.b;strings.Map 500\napp.a 500\n",
		 "app.a;app.b;app.c 500\napp.a 500\n", &want);
	assert_int_equal(row(&f, "app.b")->change, CHANGE_GROWN);
	assert_int_equal(row(&f, "app.c")->change, CHANGE_GONE);
	release(&f);
}

/* Each side's own period: the same work sampled at 100 and at 97 Hz. */
static void test_periods(void **state)
{
	struct fixture f;
	struct rank_want want = { 0 };

	(void)state;
	make_profile(&f.slow, "cpu", "nanoseconds", TEN_MS,
		     "a.x 5000000000\na.y 5000000000\n");
	make_profile(&f.baseline, "cpu", "nanoseconds", 10309278,
		     "a.x 1030927800\na.y 9278350200\n");
	rank(&f, true, &want);
	/* 500 of 1,000 against 100 of 1,000. */
	assert_int_equal(row(&f, "a.x")->change, CHANGE_GROWN);
	assert_close(row(&f, "a.x")->delta, 0.4);
	assert_true(row(&f, "a.x")->q < 1e-10);
	release(&f);
}

/* Ten seconds a side. The same two seconds of CPU are 200 samples at 100 Hz
 * and 100 at 50 Hz: time is compared as time. */
static void test_periods_of_rates(void **state)
{
	struct fixture f;
	struct rank_want want = { .normalize = NORMALIZE_RATE,
				  .window_ns = 10 * NS_PER_S,
				  .baseline_ns = 10 * NS_PER_S };

	(void)state;
	make_profile(&f.slow, "cpu", "nanoseconds", TEN_MS,
		     "a.x 2000000000\na.y 6000000000\n");
	make_profile(&f.baseline, "cpu", "nanoseconds", 2 * TEN_MS,
		     "a.x 2000000000\na.y 2000000000\n");
	rank(&f, true, &want);
	assert_quiet(row(&f, "a.x"));
	assert_int_equal(row(&f, "a.y")->change, CHANGE_GROWN);
	release(&f);
}

/* Nothing tells the rate that numbers of samples were taken at: as shares
 * they compare whatever it was, as rates on a condition that is said. */
static void test_sample_counts_have_no_period(void **state)
{
	struct fixture f;
	struct rank_want want = { .normalize = NORMALIZE_RATE,
				  .window_ns = 10 * NS_PER_S,
				  .baseline_ns = 10 * NS_PER_S };

	(void)state;
	make_profile(&f.slow, "samples", "count", 1, "a.x 200\na.y 600\n");
	make_profile(&f.baseline, "samples", "count", 1, "a.x 100\na.y 300\n");
	rank(&f, true, &want);
	assert_int_equal(row(&f, "a.y")->change, CHANGE_GROWN);
	assert_true(has_note(&f, "as if both sides had the same sampling"));
	release(&f);
	make_profile(&f.slow, "samples", "count", 1, "a.x 200\na.y 600\n");
	make_profile(&f.baseline, "samples", "count", 1, "a.x 100\na.y 300\n");
	want.normalize = NORMALIZE_SHARE;
	rank(&f, true, &want);
	assert_quiet(row(&f, "a.y"));
	assert_false(has_note(&f, "sampled at the same"));
	release(&f);
}

/* Folded stacks of nanoseconds: 4 against 19 of 2,000 samples of 10 ms prove
 * nothing, though 40,000,000 against 190,000,000 would; 4 against 190 do. */
static void test_weights_without_a_unit(void **state)
{
	struct fixture f;
	struct rank_want want = { 0 };

	(void)state;
	make_profile(&f.slow, "samples", "count", 0,
		     "a.x 190000000\na.y 19810000000\n");
	make_profile(&f.baseline, "samples", "count", 0,
		     "a.x 40000000\na.y 19960000000\n");
	rank(&f, true, &want);
	assert_int_equal(row(&f, "a.x")->change, CHANGE_NOISE);
	release(&f);
	make_profile(&f.slow, "samples", "count", 0,
		     "a.x 1900000000\na.y 18100000000\n");
	make_profile(&f.baseline, "samples", "count", 0,
		     "a.x 40000000\na.y 19960000000\n");
	rank(&f, true, &want);
	assert_int_equal(row(&f, "a.x")->change, CHANGE_GROWN);
	release(&f);
	/* As many samples, counted. */
	rank_cpu(&f, "a.x 190000000\na.y 19810000000\n",
		 "a.x 40000000\na.y 19960000000\n", &want);
	assert_int_equal(row(&f, "a.x")->change, CHANGE_GROWN);
	release(&f);
}

/* ---- values that are no samples ---- */

static void test_untested(void **state)
{
	struct fixture f;
	struct rank_want want = { 0 };

	(void)state;
	make_profile(&f.slow, "alloc_objects", "count", 0,
		     "a.big 60000\na.grown 13000\na.drift 12000\na.tiny 900\n"
		     "a.fresh 1100\na.rest 13000\n");
	make_profile(&f.baseline, "alloc_objects", "count", 0,
		     "a.big 60000\na.grown 10000\na.drift 10000\na.tiny 100\n"
		     "a.gone 3000\na.rest 16900\n");
	rank(&f, true, &want);
	ASSERT_ORDER(&f, "a.grown", "a.fresh", "a.rest", "a.gone");
	assert_int_equal(row(&f, "a.grown")->change, CHANGE_GROWN);
	assert_int_equal(row(&f, "a.fresh")->change, CHANGE_NEW);
	assert_int_equal(row(&f, "a.rest")->change, CHANGE_SHRUNK);
	assert_int_equal(row(&f, "a.gone")->change, CHANGE_GONE);
	/* 20 % more, and nine times a tenth of a percent. */
	assert_int_equal(row(&f, "a.drift")->change, CHANGE_NOISE);
	assert_int_equal(row(&f, "a.tiny")->change, CHANGE_NOISE);
	assert_quiet(row(&f, "a.big"));
	assert_true(isnan(row(&f, "a.grown")->q));
	assert_true(isnan(row(&f, "a.grown")->delta_low));
	assert_true(has_note(&f, "significance not tested: "
				 "\"alloc_objects\""));
	release(&f);
}

/* Delays in nanoseconds with a period of 1 look like samples of time. */
static void test_delays_are_not_tested(void **state)
{
	struct fixture f;
	struct rank_want want = { 0 };

	(void)state;
	make_profile(&f.slow, "delay", "nanoseconds", 1,
		     "a.lock 900000000\na.x 100000\n");
	make_profile(&f.baseline, "delay", "nanoseconds", 1, "a.x 200000\n");
	rank(&f, true, &want);
	assert_int_equal(row(&f, "a.lock")->change, CHANGE_NEW);
	assert_true(isnan(row(&f, "a.lock")->q));
	release(&f);
}

/* Allocated bytes are samples of 512 KiB, or more: 20 against 12 samples of
 * 1,000 are noise however many bytes they stand for, 200 are not. */
static void test_allocations(void **state)
{
	struct fixture f;
	struct rank_want want = { 0 };

	(void)state;
	make_profile(&f.slow, "alloc_space", "bytes", 4096,
		     "a.x 10485760\na.y 104857600\na.z 408944640\n");
	make_profile(&f.baseline, "alloc_space", "bytes", 0,
		     "a.x 6291456\na.y 5242880\na.z 512753664\n");
	rank(&f, true, &want);
	assert_int_equal(row(&f, "a.x")->change, CHANGE_NOISE);
	assert_true(row(&f, "a.x")->q > 0.05);
	assert_int_equal(row(&f, "a.y")->change, CHANGE_GROWN);
	assert_true(row(&f, "a.y")->q < 1e-6);
	release(&f);
	make_profile(&f.slow, "inuse_space", "bytes", 524288, "a.x 9999999\n");
	make_profile(&f.baseline, "inuse_space", "bytes", 524288, "a.x 1\n");
	rank(&f, true, &want);
	assert_true(has_note(&f, "significance not tested"));
	release(&f);
}

/* ---- shares that only follow ---- */

static void add_functions(char *text, int count, int value)
{
	for (int i = 0; i < count; i++)
		sprintf(text + strlen(text), "a.f%d %d\n", i, value);
}

/* One function takes two thirds of all: the other ten fall to a third each
 * and have not changed. The same the other way round. */
static void test_displaced(void **state)
{
	char busy[512] = "a.hot 20000\n", calm[512] = "a.hot 100\n";
	struct fixture f;
	struct rank_want want = { 0 };

	(void)state;
	add_functions(busy, 10, 1000);
	add_functions(calm, 10, 1000);
	rank_cpu(&f, busy, calm, &want);
	assert_int_equal(f.result.functions[0].change, CHANGE_GROWN);
	for (int i = 1; i <= 10; i++)
		assert_quiet(&f.result.functions[i]);
	assert_int_equal(f.result.noise_count, 0);
	assert_true(has_note(&f, "most shares changed to 33.7 %"));
	release(&f);
	rank_cpu(&f, calm, busy, &want);
	assert_int_equal(f.result.functions[0].change, CHANGE_SHRUNK);
	for (int i = 1; i <= 10; i++)
		assert_quiet(&f.result.functions[i]);
	release(&f);
}

/* Delays have no test, yet follow in the same way. */
static void test_displaced_untested(void **state)
{
	char busy[512] = "a.hot 20000\n", calm[512] = "a.hot 100\n";
	struct fixture f;
	struct rank_want want = { 0 };

	(void)state;
	add_functions(busy, 10, 1000);
	add_functions(calm, 10, 1000);
	make_profile(&f.slow, "delay", "nanoseconds", 1, busy);
	make_profile(&f.baseline, "delay", "nanoseconds", 1, calm);
	rank(&f, true, &want);
	assert_int_equal(f.result.functions[0].change, CHANGE_GROWN);
	for (int i = 1; i <= 10; i++)
		assert_quiet(&f.result.functions[i]);
	release(&f);
}

/* Beside what all others did a share that hardly moved has grown, and one that
 * fell further than they has shrunk. */
static void test_changes_beside_drift(void **state)
{
	char busy[512] = "a.hot 20000\na.less 100\na.kept 3000\n";
	char calm[512] = "a.hot 100\na.less 1000\na.kept 1000\n";
	struct fixture f;
	struct rank_want want = { 0 };

	(void)state;
	add_functions(busy, 10, 1000);
	add_functions(calm, 10, 1000);
	rank_cpu(&f, busy, calm, &want);
	assert_int_equal(row(&f, "a.hot")->change, CHANGE_GROWN);
	assert_int_equal(row(&f, "a.less")->change, CHANGE_SHRUNK);
	assert_int_equal(row(&f, "a.kept")->change, CHANGE_GROWN);
	release(&f);
}

/* What a function that is known to be unchanged takes more is the machine's: a tenth.
 * All is compared beside it, the whole as well. A name that is not there is none. */
static void test_reference(void **state)
{
	struct rank_want want = { .by = RANK_DELTA,
				  .normalize = NORMALIZE_REQUEST,
				  .slow_requests = 100,
				  .baseline_requests = 100,
				  .reference = STR("a.same") };
	struct fixture f;

	(void)state;
	rank_cpu(&f, "a.x 2200\na.same 1100\n", "a.x 1000\na.same 1000\n", &want);
	assert_close(f.result.rank_facts->drift, 1.1);
	assert_close(f.result.whole.delta, (3300 - 1.1 * 2000) / 3300);
	assert_true(row(&f, "a.x")->growth_low < 1 &&
		    row(&f, "a.x")->growth_high > 1);
	release(&f);
	want.reference = STR("a.other");
	rank_cpu(&f, "a.x 2200\na.same 1100\n", "a.x 1000\na.same 1000\n", &want);
	assert_close(f.result.rank_facts->drift, 1);
	assert_close(f.result.whole.delta, 1300.0 / 3300);
	release(&f);
}

/* ---- rates ---- */

/* Twice the load in the same time: no share moved, every rate doubled. */
static void test_rates(void **state)
{
	struct fixture f;
	struct rank_want rate = { .normalize = NORMALIZE_RATE,
				  .window_ns = 600000000000,
				  .baseline_ns = 1200000000000 };
	struct rank_want share = { 0 }, unknown = { .normalize = NORMALIZE_RATE,
						    .is_way_asked = true };

	(void)state;
	rank_cpu(&f, "a.x 600\na.y 400\n", "a.x 600\na.y 400\n", &rate);
	assert_close(row(&f, "a.x")->delta, 0.3);
	assert_close(row(&f, "a.y")->delta, 0.2);
	assert_int_equal(row(&f, "a.x")->change, CHANGE_GROWN);
	release(&f);
	rank_cpu(&f, "a.x 600\na.y 400\n", "a.x 600\na.y 400\n", &share);
	assert_quiet(row(&f, "a.x"));
	release(&f);
	rank_cpu(&f, "a.x 600\na.y 400\n", "a.x 600\na.y 400\n", &unknown);
	assert_quiet(row(&f, "a.x"));
	assert_int_equal(f.result.normalize, NORMALIZE_VALUE);
	assert_true(has_note(&f, "not compared per second: the length"));
	release(&f);
	rank_cpu(&f, "a.x 600\na.y 400\n", "", &rate);
	assert_int_equal(row(&f, "a.x")->change, CHANGE_NEW);
	release(&f);
}

/* All took a fifth more: the second run as a whole, or the code. One run a side does not
 * show which, so the interval of a growth reaches from the one to the other. */
static void test_one_run_as_a_whole(void **state)
{
	char busy[512] = "a.x 24000\n", calm[512] = "a.x 10000\n";
	struct rank_want want = { .normalize = NORMALIZE_RATE,
				  .window_ns = 600 * NS_PER_S,
				  .baseline_ns = 600 * NS_PER_S };
	struct fixture f;

	(void)state;
	add_functions(busy, 10, 12000);
	add_functions(calm, 10, 10000);
	rank_cpu(&f, busy, calm, &want);
	assert_int_equal(row(&f, "a.x")->change, CHANGE_GROWN);
	assert_true(row(&f, "a.x")->growth_low < 1);
	assert_true(row(&f, "a.x")->growth_high > 1.4);
	release(&f);
}

/* Returns the growth that is detectable of a function of most of the profile, where all
 * functions took so much before and so much after, per request. */
static double detectable_beside(int after, int before)
{
	struct rank_want want = { .by = RANK_DELTA,
				  .normalize = NORMALIZE_REQUEST,
				  .slow_requests = 100,
				  .baseline_requests = 100 };
	char busy[512] = "", calm[512] = "";
	struct fixture f;
	double detectable;

	add_functions(busy, 10, after);
	add_functions(calm, 10, before);
	rank_cpu(&f, busy, calm, &want);
	detectable =
		f.result.rank_facts->detectable[RANK_POWER_SHARES - 1];
	release(&f);
	return detectable;
}

/* Beside functions that a faster machine lets take less, one has to grow by more than that
 * to take more than it did; beside those that the program lets take less it has not. */
static void test_detectable_beside_a_faster_machine(void **state)
{
	double alike = detectable_beside(100000, 100000);
	double faster = detectable_beside(85000, 100000);

	(void)state;
	assert_true(faster > alike + 0.1);
	assert_true(faster < (1 + alike) / 0.85 - 1);
	assert_true(detectable_beside(50000, 100000) < alike + 0.01);
	assert_true(detectable_beside(115000, 100000) < alike + 0.01);
}

UNIT_TESTS(diff)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_changes),
		cmocka_unit_test(test_rank_by_delta),
		cmocka_unit_test(test_few_samples),
		cmocka_unit_test(test_practical_floor),
		cmocka_unit_test(test_new_needs_absence),
		cmocka_unit_test(test_periods),
		cmocka_unit_test(test_periods_of_rates),
		cmocka_unit_test(test_sample_counts_have_no_period),
		cmocka_unit_test(test_weights_without_a_unit),
		cmocka_unit_test(test_untested),
		cmocka_unit_test(test_delays_are_not_tested),
		cmocka_unit_test(test_allocations),
		cmocka_unit_test(test_displaced),
		cmocka_unit_test(test_displaced_untested),
		cmocka_unit_test(test_changes_beside_drift),
		cmocka_unit_test(test_reference),
		cmocka_unit_test(test_rates),
		cmocka_unit_test(test_one_run_as_a_whole),
		cmocka_unit_test(test_detectable_beside_a_faster_machine),
	};

	return cmocka_run_group_tests_name("analyze/diff", tests, NULL, NULL);
}
