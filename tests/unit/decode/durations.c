/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "decode/formats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define SERIES(edge, rest)                                                     \
	"{\"labels\":[{\"key\":\"__bucket\",\"value\":{\"doubleValue\":" edge  \
	"}}]" rest "}"

static struct duration_buckets buckets;
static struct error err;

static void decode(const char *text)
{
	error_clear(&err);
	if (!decode_tempo_histogram(str_from(text), &buckets, &err))
		fail_msg("%s: %s", text, err.message);
}

static void expect_failure(const char *text, enum error_code code,
			   const char *part)
{
	error_clear(&err);
	assert_false(decode_tempo_histogram(str_from(text), &buckets, &err));
	assert_int_equal(err.code, code);
	if (!strstr(err.message, part))
		fail_msg("\"%s\" lacks \"%s\"", err.message, part);
}

static void test_instant(void **state)
{
	(void)state;
	/* 2^21 and 2^30 ns; order, absent and empty values. */
	decode("{\"series\":[" SERIES("1.073741824", ",\"value\":139") "," SERIES(
		"0.002097152", "") "],\"metrics\":{\"inspectedBytes\":\"1\"}}");
	assert_int_equal(buckets.counts[30], 139);
	assert_int_equal(buckets.counts[21], 0);
	assert_int_equal(buckets.total, 139);
}

static void test_range(void **state)
{
	(void)state;
	decode("{\"series\":[" SERIES(
		"1e-9",
		",\"samples\":[{\"timestampMs\":\"1\",\"value\":2},"
		"{\"timestampMs\":\"2\"},{\"value\":3,\"timestampMs\":\"3\"}],"
		"\"exemplars\":[{\"value\":7}],\"promLabels\":\"{}\"") "]}");
	assert_int_equal(buckets.counts[0], 5);
	assert_int_equal(buckets.total, 5);
}

static void test_nothing(void **state)
{
	(void)state;
	decode("{}");
	assert_int_equal(buckets.total, 0);
	decode("{\"series\":[]}");
	decode("{\"series\":null,\"status\":\"COMPLETE\"}");
	assert_int_equal(buckets.total, 0);
}

static void test_a_part_is_none(void **state)
{
	(void)state;
	expect_failure(
		"{\"series\":[" SERIES(
			"1.073741824",
			",\"value\":1") "],"
					"\"status\":\"PARTIAL\",\"message\":\"too many\"}",
		ERROR_PARTIAL, "part of the spans");
}

static void test_damage(void **state)
{
	(void)state;
	expect_failure("{\"series\":[" SERIES("0.003", ",\"value\":1") "]}",
		       ERROR_FORMAT, "no power of two");
	/* Quantiles have no buckets. */
	expect_failure("{\"series\":[{\"labels\":[{\"key\":\"p\",\"value\":{"
		       "\"doubleValue\":0.5}}],\"value\":1}]}",
		       ERROR_FORMAT, "no power of two");
	expect_failure("{\"series\":[" SERIES("\"NaN\"", ",\"value\":1") "]}",
		       ERROR_FORMAT, "no power of two");
	expect_failure("{\"series\":[" SERIES("1.073741824",
					      ",\"value\":\"NaN\"") "]}",
		       ERROR_FORMAT, "a count that is none");
	expect_failure(
		"{\"series\":[" SERIES("1.073741824", ",\"value\":-1") "]}",
		ERROR_FORMAT, "a count that is none");
	expect_failure(
		"{\"series\":[" SERIES("1.073741824", ",\"value\":1e300") "]}",
		ERROR_FORMAT, "a count that is none");
	expect_failure("{\"series\":[", ERROR_FORMAT, "cut-off");
	expect_failure("{}{}", ERROR_FORMAT, "more behind");
	expect_failure("[]", ERROR_FORMAT, "TraceQL metrics");
}

UNIT_TESTS(durations)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_instant),
		cmocka_unit_test(test_range),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_a_part_is_none),
		cmocka_unit_test(test_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
