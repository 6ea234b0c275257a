/* SPDX-License-Identifier: Apache-2.0
 *
 * A service's metrics: finds which of the known ones the server has, and
 * queries them over time or for a window as a whole. Finding takes a round of
 * two requests, then one per query.
 */
#ifndef INVESTIGATE_SERVICE_METRICS_H
#define INVESTIGATE_SERVICE_METRICS_H

#include "backend/backends.h"
#include "backend/metrics.h"
#include "model/metrics.h"

/* Factor from which CPU in profiles exceeds that in metrics by more than the
 * variance between two methods of measuring. */
#define LIKE_KERNEL 1.1

struct service_metrics {
	struct backends *backends;
	const char *service;  /* borrowed */
	const char *services; /* instead of service, as in struct metric_want */
	/* By meaning; without a name if the server has none. */
	struct metric_source sources[METRIC_MEANINGS];
	/* The metrics are optional: is_unheld is set if a replayed case lacks
	 * them, which is then why there is no answer. */
	bool is_extra;
	bool is_unheld;
};

/* Finds the metrics that existed in the last hour of the window. None is not a
 * failure. service NULL: any. */
bool service_metrics_find(struct service_metrics *m, struct backends *b,
			  const char *service, struct time_range window,
			  struct error *err) MUST_CHECK;

/* Finds those of several services, by a regular expression of their names. */
bool service_metrics_find_several(struct service_metrics *m, struct backends *b,
				  const char *services,
				  struct time_range window,
				  struct error *err) MUST_CHECK;

/* Finds those of a service or, for NULL, of all, for a command that can do
 * without them. */
bool service_metrics_find_extra(struct service_metrics *m, struct backends *b,
				const char *service, struct time_range window,
				struct error *err) MUST_CHECK;

/* Finds the metrics of allocated resources, in one more request. */
bool service_metrics_find_allocation(struct service_metrics *m,
				     struct time_range window,
				     struct error *err) MUST_CHECK;

/* One query, and its answer in the unit of the meaning. */
struct service_metric {
	enum metric_meaning meaning;
	enum metric_over over;
	const char *operation; /* NULL: all */
	double quantile;       /* for latency: 0.95 */
	struct time_range range;
	/* A point at t is for the step that ends there; 0: one point, for the
	 * whole range. At least the scrape interval. */
	int64_t step_ns;
	int64_t rate_ns; /* counters: end of the step to use; 0: the whole
			  * step */
	bool is_peak;    /* gauges: maximum of the step, not its end */

	bool has_answer;
	struct metric_point *points; /* in the arena of the backends */
	size_t point_count;          /* 0: no data */
	/* All series; the points above are those of the first. */
	const struct metric_series *series;
	size_t series_count;
	struct error err; /* why there is no answer */
};

/* Runs all queries concurrently. For several services there is a series
 * each. */
bool service_metrics_ask(const struct service_metrics *m,
			 struct service_metric *list, size_t count,
			 struct error *err) MUST_CHECK;

/* Lists the known metrics that the server has, in the order of the table;
 * *sources lives in the arena of the backends. */
bool service_metrics_list(struct backends *b, struct time_range window,
			  struct metric_source **sources, size_t *count,
			  struct error *err) MUST_CHECK;

#endif
