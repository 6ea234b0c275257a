/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "analyze/search_summary.h"
#include "base/num.h"

static int64_t upper_edge(unsigned bucket)
{
	return (int64_t)1 << bucket;
}

/* 0 below the first: durations of 0 are in it. */
static int64_t lower_edge(unsigned bucket)
{
	return bucket ? upper_edge(bucket - 1) : 0;
}

/* ceil(total * permille / 1000), at least 1. */
static int64_t nearest_rank(int64_t total, unsigned permille)
{
	int64_t rank = total / 1000 * permille +
		       (total % 1000 * permille + 999) / 1000;

	return rank > 0 ? rank : 1;
}

/* The bucket of the rank-th shortest; *before is how many are in those
 * below. */
static unsigned bucket_of_rank(const struct duration_buckets *b, int64_t rank,
			       int64_t *before)
{
	unsigned bucket = 0;

	*before = 0;
	while (bucket + 1 < DURATION_BUCKETS &&
	       *before + b->counts[bucket] < rank)
		*before += b->counts[bucket++];
	return bucket;
}

int64_t buckets_quantile(const struct duration_buckets *b, unsigned permille,
			 int64_t longest_ns)
{
	int64_t rank = nearest_rank(b->total, permille), before, low, high;
	unsigned bucket = bucket_of_rank(b, rank, &before);
	double part;

	low = lower_edge(bucket) ? lower_edge(bucket) : 1;
	high = upper_edge(bucket);
	if (longest_ns > low && longest_ns < high)
		high = longest_ns;
	if (b->counts[bucket] <= 0)
		return high;
	part = (double)(rank - before) / (double)b->counts[bucket];
	return (int64_t)llround((double)low *
				pow((double)high / (double)low, part));
}

void buckets_histogram(const struct duration_buckets *b, struct histogram *h)
{
	unsigned first = 0, last = DURATION_BUCKETS - 1, width;

	memset(h, 0, sizeof *h);
	while (first < last && b->counts[first] == 0)
		first++;
	while (last > first && b->counts[last] == 0)
		last--;
	width = (last - first) / HISTOGRAM_ROWS + 1;
	h->edges_ns[0] = lower_edge(first);
	for (unsigned i = first; i <= last; i++) {
		size_t row = (i - first) / width;

		h->edges_ns[row + 1] = upper_edge(i);
		h->counts[row] += (size_t)b->counts[i];
		h->row_count = row + 1;
	}
	for (size_t i = 0; i < h->row_count; i++)
		if (h->counts[i] > h->largest)
			h->largest = h->counts[i];
}

struct tail buckets_tail(const struct duration_buckets *b, unsigned permille)
{
	int64_t rank = nearest_rank(b->total, permille), before;
	unsigned bucket = bucket_of_rank(b, rank, &before);

	return (struct tail){ .from_ns = lower_edge(bucket),
			      .count = b->total - before,
			      .kept = b->total - rank + 1 };
}

int64_t tail_quantile(const struct tail *tail, const struct hit *items,
		      size_t count)
{
	size_t kept = 1;

	/* Both are counts of spans, exact as doubles. */
	if (tail->count > 0)
		kept = (size_t)ceil((double)count * (double)tail->kept /
				    (double)tail->count);
	if (kept > count)
		kept = count;
	return items[kept ? kept - 1 : 0].duration_ns;
}
