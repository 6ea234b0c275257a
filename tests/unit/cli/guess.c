/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit.h"
#include "cli/commands.h"
#include "cli/guess.h"

static void check(const char *word, const char *name)
{
	const struct command *command = guess_command(word);

	if (!name && command)
		fail_msg("%s was taken for %s", word, command->name);
	if (name && !command)
		fail_msg("%s was not taken", word);
	if (name)
		assert_string_equal(command->name, name);
}

static void check_file(const char *path, const char *name)
{
	char whole[1024];

	snprintf(whole, sizeof whole, "%s/%s", getenv("TESTDATA"), path);
	check(whole, name);
}

static void test_traces_without_a_command(void **state)
{
	(void)state;
	check("4bf92f3577b34da6a3ce929d0e0e4736", "slow");
	check("00f067aa0ba902b7", "slow");
	check("trace_id=4bf92f3577b34da6a3ce929d0e0e4736", "slow");
	check("http://jaeger:16686/trace/ab12", "slow");
	check("-", "slow");
	check_file("otlp/b.json", "slow");
	check_file("pprof/go-process_cpu-normal.pb.gz", "profile");
	/* A word, a folder, an address without an id. */
	check("deed", NULL);
	check("00f067aa0ba902b", NULL);
	check_file("otlp", NULL);
	check("http://jaeger:16686/search", NULL);
	check("slwo", NULL);
}

static void test_servers_of_urls(void **state)
{
	static const struct {
		const char *url, *server;
	} rows[] = {
		{ "http://j:16686/trace/ab?uiFind=1", "http://j:16686" },
		{ "https://x/jaeger/trace/ab", "https://x/jaeger" },
		{ "http://t:3200/api/traces/ab", "http://t:3200" },
		{ "http://t/p/api/v2/traces/ab", "http://t/p" },
		{ "http://z:9411/zipkin/traces/ab", "http://z:9411" },
		{ "https://grafana/explore?x=/trace/ab", NULL },
		{ "ftp://x/trace/ab", NULL },
		{ "4bf92f3577b34da6a3ce929d0e0e4736", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char server[STDIN_ID_BYTES];

		assert_int_equal(guess_server(rows[i].url, server),
				 rows[i].server != NULL);
		if (rows[i].server)
			assert_string_equal(server, rows[i].server);
	}
}

static void test_a_url_that_is_too_long(void **state)
{
	char url[STDIN_ID_BYTES + 64], server[STDIN_ID_BYTES];
	const size_t base = strlen("http://");

	(void)state;
	memset(url, 'a', sizeof url);
	memcpy(url, "http://", base);
	memcpy(url + STDIN_ID_BYTES - 1 - 10, "/trace/abc", 11);
	assert_true(guess_server(url, server));
	memset(url + base, 'a', sizeof url - base);
	memcpy(url + STDIN_ID_BYTES - 10, "/trace/abc", 11);
	assert_false(guess_server(url, server));
}

static void test_habits(void **state)
{
	(void)state;
	assert_non_null(strstr(habit_find("--json"), "-o json"));
	assert_non_null(strstr(habit_find("--format=json"), "-o"));
	assert_non_null(habit_find("-top"));
	assert_null(habit_find("--jso"));
	assert_null(habit_find("slow"));
	/* None of them is a word of ours. */
	for (const struct command *c = commands; c->name; c++)
		assert_null(habit_find(c->name));
}

UNIT_TESTS(guess)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_traces_without_a_command),
		cmocka_unit_test(test_servers_of_urls),
		cmocka_unit_test(test_a_url_that_is_too_long),
		cmocka_unit_test(test_habits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
