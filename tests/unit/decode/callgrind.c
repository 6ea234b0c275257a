/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "profile_testing.h"

#include "decode/formats.h"

static struct notes notes;

static bool decode(const char *text, const char *type, struct profile *p)
{
	struct profile_want want = want_of(type);

	notes_init(&notes);
	profile_init(p);
	return decode_profile(FORMAT_CALLGRIND, str_from(text), &want, p,
			      &notes, &err);
}

/* Own cost and all below it, as stacks add up to them. */
static void expect_costs(const struct profile *p, const char *name,
			 int64_t self, int64_t total)
{
	int64_t own = 0, all = 0;

	for (uint32_t i = 0; i < p->stack_count; i++) {
		const struct stack *s = &p->stacks[i];
		bool is_on = false, is_leaf = false;

		for (uint32_t k = 0; k < s->frame_count; k++) {
			uint32_t frame = p->frame_ids[s->frame_first + k];

			is_leaf = str_equal(
				function_name(p, p->frames[frame].function),
				str_from(name));
			is_on |= is_leaf;
		}
		own += is_leaf ? s->value : 0;
		all += is_on ? s->value : 0;
	}
	assert_int_equal(own, self);
	assert_int_equal(all, total);
}

#define HEAD "events: Ir Dr\n\nfl=a.c\n"

static void test_costs(void **state)
{
	static const char text[] = HEAD
		"fn=main\n1 10 1\n+2 5\n"
		"cfn=mid\ncalls=2 8\n* 100 9\n"
		"fn=mid\n8 20 3\nfi=b.h\n-1 10\nfe=a.c\n"
		"cfn=leaf\ncalls=4 20\n9 70 6\n"
		"fn=leaf\n20 70 6\n";
	struct profile p;

	(void)state;
	assert_true(callgrind_is(str_from(text)));
	assert_decoded(decode(text, "", &p));
	assert_true(p.is_of_calls);
	assert_int_equal(p.total, 115);
	assert_int_equal(p.whole_total, 115);
	expect_costs(&p, "main", 15, 115);
	expect_costs(&p, "mid", 30, 100);
	expect_costs(&p, "leaf", 70, 70);
	profile_release(&p);
	assert_decoded(decode(text, "Dr", &p));
	assert_int_equal(p.total, 10);
	expect_costs(&p, "mid", 3, 9);
	profile_release(&p);
}

/* What calls itself is counted once, and names are told once. */
static void test_names(void **state)
{
	static const char text[] =
		"positions: instr line\nevents: Ticks\n"
		"fl=(1) a.c\nfn=(1) f\n0x10 1 5\ncfn=(1)\ncalls=3 0\n0x10 1 4\n"
		"cfl=(2) b.c\ncfn=(2) f\ncalls=1 0\n0x12 1 7\n"
		"fl=(2)\nfn=(2)\n0x20 3 7\n";
	struct profile p;

	(void)state;
	assert_decoded(decode(text, "", &p));
	assert_int_equal(p.total, 12);
	assert_int_equal(p.function_count, 2);
	expect_costs(&p, "f", 12, 12);
	profile_release(&p);
}

/* What functions do not tell of themselves is of the whole. */
static void test_summary(void **state)
{
	static const char text[] =
		"creator: stackprof\nevents: Ir Dr\nsummary: 57 9\nfl=a.rb\nfn=main\n1 0\n"
		"cfn=parse\ncalls=1 2\n2 30 4\ncfl=<cfunc>\ncfn=new\n"
		"calls=1 0\n3 27\nfn=parse\n2 30 4\nfl=<cfunc>\nfn=new\n";
	struct profile p;

	(void)state;
	assert_decoded(decode(text, "", &p));
	assert_int_equal(p.total, 30);
	assert_int_equal(p.omitted, 27);
	assert_int_equal(p.whole_total, 57);
	expect_costs(&p, "main", 0, 57);
	expect_costs(&p, "parse", 30, 30);
	profile_release(&p);
	assert_decoded(decode(text, "Dr", &p));
	assert_int_equal(p.whole_total, 9);
	profile_release(&p);
	/* Parts of a file add up; less than the functions have says nothing. */
	assert_decoded(decode("creator: stackprof\n"
			      "events: Ir\nsummary: 4\nfn=a\n1 4\n"
			      "events: Ir\nsummary: 5\nfn=a\n1 4\n",
			      "", &p));
	assert_int_equal(p.whole_total, 9);
	profile_release(&p);
	assert_decoded(
		decode("creator: stackprof\nevents: Ir\nsummary: 3\n"
		       "fn=a\n1 4\n",
		       "", &p));
	assert_int_equal(p.whole_total, 4);
	assert_int_equal(p.omitted, 0);
	profile_release(&p);
	/* Others have in it what is of no function. */
	assert_decoded(
		decode("events: Ir\nsummary: 9\nfn=a\n1 4\n", "", &p));
	assert_int_equal(p.whole_total, 4);
	profile_release(&p);
}

/* --collect-jumps=yes: a name may be told where a jump leads to. */
static void test_jumps(void **state)
{
	static const char text[] =
		"events: Ir\nfl=(1) a.c\nfn=(1) main\n1 2\n"
		"jfi=(5) b.h\njump=32 +17\n+3\njcnd=1/6 400\n1\n"
		"jfi=(6) c.h\njfn=(7) far\njump=1 3\n1\n"
		"fi=(5)\n4 10\nfe=(6)\n4 1\nfn=(7)\n9 3\n";
	struct profile p;

	(void)state;
	assert_decoded(decode(text, "", &p));
	expect_costs(&p, "main", 13, 13);
	expect_costs(&p, "far", 3, 3);
	profile_release(&p);
}

static void expect_file(const char *path, const char *name, int64_t self,
			int64_t total)
{
	struct buf bytes;
	struct profile p;

	read_fixture(path, &bytes);
	assert_decoded(decode(buf_text(&bytes), "", &p));
	expect_costs(&p, name, self, total);
	profile_release(&p);
	buf_release(&bytes);
}

/* As callgrind_annotate and the programs' own sums have them. */
static void test_recorded(void **state)
{
	(void)state;
	expect_file("callgrind/valgrind.out", "mix", 20046, 20046);
	expect_file("callgrind/valgrind.out", "parse", 51, 12723);
	expect_file("callgrind/valgrind.out", "even'2", 23, 770);
	expect_file("callgrind/valgrind.out", "main", 36, 20195);
	expect_file("callgrind/yappi.out", "mid", 135, 29562);
	expect_file("callgrind/nytprof.out", "main::leaf", 145848, 145848);
	expect_file("callgrind/xdebug.out", "{main}", 38890, 84620);
}

static void test_broken(void **state)
{
	static const char *const texts[][2] = {
		{ "events: Ir\nfn=f\n1 x\n", "line 3: a cost that is no whole" },
		{ "events: Ir\n1 2\n", "line 2: costs of no function" },
		{ "events: Ir\nfn=f\ncalls=1 1\n1 2\n", "costs of no function" },
		{ "fn=f\n1 2\n", "costs before the line of events" },
		{ "events: Ir\nfn=(3)\n", "a number of an undefined name" },
		{ "events:\nfn=f\n", "no events" },
		{ "# callgrind format\n", "it ends without a line of events" },
	};
	struct profile p;

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		assert_false(decode(texts[i][0], "", &p));
		assert_int_equal(err.code, ERROR_FORMAT);
		if (!strstr(err.message, texts[i][1]))
			fail_msg("\"%s\" lacks \"%s\"", err.message,
				 texts[i][1]);
		profile_release(&p);
	}
	assert_false(decode("events: Ir\nfn=f\n1 2\n", "Dr", &p));
	assert_int_equal(err.code, ERROR_NOT_FOUND);
	profile_release(&p);
}

UNIT_TESTS(callgrind)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_costs),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_summary),
		cmocka_unit_test(test_jumps),
		cmocka_unit_test(test_recorded),
		cmocka_unit_test(test_broken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
