/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../unit.h"
#include "report/texts.h"

#define MINUTE (60 * NS_PER_S)

/* 22:03 to 22:13. */
static const struct time_range range = { 1323 * MINUTE, 1333 * MINUTE };

static void expect_window(enum baseline_said said, uint32_t count,
			  const char *words)
{
	struct baseline_health b = { .said = said,
				     .range = range,
				     .count = count,
				     .p50_ns = 50 * NS_PER_MS };
	struct buf text;

	buf_init(&text, MIB);
	baseline_tell_window(&b, &text);
	assert_string_equal(buf_text(&text), words);
	buf_release(&text);
}

static void windows(void **state)
{
	(void)state;
	expect_window(BASELINE_NO_ANSWER, 0, "not queried, or no answer");
	expect_window(BASELINE_ALL_SLOW, 0,
		      "22:03-22:13 was slow all the time");
	expect_window(BASELINE_NO_SPANS, 0,
		      "22:03-22:13 has no spans of the operation");
	expect_window(BASELINE_FEW_SPANS, 1,
		      "22:03-22:13 has too few spans of the operation: 1 span");
	expect_window(BASELINE_FEW_SPANS, 4,
		      "22:03-22:13 has too few spans of the operation: 4 "
		      "spans");
	expect_window(BASELINE_HEALTHY, 1212,
		      "22:03-22:13 is healthy (p50 50 ms over 1,212 spans)");
	expect_window(BASELINE_NOT_FASTER, 20,
		      "22:03-22:13 is not clearly faster (p50 50 ms over 20 "
		      "spans)");
}

static void expect_told(const struct baseline_choice *choice,
			const struct operation *of, const char *words)
{
	struct buf text;

	buf_init(&text, MIB);
	baseline_tell_chosen(choice, of, &text);
	assert_string_equal(buf_text(&text), words);
	buf_release(&text);
}

static struct baseline_choice an_hour_before(bool is_alike, bool is_only)
{
	return (struct baseline_choice){
		.slots[BASELINE_HOUR] = { .said = BASELINE_HEALTHY,
					  .range = range,
					  .count = 5,
					  .p50_ns = 40 * NS_PER_MS },
		.chosen = BASELINE_HOUR,
		.is_alike = is_alike,
		.is_only = is_only,
	};
}

static void expect_chosen(bool is_alike, bool is_only, const char *words)
{
	struct baseline_choice choice = an_hour_before(is_alike, is_only);

	expect_told(&choice, NULL, words);
}

/* The headline is of another span: whose median this is has to be said. */
static void expect_of(const struct operation *of, const char *words)
{
	struct baseline_choice choice = an_hour_before(false, false);

	expect_told(&choice, of, words);
}

static void the_one_chosen(void **state)
{
	const struct operation of = { STR("shop"), STR("GET /cart"),
				      SPAN_KIND_SERVER };

	(void)state;
	expect_chosen(false, false, "p50 40 ms over 5 spans");
	expect_of(&of, "p50 40 ms over 5 spans of GET /cart");
	expect_chosen(true, true,
		      "not faster (p50 40 ms over 5 spans), no earlier window "
		      "available");
	expect_chosen(true, false,
		      "not faster (p50 40 ms over 5 spans), no earlier window "
		      "was faster");
}

/* Two nearer windows lie in a fault of some requests. */
static void behind_a_fault(void **state)
{
	struct baseline_choice choice = {
		.slots = { [BASELINE_PREVIOUS] = { .said = BASELINE_IN_FAULT,
						   .range = range,
						   .p50_ns = 41 * NS_PER_MS,
						   .slow_count = 7,
						   .count = 98 },
			   [BASELINE_THIRD_HOUR] = { .said = BASELINE_IN_FAULT,
						     .slow_count = 5,
						     .count = 90 },
			   [BASELINE_TWO_THIRDS] = { .said = BASELINE_HEALTHY,
						     .p50_ns = 40 * NS_PER_MS,
						     .count = 95 } },
		.chosen = BASELINE_TWO_THIRDS,
		.is_behind_fault = true,
		.slow_from_ns = 158 * NS_PER_MS,
		.now_slow_count = 14,
		.now_count = 200,
	};
	struct buf text;

	(void)state;
	buf_init(&text, MIB);
	baseline_tell_chosen(&choice, NULL, &text);
	assert_string_equal(
		buf_text(&text),
		"p50 40 ms over 95 spans; slow: 158 ms or longer, 20 minutes "
		"earlier 5 of 90, immediately before 7 of 98, now 14 of 200");
	buf_release(&text);
	buf_init(&text, MIB);
	baseline_tell_window(&choice.slots[BASELINE_PREVIOUS], &text);
	assert_string_equal(buf_text(&text),
			    "22:03-22:13 has more slow requests (p50 41 ms "
			    "over 98 spans, 7 of them slow)");
	buf_release(&text);
}

static void what_creeps(void **state)
{
	struct baseline_choice choice = {
		.slots = { [BASELINE_PREVIOUS] = { .p50_ns = 90 * NS_PER_MS,
						   .count = 30 },
			   [BASELINE_HOUR].p50_ns = -1,
			   [BASELINE_DAY] = { .p50_ns = 50 * NS_PER_MS,
					      .count = 30 } },
		.chosen = BASELINE_DAY,
		.is_creeping = true,
		.nearest = BASELINE_PREVIOUS,
		.now_p50_ns = 100 * NS_PER_MS,
	};
	struct buf text;

	(void)state;
	buf_init(&text, MIB);
	baseline_tell_chosen(&choice, NULL, &text);
	assert_string_equal(buf_text(&text),
			    "p50 50 ms over 30 spans; slow drift: p50 50 ms 1 "
			    "day earlier, 90 ms immediately before, 100 ms "
			    "now");
	buf_release(&text);
}

UNIT_TESTS(baseline_text)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows),
		cmocka_unit_test(the_one_chosen),
		cmocka_unit_test(behind_a_fault),
		cmocka_unit_test(what_creeps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
