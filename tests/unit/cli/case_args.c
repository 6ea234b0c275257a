/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "cli/case_args.h"

#define MAX_WORDS 32

/* Filters a line of words, gives the kept ones joined by blanks. */
static void expect_kept(const char *line, const char *expected)
{
	struct error err = { 0 };
	const char *argv[MAX_WORDS], **kept;
	char text[512], joined[512] = "";
	struct arena arena;
	size_t argc = 0, count;
	char *save = NULL;

	assert_true(strlen(line) < sizeof text);
	memcpy(text, line, strlen(line) + 1);
	for (char *w = strtok_r(text, " ", &save); w;
	     w = strtok_r(NULL, " ", &save))
		argv[argc++] = w;
	arena_init(&arena, MIB);
	assert_true(case_args_filter(argc, argv, &arena, &kept, &count, &err));
	for (size_t i = 0; i < count; i++) {
		strncat(joined, i ? " " : "", sizeof joined - strlen(joined) - 1);
		strncat(joined, kept[i], sizeof joined - strlen(joined) - 1);
	}
	assert_string_equal(joined, expected);
	arena_release(&arena);
}

static void ordinary_arguments_stay(void **state)
{
	(void)state;
	expect_kept("slow 4bf9 --pad 5m -n 10 -o json --tenant-id acme",
		    "slow 4bf9 --pad 5m -n 10 -o json --tenant-id acme");
	expect_kept("diff --selector={a=\"b\"} -ojson",
		    "diff --selector={a=\"b\"} -ojson");
}

static void secrets_and_their_files_go(void **state)
{
	(void)state;
	expect_kept("slow x -H Authorization:s --header A:b --token-file t", "slow x");
	expect_kept("slow x --traces-token-file=t --profiles-password-file p -q",
		    "slow x -q");
	expect_kept("slow x --username u --traces-username=u --cert c --key k "
		    "--proxy p --profiles-header X:y -qHA:b",
		    "slow x");
}

static void nothing_that_writes_is_repeated(void **state)
{
	(void)state;
	expect_kept("slow x --record a.har -o json=/etc/passwd --output=svg=f "
		    "--output folded=g -ojson=h -o folded",
		    "slow x -o folded");
	expect_kept("--replay a.har slow x --replay=b", "slow x");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ordinary_arguments_stay),
		cmocka_unit_test(secrets_and_their_files_go),
		cmocka_unit_test(nothing_that_writes_is_repeated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
