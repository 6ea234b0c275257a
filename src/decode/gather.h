/* SPDX-License-Identifier: Apache-2.0
 *
 * Gathers the spans of a search's answer by trace, with what is known of each
 * and of its process, until all are there and go to the history. Knows no
 * format.
 */
#ifndef DECODE_GATHER_H
#define DECODE_GATHER_H

#include "decode/history.h"
#include "model/trace.h"

/* Where attributes stand decides which of them count. */
enum facts_scope {
	FACTS_TRACEQL = 1 << 0, /* selected: of the span, its process, and
				   intrinsics */
	FACTS_PROCESS = 1 << 1,
	FACTS_SPAN = 1 << 2,
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
	const struct history *history; /* whose keys; NULL: none */
	/* Their values, one behind the other: a key's index, the value's
	 * length, its bytes. */
	struct buf of_span;
	struct buf of_process;
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

/* The history's key of this name, or HISTORY_KEYS; and a value of it, of the
 * span or, in that scope, of its process. */
uint32_t facts_key(const struct span_facts *f, struct str key);
void facts_add_attr(struct span_facts *f, uint32_t key, struct str value);
/* Puts back what of_span or of_process held. */
void facts_set_attrs(struct span_facts *f, struct buf *attrs, struct str held);

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
	struct trace_id_map by_id;
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
