/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/metric_names.h"

#include <string.h>

#include "backend/selector.h"
#include "base/count.h"
#include "base/timefmt.h"

/* Names: Tempo's generator (modules/generator/processor/spanmetrics), the
 * collector's spanmetrics connector, OpenTelemetry's conventions for HTTP and
 * RPC as Prometheus translates them (semantic-conventions; the older HTTP names
 * are those before 1.23), cAdvisor, kube-state-metrics, Prometheus' client
 * libraries, Cloud Run and GKE as Cloud Monitoring's PromQL calls them. */
#define SERVED "span_kind=~\"SPAN_KIND_(SERVER|CONSUMER)\""
#define CONTAINED "container!=\"\",container!=\"POD\""
#define OTEL_SERVICE                                                           \
	{                                                                      \
		"service_name", "job", "exported_job"                          \
	}
#define IN_POD                                                                 \
	{                                                                      \
		"container", "pod"                                             \
	}
#define OF_SPANS .operation_label = "span_name", .matchers = SERVED
#define OF_PROCESS .service_labels = OTEL_SERVICE

const struct metric_name metric_names[] = {
	{ .name = "traces_spanmetrics_calls_total",
	  .from = "Tempo's span metrics",
	  .meaning = METRIC_REQUESTS,
	  .is_counter = true,
	  .unit = 1,
	  .service_labels = { "service" },
	  OF_SPANS },
	{ .name = "traces_span_metrics_calls_total",
	  .from = "the collector's span metrics",
	  .meaning = METRIC_REQUESTS,
	  .is_counter = true,
	  .unit = 1,
	  .service_labels = OTEL_SERVICE,
	  OF_SPANS },
	{ .name = "calls_total",
	  .from = "the collector's span metrics without a namespace",
	  .meaning = METRIC_REQUESTS,
	  .is_counter = true,
	  .unit = 1,
	  .service_labels = { "service_name" },
	  OF_SPANS },
	{ .name = "run_googleapis_com:request_count",
	  .from = "Cloud Run",
	  .meaning = METRIC_REQUESTS,
	  .is_counter = true,
	  .is_cloud = true,
	  .unit = 1,
	  .service_labels = { "service_name" } },

	{ .name = "traces_spanmetrics_latency",
	  .from = "Tempo's span metrics",
	  .meaning = METRIC_LATENCY,
	  .is_histogram = true,
	  .unit = 1,
	  .service_labels = { "service" },
	  OF_SPANS },
	{ .name = "traces_span_metrics_duration_milliseconds",
	  .from = "the collector's span metrics",
	  .meaning = METRIC_LATENCY,
	  .is_histogram = true,
	  .unit = 1e-3,
	  .service_labels = OTEL_SERVICE,
	  OF_SPANS },
	{ .name = "traces_span_metrics_duration_seconds",
	  .from = "the collector's span metrics",
	  .meaning = METRIC_LATENCY,
	  .is_histogram = true,
	  .unit = 1,
	  .service_labels = OTEL_SERVICE,
	  OF_SPANS },
	{ .name = "duration_milliseconds",
	  .from = "the collector's span metrics without a namespace",
	  .meaning = METRIC_LATENCY,
	  .is_histogram = true,
	  .unit = 1e-3,
	  .service_labels = { "service_name" },
	  OF_SPANS },
	{ .name = "http_server_request_duration_seconds",
	  .from = "OpenTelemetry HTTP",
	  .meaning = METRIC_LATENCY,
	  .is_histogram = true,
	  .unit = 1,
	  .operation_label = "http_route",
	  OF_PROCESS },
	{ .name = "http.server.request.duration",
	  .from = "OpenTelemetry HTTP, untranslated",
	  .meaning = METRIC_LATENCY,
	  .is_histogram = true,
	  .unit = 1,
	  OF_PROCESS },
	{ .name = "http_server_duration_milliseconds",
	  .from = "OpenTelemetry HTTP before 1.23",
	  .meaning = METRIC_LATENCY,
	  .is_histogram = true,
	  .unit = 1e-3,
	  .operation_label = "http_route",
	  OF_PROCESS },
	{ .name = "rpc_server_duration_milliseconds",
	  .from = "OpenTelemetry RPC",
	  .meaning = METRIC_LATENCY,
	  .is_histogram = true,
	  .unit = 1e-3,
	  .operation_label = "rpc_method",
	  OF_PROCESS },
	{ .name = "run_googleapis_com:request_latencies",
	  .from = "Cloud Run",
	  .meaning = METRIC_LATENCY,
	  .is_histogram = true,
	  .is_cloud = true,
	  .unit = 1e-3,
	  .service_labels = { "service_name" } },

	{ .name = "container_cpu_usage_seconds_total",
	  .from = "cAdvisor",
	  .meaning = METRIC_CPU,
	  .is_counter = true,
	  .unit = 1,
	  .service_labels = IN_POD,
	  .matchers = CONTAINED },
	{ .name = "process_cpu_seconds_total",
	  .from = "Prometheus client libraries",
	  .meaning = METRIC_CPU,
	  .is_counter = true,
	  .unit = 1,
	  OF_PROCESS },
	{ .name = "process_cpu_time_seconds_total",
	  .from = "OpenTelemetry process metrics",
	  .meaning = METRIC_CPU,
	  .is_counter = true,
	  .unit = 1,
	  OF_PROCESS },
	{ .name = "kubernetes_io:container_cpu_core_usage_time",
	  .from = "GKE",
	  .meaning = METRIC_CPU,
	  .is_counter = true,
	  .is_cloud = true,
	  .unit = 1,
	  .service_labels = { "container_name", "pod_name" } },

	{ .name = "container_memory_working_set_bytes",
	  .from = "cAdvisor",
	  .meaning = METRIC_MEMORY,
	  .unit = 1,
	  .service_labels = IN_POD,
	  .matchers = CONTAINED },
	{ .name = "process_resident_memory_bytes",
	  .from = "Prometheus client libraries",
	  .meaning = METRIC_MEMORY,
	  .unit = 1,
	  OF_PROCESS },
	{ .name = "process_memory_usage_bytes",
	  .from = "OpenTelemetry process metrics",
	  .meaning = METRIC_MEMORY,
	  .unit = 1,
	  OF_PROCESS },
	{ .name = "kubernetes_io:container_memory_used_bytes",
	  .from = "GKE",
	  .meaning = METRIC_MEMORY,
	  .is_cloud = true,
	  .unit = 1,
	  .service_labels = { "container_name", "pod_name" },
	  .matchers = "memory_type=\"non-evictable\"" },

	{ .name = "kube_pod_container_resource_limits",
	  .from = "kube-state-metrics",
	  .meaning = METRIC_MEMORY_LIMIT,
	  .unit = 1,
	  .service_labels = IN_POD,
	  .matchers = "resource=\"memory\"" },
	{ .name = "container_spec_memory_limit_bytes",
	  .from = "cAdvisor",
	  .meaning = METRIC_MEMORY_LIMIT,
	  .unit = 1,
	  .service_labels = IN_POD,
	  .matchers = CONTAINED },
	{ .name = "kubernetes_io:container_memory_limit_bytes",
	  .from = "GKE",
	  .meaning = METRIC_MEMORY_LIMIT,
	  .is_cloud = true,
	  .unit = 1,
	  .service_labels = { "container_name", "pod_name" } },
};

const size_t metric_name_count = COUNT_OF(metric_names);

const char *metric_meaning_name(enum metric_meaning meaning)
{
	static const char *const names[METRIC_MEANINGS] = {
		[METRIC_REQUESTS] = "requests",
		[METRIC_LATENCY] = "latency",
		[METRIC_CPU] = "cpu",
		[METRIC_MEMORY] = "memory",
		[METRIC_MEMORY_LIMIT] = "memory limit",
	};

	return names[meaning];
}

bool metric_name_tells(const struct metric_name *name,
		       enum metric_meaning meaning)
{
	return name->meaning == meaning ||
	       (meaning == METRIC_REQUESTS && name->is_histogram);
}

/* ---- selectors ---- */

/* A text as a regular expression of RE2 that matches it alone. */
static void add_literal(struct buf *out, const char *text)
{
	for (; *text; text++) {
		if (strchr("\\.+*?()|[]{}^$", *text))
			buf_add_char(out, '\\');
		buf_add_char(out, *text);
	}
}

/* Jobs may be called "namespace/service", pods "service-5d9c7-x2x". */
static void add_service(struct buf *out, const char *label, const char *service)
{
	bool is_job = !strcmp(label, "job") || !strcmp(label, "exported_job");
	bool is_pod = !strncmp(label, "pod", 3);
	struct buf pattern;

	if (!is_job && !is_pod) {
		selector_add(out, str_from(label), str_from(service));
		return;
	}
	buf_init(&pattern, LIMIT_SELECTOR_BYTES);
	buf_add_text(&pattern, is_job ? "(.+/)?" : "");
	add_literal(&pattern, service);
	buf_add_text(&pattern, is_pod ? "-.+" : "");
	selector_match(out, str_from(label), "=~", buf_str(&pattern));
	buf_release(&pattern);
}

/* The route of "GET /cart" stands in a label without the method. */
static struct str operation_value(const struct metric_name *n,
				  const char *operation)
{
	const char *route = strstr(operation, " /");

	return str_from(!strcmp(n->operation_label, "http_route") && route
				? route + 1
				: operation);
}

static void add_selector(struct buf *out, const struct metric_source *s,
			 const char *suffix, const char *service,
			 const char *operation)
{
	const struct metric_name *n = s->name;
	struct buf list;

	buf_init(&list, LIMIT_SELECTOR_BYTES);
	buf_addf(&list, "{__name__=\"%s%s\"", n->name, suffix);
	if (service)
		add_service(&list, s->label, service);
	if (operation && n->operation_label)
		selector_add(&list, str_from(n->operation_label),
			     operation_value(n, operation));
	if (n->matchers)
		buf_addf(&list, ",%s", n->matchers);
	selector_close(&list);
	buf_add_str(out, buf_str(&list));
	buf_release(&list);
}

static const char *count_suffix(const struct metric_source *s)
{
	return s->name->is_histogram && !s->is_native ? "_count" : "";
}

void metric_selector(struct buf *out, const struct metric_source *source,
		     const char *service)
{
	add_selector(out, source, count_suffix(source), service, NULL);
}

void metric_listed_name(struct buf *out, const struct metric_source *source)
{
	buf_addf(out, "%s%s", source->name->name, count_suffix(source));
}

void metric_exemplars(struct buf *out, const struct metric_source *source,
		      const char *service, const char *operation)
{
	add_selector(out, source, source->is_native ? "" : "_bucket", service,
		     operation);
}

/* ---- expressions ---- */

static void add_rate(struct buf *out, const struct metric_source *s,
		     const char *suffix, const struct metric_want *w)
{
	buf_add_text(out, "rate(");
	add_selector(out, s, suffix, w->service, w->operation);
	buf_addf(out, "[%llds])", (long long)(w->rate_ns / NS_PER_S));
}

static void add_quantile(struct buf *out, const struct metric_source *s,
			 const struct metric_want *w)
{
	buf_addf(out, "histogram_quantile(%g,sum%s(", w->quantile,
		 s->is_native ? "" : " by (le) ");
	add_rate(out, s, s->is_native ? "" : "_bucket", w);
	buf_add_text(out, "))");
}

static void add_count(struct buf *out, const struct metric_source *s,
		      const struct metric_want *w)
{
	buf_add_text(out, s->is_native ? "histogram_count(sum(" : "sum(");
	add_rate(out, s, count_suffix(s), w);
	buf_add_text(out, s->is_native ? "))" : ")");
}

/* Of several instances the one that is nearest to its end. 0 stands for no
 * limit. */
static void add_gauge(struct buf *out, const struct metric_source *s,
		      const struct metric_want *w)
{
	bool is_limit = w->meaning == METRIC_MEMORY_LIMIT;

	buf_add_text(out, is_limit ? "min(" : "max(");
	add_selector(out, s, "", w->service, NULL);
	buf_add_text(out, is_limit ? ">0)" : ")");
}

bool metric_expression(struct buf *out, const struct metric_source *source,
		       const struct metric_want *want)
{
	const struct metric_name *n = source->name;

	if (!n || !metric_name_tells(n, want->meaning) ||
	    (want->operation && !n->operation_label))
		return false;
	if (want->meaning == METRIC_LATENCY)
		add_quantile(out, source, want);
	else if (n->is_counter || n->is_histogram)
		add_count(out, source, want);
	else
		add_gauge(out, source, want);
	return true;
}
