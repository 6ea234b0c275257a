/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "cli/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/out.h"

static void assert_edit(const char *text, const char *context, const char *key,
			const char *value, const char *wanted)
{
	struct config_change change = { context, key, value };
	struct error err;
	struct buf out;

	buf_init(&out, LIMIT_CONFIG_BYTES);
	if (!config_edit(&out, "f", str_from(text), &change, &err))
		fail_msg("%s", err.message);
	assert_string_equal(buf_text(&out), wanted);
	buf_release(&out);
}

static void assert_refused(const char *text, const char *context,
			   const char *key, const char *value,
			   const char *message)
{
	struct config_change change = { context, key, value };
	struct error err;
	struct buf out;

	buf_init(&out, LIMIT_CONFIG_BYTES);
	assert_false(config_edit(&out, "f", str_from(text), &change, &err));
	assert_string_equal(err.message, message);
	buf_release(&out);
}

static void test_empty(void **state)
{
	(void)state;
	assert_edit("", NULL, "retry", "3", "retry = 3\n");
	assert_edit("", "a", "retry", "3", "[context \"a\"]\n\tretry = 3\n");
}

static void test_replace(void **state)
{
	(void)state;
	assert_edit("# one\n"
		    "retry=3;5\n"
		    "[context \"a\"]\n"
		    "\tretry = 4   ; of a\n"
		    "\t# last\n",
		    "a", "retry", "7",
		    "# one\n"
		    "retry=3;5\n"
		    "[context \"a\"]\n"
		    "\tretry = 7   ; of a\n"
		    "\t# last\n");
	assert_edit("\ttimeout : 30s\r\nretry = 3\r\n", NULL, "timeout", "5s",
		    "\ttimeout : 5s\r\nretry = 3\r\n");
	assert_edit("retry =", NULL, "retry", "3", "retry =3");
	/* The last one is the one that counts. */
	assert_edit("retry = 1\nretry = 2\n", NULL, "retry", "3",
		    "retry = 1\nretry = 3\n");
	assert_edit("current-context = a\n[context \"a\"]\n[context \"b\"]\n",
		    NULL, "current-context", "b",
		    "current-context = b\n[context \"a\"]\n[context \"b\"]\n");
}

static void test_insert(void **state)
{
	(void)state;
	assert_edit("# servers\n[context \"a\"]\n\ttimeout = 1s\n# end\n", "a",
		    "retry", "1",
		    "# servers\n[context \"a\"]\n\ttimeout = 1s\n"
		    "\tretry = 1\n# end\n");
	assert_edit("[context \"a\"]\n[context \"b\"]\n", "a", "retry", "1",
		    "[context \"a\"]\n\tretry = 1\n[context \"b\"]\n");
	assert_edit("# servers\n[context \"a\"]\n", NULL, "retry", "1",
		    "# servers\nretry = 1\n\n[context \"a\"]\n");
	assert_edit("timeout = 1s", NULL, "retry", "1",
		    "timeout = 1s\nretry = 1\n");
	assert_edit("retry = 1\n", "b", "retry", "2",
		    "retry = 1\n\n[context \"b\"]\n\tretry = 2\n");
	assert_edit("", "b", "tenant-id", " x ",
		    "[context \"b\"]\n\ttenant-id = \" x \"\n");
	assert_edit("", NULL, "tenant-id", "\"x\"", "tenant-id = \"\"x\"\"\n");
}

static void test_refusals(void **state)
{
	(void)state;
	assert_refused("", NULL, "tenant-id", "a ;b",
		       "tenant-id: the file cannot hold this value: a blank "
		       "and a ';' begin a comment");
	assert_refused("map = a=b\nmap = c=d\n", NULL, "map", "e=f",
		       "map has several values; edit f");
	assert_refused("nonsense\n", NULL, "retry", "1",
		       "f:1: neither KEY = VALUE, nor a [section], nor a "
		       "comment");
	assert_refused("", NULL, "limit", "1",
		       "--limit is an option only, not a key of this file");
	/* It would begin a line of its own. */
	assert_refused("", NULL, "tenant-id", "a\ncacert = /x",
		       "tenant-id: the file cannot hold this value: a blank "
		       "and a ';' begin a comment");
}

static void test_file(void **state)
{
	const struct config_change changes[] = {
		{ "a", "traces-url", "http://a" },
		{ "a", "profiles-url", "http://b" },
		{ NULL, "current-context", "a" },
	};
	const struct config_change bad = { NULL, "limit", "1" };
	char home[] = "/tmp/tracefind-edit-XXXXXX", path[64], line[64];
	struct error err;
	struct stat st;
	struct buf text;

	(void)state;
	assert_non_null(mkdtemp(home));
	snprintf(path, sizeof path, "%s/x/y/config", home);
	assert_true(config_edit_file(path, changes, 3, &err));
	assert_false(config_edit_file(path, &bad, 1, &err));
	buf_init(&text, LIMIT_CONFIG_BYTES);
	assert_true(file_read(path, &text, &err));
	assert_string_equal(buf_text(&text), "current-context = a\n\n"
					     "[context \"a\"]\n"
					     "\ttraces-url = http://a\n"
					     "\tprofiles-url = http://b\n");
	buf_release(&text);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	*strrchr(path, '/') = '\0';
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	snprintf(line, sizeof line, "rm -rf %s", home);
	assert_int_equal(system(line), 0);
}

UNIT_TESTS(config_edit)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),  cmocka_unit_test(test_replace),
		cmocka_unit_test(test_insert), cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
