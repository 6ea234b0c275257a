/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../unit.h"
#include "base/num.h"
#include "decode/git_log.h"

#define HASH "0123456789abcdef0123456789abcdef01234567"
#define HEAD(marks, subject)                                                   \
	"commit " HASH " 1795255032 " marks "\nsubject " subject "\n\n"
#define FILES "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n"
#define CHANGE FILES " f() {\n-\told\n+\tnew\n }\n"
#define LINES "f() {\n\tnew\n}"

static const struct {
	const char *text;
	const char *lines;
	size_t count;
	enum commits_gap gap;
} cases[] = {
	{ HEAD("", "one") CHANGE, LINES, 1, COMMITS_GAP_NONE },
	{ HEAD("", "") CHANGE, LINES, 1, COMMITS_GAP_NONE },
	{ HEAD("", "one") CHANGE "\n" HEAD("", "two") CHANGE, LINES, 2,
	  COMMITS_GAP_NONE },
	/* The most that are kept, and one more. */
	{ HEAD("", "1") CHANGE HEAD("", "2") CHANGE HEAD("", "3") CHANGE, LINES,
	  3, COMMITS_GAP_NONE },
	{ HEAD("", "1") CHANGE HEAD("", "2") CHANGE HEAD("", "3")
		  CHANGE HEAD("", "4") CHANGE,
	  LINES, 3, COMMITS_GAP_NONE },
	/* A shallow clone, its end reached at once or later. */
	{ HEAD("grafted", "one") CHANGE, LINES, 0, COMMITS_SHALLOW },
	{ HEAD("grafted, tag: x", "one") CHANGE, LINES, 0, COMMITS_SHALLOW },
	{ HEAD("", "one") CHANGE HEAD("grafted", "two") CHANGE, LINES, 1,
	  COMMITS_GAP_NONE },
	/* Other lines in the work tree; ends of lines do not count. */
	{ HEAD("", "one") CHANGE, "f() {\n\tmore\n}", 0, COMMITS_CHANGED },
	{ HEAD("", "one") CHANGE, "f() {\n\tnew\n}\n}", 0, COMMITS_CHANGED },
	{ HEAD("", "one") CHANGE, "f() {\n\tnew", 0, COMMITS_CHANGED },
	{ HEAD("", "one") CHANGE, "f() {\r\n\tnew\r\n}\r", 1,
	  COMMITS_GAP_NONE },
	/* The parents of a merge: the second repeats the lines. */
	{ HEAD("", "merge") CHANGE CHANGE, LINES, 1, COMMITS_GAP_NONE },
	/* Lines that look like heads of files, and the end of a file. */
	{ HEAD("", "one") FILES "--- a/x\n+++ b\n\\ No newline at end of file\n",
	  "++ b", 1, COMMITS_GAP_NONE },
	/* Cut within the lines, within a head: a limit was reached. */
	{ HEAD("", "one") FILES " f() {\n+\tn", LINES, 0, COMMITS_CHANGED },
	{ HEAD("", "one") CHANGE "commit 01", LINES, 1, COMMITS_GAP_NONE },
	{ HEAD("", "one") CHANGE "commit " HASH " 1 \nsubject tw", LINES, 1,
	  COMMITS_GAP_NONE },
	{ "commit " HASH " 1 \nsubject on", LINES, 0, COMMITS_NO_FORMAT },
	{ "", LINES, 0, COMMITS_NO_TREE },
	{ "fatal: x\n", LINES, 0, COMMITS_NO_FORMAT },
	{ "commit x 1 \nsubject x\n", LINES, 0, COMMITS_NO_FORMAT },
	{ "commit " HASH " x \nsubject x\n", LINES, 0, COMMITS_NO_FORMAT },
	{ "commit " HASH " 9223372037 \nsubject x\n", LINES, 0,
	  COMMITS_NO_FORMAT },
	{ "commit " HASH " 1 \nobject x\n", LINES, 0, COMMITS_NO_FORMAT },
};

static void test_logs(void **state)
{
	struct commit commits[COMMITS_MOST];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		size_t count = 99;
		enum commits_gap gap = git_log_decode(str_from(cases[i].text),
						      str_from(cases[i].lines),
						      commits, &count);

		if (gap != cases[i].gap || count != cases[i].count)
			fail_msg("case %zu: gap %d, %zu commits", i, (int)gap,
				 count);
	}
}

static void test_what_is_kept(void **state)
{
	struct commit c[COMMITS_MOST];
	size_t count;

	(void)state;
	assert_int_equal(git_log_decode(STR(HEAD("", "x: a  commit b") CHANGE),
					STR(LINES), c, &count),
			 COMMITS_GAP_NONE);
	assert_true(str_equal(c[0].hash, STR(HASH)));
	assert_int_equal(c[0].time_ns, INT64_C(1795255032000000000));
	assert_true(str_equal(c[0].subject, STR("x: a  commit b")));
}

UNIT_TESTS(git_log)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_logs),
		cmocka_unit_test(test_what_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
