/* SPDX-License-Identifier: Apache-2.0
 *
 * What the server of metrics tells of a service: which of the known metrics it
 * has, and one of them over time or over a window as a whole. Costs a round of
 * two requests to find out, then one a question.
 */
#ifndef INVESTIGATE_SERVICE_METRICS_H
#define INVESTIGATE_SERVICE_METRICS_H

#include "backend/backends.h"
#include "backend/metrics.h"
#include "model/metrics.h"

/* Profiles with more CPU than metrics counted, by so much, are no matter of how
 * far two ways to measure lie apart. */
#define LIKE_KERNEL 1.1

struct service_metrics {
	struct backends *backends;
	const char *service;  /* borrowed */
	const char *services; /* instead of it, as in struct metric_want */
	/* By meaning; without a name where the server has none. */
	struct metric_source sources[METRIC_MEANINGS];
	/* Done without: a replayed case may lack it, which then is why there is
	 * no answer. */
	bool is_extra;
	bool is_unheld;
};

/* Which there were in the last hour of the window. None at all is no failure.
 * service NULL: of any. */
bool service_metrics_find(struct service_metrics *m, struct backends *b,
			  const char *service, struct time_range window,
			  struct error *err) MUST_CHECK;

/* The same of several, by a regular expression of their names. */
bool service_metrics_find_several(struct service_metrics *m, struct backends *b,
				  const char *services,
				  struct time_range window,
				  struct error *err) MUST_CHECK;

/* The same of one or, where that is NULL, of all, beside what a command is
 * about. */
bool service_metrics_find_extra(struct service_metrics *m, struct backends *b,
				const char *service, struct time_range window,
				struct error *err) MUST_CHECK;

/* The same of what is allocated to it, in one more request. */
bool service_metrics_find_allocation(struct service_metrics *m,
				     struct time_range window,
				     struct error *err) MUST_CHECK;

/* One question, and its answer in the unit of its meaning. */
struct service_metric {
	enum metric_meaning meaning;
	enum metric_over over;
	const char *operation; /* NULL: all of them */
	double quantile;       /* of latency: 0.95 */
	struct time_range range;
	/* A point at t is of the step that ends there; 0: one point, of the
	 * whole range. At least the time between two measurements. */
	int64_t step_ns;
	int64_t rate_ns; /* counters: of its last part; 0: of the step */
	bool is_peak;    /* gauges: the most in the step, not its end */

	bool has_answer;
	struct metric_point *points; /* in the arena of the backends */
	size_t point_count;          /* 0: it was silent */
	/* All of them, the points above being the first's. */
	const struct metric_series *series;
	size_t series_count;
	struct error err; /* why there is none */
};

/* Asks all of them side by side. Of several services there is a series each. */
bool service_metrics_ask(const struct service_metrics *m,
			 struct service_metric *list, size_t count,
			 struct error *err) MUST_CHECK;

/* The names of metrics a server lists among those that are known, in the order
 * of the table; *sources lives in the arena of the backends. */
bool service_metrics_list(struct backends *b, struct time_range window,
			  struct metric_source **sources, size_t *count,
			  struct error *err) MUST_CHECK;

#endif
