/* SPDX-License-Identifier: Apache-2.0
 *
 * Arguments of calls to command lines: what comes through, and that nothing
 * else does.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../unit.h"
#include "base/mem.h"
#include "base/num.h"
#include "mcp/server.h"

#define ID "4bf92f3577b34da6a3ce929d0e0e4736"

struct sample {
	const char *tool;
	const char *arguments;
	const char *line; /* words with '|' between; NULL: refused */
	const char *why;  /* what the refusal begins with */
};

static const char *root; /* of the test at hand */

static void expect(const struct sample *s)
{
	const struct tool *tool = tool_find(str_from(s->tool));
	struct tool_line line = { NULL, 0 };
	struct error err = { 0 };
	struct arena arena;
	char text[8192] = "";
	bool is_made;

	assert_non_null(tool);
	arena_init(&arena, MIB);
	is_made = tool_line_make(tool, str_from(s->arguments), root, &arena,
				 &line, &err);
	if (is_made != (s->line != NULL))
		fail_msg("%s: %s", s->arguments, err.message);
	if (is_made) {
		for (size_t i = 0; i < line.count; i++) {
			strcat(text, i ? "|" : "");
			strcat(text, line.items[i]);
		}
		assert_null(line.items[line.count]);
		assert_string_equal(text, s->line);
	} else {
		assert_int_equal(err.code, ERROR_USAGE);
		assert_true(str_starts(str_from(err.message),
				       str_from(s->why)));
	}
	arena_release(&arena);
}

static void expect_all(const struct sample *samples, size_t count)
{
	for (size_t i = 0; i < count; i++)
		expect(&samples[i]);
}

static void test_lines(void **state)
{
	static const struct sample samples[] = {
		{ "list_services", "", "services|--limit=100", NULL },
		{ "list_services", "{\"limit\":3}", "services|--limit=3",
		  NULL },
		{ "explain_trace", "{\"trace_id\":\"" ID "\",\"why\":true}",
		  "slow|--limit=100|--why|--|" ID, NULL },
		{ "explain_trace", "{\"why\":false,\"service\":null}",
		  "slow|--limit=100", NULL },
		{ "since_when",
		  "{\"operation\":\"GET /x\",\"service\":\"--root=/\"}",
		  "when|--service=--root=/|--name=GET /x", NULL },
		{ "find_slow_traces", "{\"limit\":\"5\",\"errors\":true}",
		  "search|--errors|--limit=5", NULL },
		/* Numbers that models write for texts. */
		{ "slo", "{\"service\":\"a\",\"objective\":99.5}",
		  "slo|--timeout=40s|--service=a|--objective=99.5", NULL },
		{ "compare", "{\"baseline\":\"version=../etc\"}",
		  "diff|--limit=100|--baseline=version=../etc", NULL },
		{ "compare", "{\"baseline\":\"now-2h..now-1h\"}",
		  "diff|--limit=100|--baseline=now-2h..now-1h", NULL },
	};

	(void)state;
	root = NULL;
	expect_all(samples, sizeof samples / sizeof *samples);
}

static void test_refused(void **state)
{
	static const struct sample samples[] = {
		{ "since_when", "{}", NULL, "since_when needs service" },
		{ "doctor", "{\"traces_url\":\"http://x\"}", NULL,
		  "doctor has no argument 'traces_url'" },
		{ "doctor", "[]", NULL, "the arguments are no object" },
		{ "doctor", "{\"service\":[5]}", NULL, "service: a text" },
		{ "doctor", "{\"service\":\"a\\u0000b\"}", NULL,
		  "service: contains a NUL byte" },
		{ "find_slow_traces", "{\"errors\":\"yes\"}", NULL,
		  "errors: true or false" },
		{ "list_services", "{\"limit\":-1}", NULL, "limit: a whole" },
		{ "list_services", "{\"limit\":{}}", NULL, "limit: a whole" },
		{ "compare", "{\"type\":\"/etc\"}", NULL, "type: one of auto" },
		/* Whatever could name a file. */
		{ "compare", "{\"baseline\":\"/etc/passwd\"}", NULL,
		  "baseline: auto" },
		{ "compare", "{\"baseline\":\"../x..y\"}", NULL,
		  "baseline: auto" },
		{ "compare", "{\"baseline\":\"x..y\"}", NULL, "baseline: auto" },
		{ "explain_trace", "{\"trace_id\":\"/etc/passwd\"}", NULL,
		  "trace_id: a trace id" },
		{ "explain_trace", "{\"trace_id\":\"-\"}", NULL,
		  "trace_id: a trace id" },
		{ "explain_trace", "{\"trace_id\":\"abc\"}", NULL,
		  "trace_id: a trace id" },
		{ "explain_trace", "{\"file\":\"trace.json\"}", NULL,
		  "file: no file may be read" },
	};

	(void)state;
	root = NULL;
	expect_all(samples, sizeof samples / sizeof *samples);
}

static void test_long_text(void **state)
{
	char text[4096], arguments[4200], want[4200];
	struct sample s = { "list_services", arguments, NULL, "service: over" };

	(void)state;
	root = NULL;
	memset(text, 'a', sizeof text);
	s.tool = "doctor";
	snprintf(arguments, sizeof arguments, "{\"service\":\"%.4001s\"}", text);
	expect(&s);
	snprintf(arguments, sizeof arguments, "{\"service\":\"%.4000s\"}", text);
	snprintf(want, sizeof want, "doctor|--service=%.4000s", text);
	s.line = want;
	s.why = NULL;
	expect(&s);
}

/* Two folders beside each other, a file in each, links across. */
static void test_root(void **state)
{
	char base[] = "/tmp/tracefind-mcp-XXXXXX";
	char real[4096], path[2000], other[300], want[300];
	struct sample in = { "explain_trace", "{\"file\":\"in.json\"}", want,
			     NULL };
	static const struct sample refused[] = {
		{ "explain_trace", "{\"file\":\"../rootless/out.json\"}", NULL,
		  "file: lies outside" },
		{ "explain_trace", "{\"file\":\"link\"}", NULL,
		  "file: lies outside" },
		{ "explain_trace", "{\"file\":\"/etc/passwd\"}", NULL,
		  "file: lies outside" },
		{ "explain_trace", "{\"file\":\"none.json\"}", NULL,
		  "file: no such file" },
		{ "explain_trace", "{\"file\":\"-\"}", NULL,
		  "file: no such file" },
		{ "explain_trace", "{\"file\":\"pipe\"}", NULL,
		  "file: not a regular file" },
	};

	(void)state;
	assert_non_null(mkdtemp(base));
	assert_non_null(realpath(base, real));
	snprintf(path, sizeof path, "mkdir %.99s/root %.99s/rootless && "
		 ": > %.99s/root/in.json && : > %.99s/rootless/out.json && "
		 "ln -s ../rootless/out.json %.99s/root/link && "
		 "mkfifo %.99s/root/pipe",
		 real, real, real, real, real, real);
	assert_int_equal(system(path), 0);
	snprintf(other, sizeof other, "%.99s/root", real);
	root = other;
	snprintf(want, sizeof want, "slow|--limit=100|--|%.99s/root/in.json",
		 real);
	expect(&in);
	expect_all(refused, sizeof refused / sizeof *refused);
	snprintf(path, sizeof path, "rm -r %.99s", real);
	assert_int_equal(system(path), 0);
}

/* What a message says to do next, said to who has tools and no command line. */
static void test_words(void **state)
{
	static const char *const samples[][2] = {
		{ "widen with --since 24h, or run tracefind doctor",
		  "widen with since 24h, or run the tool doctor" },
		{ "tracefind search --service cart finds some",
		  "the tool find_slow_traces service cart finds some" },
		{ "tracefind export, --insecure; --sincere; tracefind",
		  "tracefind export, --insecure; --sincere; tracefind" },
		{ "a--since", "a--since" },
		{ "", "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(samples); i++) {
		struct buf out;

		buf_init(&out, KIB);
		tool_words(str_from(samples[i][0]), &out);
		assert_string_equal(buf_text(&out), samples[i][1]);
		buf_release(&out);
	}
}

static void test_cursors(void **state)
{
	static const struct {
		const char *arguments;
		bool is_good;
	} samples[] = {
		{ "{\"cursor\":\"3:20:/functions\"}", true },
		{ "{\"cursor\":\"3:0:\"}", true },
		{ "{\"cursor\":\"3:20\"}", false },
		{ "{\"cursor\":\"x:20:/a\"}", false },
		{ "{\"cursor\":\"3:99999999999999999999:/a\"}", false },
		{ "{\"cursor\":\"\"}", false },
		{ "{}", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
		struct tool_cursor cursor;
		struct error err = { 0 };
		struct arena arena;

		arena_init(&arena, MIB);
		assert_int_equal(
			tool_cursor_read(str_from(samples[i].arguments), &arena,
					 &cursor, &err),
			samples[i].is_good);
		arena_release(&arena);
	}
}

UNIT_TESTS(tools)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),   cmocka_unit_test(test_refused),
		cmocka_unit_test(test_long_text),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_root),    cmocka_unit_test(test_cursors),
	};

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
