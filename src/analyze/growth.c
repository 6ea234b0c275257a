/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/growth.h"

#include <math.h>
#include <string.h>

#include "analyze/stats.h"
#include "base/num.h"

#define BLOCKS GROWTH_BLOCKS
#define PAIRS (BLOCKS * (BLOCKS - 1) / 2)
/* Thirds of eight blocks. */
#define FIRST_END 3u
#define LAST_BEGIN 5u

/* A filling cache whose time constant is half the window has 0.48 at its end,
 * one that fills more slowly cannot be told from a leak within the window. */
#define LATE_SHARE_LEAST 0.5

/* A load that grew by less explains nothing. */
#define LOAD_GROWTH_LEAST 0.1
/* What follows the load grows as it does at most, when it has a part that does
 * not; caches and queues may lag behind a load that wanders. */
#define LOAD_ELASTICITY 1.5

/* Variance of Kendall's S without ties, which only make it smaller. */
static double variance_of_s(void)
{
	double n = BLOCKS;

	return n * (n - 1) * (2 * n + 5) / 18;
}

static int kendall_s(const double values[BLOCKS])
{
	int s = 0;

	for (size_t i = 0; i < BLOCKS; i++)
		for (size_t j = i + 1; j < BLOCKS; j++)
			s += compare_f64(values[j], values[i]);
	return s;
}

static double mean(const double *values, size_t from, size_t to)
{
	double sum = 0;

	for (size_t i = from; i < to; i++)
		sum += values[i];
	return sum / (double)(to - from);
}

/* ---- slopes ---- */

static size_t add_slopes(const double *hours, const double *values, size_t from,
			 double *out)
{
	size_t n = 0;

	for (size_t i = from; i < BLOCKS; i++)
		for (size_t j = i + 1; j < BLOCKS; j++)
			if (hours[j] > hours[i])
				out[n++] = (values[j] - values[i]) /
					   (hours[j] - hours[i]);
	return n;
}

/* Ranks as far from the middle as the variance of S says (Sen). */
static void find_slope(const struct growth_segment *s, size_t count,
		       struct growth *out)
{
	double slopes[GROWTH_SEGMENTS_MAX * PAIRS];
	double off = normal_two_sided_quantile(0.05) *
		     sqrt(variance_of_s() * (double)count);
	size_t n = 0;
	double low, high;

	for (size_t i = 0; i < count; i++)
		n += add_slopes(s[i].hours, s[i].values, 0, slopes + n);
	if (!n)
		return;
	out->per_hour = stats_median(slopes, n);
	low = ((double)n - off) / 2 - 1;
	high = ((double)n + off) / 2;
	out->low = slopes[low > 0 ? (size_t)low : 0];
	out->high = slopes[high < (double)(n - 1) ? (size_t)high : n - 1];
}

/* ---- conditions ---- */

/* All segments as one, block by block. */
static void mean_segment(const struct growth_segment *s, size_t count,
			 struct growth_segment *out)
{
	memset(out, 0, sizeof *out);
	out->has_load = true;
	for (size_t i = 0; i < count; i++) {
		out->has_load &= s[i].has_load;
		for (size_t k = 0; k < BLOCKS; k++) {
			double n = (double)count;

			out->hours[k] += (s[i].hours[k] - s[i].hours[0]) / n;
			out->values[k] += s[i].values[k] / n;
			out->load[k] += s[i].load[k] / n;
		}
	}
}

/* Each third above the one before. */
static bool grows_all_the_time(const double *values)
{
	double middle = mean(values, FIRST_END, LAST_BEGIN);

	return mean(values, 0, FIRST_END) < middle &&
	       middle < mean(values, LAST_BEGIN, BLOCKS);
}

static double late_share(const struct growth_segment *all, double per_hour)
{
	double slopes[PAIRS];
	size_t n = add_slopes(all->hours, all->values, LAST_BEGIN, slopes);

	return n && per_hour > 0 ? stats_median(slopes, n) / per_hour : 0;
}

static double load_growth(const struct growth_segment *all)
{
	double first = mean(all->load, 0, FIRST_END);
	double last = mean(all->load, LAST_BEGIN, BLOCKS);

	return all->has_load && first > 0 ? (last - first) / first : 0;
}

/* A load that rose over the window, by enough. */
static bool follows_load(const struct growth_segment *all,
			 const struct growth *g)
{
	return g->load_growth >= LOAD_GROWTH_LEAST &&
	       mean(all->load, LAST_BEGIN, BLOCKS) >
		       mean(all->load, FIRST_END, LAST_BEGIN) * 0.95 &&
	       g->end - g->start <= LOAD_ELASTICITY * g->load_growth * g->start;
}

static enum growth_kind find_kind(const struct growth_segment *all,
				  const struct growth *g, double least)
{
	if (g->end - g->start < least)
		return GROWTH_SMALL;
	if (g->rising < g->segment_count || !grows_all_the_time(all->values))
		return GROWTH_UNEVEN;
	if (g->late_share < LATE_SHARE_LEAST)
		return GROWTH_LEVELS_OFF;
	return follows_load(all, g) ? GROWTH_WITH_LOAD : GROWTH_ENDLESS;
}

void growth_judge(const struct growth_segment *s, size_t count, double least,
		  struct growth *out)
{
	struct growth_segment all;
	int total_s = 0;
	double z;

	*out = (struct growth){ .p = 1, .q = 1 };
	if (count > GROWTH_SEGMENTS_MAX)
		count = GROWTH_SEGMENTS_MAX;
	if (!count)
		return;
	out->segment_count = count;
	for (size_t i = 0; i < count; i++) {
		int own = kendall_s(s[i].values);

		total_s += own;
		out->rising += own > 0;
	}
	z = (total_s - (total_s > 0)) / sqrt(variance_of_s() * (double)count);
	out->p = z > 0 ? normal_two_sided(z) / 2 : 1;
	mean_segment(s, count, &all);
	find_slope(s, count, out);
	out->start = mean(all.values, 0, FIRST_END);
	out->end = mean(all.values, LAST_BEGIN, BLOCKS);
	out->late_share = late_share(&all, out->per_hour);
	out->load_growth = load_growth(&all);
	out->kind = find_kind(&all, out, least);
}

static void settle(struct growth *g, double q, double most_q)
{
	g->q = q;
	if (q > most_q)
		g->kind = GROWTH_NONE;
}

void growth_settle(struct growth *list, size_t count, double most_q,
		   double *scratch, size_t *order)
{
	double *q = scratch + count;
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		if (list[i].kind != GROWTH_SMALL)
			scratch[n++] = list[i].p;
	false_discovery_adjust(scratch, q, order, n);
	n = 0;
	for (size_t i = 0; i < count; i++) {
		bool is_tested = list[i].kind != GROWTH_SMALL;

		settle(&list[i], is_tested ? q[n] : list[i].p, most_q);
		n += is_tested;
	}
}
