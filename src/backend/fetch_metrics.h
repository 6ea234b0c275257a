/* SPDX-License-Identifier: Apache-2.0
 *
 * Questions to the server of metrics, as jobs.
 */
#ifndef BACKEND_FETCH_METRICS_H
#define BACKEND_FETCH_METRICS_H

#include "backend/jobs.h"
#include "backend/metric_backend.h"

struct metric_job {
	struct job job; /* for jobs_run() */
	struct metric_query query;
	struct metric_answer answer; /* in b->arena */
	/* Asked beside others and done without where it is refused; a replayed
	 * case may lack it. */
	bool is_extra;
};

/* What the query points at stays the caller's and must outlive the run. A
 * question of more than LIMIT_METRIC_STEPS steps is ERROR_LIMIT. That an answer
 * may be partial is among b->notes. */
void metric_job_init(struct metric_job *m, const struct metric_query *query);

/* The request of a question, without a job. */
bool metrics_request(const struct backends *b, const struct metric_query *query,
		     struct http_request *request,
		     struct error *err) MUST_CHECK;

/* The server of metrics. */
const struct metric_backend *backends_metrics(const struct backends *b);

#endif
