/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/search_summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "model/history.h"
#include "model/metrics.h"

/* ---- health checks ---- */

/* The last parts of a path that health checks have, for X. */
#define HEALTH_CHECKS(X)                                                       \
	X("health")                                                            \
	X("healthz")                                                           \
	X("healthcheck")                                                       \
	X("health-check")                                                      \
	X("ready")                                                             \
	X("readyz")                                                            \
	X("readiness")                                                         \
	X("live")                                                              \
	X("livez")                                                             \
	X("liveness")                                                          \
	X("metrics")                                                           \
	X("ping")

#define AS_TEXT(part) part,
#define AS_CHOICE(part) part "|"

struct str health_check_pattern(void)
{
	/* "ping" once more ends the list of choices. */
	static const char pattern[] = "(?i)[^?]*/(" HEALTH_CHECKS(
		AS_CHOICE) "ping)/*([?].*)?"
			   "|[^?]*grpc[.]health[.]v1.*";

	return (struct str){ pattern, sizeof pattern - 1 };
}

bool route_is_health_check(struct str name)
{
	static const char *const last_parts[] = { HEALTH_CHECKS(AS_TEXT) };
	struct str path = str_trim(name);
	size_t at = str_find(path, STR("?"));

	if (at != SIZE_MAX)
		path.len = at;
	/* A route's path begins behind "GET ", "HTTP GET ". */
	path = str_slice(path, str_behind_last(path, ' '), path.len);
	if (str_find(path, STR("grpc.health.v1")) != SIZE_MAX)
		return true;
	while (path.len > 1 && path.ptr[path.len - 1] == '/')
		path.len--;
	at = str_behind_last(path, '/');
	if (at == 0)
		return false;
	path = str_slice(path, at, path.len);
	return str_is_one_of_nocase(path, last_parts, COUNT_OF(last_parts));
}

bool hit_is_health_check(const struct hit *hit)
{
	return route_is_health_check(hit->root_name.len ? hit->root_name
							: hit->name);
}

/* ---- order ---- */

static int by_duration(const void *left, const void *right)
{
	const struct hit *a = left, *b = right;

	if (a->duration_ns != b->duration_ns)
		return compare_i64(b->duration_ns, a->duration_ns);
	if (a->start_ns != b->start_ns)
		return compare_i64(b->start_ns, a->start_ns);
	return memcmp(a->id.bytes, b->id.bytes, sizeof a->id.bytes);
}

void hits_sort(struct hit *items, size_t count)
{
	if (count)
		qsort(items, count, sizeof *items, by_duration);
}

void durations_sort(int64_t *durations_ns, size_t count)
{
	if (count)
		qsort(durations_ns, count, sizeof *durations_ns,
		      compare_i64_items);
}

/* ---- quantiles ---- */

int64_t durations_quantile(const int64_t *sorted, size_t count,
			   unsigned permille)
{
	size_t rank = (count / 1000) * permille +
		      (count % 1000 * permille + 999) / 1000;

	return sorted[rank ? rank - 1 : 0];
}

bool quantile_parse(struct str text, unsigned *permille)
{
	struct str whole = str_slice(text, 1, text.len);
	uint64_t percent, tenth = 0;

	if (text.len < 2 || (text.ptr[0] != 'p' && text.ptr[0] != 'P'))
		return false;
	if (whole.len > 2 && whole.ptr[whole.len - 2] == '.') {
		if (!parse_u64(str_slice(whole, whole.len - 1, whole.len),
			       &tenth))
			return false;
		whole.len -= 2;
	}
	if (whole.len > 2 || !parse_u64(whole, &percent) || percent < 1)
		return false;
	*permille = (unsigned)(percent * 10 + tenth);
	return true;
}

/* ---- histogram ---- */

/* Shorter than any span that means something: the first row of a histogram
 * that begins there holds them all. */
#define SHORTEST_NS NS_PER_US

/* The next of 1, 2, 5, 10, 20...; saturates. */
static int64_t next_step(int64_t step)
{
	int64_t lead = step;

	while (lead >= 10)
		lead /= 10;
	return lead == 2 ? sat_mul_i64(step / 2, 5) : sat_mul_i64(step, 2);
}

static void edges_equal(int64_t low, int64_t high, struct histogram *h)
{
	int64_t step = 1;

	/* Edges are told in three digits. */
	while ((high - low) / step > 9 || high / step > 100)
		step = next_step(step);
	h->edges_ns[0] = low - low % step;
	while (h->row_count < HISTOGRAM_ROWS) {
		int64_t edge = sat_add_i64(h->edges_ns[h->row_count], step);

		h->edges_ns[++h->row_count] = edge;
		if (edge > high || edge == INT64_MAX)
			break;
	}
}

static bool edges_growing(int64_t low, int64_t high, bool is_fine,
			  struct histogram *h)
{
	int64_t edge = SHORTEST_NS;

	while (sat_mul_i64(edge, 10) <= low)
		edge = sat_mul_i64(edge, 10);
	while (is_fine && next_step(edge) <= low)
		edge = next_step(edge);
	h->edges_ns[0] = low < SHORTEST_NS ? 0 : edge;
	h->row_count = 0;
	if (low < SHORTEST_NS)
		h->edges_ns[++h->row_count] = edge;
	while (edge <= high && edge < INT64_MAX) {
		if (h->row_count == HISTOGRAM_ROWS)
			return false;
		edge = is_fine ? next_step(edge) : sat_mul_i64(edge, 10);
		h->edges_ns[++h->row_count] = edge;
	}
	return true;
}

void histogram_build(const int64_t *sorted, size_t count, struct histogram *h)
{
	int64_t low = sorted[0] > 0 ? sorted[0] : 0;
	int64_t high = sorted[count - 1] > 0 ? sorted[count - 1] : 0;
	size_t row = 0;

	memset(h, 0, sizeof *h);
	if (low > 0 && high / 10 < low)
		edges_equal(low, high, h);
	else if (!edges_growing(low, high, true, h))
		(void)edges_growing(low, high, false, h);
	for (size_t i = 0; i < count; i++) {
		while (row + 1 < h->row_count &&
		       sorted[i] >= h->edges_ns[row + 1])
			row++;
		h->counts[row]++;
	}
	for (size_t i = 0; i < h->row_count; i++)
		if (h->counts[i] > h->largest)
			h->largest = h->counts[i];
}

/* ---- the typical one ---- */

/* By service and name of the root. */
static int hits_compare_operations(const struct hit *a, const struct hit *b)
{
	int order = str_compare(a->root_service, b->root_service);

	return order ? order : str_compare(a->root_name, b->root_name);
}

struct ranked {
	const struct hit *hit;
	size_t index; /* keeps the order by duration */
};

static int by_group(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;
	int order = hits_compare_operations(a->hit, b->hit);

	return order ? order : (a->index > b->index) - (a->index < b->index);
}

bool typical_hit_find(const struct hit *items, size_t count,
		      struct typical_hit *out, struct error *err)
{
	struct ranked *all = mem_calloc(count, sizeof *all);
	int64_t best_ns = -1;
	size_t end;

	if (!all)
		return error_memory(err, "the traces found");
	for (size_t i = 0; i < count; i++)
		all[i] = (struct ranked){ &items[i], i };
	qsort(all, count, sizeof *all, by_group);
	*out = (struct typical_hit){ 0, 0 };
	for (size_t start = 0; start < count; start = end) {
		int64_t sum_ns = 0;

		for (end = start; end < count; end++) {
			if (hits_compare_operations(all[start].hit,
						    all[end].hit))
				break;
			sum_ns = sat_add_i64(sum_ns,
					     all[end].hit->duration_ns);
		}
		if (end - start < out->group_count ||
		    (end - start == out->group_count && sum_ns <= best_ns))
			continue;
		best_ns = sum_ns;
		out->group_count = end - start;
		/* Longest first: the longer of the two in the middle. */
		out->index = all[start + (end - start - 1) / 2].index;
	}
	mem_free(all);
	return true;
}

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

/* Which requests take longer than they usually do, told from those that were
 * always long: a login of 25 ms is as ever, a session check of 25 ms instead of
 * half a millisecond is not. Knows no server. */

/* Traces of one root operation, by duration. */
struct group {
	const struct hit **items;
	size_t count;
};

static int by_operation(const void *left, const void *right)
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

static const struct hit **hits_order(const struct hit *hits, size_t count)
{
	const struct hit **items = mem_calloc(count + 1, sizeof *items);

	for (size_t i = 0; items && i < count; i++)
		items[i] = &hits[i];
	if (items)
		qsort(items, count, sizeof *items, by_operation);
	return items;
}

/* The group of an operation that begins at an item, if it does. */
static struct group group_at(const struct hit **items, size_t count, size_t at,
			     const struct hit *like)
{
	size_t end = at;

	while (end < count && !hits_compare_operations(like, items[end]))
		end++;
	return (struct group){ items + at, end - at };
}

/* Nearest rank. */
static int64_t group_quantile(const struct group *g, unsigned percent)
{
	size_t rank = (g->count * percent + 99) / 100;

	return g->items[rank ? rank - 1 : 0]->duration_ns;
}

static double group_ratio(const struct group *now, const struct group *before,
			  unsigned percent)
{
	int64_t usual_ns = group_quantile(before, percent);

	return (double)group_quantile(now, percent) /
	       (double)(usual_ns > 0 ? usual_ns : 1);
}

/* An operation is unusual when its median or its ninth decile is this many
 * times the usual one: ordinary services stay well below it from one window to
 * the next. */
#define UNUSUAL_RATIO 2.0

static void group_see(const struct group *now, const struct group *before,
		      int64_t *most_ns, struct unusual *out)
{
	bool is_of_tail =
		group_ratio(now, before, 90) > group_ratio(now, before, 50);
	unsigned percent = is_of_tail ? 90 : 50;
	const struct hit *longest = now->items[now->count - 1];
	int64_t usual_ns = group_quantile(before, 50), excess_ns = 0;

	if (group_ratio(now, before, percent) < UNUSUAL_RATIO) {
		if (!out->as_ever ||
		    longest->duration_ns > out->as_ever->duration_ns)
			out->as_ever = longest;
		return;
	}
	/* The sum of their durations beyond the typical median. */
	for (size_t i = 0; i < now->count; i++)
		if (now->items[i]->duration_ns > usual_ns)
			excess_ns = sat_add_i64(excess_ns,
						now->items[i]->duration_ns -
							usual_ns);
	if (excess_ns <= *most_ns)
		return;
	*most_ns = excess_ns;
	out->count = now->count;
	out->percent = percent;
	out->now_ns = group_quantile(now, percent);
	out->usual_ns = group_quantile(before, percent);
	/* Between the two quantiles: slow as they are now, and no extreme. */
	out->hit = now->items[(now->count * (is_of_tail ? 90 : 75) + 99) / 100 -
			      1];
}

/* Traces of a root operation, on each side, that tell what it takes. */
#define UNUSUAL_MIN 5u

bool unusual_find(const struct hit *now, size_t now_count,
		  const struct hit *before, size_t before_count,
		  struct unusual *out, struct error *err)
{
	const struct hit **late = hits_order(now, now_count);
	const struct hit **early = hits_order(before, before_count);
	bool is_done = late && early;
	int64_t most_ns = 0;
	size_t at = 0;

	*out = (struct unusual){ .hit = NULL };
	while (is_done && at < now_count) {
		const struct hit *like = late[at];
		struct group g = group_at(late, now_count, at, like), usual;
		size_t from = 0;

		while (from < before_count &&
		       hits_compare_operations(early[from], like) < 0)
			from++;
		usual = group_at(early, before_count, from, like);
		if (g.count >= UNUSUAL_MIN && usual.count >= UNUSUAL_MIN)
			group_see(&g, &usual, &most_ns, out);
		at += g.count;
	}
	mem_free(late);
	mem_free(early);
	return is_done || error_memory(err, "the traces found");
}
