/* SPDX-License-Identifier: Apache-2.0 */
#include "report/answers.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/system.h"

/* By rank in the end: rows of one name stay in a known order. */
static int compare_ranks(const struct function_row *a,
			 const struct function_row *b)
{
	return (a->rank > b->rank) - (a->rank < b->rank);
}

static int compare_names(const void *left, const void *right)
{
	const struct function_row *a = left, *b = right;
	int order = str_compare(a->name, b->name);

	return order ? order : compare_ranks(a, b);
}

/* As the column has it: of the measure of the table. */
static double value_before(const struct function_row *row, enum rank_by measure)
{
	if (measure == RANK_SELF)
		return row->baseline_self;
	return measure == RANK_SELF_LIB ? row->baseline_self_lib
					: row->baseline_total;
}

static int compare_before(const void *left, const void *right, void *measure)
{
	const struct function_row *a = left, *b = right;
	const enum rank_by *by = measure;
	int order = compare_f64(value_before(b, *by), value_before(a, *by));

	return order ? order : compare_ranks(a, b);
}

bool rows_order_apply(const struct rows_order_want *want, struct result *r,
		      struct error *err)
{
	size_t count = r->function_count, kept = count;

	if (want->order == ROWS_AS_RANKED || !count)
		return true;
	if (want->limit && kept > want->limit)
		kept = want->limit;
	if (!r->verdict_rows) {
		r->verdict_rows =
			arena_array(&r->arena, kept, sizeof *r->verdict_rows);
		if (!r->verdict_rows)
			return arena_fail(&r->arena, "the rows", err);
		memcpy(r->verdict_rows, r->functions,
		       kept * sizeof *r->functions);
		r->verdict_count = kept;
	}
	if (want->order == ROWS_BY_NAME)
		qsort(r->functions, count, sizeof *r->functions, compare_names);
	else
		system_sort(r->functions, count, sizeof *r->functions,
			    compare_before, &r->rank_by);
	r->has_order_of_user = true;
	r->function_count = kept;
	r->function_listed = max_size(kept, min_size(count, want->listed));
	return true;
}
