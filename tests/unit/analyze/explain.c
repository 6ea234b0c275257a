/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "ranking.h"

/* ---- renames ---- */

/* The same callers, the same callees, about as much. */
static void test_renamed(void **state)
{
	struct fixture f;
	struct rank_want want = { 0 };

	(void)state;
	rank_cpu(&f,
		 "m.m;a.serve;a.lookup;strings.Map 3100\n"
		 "m.m;a.serve;a.lookup 900\nm.m;a.serve 3000\nm.m 3000\n",
		 "m.m;a.serve;a.find;strings.Map 2900\n"
		 "m.m;a.serve;a.find 1000\nm.m;a.serve 3000\nm.m 3100\n",
		 &want);
	assert_quiet(row(&f, "a.lookup"));
	assert_quiet(row(&f, "a.find"));
	assert_true(has_note(&f, "probably renamed: a.find -> a.lookup"));
	release(&f);
}

/* Twice as much, other callees or another caller: not the same. */
static void test_not_renamed(void **state)
{
	static const char *const slow[] = {
		"m.m;a.serve;a.lookup;strings.Map 8000\nm.m 3000\n",
		"m.m;a.serve;a.lookup;sort.Sort 4000\nm.m 3000\n",
		"m.m;a.other;a.lookup;strings.Map 4000\nm.m 3000\n",
	};
	struct rank_want want = { 0 };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct fixture f;

		rank_cpu(&f, slow[i],
			 "m.m;a.serve;a.find;strings.Map 3900\nm.m 3000\n"
			 "m.m;a.other 30\nm.m;sort.Sort 30\n",
			 &want);
		assert_int_equal(row(&f, "a.lookup")->change, CHANGE_NEW);
		assert_int_equal(row(&f, "a.find")->change, CHANGE_GONE);
		assert_false(has_note(&f, "probably renamed"));
		release(&f);
	}
}

/* The same line of the same file, whoever calls. */
static void test_same_place(void **state)
{
	struct fixture f;
	struct rank_want want = { 0 };

	(void)state;
	rank_cpu(&f, "m.m;a.x;a.New@a.go:30 4000\nm.m 6000\n",
		 "m.m;a.y;a.Old@a.go:30 3900\nm.m 6000\n", &want);
	assert_true(has_note(&f, "probably renamed: a.Old -> a.New"));
	assert_quiet(row(&f, "a.New"));
	release(&f);
}

/* Two of a package moved: the callers are renamed too, the last names stay. */
static void test_package_moved(void **state)
{
	struct fixture f;
	struct rank_want want = { 0 };

	(void)state;
	rank_cpu(&f,
		 "m.m;new/p.serve;new/p.find 3000\nm.m;new/p.serve 2000\n"
		 "m.m 5000\n",
		 "m.m;old/p.serve;old/p.find 3000\nm.m;old/p.serve 2000\n"
		 "m.m 5000\n",
		 &want);
	assert_true(has_note(&f, "old/p.find -> new/p.find"));
	assert_true(has_note(&f, "old/p.serve -> new/p.serve"));
	assert_quiet(row(&f, "new/p.find"));
	release(&f);
}

/* As many renames as one likes: three are named, the rest counted. */
static void test_many_renames(void **state)
{
	char slow[2048] = "m.m 1000\n", base[2048] = "m.m 1000\n";
	struct fixture f;
	struct rank_want want = { 0 };

	(void)state;
	for (int i = 0; i < 5; i++) {
		sprintf(slow + strlen(slow), "m.m;a.c%d;n.f%d 500\n", i, i);
		sprintf(slow + strlen(slow), "m.m;a.c%d 20\n", i);
		sprintf(base + strlen(base), "m.m;a.c%d;n.g%d 500\n", i, i);
		sprintf(base + strlen(base), "m.m;a.c%d 20\n", i);
	}
	rank_cpu(&f, slow, base, &want);
	for (size_t i = 0; i < f.result.function_count; i++)
		assert_quiet(&f.result.functions[i]);
	assert_true(has_note(&f, "2 more functions were probably renamed"));
	release(&f);
}

/* ---- one in another's place ---- */

/* Under the same caller, with the same callees, of another value. */
static void test_replaced(void **state)
{
	struct fixture f;
	struct rank_want want = { 0 };

	(void)state;
	rank_cpu(&f,
		 "m.m;a.load;a.each;a.query 8000\nm.m;a.load;a.each 200\n"
		 "m.m;a.load 100\nm.m 3000\n",
		 "m.m;a.load;a.all;a.query 400\nm.m;a.load;a.all 20\n"
		 "m.m;a.load 100\nm.m 3000\n",
		 &want);
	assert_int_equal(row(&f, "a.each")->change, CHANGE_NEW);
	assert_true(str_equal(row(&f, "a.each")->replaces, STR("a.all")));
	assert_int_equal(row(&f, "a.each")->replaced_value, 420);
	assert_null(row(&f, "a.all")->replaces.ptr);
	assert_null(row(&f, "a.query")->replaces.ptr);
	release(&f);
}

/* Another caller, other callees, or two that may have taken the place: not
 * known, whatever their names are. */
static void test_not_replaced(void **state)
{
	static const char *const slow[] = {
		"m.m;a.other;b.all;a.query 8000\nm.m;a.other;b.all 200\n"
		"m.m;a.load 100\nm.m 3000\n",
		"m.m;a.load;b.all;sort.Sort 8000\nm.m;a.load 100\n"
		"m.m 3000\n",
		"m.m;a.load;b.all;a.query 8000\nm.m;a.load;b.all 200\n"
		"m.m;a.load;c.all;a.query 7000\nm.m;a.load;c.all 200\n"
		"m.m 3000\n",
	};
	struct rank_want want = { 0 };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct fixture f;

		rank_cpu(&f, slow[i],
			 "m.m;a.load;a.all;a.query 400\nm.m;a.load;a.all 20\n"
			 "m.m;a.load 100\nm.m;a.other 30\nm.m;sort.Sort 30\nm.m 3000\n",
			 &want);
		assert_int_equal(row(&f, "b.all")->change, CHANGE_NEW);
		assert_null(row(&f, "b.all")->replaces.ptr);
		release(&f);
	}
}

/* ---- cost that moved ---- */

/* parse was split in two, and serve took what it took. */
static void test_shift(void **state)
{
	struct rank_want want = { .normalize = NORMALIZE_REQUEST,
				  .slow_requests = 1000,
				  .baseline_requests = 1000 };
	struct fixture f;

	(void)state;
	rank_cpu(&f,
		 "m.m;a.serve;a.check 2400\nm.m;a.serve;a.verify 1600\n"
		 "m.m;a.serve;a.rest 4000\n",
		 "m.m;a.serve;a.parse 4000\n"
		 "m.m;a.serve;a.rest 4000\n",
		 &want);
	assert_quiet(row(&f, "a.parse"));
	assert_quiet(row(&f, "a.check"));
	assert_quiet(row(&f, "a.verify"));
	assert_true(has_note(&f, "cost moved from a.parse to a.check, both "
				 "called by a.serve"));
	release(&f);
}

/* Half of it came out again, the siblings have other callers, or both were
 * there before: claimed. */
static void test_no_shift(void **state)
{
	static const char *const slow[] = {
		"m.m;a.serve;a.parse 1000\nm.m;a.serve;a.check 4000\n"
		"m.m;a.serve;a.rest 4000\n",
		"m.m;a.other;a.parse 1000\nm.m;a.serve;a.check 3000\n"
		"m.m;a.serve;a.rest 4000\n",
		"m.m;a.serve;a.parse 1000\nm.m;a.serve;a.check 3000\n"
		"m.m;a.serve;a.rest 4000\n",
	};
	static const char *const base[] = {
		"m.m;a.serve;a.parse 2000\nm.m;a.serve;a.check 2000\n"
		"m.m;a.serve;a.rest 4000\n",
		"m.m;a.other;a.parse 2000\nm.m;a.serve;a.check 2000\n"
		"m.m;a.serve;a.rest 4000\n",
		"m.m;a.serve;a.parse 2000\nm.m;a.serve;a.check 2000\n"
		"m.m;a.serve;a.rest 4000\n",
	};
	struct rank_want want = { .normalize = NORMALIZE_REQUEST,
				  .slow_requests = 1000,
				  .baseline_requests = 1000 };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct fixture f;

		rank_cpu(&f, slow[i], base[i], &want);
		assert_int_equal(row(&f, "a.check")->change, CHANGE_GROWN);
		assert_int_equal(row(&f, "a.parse")->change, CHANGE_SHRUNK);
		assert_false(has_note(&f, "cost moved"));
		release(&f);
	}
}

/* Shares always add up to the same: under a parent that is all of the profile
 * that proves nothing, under one of 40 % it does. */
static void test_shift_of_shares(void **state)
{
	struct rank_want want = { 0 };
	struct fixture f;

	(void)state;
	rank_cpu(&f, "m.m;a.serve;a.x 6000\nm.m;a.serve;a.y 4000\n",
		 "m.m;a.serve;a.x 1000\nm.m;a.serve;a.y 9000\n", &want);
	assert_int_equal(row(&f, "a.x")->change, CHANGE_GROWN);
	release(&f);
	rank_cpu(&f,
		 "m.m;a.serve;a.x 2400\nm.m;a.serve;a.z 1600\n"
		 "m.m;a.rest 6000\n",
		 "m.m;a.serve;a.y 4000\n"
		 "m.m;a.rest 6000\n",
		 &want);
	assert_quiet(row(&f, "a.x"));
	assert_true(has_note(&f, "cost moved from a.y to a.x"));
	release(&f);
}

/* ---- deepest holder ---- */

/* find holds what its callers gained; of serve's growth, beside it, log and
 * auth hold less than 80 % each. */
static void test_holders(void **state)
{
	struct rank_want want = { .by = RANK_TOTAL };
	struct fixture f;

	(void)state;
	rank_cpu(&f,
		 "m.m;a.serve;a.repo;a.find 5200\nm.m;a.serve;a.log 1000\n"
		 "m.m;a.rest 3800\n",
		 "m.m;a.serve;a.repo;a.find 200\nm.m;a.serve;a.log 200\n"
		 "m.m;a.rest 9600\n",
		 &want);
	ASSERT_ORDER(&f, "a.find", "a.log", "a.serve", "a.repo", "a.rest",
		     "m.m");
	release(&f);
	rank_cpu(&f,
		 "m.m;a.serve;a.find 2500\nm.m;a.serve;a.log 2500\n"
		 "m.m;a.rest 5000\n",
		 "m.m;a.serve;a.find 200\nm.m;a.serve;a.log 200\n"
		 "m.m;a.rest 9600\n",
		 &want);
	ASSERT_ORDER(&f, "a.serve", "a.find", "a.log", "a.rest");
	release(&f);
}

/* Shared with others, a callee's growth is not its caller's. */
static void test_shared_callee(void **state)
{
	struct rank_want want = { .by = RANK_TOTAL };
	struct fixture f;

	(void)state;
	rank_cpu(&f,
		 "m.m;a.one;a.util 500\nm.m;a.one 1500\n"
		 "m.m;a.two;a.util 3000\nm.m;a.rest 5000\n",
		 "m.m;a.one;a.util 100\nm.m;a.one 100\n"
		 "m.m;a.two;a.util 100\nm.m;a.rest 9700\n",
		 &want);
	/* two follows util, which holds its change; one does not. */
	ASSERT_ORDER(&f, "a.util", "a.one", "a.two", "a.rest");
	release(&f);
}

/* a and b call each other: one of them comes first all the same. */
static void test_mutual_recursion(void **state)
{
	struct rank_want want = { .by = RANK_TOTAL };
	struct fixture f;

	(void)state;
	rank_cpu(&f, "m.m;a.a;a.b;a.a;a.b 5000\nm.m;a.rest 5000\n",
		 "m.m;a.a;a.b;a.a;a.b 100\nm.m;a.rest 9900\n", &want);
	ASSERT_ORDER(&f, "a.b", "a.a", "a.rest");
	release(&f);
}

UNIT_TESTS(explain)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_renamed),
		cmocka_unit_test(test_not_renamed),
		cmocka_unit_test(test_same_place),
		cmocka_unit_test(test_package_moved),
		cmocka_unit_test(test_many_renames),
		cmocka_unit_test(test_replaced),
		cmocka_unit_test(test_not_replaced),
		cmocka_unit_test(test_shift),
		cmocka_unit_test(test_no_shift),
		cmocka_unit_test(test_shift_of_shares),
		cmocka_unit_test(test_holders),
		cmocka_unit_test(test_shared_callee),
		cmocka_unit_test(test_mutual_recursion),
	};

	return cmocka_run_group_tests_name("analyze/explain", tests, NULL,
					   NULL);
}
