/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "decode/formats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/timefmt.h"

static struct arena arena;
static struct metric_answer answer;
static struct error err;

static int setup(void **state)
{
	(void)state;
	arena_init(&arena, GIB);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	arena_release(&arena);
	return 0;
}

static void decode(const char *text, enum metric_form form)
{
	if (!decode_prometheus(str_from(text), form, &arena, &answer, &err))
		fail_msg("%s: %s", text, err.message);
}

static void test_matrix(void **state)
{
	(void)state;
	/* Values that are no numbers are nothing; histograms are passed over.
	 */
	decode("{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\","
	       "\"result\":[{\"metric\":{\"pod\":\"a\",\"x\":\"1\"},\"values\":"
	       "[[1700000000.123,\"1.5\"],[1700000060,\"NaN\"],"
	       "[1700000120,\"+Inf\"],[1700000180,\"-2e3\"]],"
	       "\"histograms\":[[1,{\"count\":\"5\"}]]},"
	       "{\"metric\":{},\"values\":[]}]}}",
	       METRIC_FORM_QUERY);
	assert_int_equal(answer.series_count, 2);
	assert_int_equal(answer.series[0].point_count, 2);
	assert_true(answer.series[0].points[0].time_ns ==
		    1700000000123 * NS_PER_MS);
	assert_true(answer.series[0].points[0].value == 1.5);
	assert_true(answer.series[0].points[1].value == -2000);
	assert_true(str_equal(metric_label_find(&answer.series[0], STR("x")),
			      STR("1")));
	assert_int_equal(metric_label_find(&answer.series[0], STR("none")).len,
			 0);
	assert_int_equal(answer.series[1].point_count, 0);
	assert_int_equal(answer.warning_count, 0);
}

static void test_vector_and_scalar(void **state)
{
	(void)state;
	decode("{\"data\":{\"resultType\":\"vector\",\"result\":[{\"metric\":"
	       "{\"a\":\"b\"},\"value\":[5,\"7\"]}]}}",
	       METRIC_FORM_QUERY);
	assert_int_equal(answer.series_count, 1);
	assert_true(answer.series[0].points[0].value == 7);
	decode("{\"data\":{\"resultType\":\"scalar\",\"result\":[5,\"8\"]}}",
	       METRIC_FORM_QUERY);
	assert_int_equal(answer.series_count, 1);
	assert_true(answer.series[0].points[0].value == 8);
	decode("{\"data\":{\"resultType\":\"vector\",\"result\":[]}}",
	       METRIC_FORM_QUERY);
	assert_int_equal(answer.series_count, 0);
}

static void test_partial_answers_are_told(void **state)
{
	(void)state;
	decode("{\"data\":null,\"warnings\":[\"store b is gone\",\"and c\"],"
	       "\"infos\":[\"not a counter\"]}",
	       METRIC_FORM_QUERY);
	assert_int_equal(answer.warning_count, 3);
	assert_true(str_equal(answer.warning, STR("store b is gone")));
}

static void test_exemplars(void **state)
{
	(void)state;
	/* Of a bucket, of a native histogram, without a trace. */
	decode("{\"data\":[{\"seriesLabels\":{\"le\":\"0.5\"},\"exemplars\":"
	       "[{\"labels\":{\"trace_id\":\"ab12\"},\"value\":\"0.3\","
	       "\"timestamp\":12.5},{\"labels\":{\"user\":\"x\"},\"value\":"
	       "\"0.4\",\"timestamp\":13}]},{\"seriesLabels\":{},\"exemplars\":"
	       "[{\"labels\":{\"TraceID\":\"cd34\"},\"value\":\"0.7\"}]}]}",
	       METRIC_FORM_EXEMPLARS);
	assert_int_equal(answer.exemplar_count, 2);
	assert_true(str_equal(answer.exemplars[0].trace_id, STR("ab12")));
	assert_true(answer.exemplars[0].edge == 0.5);
	assert_true(answer.exemplars[0].time_ns == 12500 * NS_PER_MS);
	assert_true(answer.exemplars[1].edge == 0.7);
}

static void test_names(void **state)
{
	(void)state;
	decode("{\"data\":[\"up\",\"b\"]}", METRIC_FORM_NAMES);
	assert_int_equal(answer.name_count, 2);
	assert_true(str_equal(answer.names[1], STR("b")));
}

static void test_damage_is_refused(void **state)
{
	static const char *const rows[] = {
		"",
		"[]",
		"{\"data\":{\"result\":[{\"values\":[[1]]}]}",
		"{\"data\":{\"result\":[1]}}",
		"{\"data\":{\"result\":[]}} x",
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		assert_false(decode_prometheus(str_from(rows[i]),
					       METRIC_FORM_QUERY, &arena,
					       &answer, &err));
		assert_int_equal(err.code, ERROR_FORMAT);
	}
}

static bool decode_many(size_t series)
{
	struct buf text;
	bool done;

	buf_init(&text, GIB);
	buf_add_text(&text, "{\"data\":{\"result\":[");
	for (size_t i = 0; i < series; i++)
		buf_addf(&text, "%s{\"value\":[1,\"1\"]}", i ? "," : "");
	buf_add_text(&text, "]}}");
	done = decode_prometheus(buf_str(&text), METRIC_FORM_QUERY, &arena,
				 &answer, &err);
	buf_release(&text);
	return done;
}

static void test_limit_of_series(void **state)
{
	(void)state;
	assert_true(decode_many(LIMIT_METRIC_SERIES));
	assert_int_equal(answer.series_count, LIMIT_METRIC_SERIES);
	assert_false(decode_many(LIMIT_METRIC_SERIES + 1));
	assert_int_equal(err.code, ERROR_LIMIT);
	assert_non_null(strstr(err.message, "10000 series"));
}

static size_t labels_kept(size_t count)
{
	struct buf text;

	buf_init(&text, MIB);
	buf_add_text(&text, "{\"data\":{\"result\":[{\"metric\":{");
	for (size_t i = 0; i < count; i++)
		buf_addf(&text, "%s\"l%zu\":\"v\"", i ? "," : "", i);
	buf_add_text(&text, "}}]}}");
	decode(buf_text(&text), METRIC_FORM_QUERY);
	buf_release(&text);
	return answer.series[0].label_count;
}

/* Those that come first are kept. */
static void test_limit_of_labels(void **state)
{
	(void)state;
	assert_int_equal(labels_kept(LIMIT_METRIC_LABELS), LIMIT_METRIC_LABELS);
	assert_int_equal(labels_kept(LIMIT_METRIC_LABELS + 1),
			 LIMIT_METRIC_LABELS);
}

static bool decode_points(size_t count)
{
	struct buf text;
	bool done;

	buf_init(&text, GIB);
	buf_add_text(&text, "{\"data\":{\"result\":[{\"values\":[");
	for (size_t i = 0; i < count; i++)
		buf_add_text(&text, i ? ",[1,\"1\"]" : "[1,\"1\"]");
	buf_add_text(&text, "]}]}}");
	done = decode_prometheus(buf_str(&text), METRIC_FORM_QUERY, &arena,
				 &answer, &err);
	buf_release(&text);
	return done;
}

static void test_limit_of_points(void **state)
{
	(void)state;
	assert_true(decode_points(LIMIT_METRIC_POINTS));
	assert_false(decode_points(LIMIT_METRIC_POINTS + 1));
	assert_int_equal(err.code, ERROR_LIMIT);
}

UNIT_TESTS(prometheus_json)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_matrix),
		cmocka_unit_test(test_vector_and_scalar),
		cmocka_unit_test(test_partial_answers_are_told),
		cmocka_unit_test(test_exemplars),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_damage_is_refused),
		cmocka_unit_test(test_limit_of_series),
		cmocka_unit_test(test_limit_of_labels),
		cmocka_unit_test(test_limit_of_points),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
