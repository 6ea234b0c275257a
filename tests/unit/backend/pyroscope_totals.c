/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "backend/rooms.h"

#include "backend/backends.h"
#include "../wire/support.h"

/* 2026-11-21T10:00:00Z */
#define T0_MS 1795255200000
#define CPU "process_cpu:cpu:nanoseconds:cpu:nanoseconds"

static struct backends backends = {
	.profiles.endpoint = { .url = "http://pyroscope.example:4040",
			       .option_prefix = "--profiles" }
};
static struct side *const side = &backends.profiles;
static const struct profile_backend *const pyroscope = &profile_pyroscope;

/* Two steps of a minute: [10:00, 10:01) and [10:01, 10:02). */
static const struct totals_query query = {
	.type_id = CPU,
	.selector = "{}",
	.label = "service_name",
	.from_ms = T0_MS,
	.step_ms = 60000,
	.step_count = 2,
};

/* A point counts the step that ends with it, and the last one ends the
 * window: 10:00:59.999 and 10:01:59.999. */
static void points_end_the_steps(void **state)
{
	struct http_request request;
	struct error err;

	(void)state;
	assert_true(pyroscope->totals_request(side, &query, &request, &err));
	assert_string_equal(request.path,
			    "/querier.v1.QuerierService/SelectSeries");
	assert_string_equal(buf_text(&request.body),
			    "{\"profileTypeID\":\"" CPU
			    "\",\"labelSelector\":\"{}\","
			    "\"step\":60,\"groupBy\":[\"service_name\"],"
			    "\"start\":1795255259999,\"end\":1795255319999}");
	http_request_release(&request);
}

static void read_answer(const char *body, struct arena *arena,
			struct totals *totals)
{
	struct http_response r = answer_make(200, "application/json", body);
	struct error err;

	arena_init(arena, 1 << 20);
	backends.arena = arena;
	assert_true(
		pyroscope->totals_answer(&backends, &query, &r, totals, &err));
	http_response_release(&r);
}

#define POINT(value, time) "{\"value\":" value ",\"timestamp\":\"" time "\"}"

static void steps_are_told_by_their_end(void **state)
{
	struct arena arena;
	struct totals t;

	(void)state;
	read_answer(
		"{\"series\":[{\"labels\":[{\"name\":\"service_name\","
		"\"value\":\"cart\"}],\"points\":[" POINT(
			"7",
			"1795255319999") "]},"
					 "{\"points\":[" POINT(
						 "2.5",
						 "1795255259999") "],"
								  "\"labels\":[]}]}",
		&arena, &t);
	assert_int_equal(t.count, 2);
	assert_true(str_equal(t.items[0].name, STR("cart")));
	assert_true(t.items[0].values[0] == 0 && t.items[0].values[1] == 7);
	assert_int_equal(t.items[1].name.len, 0);
	assert_true(t.items[1].values[0] == 2.5);
	arena_release(&arena);
}

/* One millisecond outside on both sides, no time, no number. */
static void what_lies_outside_counts_nowhere(void **state)
{
	struct arena arena;
	struct totals t;

	(void)state;
	read_answer(
		"{\"series\":[{\"points\":[" POINT("1", "1795255259998") "," POINT("2", "1795255379999") "," POINT("4", "1795255379998") "," POINT(
			"-8",
			"1795255259999") "," POINT("\"NaN\"",
						   "1795255259999") "," POINT("\"Infinity\"",
									      "1795255259999") "," POINT("1",
													 "-9223372036854775808") ",{\"value\":3}]}]}",
		&arena, &t);
	assert_int_equal(t.count, 1);
	assert_true(t.items[0].values[0] == 0);
	assert_true(t.items[0].values[1] == 4);
	arena_release(&arena);
}

static void failures_are_told(void **state)
{
	struct http_response r = answer_make(
		400, "application/json",
		"{\"code\":\"invalid_argument\",\"message\":\"no\"}");
	struct arena arena;
	struct totals t;
	struct error err;

	(void)state;
	arena_init(&arena, 1 << 20);
	backends.arena = &arena;
	assert_false(pyroscope->totals_answer(&backends, &query, &r, &t, &err));
	assert_contains(err.message, "no");
	http_response_release(&r);
	r = answer_make(200, "application/json",
			"{\"series\":[{\"points\":[{\"value\":1}");
	assert_false(pyroscope->totals_answer(&backends, &query, &r, &t, &err));
	http_response_release(&r);
	arena_release(&arena);
}

UNIT_TESTS(pyroscope_totals)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(points_end_the_steps),
		cmocka_unit_test(steps_are_told_by_their_end),
		cmocka_unit_test(what_lies_outside_counts_nowhere),
		cmocka_unit_test(failures_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
