/* SPDX-License-Identifier: Apache-2.0
 *
 * Text formats: lines cut short, and memory that runs out (altered.h).
 */
#include "../unit.h"
#include "altered.h"

static const struct subject {
	const char *name;
	teller tell;
	const char *text;
} subjects[] = {
	{ "folded", tell_folded,
	  "main;work 10\nmain 5\n[kernel];idle 2\n\nmain;work;deep 1\n" },
	{ "perf script", tell_perf,
	  "app 12/13 [001] 1.000000: 250000 cpu-clock:\n"
	  "\t    4010 work+0x10 (/bin/app)\n"
	  "\t    4000 main (/bin/app)\n"
	  "\n"
	  "app 12/14 [000] 2.000000: 250000 cpu-clock:\n"
	  "\tffffffff8100 do_idle+0x3 ([kernel.kallsyms])\n"
	  "\tffffffffc001 nf_hook ([nf_tables])\n"
	  "\tffffffff8200 start (/usr/lib/debug/vmlinux-6.1)\n"
	  "\t    4020 odd name)\n"
	  "\t    4000 [unknown] (/tmp/a (deleted))\n"
	  "\n" },
};

#define SUBJECTS (sizeof subjects / sizeof *subjects)

static void test_values(void **state)
{
	static const char *const totals[] = { "of 18,", "of 500000," };

	(void)state;
	for (size_t i = 0; i < SUBJECTS; i++) {
		struct told t;

		told_read(&t, subjects[i].tell, str_from(subjects[i].text));
		if (!t.is_read || !strstr(buf_text(&t.text), totals[i]))
			fail_msg("%s: %s%s", subjects[i].name,
				 buf_text(&t.text), t.err.message);
		told_release(&t);
	}
}

/* Whatever is cut off: the rest is read, or refused in words. */
static void test_cuts(void **state)
{
	(void)state;
	for (size_t i = 0; i < SUBJECTS; i++)
		for (size_t len = 0; len < strlen(subjects[i].text); len++) {
			struct told t;

			told_read(&t, subjects[i].tell,
				  (struct str){ subjects[i].text, len });
			if (!t.is_read)
				assert_int_equal(t.err.code, ERROR_FORMAT);
			told_release(&t);
		}
}

static void test_every_allocation_may_fail(void **state)
{
	(void)state;
	for (size_t i = 0; i < SUBJECTS; i++)
		expect_starving_told(subjects[i].name, subjects[i].tell,
				     str_from(subjects[i].text));
}

UNIT_TESTS(altered_text)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_cuts),
		cmocka_unit_test(test_every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
