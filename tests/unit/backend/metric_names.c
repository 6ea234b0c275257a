/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "backend/metrics.h"

#include <string.h>

#include "../wire/support.h"
#include "base/timefmt.h"

static struct metric_source source(const char *name, bool is_native)
{
	for (size_t i = 0; i < metric_name_count; i++)
		if (!strcmp(metric_names[i].name, name))
			return (struct metric_source){
				&metric_names[i], is_native,
				metric_names[i].service_labels[0]
			};
	fail_msg("%s is not in the table", name);
	return (struct metric_source){ .name = NULL };
}

static void expect(const struct metric_source *s, const struct metric_want *w,
		   const char *wanted)
{
	struct buf text;

	buf_init(&text, MIB);
	assert_true(metric_expression(&text, s, w));
	assert_string_equal(buf_text(&text), wanted);
	buf_release(&text);
}

static void test_expressions(void **state)
{
	struct metric_want w = { .meaning = METRIC_LATENCY,
				 .service = "a.b",
				 .quantile = 0.95,
				 .rate_ns = NS_PER_HOUR };
	struct metric_source s = source("traces_spanmetrics_latency", false);

	(void)state;
	expect(&s, &w,
	       "histogram_quantile(0.95,sum by (le) (rate({__name__=\"traces_"
	       "spanmetrics_latency_bucket\",service=\"a.b\",span_kind=~\"SPAN_"
	       "KIND_(SERVER|CONSUMER)\"}[3600s])))");
	w.operation = "GET /cart";
	s = source("http_server_request_duration_seconds", true);
	s.label = "job";
	expect(&s, &w,
	       "histogram_quantile(0.95,sum(rate({__name__=\"http_server_"
	       "request_duration_seconds\",job=~\"(.+/)?a\\\\.b\",http_route="
	       "\"/cart\"}[3600s])))");
	w.meaning = METRIC_REQUESTS;
	expect(&s, &w,
	       "histogram_count(sum(rate({__name__=\"http_server_request_"
	       "duration_seconds\",job=~\"(.+/)?a\\\\.b\",http_route=\"/cart\"}"
	       "[3600s])))");
	s.is_native = false;
	w.operation = NULL;
	expect(&s, &w,
	       "sum(rate({__name__=\"http_server_request_duration_seconds_"
	       "count\",job=~\"(.+/)?a\\\\.b\"}[3600s]))");
	w.meaning = METRIC_MEMORY_LIMIT;
	s = source("kube_pod_container_resource_limits", false);
	s.label = "pod";
	expect(&s, &w,
	       "min({__name__=\"kube_pod_container_resource_limits\",pod=~"
	       "\"a\\\\.b-.+\",resource=\"memory\"}>0)");
	w.meaning = METRIC_MEMORY;
	s = source("process_resident_memory_bytes", false);
	expect(&s, &w,
	       "max({__name__=\"process_resident_memory_bytes\",service_name="
	       "\"a.b\"})");
}

/* Of all instances, of each, and how many there are. */
static void test_instances(void **state)
{
	struct metric_want w = { .meaning = METRIC_CPU,
				 .over = METRIC_OVER_NONE,
				 .service = "a",
				 .rate_ns = 2 * NS_PER_MIN };
	struct metric_source s = source("process_cpu_seconds_total", false);

	(void)state;
	expect(&s, &w,
	       "rate({__name__=\"process_cpu_seconds_total\",service_name="
	       "\"a\"}[120s])");
	w.meaning = METRIC_MEMORY;
	s = source("process_resident_memory_bytes", false);
	w.peak_ns = NS_PER_HOUR;
	expect(&s, &w,
	       "(max_over_time({__name__=\"process_resident_memory_bytes\","
	       "service_name=\"a\"}[3600s]))");
	w.peak_ns = 0;
	w.over = METRIC_OVER_SUM;
	expect(&s, &w,
	       "sum({__name__=\"process_resident_memory_bytes\",service_name="
	       "\"a\"})");
	w.over = METRIC_OVER_COUNT;
	expect(&s, &w,
	       "count({__name__=\"process_resident_memory_bytes\","
	       "service_name=\"a\"})");
	w.meaning = METRIC_MEMORY_LIMIT;
	w.over = METRIC_OVER_SUM;
	s = source("kube_pod_container_resource_limits", false);
	expect(&s, &w,
	       "sum({__name__=\"kube_pod_container_resource_limits\","
	       "container=\"a\",resource=\"memory\"}>0)");
}

/* As people write it, a series for each service. */
static void test_by_service(void **state)
{
	struct metric_want w = { .meaning = METRIC_LATENCY,
				 .service = "a.b",
				 .quantile = 0.95,
				 .rate = "5m",
				 .is_by_service = true };
	struct metric_source s = source("traces_spanmetrics_latency", false);

	(void)state;
	expect(&s, &w,
	       "histogram_quantile(0.95, sum by (le, service) (rate(traces_"
	       "spanmetrics_latency_bucket{service=\"a.b\",span_kind=~\"SPAN_"
	       "KIND_(SERVER|CONSUMER)\"}[5m])))");
	w.service = NULL;
	w.services = "a\\.b|c";
	s = source("http_server_request_duration_seconds", true);
	s.label = "job";
	expect(&s, &w,
	       "label_replace(histogram_quantile(0.95, sum by (job) (rate(http_"
	       "server_request_duration_seconds{job=~\"(.+/)?(a\\\\.b|c)\"}"
	       "[5m]))), \"service\", \"$1\", \"job\", \"(?:.+/)?(.+)\")");
	assert_string_equal(metric_series_label(&s), "service");
	w.meaning = METRIC_REQUESTS;
	w.services = "$service";
	s.is_native = false;
	s.label = "service_name";
	expect(&s, &w,
	       "sum by (service_name) (rate(http_server_request_duration_"
	       "seconds_count{service_name=~\"$service\"}[5m]))");
	assert_string_equal(metric_series_label(&s), "service_name");
	w.services = NULL;
	s = source("http.server.request.duration", false);
	expect(&s, &w,
	       "sum by (service_name) (rate({__name__=\"http.server.request."
	       "duration_count\",service_name!=\"\"}[5m]))");
	w.meaning = METRIC_CPU_SHARE;
	s = source("run_googleapis_com:container_cpu_utilizations", false);
	expect(&s, &w,
	       "histogram_quantile(0.95, sum by (le, service_name) (rate(run_"
	       "googleapis_com:container_cpu_utilizations_bucket{service_"
	       "name!=\"\",monitored_resource=\"cloud_run_revision\"}[5m])))");
	w.meaning = METRIC_REQUESTS; /* its count is of measurements */
	assert_false(metric_name_tells(s.name, METRIC_REQUESTS));
	w.meaning = METRIC_MEMORY;
	s = source("process_resident_memory_bytes", false);
	expect(&s, &w,
	       "max by (service_name) (process_resident_memory_bytes{service_"
	       "name!=\"\"})");
	s.label = "job";
	expect(&s, &w,
	       "label_replace(max by (job) (process_resident_memory_bytes), "
	       "\"service\", \"$1\", \"job\", \"(?:.+/)?(.+)\")");
	w.meaning = METRIC_CPU;
	s = source("container_cpu_usage_seconds_total", false);
	w.rate = "5m";
	expect(&s, &w,
	       "sum by (container) (rate(container_cpu_usage_seconds_total{"
	       "container!=\"\",container!=\"POD\"}[5m]))");
}

/* What a platform is said to write is in the table. */
static void test_platforms(void **state)
{
	(void)state;
	for (const struct metric_platform *p = metric_platforms; p->name; p++) {
		struct metric_source sources[METRIC_MEANINGS] = { { NULL } };

		for (size_t i = 0; i < METRIC_PLATFORM_NAMES; i++) {
			struct metric_source s = {
				metric_name_find(str_from(p->metrics[i])),
				false, NULL
			};

			if (!p->metrics[i])
				continue;
			assert_non_null(s.name);
			s.label = metric_name_label(s.name);
			metric_source_take(sources, &s);
		}
		/* Kubernetes sees containers, no requests. */
		if (strcmp(p->name, "gke") != 0) {
			assert_non_null(sources[METRIC_LATENCY].name);
			assert_non_null(sources[METRIC_REQUESTS].name);
		}
		assert_true(sources[METRIC_CPU].name ||
			    sources[METRIC_CPU_SHARE].name);
		assert_true(sources[METRIC_MEMORY].name ||
			    sources[METRIC_MEMORY_SHARE].name);
	}
	assert_string_equal(
		metric_name_label(metric_name_find(
			STR("http_server_request_duration_seconds"))),
		"job");
	assert_string_equal(metric_name_label(metric_name_find(
				    STR("container_cpu_usage_seconds_total"))),
			    "container");
	assert_null(metric_name_find(STR("up")));
}

static void expect_filter(const struct metric_source *s,
			  const struct metric_want *w, const char *wanted)
{
	struct buf text;

	buf_init(&text, MIB);
	metric_filter(&text, s, w);
	assert_string_equal(buf_text(&text), wanted);
	buf_release(&text);
}

/* The same as Cloud Monitoring's own filters have it. */
static void test_filters(void **state)
{
	struct metric_want w = { .service = "a" };
	struct metric_source s =
		source("run_googleapis_com:container_cpu_utilizations", false);

	(void)state;
	expect_filter(&s, &w,
		      "metric.type = \"run.googleapis.com/container/cpu/"
		      "utilizations\" AND resource.type = \"cloud_run_"
		      "revision\" AND resource.labels.service_name = \"a\"");
	s = source("http_server_request_duration_seconds", false);
	s.label = "job";
	expect_filter(&s, &w,
		      "metric.type = \"prometheus.googleapis.com/http_server_"
		      "request_duration_seconds/histogram\" AND resource.type "
		      "= \"prometheus_target\" AND resource.labels.job = "
		      "monitoring.regex.full_match(\"(.+/)?a\")");
	assert_string_equal(metric_filter_scope(&s), "resource");
	w.service = NULL;
	w.services = "a\\.b|c";
	s = source("container_cpu_usage_seconds_total", false);
	expect_filter(&s, &w,
		      "metric.type = \"prometheus.googleapis.com/container_cpu_"
		      "usage_seconds_total/counter\" AND resource.type = "
		      "\"prometheus_target\" AND metric.labels.container = "
		      "monitoring.regex.full_match(\"(a\\\\.b|c)\") AND "
		      "metric.labels.container != \"\" AND "
		      "metric.labels.container != \"POD\"");
	assert_string_equal(metric_filter_scope(&s), "metric");
	w.services = NULL;
	s = source("traces_spanmetrics_calls_total", false);
	expect_filter(&s, &w,
		      "metric.type = \"prometheus.googleapis.com/traces_"
		      "spanmetrics_calls_total/counter\" AND resource.type = "
		      "\"prometheus_target\" AND metric.labels.span_kind = "
		      "monitoring.regex.full_match(\"SPAN_KIND_(SERVER|"
		      "CONSUMER)\")");
}

static void expect_part(const struct metric_indicator *i, enum metric_part part,
			const char *wanted)
{
	struct buf text;

	buf_init(&text, MIB);
	metric_part_expression(&text, i, part, "increase", NS_PER_HOUR);
	assert_string_equal(buf_text(&text), wanted);
	buf_release(&text);
}

static void test_parts(void **state)
{
	const struct str edges[] = { STR("1"), STR("1.0") };
	struct metric_indicator i = {
		.source = source("http_server_request_duration_seconds", false),
		.service = "web",
		.edges = edges,
		.edge_count = 1,
	};

	(void)state;
	expect_part(&i, METRIC_PART_ALL,
		    "sum(increase({__name__=\"http_server_request_duration_"
		    "seconds_count\",service_name=\"web\"}[1h]))");
	expect_part(&i, METRIC_PART_GOOD,
		    "sum(increase({__name__=\"http_server_request_duration_"
		    "seconds_bucket\",service_name=\"web\",le=\"1\"}[1h]))");
	i.edge_count = 2;
	i.tells_errors = true;
	expect_part(&i, METRIC_PART_GOOD,
		    "sum(increase({__name__=\"http_server_request_duration_"
		    "seconds_bucket\",service_name=\"web\",le=~\"1|1\\\\.0\","
		    "http_response_status_code!~\"5..\"}[1h]))");
	expect_part(&i, METRIC_PART_FAILED,
		    "sum(increase({__name__=\"http_server_request_duration_"
		    "seconds_count\",service_name=\"web\",http_response_status_"
		    "code=~\"5..\"}[1h]))");
	i.source.is_native = true;
	i.edge_count = 0;
	i.native_edge = 0.3;
	expect_part(&i, METRIC_PART_GOOD,
		    "histogram_fraction(0,0.3,sum(increase({__name__=\"http_"
		    "server_request_duration_seconds\",service_name=\"web\","
		    "http_response_status_code!~\"5..\"}[1h])))*histogram_count("
		    "sum(increase({__name__=\"http_server_request_duration_"
		    "seconds\",service_name=\"web\",http_response_status_code!~"
		    "\"5..\"}[1h])))");
	i.source = source("http.server.request.duration", false);
	i.native_edge = 0;
	expect_part(&i, METRIC_PART_FAILED,
		    "sum(increase({__name__=\"http.server.request.duration_"
		    "count\",service_name=\"web\",\"http.response.status_code\""
		    "=~\"5..\"}[1h]))");
}

/* What is no part of a metric is not answered without it. */
static void test_what_a_metric_cannot_tell(void **state)
{
	struct metric_source s =
		source("run_googleapis_com:request_count", false);
	struct metric_want w = { .meaning = METRIC_LATENCY, .service = "a" };
	struct buf text;

	(void)state;
	buf_init(&text, MIB);
	assert_false(metric_expression(&text, &s, &w));
	w.meaning = METRIC_REQUESTS;
	w.operation = "GET /";
	assert_false(metric_expression(&text, &s, &w));
	s.name = NULL;
	assert_false(metric_expression(&text, &s, &w));
	assert_int_equal(text.len, 0);
	buf_release(&text);
}

/* A row that lacks a part would be asked for in vain. */
static void test_rows_are_whole(void **state)
{
	(void)state;
	for (size_t i = 0; i < metric_name_count; i++) {
		const struct metric_name *n = &metric_names[i];

		assert_true(n->unit > 0);
		assert_non_null(n->from);
		assert_non_null(n->service_labels[0]);
		assert_true(!n->error_label == !n->error_values);
		assert_true(!!n->error_label == (n->meaning <= METRIC_LATENCY));
		assert_true(n->is_histogram ==
			    (n->meaning == METRIC_LATENCY ||
			     (n->meaning >= METRIC_CPU_SHARE &&
				  !metric_is_of_allocation(n->meaning))));
		assert_true(!n->cloud_type == !n->cloud_resource);
		if (i)
			assert_true(n->meaning >= n[-1].meaning);
	}
}

UNIT_TESTS(metric_names)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_expressions),
		cmocka_unit_test(test_instances),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_by_service),
		cmocka_unit_test(test_platforms),
		cmocka_unit_test(test_filters),
		cmocka_unit_test(test_what_a_metric_cannot_tell),
		cmocka_unit_test(test_rows_are_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
