/* SPDX-License-Identifier: Apache-2.0
 *
 * Which names of metrics mean requests, latency, CPU, memory and its limit, and
 * how each is asked for in PromQL. The table is all there is to change where
 * another producer has names of its own. Asks nobody.
 */
#ifndef BACKEND_METRIC_NAMES_H
#define BACKEND_METRIC_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

/* What a metric tells of a service, in these units. */
enum metric_meaning {
	METRIC_REQUESTS = 0, /* a second */
	METRIC_LATENCY,      /* seconds */
	METRIC_CPU,          /* cores */
	METRIC_MEMORY,       /* bytes */
	METRIC_MEMORY_LIMIT, /* bytes */
	METRIC_MEANINGS,
};

/* "requests", "latency", "cpu", "memory", "memory limit". */
const char *metric_meaning_name(enum metric_meaning meaning);

#define METRIC_SERVICE_LABELS 3

struct metric_name {
	const char *name; /* of a histogram without _bucket and the like */
	const char *from; /* who writes it, for people */
	enum metric_meaning meaning;
	bool is_histogram; /* its count is of requests, too */
	bool is_counter;
	bool is_cloud; /* of Google's platform, found nowhere else */
	double unit;   /* one of its values, in the meaning's unit */
	/* That may hold the service's name, best first. */
	const char *service_labels[METRIC_SERVICE_LABELS];
	const char *operation_label; /* NULL: it has none */
	/* Of what failed by the server's fault: a label, and a pattern (RE2) of
	 * its values. NULL: it does not tell. */
	const char *error_label;
	const char *error_values;
	const char *matchers; /* further ones, or NULL */
};

/* By meaning; of equal ones the best first. */
extern const struct metric_name metric_names[];
extern const size_t metric_name_count;

/* Whether it tells this: a histogram of latencies counts requests. */
bool metric_name_tells(const struct metric_name *name,
		       enum metric_meaning meaning);

/* A metric that a server has of a service. */
struct metric_source {
	const struct metric_name *name; /* NULL: none */
	bool is_native;                 /* a histogram without _bucket */
	const char *label;              /* that holds the service's name */
};

/* '{__name__="..",job="checkout"}' of what its presence shows; label and
 * service NULL: of any service. */
void metric_selector(struct buf *out, const struct metric_source *source,
		     const char *service);

/* The name that the selector asks for, as a server lists it. */
void metric_listed_name(struct buf *out, const struct metric_source *source);

struct metric_want {
	enum metric_meaning meaning;
	const char *service;
	const char *operation; /* NULL: all of them */
	double quantile;       /* of latency */
	int64_t rate_ns;       /* counters are looked at over so long */
};

/* PromQL of one series, of all instances: what adds up as a sum, memory of the
 * largest, limits of the smallest. Its values are in the source's own unit.
 * False: the source cannot tell. */
bool metric_expression(struct buf *out, const struct metric_source *source,
		       const struct metric_want *want);

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

#endif
