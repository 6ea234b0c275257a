/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/unusual.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/search_summary.h"
#include "base/mem.h"
#include "base/num.h"

/* Traces of one root operation, by duration. */
struct group {
	const struct hit **items;
	size_t count;
};

static int compare(const void *left, const void *right)
{
	const struct hit *a = *(const struct hit *const *)left;
	const struct hit *b = *(const struct hit *const *)right;
	int order = hits_compare_operations(a, b);

	if (!order)
		order = compare_i64(a->duration_ns, b->duration_ns);
	if (!order)
		order = compare_i64(a->start_ns, b->start_ns);
	return order ? order
		     : memcmp(a->id.bytes, b->id.bytes, sizeof a->id.bytes);
}

static const struct hit **sorted(const struct hit *hits, size_t count)
{
	const struct hit **items = mem_calloc(count + 1, sizeof *items);

	for (size_t i = 0; items && i < count; i++)
		items[i] = &hits[i];
	if (items)
		qsort(items, count, sizeof *items, compare);
	return items;
}

/* The group that begins at an item. */
static struct group group_at(const struct hit **items, size_t count, size_t at)
{
	size_t end = at;

	while (end < count && !hits_compare_operations(items[at], items[end]))
		end++;
	return (struct group){ items + at, end - at };
}

static struct group find_group(const struct hit **items, size_t count,
			       const struct hit *like)
{
	size_t at = 0;

	while (at < count && hits_compare_operations(items[at], like) < 0)
		at++;
	if (at == count || hits_compare_operations(items[at], like))
		return (struct group){ NULL, 0 };
	return group_at(items, count, at);
}

/* Nearest rank. */
static int64_t quantile(const struct group *g, unsigned percent)
{
	size_t rank = (g->count * percent + 99) / 100;

	return g->items[rank ? rank - 1 : 0]->duration_ns;
}

static double ratio(const struct group *now, const struct group *before,
		    unsigned percent)
{
	int64_t usual_ns = quantile(before, percent);

	return (double)quantile(now, percent) /
	       (double)(usual_ns > 0 ? usual_ns : 1);
}

/* What they took longer than the usual median, together. */
static int64_t excess_of(const struct group *now, const struct group *before)
{
	int64_t usual_ns = quantile(before, 50), sum_ns = 0;

	for (size_t i = 0; i < now->count; i++)
		if (now->items[i]->duration_ns > usual_ns)
			sum_ns = sat_add_i64(
				sum_ns, now->items[i]->duration_ns - usual_ns);
	return sum_ns;
}

static void see(const struct group *now, const struct group *before,
		int64_t *most_ns, struct unusual *out)
{
	unsigned percent =
		ratio(now, before, 90) > ratio(now, before, 50) ? 90 : 50;
	const struct hit *longest = now->items[now->count - 1];
	int64_t excess_ns = excess_of(now, before);

	if (ratio(now, before, percent) < UNUSUAL_RATIO) {
		if (!out->as_ever ||
		    longest->duration_ns > out->as_ever->duration_ns)
			out->as_ever = longest;
		return;
	}
	if (excess_ns <= *most_ns)
		return;
	*most_ns = excess_ns;
	out->count = now->count;
	out->percent = percent;
	out->now_ns = quantile(now, percent);
	out->usual_ns = quantile(before, percent);
	/* Between the two quantiles: slow as they are now, and no extreme. */
	out->hit =
		now->items[(now->count * (percent == 90 ? 90 : 75) + 99) / 100 -
			   1];
}

bool unusual_find(const struct hit *now, size_t now_count,
		  const struct hit *before, size_t before_count,
		  struct unusual *out, struct error *err)
{
	const struct hit **late = sorted(now, now_count);
	const struct hit **early = sorted(before, before_count);
	bool is_done = late && early;
	int64_t most_ns = 0;
	size_t at = 0;

	*out = (struct unusual){ .hit = NULL };
	while (is_done && at < now_count) {
		struct group g = group_at(late, now_count, at);
		struct group usual = find_group(early, before_count, late[at]);

		if (g.count >= UNUSUAL_MIN && usual.count >= UNUSUAL_MIN)
			see(&g, &usual, &most_ns, out);
		at += g.count;
	}
	mem_free(late);
	mem_free(early);
	return is_done || error_memory(err, "the traces found");
}
