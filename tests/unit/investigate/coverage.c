/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../unit.h"
#include "investigate/comparison.h"

#define STEPS 40

static double values[STEPS];
static struct total total = { .values = values };
static struct coverage c;

static const struct time_range base = { 0, 600 * NS_PER_S };
static const struct time_range slow = { 630 * NS_PER_S, 1200 * NS_PER_S };

/* Samples in steps from..to alone. */
static void ask(size_t from, size_t to)
{
	assert_true(coverage_request(&c, "process_cpu:...", "{}", slow, base,
				     COVERAGE_STEP_NS));
	assert_int_equal(c.job.query.step_count, STEPS + 1);
	c.job.query.step_count = STEPS;
	c.job.job.has_answer = true;
	c.job.totals = (struct totals){ &total, 1 };
	for (size_t i = 0; i < STEPS; i++)
		values[i] = i >= from && i < to ? 1 : 0;
}

static void assert_range(struct time_range window, int64_t from_s, int64_t to_s)
{
	struct time_range found = coverage_of(&c, window);

	assert_int_equal(found.from_ns, from_s * NS_PER_S);
	assert_int_equal(found.to_ns, to_s * NS_PER_S);
}

static void a_service_that_began_and_ended(void **state)
{
	(void)state;
	ask(12, 30);
	assert_range(base, 360, 600);
	assert_range(slow, 630, 900);
}

static void the_grain_of_steps_is_no_silence(void **state)
{
	(void)state;
	ask(1, 39);
	assert_range(base, 0, 600);
	assert_range(slow, 630, 1200);
}

static void without_samples_or_answer_nothing_is_known(void **state)
{
	(void)state;
	ask(25, 30);
	assert_range(base, 0, 0);
	ask(0, 0);
	assert_range(slow, 0, 0);
	ask(12, 30);
	c.job.job.has_answer = false;
	assert_range(base, 0, 0);
}

static void windows_far_apart_are_not_asked_about(void **state)
{
	struct time_range far = { 0, 3600 * NS_PER_S };

	(void)state;
	assert_false(coverage_request(&c, "process_cpu:...", "{}", far, base,
				      COVERAGE_STEP_NS));
	assert_int_equal(coverage_of(&c, far).to_ns, 0);
	far.to_ns--;
	assert_true(coverage_request(&c, "process_cpu:...", "{}", far, base,
				     COVERAGE_STEP_NS));
	assert_false(coverage_request(&c, "process_cpu:...", NULL, far, base,
				      COVERAGE_STEP_NS));
}

/* A month is asked about in as many steps as an hour. */
static void longer_windows_have_longer_steps(void **state)
{
	struct time_range month = { 0, 30 * 24 * 3600 * NS_PER_S };
	int64_t step_ns = coverage_step_ns(month);

	(void)state;
	assert_int_equal(coverage_step_ns(base), COVERAGE_STEP_NS);
	assert_int_equal(step_ns % NS_PER_S, 0);
	assert_true(coverage_request(&c, "process_cpu:...", "{}", month, month,
				     step_ns));
	assert_true(c.job.query.step_count <= COVERAGE_STEPS);
}

UNIT_TESTS(coverage)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_service_that_began_and_ended),
		cmocka_unit_test(the_grain_of_steps_is_no_silence),
		cmocka_unit_test(without_samples_or_answer_nothing_is_known),
		cmocka_unit_test(windows_far_apart_are_not_asked_about),
		cmocka_unit_test(longer_windows_have_longer_steps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
