/* SPDX-License-Identifier: Apache-2.0
 *
 * Answers of trace searches into windows of a history, and counts. Only
 * spans of the history's operations are kept.
 */
#ifndef DECODE_HISTORY_H
#define DECODE_HISTORY_H

#include "base/buf.h"
#include "base/map.h"
#include "model/history.h"
#include "model/hits.h"

/* What an answer is for. */
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

/* Each appends to the window, puts it in order and marks it answered. False
 * on a damaged answer or lack of memory: the window is then empty and not
 * answered. Tempo: /api/search; Jaeger: /api/v3/traces, /api/traces; Cloud
 * Trace: a list. */
bool decode_tempo_search_json(struct str bytes, struct history *h,
			      const struct history_want *want,
			      struct error *err) MUST_CHECK;
bool decode_tempo_search_pb(struct str bytes, struct history *h,
			    const struct history_want *want,
			    struct error *err) MUST_CHECK;
bool decode_jaeger_search(struct str bytes, struct history *h,
			  const struct history_want *want,
			  struct error *err) MUST_CHECK;
bool decode_cloud_trace_search(struct str bytes, struct history *h,
			       const struct history_want *want,
			       struct error *err) MUST_CHECK;
bool decode_jaeger_search_legacy(struct str bytes, struct history *h,
				 const struct history_want *want,
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

/* ---- for the decoders ---- */

/* Where attributes stand decides which of them count. */
enum facts_scope {
	FACTS_TRACEQL = 1 << 0, /* selected: of the span, its process, and
				   intrinsics */
	FACTS_PROCESS = 1 << 1,
	FACTS_SPAN = 1 << 2, /* OTLP */
	FACTS_TAGS = 1 << 3, /* of a span in Jaeger's older JSON */
};

/* What attributes tell. */
enum fact {
	FACT_SERVICE,
	FACT_NAME,
	FACT_POD,
	FACT_INSTANCE,
	FACT_HOST,
	FACT_VERSION,
	FACT_TEXTS, /* those before are texts */
	FACT_PROFILE = FACT_TEXTS,
	FACT_KIND,
	FACT_STATUS,
	FACT_ERROR,
	FACT_NONE,
};

/* What is known of a span and its process while reading. */
struct span_facts {
	enum facts_scope scope; /* of the attributes that come */
	/* A text over the limit is empty: no operation is called so. */
	struct str texts[FACT_TEXTS];
	struct buf copies[FACT_TEXTS]; /* of those that do not last */
	bool has_lasting_texts;        /* what comes stays until gathered */
	bool is_starved;               /* memory for a text was lacking */
	uint64_t span_id;
	uint64_t profile_id;
	uint64_t start_ns;
	uint64_t duration_ns;
	enum span_kind kind;
	bool has_kind;
	bool is_error;
};

void facts_init(struct span_facts *f);
void facts_release(struct span_facts *f);
/* Forget the span, or its process. */
void facts_clear_span(struct span_facts *f);
void facts_clear_process(struct span_facts *f);

/* What the attribute of this name tells in this scope. */
enum fact facts_find(const struct span_facts *f, struct str key);
void facts_set(struct span_facts *f, enum fact fact, struct str value);

/* The pod, else the instance, else the host. */
struct str facts_instance(const struct span_facts *f);

/* A trace while its spans are gathered; they may come mixed. */
struct gathered_trace {
	struct history_trace trace;
	int64_t end_ns;
	bool has_root; /* the wanted one */
	bool has_extent;
	/* For hits. */
	struct hit hit;
	int64_t last_start_ns; /* of the span read last */
	int64_t root_start_ns;
	bool has_match;
};

struct gather {
	struct history *history;
	const struct history_want *want;
	struct arena arena;
	struct map by_id;
	struct gathered_trace *traces;
	size_t trace_count, trace_cap;
	struct history_span *spans; /* .trace: index into traces */
	size_t span_count, span_cap;
	bool is_sample;  /* the answer says that it left something out */
	bool is_starved; /* memory for a text was lacking */
};

void gather_init(struct gather *g, struct history *h,
		 const struct history_want *want);

/* Index of the trace, added when met for the first time. */
bool gather_trace(struct gather *g, const struct trace_id *id, uint32_t *index,
		  struct error *err) MUST_CHECK;

/* The same without an id, for answers that come trace by trace: the caller
 * fills traces[trace_count - 1]. */
bool gather_trace_next(struct gather *g, struct error *err) MUST_CHECK;

/* A time or length as received; what is past 2^63 is none. */
int64_t history_time(uint64_t time_ns);

/* A root of the trace: is it the wanted one? Of several the earliest names a
 * hit. */
void gather_root(struct gather *g, uint32_t trace, struct str service,
		 struct str name);

/* The same for hits only, where service and name come one by one. */
void gather_root_service(struct gather *g, uint32_t trace, struct str service);
void gather_root_name(struct gather *g, uint32_t trace, struct str name);

/* The trace has so many spans, so many of them failed. */
void gather_stats(struct gather *g, uint32_t trace, uint64_t spans,
		  uint64_t errors);

/* How many it has is not known. */
void gather_stats_forget(struct gather *g, uint32_t trace);

/* Lets the trace reach from the span's start to its end. */
void gather_extent(struct gather *g, uint32_t trace,
		   const struct span_facts *f);

/* Keeps the span when it is of a wanted operation. */
bool gather_span(struct gather *g, uint32_t trace, const struct span_facts *f,
		 struct error *err) MUST_CHECK;

/* Hands all to the history when is_read, and releases. Returns false when
 * not read or not stored. */
bool gather_finish(struct gather *g, bool is_read,
		   struct error *err) MUST_CHECK;

#endif
