/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../unit.h"
#include "analyze/verdict.h"
#include "base/timefmt.h"

#define MS NS_PER_MS

static struct excess sum;

/* Parts in their order, which add up; ends with 0. */
static void expect(const struct excess_facts *f, const int64_t *parts,
		   const enum excess_kind *kinds)
{
	int64_t total_ns = 0;
	size_t count = 0;

	excess_sum(f, &sum);
	for (; parts[count]; count++) {
		assert_in_range(count, 0, sum.count - 1);
		assert_int_equal(sum.parts[count].ns, parts[count] * MS);
		assert_int_equal(sum.parts[count].kind, kinds[count]);
		total_ns += parts[count] * MS;
	}
	assert_int_equal(sum.count, count);
	assert_int_equal(sum.total_ns, total_ns);
}

/* 105 ms instead of 1: 15 of them on CPU, 1 blocked. */
static void what_nothing_tells_is_the_rest(void **state)
{
	static const struct excess_facts f = {
		.total_ns = 104 * MS,
		.cpu_now_ns = 16 * MS,
		.cpu_before_ns = 1 * MS,
		.blocked_ns = 1 * MS,
		.blocked_before_ns = 2 * MS,
		.blocked_in = { "httpx.JSON", 10 },
		.by = "block",
	};

	(void)state;
	expect(&f, (int64_t[]){ 88, 15, 1, 0 },
	       (enum excess_kind[]){ EXCESS_REST, EXCESS_CPU,
				     EXCESS_BLOCKED });
	assert_int_equal(sum.parts[1].now_ns, 16 * MS);
	assert_int_equal(sum.parts[1].before_ns, 1 * MS);
	assert_int_equal(sum.parts[2].now_ns, 3 * MS);
	assert_int_equal(sum.parts[2].before_ns, 2 * MS);
	assert_string_equal(sum.parts[2].by, "block");
}

static void garbage_is_a_part_of_the_cpu(void **state)
{
	static const struct excess_facts f = { .total_ns = 100 * MS,
					       .cpu_now_ns = 90 * MS,
					       .cpu_before_ns = 10 * MS,
					       .gc_share = 0.75 };

	(void)state;
	expect(&f, (int64_t[]){ 60, 20, 20, 0 },
	       (enum excess_kind[]){ EXCESS_ALLOC, EXCESS_CPU, EXCESS_REST });
}

/* Spans first, then CPU, then waits: each as far as something is left. */
static void more_than_there_is_is_cut(void **state)
{
	static const struct excess_facts f = { .total_ns = 100 * MS,
					       .call_ns = 70 * MS,
					       .cpu_now_ns = 500 * MS,
					       .cpu_before_ns = 0,
					       .blocked_ns = 50 * MS };
	static const struct excess_facts queue = { .total_ns = 9 * MS,
						   .queue_ns = 10 * MS,
						   .cpu_before_ns = NAN };

	(void)state;
	expect(&f, (int64_t[]){ 70, 30, 0 },
	       (enum excess_kind[]){ EXCESS_CALL, EXCESS_CPU });
	assert_int_equal(sum.parts[1].now_ns, 500 * MS);
	expect(&queue, (int64_t[]){ 9, 0 },
	       (enum excess_kind[]){ EXCESS_QUEUE });
}

/* Nothing grew; what shrank, and what is not known, is no part. */
static void nothing_to_add_up(void **state)
{
	static const struct excess_facts none = { .total_ns = 0,
						  .cpu_before_ns = NAN };
	static const struct excess_facts shrank = { .total_ns = 5 * MS,
						    .cpu_now_ns = 1 * MS,
						    .cpu_before_ns = 4 * MS,
						    .blocked_ns = -3 * MS };

	(void)state;
	expect(&none, (int64_t[]){ 0 }, NULL);
	expect(&shrank, (int64_t[]){ 5, 0 },
	       (enum excess_kind[]){ EXCESS_REST });
}

UNIT_TESTS(excess)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_nothing_tells_is_the_rest),
		cmocka_unit_test(garbage_is_a_part_of_the_cpu),
		cmocka_unit_test(more_than_there_is_is_cut),
		cmocka_unit_test(nothing_to_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
