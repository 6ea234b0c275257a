/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/metric_names.h"

#include <string.h>

#include "backend/selector.h"
#include "base/ascii.h"
#include "base/count.h"
#include "base/timefmt.h"

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

/* A text as a regular expression of RE2 that matches it alone. */
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

static void add_several(struct buf *out, const char *services)
{
	bool has_bar = strchr(services, '|') != NULL;

	buf_addf(out, has_bar ? "(%s)" : "%s", services);
}

/* Jobs may be called "namespace/service", pods "service-5d9c7-x2x". */
void metric_service_pattern(struct buf *out, const char *label,
			    const struct metric_want *want)
{
	bool is_pod = !strncmp(label, "pod", 3);

	buf_add_text(out, is_job(label) ? "(.+/)?" : "");
	if (want->services)
		add_several(out, want->services);
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

/* The route of "GET /cart" stands in a label without the method. */
static struct str operation_value(const struct metric_name *n,
				  const char *operation)
{
	const char *route = strstr(operation, " /");

	return str_from(!strcmp(n->operation_label, "http_route") && route
				? route + 1
				: operation);
}

/* Further names than these stand in quotes, which older servers refuse. */
static bool is_plain_name(const char *name)
{
	for (; *name; name++)
		if (*name != '_' && *name != ':' && !ascii_is_alnum(*name))
			return false;
	return true;
}

static bool is_matched(const struct metric_name *n, const char *label)
{
	for (size_t i = 0; i < METRIC_MATCHERS && n->matchers[i].label; i++)
		if (!strcmp(n->matchers[i].label, label))
			return true;
	return false;
}

/* Of all services: what is of none is left out; there is always a job. */
static void add_matchers(struct buf *out, const struct metric_source *s,
			 const struct metric_want *w)
{
	const struct metric_name *n = s->name;

	if (w->service || w->services)
		add_service(out, s->label, w);
	else if (w->is_by_service && !is_job(s->label) &&
		 !is_matched(n, s->label))
		selector_match(out, str_from(s->label), "!=", STR(""));
	if (w->operation && n->operation_label)
		selector_add(out, str_from(n->operation_label),
			     operation_value(n, w->operation));
	for (size_t i = 0; i < METRIC_MATCHERS && n->matchers[i].label; i++)
		selector_match(out, str_from(n->matchers[i].label),
			       n->matchers[i].op,
			       str_from(n->matchers[i].value));
}

/* The name before the list of matchers where people read it; without the
 * closing brace. */
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

/* "sum by (le, job) (": of each bucket, each service, or of all. */
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

static void add_quantile(struct buf *out, const struct metric_source *s,
			 const struct metric_want *w)
{
	buf_addf(out, "histogram_quantile(%g,%s", w->quantile,
		 w->is_by_service ? " " : "");
	open_sum(out, "sum", !s->is_native, s, w);
	add_rate(out, s, s->is_native ? "" : "_bucket", w);
	buf_add_text(out, "))");
}

static void add_count(struct buf *out, const struct metric_source *s,
		      const struct metric_want *w)
{
	if (w->over == METRIC_OVER_NONE) {
		add_rate(out, s, count_suffix(s), w);
		return;
	}
	buf_add_text(out, s->is_native ? "histogram_count(" : "");
	open_sum(out, "sum", false, s, w);
	add_rate(out, s, count_suffix(s), w);
	buf_add_text(out, s->is_native ? "))" : ")");
}

/* Of several instances the one that is nearest to its end. 0 stands for no
 * limit. */
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

static void add_series(struct buf *out, const struct metric_source *s,
		       const struct metric_want *w)
{
	const struct metric_name *n = s->name;

	if (n->is_histogram && w->meaning == n->meaning)
		add_quantile(out, s, w);
	else if (n->is_counter || n->is_histogram)
		add_count(out, s, w);
	else
		add_gauge(out, s, w);
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
	add_series(out, source, want);
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
