/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "../unit.h"
#include "doctor/doctor.h"

/* 2026-11-21T10:00:00Z */
#define NOW_NS (1795255200 * NS_PER_S)

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A server that is ahead by so much, with answers that take `took`. */
static struct clock_answer answer(int64_t ahead_ns, int64_t took_ns)
{
	return (struct clock_answer){ NOW_NS + ahead_ns, took_ns };
}

static enum check_status judge(int64_t offset_ns, int64_t slack_ns)
{
	struct clock_offset clock = { offset_ns, slack_ns };

	return clock_offset_judge(&clock);
}

/* Half a second for what Date leaves out, half the time of the answer for
 * when it was dated: 10.5 s - 1 s = 9.5 s, sure to 0.5 s + 1 s. */
static void test_clock_of_one_answer(void **state)
{
	struct clock_answer one = answer(10 * NS_PER_S, 2 * NS_PER_S);
	struct clock_offset clock = clock_offset_find(&one, 1, NOW_NS);

	(void)state;
	assert_int_equal(clock.offset_ns, 9500 * NS_PER_MS);
	assert_int_equal(clock.slack_ns, 1500 * NS_PER_MS);
}

static void test_clock_is_the_median(void **state)
{
	const struct clock_answer odd[] = { answer(90 * NS_PER_S, 0),
					    answer(-3 * NS_PER_S, 0),
					    answer(1 * NS_PER_S, 0) };
	const struct clock_answer even[] = { answer(4 * NS_PER_S, 0),
					     answer(-900 * NS_PER_S, 0),
					     answer(2 * NS_PER_S, 0),
					     answer(900 * NS_PER_S, 0) };

	(void)state;
	assert_int_equal(clock_offset_find(odd, 3, NOW_NS).offset_ns,
			 1500 * NS_PER_MS);
	assert_int_equal(clock_offset_find(even, 4, NOW_NS).offset_ns,
			 3500 * NS_PER_MS);
}

static void test_clock_of_many_answers(void **state)
{
	struct clock_answer many[CLOCK_ANSWERS_MAX + 1];

	(void)state;
	for (size_t i = 0; i < COUNT(many); i++)
		many[i] = answer(NS_PER_S, 0);
	many[CLOCK_ANSWERS_MAX] = answer(0, NS_PER_HOUR);
	assert_int_equal(clock_offset_find(many, COUNT(many), NOW_NS).slack_ns,
			 NS_PER_S / 2);
}

static void test_clock_limits(void **state)
{
	const int64_t half = NS_PER_S / 2;

	(void)state;
	assert_int_equal(judge(0, half), CHECK_OK);
	assert_int_equal(judge(5 * NS_PER_S + half, half), CHECK_OK);
	assert_int_equal(judge(5 * NS_PER_S + half + 1, half), CHECK_WARNING);
	assert_int_equal(judge(-5 * NS_PER_S - half - 1, half), CHECK_WARNING);
	assert_int_equal(judge(60 * NS_PER_S + half, half), CHECK_WARNING);
	assert_int_equal(judge(60 * NS_PER_S + half + 1, half), CHECK_FAILED);
	assert_int_equal(judge(-60 * NS_PER_S - half - 1, half), CHECK_FAILED);
	/* A slow answer says less about the clock. */
	assert_int_equal(judge(20 * NS_PER_S, 15 * NS_PER_S), CHECK_OK);
	assert_int_equal(judge(INT64_MIN, half), CHECK_FAILED);
}

static struct name_found find_name(const char *service)
{
	struct str items[] = { STR("api"),          STR("dev/pay"),
			       STR("prod/User-DB"), STR("prod/pay"),
			       STR("search.cpu"),   STR("user-db2"),
			       STR("user-db-eu") };
	const struct name_list list = { items, COUNT(items) };
	struct name_candidates candidates;
	struct name_found found;
	struct arena arena;
	struct error err;

	arena_init(&arena, MIB);
	assert_true(name_candidates_init(&candidates, NULL, 0,
					 str_from(service), &arena, &err));
	found = name_match_find(&candidates, &list);
	arena_release(&arena);
	return found;
}

static void assert_name(const char *service, enum name_match match,
			const char *name)
{
	struct name_found found = find_name(service);

	assert_int_equal(found.match, match);
	assert_true(str_equal(found.name, str_from(name)));
}

static void test_names(void **state)
{
	(void)state;
	assert_name("api", NAME_EXACT, "api");
	assert_name("user-db", NAME_VARIED, "prod/User-DB");
	assert_name("search", NAME_VARIED, "search.cpu");
	assert_name("user-db22", NAME_NEAR, "user-db2");
	assert_name("db-eu", NAME_NEAR, "user-db-eu");
	/* Two that are as good: none is believed. */
	assert_name("pay", NAME_DOUBT, "dev/pay");
	assert_int_equal(find_name("pay").nearest_count, 2);
	assert_name("billing", NAME_NONE, "");
}

static struct time_range window(int64_t from_ns, int64_t to_ns)
{
	return (struct time_range){ NOW_NS + from_ns, NOW_NS + to_ns };
}

static void test_windows(void **state)
{
	const struct window_limits limits = {
		.oldest_ns = NOW_NS - 2 * NS_PER_DAY,
		.newest_ns = NOW_NS - NS_PER_HOUR,
		.length_ns = NS_PER_DAY,
		.lookback_ns = 7 * NS_PER_DAY,
	};
	const int64_t late = 5 * NS_PER_MIN - NS_PER_HOUR;

	(void)state;
	assert_int_equal(
		window_judge(window(-2 * NS_PER_HOUR, 0), NOW_NS, &limits),
		WINDOW_OK);
	assert_int_equal(window_judge(window(-NS_PER_DAY, 0), NOW_NS, &limits),
			 WINDOW_OK);
	assert_int_equal(
		window_judge(window(-NS_PER_DAY - 1, 0), NOW_NS, &limits),
		WINDOW_TOO_LONG);
	assert_int_equal(window_judge(window(late, 0), NOW_NS, &limits),
			 WINDOW_OK);
	assert_int_equal(window_judge(window(late + 1, 0), NOW_NS, &limits),
			 WINDOW_AFTER_DATA);
	assert_int_equal(window_judge(window(-3 * NS_PER_DAY, -2 * NS_PER_DAY),
				      NOW_NS, &limits),
			 WINDOW_BEFORE_DATA);
	assert_int_equal(
		window_judge(window(-3 * NS_PER_DAY + 1, -2 * NS_PER_DAY + 1),
			     NOW_NS, &limits),
		WINDOW_CUT_BY_DATA);
	assert_int_equal(window_judge(window(-7 * NS_PER_DAY, -6 * NS_PER_DAY),
				      NOW_NS, &limits),
			 WINDOW_BEFORE_DATA);
	assert_int_equal(
		window_judge(window(-7 * NS_PER_DAY - 1, 0), NOW_NS, &limits),
		WINDOW_PAST_LOOKBACK);
}

static void test_windows_of_unknown_servers(void **state)
{
	const struct window_limits none = { 0 };

	(void)state;
	assert_int_equal(
		window_judge(window(-30 * NS_PER_DAY, 0), NOW_NS, &none),
		WINDOW_OK);
}

static void test_spans(void **state)
{
	struct span_facts f = { .has_service = true, .has_cpu = true };

	(void)state;
	assert_int_equal(span_profiles_judge(&f), SPANS_NO_ID);
	f.profile_id = STR("${span.id}");
	assert_int_equal(span_profiles_judge(&f), SPANS_BAD_ID);
	f.profile_id = STR("00f067aa0ba902b");
	assert_int_equal(span_profiles_judge(&f), SPANS_BAD_ID);
	f.profile_id = STR("00f067aa0ba902b7");
	f.duration_ns = 20 * NS_PER_MS - 1;
	assert_int_equal(span_profiles_judge(&f), SPANS_TOO_SHORT);
	f.duration_ns = 20 * NS_PER_MS;
	assert_int_equal(span_profiles_judge(&f), SPANS_NO_SAMPLES);
	f.has_samples = true;
	assert_int_equal(span_profiles_judge(&f), SPANS_OK);
	f.is_selector_ignored = true;
	assert_int_equal(span_profiles_judge(&f), SPANS_IGNORED);
	f.has_cpu = false;
	assert_int_equal(span_profiles_judge(&f), SPANS_NOT_CPU);
	f.has_service = false;
	assert_int_equal(span_profiles_judge(&f), SPANS_NO_SERVICE);
}

UNIT_TESTS(judge)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clock_of_one_answer),
		cmocka_unit_test(test_clock_is_the_median),
		cmocka_unit_test(test_clock_of_many_answers),
		cmocka_unit_test(test_clock_limits),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_windows),
		cmocka_unit_test(test_windows_of_unknown_servers),
		cmocka_unit_test(test_spans),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
