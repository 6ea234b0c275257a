/* SPDX-License-Identifier: Apache-2.0
 *
 * Answers of trace searches into windows of a history, and counts. Only
 * spans of the history's operations are kept.
 */
#ifndef DECODE_HISTORY_H
#define DECODE_HISTORY_H

#include "base/buf.h"
#include "model/history.h"

/* The purpose of an answer. */
struct history_want {
	uint32_t window;         /* index */
	struct str root_service; /* only traces with this root; empty: any */
	struct str root_name;
	const struct trace_id *except; /* without this trace; NULL: none */
	/* So many traces were asked for: as many say that there are more. */
	uint32_t trace_limit;
	/* When set, all traces of the answer that fit hit_want go there, and
	 * there is no history: window and root do not count. */
	struct hits *hits;
	const struct hit_want *hit_want;
	/* Where the answer comes in pages: set to the next one's token when
	 * there is one. NULL: then the window is a sample. */
	struct buf *next_page;
	bool has_roots_only; /* of each trace its first span was asked for */
};

/* Appends to the window, puts it in order and marks it answered. False on a
 * damaged answer or lack of memory: the window is then empty and not answered.
 * Tempo: /api/search; Jaeger: /api/v3/traces, /api/traces; Cloud Trace: a
 * list. */
typedef bool search_decoder(struct str bytes, struct history *h,
			    const struct history_want *want, struct error *err);

search_decoder decode_tempo_search_json MUST_CHECK;
search_decoder decode_tempo_search_pb MUST_CHECK;
search_decoder decode_jaeger_search MUST_CHECK;
search_decoder decode_jaeger_search_legacy MUST_CHECK;
search_decoder decode_cloud_trace_search MUST_CHECK;

/* Whoever wants to know which services there are: called for each process
 * that is described, with its service, empty when it does not tell. */
struct service_watch {
	bool (*service)(void *context, struct str service, struct error *err);
	void *context;
	size_t trace_count;
};

/* The list of Cloud Trace: a process a span. */
bool decode_cloud_trace_services(struct str bytes, struct service_watch *watch,
				 struct error *err) MUST_CHECK;

/* Counts by steps of a window: step i begins at from_ns + i * step_ns. */
struct step_counts {
	int64_t from_ns;
	int64_t step_ns;
	int64_t *counts; /* -1 not known */
	uint32_t step_count;
};

/* Tempo's query_range answer; the server's own step may be finer. A step
 * that the answer does not cover is left alone. */
bool decode_tempo_counts(struct str bytes, int64_t server_step_ns,
			 struct step_counts *out, struct error *err) MUST_CHECK;

/* Jaeger's trace summaries: traces by their start, all steps known.
 * *trace_count is how many were listed. */
bool decode_jaeger_counts(struct str bytes, struct step_counts *out,
			  uint32_t *trace_count, struct error *err) MUST_CHECK;

#endif
