/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "../analyze/trace_fixture.h"

#include <math.h>

#include "investigate/slo.h"

/* ---- the request of a trace ---- */

static uint64_t find(const char *text, const char *operation,
		     int64_t threshold_ns, bool *is_failed)
{
	const struct slo s = { .service = "web",
			       .operation = operation,
			       .threshold_ns = threshold_ns,
			       .bound_ns = threshold_ns };
	struct trace t;
	uint64_t id;
	uint32_t span;

	fixture_trace(&t, text);
	span = slo_request_span(&s, &t, is_failed);
	id = span == SPAN_NONE ? 0 : t.spans[span].span_id;
	trace_release(&t);
	return id;
}

static const char calls[] = "1 0 front S \"GET /\" 0 900\n"
			    "2 1 web S \"GET /a\" 10 200\n"
			    "3 2 web I load 20 190\n"
			    "4 1 web S \"GET /b\" 210 700\n"
			    "5 4 web C query 220 690\n"
			    "6 1 web S \"GET /c\" 710 720 error\n";

static void test_request(void **state)
{
	bool is_failed;

	(void)state;
	assert_int_equal(find(calls, NULL, 100 * NS_PER_MS, &is_failed), 4);
	assert_false(is_failed);
	assert_int_equal(find(calls, "GET /a", 100 * NS_PER_MS, &is_failed), 2);
	assert_int_equal(find(calls, NULL, 500 * NS_PER_MS, &is_failed), 6);
	assert_true(is_failed);
	assert_int_equal(find(calls, NULL, 0, &is_failed), 6);
	assert_int_equal(find(calls, "GET /a", NS_PER_S, &is_failed), 0);
}

/* ---- what it comes down to ---- */

static struct slo counted(double hour_bad)
{
	struct slo s = { .objective = 0.99, .window_ns = 30 * NS_PER_DAY };

	slo_init(&s);
	for (size_t i = 0; i < s.window_count; i++) {
		struct slo_window *w = &s.windows[i];

		w->is_known = true;
		w->count.total = (double)w->length_ns / NS_PER_S;
		w->count.bad = w->length_ns >= NS_PER_HOUR
				       ? hour_bad
				       : hour_bad * w->count.total / 3600;
	}
	return s;
}

static void test_windows(void **state)
{
	struct slo s = counted(0);

	(void)state;
	assert_int_equal(s.window_count, 8);
	assert_int_equal(slo_window(&s, NS_PER_HOUR)->length_ns, NS_PER_HOUR);
	assert_int_equal(slo_budget(&s)->length_ns, 30 * NS_PER_DAY);
	assert_true(isinf(slo_seconds_left(&s)));
	assert_int_equal(slo_present(&s)->length_ns, 30 * NS_PER_DAY);
}

/* 3,600 of the 25,920 bad requests that a month may have. */
static void test_forecast(void **state)
{
	struct slo s = counted(3600);

	(void)state;
	assert_int_equal(slo_present(&s)->length_ns, NS_PER_HOUR);
	assert_true(slo_pair_fires(&s, &s.pairs[0]));
	assert_true(fabs(slo_seconds_left(&s) - 22320) < 1);
	/* Too few to tell the rate of the hour, or any other. */
	s = counted(4);
	assert_int_equal(slo_present(&s)->length_ns, 30 * NS_PER_DAY);
	/* As fast as allowed, which a month never spends. */
	s = counted(36);
	assert_true(isinf(slo_seconds_left(&s)));
	s = counted(30000);
	assert_true(slo_seconds_left(&s) <= 0);
}

UNIT_TESTS(slo)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_request),
		cmocka_unit_test(test_windows),
		cmocka_unit_test(test_forecast),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
