/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "../unit.h"
#include "base/out.h"
#include "decode/snapshot.h"

#define HEAD "{\"tracefind_snapshot\":1,\"type\":\"cpu\",\"unit\":\"ns\","
#define PER "\"per\":\"run\","
#define RUNS "\"runs\":2,\"run_length\":1,"
#define TOTAL "\"total\":[10,1]"
#define REST PER RUNS TOTAL "}"

static struct error err;

static bool reads(const char *text)
{
	struct snapshot s;
	bool done;

	snapshot_init(&s);
	done = snapshot_read(&s, str_from(text), &err);
	snapshot_release(&s);
	return done;
}

static void refuses(const char *text, const char *why)
{
	assert_false(reads(text));
	if (!strstr(err.message, why))
		fail_msg("%s", err.message);
}

static void test_refused(void **state)
{
	(void)state;
	assert_true(reads(HEAD REST));
	refuses("{\"tracefind_snapshot\":2}", "of version 1 is wanted");
	refuses("{}", "version 1");
	refuses("[]", "version 1");
	refuses(HEAD "\"runs\":2}", "without runs, run_length, unit or total");
	refuses(HEAD "\"per\":\"week\"," RUNS TOTAL "}",
		"per run, request or second");
	refuses(HEAD "\"per\":null," RUNS TOTAL "}",
		"per run, request or second");
	refuses(HEAD PER "\"runs\":301,\"run_length\":1," TOTAL "}",
		"more than 300 runs");
	assert_true(
		reads(HEAD PER "\"runs\":300,\"run_length\":1," TOTAL "}"));
	refuses(HEAD PER "\"runs\":-1," TOTAL "}", "below 0");
	refuses(HEAD PER "\"runs\":1.5," TOTAL "}", "no whole number");
	refuses(HEAD PER RUNS "\"total\":[-1,0]}", "out of range");
	refuses(HEAD PER RUNS "\"total\":[1e300,0]}", "out of range");
	refuses(HEAD PER RUNS "\"total\":[\"1\",0]}", "out of range");
	refuses(HEAD PER RUNS "\"total\":[1,2,3]}", "a mean and a spread");
	refuses(HEAD PER RUNS "\"total\":7}", "a mean and a spread");
	refuses(HEAD "\"functions\":[{\"total\":[1,1]}]," REST,
		"without a name");
	refuses(HEAD "\"functions\":[7]," REST, "without a name");
	refuses(HEAD "\"functions\":{}," REST, "functions are no list");
	refuses(HEAD RUNS REST, "stands there twice");
	refuses(HEAD REST "x", "byte");
	refuses(HEAD, "byte");
}

static void many_functions(struct buf *text, unsigned count)
{
	buf_clear(text);
	buf_add_text(text, HEAD "\"functions\":[");
	for (unsigned i = 0; i < count; i++)
		buf_addf(text, "%s{\"name\":\"f%u\"}", i ? "," : "", i);
	buf_add_text(text, "]," REST);
}

static void test_limit(void **state)
{
	struct buf text;

	(void)state;
	buf_init(&text, LIMIT_SNAPSHOT_BYTES);
	many_functions(&text, LIMIT_SNAPSHOT_FUNCTIONS);
	assert_true(reads(buf_text(&text)));
	many_functions(&text, LIMIT_SNAPSHOT_FUNCTIONS + 1);
	refuses(buf_text(&text), "more than 50000 functions");
	buf_release(&text);
}

/* A line for each function, numbers short enough to read. */
static void test_text(void **state)
{
	struct snapshot_function f = {
		.name = STR("shop.Find"),
		.file = STR("find.go"),
		.values = { [RANK_TOTAL] = { 1234567.8, 0.123456 },
			    [RANK_SELF] = { 0, 0 },
			    [RANK_SELF_LIB] = { 12.3456789, 99.9 } },
	};
	struct snapshot s = { .type = STR("cpu"), .unit = STR("ns"),
			      .per = NORMALIZE_RATE, .exposure = 0.25,
			      .runs = 3, .samples = -1, .whole = { 7, 0 },
			      .functions = &f, .count = 1 };
	struct buf text;
	struct out out;

	(void)state;
	buf_init(&text, LIMIT_SNAPSHOT_BYTES);
	out_init_memory(&out, &text);
	snapshot_write(&s, &out);
	assert_true(out_finish(&out, "text", &err));
	out_release(&out);
	assert_non_null(strstr(
		buf_text(&text),
		"\n{\"name\":\"shop.Find\",\"file\":\"find.go\","
		"\"total\":[1234600,0.12],"
		"\"self_with_libraries\":[12.346,100],\"self\":[0,0]}\n"));
	assert_non_null(strstr(buf_text(&text), "\n \"per\": \"second\",\n"));
	buf_release(&text);
}

static void test_front(void **state)
{
	(void)state;
	assert_true(snapshot_is(STR("{\n \"tracefind_snapshot\": 1")));
	assert_false(snapshot_is(STR("{\"spans\":[]}")));
	assert_false(snapshot_is(STR("")));
}

UNIT_TESTS(snapshot)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_front),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
