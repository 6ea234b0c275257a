/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "decode/formats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/limits.h"

/* Minutes from minute 10 on. */
static const struct steps steps = { 600000, 60000, 3 };

static struct arena arena;
static struct step_rows rows;
static struct error err;

static void setup_arena(void)
{
	arena_init(&arena, LIMIT_DECODE_HEAP_BYTES);
	error_clear(&err);
}

static void expect(const char *text, size_t row, const char *name, double a,
		   double b, double c)
{
	const double *values;

	setup_arena();
	if (!decode_tempo_steps(str_from(text), &steps, &arena, &rows, &err))
		fail_msg("%s: %s", text, err.message);
	assert_true(row < rows.count);
	assert_true(str_equal(rows.items[row].name, str_from(name)));
	values = rows.items[row].values;
	assert_true(values[0] == a && values[1] == b && values[2] == c);
	arena_release(&arena);
}

static void expect_failure(const char *text, enum error_code code,
			   const char *part)
{
	setup_arena();
	assert_false(decode_tempo_steps(str_from(text), &steps, &arena, &rows,
					&err));
	assert_int_equal(err.code, code);
	if (!strstr(err.message, part))
		fail_msg("\"%s\" lacks \"%s\"", err.message, part);
	arena_release(&arena);
}

#define LABELS(version)                                                        \
	"{\"labels\":[{\"key\":\"__name__\",\"value\":{}},{\"key\":"           \
	"\"resource.service.version\",\"value\":{\"stringValue\":\"" version   \
	"\"}}],"

/* A sample is of the step that ends at its time; absent values are none. */
static void test_rows(void **state)
{
	const char *text = "{\"series\":[" LABELS(
		"1.4") "\"samples\":["
		       "{\"timestampMs\":\"660000\",\"value\":3},"
		       "{\"timestampMs\":\"720000\"},"
		       "{\"value\":0.5,\"timestampMs\":\"780000\"}]}," LABELS(
			       "nil") "\"samples\":["
				      "{\"timestampMs\":\"720000\",\"value\":7}],"
				      "\"exemplars\":[{\"value\":9}]}],\"metrics\":{}}";

	(void)state;
	expect(text, 0, "1.4", 3, 0, 0.5);
	expect(text, 1, "", 0, 7, 0);
}

/* Before and behind the steps, and what is no number. */
static void test_outside(void **state)
{
	(void)state;
	expect("{\"series\":[" LABELS(
		       "a") "\"samples\":["
			    "{\"timestampMs\":\"600000\",\"value\":1},"
			    "{\"timestampMs\":\"600001\",\"value\":2},"
			    "{\"timestampMs\":\"780001\",\"value\":4},"
			    "{\"timestampMs\":\"99999999999999999999\",\"value\":5},"
			    "{\"timestampMs\":\"720000\",\"value\":\"NaN\"},"
			    "{\"timestampMs\":\"780000\",\"value\":-1}]}]}",
	       0, "a", 2, 0, 0);
}

static void test_nothing(void **state)
{
	(void)state;
	setup_arena();
	assert_true(decode_tempo_steps(STR("{\"series\":[],\"metrics\":{}}"),
				       &steps, &arena, &rows, &err));
	assert_int_equal(rows.count, 0);
	assert_true(decode_tempo_steps(STR("{}"), &steps, &arena, &rows, &err));
	arena_release(&arena);
}

static void test_damaged(void **state)
{
	(void)state;
	expect_failure("", ERROR_FORMAT, "damaged");
	expect_failure("[]", ERROR_FORMAT, "damaged");
	expect_failure("{\"series\":[" LABELS("a") "\"samples\":[{",
		       ERROR_FORMAT, "damaged");
	expect_failure("{\"series\":[]} x", ERROR_FORMAT, "damaged");
	expect_failure("{\"series\":[],\"status\":\"PARTIAL\"}", ERROR_PARTIAL,
		       "a part of the spans");
}

static void test_starved(void **state)
{
	(void)state;
	error_clear(&err);
	arena_init(&arena, 1);
	assert_false(decode_tempo_steps(
		STR("{\"series\":[" LABELS("a") "\"samples\":[]}]}"), &steps,
		&arena, &rows, &err));
	arena_release(&arena);
}

UNIT_TESTS(trace_steps)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),    cmocka_unit_test(test_outside),
		cmocka_unit_test(test_nothing), cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_starved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
