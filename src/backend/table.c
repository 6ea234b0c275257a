/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/table.h"

#include "backend/cloud_trace/cloud_trace.h"
#include "backend/jaeger/jaeger.h"
#include "backend/tempo/tempo.h"
#include "base/count.h"

/* A new server: a room with its object, and a row here. */
const struct backend_row backend_table[] = {
	{ .kind = SOURCE_TEMPO,
	  .name = "tempo",
	  .title = "Tempo",
	  .prefix = "tempo+",
	  .default_url = "http://localhost:3200",
	  .traces = &trace_tempo },
	{ .kind = SOURCE_JAEGER,
	  .name = "jaeger",
	  .title = "Jaeger",
	  .prefix = "jaeger+",
	  .default_url = "http://localhost:16686",
	  .traces = &trace_jaeger },
	{ .kind = SOURCE_PYROSCOPE,
	  .name = "pyroscope",
	  .title = "Pyroscope",
	  .prefix = "pyroscope+",
	  .default_url = "http://localhost:4040" },
	{ .kind = SOURCE_PARCA,
	  .name = "parca",
	  .title = "Parca",
	  .prefix = "parca+" },
	{ .kind = SOURCE_CLOUD_TRACE,
	  .name = "Cloud Trace",
	  .title = "Cloud Trace",
	  .traces = &trace_cloud },
	{ .kind = SOURCE_CLOUD_PROFILER,
	  .name = "Cloud Profiler",
	  .title = "Cloud Profiler" },
};

const size_t backend_table_count = COUNT_OF(backend_table);

const struct backend_row *backend_row_of(enum source_kind kind)
{
	for (size_t i = 0; i < backend_table_count; i++)
		if (backend_table[i].kind == kind)
			return &backend_table[i];
	return NULL;
}

const struct trace_backend *trace_backend_of(enum source_kind kind)
{
	const struct backend_row *row = backend_row_of(kind);

	return row ? row->traces : NULL;
}
