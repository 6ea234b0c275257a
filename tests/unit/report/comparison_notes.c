/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../unit.h"
#include "analyze/rank_facts.h"
#include "report/texts.h"

/* Judged by samples of two equal windows, in which nothing drifted. */
static struct rank_facts ordinary(void)
{
	return (struct rank_facts){ .is_judged = true,
				    .method = DIFF_ASSUMED,
				    .value_type = STR("cpu"),
				    .value_unit = STR("nanoseconds"),
				    .phi = 3,
				    .window_cv = 0.025,
				    .period = { 1e7, 1e7 },
				    .drift = 1 };
}

static const char *const assumed =
	"noise is estimated from one profile per side; tracefind check "
	"measures it with several";

static struct notes told, reasons;

static void tell(const struct rank_facts *f)
{
	notes_init(&told);
	notes_init(&reasons);
	comparison_notes_add(f, false, &told, &reasons);
}

static void assert_told(const struct rank_facts *f, const char *first,
			const char *second)
{
	tell(f);
	assert_int_equal(told.count, (first != NULL) + (second != NULL));
	if (first)
		assert_string_equal(told.text[0], first);
	if (second)
		assert_string_equal(told.text[1], second);
}

static void test_nothing_judged_says_nothing(void **state)
{
	struct rank_facts f = ordinary();

	(void)state;
	f.is_judged = false;
	f.drift = 3;
	assert_told(&f, NULL, NULL);
}

static void test_ways_that_were_not_possible(void **state)
{
	struct rank_facts f = { .is_other_way = true,
				.asked_way = NORMALIZE_REQUEST };

	(void)state;
	assert_told(&f,
		    "not compared per request: the number of requests is not "
		    "known",
		    NULL);
	f.asked_way = NORMALIZE_RATE;
	f.is_rate_of_samples = true;
	assert_told(&f,
		    "not compared per second: the length of the profiles is "
		    "not known",
		    "sample counts are compared as if both sides had the same "
		    "sampling rate, which this type does not record");
	f.is_rate_of_samples = false;
	f.is_gauge = true;
	assert_told(&f,
		    "not compared per second: memory in use is a level, not "
		    "a rate",
		    NULL);
}

static void test_sides_that_cannot_be_compared(void **state)
{
	struct rank_facts f = { .is_side_empty = true,
				.empty_side = SIDE_SLOW };

	(void)state;
	assert_told(&f, "the slow profile is empty: no comparison",
		    NULL);
	f.empty_side = SIDE_BASELINE;
	assert_told(&f,
		    "the baseline profile is empty: no comparison",
		    NULL);
	f = (struct rank_facts){ .is_uncountable = true,
				 .sample_values = { 1e7, 0 } };
	assert_told(&f,
		    "changes were not judged: the slow side was sampled every "
		    "10000000, the sampling period of the baseline is not "
		    "known; it may mix several: compare one instance or one "
		    "build",
		    NULL);
	f.sample_values[SIDE_SLOW] = 0;
	f.sample_values[SIDE_BASELINE] = 2e7;
	assert_told(&f,
		    "changes were not judged: the baseline was sampled every "
		    "20000000, the sampling period of the slow side is not "
		    "known; it may mix several: compare one instance or one "
		    "build",
		    NULL);
}

static void test_renamed_functions(void **state)
{
	struct rank_facts f = {
		.renamings = { { STR("a.find"), STR("a.lookup") },
			       { STR("b"), STR("c") },
			       { STR("d"), STR("e") } },
		.renaming_count = RANK_RENAMINGS,
	};

	(void)state;
	tell(&f);
	assert_int_equal(told.count, RANK_RENAMINGS);
	assert_string_equal(told.text[0],
			    "probably renamed: a.find -> a.lookup");
	assert_string_equal(told.text[2], "probably renamed: d -> e");
	f.renaming_count = RANK_RENAMINGS + 1;
	tell(&f);
	assert_int_equal(told.count, RANK_RENAMINGS + 1);
	assert_string_equal(told.text[3],
			    "1 more function was probably renamed");
}

static void test_cost_that_moved(void **state)
{
	struct cost_shift shifts[] = {
		{ STR("a.parse"), STR("a.check"), STR("a.main") },
		{ STR("x"), STR("y"), STR("z") },
	};
	struct rank_facts f = { .shifts = shifts, .shift_count = 2 };

	(void)state;
	assert_told(&f,
		    "cost moved from a.parse to a.check, both called by a.main",
		    "cost moved from x to y, both called by z");
}

static void test_methods(void **state)
{
	struct rank_facts f = ordinary();

	(void)state;
	assert_told(&f, assumed, NULL);
	f.method = DIFF_UNTESTED;
	f.value_type = STR("inuse_space");
	assert_told(&f,
		    "significance not tested: \"inuse_space\" profiles have no "
		    "sample counts; changes under 1 % of the total or under 25 "
		    "% of the function are left out",
		    NULL);
	f.method = DIFF_SLICES;
	f.slices[SIDE_SLOW] = 5;
	f.slices[SIDE_BASELINE] = 2;
	assert_told(&f, NULL, NULL);
	assert_int_equal(reasons.count, 1);
	assert_string_equal(reasons.text[0],
			    "noise: measured on 5 time slices of the "
			    "comparison and 2 of the baseline: functions vary "
			    "by 2.5 % beyond sampling error");
	f.peers = 40;
	f.method = DIFF_ASSUMED;
	f.phi = 1.25;
	tell(&f);
	assert_string_equal(reasons.text[0],
			    "noise: estimated: 1.2 times that of independent "
			    "samples, plus 2.5 % between profiles, as in most "
			    "profiles");
}

/* Of runs the reader can do something: take them by turns. */
static void test_runs(void **state)
{
	struct rank_facts f = ordinary();

	(void)state;
	f.method = DIFF_SLICES;
	f.is_of_runs = true;
	f.slices[SIDE_SLOW] = f.slices[SIDE_BASELINE] = 6;
	assert_told(&f,
		    "all runs of one side were taken after those of the other: "
		    "a change of the machine in between looks like a code "
		    "change; alternate the runs",
		    NULL);
	assert_non_null(strstr(reasons.text[0],
			       "6 runs of the comparison and 6 of the "
			       "baseline"));
	f.is_interleaved = true;
	assert_told(&f, NULL, NULL);
}

/* The first row's figures, for who knows them; of noise there are none. */
static void test_certainty(void **state)
{
	struct function_row row = { .name = STR("shop.find"),
				    .change = CHANGE_GROWN,
				    .q = 0.0004,
				    .deviations = 7.1 };
	struct rank_facts f = ordinary();
	struct result r = { .rank_facts = &f,
			    .functions = &row,
			    .function_count = 1 };

	(void)state;
	notes_init(&told);
	notes_init(&reasons);
	comparison_notes_report(&r, &told, &reasons);
	assert_string_equal(reasons.text[reasons.count - 1],
			    "certainty: shop.find: changed 7.1 times as much "
			    "as unchanged functions of its size vary (q = "
			    "0.0004)");
	row.change = CHANGE_NOISE;
	notes_init(&reasons);
	comparison_notes_report(&r, &told, &reasons);
	assert_int_equal(reasons.count, 1);
}

/* Only samples have a period. */
static void test_periods(void **state)
{
	struct rank_facts f = ordinary();

	(void)state;
	f.period[SIDE_SLOW] = 2e7;
	assert_told(&f, assumed,
		    "the sides were sampled every 20 ms and 10 ms: compared by "
		    "value, not by number of samples");
	/* Means of a profile's samples, of which the difference is not told. */
	f.period[SIDE_SLOW] = f.period[SIDE_BASELINE] + 1;
	tell(&f);
	assert_int_equal(told.count, 1);
	f.period[SIDE_SLOW] = 2e7;
	f.method = DIFF_SLICE_VALUES;
	tell(&f);
	assert_int_equal(told.count, 0);
	f.method = DIFF_UNTESTED;
	tell(&f);
	assert_int_equal(told.count, 1);
}

static void test_drift_of_values(void **state)
{
	struct rank_facts f = ordinary();

	(void)state;
	f.drift = 1.1;
	assert_told(&f, assumed, NULL);
	f.drift = 1.11;
	assert_told(&f, assumed,
		    "most functions are at 111 % of the baseline (load or "
		    "host); changes below are relative to that");
	f.drift = 1 / 1.1;
	assert_told(&f, assumed, NULL);
	f.drift = 0.9;
	assert_told(&f, assumed,
		    "most functions are at 90 % of the baseline (load or "
		    "host); changes below are relative to that");
	f.is_together = true;
	assert_told(&f, assumed, NULL);
}

static void test_drift_of_shares(void **state)
{
	struct rank_facts f = ordinary();

	(void)state;
	f.is_share = true;
	f.drift = 1.25;
	assert_told(&f, assumed, NULL);
	f.drift = 0.34;
	assert_told(&f, assumed,
		    "most shares changed to 34 % of the baseline; changes "
		    "below are relative to that");
}

static void test_names(void **state)
{
	struct rank_facts f = {
		.merged_count = 4,
		.moves = { { STR("shop"), STR("shop/v2"), 1 },
			   { STR("a"), STR("b"), 3 } },
		.move_count = 2,
	};

	(void)state;
	tell(&f);
	assert_int_equal(told.count, 3);
	assert_string_equal(told.text[0],
			    "4 functions have several names that differ only in "
			    "lines, hashes or generated numbers: counted as one each");
	assert_string_equal(told.text[1],
			    "renamed since the baseline: shop is now shop/v2, "
			    "1 function counted under the new name");
	assert_string_equal(told.text[2],
			    "renamed since the baseline: a is now b, 3 "
			    "functions counted under the new name");
	f = (struct rank_facts){ .joined_count = 1, .joined = STR("get") };
	tell(&f);
	assert_string_equal(told.text[0],
			    "\"get\" is one row of several functions of that "
			    "name, in different files or libraries");
	f.joined_count = 3;
	tell(&f);
	assert_string_equal(told.text[0],
			    "\"get\" is one row of several functions of that "
			    "name, in different files or libraries, and so are "
			    "2 more");
	f = (struct rank_facts){ .merged_count = 1 };
	tell(&f);
	assert_string_equal(told.text[0],
			    "1 function has several names that differ only in "
			    "lines, hashes or generated numbers: counted as one");
}

UNIT_TESTS(comparison_notes)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_judged_says_nothing),
		cmocka_unit_test(test_ways_that_were_not_possible),
		cmocka_unit_test(test_sides_that_cannot_be_compared),
		cmocka_unit_test(test_renamed_functions),
		cmocka_unit_test(test_cost_that_moved),
		cmocka_unit_test(test_methods),
		cmocka_unit_test(test_runs),
		cmocka_unit_test(test_certainty),
		cmocka_unit_test(test_periods),
		cmocka_unit_test(test_drift_of_values),
		cmocka_unit_test(test_drift_of_shares),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
