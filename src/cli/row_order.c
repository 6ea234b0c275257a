/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/row_order.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"

static bool sort_is(const struct options *o, const char *word)
{
	return o->sort && !strcmp(o->sort, word);
}

static bool is_by_name(const struct options *o)
{
	return sort_is(o, "function") || sort_is(o, "name");
}

bool row_order_is_shown(const struct options *o)
{
	return is_by_name(o) || sort_is(o, "before");
}

bool row_order_is_free(const struct options *o)
{
	return !o->sort || row_order_is_shown(o);
}

enum rank_by row_order_measure(const struct options *o, enum rank_by fallback)
{
	if (row_order_is_free(o))
		return fallback;
	if (sort_is(o, "self") || sort_is(o, "flat"))
		return RANK_SELF;
	if (sort_is(o, "total") || sort_is(o, "cum"))
		return RANK_TOTAL;
	if (sort_is(o, "change") || sort_is(o, "delta"))
		return RANK_DELTA;
	return RANK_OWNED;
}

enum normalize row_order_normalize(const struct options *o)
{
	if (!o->normalize)
		return NORMALIZE_REQUEST;
	if (!strcmp(o->normalize, "rate"))
		return NORMALIZE_RATE;
	return strcmp(o->normalize, "share") ? NORMALIZE_REQUEST
					     : NORMALIZE_SHARE;
}

size_t row_order_limit(const struct options *o)
{
	return row_order_is_shown(o) ? 0 : (size_t)o->limit;
}

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
static double before(const struct function_row *row, enum rank_by measure)
{
	if (measure == RANK_SELF)
		return row->baseline_self;
	return measure == RANK_OWNED ? row->baseline_owned
				     : row->baseline_total;
}

static int compare_before(const void *left, const void *right, void *measure)
{
	const struct function_row *a = left, *b = right;
	const enum rank_by *by = measure;
	int order = compare_f64(before(b, *by), before(a, *by));

	return order ? order : compare_ranks(a, b);
}

static bool keep_verdict(struct result *r, size_t count, struct error *err)
{
	if (r->verdict_rows)
		return true;
	r->verdict_rows =
		arena_array(&r->arena, count, sizeof *r->verdict_rows);
	if (!r->verdict_rows)
		return arena_fail(&r->arena, "the rows", err);
	memcpy(r->verdict_rows, r->functions, count * sizeof *r->functions);
	r->verdict_count = count;
	return true;
}

bool row_order_apply(const struct options *o, size_t listed, struct result *r,
		     struct error *err)
{
	size_t count = r->function_count, kept = count;

	if (!row_order_is_shown(o) || !count)
		return true;
	if (o->limit && kept > o->limit)
		kept = (size_t)o->limit;
	if (!keep_verdict(r, kept, err))
		return false;
	if (is_by_name(o))
		qsort(r->functions, count, sizeof *r->functions, compare_names);
	else
		qsort_r(r->functions, count, sizeof *r->functions,
			compare_before, &r->rank_by);
	r->has_order_of_user = true;
	r->function_count = kept;
	r->function_listed = max_size(kept, min_size(count, listed));
	return true;
}
