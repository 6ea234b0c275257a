/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "wire/auth.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LONG_MS 20000

static char token[TOKEN_BYTES];

static void assert_token(const char *command, const char *wanted)
{
	struct error err;

	if (!token_command_run(command, LONG_MS, token, &err))
		fail_msg("%s", err.message);
	assert_string_equal(token, wanted);
}

static void assert_refused(const char *command, int64_t timeout_ms,
			   const char *message)
{
	struct error err;

	memcpy(token, "old", 4);
	assert_false(token_command_run(command, timeout_ms, token, &err));
	assert_string_equal(err.message, message);
	assert_string_equal(token, "old");
}

static void test_token(void **state)
{
	(void)state;
	assert_token("echo abc", "abc");
	assert_token("printf 'one\\r\\ntwo\\n'", "one");
	assert_token("echo note >&2; printf %s x$((1 + 1))", "x2");
	/* Standard input is empty, not ours. */
	assert_token("cat; echo end", "end");
}

static void test_failures(void **state)
{
	(void)state;
	assert_refused("echo secret; echo first >&2; echo 'log in first' >&2; "
		       "exit 3",
		       LONG_MS,
		       "token-command: it ended with status 3: log in first");
	assert_refused("exit 1", LONG_MS,
		       "token-command: it ended with status 1");
	assert_refused("kill -9 $$", LONG_MS,
		       "token-command: signal 9 ended it");
	assert_refused("true", LONG_MS,
		       "token-command: the first line of its output is empty");
	assert_refused("printf 'a\\001b'", LONG_MS,
		       "token-command: its output holds control characters, so "
		       "it is no token or password");
	assert_refused("exec sleep 60", 0,
		       "token-command: it took longer than 0 s; --timeout sets "
		       "how long");
}

/* What it leaves running holds the pipes, but is not waited for. */
static void test_background(void **state)
{
	(void)state;
	assert_token("echo abc; sleep 60 & exit 0", "abc");
}

static void test_limit(void **state)
{
	static const char form[] = "head -c %zu /dev/zero | tr '\\0' x";
	char command[200];
	struct error err;

	(void)state;
	snprintf(command, sizeof command, form, LIMIT_SECRET_FILE_BYTES + 1);
	assert_refused(command, LONG_MS,
		       "token-command: it printed more than 65536 bytes");
	snprintf(command, sizeof command, form, LIMIT_SECRET_FILE_BYTES);
	assert_true(token_command_run(command, LONG_MS, token, &err));
	assert_int_equal(strlen(token), LIMIT_SECRET_FILE_BYTES);
	/* Complaints are cut, and no failure. */
	assert_token("head -c 100000 /dev/zero >&2; echo abc", "abc");
}

UNIT_TESTS(token_command)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_token),
		cmocka_unit_test(test_failures),
		cmocka_unit_test(test_background),
		cmocka_unit_test(test_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
