/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/spent.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"

#define Z_95 1.959964

void spent_interval(double share, size_t count, double *low, double *high)
{
	double n = (double)count, z2 = Z_95 * Z_95;
	double middle = (share + z2 / (2 * n)) / (1 + z2 / n);
	double half = Z_95 / (1 + z2 / n) *
		      sqrt(share * (1 - share) / n + z2 / (4 * n * n));

	*low = fmax(0, middle - half);
	*high = fmin(1, middle + half);
}

static bool is_same_span(const struct spent_request *a,
			 const struct spent_request *b)
{
	return a->is_failed == b->is_failed &&
	       str_equal(a->service, b->service) &&
	       str_equal(a->operation, b->operation);
}

static bool is_alike(const struct spent_request *a,
		     const struct spent_request *b)
{
	return is_same_span(a, b) && a->cause == b->cause;
}

static void fill_cause(struct spent_request *r,
		       const struct spent_request *list, size_t count)
{
	for (size_t i = 0; i < count && r->cause == CAUSE_UNKNOWN; i++)
		if (is_same_span(r, &list[i]))
			r->cause = list[i].cause;
}

static void fill_function(struct spent_request *r,
			  const struct spent_request *list, size_t count)
{
	for (size_t i = 0; i < count && !r->function.len; i++) {
		if (!is_alike(r, &list[i]))
			continue;
		r->function = list[i].function;
		r->file = list[i].file;
		r->line = list[i].line;
	}
}

static double explained_ns(const struct spent_request *r)
{
	return r->explained * (double)r->excess_ns;
}

static struct spent_row *row_of(struct spent *s, const struct spent_request *r)
{
	struct spent_row *row;

	for (size_t i = 0; i < s->row_count; i++)
		if (is_alike(s->rows[i].example, r) &&
		    str_equal(s->rows[i].example->function, r->function))
			return &s->rows[i];
	row = &s->rows[s->row_count++];
	*row = (struct spent_row){ .example = r };
	return row;
}

static void add(struct spent *s, const struct spent_request *r)
{
	struct spent_row *row = row_of(s, r);

	row->count++;
	row->share += r->explained / (double)s->count;
	row->excess_ns =
		sat_add_i64(row->excess_ns, sat_round_f64(explained_ns(r)));
	if (explained_ns(r) > explained_ns(row->example))
		row->example = r;
	s->excess_ns = sat_add_i64(s->excess_ns, r->excess_ns);
}

static int compare(const void *a, const void *b)
{
	const struct spent_row *x = a, *y = b;
	int order = compare_f64(y->share, x->share);

	return order ? order
		     : strcmp(x->example->trace_id, y->example->trace_id);
}

bool spent_sum(struct spent_request *list, size_t count, struct arena *arena,
	       struct spent *out, struct error *err)
{
	*out = (struct spent){ .count = count, .unexplained = 1 };
	out->rows = arena_array(arena, count + 1, sizeof *out->rows);
	if (!out->rows)
		return arena_fail(arena, "what spent the budget", err);
	if (!count)
		return true;
	for (size_t i = 0; i < count; i++)
		fill_cause(&list[i], list, count);
	for (size_t i = 0; i < count; i++)
		fill_function(&list[i], list, count);
	for (size_t i = 0; i < count; i++)
		add(out, &list[i]);
	qsort(out->rows, out->row_count, sizeof *out->rows, compare);
	for (size_t i = 0; i < out->row_count; i++) {
		struct spent_row *row = &out->rows[i];

		spent_interval(row->share, count, &row->low, &row->high);
		out->unexplained -= row->share;
	}
	out->unexplained = fmax(0, out->unexplained);
	spent_interval(out->unexplained, count, &out->unexplained_low,
		       &out->unexplained_high);
	return true;
}
