/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/metrics.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "backend/jobs.h"
#include "backend/metric_backend.h"
#include "backend/selector.h"
#include "backend/source.h"
#include "backend/table.h"
#include "base/buf.h"
#include "base/num.h"
#include "base/str.h"
#include "base/timefmt.h"

/* Queries to the metrics server, as jobs. */

const struct metric_backend *backends_metrics(const struct backends *b)
{
	const struct backend_row *row = b->metrics.row;

	return (row && row->metrics ? row : metrics_row())->metrics;
}

static bool check_steps(const struct metric_query *q, struct error *err)
{
	int64_t steps;

	if (q->ask != METRIC_ASK_RANGE)
		return true;
	steps = q->step_ns >= NS_PER_S
			? (q->range.to_ns - q->range.from_ns) / q->step_ns
			: INT64_MAX;
	return steps <= LIMIT_METRIC_STEPS ||
	       error_set(err, ERROR_LIMIT,
			 "metrics over more than %u steps: use a shorter "
			 "window",
			 LIMIT_METRIC_STEPS);
}

bool metrics_request(const struct backends *b, const struct metric_query *query,
		     struct http_request *request, struct error *err)
{
	const struct endpoint *e = &b->metrics.endpoint;
	struct buf path;

	project_path_init(&path, e, LIMIT_URL_BYTES);
	backends_metrics(b)->path(query, &path);
	if (!request_fill(request, e, "GET", &path, NULL, err))
		return false;
	request->accept = "application/json";
	return true;
}

static bool metrics_job_request(struct job *job, struct backends *b,
				struct http_request *request, struct error *err)
{
	struct metric_job *m = (struct metric_job *)job;

	if (!check_steps(&m->query, err) ||
	    !metrics_request(b, &m->query, request, err))
		return false;
	request->is_optional = m->is_extra;
	return true;
}

static bool metrics_job_answer(struct job *job, struct backends *b,
			       const struct http_response *response)
{
	struct metric_job *m = (struct metric_job *)job;
	const struct metric_backend *server = backends_metrics(b);

	job->has_answer =
		server->answer(&m->query, &b->metrics.endpoint, response,
			       b->arena, &m->answer, &job->err) == ANSWER_OK;
	if (job->has_answer && m->answer.warning_count)
		notes_add(b->notes, "%s warns: %.*s", server->title,
			  STR_ARGS(m->answer.warning));
	return true;
}

void metric_job_init(struct metric_job *m, const struct metric_query *query)
{
	static const struct job_type type = { .request = metrics_job_request,
					      .answer = metrics_job_answer,
					      .about = ABOUT_METRIC };
	static const struct job_type exemplars = { .request =
							   metrics_job_request,
						   .answer = metrics_job_answer,
						   .about = ABOUT_METRIC,
						   .is_newer = true };

	*m = (struct metric_job){
		.job.type = query->ask == METRIC_ASK_EXEMPLARS ? &exemplars
							       : &type,
		.query = *query,
	};
}

/* Sources of the names: Tempo's generator
 * (modules/generator/processor/spanmetrics), the collector's spanmetrics
 * connector, OpenTelemetry's conventions for HTTP and RPC as Prometheus
 * translates them (semantic-conventions; the older HTTP names are those before
 * 1.23), cAdvisor, kube-state-metrics, Prometheus' client libraries, Cloud Run
 * and GKE as in Cloud Monitoring's PromQL. */
#define SERVED                                                                 \
	{                                                                      \
		{                                                              \
			"span_kind", "=~", "SPAN_KIND_(SERVER|CONSUMER)"       \
		}                                                              \
	}
#define CONTAINED                                                              \
	{                                                                      \
		{ "container", "!=", "" },                                     \
		{                                                              \
			"container", "!=", "POD"                               \
		}                                                              \
	}
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
/* Values for server errors in the conventions: HTTP 5xx; gRPC unknown, deadline
 * exceeded, unimplemented, internal, unavailable, data loss. */
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
	  .cloud_type = "run.googleapis.com/request_count",
	  .cloud_resource = "cloud_run_revision",
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
	  .cloud_type = "run.googleapis.com/request_latencies",
	  .cloud_resource = "cloud_run_revision",
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
	  .cloud_type = "kubernetes.io/container/cpu/core_usage_time",
	  .cloud_resource = "k8s_container",
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
	  .cloud_type = "kubernetes.io/container/memory/used_bytes",
	  .cloud_resource = "k8s_container",
	  .unit = 1,
	  .service_labels = { "container_name", "pod_name" },
	  .matchers = { { "memory_type", "=", "non-evictable" } } },

	{ .name = "kube_pod_container_resource_limits",
	  .from = "kube-state-metrics",
	  .meaning = METRIC_MEMORY_LIMIT,
	  .unit = 1,
	  .service_labels = IN_POD,
	  .matchers = { { "resource", "=", "memory" } } },
	{ .name = "container_spec_memory_limit_bytes",
	  .from = "cAdvisor",
	  .meaning = METRIC_MEMORY_LIMIT,
	  .unit = 1,
	  .service_labels = IN_POD,
	  .matchers = CONTAINED },
	{ .name = "kubernetes_io:container_memory_limit_bytes",
	  .from = "GKE",
	  .meaning = METRIC_MEMORY_LIMIT,
	  .cloud_type = "kubernetes.io/container/memory/limit_bytes",
	  .cloud_resource = "k8s_container",
	  .unit = 1,
	  .service_labels = { "container_name", "pod_name" } },

	/* Also for jobs and worker pools of Cloud Run. */
	{ .name = "run_googleapis_com:container_cpu_utilizations",
	  .from = "Cloud Run",
	  .meaning = METRIC_CPU_SHARE,
	  .is_histogram = true,
	  .cloud_type = "run.googleapis.com/container/cpu/utilizations",
	  .cloud_resource = "cloud_run_revision",
	  .unit = 1,
	  .service_labels = { "service_name" },
	  .matchers = { { "monitored_resource", "=", "cloud_run_revision" } } },
	{ .name = "run_googleapis_com:container_memory_utilizations",
	  .from = "Cloud Run",
	  .meaning = METRIC_MEMORY_SHARE,
	  .is_histogram = true,
	  .cloud_type = "run.googleapis.com/container/memory/utilizations",
	  .cloud_resource = "cloud_run_revision",
	  .unit = 1,
	  .service_labels = { "service_name" },
	  .matchers = { { "monitored_resource", "=", "cloud_run_revision" } } },

	{ .name = "kube_pod_container_resource_limits",
	  .from = "kube-state-metrics",
	  .meaning = METRIC_CPU_LIMIT,
	  .unit = 1,
	  .service_labels = IN_POD,
	  .matchers = { { "resource", "=", "cpu" } } },
	{ .name = "kubernetes_io:container_cpu_limit_cores",
	  .from = "GKE",
	  .meaning = METRIC_CPU_LIMIT,
	  .cloud_type = "kubernetes.io/container/cpu/limit_cores",
	  .cloud_resource = "k8s_container",
	  .unit = 1,
	  .service_labels = { "container_name", "pod_name" } },
	{ .name = "kube_pod_container_resource_requests",
	  .from = "kube-state-metrics",
	  .meaning = METRIC_CPU_REQUEST,
	  .unit = 1,
	  .service_labels = IN_POD,
	  .matchers = { { "resource", "=", "cpu" } } },
	{ .name = "kubernetes_io:container_cpu_request_cores",
	  .from = "GKE",
	  .meaning = METRIC_CPU_REQUEST,
	  .cloud_type = "kubernetes.io/container/cpu/request_cores",
	  .cloud_resource = "k8s_container",
	  .unit = 1,
	  .service_labels = { "container_name", "pod_name" } },
	{ .name = "kube_pod_container_resource_requests",
	  .from = "kube-state-metrics",
	  .meaning = METRIC_MEMORY_REQUEST,
	  .unit = 1,
	  .service_labels = IN_POD,
	  .matchers = { { "resource", "=", "memory" } } },
	{ .name = "kubernetes_io:container_memory_request_bytes",
	  .from = "GKE",
	  .meaning = METRIC_MEMORY_REQUEST,
	  .cloud_type = "kubernetes.io/container/memory/request_bytes",
	  .cloud_resource = "k8s_container",
	  .unit = 1,
	  .service_labels = { "container_name", "pod_name" } },
	{ .name = "run_googleapis_com:container_billable_instance_time",
	  .from = "Cloud Run",
	  .meaning = METRIC_INSTANCES,
	  .is_counter = true,
	  .cloud_type = "run.googleapis.com/container/billable_instance_time",
	  .cloud_resource = "cloud_run_revision",
	  .unit = 1,
	  .service_labels = { "service_name" },
	  .matchers = { { "monitored_resource", "=", "cloud_run_revision" } } },
	{ .name = "container_cpu_cfs_periods_total",
	  .from = "cAdvisor",
	  .meaning = METRIC_CPU_PERIODS,
	  .is_counter = true,
	  .unit = 1,
	  .service_labels = IN_POD,
	  .matchers = CONTAINED },
	{ .name = "container_cpu_cfs_throttled_periods_total",
	  .from = "cAdvisor",
	  .meaning = METRIC_CPU_THROTTLED,
	  .is_counter = true,
	  .unit = 1,
	  .service_labels = IN_POD,
	  .matchers = CONTAINED },
};

const size_t metric_name_count = COUNT_OF(metric_names);

/* The metric names that mean requests, latency, CPU, memory and its limit, and
 * their PromQL. To support another producer's names, only the table has to be
 * extended. */

const char *metric_meaning_name(enum metric_meaning meaning)
{
	static const char *const names[METRIC_MEANINGS] = {
		[METRIC_REQUESTS] = "requests",
		[METRIC_LATENCY] = "latency",
		[METRIC_CPU] = "cpu",
		[METRIC_MEMORY] = "memory",
		[METRIC_MEMORY_LIMIT] = "memory limit",
		[METRIC_CPU_SHARE] = "cpu share",
		[METRIC_MEMORY_SHARE] = "memory share",
		[METRIC_CPU_LIMIT] = "cpu limit",
		[METRIC_CPU_REQUEST] = "cpu request",
		[METRIC_MEMORY_REQUEST] = "memory request",
		[METRIC_INSTANCES] = "instances",
		[METRIC_CPU_PERIODS] = "cpu periods",
		[METRIC_CPU_THROTTLED] = "cpu throttled",
	};

	return names[meaning];
}

bool metric_name_tells(const struct metric_name *name,
		       enum metric_meaning meaning)
{
	return name->meaning == meaning ||
	       (meaning == METRIC_REQUESTS && name->meaning == METRIC_LATENCY);
}

void metric_source_take(struct metric_source sources[METRIC_MEANINGS],
			const struct metric_source *source)
{
	for (int i = 0; i < METRIC_MEANINGS; i++)
		if (!sources[i].name &&
		    metric_name_tells(source->name, (enum metric_meaning)i))
			sources[i] = *source;
}

const struct metric_name *metric_name_find(struct str name)
{
	for (size_t i = 0; i < metric_name_count; i++)
		if (str_equal(name, str_from(metric_names[i].name)))
			return &metric_names[i];
	return NULL;
}

static bool is_job(const char *label)
{
	return !strcmp(label, "job") || !strcmp(label, "exported_job");
}

const char *metric_name_label(const struct metric_name *name)
{
	for (size_t i = 0; i < METRIC_SERVICE_LABELS; i++)
		if (name->service_labels[i] && is_job(name->service_labels[i]))
			return name->service_labels[i];
	return name->service_labels[0];
}

const struct metric_platform metric_platforms[] = {
	{ "cloud-run",
	  { "run_googleapis_com:request_count",
	    "run_googleapis_com:request_latencies",
	    "run_googleapis_com:container_cpu_utilizations",
	    "run_googleapis_com:container_memory_utilizations" } },
	{ "gke",
	  { "kubernetes_io:container_cpu_core_usage_time",
	    "kubernetes_io:container_memory_used_bytes" } },
	{ "otel",
	  { "http_server_request_duration_seconds",
	    "process_cpu_time_seconds_total", "process_memory_usage_bytes" } },
	{ "tempo",
	  { "traces_spanmetrics_calls_total", "traces_spanmetrics_latency",
	    "container_cpu_usage_seconds_total",
	    "container_memory_working_set_bytes" } },
	{ NULL, { NULL } },
};

/* ---- selectors ---- */

/* Appends a text as an RE2 pattern that matches only it. */
static void add_literal(struct buf *out, struct str text)
{
	for (size_t i = 0; i < text.len; i++) {
		if (strchr("\\.+*?()|[]{}^$", text.ptr[i]))
			buf_add_char(out, '\\');
		buf_add_char(out, text.ptr[i]);
	}
}

void metric_services_pattern(struct buf *out, const char *const *services,
			     size_t count)
{
	for (size_t i = 0; i < count; i++) {
		buf_add_text(out, i ? "|" : "");
		add_literal(out, str_from(services[i]));
	}
}

/* Appends an RE2 pattern of the label's values for the wanted services: jobs
 * may be called "namespace/service", pods "service-5d9c7-x2x". */
static void metric_service_pattern(struct buf *out, const char *label,
				   const struct metric_want *want)
{
	bool is_pod = !strncmp(label, "pod", 3);

	buf_add_text(out, is_job(label) ? "(.+/)?" : "");
	if (want->services)
		buf_addf(out, strchr(want->services, '|') ? "(%s)" : "%s",
			 want->services);
	else
		add_literal(out, str_from(want->service));
	buf_add_text(out, is_pod ? "-.+" : "");
}

static void add_service(struct buf *out, const char *label,
			const struct metric_want *w)
{
	struct buf pattern;

	if (!w->services && !is_job(label) && strncmp(label, "pod", 3) != 0) {
		selector_add(out, str_from(label), str_from(w->service));
		return;
	}
	buf_init(&pattern, LIMIT_SELECTOR_BYTES);
	metric_service_pattern(&pattern, label, w);
	selector_match(out, str_from(label), "=~", buf_str(&pattern));
	buf_release(&pattern);
}

/* A label has the route of "GET /cart" without the method. */
static struct str operation_value(const struct metric_name *n,
				  const char *operation)
{
	const char *route = strstr(operation, " /");

	return str_from(!strcmp(n->operation_label, "http_route") && route
				? route + 1
				: operation);
}

/* Returns whether the name needs no quotes, which older servers refuse. */
static bool is_plain_name(const char *name)
{
	for (; *name; name++)
		if (*name != '_' && *name != ':' && !ascii_is_alnum(*name))
			return false;
	return true;
}

/* Adds matchers; for all services, series without one are excluded; "job"
 * always exists. */
static void add_matchers(struct buf *out, const struct metric_source *s,
			 const struct metric_want *w)
{
	const struct metric_name *n = s->name;
	size_t i = 0;

	while (i < METRIC_MATCHERS && n->matchers[i].label &&
	       strcmp(n->matchers[i].label, s->label))
		i++;
	if (w->service || w->services)
		add_service(out, s->label, w);
	else if (w->is_by_service && !is_job(s->label) &&
		 (i == METRIC_MATCHERS || !n->matchers[i].label))
		selector_match(out, str_from(s->label), "!=", STR(""));
	if (w->operation && n->operation_label)
		selector_add(out, str_from(n->operation_label),
			     operation_value(n, w->operation));
	for (i = 0; i < METRIC_MATCHERS && n->matchers[i].label; i++)
		selector_match(out, str_from(n->matchers[i].label),
			       n->matchers[i].op,
			       str_from(n->matchers[i].value));
}

/* Begins a selector, with the name before the list of matchers for readability;
 * without the closing brace. */
static void begin_selector(struct buf *out, struct buf *list,
			   const struct metric_source *s, const char *suffix,
			   const struct metric_want *w)
{
	buf_init(list, LIMIT_SELECTOR_BYTES);
	if (w->is_by_service && is_plain_name(s->name->name))
		buf_addf(out, "%s%s", s->name->name, suffix);
	else
		buf_addf(list, "{__name__=\"%s%s\"", s->name->name, suffix);
	add_matchers(list, s, w);
}

static void end_selector(struct buf *list, struct buf *out)
{
	if (list->len)
		selector_close(list);
	buf_add_str(out, buf_str(list));
	buf_release(list);
}

static void add_selector(struct buf *out, const struct metric_source *s,
			 const char *suffix, const struct metric_want *w)
{
	struct buf list;

	begin_selector(out, &list, s, suffix, w);
	end_selector(&list, out);
}

static const char *count_suffix(const struct metric_source *s)
{
	return s->name->is_histogram && !s->is_native ? "_count" : "";
}

void metric_selector(struct buf *out, const struct metric_source *source,
		     const struct metric_want *want)
{
	add_selector(out, source, count_suffix(source), want);
}

void metric_listed_name(struct buf *out, const struct metric_source *source)
{
	buf_addf(out, "%s%s", source->name->name, count_suffix(source));
}

void metric_exemplars(struct buf *out, const struct metric_source *source,
		      const char *service, const char *operation)
{
	const struct metric_want want = { .service = service,
					  .operation = operation };

	add_selector(out, source, source->is_native ? "" : "_bucket", &want);
}

/* ---- expressions ---- */

static void add_rate(struct buf *out, const struct metric_source *s,
		     const char *suffix, const struct metric_want *w)
{
	buf_add_text(out, "rate(");
	add_selector(out, s, suffix, w);
	if (w->rate)
		buf_addf(out, "[%s])", w->rate);
	else
		buf_addf(out, "[%llds])", (long long)(w->rate_ns / NS_PER_S));
}

/* Appends "sum by (le, job) (": by bucket, by service, or over all. */
static void open_sum(struct buf *out, const char *function, bool has_buckets,
		     const struct metric_source *s, const struct metric_want *w)
{
	const char *joint = has_buckets && w->is_by_service ? ", " : "";

	buf_add_text(out, function);
	if (has_buckets || w->is_by_service)
		buf_addf(out, " by (%s%s%s) ", has_buckets ? "le" : "", joint,
			 w->is_by_service ? s->label : "");
	buf_add_char(out, '(');
}

/* Appends the gauge; for several instances that of the one nearest to its
 * limit. 0 means no limit. */
static void add_gauge(struct buf *out, const struct metric_source *s,
		      const struct metric_want *w)
{
	static const char *const over[] = {
		[METRIC_OVER_SUM] = "sum",
		[METRIC_OVER_COUNT] = "count",
		[METRIC_OVER_NONE] = "",
	};
	bool is_limit = w->meaning == METRIC_MEMORY_LIMIT;

	open_sum(out,
		 w->over    ? over[w->over]
		 : is_limit ? "min"
			    : "max",
		 false, s, w);
	buf_add_text(out, w->peak_ns ? "max_over_time(" : "");
	add_selector(out, s, "", w);
	if (w->peak_ns)
		buf_addf(out, "[%llds])", (long long)(w->peak_ns / NS_PER_S));
	buf_add_text(out, is_limit ? ">0)" : ")");
}

const char *metric_series_label(const struct metric_source *source)
{
	return is_job(source->label) ? "service" : source->label;
}

bool metric_expression(struct buf *out, const struct metric_source *source,
		       const struct metric_want *want)
{
	const struct metric_name *n = source->name;
	bool is_renamed;

	if (!n || !metric_name_tells(n, want->meaning) ||
	    (want->operation && !n->operation_label))
		return false;
	is_renamed = want->is_by_service && is_job(source->label);
	buf_add_text(out, is_renamed ? "label_replace(" : "");
	if (n->is_histogram && want->meaning == n->meaning) {
		buf_addf(out, "histogram_quantile(%g,%s", want->quantile,
			 want->is_by_service ? " " : "");
		open_sum(out, "sum", !source->is_native, source, want);
		add_rate(out, source, source->is_native ? "" : "_bucket", want);
		buf_add_text(out, "))");
	} else if (!n->is_counter && !n->is_histogram) {
		add_gauge(out, source, want);
	} else if (want->over == METRIC_OVER_NONE) {
		add_rate(out, source, count_suffix(source), want);
	} else {
		buf_add_text(out,
			     source->is_native ? "histogram_count(" : "");
		open_sum(out, "sum", false, source, want);
		add_rate(out, source, count_suffix(source), want);
		buf_add_text(out, source->is_native ? "))" : ")");
	}
	if (is_renamed)
		buf_addf(out, ", \"service\", \"$1\", \"%s\", \"(?:.+/)?(.+)\")",
			 source->label);
	return true;
}

/* ---- parts of all requests ---- */

static struct metric_want indicator_want(const struct metric_indicator *i)
{
	return (struct metric_want){ .service = i->service,
				     .operation = i->operation };
}

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
	const struct metric_want want = indicator_want(i);
	char window[32];
	struct buf list;

	buf_addf(out, "sum(%s(", function);
	begin_selector(out, &list, &i->source,
		       is_bucket ? "_bucket" : count_suffix(&i->source), &want);
	if (is_bucket)
		add_edges(&list, i);
	if (part != METRIC_PART_ALL && i->tells_errors)
		selector_match(&list, str_from(n->error_label),
			       part == METRIC_PART_GOOD ? "!~" : "=~",
			       str_from(n->error_values));
	format_duration_option(window_ns, window);
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
	const struct metric_want want = indicator_want(i);
	char window[32];

	format_duration_option(window_ns, window);
	buf_add_text(out, "count by (le) (last_over_time(");
	add_selector(out, &i->source, "_bucket", &want);
	buf_addf(out, "[%s]))", window);
}

void metric_errors_expression(struct buf *out, const struct metric_indicator *i,
			      int64_t window_ns)
{
	const struct metric_want want = indicator_want(i);
	char window[32];
	struct buf list;

	buf_add_text(out, "count(last_over_time(");
	begin_selector(out, &list, &i->source, count_suffix(&i->source), &want);
	selector_match(&list, str_from(i->source.name->error_label), "!=",
		       STR(""));
	format_duration_option(window_ns, window);
	end_selector(&list, out);
	buf_addf(out, "[%s]))", window);
}

/* Filters of Cloud Monitoring for metrics that have other names in PromQL:
 * type, resource and labels. */

/* Labels of the resource prometheus_target; others are the metric's. */
static const char *const target_labels[] = { "job",	 "instance",
					     "namespace", "cluster",
					     "location",  NULL };

/* Platform metrics have the service in their resource labels. */
const char *metric_filter_scope(const struct metric_source *source)
{
	size_t i = 0;

	while (target_labels[i] && strcmp(target_labels[i], source->label) != 0)
		i++;
	return source->name->cloud_type || target_labels[i] ? "resource"
							     : "metric";
}

static void add_quoted(struct buf *out, struct str text)
{
	buf_add_char(out, '"');
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '"' || text.ptr[i] == '\\')
			buf_add_char(out, '\\');
		buf_add_char(out, text.ptr[i]);
	}
	buf_add_char(out, '"');
}

static void add_value(struct buf *out, const char *op, struct str value)
{
	bool is_pattern = op[1] == '~';

	buf_addf(out, " %s %s", op[0] == '!' ? "!=" : "=",
		 is_pattern ? "monitoring.regex.full_match(" : "");
	add_quoted(out, value);
	buf_add_text(out, is_pattern ? ")" : "");
}

static void add_filter_service(struct buf *out, const struct metric_source *s,
			       const struct metric_want *w)
{
	struct buf pattern;

	buf_addf(out, " AND %s.labels.%s", metric_filter_scope(s), s->label);
	buf_init(&pattern, LIMIT_SELECTOR_BYTES);
	metric_service_pattern(&pattern, s->label, w);
	if (w->service && !strpbrk(buf_text(&pattern), "+\\"))
		add_value(out, "=", str_from(w->service));
	else
		add_value(out, "=~", buf_str(&pattern));
	buf_release(&pattern);
}

/* Appends a label, quoted if it is not a word. */
static void add_metric_label(struct buf *out, const char *label)
{
	buf_add_text(out, " AND metric.labels.");
	if (is_plain_name(label))
		buf_add_text(out, label);
	else
		add_quoted(out, str_from(label));
}

void metric_filter(struct buf *out, const struct metric_source *source,
		   const struct metric_want *want)
{
	const struct metric_name *n = source->name;

	if (n->cloud_type)
		buf_addf(out, "metric.type = \"%s\" AND resource.type = \"%s\"",
			 n->cloud_type, n->cloud_resource);
	else
		buf_addf(out,
			 "metric.type = \"prometheus.googleapis.com/%s/%s\" "
			 "AND resource.type = \"prometheus_target\"",
			 n->name,
			 n->is_histogram ? "histogram"
			 : n->is_counter ? "counter"
					 : "gauge");
	if (want->service || want->services)
		add_filter_service(out, source, want);
	if (want->operation && n->operation_label) {
		add_metric_label(out, n->operation_label);
		add_value(out, "=", operation_value(n, want->operation));
	}
	for (size_t i = 0; i < METRIC_MATCHERS && n->matchers[i].label; i++) {
		const struct metric_matcher *m = &n->matchers[i];

		/* The resource was named already. */
		if (!strcmp(m->label, "monitored_resource"))
			continue;
		add_metric_label(out, m->label);
		add_value(out, m->op, str_from(m->value));
	}
}

void metric_part_filter(struct buf *out, const struct metric_indicator *i,
			enum metric_part part)
{
	const struct metric_name *n = i->source.name;
	const struct metric_want want = indicator_want(i);

	metric_filter(out, &i->source, &want);
	if (part == METRIC_PART_ALL)
		return;
	add_metric_label(out, n->error_label);
	add_value(out, part == METRIC_PART_GOOD ? "!~" : "=~",
		  str_from(n->error_values));
}
