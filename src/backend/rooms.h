/* SPDX-License-Identifier: Apache-2.0
 *
 * The servers there are, as the rest of backend/ sees them: a room each.
 */
#ifndef BACKEND_ROOMS_H
#define BACKEND_ROOMS_H

#include "backend/metric_backend.h"
#include "backend/profile_backend.h"
#include "backend/receiver.h"
#include "backend/trace_backend.h"

/* Cloud Profiler, which lists all profiles of a project and selects none: what
 * is asked of it is answered from its list. */
extern const struct profile_backend profile_cloud;

/* Cloud Trace of Google Cloud: a server of traces by project, that is asked in
 * a small language of filters and answers in pages, against a quota. */
extern const struct trace_backend trace_cloud;

/* Files instead of a server of profiles: whoever asks names them, and they
 * answer by themselves. Two are read side by side. */
extern const struct profile_backend profile_files;

/* Jaeger, a server of traces that sends them whole, and what imitates it: each
 * question has a form of its newer API and one of the oldest. */
extern const struct trace_backend trace_jaeger;

/* Whatever receives OpenTelemetry's protocol over HTTP (opentelemetry-proto,
 * docs/specification.md): collectors, and servers that take it themselves. */
extern const struct receiver receiver_otlp;
extern const struct receiver receiver_newrelic;
extern const struct receiver receiver_datadog;

/* Parca, by the JSON form of its query service. */
extern const struct profile_backend profile_parca;

/* Prometheus' HTTP API, which others speak as well: Mimir, Thanos,
 * VictoriaMetrics, a data source of Grafana, Cloud Monitoring. */
extern const struct metric_backend metric_prometheus;
extern const struct metric_backend metric_cloud_monitoring;

/* Pyroscope, by its query service (querier.v1): profiles in protobuf, names
 * and sums in JSON; and as it takes profiles in (push/v1/push.proto). */
extern const struct profile_backend profile_pyroscope;
extern const struct receiver receiver_pyroscope;

/* Grafana Tempo, a server of traces that is asked in TraceQL. */
extern const struct trace_backend trace_tempo;

/* Zipkin, a server of traces that sends them whole, and what imitates its
 * second API. Searching yields candidates there: which conditions one span has
 * to meet depends on its storage, so that the decoder looks again. */
extern const struct trace_backend trace_zipkin;

#endif
