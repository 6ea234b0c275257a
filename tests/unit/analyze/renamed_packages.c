/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "ranking.h"

#include "base/timefmt.h"

static const struct rank_want plain = { 0 };

/* A deploy a minute after the slow window began and a minute before the other
 * one ended: some of both names on both sides. The callers moved as well, and
 * their own time is not the same. */
static void test_straddling(void **state)
{
	struct fixture f;

	(void)state;
	rank_cpu(&f,
		 "m.m;Acme.Sales.Orders.Api.Serve;"
		 "Acme.Sales.Orders.Repo.Find 2800\n"
		 "m.m;Acme.Sales.Orders.Api.Serve;"
		 "Acme.Sales.Orders.Price.Sum 1900\n"
		 "m.m;Acme.Orders.Api.Serve;Acme.Orders.Repo.Find 200\n"
		 "m.m;Acme.Orders.Api.Serve;Acme.Orders.Price.Sum 100\n"
		 "m.m 5000\n",
		 "m.m;Acme.Orders.Api.Serve;Acme.Orders.Repo.Find 2900\n"
		 "m.m;Acme.Orders.Api.Serve;Acme.Orders.Price.Sum 1950\n"
		 "m.m;Acme.Sales.Orders.Api.Serve;"
		 "Acme.Sales.Orders.Repo.Find 100\n"
		 "m.m;Acme.Sales.Orders.Api.Serve;"
		 "Acme.Sales.Orders.Price.Sum 50\n"
		 "m.m 5000\n",
		 &plain);
	assert_int_equal(f.result.function_count, 4);
	assert_int_equal(row(&f, "Acme.Sales.Orders.Repo.Find")->change,
			 CHANGE_SAME);
	assert_int_equal(row(&f, "Acme.Sales.Orders.Repo.Find")->self_lib_value,
			 3000);
	assert_int_equal(
		row(&f, "Acme.Sales.Orders.Price.Sum")->baseline_self_lib_value,
		2000);
	assert_true(has_note(&f, "Acme is now Acme.Sales, 3 functions"));
	release(&f);
}

/* What grew under its new name has grown. */
static void test_moved_and_grown(void **state)
{
	struct fixture f;

	(void)state;
	rank_cpu(&f,
		 "m.m;b/x.Serve 1000\nm.m;b/x.Find 1000\nm.m;b/x.Sum 6000\n"
		 "m.m 5000\n",
		 "m.m;a/x.Serve 1000\nm.m;a/x.Find 1000\nm.m;a/x.Sum 1000\n"
		 "m.m 5000\n",
		 &plain);
	assert_int_equal(row(&f, "b/x.Sum")->change, CHANGE_GROWN);
	assert_int_equal(row(&f, "b/x.Sum")->baseline_self_lib_value, 1000);
	release(&f);
}

/* One function is enough where the names differ in a version's number. */
static void test_versions(void **state)
{
	static const char *const names[][2] = {
		{ "acme.io/shop/db.Find", "acme.io/shop/v2/db.Find" },
		{ "acme.io/shop.Find", "acme.io/shop/v2.Find" },
		{ "acme.io/shop/v2.(*DB).Find", "acme.io/shop/v3.(*DB).Find" },
		{ "gopkg.in/acme.v2.Parse", "gopkg.in/acme.v3.Parse" },
		{ "acme::v1::find(acme::v1::Key)",
		  "acme::v2::find(acme::v2::Key)" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char slow[200], base[200];
		struct fixture f;

		snprintf(slow, sizeof slow, "m.m;%s 3000\nm.m 5000\n",
			 names[i][1]);
		snprintf(base, sizeof base, "m.m;%s 3000\nm.m 5000\n",
			 names[i][0]);
		rank_cpu(&f, slow, base, &plain);
		assert_int_equal(row(&f, names[i][1])->change, CHANGE_SAME);
		assert_true(has_note(&f, "1 function counted"));
		release(&f);
	}
}

/* The same last names in two packages that are both in use: less of the one
 * and more of the other is what happened. */
static void test_two_packages(void **state)
{
	struct fixture f;

	(void)state;
	rank_cpu(&f,
		 "m.m;reads/x.Serve 300\nm.m;reads/x.Find 300\n"
		 "m.m;reads/x.Sum 300\nm.m;writes/x.Serve 4000\n"
		 "m.m;writes/x.Find 4000\nm.m;writes/x.Sum 4000\nm.m 5000\n",
		 "m.m;reads/x.Serve 3000\nm.m;reads/x.Find 3000\n"
		 "m.m;reads/x.Sum 3000\nm.m;writes/x.Serve 1000\n"
		 "m.m;writes/x.Find 1000\nm.m;writes/x.Sum 1000\nm.m 5000\n",
		 &plain);
	assert_int_equal(row(&f, "writes/x.Sum")->change, CHANGE_GROWN);
	assert_int_equal(row(&f, "writes/x.Sum")->baseline_self_lib_value,
			 1000);
	assert_int_equal(row(&f, "reads/x.Sum")->change, CHANGE_SHRUNK);
	assert_false(has_note(&f, "renamed since"));
	release(&f);
}

#define THREE_EACH                                                             \
	"m;a.x.F %d\nm;a.x.G %d\nm;a.x.H %d\n"                                 \
	"m;b.x.F %d\nm;b.x.G %d\nm;b.x.H %d\nm 3000\n"

/* The part of the new name on either side, on both sides of the limits. */
static void test_limits(void **state)
{
	static const struct {
		int old_slow, new_slow, old_base, new_base;
		bool is_move;
	} cases[] = {
		{ 200, 800, 800, 200, true },
		{ 201, 799, 800, 200, false },
		{ 200, 800, 799, 201, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char slow[300], base[300];
		int a = cases[i].old_slow, b = cases[i].new_slow;
		int c = cases[i].old_base, d = cases[i].new_base;
		struct fixture f;

		snprintf(slow, sizeof slow, THREE_EACH, a, a, a, b, b, b);
		snprintf(base, sizeof base, THREE_EACH, c, c, c, d, d, d);
		rank_cpu(&f, slow, base, &plain);
		assert_true(has_note(&f, "renamed since") == cases[i].is_move);
		release(&f);
	}
}

/* Two look-alikes are not enough, three are. */
static void test_pairs(void **state)
{
	struct fixture f;

	(void)state;
	rank_cpu(&f, "m;b.x.F 900\nm;b.x.G 900\nm 3000\n",
		 "m;a.x.F 900\nm;a.x.G 900\nm 3000\n", &plain);
	assert_false(has_note(&f, "renamed since"));
	release(&f);
	rank_cpu(&f, "m;b.x.F 900\nm;b.x.G 900\nm;b.x.H 1\nm 3000\n",
		 "m;a.x.F 900\nm;a.x.G 900\nm;a.x.H 1\nm 3000\n", &plain);
	assert_true(has_note(&f, "a is now b, 3 functions"));
	release(&f);
}

/* One of them is called by both names all along: it stays two. */
static void test_contradicted(void **state)
{
	struct fixture f;

	(void)state;
	rank_cpu(&f,
		 "m;b.F 900\nm;b.G 900\nm;b.H 900\nm;b.I 90\nm;a.I 100\n"
		 "m 3000\n",
		 "m;a.F 900\nm;a.G 900\nm;a.H 900\nm;b.I 90\nm;a.I 100\n"
		 "m 3000\n",
		 &plain);
	assert_true(has_note(&f, "a is now b, 3 functions"));
	assert_int_equal(row(&f, "a.I")->self_lib_value, 100);
	release(&f);
}

/* Blocks see the sides through the same table. */
static void test_slices(void **state)
{
	static const char slow_text[] = "m;b.F 300\nm;b.G 300\nm;b.H 300\n";
	static const char base_text[] = "m;a.F 300\nm;a.G 300\nm;a.H 300\n";
	static const double seconds[] = { 60, 60 };
	const struct profile *slow[2], *base[2];
	struct rank_want want = { .normalize = NORMALIZE_RATE,
				  .window_ns = 120 * NS_PER_S,
				  .baseline_ns = 120 * NS_PER_S };
	struct fixture f;

	(void)state;
	make_cpu_profile(&f.slow, slow_text);
	make_cpu_profile(&f.baseline, base_text);
	for (size_t i = 0; i < 2; i++) {
		slow[i] = &f.slow;
		base[i] = &f.baseline;
	}
	want.slow_slices = (struct rank_slices){ slow, seconds, 2 };
	want.baseline_slices = (struct rank_slices){ base, seconds, 2 };
	rank(&f, true, &want);
	assert_int_equal(row(&f, "b.F")->change, CHANGE_SAME);
	assert_true(row(&f, "b.F")->q > 0.9);
	release(&f);
}

/* Many names of one front each, and thousands of namesakes. */
static void test_hostile(void **state)
{
	size_t size = 4 * MIB, used = 0;
	char *text = mem_alloc(size);
	struct fixture f;

	(void)state;
	assert_non_null(text);
	for (int i = 0; i < 10000; i++)
		used += (size_t)snprintf(text + used, size - used,
					 "m;a%d.b.get 1\nm;x%d.f%d 1\n", i, i,
					 i / 20);
	rank_cpu(&f, text, "m;c.b.get 5\nm 20000\n", &plain);
	assert_false(has_note(&f, "renamed since"));
	release(&f);
	mem_free(text);
}

UNIT_TESTS(renamed_packages)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_straddling),
		cmocka_unit_test(test_moved_and_grown),
		cmocka_unit_test(test_versions),
		cmocka_unit_test(test_two_packages),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_contradicted),
		cmocka_unit_test(test_slices),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests_name("analyze/moved", tests, NULL, NULL);
}
