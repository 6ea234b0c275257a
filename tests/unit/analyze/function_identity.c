/* SPDX-License-Identifier: Apache-2.0
 *
 * Which functions of two builds are one, and which of one build are not.
 */
#include "../unit.h"
#include "profile_making.h"

#include "analyze/function_table.h"

struct want {
	const char *key;
	int64_t after, before; /* totals */
};

/* The later build first. */
static const struct {
	const char *what;
	const char *after, *before;
	struct want wants[6];
} cases[] = {
	{ "workers of a cluster",
	  "parse@/tmp/perf-200.map 20\nparse@/tmp/perf-201.map 20",
	  "parse@/tmp/perf-100.map 10\nparse@/tmp/perf-101.map 10",
	  { { "parse", 40, 20 } } },
	{ "each function in a file of its own",
	  "a@/tmp/jitted-7-1.so 1\na@/tmp/jitted-7-2.so 1\nb@jitted-7-3.so 1",
	  "a@/tmp/jitted-9-3.so 3\na@/tmp/jitted-9-4.so 1\nb@jitted-9-5.so 2",
	  { { "a", 2, 4 }, { "b", 1, 2 } } },
	{ "libraries are some",
	  "getopt@/usr/lib/liba.so.2 1\ngetopt@/usr/lib/libb.so.2 9",
	  "getopt@/usr/lib/liba.so.1 1\ngetopt@/usr/lib/libb.so.1 3",
	  { { "getopt (lib/liba.so)", 1, 1 },
	    { "getopt (lib/libb.so)", 9, 3 } } },
	{ "hashed bundles",
	  "t@/a/js/main.9c1d22ab.js 4\nt@/a/js/vendor.77aa01ff.js 1",
	  "t@/a/js/main.3f2a91bc.js 2\nt@/a/js/vendor.0123abcd.js 1",
	  { { "t (js/main.*.js)", 4, 2 }, { "t (js/vendor.*.js)", 1, 1 } } },
	{ "the same bundles",
	  "t@/js/index-BxT3k2aQ.js 4\nt@/js/index-Q0zU71ab.js 1",
	  "t@/js/index-BxT3k2aQ.js 2\nt@/js/index-Q0zU71ab.js 1",
	  { { "t (js/index-BxT3k2aQ.js)", 4, 2 },
	    { "t (js/index-Q0zU71ab.js)", 1, 1 } } },
	{ "main.js is not main.min.js",
	  "t@/js/main.js 4\nt@/js/main.min.js 1",
	  "t@/js/main.js 2\nt@/js/main.min.js 1",
	  { { "t (js/main.js)", 4, 2 }, { "t (js/main.min.js)", 1, 1 } } },
	{ "folders of releases",
	  "get@/srv/shop-1.3.0/views.py 4\nget@/srv/shop-1.3.0/orders.py 1",
	  "get@/srv/shop-1.2.9/views.py 2\nget@/srv/shop-1.2.9/orders.py 1",
	  { { "get (shop-*/views.py)", 4, 2 },
	    { "get (shop-*/orders.py)", 1, 1 } } },
	{ "layers of containers",
	  "get@/var/lib/snapshots/812/fs/views.py 4\n"
	  "get@/var/lib/snapshots/812/views.py 1",
	  "get@/var/lib/snapshots/97/fs/views.py 2\n"
	  "get@/var/lib/snapshots/97/views.py 1",
	  { { "get (fs/views.py)", 4, 2 },
	    { "get (snapshots/views.py)", 1, 1 } } },
	{ "versions of an interface in one build",
	  "get@/srv/api/v1/views.py 4\nget@/srv/api/v2/views.py 1",
	  "get@/srv/api/v1/views.py 2\nget@/srv/api/v2/views.py 1",
	  { { "get (v1/views.py)", 4, 2 }, { "get (v2/views.py)", 1, 1 } } },
	{ "a version more",
	  "get@/api/v1/views.py 4\nget@/api/v2/views.py 1\nget@/api/v3/views.py 7",
	  "get@/api/v1/views.py 2\nget@/api/v2/views.py 1",
	  { { "get (v1/views.py)", 4, 2 },
	    { "get (v2/views.py)", 1, 1 },
	    { "get (v3/views.py)", 7, 0 } } },
	{ "a deploy within the window",
	  "get@/r/8/views.py 4\nget@/r/9/views.py 1",
	  "get@/r/7/views.py 2\nget@/r/8/views.py 1",
	  { { "get (r/views.py)", 5, 3 } } },
	{ "modules of Go",
	  "example.com/x/v2.Get@/m/x/v2@v2.1.0/a.go 4\nexample.com/x.Get@a.go 1",
	  "example.com/x/v2.Get@/m/x/v2@v2.0.0/a.go 2\nexample.com/x.Get@a.go 1",
	  { { "example.com/x/v2.Get", 4, 2 }, { "example.com/x.Get", 1, 1 } } },
	{ "lines at work",
	  "parse (app.py:8) 1\nparse (app.py:9) 9",
	  "parse (app.py:5) 1\nparse (app.py:6) 4",
	  { { "parse (app.py)", 10, 5 } } },
	{ "lines at work, in two files",
	  "get (users/views.py:8) 1\nget (orders/views.py:9) 9",
	  "get (users/views.py:5) 1\nget (orders/views.py:6) 4",
	  { { "get (users/views.py)", 1, 1 },
	    { "get (orders/views.py)", 9, 4 } } },
	{ "closures of the same build",
	  "{closure:/a/a.php(5)} 4\n{closure:/a/a.php(9)} 1",
	  "{closure:/a/a.php(5)} 2\n{closure:/a/a.php(9)} 1",
	  { { "{closure:/a/a.php(5)}", 4, 2 },
	    { "{closure:/a/a.php(9)}", 1, 1 } } },
	{ "closures below an edit",
	  "{closure:/a/a.php(7)} 4\n{closure:/a/a.php(11)} 1",
	  "{closure:/a/a.php(5)} 2\n{closure:/a/a.php(9)} 1",
	  { { "{closure:a/a.php}", 5, 3 } } },
	{ "one of them was not seen",
	  "(anonymous a.js:10) 4",
	  "(anonymous a.js:10) 2\n(anonymous a.js:31) 1",
	  { { "(anonymous a.js:10)", 4, 2 },
	    { "(anonymous a.js:31)", 0, 1 } } },
	{ "of another file",
	  "(anonymous a.js:12) 4\n(anonymous b.js:3) 1",
	  "(anonymous a.js:10) 2\n(anonymous b.js:3) 1",
	  { { "(anonymous a.js)", 4, 2 }, { "(anonymous b.js:3)", 1, 1 } } },
	{ "operators",
	  "operator* 4\noperator 1\nFoo::~Foo 2\nFoo::Foo 1\nfoldl' 3\nfoldl 1",
	  "operator* 2\noperator 1\nFoo::~Foo 2\nFoo::Foo 1\nfoldl' 3\nfoldl 1",
	  { { "operator*", 4, 2 },
	    { "operator", 1, 1 },
	    { "Foo::~Foo", 2, 2 },
	    { "Foo::Foo", 1, 1 },
	    { "foldl'", 3, 3 },
	    { "foldl", 1, 1 } } },
	{ "one side has no files",
	  "get@users/views.py 4\nget@orders/views.py 1",
	  "get 3",
	  { { "get", 5, 3 } } },
};

struct fixture {
	struct profile sides[SIDE_COUNT];
	struct arena arena;
	struct func_table t;
};

static void build(struct fixture *f, const char *after, const char *before,
		  enum func_naming naming)
{
	make_cpu_profile(&f->sides[SIDE_SLOW], after);
	make_cpu_profile(&f->sides[SIDE_BASELINE], before);
	arena_init(&f->arena, 64 * MIB);
	assert_ok(func_table_build(&f->t, &f->arena, &f->sides[SIDE_SLOW],
				   &f->sides[SIDE_BASELINE], NULL, naming,
				   &err));
}

static void release(struct fixture *f)
{
	arena_release(&f->arena);
	for (int s = 0; s < SIDE_COUNT; s++)
		profile_release(&f->sides[s]);
}

static void check(const struct fixture *f, const char *what,
		  const struct want *wants)
{
	size_t count = 0;

	for (; count < 6 && wants[count].key; count++) {
		const struct want *w = &wants[count];
		uint32_t id = func_table_find(&f->t, str_from(w->key));
		const struct side_values *v;

		if (id == ENTRY_NONE)
			fail_msg("%s: no %s", what, w->key);
		v = f->t.entries[id].values;
		if (v[SIDE_SLOW].total != w->after ||
		    v[SIDE_BASELINE].total != w->before)
			fail_msg("%s: %s %lld, before %lld", what, w->key,
				 (long long)v[SIDE_SLOW].total,
				 (long long)v[SIDE_BASELINE].total);
	}
	if (f->t.count != count)
		fail_msg("%s: %zu functions", what, f->t.count);
}

/* Either side may be the later one. */
static void test_cases(void **state)
{
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct want turned[6];

		build(&f, cases[i].after, cases[i].before, FUNC_NAMES_MATCHED);
		check(&f, cases[i].what, cases[i].wants);
		release(&f);
		for (size_t k = 0; k < COUNT_OF(turned); k++)
			turned[k] = (struct want){ cases[i].wants[k].key,
						   cases[i].wants[k].before,
						   cases[i].wants[k].after };
		build(&f, cases[i].before, cases[i].after, FUNC_NAMES_MATCHED);
		check(&f, cases[i].what, turned);
		release(&f);
	}
}

/* A snapshot holds what any other build can be known by. */
static void test_stable(void **state)
{
	struct fixture f;

	(void)state;
	build(&f, "{closure:/a/a.php(5)} 4\nparse (/r/7/app.py:9) 1",
	      "{closure:/a/a.php(5)} 2\nparse (/r/7/app.py:9) 1",
	      FUNC_NAMES_STABLE);
	check(&f, "stable",
	      (struct want[6]){ { "{closure:a/a.php}", 4, 2 },
				{ "parse (r/app.py)", 1, 1 } });
	release(&f);
}

static void test_plain(void **state)
{
	struct fixture f;

	(void)state;
	build(&f,
	      "parse (app.py:8) 1\nparse (app.py:9) 9\nget@a.py 1\nget@b.py 2",
	      "parse (app.py:9) 2", FUNC_NAMES_PLAIN);
	check(&f, "plain",
	      (struct want[6]){ { "parse (app.py:8)", 1, 0 },
				{ "parse (app.py:9)", 9, 2 },
				{ "get", 3, 0 } });
	release(&f);
}

/* One run of a side is seen by the identities of all. */
static void test_bound(void **state)
{
	static const char *const names[][2] = {
		{ "get@/srv/v8/users/views.py 1", "get (users/views.py)" },
		{ "get@/srv/v9/orders/views.py 1", "get (orders/views.py)" },
		{ "parse (app.py:11) 1", "parse (app.py)" },
		{ "parse@/tmp/perf-7.map 1", "parse" },
		{ "{closure:/a/a.php(11)} 1", "{closure:a/a.php}" },
		{ "main@main.py 1", "main" },
		{ "other 1", NULL },
	};
	struct fixture f;

	(void)state;
	build(&f,
	      "get@/v8/users/views.py 4\nget@/v8/orders/views.py 1\n"
	      "parse (app.py:8) 1\nparse@/tmp/perf-7.map 1\n"
	      "{closure:/a/a.php(7)} 1\n{closure:/a/a.php(11)} 1\nmain 1",
	      "get@/v8/users/views.py 4\nget@/v8/orders/views.py 1\n"
	      "parse (app.py:9) 1\nparse@/tmp/perf-7.map 1\n"
	      "{closure:/a/a.php(5)} 1\nmain 1",
	      FUNC_NAMES_MATCHED);
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		struct profile run;
		struct func_side side = { .profile = &run };

		make_cpu_profile(&run, names[i][0]);
		assert_ok(func_side_bind(&f.t, &side, &err));
		if (!names[i][1])
			assert_int_equal(side.entries[0], ENTRY_NONE);
		else if (side.entries[0] == ENTRY_NONE ||
			 !str_equal(f.t.entries[side.entries[0]].key,
				    str_from(names[i][1])))
			fail_msg("%s is not %s", names[i][0], names[i][1]);
		profile_release(&run);
	}
	release(&f);
}

UNIT_TESTS(function_identity)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_stable),
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_bound),
	};

	return cmocka_run_group_tests_name("analyze/function_identity", tests,
					   NULL, NULL);
}
