/* SPDX-License-Identifier: Apache-2.0
 *
 * How Cloud Monitoring's own filters call a metric that PromQL knows by another
 * name: type, resource and labels. Asks nobody.
 */
#ifndef BACKEND_METRIC_FILTER_H
#define BACKEND_METRIC_FILTER_H

#include "backend/metric_names.h"

/* 'metric.type = "run.googleapis.com/request_count" AND ...': type, resource
 * and the services that are wanted. What is not of the platform is what Managed
 * Service for Prometheus stores. */
void metric_filter(struct buf *out, const struct metric_source *source,
		   const struct metric_want *want);

/* Whose label has the service's name: "resource" or "metric". */
const char *metric_filter_scope(const struct metric_source *source);

#endif
