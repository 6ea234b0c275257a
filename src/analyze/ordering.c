/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/ordering.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/stats.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/radix.h"

/* So few are in order sooner without digits (docs/lab/performance.md, "numbers
 * ordered by digits"). */
#define FEW 128u

/* False without memory: they are as they were. */
static bool sort_by_digits(int64_t *values, size_t count)
{
	struct radix_item *items =
		count <= UINT32_MAX ? mem_calloc(2 * count, sizeof *items)
				    : NULL;
	const struct radix_item *sorted;

	if (!items)
		return false;
	/* Negative ones first. */
	for (size_t i = 0; i < count; i++)
		items[i].key = (uint64_t)values[i] ^ (uint64_t)1 << 63;
	sorted = radix_sort(items, items + count, (uint32_t)count);
	for (size_t i = 0; i < count; i++)
		values[i] = (int64_t)(sorted[i].key ^ (uint64_t)1 << 63);
	mem_free(items);
	return true;
}

/* A `slow` does so a hundred times, now and then with thousands. */
void values_sort(int64_t *values, size_t count)
{
	if (count > FEW) {
		if (!sort_by_digits(values, count))
			qsort(values, count, sizeof *values, compare_i64_items);
		return;
	}
	/* Each goes down to where it belongs among those before it. */
	for (size_t i = 1; i < count; i++) {
		int64_t value = values[i];
		size_t at = i;

		for (; at && values[at - 1] > value; at--)
			values[at] = values[at - 1];
		values[at] = value;
	}
}

int64_t values_quantile(const int64_t *sorted, size_t count, unsigned percent)
{
	size_t at;

	if (!count)
		return -1;
	at = (count - 1) * percent / 100;
	if (percent == 50 && count % 2 == 0)
		return sorted[at] + (sorted[at + 1] - sorted[at]) / 2;
	return sorted[at];
}

size_t values_below(const int64_t *sorted, size_t count, int64_t value)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (sorted[middle] < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* One pass over both sides: each run of equal values shares its mean rank. */
struct rank_sum {
	double ranks; /* of a */
	double ties;  /* sum of t^3 - t */
};

static size_t run_of(const int64_t *values, size_t count, size_t at,
		     int64_t value)
{
	size_t end = at;

	while (end < count && values[end] == value)
		end++;
	return end - at;
}

static struct rank_sum rank_sum_add(const int64_t *a, size_t a_count,
				    const int64_t *b, size_t b_count)
{
	struct rank_sum sum = { 0, 0 };
	size_t i = 0, j = 0;

	while (i < a_count || j < b_count) {
		int64_t value = j >= b_count || (i < a_count && a[i] < b[j])
					? a[i]
					: b[j];
		size_t of_a = run_of(a, a_count, i, value);
		size_t of_b = run_of(b, b_count, j, value);
		double tied = (double)(of_a + of_b);

		sum.ranks += (double)of_a * ((double)(i + j) + (tied + 1) / 2);
		sum.ties += tied * tied * tied - tied;
		i += of_a;
		j += of_b;
	}
	return sum;
}

double rank_sum_test(const int64_t *a, size_t a_count, const int64_t *b,
		     size_t b_count, double *z)
{
	double m = (double)a_count, k = (double)b_count, n = m + k;
	struct rank_sum sum;
	double mean, variance, distance;

	*z = 0;
	if (!a_count || !b_count)
		return 1;
	sum = rank_sum_add(a, a_count, b, b_count);
	mean = m * (n + 1) / 2;
	variance = m * k / 12 * (n + 1 - sum.ties / (n * (n - 1)));
	distance = fabs(sum.ranks - mean) - 0.5;
	if (variance <= 0 || distance <= 0)
		return 1;
	*z = copysign(distance / sqrt(variance), sum.ranks - mean);
	return normal_two_sided(fabs(*z));
}

double values_order(const int64_t *a, size_t a_count, const int64_t *b,
		    size_t b_count)
{
	double m = (double)a_count, k = (double)b_count;

	return (rank_sum_add(a, a_count, b, b_count).ranks - m * (m + 1) / 2) /
	       (m * k);
}

/* ---- ranks ---- */

struct ranked {
	int64_t value;
	size_t at;
};

static int compare_ranked(const void *left, const void *right)
{
	return compare_i64(((const struct ranked *)left)->value,
			   ((const struct ranked *)right)->value);
}

/* Equal values have the mean of their ranks. room is for count items. */
static void values_rank(const int64_t *values, size_t count,
			struct ranked *room, double *ranks)
{
	size_t end;

	for (size_t i = 0; i < count; i++)
		room[i] = (struct ranked){ values[i], i };
	qsort(room, count, sizeof *room, compare_ranked);
	for (size_t i = 0; i < count; i = end) {
		for (end = i + 1; end < count; end++)
			if (room[end].value != room[i].value)
				break;
		for (size_t k = i; k < end; k++)
			ranks[room[k].at] = (double)(i + end - 1) / 2;
	}
}

double rank_correlation(const int64_t *a, const int64_t *b, size_t count)
{
	double mean = (double)(count - 1) / 2, ab = 0, aa = 0, bb = 0;
	struct ranked *room;
	double *ranks;

	if (count < 2)
		return 0;
	room = mem_calloc(count, sizeof *room);
	ranks = mem_calloc(2 * count, sizeof *ranks);
	if (room && ranks) {
		values_rank(a, count, room, ranks);
		values_rank(b, count, room, ranks + count);
		for (size_t i = 0; i < count; i++) {
			double of_a = ranks[i] - mean;
			double of_b = ranks[count + i] - mean;

			ab += of_a * of_b;
			aa += of_a * of_a;
			bb += of_b * of_b;
		}
	}
	mem_free(room);
	mem_free(ranks);
	return aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : 0;
}
