/* SPDX-License-Identifier: Apache-2.0
 *
 * A series of steps, and the change points that are found in it.
 */
#ifndef TESTS_UNIT_ANALYZE_CHANGE_SERIES_H
#define TESTS_UNIT_ANALYZE_CHANGE_SERIES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "analyze/onset.h"
#include "base/limits.h"
#include "base/num.h"

#include "../random_draws.h"

#define STEPS 240

static double amounts[STEPS], counts[STEPS];

static inline struct change_points find_in(struct change_series series)
{
	struct change_points found;
	struct error err = { 0 };
	struct arena arena;

	series.amounts = amounts;
	series.counts = counts;
	arena_init(&arena, LIMIT_ANALYZE_HEAP_BYTES);
	assert_true(change_points_find(&series, &arena, &found, &err));
	arena_release(&arena);
	return found;
}

static inline struct change_points find(void)
{
	return find_in((struct change_series){ .step_count = STEPS });
}

/* Levels of twelve steps, the newest last. */
static inline struct change_points find_twelve(const double levels[CHANGE_STEPS_MIN])
{
	for (size_t i = 0; i < CHANGE_STEPS_MIN; i++) {
		counts[i] = 1;
		amounts[i] = levels[i];
	}
	return find_in(
		(struct change_series){ .step_count = CHANGE_STEPS_MIN });
}

#endif
