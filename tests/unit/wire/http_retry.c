/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "wire/http.h"

#include "base/timefmt.h"
#include "support.h"

static struct retry_facts facts(int status)
{
	return (struct retry_facts){
		.status = status,
		.tries = 1,
		.retries = 2,
		.retry_after = STR(""),
		.date = STR(""),
		.now_ns = 784111777 * NS_PER_S, /* 1994-11-06 08:49:37 */
		.left_ms = 60000,
	};
}

static void test_only_passing_troubles_are_tried_again(void **state)
{
	static const int again[] = { 429, 502, 503, 504 };
	static const int never[] = { 200, 301, 400, 401, 403,
				     404, 422, 500, 501, 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(again); i++) {
		struct retry_facts f = facts(again[i]);

		assert_true(retry_delay_ms(&f) >= 250);
	}
	for (size_t i = 0; i < COUNT(never); i++) {
		struct retry_facts f = facts(never[i]);

		assert_int_equal(retry_delay_ms(&f), RETRY_NEVER);
	}
}

/* Google's advice; others mean it when they say 500. */
static void test_google_may_fail_inside(void **state)
{
	struct retry_facts f = facts(500);

	(void)state;
	f.is_google = true;
	assert_true(retry_delay_ms(&f) >= 250);
	f.status = 501;
	assert_int_equal(retry_delay_ms(&f), RETRY_NEVER);
}

static void test_broken_connections_are_tried_again(void **state)
{
	struct retry_facts f = facts(0);

	(void)state;
	f.is_broken = true;
	assert_true(retry_delay_ms(&f) >= 0);
	f.status = 200; /* cut in the middle of the answer */
	assert_true(retry_delay_ms(&f) >= 0);
}

static void test_tries_are_counted(void **state)
{
	struct retry_facts f = facts(503);

	(void)state;
	f.tries = 2;
	assert_true(retry_delay_ms(&f) >= 0);
	f.tries = 3;
	assert_int_equal(retry_delay_ms(&f), RETRY_NEVER);
	f.tries = 1;
	f.retries = 0;
	assert_int_equal(retry_delay_ms(&f), RETRY_NEVER);
}

static void test_wait_doubles_with_jitter(void **state)
{
	struct retry_facts f = facts(503);

	(void)state;
	f.retries = 100;
	f.random = 0;
	assert_int_equal(retry_delay_ms(&f), 250);
	f.random = 250;
	assert_int_equal(retry_delay_ms(&f), 500);
	f.tries = 2;
	assert_int_equal(retry_delay_ms(&f), 500 + 250);
	f.random = 0;
	f.tries = 90;
	assert_int_equal(retry_delay_ms(&f), 4000);
}

static void test_retry_after_is_honoured(void **state)
{
	static const struct {
		const char *retry_after, *date;
		int64_t delay_ms;
	} rows[] = {
		{ "0", "", 0 },
		{ "7", "", 7000 },
		{ " 30 ", "", 30000 },
		{ "31", "", RETRY_NEVER },
		{ "99999999999999999999", "", 250 },
		{ "18446744073709551615", "", RETRY_NEVER },
		{ "Sun, 06 Nov 1994 08:49:42 GMT", "", 5000 },
		{ "Sun, 06 Nov 1994 08:49:42 GMT",
		  "Sun, 06 Nov 1994 08:49:40 GMT", 2000 },
		{ "Sun, 06 Nov 1994 08:49:00 GMT", "", 0 },
		{ "Sun, 06 Nov 1994 08:51:00 GMT", "", RETRY_NEVER },
		{ "soon", "", 250 },
		{ "-1", "", 250 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct retry_facts f = facts(429);

		f.retry_after = str_from(rows[i].retry_after);
		f.date = str_from(rows[i].date);
		assert_int_equal(retry_delay_ms(&f), rows[i].delay_ms);
	}
}

static void test_wait_must_fit_into_the_run(void **state)
{
	struct retry_facts f = facts(429);

	(void)state;
	f.retry_after = STR("7");
	f.left_ms = 7000;
	assert_int_equal(retry_delay_ms(&f), RETRY_NEVER);
	f.left_ms = 7001;
	assert_int_equal(retry_delay_ms(&f), 7000);
}

static void test_http_dates(void **state)
{
	static const char *const bad[] = {
		"",
		"Sun, 06 Nov 1994 08:49:37",
		"Sunday, 06-Nov-94 08:49:37 GMT",
		"Sun, 06 Foo 1994 08:49:37 GMT",
		"Sun, 36 Nov 1994 08:49:37 GMT",
		"Sun, 06 Nov 1994 08:49:37 CET",
		"Sun  06 Nov 1994 08:49:37 GMT",
	};
	int64_t time_ns;

	(void)state;
	assert_true(parse_http_date(STR("Sun, 06 Nov 1994 08:49:37 GMT"),
				    &time_ns));
	assert_int_equal(time_ns, 784111777 * NS_PER_S);
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_false(parse_http_date(str_from(bad[i]), &time_ns));
}

UNIT_TESTS(http_retry)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_only_passing_troubles_are_tried_again),
		cmocka_unit_test(test_google_may_fail_inside),
		cmocka_unit_test(test_broken_connections_are_tried_again),
		cmocka_unit_test(test_tries_are_counted),
		cmocka_unit_test(test_wait_doubles_with_jitter),
		cmocka_unit_test(test_retry_after_is_honoured),
		cmocka_unit_test(test_wait_must_fit_into_the_run),
		cmocka_unit_test(test_http_dates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
