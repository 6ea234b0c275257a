/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "../unit.h"
#include "base/buf.h"
#include "base/limits.h"
#include "decode/snapshot.h"

#define HEAD(services)                                                         \
	"{\"tracefind_fleet\":1,\"question\":\"q\",\"started\":5,"              \
	"\"window\":[10,20],\"baseline\":[0,10],\"services\":" #services "}\n"
#define PLAN                                                                   \
	"{\"service\":\"a\",\"type\":\"t\",\"state\":\"waiting\","              \
	"\"after\":[10,20],\"before\":[0,10]}\n"
#define ANSWER(rest) HEAD(1) PLAN "{\"of\":0," rest "}\n"

static struct error err;
static struct fleet f;
static struct str question;

static bool reads(const char *text)
{
	arena_release(&f.arena);
	f = (struct fleet){ .count = 0 };
	arena_init(&f.arena, GIB);
	question = (struct str){ NULL, 0 };
	return fleet_state_read(&f, str_from(text), &question, &err);
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
	assert_true(reads(HEAD(1) PLAN));
	refuses("{}", "of version 1, is wanted");
	refuses("{\"tracefind_fleet\":2,\"question\":\"q\"}", "version 1");
	refuses("{\"tracefind_fleet\":1}", "version 1");
	refuses("[]", "version 1");
	refuses("", "line 1: byte 0: the JSON text ends too early");
	refuses(HEAD(1) PLAN "{\"of\":0", "line 3: byte 7");
	refuses(HEAD(-1), "out of range");
	assert_true(reads(HEAD(50000)));
	refuses(HEAD(50001), "out of range");
	refuses(HEAD(1) "{\"service\":\"a\"}", "without its name, type");
	refuses(HEAD(1) "{\"service\":\"a\",\"type\":\"t\",\"label\":\"v\"}",
		"versions");
	refuses(HEAD(1) "{\"state\":\"asleep\"}", "an unknown state");
	refuses(HEAD(1) "{\"after\":[20,10]}", "no window");
	refuses(HEAD(1) "{\"after\":[1]}", "no window");
	refuses(HEAD(1) "{\"after\":[1,2,3]}", "no window");
	refuses(HEAD(1) PLAN "{\"state\":\"answered\"}", "of no service");
	refuses(HEAD(1) PLAN "{\"of\":1}", "out of range");
	refuses(ANSWER("\"samples\":[1,2]"), "end with 4 numbers");
	refuses(ANSWER("\"samples\":[1,2,3,-4]"), "out of range");
	refuses(ANSWER("\"samples\":[1,2,3,4,5]"), "end with 4 numbers");
	refuses(ANSWER("\"sample_cores\":1e300"), "out of range");
	refuses(ANSWER("\"functions\":[[\"f\",\"\",1,2,3]]"),
		"end with 4 numbers");
	refuses(ANSWER("\"functions\":[[5,\"\",1,2,3,4,5]]"),
		"without its name");
	refuses(ANSWER("\"functions\":[7]"), "end with 4 numbers");
	refuses(ANSWER("\"functions\":[[\"f\",\"\",-1,2,3,4,5]]"),
		"out of range");
}

/* Whoever wrote it was stopped: the services are asked for anew. */
static void test_list_not_whole(void **state)
{
	(void)state;
	assert_true(reads(HEAD(2) PLAN));
	assert_int_equal(f.count, 0);
	assert_true(str_equal(question, STR("q")));
}

static void many_functions(struct buf *text, unsigned count)
{
	buf_clear(text);
	buf_add_text(text, HEAD(1) PLAN "{\"of\":0,\"functions\":[");
	for (unsigned i = 0; i < count; i++)
		buf_addf(text, "%s[\"f%u\",\"\",0,1,1,1,1]", i ? "," : "", i);
	buf_add_text(text, "]}\n");
}

static void test_limit(void **state)
{
	struct buf text;

	(void)state;
	buf_init(&text, GIB);
	many_functions(&text, LIMIT_FLEET_FUNCTIONS);
	assert_true(reads(buf_text(&text)));
	assert_int_equal(f.items[0].count, LIMIT_FLEET_FUNCTIONS);
	many_functions(&text, LIMIT_FLEET_FUNCTIONS + 1);
	refuses(buf_text(&text), "more than 400 functions");
	buf_release(&text);
}

/* What was written reads back, the last answer of a service counts. */
static void test_round(void **state)
{
	struct fleet_function functions[] = {
		{ .name = STR("a\"b"),
		  .file = STR("x.go"),
		  .line = 7,
		  .after = 3,
		  .before = { 1, 0.5, 2 } },
		{ .name = STR("c"), .after = 1 },
	};
	struct fleet_service services[] = {
		{ .name = STR("idle"),
		  .type_id = STR(""),
		  .state = FLEET_NO_CPU },
		{ .name = STR("cart"),
		  .type_id = STR("cpu"),
		  .version_label = STR("version"),
		  .after = { { 10, 20 }, STR("2") },
		  .before = { { 0, 12 }, STR("1") } },
	};
	struct fleet from = { .items = services,
			      .count = 2,
			      .window = { 0, 20 },
			      .started_ns = 9 };
	struct buf text;
	struct out out;

	(void)state;
	buf_init(&text, GIB);
	out_init_memory(&out, &text);
	fleet_state_write(&from, STR("what"), &out);
	services[1].state = FLEET_NO_BASELINE;
	fleet_state_add(&from, 1, &out);
	services[1].state = FLEET_COMPARED;
	services[1].functions = functions;
	services[1].count = 2;
	services[1].after_samples = 4;
	services[1].before_samples[2] = 0.1;
	services[1].sample_cores = 1e-9;
	fleet_state_add(&from, 1, &out);
	assert_true(out_finish(&out, "memory", &err));
	assert_true(reads(buf_text(&text)));
	assert_true(str_equal(question, STR("what")));
	assert_int_equal(f.count, 2);
	assert_int_equal(f.started_ns, 9);
	assert_int_equal(f.window.to_ns, 20);
	assert_int_equal(f.baseline.to_ns, 0);
	assert_int_equal(f.items[0].state, FLEET_NO_CPU);
	assert_null(f.items[0].version_label.ptr);
	assert_int_equal(f.items[1].state, FLEET_COMPARED);
	assert_string_equal(f.items[1].before.version.ptr, "1");
	assert_int_equal(f.items[1].before.range.to_ns, 12);
	assert_int_equal(f.items[1].count, 2);
	assert_string_equal(f.items[1].functions[0].name.ptr, "a\"b");
	assert_int_equal(f.items[1].functions[0].line, 7);
	assert_true(f.items[1].functions[0].before[1] == 0.5);
	assert_true(f.items[1].functions[1].file.len == 0);
	assert_true(f.items[1].before_samples[2] == 0.1);
	assert_true(f.items[1].sample_cores == 1e-9);
	out_release(&out);
	buf_release(&text);
}

UNIT_TESTS(fleet_state)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_list_not_whole),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_round),
	};
	int failed;

	arena_init(&f.arena, GIB);
	failed = cmocka_run_group_tests_name("fleet_state", tests, NULL, NULL);
	arena_release(&f.arena);
	return failed;
}
