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
#define OF_SPANS                                                               \
	.operation_label = "span_name", .matchers = SERVED,                    \
	.error_label = "status_code", .error_values = "STATUS_CODE_ERROR"
/* What the conventions call the server's own failures: of HTTP 5xx, of gRPC
 * unknown, deadline exceeded, unimplemented, internal, unavailable, data loss. */
#define OF_HTTP(label) .error_label = (label), .error_values = "5.."
#define OF_RUN .error_label = "response_code_class", .error_values = "5xx"
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
	  .service_labels = { "service_name" },
	  OF_RUN },

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
	  OF_PROCESS,
	  OF_HTTP("http_response_status_code") },
	{ .name = "http.server.request.duration",
	  .from = "OpenTelemetry HTTP, untranslated",
	  .meaning = METRIC_LATENCY,
	  .is_histogram = true,
	  .unit = 1,
	  OF_PROCESS,
	  OF_HTTP("http.response.status_code") },
	{ .name = "http_server_duration_milliseconds",
	  .from = "OpenTelemetry HTTP before 1.23",
	  .meaning = METRIC_LATENCY,
	  .is_histogram = true,
	  .unit = 1e-3,
	  .operation_label = "http_route",
	  OF_PROCESS,
	  OF_HTTP("http_status_code") },
	{ .name = "rpc_server_duration_milliseconds",
	  .from = "OpenTelemetry RPC",
	  .meaning = METRIC_LATENCY,
	  .is_histogram = true,
	  .unit = 1e-3,
	  .operation_label = "rpc_method",
	  OF_PROCESS,
	  .error_label = "rpc_grpc_status_code",
	  .error_values = "2|4|12|13|14|15" },
	{ .name = "run_googleapis_com:request_latencies",
	  .from = "Cloud Run",
	  .meaning = METRIC_LATENCY,
	  .is_histogram = true,
	  .is_cloud = true,
	  .unit = 1e-3,
	  .service_labels = { "service_name" },
	  OF_RUN },

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
static void add_literal(struct buf *out, struct str text)
{
	for (size_t i = 0; i < text.len; i++) {
		if (strchr("\\.+*?()|[]{}^$", text.ptr[i]))
			buf_add_char(out, '\\');
		buf_add_char(out, text.ptr[i]);
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
	add_literal(&pattern, str_from(service));
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

/* Without the closing brace. */
static void begin_selector(struct buf *list, const struct metric_source *s,
			   const char *suffix, const char *service,
			   const char *operation)
{
	const struct metric_name *n = s->name;

	buf_init(list, LIMIT_SELECTOR_BYTES);
	buf_addf(list, "{__name__=\"%s%s\"", n->name, suffix);
	if (service)
		add_service(list, s->label, service);
	if (operation && n->operation_label)
		selector_add(list, str_from(n->operation_label),
			     operation_value(n, operation));
	if (n->matchers)
		buf_addf(list, ",%s", n->matchers);
}

static void end_selector(struct buf *list, struct buf *out)
{
	selector_close(list);
	buf_add_str(out, buf_str(list));
	buf_release(list);
}

static void add_selector(struct buf *out, const struct metric_source *s,
			 const char *suffix, const char *service,
			 const char *operation)
{
	struct buf list;

	begin_selector(&list, s, suffix, service, operation);
	end_selector(&list, out);
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

/* ---- parts of all requests ---- */

static void add_edges(struct buf *list, const struct metric_indicator *i)
{
	struct buf pattern;

	if (i->edge_count == 1) {
		selector_add(list, STR("le"), i->edges[0]);
		return;
	}
	buf_init(&pattern, LIMIT_SELECTOR_BYTES);
	for (size_t k = 0; k < i->edge_count; k++) {
		buf_add_text(&pattern, k ? "|" : "");
		add_literal(&pattern, i->edges[k]);
	}
	selector_match(list, STR("le"), "=~", buf_str(&pattern));
	buf_release(&pattern);
}

static void add_part(struct buf *out, const struct metric_indicator *i,
		     enum metric_part part, const char *function,
		     int64_t window_ns)
{
	bool is_bucket = part == METRIC_PART_GOOD && i->edge_count;
	const struct metric_name *n = i->source.name;
	char window[32];
	struct buf list;

	begin_selector(&list, &i->source,
		       is_bucket ? "_bucket" : count_suffix(&i->source),
		       i->service, i->operation);
	if (is_bucket)
		add_edges(&list, i);
	if (part != METRIC_PART_ALL && i->tells_errors)
		selector_match(&list, str_from(n->error_label),
			       part == METRIC_PART_GOOD ? "!~" : "=~",
			       str_from(n->error_values));
	format_duration_option(window_ns, window);
	buf_addf(out, "sum(%s(", function);
	end_selector(&list, out);
	buf_addf(out, "[%s]))", window);
}

void metric_part_expression(struct buf *out, const struct metric_indicator *i,
			    enum metric_part part, const char *function,
			    int64_t window_ns)
{
	if (!i->source.is_native) {
		add_part(out, i, part, function, window_ns);
		return;
	}
	if (part == METRIC_PART_GOOD && i->native_edge > 0) {
		buf_addf(out, "histogram_fraction(0,%.10g,", i->native_edge);
		add_part(out, i, part, function, window_ns);
		buf_add_text(out, ")*");
	}
	buf_add_text(out, "histogram_count(");
	add_part(out, i, part, function, window_ns);
	buf_add_char(out, ')');
}

void metric_edges_expression(struct buf *out, const struct metric_indicator *i,
			     int64_t window_ns)
{
	char window[32];

	format_duration_option(window_ns, window);
	buf_add_text(out, "count by (le) (last_over_time(");
	add_selector(out, &i->source, "_bucket", i->service, i->operation);
	buf_addf(out, "[%s]))", window);
}

void metric_errors_expression(struct buf *out, const struct metric_indicator *i,
			      int64_t window_ns)
{
	char window[32];
	struct buf list;

	begin_selector(&list, &i->source, count_suffix(&i->source), i->service,
		       i->operation);
	selector_match(&list, str_from(i->source.name->error_label), "!=",
		       STR(""));
	format_duration_option(window_ns, window);
	buf_add_text(out, "count(last_over_time(");
	end_selector(&list, out);
	buf_addf(out, "[%s]))", window);
}
