/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "analyze/search_summary.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/buf.h"
#include "base/regex.h"

#define MS NS_PER_MS
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* As a server matches it: case and all, from end to end. */
static bool is_in_pattern(const char *name)
{
	struct str pattern = health_check_pattern();
	struct error err = { 0 };
	struct buf whole;
	struct regex *re;
	bool is_match;

	buf_init(&whole, 1000);
	buf_addf(&whole, "^(?:%.*s)$", STR_ARGS(pattern));
	re = regex_new(buf_str(&whole), "pattern", &err);
	assert_non_null(re);
	assert_true(regex_match(re, str_from(name), &is_match, &err));
	regex_free(re);
	buf_release(&whole);
	return is_match;
}

static void test_health_routes(void **state)
{
	static const char *const hidden[] = {
		"/health",
		"/healthz",
		"/ready",
		"/readyz",
		"/live",
		"/livez",
		"/metrics",
		"/ping",
		"GET /health",
		"HTTP GET /api/v1/readyz",
		"get /HealthZ",
		"GET /healthz/",
		"GET /ping?full=1",
		"GET /health-check",
		"/healthcheck",
		"/status/liveness",
		"/readiness",
		"grpc.health.v1.Health/Check",
		"/grpc.health.v1.Health/Watch",
	};
	static const char *const shown[] = {
		"",
		"/",
		"GET",
		"GET /",
		"health",
		"POST /healthy",
		"GET /health/records",
		"GET /pingpong",
		"userdb.Health/Check",
		"GET /livestock",
		"GET /search?q=/health",
		"ping",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(hidden); i++)
		if (!route_is_health_check(str_from(hidden[i])) ||
		    !is_in_pattern(hidden[i]))
			fail_msg("%s is not hidden", hidden[i]);
	for (size_t i = 0; i < COUNT(shown); i++)
		if (route_is_health_check(str_from(shown[i])) ||
		    is_in_pattern(shown[i]))
			fail_msg("%s is hidden", shown[i]);
}

/* The root decides; the span only where there is no root. */
static void test_health_hit(void **state)
{
	struct hit hit = { .root_name = STR("GET /cart"),
			   .name = STR("GET /healthz") };

	(void)state;
	assert_false(hit_is_health_check(&hit));
	hit.root_name = STR("");
	assert_true(hit_is_health_check(&hit));
}

static void test_quantiles(void **state)
{
	int64_t values[200];

	(void)state;
	for (int i = 0; i < 200; i++)
		values[i] = i + 1;
	assert_int_equal(durations_quantile(values, 1, 1), 1);
	assert_int_equal(durations_quantile(values, 1, 1000), 1);
	/* Of ten: rank ceil(9.5) = 10, ceil(9) = 9, ceil(5) = 5. */
	assert_int_equal(durations_quantile(values, 10, 950), 10);
	assert_int_equal(durations_quantile(values, 10, 900), 9);
	assert_int_equal(durations_quantile(values, 10, 500), 5);
	assert_int_equal(durations_quantile(values, 200, 950), 190);
	assert_int_equal(durations_quantile(values, 200, 951), 191);
	assert_int_equal(durations_quantile(values, 200, 999), 200);
}

static void test_quantile_words(void **state)
{
	static const char *const wrong[] = { "",       "p",   "95",  "p0",
					     "p100",   "p9x", "p.9", "p99.",
					     "p99.99", "q95", "p-5", "p0.9" };
	unsigned permille = 0;

	(void)state;
	assert_true(quantile_parse(STR("p95"), &permille));
	assert_int_equal(permille, 950);
	assert_true(quantile_parse(STR("P1"), &permille));
	assert_int_equal(permille, 10);
	assert_true(quantile_parse(STR("p99.9"), &permille));
	assert_int_equal(permille, 999);
	for (size_t i = 0; i < COUNT(wrong); i++)
		if (quantile_parse(str_from(wrong[i]), &permille))
			fail_msg("%s is taken", wrong[i]);
}

static void check_rows(const struct histogram *h, const int64_t *edges_ms,
		       const size_t *counts, size_t rows)
{
	assert_int_equal(h->row_count, rows);
	for (size_t i = 0; i <= rows; i++)
		assert_int_equal(h->edges_ns[i], edges_ms[i] * MS);
	for (size_t i = 0; i < rows; i++)
		assert_int_equal(h->counts[i], counts[i]);
}

/* 12 to 31 ms: less than tenfold, 19 ms in at most ten steps need 2 ms. */
static void test_histogram_equal(void **state)
{
	static const int64_t values[] = { 12 * MS, 14 * MS, 15 * MS, 31 * MS };
	static const int64_t edges[] = { 12, 14, 16, 18, 20, 22,
					 24, 26, 28, 30, 32 };
	static const size_t counts[] = { 1, 2, 0, 0, 0, 0, 0, 0, 0, 1 };
	struct histogram h;

	(void)state;
	histogram_build(values, 4, &h);
	check_rows(&h, edges, counts, 10);
	assert_int_equal(h.largest, 2);
}

/* All equal: no finer than a hundredth. */
static void test_histogram_one(void **state)
{
	static const int64_t values[] = { 700 * MS, 700 * MS };
	static const int64_t edges[] = { 700, 710 };
	static const size_t counts[] = { 2 };
	struct histogram h;

	(void)state;
	histogram_build(values, 2, &h);
	check_rows(&h, edges, counts, 1);
}

static void test_histogram_growing(void **state)
{
	static const int64_t values[] = { 3 * MS, 5 * MS, 49 * MS, 50 * MS,
					  120 * MS };
	static const int64_t edges[] = { 2, 5, 10, 20, 50, 100, 200 };
	static const size_t counts[] = { 1, 1, 0, 1, 1, 1 };
	struct histogram h;

	(void)state;
	histogram_build(values, 5, &h);
	check_rows(&h, edges, counts, 6);
}

/* Nothing and a minute: 1, 2, 5 would take 25 rows. */
static void test_histogram_decades(void **state)
{
	static const int64_t values[] = { 0, 999, 1000, 60 * NS_PER_S };
	struct histogram h;

	(void)state;
	histogram_build(values, 4, &h);
	assert_int_equal(h.row_count, 9);
	assert_int_equal(h.edges_ns[0], 0);
	assert_int_equal(h.edges_ns[1], NS_PER_US);
	assert_int_equal(h.edges_ns[2], 10 * NS_PER_US);
	assert_int_equal(h.edges_ns[9], 100 * NS_PER_S);
	assert_int_equal(h.counts[0], 2);
	assert_int_equal(h.counts[1], 1);
	assert_int_equal(h.counts[8], 1);
}

static void test_histogram_extremes(void **state)
{
	static const int64_t one[] = { 7 };
	static const int64_t last[] = { INT64_MAX - 1, INT64_MAX };
	static const int64_t all[] = { INT64_MIN, 0, INT64_MAX };
	struct histogram h;
	size_t sum = 0;

	(void)state;
	histogram_build(one, 1, &h);
	assert_int_equal(h.row_count, 1);
	assert_int_equal(h.counts[0], 1);
	histogram_build(last, 2, &h);
	assert_in_range(h.row_count, 1, HISTOGRAM_ROWS);
	histogram_build(all, 3, &h);
	assert_in_range(h.row_count, 1, HISTOGRAM_ROWS);
	for (size_t i = 0; i < h.row_count; i++)
		sum += h.counts[i];
	assert_int_equal(sum, 3);
}

static struct hit hit_of(const char *root, int64_t duration_ms,
			 int64_t start_ns, unsigned char id)
{
	return (struct hit){ .id = { { id } },
			     .root_service = STR("web"),
			     .root_name = str_from(root),
			     .start_ns = start_ns,
			     .duration_ns = duration_ms * MS };
}

static void test_order(void **state)
{
	struct hit items[] = {
		hit_of("a", 5, 1, 1),
		hit_of("a", 9, 1, 2),
		hit_of("a", 5, 2, 3),
		hit_of("a", 5, 1, 0),
	};

	(void)state;
	hits_sort(items, 4);
	assert_int_equal(items[0].id.bytes[0], 2);
	assert_int_equal(items[1].id.bytes[0], 3);
	assert_int_equal(items[2].id.bytes[0], 0);
	assert_int_equal(items[3].id.bytes[0], 1);
}

/* Three of /b against two of /a, which hold the slowest; the middle of /b. */
static void test_typical_largest(void **state)
{
	struct hit items[] = {
		hit_of("/a", 90, 0, 1), hit_of("/b", 60, 0, 2),
		hit_of("/a", 50, 0, 3), hit_of("/b", 40, 0, 4),
		hit_of("/b", 30, 0, 5),
	};
	struct typical_hit typical;
	struct error err = { 0 };

	(void)state;
	assert_true(typical_hit_find(items, 5, &typical, &err));
	assert_int_equal(items[typical.index].id.bytes[0], 4);
	assert_int_equal(typical.group_count, 3);
}

/* Two of each: /b took more time in all; of its two the longer. */
static void test_typical_equal(void **state)
{
	struct hit items[] = {
		hit_of("/b", 70, 0, 1),
		hit_of("/a", 60, 0, 2),
		hit_of("/a", 50, 0, 3),
		hit_of("/b", 45, 0, 4),
	};
	struct typical_hit typical;
	struct error err = { 0 };

	(void)state;
	assert_true(typical_hit_find(items, 4, &typical, &err));
	assert_int_equal(typical.index, 0);
	assert_int_equal(typical.group_count, 2);
	/* The same time in all: the first by name. */
	items[3].duration_ns = 40 * MS;
	assert_true(typical_hit_find(items, 4, &typical, &err));
	assert_int_equal(items[typical.index].id.bytes[0], 2);
	assert_true(typical_hit_find(items, 1, &typical, &err));
	assert_int_equal(typical.group_count, 1);
}

UNIT_TESTS(search_summary)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_health_routes),
		cmocka_unit_test(test_health_hit),
		cmocka_unit_test(test_quantiles),
		cmocka_unit_test(test_quantile_words),
		cmocka_unit_test(test_histogram_equal),
		cmocka_unit_test(test_histogram_one),
		cmocka_unit_test(test_histogram_growing),
		cmocka_unit_test(test_histogram_decades),
		cmocka_unit_test(test_histogram_extremes),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_typical_largest),
		cmocka_unit_test(test_typical_equal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
