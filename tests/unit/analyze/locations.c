/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "ranking.h"

#include "analyze/profile_analysis.h"

static void take(struct profile *p, const struct profile *service)
{
	const struct profile *from[] = { service };
	struct profile *const to[] = { p };

	assert_ok(profiles_take_files(to, 1, from, 1, NULL, &err));
	assert_ok(profile_check(p, &err));
}

static void assert_file(const struct profile *p, const char *name,
			const char *file)
{
	for (uint32_t f = 0; f < p->function_count; f++) {
		if (!str_equal(function_name(p, f), str_from(name)))
			continue;
		assert_true(str_equal(function_file(p, f), str_from(file)));
		return;
	}
	fail_msg("no function %s", name);
}

/* Bare names of Ruby: the deepest of the application owns, not the gem's. */
static void test_owner(void **state)
{
	struct rank_want want = { 0 };
	struct profile service;
	struct fixture f;

	(void)state;
	make_cpu_profile(&service,
			 "call@/app/server.rb:3;rows@/app/rows.rb:7;"
			 "gsub@/usr/lib/ruby/3.3.0/set.rb:9 10\n"
			 "call@/app/server.rb:3;exec@/gems/pg-1.5/lib/pg.rb:2 "
			 "20\n");
	make_cpu_profile(&f.slow, "call;rows;gsub 90\ncall;exec 10\n");
	make_cpu_profile(&f.baseline, "");
	take(&f.slow, &service);
	rank(&f, false, &want);
	assert_int_equal(row(&f, "rows")->self_lib_value, 90);
	assert_string_equal(row(&f, "rows")->kind, "application");
	assert_string_equal(row(&f, "gsub")->kind, "stdlib");
	assert_int_equal(row(&f, "call")->self_lib_value, 10);
	assert_ok(rows_add_locations(&f.result, &service, true, &err));
	assert_int_equal(row(&f, "rows")->line, 7);
	release(&f);
	profile_release(&service);
}

/* "call" is of three gems, each less than the application's, and of these most
 * is in rack; "each" ties; "map" is nowhere. */
static void test_votes(void **state)
{
	struct profile service, p;

	(void)state;
	make_cpu_profile(&service, "call@/app/a.rb 40\n"
				   "call@/gems/rack-3.0/lib/rack.rb 30\n"
				   "call@/gems/rake-1.0/lib/rake.rb 10\n"
				   "call@/gems/roda-1.0/lib/roda.rb 10\n"
				   "each@/app/a.rb 5\n"
				   "each@/gems/rack-3.0/lib/rack.rb 5\n"
				   "own@/app/b.rb 2\nown@/app/c.rb 3\nmap 7\n");
	make_cpu_profile(&p, "call;each;map;own 1\nother 1\n");
	take(&p, &service);
	assert_file(&p, "call", "/gems/rack-3.0/lib/rack.rb");
	assert_file(&p, "each", "");
	assert_file(&p, "map", "");
	assert_file(&p, "own", "/app/c.rb");
	assert_file(&p, "other", "");
	profile_release(&p);
	profile_release(&service);
}

/* Profiles vote together: "call" is the application's in both, most of it in
 * b.rb, though one line of a.rb is hotter than each in rack. "far" is behind
 * many others, "z" is in one of the profiles only. */
static void test_votes_of_two(void **state)
{
	struct profile service, base, p;
	const struct profile *from[] = { &service, &base };
	struct profile *const to[] = { &p };

	(void)state;
	make_cpu_profile(&service, "call@/app/a.rb:1 4\n"
				   "call@/gems/rack-3.0/lib/rack.rb:2 3\n"
				   "a;b;c;d;e;far@/app/far.rb 1\n");
	make_cpu_profile(&base, "call@/app/b.rb:7 5\n"
				"call@/gems/rack-3.0/lib/rack.rb:3 3\n"
				"z@/app/z.rb 1\n");
	make_cpu_profile(&p, "call;far;z 1\n");
	assert_ok(profiles_take_files(to, 1, from, 2, NULL, &err));
	assert_file(&p, "call", "/app/b.rb");
	assert_file(&p, "far", "/app/far.rb");
	assert_file(&p, "z", "/app/z.rb");
	profile_release(&p);
	profile_release(&base);
	profile_release(&service);
}

/* A profile with files of its own is believed. */
static void test_own_files(void **state)
{
	struct profile service, p;

	(void)state;
	make_cpu_profile(&service, "a@/app/x.rb 1\nb@/app/y.rb 1\n");
	make_cpu_profile(&p, "a@/app/z.rb;b 1\n");
	take(&p, &service);
	assert_file(&p, "a", "/app/z.rb");
	assert_file(&p, "b", "");
	profile_release(&p);
	profile_release(&service);
}

static uint32_t line_of(const struct profile *p, const char *name)
{
	for (uint32_t i = 0; i < p->frame_count; i++)
		if (str_equal(function_name(p, p->frames[i].function),
			      str_from(name)))
			return p->frames[i].line;
	fail_msg("no function %s", name);
	return 0;
}

/* "one" has samples on one line, of two profiles; "two" on two; "half" also
 * somewhere unknown; "call" on one line of each of two files. */
static void test_lines(void **state)
{
	struct profile service, base, p, own;
	const struct profile *from[] = { &service, &base };
	struct profile *const to[] = { &p, &own };

	(void)state;
	make_cpu_profile(&service, "one@/app/a.rb:3;two@/app/a.rb:5 4\n"
				   "half@/app/a.rb;two@/app/a.rb:6 1\n"
				   "call@/app/a.rb:8 1\ncall@/app/b.rb:9 6\n");
	make_cpu_profile(&base, "one@/app/a.rb:3;half@/app/a.rb:4 4\n");
	make_cpu_profile(&p, "one;two;half;call;none 1\n");
	make_cpu_profile(&own, "one@/app/a.rb;two@/app/a.rb:7 1\n"
			       "call@/app/a.rb:1 1\n");
	assert_ok(profiles_take_lines(to, 2, from, 2, &err));
	assert_int_equal(line_of(&p, "one"), 3);
	assert_int_equal(line_of(&p, "two"), 0);
	assert_int_equal(line_of(&p, "half"), 0);
	assert_int_equal(line_of(&p, "call"), 0);
	assert_int_equal(line_of(&p, "none"), 0);
	/* A profile with lines of its own is believed. */
	assert_int_equal(line_of(&own, "one"), 0);
	/* The file that the samples decided on decides the line, too. */
	take(&p, &service);
	assert_ok(profiles_take_lines(to, 1, from, 2, &err));
	assert_int_equal(line_of(&p, "call"), 9);
	assert_ok(profile_check(&p, &err));
	profile_release(&own);
	profile_release(&p);
	profile_release(&base);
	profile_release(&service);
}

/* A row's own file keeps its line from another file's. */
static void test_row_files(void **state)
{
	struct rank_want want = { 0 };
	struct profile places;
	struct fixture f;

	(void)state;
	rank_cpu(&f, "call@/app/a.rb 4\n", NULL, &want);
	make_cpu_profile(&places, "call@/app/a.rb:8 3\ncall@/app/b.rb:5 6\n");
	assert_ok(rows_add_locations(&f.result, &places, true, &err));
	assert_int_equal(row(&f, "call")->line, 8);
	profile_release(&places);
	release(&f);
}

UNIT_TESTS(locations)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_owner),
		cmocka_unit_test(test_votes),
		cmocka_unit_test(test_own_files),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_row_files),
		cmocka_unit_test(test_votes_of_two),
	};

	return cmocka_run_group_tests_name("analyze/places", tests, NULL, NULL);
}
