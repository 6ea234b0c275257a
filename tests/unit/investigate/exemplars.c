/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "investigate/trace_search.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/num.h"

/* Values with the upper edges of their buckets, and p95. */
static void check(const double (*rows)[2], size_t count, double p95_s,
		  double wanted, size_t slow_count)
{
	struct exemplar list[16];
	struct exemplar_choice c = { .p95_s = p95_s };

	for (size_t i = 0; i < count; i++)
		list[i] = (struct exemplar){ .trace_id = STR("a"),
					     .value = rows[i][0],
					     .edge = rows[i][1] };
	exemplar_pick(&c, list, count);
	assert_int_equal(c.count, count);
	assert_int_equal(c.slow_count, slow_count);
	assert_true(c.exemplar.value == wanted);
}

static void test_choice(void **state)
{
	static const double rows[][2] = {
		{ 0.9, 1 }, { 0.1, 0.2 }, { 0.6, 1 }, { 3, 4 }, { 0.15, 0.2 },
	};

	(void)state;
	/* p95 is interpolated within the bucket up to 1: all of it counts. */
	check(rows, COUNT_OF(rows), 0.95, 0.9, 3);
	check(rows, COUNT_OF(rows), 1.5, 3, 1);
	/* Beyond all that was kept, or not known: the longest. */
	check(rows, COUNT_OF(rows), 5, 3, 0);
	check(rows, COUNT_OF(rows), 0, 3, 0);
}

static void test_none(void **state)
{
	struct exemplar_choice c = { .p95_s = 1 };

	(void)state;
	exemplar_pick(&c, NULL, 0);
	assert_int_equal(c.lack, EXEMPLAR_NONE);
}

UNIT_TESTS(exemplars)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_choice),
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
