/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "report/answers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct function_row row_of(uint32_t rank, struct str name,
				  double self_lib, double self, double total)
{
	return (struct function_row){ .rank = rank,
				      .name = name,
				      .baseline_self_lib = self_lib,
				      .baseline_self = self,
				      .baseline_total = total };
}

/* As it was ranked: the culprit first. */
static void fill(struct result *r, struct function_row rows[4])
{
	rows[0] = row_of(1, STR("leak"), 0.1, 0.3, 0.1);
	rows[1] = row_of(2, STR("main"), 0, 0, 0.9);
	rows[2] = row_of(3, STR("copy"), 0.5, 0.1, 0.5);
	rows[3] = row_of(4, STR("copy"), 0.5, 0.2, 0.6);
	memset(r, 0, sizeof *r);
	arena_init(&r->arena, 10000);
	r->functions = rows;
	r->function_count = r->function_listed = r->function_total = 4;
}

static void check_order(enum rows_order order, size_t limit, enum rank_by by,
			const char *ranks)
{
	const struct rows_order_want want = { .order = order, .limit = limit };
	struct function_row rows[4];
	struct result r;
	struct error err;

	fill(&r, rows);
	r.rank_by = by;
	assert_true(rows_order_apply(&want, &r, &err));
	assert_int_equal(r.function_count, strlen(ranks));
	assert_int_equal(r.function_listed, r.function_count);
	assert_int_equal(r.function_total, 4);
	for (size_t i = 0; ranks[i]; i++)
		assert_int_equal(r.functions[i].rank, ranks[i] - '0');
	assert_string_equal(r.verdict_rows[0].name.ptr, "leak");
	assert_int_equal(r.verdict_count, r.function_count);
	arena_release(&r.arena);
}

static void rows_are_put_in_order(void **state)
{
	(void)state;
	check_order(ROWS_BY_NAME, 0, RANK_SELF_LIB, "3412");
	check_order(ROWS_BY_NAME, 3, RANK_SELF_LIB, "341");
	check_order(ROWS_BY_NAME, 5, RANK_SELF_LIB, "3412");
	check_order(ROWS_BY_BEFORE, 0, RANK_SELF_LIB, "3412");
	check_order(ROWS_BY_BEFORE, 2, RANK_SELF, "14");
	check_order(ROWS_BY_BEFORE, 1, RANK_TOTAL, "2");
}

/* A page lists more than a table, and a view has its verdict already. */
static void a_page_lists_more(void **state)
{
	const struct rows_order_want want = { .order = ROWS_BY_NAME,
					      .limit = 1,
					      .listed = 3 };
	struct function_row rows[4], verdict;
	struct result r;
	struct error err;

	(void)state;
	fill(&r, rows);
	r.verdict_rows = &verdict;
	assert_true(rows_order_apply(&want, &r, &err));
	assert_int_equal(r.function_count, 1);
	assert_int_equal(r.function_listed, 3);
	assert_ptr_equal(r.verdict_rows, &verdict);
	arena_release(&r.arena);
}

static void ranked_rows_stay(void **state)
{
	const struct rows_order_want want = { .order = ROWS_AS_RANKED,
					      .limit = 2 };
	struct function_row rows[4];
	struct result r;
	struct error err;

	(void)state;
	fill(&r, rows);
	assert_true(rows_order_apply(&want, &r, &err));
	assert_int_equal(r.function_count, 4);
	assert_null(r.verdict_rows);
	arena_release(&r.arena);
}

UNIT_TESTS(rows_order)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_put_in_order),
		cmocka_unit_test(a_page_lists_more),
		cmocka_unit_test(ranked_rows_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
