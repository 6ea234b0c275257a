/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "profile_testing.h"

#include "base/num.h"
#include "decode/formats.h"

static struct notes notes;

static bool decode(const char *text, const char *type,
		   enum profile_detail detail, struct profile *p)
{
	struct profile_want want = want_of(type);

	want.detail = detail;
	notes_init(&notes);
	profile_init(p);
	return decode_profile(FORMAT_PERF_SCRIPT, str_from(text), &want, p,
			      &notes, &err);
}

static void expect(const char *text, const char *type, const char *folded)
{
	struct profile p;

	assert_decoded(decode(text, type, PROFILE_DETAIL_LINES, &p));
	assert_folded(&p, folded);
	profile_release(&p);
}

#define CLOCK "work 1/2 [000] 33690.848496:    5025125 cpu-clock: \n"
#define CYCLES "my prog 18400 33690.848496:  700 cycles:u: \n"

static void test_stacks(void **state)
{
	static const char text[] =
		"# captured on : a day\n\n" CLOCK
		"\t            1332 mix+0x22 (/usr/bin/work)\n"
		"\t            119a main+0x3a (/usr/bin/work)\n\n" CLOCK
		"\t            1336 mix+0x26 (/usr/bin/work)\n"
		"\t            119a main+0x3a (/usr/bin/work)\n\n" CLOCK
		"\t            119a main+0x3a (/usr/bin/work)\n\n";
	struct profile p;

	(void)state;
	expect(text, "", "main 5025125\nmain;mix 10050250\n");
	expect(text, "samples", "main 1\nmain;mix 2\n");
	assert_decoded(decode(text, "", PROFILE_DETAIL_LINES, &p));
	assert_int_equal(p.sample_count, 3);
	assert_int_equal(p.period, 5025125);
	assert_true(str_equal(profile_unit(&p), STR("nanoseconds")));
	assert_int_equal(notes.count, 0);
	profile_release(&p);
}

/* From the first to the last sample, in whatever order, of all events. */
static void test_length(void **state)
{
	static const char text[] =
		"work 1/2 [000] 100.500000: 1 cpu-clock: \n"
		"\t 1332 mix (/usr/bin/work)\n\n"
		"work 1/2 [000] 99.000000: 1 cpu-clock: \n"
		"\t 1332 mix (/usr/bin/work)\n\n"
		"work 1/2 [000] 109.000001: 1 page-faults: \n"
		"\t 1332 mix (/usr/bin/work)\n\n";
	struct profile p;

	(void)state;
	assert_decoded(decode(text, "", PROFILE_DETAIL_LINES, &p));
	assert_int_equal(p.duration_ns, 10000001000);
	profile_release(&p);
	assert_decoded(decode(CLOCK "\t 1332 mix (/usr/bin/work)\n\n", "",
			      PROFILE_DETAIL_LINES, &p));
	assert_int_equal(p.duration_ns, 0);
	profile_release(&p);
}

static void expect_end(const char *text, bool is_cut_off)
{
	struct profile p;

	assert_decoded(decode(text, "", PROFILE_DETAIL_LINES, &p));
	assert_int_equal(notes.count, is_cut_off);
	if (is_cut_off)
		assert_non_null(strstr(notes.text[0], "may be cut off"));
	profile_release(&p);
}

/* A stack whose callers are lost would be another stack. */
static void test_cut_off(void **state)
{
	static const char line[] = "w 1 1.5: 700 cycles: ff main+0x1 (w)\n";

	(void)state;
	expect_end(CLOCK "\tff main+0x1 (w)\n\n", false);
	expect_end(CLOCK "\tff main+0x1 (w)\n", true);
	expect_end(CLOCK "\tff main+0x1 (w)", true);
	expect_end(CLOCK, true);
	expect_end(CLOCK "\n", false);
	expect_end(line, false);
	expect_end("w 1 1.5: 700 cycles: ff main+0x1 (w)", true);
	expect_end(CYCLES "\tff main+0x1 (w)\n\n" CYCLES, true);
}

/* Cycles are no time: samples, unless they are asked for. */
static void test_cycles(void **state)
{
	static const char text[] =
		CYCLES "\tff main+0x1 (w)\n\n" CYCLES "\tff main+0x2 (w)\n";
	struct profile p;

	(void)state;
	expect(text, "", "main 1400\n");
	expect(text, "samples", "main 2\n");
	/* Periods are not printed by default of older ones: a clock without
	 * them tells no time. */
	expect("w 1 2.5: cycles: \n\tff main (w)\n", "", "main 1\n");
	assert_decoded(decode("w 1 2.5: cpu-clock: \n\tff main (w)\n", "",
			      PROFILE_DETAIL_LINES, &p));
	assert_true(str_equal(profile_type_name(&p), STR("samples")));
	assert_int_equal(p.type_count, 1);
	profile_release(&p);
	/* What perf mem tells of an access is no frame. */
	expect("w 1 2.5: 30 cpu/mem-loads/P: 68100142 |OP LOAD|LVL L1 hit|SNP "
	       "None\n\tff leaf (w)\n\tfe main (w)\n",
	       "", "main;leaf 30\n");
}

static void test_without_call_graphs(void **state)
{
	(void)state;
	expect("  w 1 2.5:  10 cycles:  ff main+0x1 (/bin/w)\n"
	       "  w 1 2.6:  10 cycles:  fe mix+0x1 (/bin/w)\n",
	       "", "main 10\nmix 10\n");
}

static void test_names(void **state)
{
	(void)state;
	expect(CYCLES "\t1 a::operator()(int) const+0x1f (/w)\n"
		      "\t2 std::f<int, char> (inlined)\n"
		      "\t3 [unknown] (/usr/lib/libc.so.6)\n"
		      "\t4 [unknown] ([unknown])\n"
		      "\t5 f (/tmp/x (deleted))\n"
		      "\t6 +0x12 ([vdso])\n"
		      "\t7 _ZN4shop3addEi+0x2 (/w)\n"
		      "\tffffffff81 do_syscall_64+0x5c ([kernel.kallsyms])\n"
		      "\tffffffff82 nf_hook+0x5c ([nf_tables])\n",
	       "",
	       "nf_hook_[k];do_syscall_64_[k];shop::add;[vdso];f;[unknown];"
	       "[libc.so.6];std::f<int, char>;a::operator()(int) const 700\n");
}

static void test_places(void **state)
{
	struct profile p;
	uint32_t mixed;

	(void)state;
	assert_decoded(decode(CYCLES "\t1 f (inlined)\n\t1 main (/bin/w)\n"
				     "\t3 [unknown] (/lib/libc.so.6)\n",
			      "", PROFILE_DETAIL_PLACES, &p));
	assert_folded(&p, "[libc.so.6];main;f 700\n");
	for (uint32_t i = 0; i < p.frame_count; i++) {
		mixed = p.frames[i].function;
		if (str_equal(function_name(&p, mixed), STR("f")))
			assert_true(is_frame_inlined(&p, i));
		else
			assert_false(is_frame_inlined(&p, i));
		if (str_equal(function_name(&p, mixed), STR("main")))
			assert_true(str_equal(function_mapping(&p, mixed),
					      STR("/bin/w")));
		assert_int_equal(p.functions[mixed].is_nameless,
				 str_equal(function_name(&p, mixed),
					   STR("[libc.so.6]")));
	}
	profile_release(&p);
}

/* The first event counts, others are named. */
static void test_other_events(void **state)
{
	(void)state;
	expect(CLOCK "\t1 f (w)\n\n" CYCLES "\t1 g (w)\n\n" CLOCK
		     "\t1 f (w)\n\n",
	       "samples", "f 2\n");
	assert_int_equal(notes.count, 1);
}

/* Sources, branches and what else perf can print. */
static void test_other_lines(void **state)
{
	(void)state;
	expect("stray\n\t1 g (w)\n" CYCLES "\t1 f+0x1 (w)\n  work.c:12\n"
	       "\tzz no address (w)\n\tff\n",
	       "", "f 700\n");
	/* A sample without a stack. */
	expect(CYCLES "\n", "", "[unknown] 700\n");
	expect(CYCLES, "", "[unknown] 700\n");
	expect("w 1 2.5: 99999999999999999999 cycles: \n", "", "");
}

/* The name of an event in a comment is none, nor is a mark in front a name. */
static void test_comments(void **state)
{
	(void)state;
	expect("\xef\xbb\xbf# cmdline : perf 1.5: 3 cycles:\n" CLOCK
	       "\t 1332 mix+0x22 (/usr/bin/work)\n\n",
	       "", "mix 5025125\n");
}

#define NAME_BYTES 4000

/* More lines than are remembered, all of them three times. */
static void test_many_lines(void **state)
{
	const unsigned functions = 12 * MIB / NAME_BYTES;
	char name[NAME_BYTES + 1];
	struct profile_want want = want_of("samples");
	struct profile p;
	struct buf b;

	(void)state;
	memset(name, 'f', NAME_BYTES);
	name[NAME_BYTES] = '\0';
	buf_init(&b, 64 * MIB);
	for (unsigned n = 0; n < 2 * functions; n++)
		buf_addf(&b,
			 CLOCK " 1 %s%u (w)\n 2 %s%u (w)\n 3 main (w)\n\n",
			 name, n % functions, name, n % functions);
	notes_init(&notes);
	profile_init(&p);
	assert_decoded(decode_profile(FORMAT_PERF_SCRIPT, buf_str(&b), &want,
				      &p, &notes, &err));
	assert_int_equal(p.function_count, functions + 1);
	assert_int_equal(p.stack_count, functions);
	for (unsigned n = 0; n < p.stack_count; n++) {
		assert_int_equal(p.stacks[n].value, 2);
		assert_int_equal(p.stacks[n].frame_count, 3);
	}
	profile_release(&p);
	buf_release(&b);
}

static void test_recorded(void **state)
{
	struct buf bytes;
	struct profile p;

	(void)state;
	read_fixture("perf/cpp-cpu-clock.txt.gz", &bytes);
	assert_true(perf_script_is(buf_str(&bytes)));
	assert_decoded(decode(buf_text(&bytes), "", PROFILE_DETAIL_LINES, &p));
	assert_int_equal(p.sample_count, 263);
	assert_int_equal(p.total, 263 * INT64_C(10101010));
	profile_release(&p);
	buf_release(&bytes);
}

#define STACK                                                                  \
	"\t  7f0000001000 leaf+0xe (/usr/lib/libc.so.6)\n"                        \
	"\t        400600 main+0x20 (/usr/bin/app)\n\n"

/* What it was asked for (-F) or recorded with decides what stands in a line. */
static void test_forms(void **state)
{
	static const char *const heads[] = {
		"app 28142 [004] 42460.086800: syscalls:sys_enter_read: fd: "
		"0x3, buf: 0x7f08\n",
		"app 28142 [004] 42460.086800:          1 sched:sched_switch: "
		"prev_comm=app prev_pid=1 ==> next_comm=b next_pid=0\n",
		"app 28142 [004] 42460.086800: probe:work: (400600)\n",
		"app 28142 [004] 42460.086800: probe:work__return: (400600 <- "
		"4005d0)\n",
		"my app 123/124 42460.086800: \n",
		"app  1234 \n",
		"app 123/124 [001] cycles:u: \n",
		"app 123/124       30000 cycles: \n",
		"app 0 [000] 0.000000: PERF_RECORD_MMAP2 1/1: [0x400000(0x1000) "
		"@ 0 08:01 5 0]: r-xp /usr/bin/app\n"
		"app 12 [000] 1.000000: 1 cycles: \n",
		"app 12 1.000000: PERF_RECORD_COMM exec: app:12/12\n"
		"app 12 \n",
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(heads); i++) {
		char text[1024];
		struct profile p;

		snprintf(text, sizeof text, "%s" STACK "%s" STACK, heads[i],
			 heads[i]);
		assert_true(perf_script_is(str_from(text)));
		assert_decoded(
			decode(text, "samples", PROFILE_DETAIL_LINES, &p));
		assert_folded(&p, "main;leaf 2\n");
		assert_int_equal(p.sample_count, 2);
		assert_int_equal(notes.count, 0);
		profile_release(&p);
	}
	assert_false(perf_script_is(STR("word 12\nab cd (x)\n")));
	assert_false(perf_script_is(STR("word 12\n\tab cd\n")));
	assert_false(perf_script_is(STR("main;work 12\nmain 3\n")));
}

static void test_is(void **state)
{
	(void)state;
	assert_true(perf_script_is(STR("#c\n\n" CLOCK "\tff main (w)\n")));
	assert_true(perf_script_is(STR("w 1 2.5: 1 cycles: ff main (w)\n")));
	assert_false(perf_script_is(STR(CLOCK)));
	assert_false(perf_script_is(STR("")));
	assert_false(perf_script_is(STR("took 2.5: well\n\tff main (w)\n")));
	assert_false(
		perf_script_is(STR("a b c\nw 1 2.5: 1 cycles:\n\tff m\n")));
}

UNIT_TESTS(perf_script)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stacks),
		cmocka_unit_test(test_length),
		cmocka_unit_test(test_cut_off),
		cmocka_unit_test(test_cycles),
		cmocka_unit_test(test_without_call_graphs),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_other_events),
		cmocka_unit_test(test_other_lines),
		cmocka_unit_test(test_comments),
		cmocka_unit_test(test_many_lines),
		cmocka_unit_test(test_recorded),
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
