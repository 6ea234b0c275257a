/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "../unit.h"
#include "report/texts.h"

/* 22 spans now and before. */
static struct cohorts ordinary(enum cohort_mode mode)
{
	return (struct cohorts){
		.mode = mode,
		.is_judged = true,
		.threshold_ns = 158 * NS_PER_MS,
		.window_count = 1022,
		.slow_count = 10,
		.p50_ns = 51 * NS_PER_MS,
		.before_count = 22,
		.before_slow_count = 2,
		.before_p50_ns = 50 * NS_PER_MS,
		.slow_p50_ns = 500 * NS_PER_MS,
		.fast_p50_ns = 49 * NS_PER_MS,
		.percentile = 0.999,
		.p = NAN,
	};
}

static void expect(const struct cohorts *c, const char *words)
{
	struct buf text;

	buf_init(&text, MIB);
	cohorts_tell(c, &text);
	assert_string_equal(buf_text(&text), words);
	buf_release(&text);
}

static void as_a_whole(void **state)
{
	struct cohorts c = ordinary(COHORT_WINDOW);

	(void)state;
	expect(&c, "the operation became slow as a whole: p50 51 ms over 1,022 "
		   "spans, was 50 ms over 22");
}

static void by_little(void **state)
{
	struct cohorts c = ordinary(COHORT_WINDOW);

	(void)state;
	c.is_small_move = true;
	c.p50_ns = 57500000;
	c.wander = 0.021;
	expect(&c, "the operation became slower as a whole, by little but "
		   "significantly: p50 57.5 ms over 1,022 spans, was 50 ms "
		   "over 22 (+15 %; earlier windows differ by 2 %; p < 0.001)");
}

static void one_that_is_slower(void **state)
{
	struct cohorts c = ordinary(COHORT_BIMODAL);

	(void)state;
	c.instance = (struct concentration){ .is_found = true,
					     .is_by_order = true,
					     .value = STR("pod-3"),
					     .value_count = 5,
					     .span_count = 19,
					     .other_count = 80,
					     .p50_ns = 50 * NS_PER_MS,
					     .other_p50_ns = 38 * NS_PER_MS,
					     .p = 0.0003 };
	expect(&c, "instance pod-3, one of 5, is slower than the others: p50 "
		   "50 ms over 19 spans, elsewhere 38 ms over 80 (p = 0.0003)");
	c.instance.p = 1e-9;
	expect(&c, "instance pod-3, one of 5, is slower than the others: p50 "
		   "50 ms over 19 spans, elsewhere 38 ms over 80 (p < 0.0001)");
}

static void more_than_before_by_chance(void **state)
{
	struct cohorts c = ordinary(COHORT_UNSURE);
	struct operation of = { STR("pay"), STR("POST /charge"),
				SPAN_KIND_SERVER };

	(void)state;
	expect(&c, "more requests are slow than in the baseline, which may be "
		   "chance: 10 of 1,022 take 158 ms or more, baseline 2 of 22; "
		   "p50 51 ms, baseline 50 ms");
	c.named = &of;
	c.earlier_count = 300;
	c.p99_ns = 140 * NS_PER_MS;
	c.before_p99_ns = 90 * NS_PER_MS;
	expect(&c, "more requests of pay POST /charge are slow than in the "
		   "baseline, which may be chance: 10 of 1,022 take 158 ms or "
		   "more, baseline 2 of 22, earlier 0 of 300; p50 51 ms, "
		   "baseline 50 ms; p99 140 ms, baseline 90 ms");
}

/* The edge is one of the baseline's own, so that some lie beyond it. */
static void a_longer_tail(void **state)
{
	struct cohorts c = ordinary(COHORT_BIMODAL);

	(void)state;
	c.is_new = c.is_tail = true;
	expect(&c, "10 of 1,022 spans are slow (p50 500 ms), the others in the "
		   "same minutes fast (p50 49 ms); in the baseline, one in 20 "
		   "took that long");
}

static void a_part(void **state)
{
	struct cohorts c = ordinary(COHORT_BIMODAL);

	(void)state;
	c.is_new = true;
	expect(&c, "10 of 1,022 spans are slow (p50 500 ms), the others in the "
		   "same minutes fast (p50 49 ms); in the baseline, 9 % were "
		   "slow");
	c.is_new = false;
	expect(&c, "10 of 1,022 spans are slow (p50 500 ms), the others in the "
		   "same minutes fast (p50 49 ms); in the baseline, 9 % were "
		   "slow, which may be chance");
	c.is_as_before = true;
	expect(&c, "10 of 1,022 spans are slow (p50 500 ms), the others in the "
		   "same minutes fast (p50 49 ms); as in the baseline: 9 % "
		   "were slow");
	c.before_count = GROUP_MIN - 1;
	expect(&c, "10 of 1,022 spans are slow (p50 500 ms), the others in the "
		   "same minutes fast (p50 49 ms)");
}

static void one_instance_or_version(void **state)
{
	struct cohorts c = ordinary(COHORT_BIMODAL);

	(void)state;
	c.version = (struct concentration){ .is_found = true,
					    .value = STR("v2"),
					    .slow_count = 20,
					    .other_slow_count = 2,
					    .value_count = 3,
					    .p50_ns = 500 * NS_PER_MS,
					    .other_p50_ns = 50 * NS_PER_MS };
	expect(&c, "20 of 22 slow spans are of version v2, one of 3 (p50 500 "
		   "ms, elsewhere 50 ms)");
	c.instance = c.version;
	c.instance.value = STR("pod-3");
	expect(&c, "20 of 22 slow spans are of instance pod-3, one of 3 (p50 "
		   "500 ms, elsewhere 50 ms)");
}

/* Rounded down: of the slowest of all it is told. */
static void healthy(void **state)
{
	struct cohorts c = ordinary(COHORT_HEALTHY);

	(void)state;
	expect(&c, "the operation is no slower than normal (p50 51 ms, "
		   "baseline 50 ms; 10 of 1,022 take 158 ms or more, baseline "
		   "2 of 22); this one is slower than 99 % of the 1,022 "
		   "requests in the same minutes");
	c.percentile = 1;
	expect(&c, "the operation is no slower than normal (p50 51 ms, "
		   "baseline 50 ms; 10 of 1,022 take 158 ms or more, baseline "
		   "2 of 22); this one is slower than all of the 1,022 "
		   "requests in the same minutes");
}

/* The span that is blamed is of another operation: then it is named. */
static void of_which_operation(void **state)
{
	const struct operation pay = { .service = STR("pay"),
					      .name = STR("POST /charge") };
	struct cohorts c = ordinary(COHORT_HEALTHY);

	(void)state;
	c.named = &pay;
	expect(&c, "pay POST /charge is no slower than normal (p50 51 ms, "
		   "baseline 50 ms; 10 of 1,022 take 158 ms or more, baseline "
		   "2 of 22); this one is slower than 99 % of the 1,022 "
		   "requests in the same minutes");
	c.mode = COHORT_WINDOW;
	expect(&c, "pay POST /charge became slow as a whole: p50 51 ms over "
		   "1,022 spans, was 50 ms over 22");
	c.mode = COHORT_BIMODAL;
	c.instance = (struct concentration){ .is_found = true,
					     .value = STR("pod-3"),
					     .slow_count = 20,
					     .other_slow_count = 2,
					     .value_count = 3,
					     .p50_ns = 500 * NS_PER_MS,
					     .other_p50_ns = 50 * NS_PER_MS };
	expect(&c, "20 of 22 slow spans of pay POST /charge are of instance "
		   "pod-3, one of 3 (p50 500 ms, elsewhere 50 ms)");
}

static void not_known(void **state)
{
	struct cohorts c = ordinary(COHORT_UNKNOWN);

	(void)state;
	expect(&c, "no earlier window to compare with: p50 51 ms, this one is "
		   "slower than 99 % of the 1,022 requests in the same "
		   "minutes");
	c.window_count = 4;
	expect(&c, "too few traces in this window to count slow ones: 4");
}

static void numbers_behind_it(void **state)
{
	struct cohorts c = ordinary(COHORT_WINDOW);
	struct buf text;

	(void)state;
	c.slow.count = 11;
	c.fast.count = 60;
	c.instance.value_count = 3;
	buf_init(&text, MIB);
	cohorts_tell_numbers(&c, &text);
	assert_string_equal(buf_text(&text),
			    "slow from 158 ms: 10 of 1,022 spans now, 2 of 22 "
			    "in the baseline; profile ids: 11 slow, 60 fast, 0 "
			    "baseline; instances 3, versions 0");
	buf_clear(&text);
	c.p = 1e-6;
	c.z = 5.66;
	cohorts_tell_numbers(&c, &text);
	assert_string_equal(buf_text(&text),
			    "slow from 158 ms: 10 of 1,022 spans now, 2 of 22 "
			    "in the baseline; rank sum z = 5.7; profile ids: "
			    "11 slow, 60 fast, 0 baseline; instances 3, "
			    "versions 0");
	buf_release(&text);
}

UNIT_TESTS(cohorts_text)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_a_whole),
		cmocka_unit_test(by_little),
		cmocka_unit_test(one_that_is_slower),
		cmocka_unit_test(more_than_before_by_chance),
		cmocka_unit_test(a_longer_tail),
		cmocka_unit_test(a_part),
		cmocka_unit_test(one_instance_or_version),
		cmocka_unit_test(healthy),
		cmocka_unit_test(of_which_operation),
		cmocka_unit_test(not_known),
		cmocka_unit_test(numbers_behind_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
