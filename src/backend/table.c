/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/table.h"

#include "backend/google/google_error.h"
#include "backend/rooms.h"
#include "base/num.h"

/* To add a server: a folder with its object, and a row here. */
const struct backend_row backend_table[] = {
	{ .name = "tempo",
	  .title = "Tempo",
	  .prefix = "tempo+",
	  .default_url = "http://localhost:3200",
	  .traces = &trace_tempo },
	{ .name = "jaeger",
	  .title = "Jaeger",
	  .prefix = "jaeger+",
	  .default_url = "http://localhost:16686",
	  .traces = &trace_jaeger },
	{ .name = "zipkin",
	  .title = "Zipkin",
	  .prefix = "zipkin+",
	  .traces = &trace_zipkin },
	{ .name = "pyroscope",
	  .title = "Pyroscope",
	  .prefix = "pyroscope+",
	  .default_url = "http://localhost:4040",
	  .profiles = &profile_pyroscope },
	{ .name = "parca",
	  .title = "Parca",
	  .prefix = "parca+",
	  .profiles = &profile_parca },
	{ .name = "Cloud Trace",
	  .title = "Cloud Trace",
	  .default_url = "https://cloudtrace.googleapis.com",
	  .is_project = google_address_is,
	  .project_parse = google_address_parse,
	  .traces = &trace_cloud },
	{ .name = "Cloud Profiler",
	  .title = "Cloud Profiler",
	  .default_url = "https://cloudprofiler.googleapis.com",
	  .is_project = google_address_is,
	  .project_parse = google_address_parse,
	  .profiles = &profile_cloud },
	{ .name = "prometheus",
	  .title = "Prometheus",
	  .prefix = "prometheus+",
	  .default_url = "http://localhost:9090",
	  .metrics = &metric_prometheus },
	{ .name = "Cloud Monitoring",
	  .title = "Cloud Monitoring",
	  .default_url = "https://monitoring.googleapis.com",
	  .is_project = google_address_is,
	  .project_parse = google_address_parse,
	  .metrics = &metric_cloud_monitoring },
};

const size_t backend_table_count = COUNT_OF(backend_table);

const struct backend_row backend_files = { .name = "file",
					   .title = "file",
					   .profiles = &profile_files };

const struct backend_row *profiles_row(const struct profile_backend *profiles)
{
	for (size_t i = 0; i < backend_table_count; i++) {
		const struct backend_row *row = &backend_table[i];

		if (row->profiles && (!profiles || row->profiles == profiles))
			return row;
	}
	return NULL;
}

const struct backend_row *metrics_row(void)
{
	size_t i = 0;

	while (!backend_table[i].metrics)
		i++;
	return &backend_table[i];
}

const char *server_side_name(enum server_side side)
{
	static const char *const names[SERVER_SIDES] = {
		[SERVER_TRACES] = "traces",
		[SERVER_PROFILES] = "profiles",
		[SERVER_METRICS] = "metrics",
		[SERVER_TO] = "to",
	};

	return names[side];
}

bool backend_row_holds(const struct backend_row *row, enum server_side side)
{
	const void *held[SERVER_SIDES] = {
		[SERVER_TRACES] = row->traces,
		[SERVER_PROFILES] = row->profiles,
		[SERVER_METRICS] = row->metrics,
	};

	return held[side] != NULL;
}

/* To add a receiver: a folder with its object, and a row here. */
const struct receiver *const receiver_table[] = { &receiver_otlp,
						  &receiver_pyroscope,
						  &receiver_newrelic,
						  &receiver_datadog };

const size_t receiver_table_count = COUNT_OF(receiver_table);
