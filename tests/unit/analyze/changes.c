/* SPDX-License-Identifier: Apache-2.0
 *
 * What a diff must see: callers that share a helper, whole profiles that move,
 * and nothing where nothing changed.
 */
#include "../unit.h"
#include "ranking.h"

static const struct rank_want by_value = { .by = RANK_DELTA,
					   .normalize = NORMALIZE_VALUE };

static void compare(struct fixture *f, const char *after, const char *before)
{
	make_profile(&f->slow, "samples", "count", 1, after);
	make_profile(&f->baseline, "samples", "count", 1, before);
	rank(f, true, &by_value);
}

static void expect_through(const struct fixture *f, const char *name,
			   const char *through)
{
	struct str have = row(f, name)->through;

	if (!through && !have.len)
		return;
	if (!through || !str_equal(have, str_from(through)))
		fail_msg("%s is through \"%.*s\"", name, STR_ARGS(have));
}

/* One of five that compute in a helper of all got dearer by half. */
static void test_shared_helper(void **state)
{
	struct fixture f;

	(void)state;
	compare(&f,
		"main;serve;load;spin 2200\nmain;serve;parse;spin 1800\n"
		"main;serve;check;spin 1500\nmain;serve;rules;spin 2871\n"
		"main;serve;store;spin 1100\n",
		"main;serve;load;spin 2200\nmain;serve;parse;spin 1800\n"
		"main;serve;check;spin 1500\nmain;serve;rules;spin 1902\n"
		"main;serve;store;spin 1100\n");
	ASSERT_ORDER(&f, "rules");
	assert_int_equal(row(&f, "rules")->change, CHANGE_GROWN);
	assert_true(row(&f, "rules")->q < 0.01);
	assert_true(row(&f, "rules")->delta_low > 0);
	expect_through(&f, "rules", NULL);
	expect_through(&f, "spin", "rules");
	expect_through(&f, "serve", "rules");
	expect_through(&f, "main", "rules");
	assert_quiet(row(&f, "load"));
	assert_false(f.result.whole.is_together);
	release(&f);
}

/* One grew, one shrank, and what they call is as it was. */
static void test_up_and_down(void **state)
{
	struct fixture f;

	(void)state;
	compare(&f, "main;a;h 1500\nmain;b;h 200\nmain;c;h 7800\n",
		"main;a;h 500\nmain;b;h 1000\nmain;c;h 8000\n");
	ASSERT_ORDER(&f, "a", "b");
	assert_int_equal(row(&f, "a")->change, CHANGE_GROWN);
	assert_int_equal(row(&f, "b")->change, CHANGE_SHRUNK);
	assert_false(change_is_real(row(&f, "c")->change));
	assert_quiet(row(&f, "h"));
	assert_false(f.result.whole.is_changed);
	release(&f);
}

/* Who calls it is new; the helper grew through it alone. */
static void test_new_caller(void **state)
{
	struct fixture f;

	(void)state;
	compare(&f,
		"main;fresh;json 900\nmain;a;json 500\nmain;b;json 500\n"
		"main;c 9000\n",
		"main;a;json 500\nmain;b;json 500\nmain;c 9000\n");
	ASSERT_ORDER(&f, "fresh", "json");
	assert_int_equal(row(&f, "fresh")->change, CHANGE_NEW);
	assert_int_equal(row(&f, "json")->change, CHANGE_GROWN);
	expect_through(&f, "json", "fresh");
	assert_quiet(row(&f, "c"));
	/* Half of those that may tell of others are new or grew with it. */
	assert_false(has_note(&f, "most functions"));
	release(&f);
}

/* All callers of a helper pay for it alike: it changed itself. */
static void test_helper_itself(void **state)
{
	struct fixture f;

	(void)state;
	compare(&f,
		"main;a;json 2000\nmain;b;json 2000\nmain;c;json 2000\n"
		"main;d 9000\nmain;e 3000\n",
		"main;a;json 500\nmain;b;json 500\nmain;c;json 500\n"
		"main;d 9000\nmain;e 3000\n");
	ASSERT_ORDER(&f, "json");
	expect_through(&f, "json", NULL);
	expect_through(&f, "a", "json");
	expect_through(&f, "b", "json");
	expect_through(&f, "main", "json");
	release(&f);
}

/* Everything twice: the whole moved, no function more than others. */
static void test_doubled(void **state)
{
	struct fixture f;

	(void)state;
	compare(&f,
		"main;a 2000\nmain;b 3000\nmain;c 2600\nmain;d 1800\n"
		"main;e 1200\n",
		"main;a 1000\nmain;b 1500\nmain;c 1300\nmain;d 900\n"
		"main;e 600\n");
	assert_true(f.result.whole.is_changed);
	assert_true(f.result.whole.is_together);
	assert_int_equal(f.result.change_total, 0);
	assert_true(row(&f, "b")->is_with_all);
	assert_true(row(&f, "b")->delta > 0.1);
	release(&f);
}

/* One of those that moved together moved more. */
static void test_more_than_others(void **state)
{
	struct fixture f;

	(void)state;
	compare(&f,
		"main;a 20000\nmain;b 30000\nmain;c 26000\nmain;d 18000\n"
		"main;e 12000\nmain;f 11000\n",
		"main;a 10000\nmain;b 15000\nmain;c 13000\nmain;d 9000\n"
		"main;e 6000\nmain;f 1000\n");
	assert_true(f.result.whole.is_together);
	ASSERT_ORDER(&f, "f");
	assert_int_equal(row(&f, "f")->change, CHANGE_GROWN);
	assert_false(row(&f, "f")->is_with_all);
	assert_true(row(&f, "b")->is_with_all);
	release(&f);
}

/* Equal but for chance. */
static void test_equal(void **state)
{
	struct fixture f;

	(void)state;
	compare(&f,
		"main;a;h 1040\nmain;b;h 1470\nmain;c;h 1310\nmain;d 930\n"
		"main;e 570\n",
		"main;a;h 1000\nmain;b;h 1500\nmain;c;h 1300\nmain;d 900\n"
		"main;e 600\n");
	assert_int_equal(f.result.change_total, 0);
	assert_false(f.result.whole.is_changed);
	assert_true(f.result.whole.detectable > 0.1);
	release(&f);
}

/* What is wide and wanders shows nothing of what it does itself; its own part
 * is tested, too. */
static void test_part_tells(void **state)
{
	struct fixture f;

	(void)state;
	compare(&f,
		"main;a 700\nmain;a;b 5000\nmain;a;c 5000\nmain;d 4000\n"
		"main;e 4000\nmain;f 4000\n",
		"main;a 20\nmain;a;b 5000\nmain;a;c 5000\nmain;d 4000\n"
		"main;e 4000\nmain;f 4000\n");
	assert_int_equal(row(&f, "a")->change, CHANGE_GROWN);
	assert_true(row(&f, "a")->q < 0.05);
	release(&f);
}

/* Gauges are compared as they are, never by share. */
static void test_gauge(void **state)
{
	struct rank_want want = { .by = RANK_DELTA,
				  .normalize = NORMALIZE_RATE,
				  .window_ns = NS_PER_S,
				  .baseline_ns = 2 * NS_PER_S };
	struct fixture f;

	(void)state;
	make_profile(&f.slow, "inuse_space", "bytes", 1,
		     "main;keep 150\nmain;leak 56\n");
	make_profile(&f.baseline, "inuse_space", "bytes", 1,
		     "main;keep 150\nmain;leak 31\n");
	f.slow.is_gauge = f.baseline.is_gauge = true;
	rank(&f, true, &want);
	assert_int_equal(f.result.normalize, NORMALIZE_VALUE);
	ASSERT_ORDER(&f, "leak");
	assert_int_equal(row(&f, "leak")->change, CHANGE_GROWN);
	assert_quiet(row(&f, "keep"));
	release(&f);
}

/* The limit of what is traced: the rest is told without a "through", after
 * those that hold their change. */
static void test_many_rows(void **state)
{
	char after[8192] = "main;still 90000\n";
	char before[8192] = "main;still 90000\n";
	struct fixture f;

	(void)state;
	for (int i = 0; i < 60; i++) {
		sprintf(after + strlen(after), "main;f%02d 2%02d0\n", i, i);
		sprintf(before + strlen(before), "main;f%02d 9\n", i);
	}
	compare(&f, after, before);
	assert_int_equal(f.result.change_total, 61);
	/* 48 of 61 are traced, among them main, which passes nothing on. */
	for (size_t i = 0; i < 48; i++)
		assert_false(f.result.functions[i].through.len);
	assert_int_equal(f.result.function_count, 62);
	release(&f);
}

static void expect_way(double before_s, double after_s, enum normalize way)
{
	struct profile slow = { .duration_ns = (int64_t)(after_s * 1e9),
				.whole_total = 1 };
	struct profile base = { .duration_ns = (int64_t)(before_s * 1e9),
				.whole_total = 1 };
	bool is_of_whole_runs;

	if (profiles_default_normalize(&slow, &base, &is_of_whole_runs) != way)
		fail_msg("%g s and %g s are not compared by %d", before_s,
			 after_s, way);
	assert_int_equal(is_of_whole_runs,
			 way == NORMALIZE_VALUE && before_s > 0 &&
				 after_s > 0 && fabs(before_s - after_s) > 1);
	base.whole_total = 0;
	assert_int_equal(
		profiles_default_normalize(&slow, &base, &is_of_whole_runs),
		NORMALIZE_VALUE);
	base.whole_total = 1;
	slow.is_gauge = true;
	assert_int_equal(
		profiles_default_normalize(&slow, &base, &is_of_whole_runs),
		NORMALIZE_VALUE);
	assert_false(is_of_whole_runs);
}

/* By the second where both were taken for a time. */
static void test_typical_way(void **state)
{
	(void)state;
	expect_way(30, 60, NORMALIZE_RATE);
	expect_way(30.19, 60.2, NORMALIZE_RATE);
	expect_way(7, 15.1, NORMALIZE_RATE);
	expect_way(30, 30.2, NORMALIZE_VALUE);
	/* As far as the first and the last sample lie apart. */
	expect_way(29.97, 59.8, NORMALIZE_RATE);
	expect_way(9.99, 0.993, NORMALIZE_RATE);
	expect_way(0, 60, NORMALIZE_SHARE);
	expect_way(30, 0, NORMALIZE_SHARE);
	expect_way(0, 0, NORMALIZE_SHARE);
	/* A compiler that ran until it was done. */
	expect_way(7.58, 5.42, NORMALIZE_VALUE);
	expect_way(30, 47.6, NORMALIZE_VALUE);
	/* Of some minutes any length is near a multiple of five seconds. */
	expect_way(300, 601, NORMALIZE_RATE);
	expect_way(312.4, 468.3, NORMALIZE_VALUE);
	expect_way(100.7, 60, NORMALIZE_VALUE);
}

UNIT_TESTS(changes)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shared_helper),
		cmocka_unit_test(test_up_and_down),
		cmocka_unit_test(test_new_caller),
		cmocka_unit_test(test_helper_itself),
		cmocka_unit_test(test_doubled),
		cmocka_unit_test(test_more_than_others),
		cmocka_unit_test(test_equal),
		cmocka_unit_test(test_part_tells),
		cmocka_unit_test(test_gauge),
		cmocka_unit_test(test_many_rows),
		cmocka_unit_test(test_typical_way),
	};

	return cmocka_run_group_tests_name("analyze/changes", tests, NULL,
					   NULL);
}
