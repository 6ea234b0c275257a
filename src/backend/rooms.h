/* SPDX-License-Identifier: Apache-2.0
 *
 * The supported servers, each implemented in a folder of its own.
 */
#ifndef BACKEND_ROOMS_H
#define BACKEND_ROOMS_H

#include "backend/metric_backend.h"
#include "backend/profile_backend.h"
#include "backend/receiver.h"
#include "backend/trace_backend.h"

/* Cloud Profiler, which lists all profiles of a project and selects none:
 * queries are answered from its list. */
extern const struct profile_backend profile_cloud;

/* Cloud Trace of Google Cloud: a traces server by project with its own filter
 * language, paged answers and a quota. */
extern const struct trace_backend trace_cloud;

/* Files instead of a profile server: each query names its files. Two are read
 * side by side. */
extern const struct profile_backend profile_files;

/* Jaeger, a traces server that returns whole traces, and compatible ones: each
 * query has a form for its newer API and one for the oldest. */
extern const struct trace_backend trace_jaeger;

/* Receivers of OpenTelemetry's protocol over HTTP (opentelemetry-proto,
 * docs/specification.md): collectors, and servers that accept it directly. */
extern const struct receiver receiver_otlp;
extern const struct receiver receiver_newrelic;
extern const struct receiver receiver_datadog;

/* Parca, by the JSON form of its query service. */
extern const struct profile_backend profile_parca;

/* Prometheus' HTTP API, also spoken by Mimir, Thanos, VictoriaMetrics, data
 * sources of Grafana, and Cloud Monitoring. */
extern const struct metric_backend metric_prometheus;
extern const struct metric_backend metric_cloud_monitoring;

/* Pyroscope: its query service (querier.v1), profiles in protobuf, names and
 * sums in JSON; and its ingestion (push/v1/push.proto). */
extern const struct profile_backend profile_pyroscope;
extern const struct receiver receiver_pyroscope;

/* Grafana Tempo, a traces server with TraceQL. */
extern const struct trace_backend trace_tempo;

/* Zipkin, a traces server that returns whole traces, and those compatible with
 * its second API. Search results are candidates: whether all conditions have to
 * be met by one span depends on its storage, so the decoder checks again. */
extern const struct trace_backend trace_zipkin;

#endif
