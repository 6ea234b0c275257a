/* SPDX-License-Identifier: Apache-2.0
 *
 * Questions to the server of metrics, as jobs.
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
	/* Asked beside others and done without where it is refused; a replayed
	 * case may lack it. */
	bool is_extra;
};

/* The texts of the query stay the caller's and must outlive the run. A question
 * of more than LIMIT_METRIC_STEPS steps is ERROR_LIMIT. That an answer may be
 * partial is among b->notes. */
void metric_job_init(struct metric_job *m, const struct metric_query *query);

/* The request of a question, without a job. */
bool metrics_request(const struct backends *b, const struct metric_query *query,
		     struct http_request *request,
		     struct error *err) MUST_CHECK;

/* The server of metrics. */
const struct metric_backend *backends_metrics(const struct backends *b);

/* Which names of metrics mean requests, latency, CPU, memory and its limit, and
 * how each is asked for in PromQL. The table is all there is to change where
 * another producer has names of its own. Asks nobody. */

/* The meanings of a metric of a service, in these units. */
enum metric_meaning {
	METRIC_REQUESTS = 0, /* a second */
	METRIC_LATENCY,      /* seconds */
	METRIC_CPU,          /* cores */
	METRIC_MEMORY,       /* bytes */
	METRIC_MEMORY_LIMIT, /* bytes */
	METRIC_CPU_SHARE,    /* of what an instance may have, 0..1 */
	METRIC_MEMORY_SHARE,
	/* What is allocated to it, see metric_is_of_allocation(). */
	METRIC_CPU_LIMIT,      /* cores */
	METRIC_CPU_REQUEST,    /* cores */
	METRIC_MEMORY_REQUEST, /* bytes */
	METRIC_INSTANCES,      /* those that are billed */
	METRIC_CPU_PERIODS,    /* of its quota, a second */
	METRIC_CPU_THROTTLED,  /* of these, in which it was used up */
	METRIC_MEANINGS,
};

/* These are asked for where somebody wants to know them: few do. */
static inline bool metric_is_of_allocation(enum metric_meaning meaning)
{
	return meaning > METRIC_MEMORY_SHARE;
}

/* "requests", "latency", "cpu", "memory limit", "cpu share" and the like. */
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
	const char *from; /* who writes it, for people */
	enum metric_meaning meaning;
	bool is_histogram; /* one of latencies counts requests, too */
	bool is_counter;
	/* Of Google's platform, found nowhere else: its type and the resource
	 * that it is of, as Cloud Monitoring calls them. NULL: of others. */
	const char *cloud_type;
	const char *cloud_resource;
	double unit; /* one of its values, in the meaning's unit */
	/* That may hold the service's name, best first. */
	const char *service_labels[METRIC_SERVICE_LABELS];
	const char *operation_label; /* NULL: it has none */
	/* Of what failed by the server's fault: a label, and a pattern (RE2) of
	 * its values. NULL: it does not tell. */
	const char *error_label;
	const char *error_values;
	struct metric_matcher matchers[METRIC_MATCHERS]; /* further ones */
};

/* By meaning; of equal ones the best first. */
extern const struct metric_name metric_names[];
extern const size_t metric_name_count;

/* Returns whether it tells this: a histogram of latencies counts requests. */
bool metric_name_tells(const struct metric_name *name,
		       enum metric_meaning meaning);

/* A metric that a server has of a service. */
struct metric_source {
	const struct metric_name *name; /* NULL: none */
	bool is_native;                 /* a histogram without _bucket */
	const char *label;              /* that holds the service's name */
};

/* By meaning; those that it tells and that have none yet. */
void metric_source_take(struct metric_source sources[METRIC_MEANINGS],
			const struct metric_source *source);

/* The row of that name; NULL: not known. */
const struct metric_name *metric_name_find(struct str name);

/* The label that has the service's name unless a server says otherwise: "job"
 * where there is one, which Prometheus always writes. */
const char *metric_name_label(const struct metric_name *name);

/* The metrics that a platform writes by itself, for those who know theirs. */
#define METRIC_PLATFORM_NAMES 4
struct metric_platform {
	const char *name; /* "cloud-run" */
	const char *metrics[METRIC_PLATFORM_NAMES];
};

extern const struct metric_platform metric_platforms[]; /* NULL name: end */

/* The treatment of the instances. */
enum metric_over {
	METRIC_OVER_USUAL = 0, /* see metric_expression() */
	METRIC_OVER_SUM,
	METRIC_OVER_COUNT, /* how many there are */
	METRIC_OVER_NONE,  /* a series each */
};

/* The demands on a source. */
struct metric_want {
	enum metric_meaning meaning;
	enum metric_over over;
	const char *service;
	/* Instead of it, a regular expression of services; both NULL: all. */
	const char *services;
	const char *operation; /* NULL: all of them */
	double quantile;       /* of latency and shares */
	int64_t rate_ns;       /* counters are looked at over so long */
	const char *rate;      /* or this, as PromQL has it: "5m" */
	int64_t peak_ns; /* gauges: the most within so long; 0: as it is */
	/* A series for each service, in PromQL as people write it. */
	bool is_by_service;
};

/* '{__name__="..",job="checkout"}' of what its presence shows: the services
 * count only. */
void metric_selector(struct buf *out, const struct metric_source *source,
		     const struct metric_want *want);

/* The name that the selector asks for, as a server lists it. */
void metric_listed_name(struct buf *out, const struct metric_source *source);

/* PromQL of one series, or of one a service, of all instances, unless they are
 * wanted otherwise: what adds up as a sum, memory of the largest, limits of the
 * smallest. Its values are in the source's own unit. False: the source cannot
 * tell. */
bool metric_expression(struct buf *out, const struct metric_source *source,
		       const struct metric_want *want);

/* The label of the service's name in series of each service. */
const char *metric_series_label(const struct metric_source *source);

/* 'a|b\.c' of RE2: the services themselves. */
void metric_services_pattern(struct buf *out, const char *const *services,
			     size_t count);

/* ---- parts of all requests ---- */

/* Which requests of a service are good: within a bucket, and without error. */
struct metric_indicator {
	struct metric_source source;
	const char *service;
	const char *operation; /* NULL: all of them */
	/* The values of le that mean the bucket's upper edge: "1", "1.0". None:
	 * however long they took, but of native histograms, which are
	 * interpolated at the edge in the source's unit; 0: however long. */
	const struct str *edges;
	size_t edge_count;
	double native_edge;
	bool tells_errors; /* its series have the label; else none failed */
};

enum metric_part {
	METRIC_PART_ALL,
	METRIC_PART_GOOD,
	METRIC_PART_FAILED,
};

/* PromQL of how many requests of this part there were, of all instances:
 * function "rate", a second, or "increase", all of a window of whole seconds.
 * Nothing is where all are of another part. */
void metric_part_expression(struct buf *out,
			    const struct metric_indicator *indicator,
			    enum metric_part part, const char *function,
			    int64_t window_ns);

/* PromQL of the edges of buckets there are, a series each, and of the series
 * that tell errors. */
void metric_edges_expression(struct buf *out,
			     const struct metric_indicator *indicator,
			     int64_t window_ns);
void metric_errors_expression(struct buf *out,
			      const struct metric_indicator *indicator,
			      int64_t window_ns);

/* Exemplars of the source: a selector of buckets. */
void metric_exemplars(struct buf *out, const struct metric_source *source,
		      const char *service, const char *operation);

/* How Cloud Monitoring's own filters call a metric that PromQL knows by another
 * name: type, resource and labels. Asks nobody. */

/* 'metric.type = "run.googleapis.com/request_count" AND ...': type, resource,
 * the services and the operation that are wanted. What is not of the platform is what Managed
 * Service for Prometheus stores. */
void metric_filter(struct buf *out, const struct metric_source *source,
		   const struct metric_want *want);

/* The same of how many requests there are, of those that failed, or of those
 * that did not, however long they took. */
void metric_part_filter(struct buf *out,
			const struct metric_indicator *indicator,
			enum metric_part part);

/* Whose label has the service's name: "resource" or "metric". */
const char *metric_filter_scope(const struct metric_source *source);

#endif
