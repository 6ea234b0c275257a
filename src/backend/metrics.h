/* SPDX-License-Identifier: Apache-2.0
 *
 * Queries to the metrics server, as jobs.
 */
#ifndef BACKEND_METRICS_H
#define BACKEND_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend/jobs.h"
#include "backend/metric_backend.h"
#include "base/buf.h"
#include "base/str.h"

struct metric_job {
	struct job job; /* for jobs_run() */
	struct metric_query query;
	struct metric_answer answer; /* in b->arena */
	/* An optional query, skipped where it is refused; a replayed case may
	 * lack it. */
	bool is_extra;
};

/* Prepares a job. The texts of the query are borrowed and must outlive the run.
 * A query of more than LIMIT_METRIC_STEPS steps is ERROR_LIMIT. A partial
 * answer is noted in b->notes. */
void metric_job_init(struct metric_job *m, const struct metric_query *query);

/* Builds the request of a query, without a job. */
bool metrics_request(const struct backends *b, const struct metric_query *query,
		     struct http_request *request,
		     struct error *err) MUST_CHECK;

/* Returns the metrics server. */
const struct metric_backend *backends_metrics(const struct backends *b);

/* The metric names that mean requests, latency, CPU, memory and its limit, and
 * their PromQL. To support another producer's names, only the table has to be
 * extended. Sends nothing. */

/* The meanings of a service's metrics, with their units. */
enum metric_meaning {
	METRIC_REQUESTS = 0, /* per second */
	METRIC_LATENCY,      /* seconds */
	METRIC_CPU,          /* cores */
	METRIC_MEMORY,       /* bytes */
	METRIC_MEMORY_LIMIT, /* bytes */
	METRIC_CPU_SHARE,    /* fraction of the instance's limit, 0..1 */
	METRIC_MEMORY_SHARE,
	/* Allocated resources, see metric_is_of_allocation(). */
	METRIC_CPU_LIMIT,      /* cores */
	METRIC_CPU_REQUEST,    /* cores */
	METRIC_MEMORY_REQUEST, /* bytes */
	METRIC_INSTANCES,      /* billed instances */
	METRIC_CPU_PERIODS,    /* periods of the CPU quota, per second */
	METRIC_CPU_THROTTLED,  /* periods with throttling, per second */
	METRIC_MEANINGS,
};

/* Returns whether the meaning is about allocation. These are queried only on
 * demand, as few users need them. */
static inline bool metric_is_of_allocation(enum metric_meaning meaning)
{
	return meaning > METRIC_MEMORY_SHARE;
}

/* Returns "requests", "latency", "cpu", "memory limit", "cpu share" and the
 * like. */
const char *metric_meaning_name(enum metric_meaning meaning);

#define METRIC_SERVICE_LABELS 3
#define METRIC_MATCHERS 2

struct metric_matcher {
	const char *label; /* NULL: none */
	const char *op;    /* "!=", "=~"... */
	const char *value;
};

struct metric_name {
	const char *name; /* of a histogram without _bucket and the like */
	const char *from; /* its producer, for messages */
	enum metric_meaning meaning;
	bool is_histogram; /* one of latencies also counts requests */
	bool is_counter;
	/* Metrics that only Google's platform has: metric type and monitored
	 * resource as in Cloud Monitoring. NULL: others. */
	const char *cloud_type;
	const char *cloud_resource;
	double unit; /* factor from its values to the meaning's unit */
	/* Labels that may hold the service's name, best first. */
	const char *service_labels[METRIC_SERVICE_LABELS];
	const char *operation_label; /* NULL: none */
	/* Marks server errors: a label, and a pattern (RE2) of its values.
	 * NULL: errors are not marked. */
	const char *error_label;
	const char *error_values;
	struct metric_matcher matchers[METRIC_MATCHERS]; /* additional
							  * matchers */
};

/* Sorted by meaning, then best first. */
extern const struct metric_name metric_names[];
extern const size_t metric_name_count;

/* Returns whether the metric provides this meaning: a histogram of latencies
 * also counts requests. */
bool metric_name_tells(const struct metric_name *name,
		       enum metric_meaning meaning);

/* A metric that a server has for a service. */
struct metric_source {
	const struct metric_name *name; /* NULL: none */
	bool is_native;                 /* a histogram without _bucket */
	const char *label;              /* holds the service's name */
};

/* Adds the source for each meaning that it provides and that has none yet. */
void metric_source_take(struct metric_source sources[METRIC_MEANINGS],
			const struct metric_source *source);

/* Returns the row of that name; NULL: not known. */
const struct metric_name *metric_name_find(struct str name);

/* Returns the label with the service's name unless the server shows another:
 * "job" where there is one, which Prometheus always sets. */
const char *metric_name_label(const struct metric_name *name);

/* The metrics that each platform provides, for users who name their
 * platform. */
#define METRIC_PLATFORM_NAMES 4
struct metric_platform {
	const char *name; /* "cloud-run" */
	const char *metrics[METRIC_PLATFORM_NAMES];
};

extern const struct metric_platform metric_platforms[]; /* NULL name: end */

/* The aggregation over instances. */
enum metric_over {
	METRIC_OVER_USUAL = 0, /* default, see metric_expression() */
	METRIC_OVER_SUM,
	METRIC_OVER_COUNT, /* number of instances */
	METRIC_OVER_NONE,  /* no aggregation: one series each */
};

/* The parameters of an expression. */
struct metric_want {
	enum metric_meaning meaning;
	enum metric_over over;
	const char *service;
	/* A regular expression of services, instead of service; both NULL:
	 * all. */
	const char *services;
	const char *operation; /* NULL: all */
	double quantile;       /* for latency and shares */
	int64_t rate_ns;       /* range of rate() for counters */
	const char *rate;      /* or as PromQL text: "5m" */
	int64_t peak_ns; /* gauges: maximum over this time; 0: current value */
	/* One series per service, in PromQL as people write it. */
	bool is_by_service;
};

/* Appends '{__name__="..",job="checkout"}', a selector that shows whether the
 * metric exists: of `want` only the services are used. */
void metric_selector(struct buf *out, const struct metric_source *source,
		     const struct metric_want *want);

/* Appends the name in that selector, as a server lists it. */
void metric_listed_name(struct buf *out, const struct metric_source *source);

/* Appends PromQL for one series, or one per service, over all instances. The
 * default aggregation is the sum for additive metrics, the maximum for memory,
 * the minimum for limits. Values are in the source's unit. Returns false if the
 * source cannot provide the meaning. */
bool metric_expression(struct buf *out, const struct metric_source *source,
		       const struct metric_want *want);

/* Returns the label with the service's name in series per service. */
const char *metric_series_label(const struct metric_source *source);

/* Appends 'a|b\.c', an RE2 pattern that matches exactly the services. */
void metric_services_pattern(struct buf *out, const char *const *services,
			     size_t count);

/* ---- fractions of all requests ---- */

/* The definition of a service's good requests: within a latency bucket, and
 * without error. */
struct metric_indicator {
	struct metric_source source;
	const char *service;
	const char *operation; /* NULL: all */
	/* The values of le for the bucket's upper edge: "1", "1.0". None: any
	 * latency, except for native histograms, which are interpolated at
	 * native_edge, in the source's unit; 0: any latency. */
	const struct str *edges;
	size_t edge_count;
	double native_edge;
	bool tells_errors; /* its series have the error label; else no errors
			    * are counted */
};

enum metric_part {
	METRIC_PART_ALL,
	METRIC_PART_GOOD,
	METRIC_PART_FAILED,
};

/* Appends PromQL for the number of requests of this part, over all instances:
 * function "rate", per second, or "increase", total of a window of whole
 * seconds. An empty result means zero requests of this part. */
void metric_part_expression(struct buf *out,
			    const struct metric_indicator *indicator,
			    enum metric_part part, const char *function,
			    int64_t window_ns);

/* Appends PromQL for the existing bucket edges, one series each, and for the
 * series with the error label. */
void metric_edges_expression(struct buf *out,
			     const struct metric_indicator *indicator,
			     int64_t window_ns);
void metric_errors_expression(struct buf *out,
			      const struct metric_indicator *indicator,
			      int64_t window_ns);

/* Appends a selector of the source's buckets, for exemplars. */
void metric_exemplars(struct buf *out, const struct metric_source *source,
		      const char *service, const char *operation);

/* Filters of Cloud Monitoring for metrics that have other names in PromQL:
 * type, resource and labels. Sends nothing. */

/* Appends 'metric.type = "run.googleapis.com/request_count" AND ...': type,
 * resource, and the wanted services and operation. Metrics that are not the
 * platform's are those stored by Managed Service for Prometheus. */
void metric_filter(struct buf *out, const struct metric_source *source,
		   const struct metric_want *want);

/* Appends the same for the number of all requests, of failed ones, or of
 * successful ones; latency is not considered. */
void metric_part_filter(struct buf *out,
			const struct metric_indicator *indicator,
			enum metric_part part);

/* Returns "resource" or "metric": the object whose label has the service's
 * name. */
const char *metric_filter_scope(const struct metric_source *source);

#endif
