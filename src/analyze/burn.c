/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/burn.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/timefmt.h"

/* The workbook's, for 30 days: rates of 14.4, 6, 3 and 1. */
static const struct burn_pair usual[] = {
	{ .long_ns = NS_PER_HOUR,
	  .short_ns = 5 * NS_PER_MIN,
	  .spent = 0.02,
	  .is_page = true },
	{ .long_ns = 6 * NS_PER_HOUR,
	  .short_ns = 30 * NS_PER_MIN,
	  .spent = 0.05,
	  .is_page = true },
	{ .long_ns = NS_PER_DAY, .short_ns = 2 * NS_PER_HOUR, .spent = 0.10 },
	{ .long_ns = 3 * NS_PER_DAY,
	  .short_ns = 6 * NS_PER_HOUR,
	  .spent = 0.10 },
};

/* For 28 days the last pair's rate is 0.93, and a budget of four weeks should
 * have that pair. */
#define RATE_LEAST 0.9

#define USUAL_WINDOW_MIN (30 * NS_PER_DAY / NS_PER_MIN)
/* Servers that scrape metrics once a minute cannot have a rate over less. */
#define SHORT_LEAST_NS (5 * NS_PER_MIN)

double burn_rate(struct burn_count c, double objective)
{
	return c.total > 0 ? c.bad / c.total / (1 - objective) : 0;
}

double burn_left(struct burn_count c, double objective)
{
	return 1 - burn_rate(c, objective);
}

double burn_seconds_left(double left, double rate, int64_t window_ns)
{
	if (left <= 0)
		return 0;
	return rate > 0 ? (double)window_ns / (double)NS_PER_S * left / rate
			: INFINITY;
}

/* Computes the standard pairs as the same fractions of a shorter budget, where
 * the standard is 30 days. */
static size_t scaled_pairs(int64_t window_ns, struct burn_pair out[BURN_PAIRS])
{
	size_t count = 0;

	for (size_t i = 0; i < COUNT_OF(usual); i++) {
		int64_t long_ns = usual[i].long_ns / USUAL_WINDOW_MIN *
				  (window_ns / NS_PER_MIN) / NS_PER_MIN *
				  NS_PER_MIN;
		int64_t short_ns = long_ns / 12 / NS_PER_MIN * NS_PER_MIN;

		if (long_ns < 2 * SHORT_LEAST_NS)
			continue;
		out[count] = usual[i];
		out[count].long_ns = long_ns;
		out[count].short_ns = max_i64(short_ns, SHORT_LEAST_NS);
		out[count++].rate =
			usual[i].spent * (double)window_ns / (double)long_ns;
	}
	return count;
}

size_t burn_pairs(int64_t window_ns, struct burn_pair out[BURN_PAIRS])
{
	size_t count = 0;

	for (size_t i = 0; i < COUNT_OF(usual); i++) {
		out[count] = usual[i];
		out[count].rate = usual[i].spent * (double)window_ns /
				  (double)usual[i].long_ns;
		count += out[count].rate >= RATE_LEAST;
	}
	return count ? count : scaled_pairs(window_ns, out);
}

/* By length, each once. */
static size_t add_window(int64_t *list, size_t count, int64_t window_ns)
{
	size_t at = count;

	while (at && list[at - 1] > window_ns)
		at--;
	if (at && list[at - 1] == window_ns)
		return count;
	memmove(&list[at + 1], &list[at], (count - at) * sizeof *list);
	list[at] = window_ns;
	return count + 1;
}

size_t burn_windows(const struct burn_pair *pairs, size_t pair_count,
		    int64_t window_ns, int64_t list[BURN_WINDOWS], size_t count)
{
	for (size_t i = 0; i < pair_count; i++) {
		count = add_window(list, count, pairs[i].short_ns);
		count = add_window(list, count, pairs[i].long_ns);
	}
	return add_window(list, count, window_ns);
}

bool burn_pair_can_fire(const struct burn_pair *pair, double objective)
{
	return pair->rate * (1 - objective) < 1;
}

bool burn_pair_fires(const struct burn_pair *pair, double objective,
		     struct burn_count long_window,
		     struct burn_count short_window)
{
	return long_window.bad >= BURN_BAD_LEAST &&
	       burn_rate(long_window, objective) > pair->rate &&
	       burn_rate(short_window, objective) > pair->rate;
}

/* The consumers of an error budget: investigated bad requests, grouped by
 * cause. The budget is counted in requests, so each has the same weight: its
 * share counts for its cause as far as that explains its excess time, and the
 * rest is unexplained. */

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

static double explained_ns(const struct spent_request *r)
{
	return r->explained * (double)r->excess_ns;
}

static void spent_add(struct spent *s, const struct spent_request *r)
{
	struct spent_row *row = s->rows;
	const struct spent_row *end = s->rows + s->row_count;

	while (row < end && !(is_alike(row->example, r) &&
			      str_equal(row->example->function, r->function)))
		row++;
	if (row == end)
		s->rows[s->row_count++] = (struct spent_row){ .example = r };
	row->count++;
	row->share += r->explained / (double)s->count;
	row->excess_ns =
		sat_add_i64(row->excess_ns, sat_round_f64(explained_ns(r)));
	if (explained_ns(r) > explained_ns(row->example))
		row->example = r;
	s->excess_ns = sat_add_i64(s->excess_ns, r->excess_ns);
}

static int row_compare(const void *a, const void *b)
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
	/* Unknown facts of a request are copied from similar ones. */
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < count && list[i].cause == CAUSE_UNKNOWN;
		     k++)
			if (is_same_span(&list[i], &list[k]))
				list[i].cause = list[k].cause;
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < count && !list[i].function.len; k++) {
			if (!is_alike(&list[i], &list[k]))
				continue;
			list[i].function = list[k].function;
			list[i].file = list[k].file;
			list[i].line = list[k].line;
		}
	for (size_t i = 0; i < count; i++)
		spent_add(out, &list[i]);
	qsort(out->rows, out->row_count, sizeof *out->rows, row_compare);
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
