/* SPDX-License-Identifier: Apache-2.0
 *
 * Decodes trace search responses into windows of a history, and counts. Only
 * spans of the history's operations are kept.
 */
#ifndef DECODE_HISTORY_H
#define DECODE_HISTORY_H

#include "base/buf.h"
#include "model/history.h"

/* Which parts of a response to read, and where to put them. */
struct history_want {
	uint32_t window;         /* index of the window to fill */
	struct str root_service; /* only traces with this root; empty: any */
	struct str root_name;
	const struct trace_id *except; /* skip this trace; NULL: none */
	/* Limit of the request: as many traces mean that there are more. */
	uint32_t trace_limit;
	/* If set, all traces that fit hit_want are added here, and history,
	 * window and root are not used. */
	struct hits *hits;
	const struct hit_want *hit_want;
	/* Receives the token of the next page, if any. NULL: further pages make
	 * the window a sample. */
	struct buf *next_page;
	bool has_roots_only; /* only root spans were requested */
};

/* Appends to the window, sorts it and marks it as answered. Returns false on
 * damage and when out of memory: the window is then empty and not answered.
 * Tempo: /api/search; Jaeger: /api/v3/traces, /api/traces; Cloud Trace: a
 * list. */
typedef bool search_decoder(struct str bytes, struct history *h,
			    const struct history_want *want, struct error *err);

search_decoder decode_tempo_search_json MUST_CHECK;
search_decoder decode_tempo_search_pb MUST_CHECK;
search_decoder decode_jaeger_search MUST_CHECK;
search_decoder decode_jaeger_search_legacy MUST_CHECK;
search_decoder decode_cloud_trace_search MUST_CHECK;

/* Collects the names of services: called for each resource with its service,
 * empty if unset. */
struct service_watch {
	bool (*service)(void *context, struct str service, struct error *err);
	void *context;
	size_t trace_count;
};

/* Cloud Trace list: a resource per span. */
bool decode_cloud_trace_services(struct str bytes, struct service_watch *watch,
				 struct error *err) MUST_CHECK;

/* Counts per time step; step i begins at from_ns + i * step_ns. */
struct step_counts {
	int64_t from_ns;
	int64_t step_ns;
	int64_t *counts; /* -1 unknown */
	uint32_t step_count;
};

/* Decodes Tempo's query_range response; the server's step may be finer. Steps
 * not in the response are left unchanged. */
bool decode_tempo_counts(struct str bytes, int64_t server_step_ns,
			 struct step_counts *out, struct error *err) MUST_CHECK;

/* Decodes Jaeger's trace summaries: counts traces by start; all steps become
 * known. *trace_count is the number listed. */
bool decode_jaeger_counts(struct str bytes, struct step_counts *out,
			  uint32_t *trace_count, struct error *err) MUST_CHECK;

#endif
