/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/search_summary.h"

#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/mem.h"
#include "base/num.h"

/* ---- health checks ---- */

/* Where a route's path begins: behind "GET ", "HTTP GET ". */
static struct str path_of(struct str name)
{
	size_t end = str_find(name, STR("?"));

	if (end != SIZE_MAX)
		name.len = end;
	for (size_t i = name.len; i > 0; i--)
		if (name.ptr[i - 1] == ' ')
			return str_slice(name, i, name.len);
	return name;
}

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
	struct str path = path_of(str_trim(name));
	size_t at;

	if (str_find(path, STR("grpc.health.v1")) != SIZE_MAX)
		return true;
	while (path.len > 1 && path.ptr[path.len - 1] == '/')
		path.len--;
	for (at = path.len; at > 0 && path.ptr[at - 1] != '/'; at--)
		continue;
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

static int ascending(const void *left, const void *right)
{
	return compare_i64(*(const int64_t *)left, *(const int64_t *)right);
}

void durations_sort(int64_t *durations_ns, size_t count)
{
	if (count)
		qsort(durations_ns, count, sizeof *durations_ns, ascending);
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

static int64_t next_decade(int64_t step)
{
	return sat_mul_i64(step, 10);
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
		edge = next_decade(edge);
	while (is_fine && next_step(edge) <= low)
		edge = next_step(edge);
	h->edges_ns[0] = low < SHORTEST_NS ? 0 : edge;
	h->row_count = 0;
	if (low < SHORTEST_NS)
		h->edges_ns[++h->row_count] = edge;
	while (edge <= high && edge < INT64_MAX) {
		if (h->row_count == HISTOGRAM_ROWS)
			return false;
		edge = is_fine ? next_step(edge) : next_decade(edge);
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

int hits_compare_operations(const struct hit *a, const struct hit *b)
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

static int64_t time_in_all(const struct ranked *group, size_t count)
{
	int64_t sum_ns = 0;

	for (size_t i = 0; i < count; i++)
		sum_ns = sat_add_i64(sum_ns, group[i].hit->duration_ns);
	return sum_ns;
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
		int64_t sum_ns;

		for (end = start + 1; end < count; end++)
			if (hits_compare_operations(all[start].hit,
						    all[end].hit))
				break;
		sum_ns = time_in_all(all + start, end - start);
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
