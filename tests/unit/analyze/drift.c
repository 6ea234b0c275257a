/* SPDX-License-Identifier: Apache-2.0
 *
 * What all functions have in common: whether they moved together, what is put
 * down to the load, and how far they wander.
 */
#include "ranking.h"

#include "analyze/drift.h"

#define TEXT_BYTES 1024

static void compare_by(struct fixture *f, enum normalize way,
		       const char *before, const char *after)
{
	const struct rank_want want = { .by = RANK_DELTA,
					.normalize = way,
					.window_ns = NS_PER_S,
					.baseline_ns = NS_PER_S,
					.slow_requests = 100,
					.baseline_requests = 100 };

	make_profile(&f->slow, "samples", "count", 1, after);
	make_profile(&f->baseline, "samples", "count", 1, before);
	rank(f, true, &want);
}

static void expect_together(enum normalize way, const char *before,
			    const char *after, bool is_together)
{
	struct fixture f;

	compare_by(&f, way, before, after);
	if (f.result.whole.is_together != is_together)
		fail_msg("together is %d:\n%s\n%s", !is_together, before,
			 after);
	release(&f);
}

#define BEFORE "main;a 3400\nmain;b 3300\nmain;c 3300\n"
#define AFTER "main;a 6800\nmain;b 6600\nmain;c 6600\n"

/* More load moves all; requests are counted, and shares add up to 100 %. */
static void test_ways(void **state)
{
	(void)state;
	expect_together(NORMALIZE_VALUE, BEFORE, AFTER, true);
	expect_together(NORMALIZE_RATE, BEFORE, AFTER, true);
	expect_together(NORMALIZE_VALUE, AFTER, BEFORE, true);
	expect_together(NORMALIZE_REQUEST, BEFORE, AFTER, false);
	expect_together(NORMALIZE_SHARE, BEFORE, AFTER, false);
	expect_together(NORMALIZE_VALUE, BEFORE, BEFORE, false);
}

static void add_tiny(char text[TEXT_BYTES], const char *stacks, int value)
{
	int len = snprintf(text, TEXT_BYTES, "%s", stacks);

	for (int i = 0; i < 20; i++)
		len += snprintf(text + len, TEXT_BYTES - (size_t)len,
				"main;tiny%d %d\n", i, value);
	assert_true(len < TEXT_BYTES);
}

/* DIFF_TOGETHER_ROWS: two are not most, with whatever is too small to tell. */
static void test_rows(void **state)
{
	char before[TEXT_BYTES], after[TEXT_BYTES];

	(void)state;
	add_tiny(before, "main;a 4900\nmain;b 4900\n", 10);
	add_tiny(after, "main;a 9800\nmain;b 9800\n", 20);
	expect_together(NORMALIZE_VALUE, before, after, false);
	add_tiny(before, "main;a 4900\nmain;b 3900\nmain;c 1000\n", 10);
	add_tiny(after, "main;a 9800\nmain;b 7800\nmain;c 2000\n", 20);
	expect_together(NORMALIZE_VALUE, before, after, true);
}

/* DIFF_TOGETHER_PART, by what functions took: two as the whole, two not. */
static void test_part(void **state)
{
	(void)state;
	expect_together(NORMALIZE_VALUE,
			"main;a 3350\nmain;b 3350\nmain;c 1650\nmain;d 1650\n",
			"main;a 6700\nmain;b 6700\nmain;c 6600\n", true);
	expect_together(NORMALIZE_VALUE,
			"main;a 3250\nmain;b 3250\nmain;c 1750\nmain;d 1750\n",
			"main;a 6500\nmain;b 6500\nmain;c 7000\n", false);
}

/* A common move that may be chance moves nobody. */
static void test_whole(void **state)
{
	(void)state;
	expect_together(NORMALIZE_VALUE,
			"main;a 3000\nmain;b 3000\nmain;c 3000\n",
			"main;a 3900\nmain;b 3900\nmain;c 3900\n", false);
	expect_together(NORMALIZE_VALUE,
			"main;a 3000\nmain;b 3000\nmain;c 3000\n",
			"main;a 4500\nmain;b 4500\nmain;c 4500\n", true);
}

static void expect_note(const char *before, const char *after, const char *part,
			bool is_there)
{
	struct fixture f;

	compare_by(&f, NORMALIZE_VALUE, before, after);
	if (has_note(&f, part) != is_there)
		fail_msg("\"%s\" is%s among the notes", part,
			 is_there ? " not" : "");
	release(&f);
}

/* DIFF_COMMON_RATE: what goes beyond is no load. */
static void test_common_rate(void **state)
{
	(void)state;
	expect_note("main;a 3000\nmain;b 3000\nmain;c 3000\n",
		    "main;a 3600\nmain;b 3600\nmain;c 3600\n",
		    "most functions went to 120 % of what they took: put",
		    true);
	expect_note("main;a 3000\nmain;b 3000\nmain;c 3000\n",
		    "main;a 3900\nmain;b 3900\nmain;c 3900\n",
		    "went to 125 % of what they took and beyond: put", true);
	expect_note("main;a 3900\nmain;b 3900\nmain;c 3900\n",
		    "main;a 3000\nmain;b 3000\nmain;c 3000\n",
		    "went to 80 % of what they took and beyond: put", true);
}

/* Those of one side only are not asked; of two in the middle the nearer one
 * counts. */
static void test_one_side(void **state)
{
	(void)state;
	expect_note("main;a 3000\nmain;b 3000\nmain;c 3000\n",
		    "main;a 3000\nmain;b 3000\nmain;c 3000\nmain;d 500\n"
		    "main;e 500\nmain;f 500\nmain;g 500\n",
		    "most functions", false);
	expect_note("main;a 3000\nmain;b 3000\nmain;c 3000\nmain;d 500\n"
		    "main;e 500\nmain;f 500\nmain;g 500\n",
		    "main;a 3000\nmain;b 3000\nmain;c 3000\n", "most functions",
		    false);
	expect_note("main;a 2000\nmain;b 2000\nmain;c 2000\nmain;d 2000\n",
		    "main;a 2000\nmain;b 2000\nmain;c 2400\nmain;d 2400\n",
		    "most functions", false);
}

#define WANDER(percent) "plus " percent " % by which functions wander"

/* One that changed among few says nothing of how far the others wander; that
 * all of few wander does not show more than what is taken without them. */
static void test_wander(void **state)
{
	static const char before[] = "main;a 9000\nmain;b 8000\nmain;c 7000\n"
				     "main;d 6000\nmain;e 5000\n";

	(void)state;
	expect_note(before, before, WANDER("5.8"), true);
	expect_note(before,
		    "main;a 9000\nmain;b 8000\nmain;c 7000\nmain;d 6060\n"
		    "main;e 9999\n",
		    WANDER("5.7"), true);
	expect_note(before,
		    "main;a 5000\nmain;b 6000\nmain;c 7000\nmain;d 8000\n"
		    "main;e 9000\n",
		    WANDER("10.0"), true);
}

/* DIFF_WANDER_SAMPLES, and three of them at least. */
static void test_wander_samples(void **state)
{
	static const char few[] =
		"main 5000\nmain;a 8000\nmain;b 7000\nmain;c 19\n"
		"main;d 10\n";
	static const char enough[] =
		"main 5000\nmain;a 8000\nmain;b 7000\nmain;c 20\n"
		"main;d 10\n";

	(void)state;
	expect_note(few, few, "as most of them show", false);
	expect_note(enough, enough, "as most of them show", true);
}

/* Two that always go together are one. */
static void test_twins(void **state)
{
	static const char twins[] = "main;a;b;c 800\nmain;d;e;f 900\n"
				    "main;g 3000\n";

	(void)state;
	expect_note(twins, twins, "as most of them show", false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ways),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_part),
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_common_rate),
		cmocka_unit_test(test_one_side),
		cmocka_unit_test(test_wander),
		cmocka_unit_test(test_wander_samples),
		cmocka_unit_test(test_twins),
	};

	return cmocka_run_group_tests_name("analyze/drift", tests, NULL, NULL);
}
