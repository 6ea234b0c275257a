/* SPDX-License-Identifier: Apache-2.0
 *
 * Prometheus' HTTP API, which others speak as well: Mimir, Thanos,
 * VictoriaMetrics, a data source of Grafana, Cloud Monitoring.
 */
#ifndef BACKEND_PROMETHEUS_PROMETHEUS_H
#define BACKEND_PROMETHEUS_PROMETHEUS_H

#include "backend/metric_backend.h"

extern const struct metric_backend metric_prometheus;
extern const struct metric_backend metric_cloud_monitoring;

#endif
