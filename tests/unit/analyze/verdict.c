/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "../unit.h"
#include "analyze/verdict.h"

#define MS 1e6

/* A request of 100 ms own time that usually takes 20; measured on 50 of them:
 * 500 ticks if all was CPU. */
static struct cpu_measure cpu(double slow_ms, double base_ms, double samples)
{
	return (struct cpu_measure){ .slow_ns = slow_ms * MS,
				     .base_ns = base_ms * MS,
				     .change_ns = 80 * MS,
				     .own_ns = 100 * MS,
				     .samples = samples,
				     .possible_samples = 500 };
}

static void test_cpu_explains_half_of_the_change(void **state)
{
	struct cpu_measure m;

	(void)state;
	m = cpu(60, 20, 300); /* 40 of 80 */
	assert_int_equal(verdict_cpu(&m), CPU_EXPLAINS);
	m = cpu(59.9, 20, 300);
	assert_int_equal(verdict_cpu(&m), CPU_PARTLY);
	m = cpu(40, 20, 200); /* 20 of 80 */
	assert_int_equal(verdict_cpu(&m), CPU_PARTLY);
	m = cpu(39.9, 20, 200);
	assert_int_equal(verdict_cpu(&m), CPU_WAITS);
	/* Always half on CPU, and grown by waiting. */
	m = cpu(50, 50, 250);
	assert_int_equal(verdict_cpu(&m), CPU_WAITS);
}

static void test_cpu_without_a_baseline_is_measured_by_own_time(void **state)
{
	struct cpu_measure m;

	(void)state;
	m = cpu(50, NAN, 250);
	assert_int_equal(verdict_cpu(&m), CPU_EXPLAINS);
	m = cpu(49, NAN, 245);
	assert_int_equal(verdict_cpu(&m), CPU_PARTLY);
	m = cpu(24, NAN, 120);
	assert_int_equal(verdict_cpu(&m), CPU_WAITS);
}

/* Few samples prove waiting only where there was room for many. */
static void test_absent_samples_tell_by_what_was_possible(void **state)
{
	struct cpu_measure m = cpu(2, NAN, 10);

	(void)state;
	m.possible_samples = 100;
	assert_int_equal(verdict_cpu(&m), CPU_WAITS);
	m.possible_samples = 99;
	assert_int_equal(verdict_cpu(&m), CPU_UNKNOWN);
	m.samples = 20;
	assert_int_equal(verdict_cpu(&m), CPU_WAITS);
	m.change_ns = 0;
	assert_int_equal(verdict_cpu(&m), CPU_UNKNOWN);
}

/* Usual 100 of 300: three times that is no longer ordinary. */
static void test_ordinary_is_less_than_three_times_the_typical(void **state)
{
	(void)state;
	assert_true(verdict_is_ordinary(300, 199));
	assert_false(verdict_is_ordinary(300, 200));
	assert_true(verdict_is_ordinary(300, 0));
	assert_false(verdict_is_ordinary(300, -1));
	assert_false(verdict_is_ordinary(0, 0));
}

/* Of 100 ticks half must be sure: 65 - 2 x 8.06 = 48.9, 67 - 2 x 8.19 = 50.6.
 */
static void test_most_of_the_time_on_cpu_is_absolute(void **state)
{
	struct cpu_measure m = cpu(65, 65, 65);

	(void)state;
	m.possible_samples = 100;
	assert_false(verdict_is_on_cpu(&m));
	m.samples = 67;
	assert_true(verdict_is_on_cpu(&m));
	/* Of 4 ticks none is sure, however few were possible. */
	m.samples = 4;
	m.possible_samples = 4;
	assert_false(verdict_is_on_cpu(&m));
	m.samples = 0;
	m.possible_samples = 0;
	assert_false(verdict_is_on_cpu(&m));
}

/* 300 ms of waiting a second to explain, 150 grown from 100: enough by need,
 * and 1.5 times what it was on top. */
static struct wait_measure wait_of(double change_ms, double before_ms)
{
	return (struct wait_measure){ .is_known = true,
				      .is_grown = true,
				      .is_owner = true,
				      .change = change_ms * MS,
				      .before = before_ms * MS,
				      .needed = 300 * MS };
}

static enum wait_type only(enum wait_type type, struct wait_measure m)
{
	struct wait_measure all[WAIT_TYPES];

	memset(all, 0, sizeof all);
	all[type] = m;
	return verdict_wait(all);
}

static void test_a_wait_explains_what_grew_enough(void **state)
{
	struct wait_measure m = wait_of(150, 150);

	(void)state;
	assert_int_equal(only(WAIT_BLOCK, m), WAIT_BLOCK);
	m.change = 149 * MS; /* not half of what is needed */
	m.before = 1 * MS;
	assert_int_equal(only(WAIT_BLOCK, m), WAIT_TYPES);
	m = wait_of(200, 201); /* not twice of what it was */
	assert_int_equal(only(WAIT_BLOCK, m), WAIT_TYPES);
}

static void test_by_request_half_as_much_again_explains(void **state)
{
	struct wait_measure m = wait_of(150, 300);

	(void)state;
	assert_int_equal(only(WAIT_BLOCK, m), WAIT_TYPES);
	m.is_by_request = true;
	assert_int_equal(only(WAIT_BLOCK, m), WAIT_BLOCK);
	assert_false(verdict_is_likely(&m)); /* without a test it is not */
	m.before = 301 * MS;
	assert_int_equal(only(WAIT_BLOCK, m), WAIT_TYPES);
}

static void test_a_wait_needs_a_tested_owner(void **state)
{
	struct wait_measure m = wait_of(300, 1);

	(void)state;
	m.is_grown = false;
	assert_int_equal(only(WAIT_MUTEX, m), WAIT_TYPES);
	assert_true(verdict_is_likely(&m));
	m = wait_of(300, 1);
	m.is_owner = false;
	assert_false(verdict_is_likely(&m));
	assert_int_equal(only(WAIT_MUTEX, m), WAIT_TYPES);
	m = wait_of(300, 1);
	m.is_known = false;
	assert_int_equal(only(WAIT_MUTEX, m), WAIT_TYPES);
}

static void test_a_crumb_explains_nothing(void **state)
{
	struct wait_measure m = wait_of(300, 1);

	(void)state;
	m.is_crumb = true;
	assert_int_equal(only(WAIT_BLOCK, m), WAIT_TYPES);
	assert_false(verdict_is_likely(&m));
}

/* Three times the CPU, a tenth of what grew, and most of the rest in no
 * profile. */
static void test_who_waits_for_a_processor(void **state)
{
	struct cpu_measure m = { .slow_ns = 16,
				 .base_ns = 1,
				 .change_ns = 104,
				 .own_ns = 105,
				 .samples = VERDICT_SAMPLES };

	(void)state;
	assert_true(verdict_is_starved(&m, 1, false));
	assert_true(verdict_is_starved(&m, 44, false));
	assert_false(verdict_is_starved(&m, 45, false));
	m.base_ns = 5.4;
	assert_false(verdict_is_starved(&m, 0, false));
	m.base_ns = 5.3;
	assert_true(verdict_is_starved(&m, 0, false));
	m.change_ns = 108;
	assert_false(verdict_is_starved(&m, 0, false));
	m.change_ns = 1071;
	assert_false(verdict_is_starved(&m, 0, true));
	m.change_ns = 1069;
	assert_true(verdict_is_starved(&m, 0, true));
	assert_false(verdict_is_starved(&m, 0, false));
	m.change_ns = 104;
	m.samples--;
	assert_false(verdict_is_starved(&m, 0, false));
	m.samples++;
	m.base_ns = NAN;
	assert_false(verdict_is_starved(&m, 0, false));
}

static void test_garbage_that_takes_a_service(void **state)
{
	(void)state;
	assert_true(verdict_is_gc(0.51, 0.03, 0.9, VERDICT_GC_MOST));
	assert_true(verdict_is_gc(0.25, 0.125, 0.5, VERDICT_GC_PART));
	assert_false(verdict_is_gc(0.24, 0.03, 0.9, VERDICT_GC_PART));
	assert_false(verdict_is_gc(0.51, 0.26, 0.9, VERDICT_GC_PART));
	assert_false(verdict_is_gc(0.51, 0.03, 0.49, VERDICT_GC_PART));
}

static void test_what_doubled_is_likely(void **state)
{
	struct wait_measure m = wait_of(150, 150);

	(void)state;
	m.is_grown = false;
	assert_true(verdict_is_likely(&m));
	m.before = 151 * MS;
	assert_false(verdict_is_likely(&m));
	m = wait_of(149, 1);
	assert_false(verdict_is_likely(&m));
	m = wait_of(0, 0);
	m.needed = 0;
	assert_false(verdict_is_likely(&m));
}

/* Of how many requests it has to explain the wait, no answer tells. */
static void test_nothing_explains_what_is_not_known(void **state)
{
	(void)state;
	assert_true(verdict_explains(50, 100));
	assert_false(verdict_explains(49, 100));
	assert_true(verdict_explains(1, 1));
	assert_false(verdict_explains(1, 0));
}

static void test_a_lock_goes_before_its_waiters(void **state)
{
	struct wait_measure all[WAIT_TYPES];

	(void)state;
	memset(all, 0, sizeof all);
	all[WAIT_MUTEX] = wait_of(200, 1);
	all[WAIT_BLOCK] = wait_of(900, 1);
	assert_int_equal(verdict_wait(all), WAIT_MUTEX);
}

static void test_wall_clock_holds_cpu(void **state)
{
	struct wait_measure all[WAIT_TYPES];

	(void)state;
	memset(all, 0, sizeof all);
	all[WAIT_WALL] = wait_of(900, 1);
	all[WAIT_WALL].name = STR("plan");
	all[WAIT_NEIGHBOUR] = wait_of(150, 150);
	all[WAIT_NEIGHBOUR].is_grown = false;
	all[WAIT_NEIGHBOUR].name = STR("plan");
	assert_int_equal(verdict_wait(all), WAIT_NEIGHBOUR);
	all[WAIT_NEIGHBOUR].name = STR("park");
	assert_int_equal(verdict_wait(all), WAIT_WALL);
	all[WAIT_NEIGHBOUR].name = STR("plan");
	all[WAIT_NEIGHBOUR].before = 151 * MS;
	assert_int_equal(verdict_wait(all), WAIT_WALL);
}

static void test_causes_of_waiting(void **state)
{
	struct wait_measure m = wait_of(300, 1);

	(void)state;
	assert_int_equal(verdict_wait_cause(WAIT_MUTEX, &m), CAUSE_LOCK);
	assert_int_equal(verdict_wait_cause(WAIT_BLOCK, &m), CAUSE_WAIT);
	assert_int_equal(verdict_wait_cause(WAIT_NEIGHBOUR, &m), CAUSE_CPU);
	m.is_lock = true;
	assert_int_equal(verdict_wait_cause(WAIT_WALL, &m), CAUSE_LOCK);
	m.gc_share = 0.5;
	assert_int_equal(verdict_wait_cause(WAIT_NEIGHBOUR, &m), CAUSE_ALLOC);
	m.gc_share = 0.49;
	assert_int_equal(verdict_wait_cause(WAIT_NEIGHBOUR, &m), CAUSE_CPU);
	assert_int_equal(verdict_wait_cause(WAIT_TYPES, &m), CAUSE_WAIT);
}

/* Nothing is missing. */
static struct confidence_facts best(void)
{
	return (struct confidence_facts){ .scope = SCOPE_COHORT,
					  .has_profile = true,
					  .has_baseline = true,
					  .healthy = 1,
					  .samples = 100,
					  .is_tested = true,
					  .q = 0.01,
					  .is_grown = true,
					  .has_history = true };
}

static struct confidence_rating rate(struct confidence_facts f)
{
	return verdict_confidence(&f);
}

static void assert_lacks_only(struct confidence_facts f, enum weakness weakness)
{
	struct confidence_rating r = rate(f);

	assert_int_equal(r.weakness_count, 1);
	assert_int_equal(r.weaknesses[0], weakness);
}

/* One of several that an answer can be fair with. */
static void assert_fair_without(struct confidence_facts f,
				enum weakness weakness)
{
	assert_int_equal(rate(f).confidence, CONFIDENCE_FAIR);
	assert_lacks_only(f, weakness);
}

static void assert_weak_without(struct confidence_facts f,
				enum weakness weakness)
{
	assert_int_equal(rate(f).confidence, CONFIDENCE_WEAK);
	assert_lacks_only(f, weakness);
}

static void test_only_callers_wait_for_calls(void **state)
{
	(void)state;
	assert_true(verdict_asks_for(CAUSE_UNKNOWN, WAIT_MUTEX));
	assert_true(verdict_asks_for(CAUSE_UNKNOWN, WAIT_GOROUTINE));
	assert_false(verdict_asks_for(CAUSE_DOWNSTREAM, WAIT_MUTEX));
	assert_true(verdict_asks_for(CAUSE_DOWNSTREAM, WAIT_BLOCK));
	assert_true(verdict_asks_for(CAUSE_NETWORK, WAIT_MUTEX));
	assert_false(verdict_asks_for(CAUSE_NETWORK, WAIT_GOROUTINE));
}

static void test_locks_are_left_of_waits(void **state)
{
	struct wait_measure all[WAIT_TYPES];

	(void)state;
	for (int i = 0; i < WAIT_TYPES; i++)
		all[i] = (struct wait_measure){ .is_known = true };
	all[WAIT_WALL].is_lock = true;
	verdict_keep_locks(all);
	assert_true(all[WAIT_MUTEX].is_known);
	assert_true(all[WAIT_NEIGHBOUR].is_known);
	assert_true(all[WAIT_WALL].is_known);
	assert_false(all[WAIT_BLOCK].is_known);
	assert_false(all[WAIT_OFF_CPU].is_known);
	assert_false(all[WAIT_GOROUTINE].is_known);
}

static void test_strong_lacks_nothing(void **state)
{
	(void)state;
	assert_int_equal(rate(best()).confidence, CONFIDENCE_STRONG);
	assert_int_equal(rate(best()).weakness_count, 0);
}

static void test_fair_lacks_one_or_two(void **state)
{
	struct confidence_facts f = best();

	(void)state;
	f.samples = 99;
	assert_fair_without(f, WEAKNESS_FEW_SAMPLES);
	f.q = 0.011;
	assert_int_equal(rate(f).confidence, CONFIDENCE_FAIR);
	assert_int_equal(rate(f).weaknesses[0], WEAKNESS_FEW_SAMPLES);
	assert_int_equal(rate(f).weaknesses[1], WEAKNESS_NEAR_NOISE);
	f.healthy = -1;
	assert_int_equal(rate(f).confidence, CONFIDENCE_WEAK);
}

static void test_each_weakness_counts(void **state)
{
	struct confidence_facts f;

	(void)state;
	f = best();
	f.scope = SCOPE_SERVICE;
	assert_fair_without(f, WEAKNESS_WHOLE_SERVICE);
	f = best();
	f.has_close_second = true;
	assert_fair_without(f, WEAKNESS_CLOSE_SECOND);
	f = best();
	f.is_partly_cpu = true;
	assert_fair_without(f, WEAKNESS_PARTLY_CPU);
	f = best();
	f.is_of_one_operation = true;
	assert_fair_without(f, WEAKNESS_ONE_OPERATION);
	f = best();
	f.has_history = false;
	assert_fair_without(f, WEAKNESS_NO_HISTORY);
	f = best();
	f.is_partial_trace = true;
	assert_fair_without(f, WEAKNESS_PARTIAL_TRACE);
	f = best();
	f.is_close_span = true;
	assert_fair_without(f, WEAKNESS_CLOSE_SPAN);
	f = best();
	f.is_alone = true;
	assert_fair_without(f, WEAKNESS_ALONE);
	f = best();
	f.has_few_messages = true;
	assert_fair_without(f, WEAKNESS_FEW_SAMPLES);
	f = best();
	f.healthy = 0;
	assert_fair_without(f, WEAKNESS_BASELINE_UNHEALTHY);
}

static void test_weak_without_a_proven_change(void **state)
{
	struct confidence_facts f = best();

	(void)state;
	f.is_grown = false;
	assert_weak_without(f, WEAKNESS_NOTHING_GREW);
	f = best();
	f.is_tested = false;
	assert_weak_without(f, WEAKNESS_NOT_TESTED);
	f.is_manifold = true;
	assert_int_equal(rate(f).confidence, CONFIDENCE_FAIR);
	f = best();
	f.has_baseline = false;
	assert_weak_without(f, WEAKNESS_NO_BASELINE);
	f = best();
	f.is_healthy_operation = true;
	assert_weak_without(f, WEAKNESS_HEALTHY_OPERATION);
}

/* A slow call is told by its span; a profile could add nothing. */
static void test_the_trace_alone_can_be_enough(void **state)
{
	struct confidence_facts f = { .is_trace_enough = true,
				      .has_history = true };

	(void)state;
	assert_int_equal(rate(f).confidence, CONFIDENCE_STRONG);
	f.is_trace_enough = false;
	assert_fair_without(f, WEAKNESS_NO_PROFILE);
}

UNIT_TESTS(verdict)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cpu_explains_half_of_the_change),
		cmocka_unit_test(
			test_cpu_without_a_baseline_is_measured_by_own_time),
		cmocka_unit_test(test_absent_samples_tell_by_what_was_possible),
		cmocka_unit_test(
			test_ordinary_is_less_than_three_times_the_typical),
		cmocka_unit_test(test_most_of_the_time_on_cpu_is_absolute),
		cmocka_unit_test(test_a_crumb_explains_nothing),
		cmocka_unit_test(test_who_waits_for_a_processor),
		cmocka_unit_test(test_garbage_that_takes_a_service),
		cmocka_unit_test(test_what_doubled_is_likely),
		cmocka_unit_test(test_a_wait_explains_what_grew_enough),
		cmocka_unit_test(test_by_request_half_as_much_again_explains),
		cmocka_unit_test(test_a_wait_needs_a_tested_owner),
		cmocka_unit_test(test_nothing_explains_what_is_not_known),
		cmocka_unit_test(test_a_lock_goes_before_its_waiters),
		cmocka_unit_test(test_wall_clock_holds_cpu),
		cmocka_unit_test(test_causes_of_waiting),
		cmocka_unit_test(test_only_callers_wait_for_calls),
		cmocka_unit_test(test_locks_are_left_of_waits),
		cmocka_unit_test(test_strong_lacks_nothing),
		cmocka_unit_test(test_fair_lacks_one_or_two),
		cmocka_unit_test(test_each_weakness_counts),
		cmocka_unit_test(test_weak_without_a_proven_change),
		cmocka_unit_test(test_the_trace_alone_can_be_enough),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
