/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/row_order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"

static struct function_row row_of(uint32_t rank, struct str name, double owned,
				  double self, double total)
{
	return (struct function_row){ .rank = rank,
				      .name = name,
				      .baseline_owned = owned,
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

static void check_order(const char *sort, uint64_t limit, enum rank_by by,
			const char *ranks)
{
	const struct options o = { .sort = sort, .limit = limit };
	struct function_row rows[4];
	struct result r;
	struct error err;

	fill(&r, rows);
	r.rank_by = by;
	assert_true(row_order_apply(&o, 0, &r, &err));
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
	check_order("function", 0, RANK_OWNED, "3412");
	check_order("name", 3, RANK_OWNED, "341");
	check_order("name", 5, RANK_OWNED, "3412");
	check_order("before", 0, RANK_OWNED, "3412");
	check_order("before", 2, RANK_SELF, "14");
	check_order("before", 1, RANK_TOTAL, "2");
}

/* A page lists more than a table, and a view has its verdict already. */
static void a_page_lists_more(void **state)
{
	const struct options o = { .sort = "name", .limit = 1 };
	struct function_row rows[4], verdict;
	struct result r;
	struct error err;

	(void)state;
	fill(&r, rows);
	r.verdict_rows = &verdict;
	assert_true(row_order_apply(&o, 3, &r, &err));
	assert_int_equal(r.function_count, 1);
	assert_int_equal(r.function_listed, 3);
	assert_ptr_equal(r.verdict_rows, &verdict);
	arena_release(&r.arena);
}

/* Ranked by the measure, such rows stay as they are. */
static void a_measure_ranks(void **state)
{
	static const struct {
		const char *sort;
		enum rank_by measure;
	} words[] = {
		{ "total", RANK_TOTAL },    { "cum", RANK_TOTAL },
		{ "self", RANK_SELF },      { "flat", RANK_SELF },
		{ "change", RANK_DELTA },   { "delta", RANK_DELTA },
		{ "self+lib", RANK_OWNED }, { "own", RANK_OWNED },
		{ "owned", RANK_OWNED },
	};
	struct function_row rows[4];
	struct result r;
	struct error err;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(words); i++) {
		const struct options o = { .sort = words[i].sort, .limit = 2 };

		fill(&r, rows);
		assert_false(row_order_is_free(&o));
		assert_int_equal(row_order_limit(&o), 2);
		assert_int_equal(row_order_measure(&o, RANK_SELF),
				 words[i].measure);
		assert_true(row_order_apply(&o, 0, &r, &err));
		assert_int_equal(r.function_count, 4);
		assert_null(r.verdict_rows);
		arena_release(&r.arena);
	}
}

static void without_a_measure_the_usual_one_ranks(void **state)
{
	static const char *const words[] = { NULL, "name", "function",
					     "before" };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(words); i++) {
		const struct options o = { .sort = words[i], .limit = 2 };

		assert_true(row_order_is_free(&o));
		assert_int_equal(row_order_limit(&o), i ? 0 : 2);
		assert_int_equal(row_order_measure(&o, RANK_SELF), RANK_SELF);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_put_in_order),
		cmocka_unit_test(a_page_lists_more),
		cmocka_unit_test(a_measure_ranks),
		cmocka_unit_test(without_a_measure_the_usual_one_ranks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
