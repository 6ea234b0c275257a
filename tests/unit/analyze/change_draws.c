/* SPDX-License-Identifier: Apache-2.0
 *
 * How often change points are found in series that are drawn: with a step, and
 * without one.
 */
#include "../unit.h"
#include "change_series.h"

/* Series that hang together from step to step, as they do: how often is
 * something seen in them? docs/lab/verdict.md has more of it. */
static void test_false_alarms(void **state)
{
	int alarms = 0;

	(void)state;
	random_state = 88172645463325252u;
	for (int n = 0; n < 500; n++) {
		double x = 0;

		for (size_t i = 0; i < STEPS; i++) {
			x = 0.8 * x + 0.06 * random_normal();
			counts[i] = 1;
			amounts[i] = exp(x);
		}
		alarms += find().count > 0;
	}
	assert_true(alarms <= 10);
}

/* How many of a hundred series with a step are told to have one near it, and
 * how many others have one. part: how much of the step before it has it, too.
 */
static void count_told(size_t steps, double noise, double ratio, double part,
		       int *found, int *wrong)
{
	*found = *wrong = 0;
	random_state = 88172645463325252u;
	for (int n = 0; n < 100; n++) {
		size_t at =
			(size_t)((0.25 + random_unit() / 2) * (double)steps);
		struct change_points f;
		bool is_near = false;

		for (size_t i = 0; i < steps; i++) {
			double more = i >= at ? 1 : i + 1 == at ? part : 0;

			counts[i] = 1;
			amounts[i] = (1 + (ratio - 1) * more) *
				     exp(noise * random_normal());
		}
		f = find_in((struct change_series){ .step_count = steps });
		for (size_t i = 0; i < f.count; i++)
			is_near |= f.items[i].at + 1 >= at &&
				   f.items[i].at <= at + 1;
		*found += is_near;
		*wrong += f.count && !is_near;
	}
}

/* Few steps are enough: of slices there are no more. */
static void test_slices(void **state)
{
	static const struct {
		size_t steps;
		double noise;
		double ratio;
		double part;
		int least;
	} rows[] = {
		{ 24, 0.035, 1.3, 0, 90 },  { 24, 0.035, 1.3, 0.5, 70 },
		{ 24, 0.03, 1.3, 0.3, 85 }, { 15, 0.03, 1.3, 0, 75 },
		{ 12, 0.03, 1.5, 0, 90 },   { 48, 0.05, 1.3, 0, 85 },
		{ 24, 0.1, 2, 0, 80 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		int found, wrong;

		count_told(rows[i].steps, rows[i].noise, rows[i].ratio,
			   rows[i].part, &found, &wrong);
		assert_in_range(found, rows[i].least, 100);
		assert_in_range(wrong, 0, 1);
	}
	for (size_t steps = 12; steps <= 48; steps *= 2) {
		int found, wrong;

		count_told(steps, 0.05, 1, 0, &found, &wrong);
		assert_in_range(found + wrong, 0, 1);
	}
}

/* How often is it hinted at where nothing changed? bench/steps has more. */
static void test_false_hints(void **state)
{
	static const double hangs[] = { 0, 0.8, 1 };

	(void)state;
	random_state = 88172645463325252u;
	for (size_t k = 0; k < COUNT_OF(hangs); k++) {
		int hints = 0;

		for (int n = 0; n < 1000; n++) {
			double x = 0, levels[CHANGE_STEPS_MIN];

			for (size_t i = 0; i < CHANGE_STEPS_MIN; i++) {
				x = hangs[k] * x + 0.2 * random_normal();
				levels[i] = exp(x);
			}
			hints += find_twelve(levels).recent_count > 0;
		}
		assert_true(hints <= 50);
	}
}

UNIT_TESTS(change_draws)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_false_alarms),
		cmocka_unit_test(test_slices),
		cmocka_unit_test(test_false_hints),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
