/* SPDX-License-Identifier: Apache-2.0
 *
 * Receives the spans that trace decoders read, for the model of one trace or
 * for a history of many. Decoders know their format only and pass everything to
 * a taker, which is independent of formats.
 */
#ifndef DECODE_TAKER_H
#define DECODE_TAKER_H

#include "base/notes.h"
#include "decode/history.h"
#include "model/trace.h"

/* Collects the spans of a search response by trace, with the facts of each span
 * and its resource, and adds them to the history at the end. */

/* Where attributes come from, which decides which are used. */
enum facts_scope {
	/* Selected by TraceQL: of the span, its resource, and intrinsics. */
	FACTS_TRACEQL = 1 << 0,
	FACTS_PROCESS = 1 << 1,
	FACTS_SPAN = 1 << 2,
};

/* Facts taken from attributes. */
enum fact {
	FACT_SERVICE,
	FACT_NAME,
	FACT_POD,
	FACT_INSTANCE,
	FACT_HOST,
	FACT_VERSION,
	FACT_TEXTS, /* the ones before are texts */
	FACT_PROFILE = FACT_TEXTS,
	FACT_PARENT,
	FACT_KIND,
	FACT_STATUS,
	FACT_NONE,
};

/* Facts of a span and its resource while reading. */
struct span_facts {
	enum facts_scope scope; /* of the attributes that follow */
	/* A text over the limit becomes empty, which no operation is called. */
	struct str texts[FACT_TEXTS];
	struct buf copies[FACT_TEXTS]; /* of texts that are not permanent */
	/* Texts that follow stay valid until gathered. */
	bool has_lasting_texts;
	bool is_starved;               /* out of memory for a text */
	const struct history *history; /* its keys are collected; NULL: none */
	/* Values of keys, concatenated: index of the key, length of the value,
	 * its bytes. */
	struct buf of_span;
	struct buf of_process;
	uint64_t span_id;
	uint64_t parent_id; /* 0: none or unknown */
	uint64_t profile_id;
	uint64_t start_ns;
	uint64_t duration_ns;
	enum span_kind kind;
	bool has_kind;
	bool is_error;
};

void facts_init(struct span_facts *f);
void facts_release(struct span_facts *f);
/* Reset the span, or its resource. */
void facts_clear_span(struct span_facts *f);
void facts_clear_process(struct span_facts *f);

/* Returns the fact that an attribute of this name is, in this scope. */
enum fact facts_find(const struct span_facts *f, struct str key);
void facts_set(struct span_facts *f, enum fact fact, struct str value);

/* facts_key() returns the history's key of this name, HISTORY_KEYS if absent;
 * facts_add_attr() adds a value of it for the span or, in that scope, for its
 * resource. */
uint32_t facts_key(const struct span_facts *f, struct str key);
void facts_add_attr(struct span_facts *f, uint32_t key, struct str value);
/* Restores previous contents of of_span or of_process. */
void facts_set_attrs(struct span_facts *f, struct buf *attrs, struct str held);

/* Returns the pod, else the instance id, else the host. */
struct str facts_instance(const struct span_facts *f);

/* A trace while its spans are collected; spans of different traces may be
 * mixed. */
struct gathered_trace {
	struct history_trace trace;
	int64_t end_ns;
	bool has_root; /* the requested one */
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
	bool is_sample;  /* the response indicates that something is missing */
	bool is_starved; /* out of memory for a text */
};

void gather_init(struct gather *g, struct history *h,
		 const struct history_want *want);

/* Returns the index of the trace in *index, adding it when new. */
bool gather_trace(struct gather *g, const struct trace_id *id, uint32_t *index,
		  struct error *err) MUST_CHECK;

/* Adds a trace without an id, for responses that come trace by trace: the
 * caller fills traces[trace_count - 1]. */
bool gather_trace_next(struct gather *g, struct error *err) MUST_CHECK;

/* Converts a time or duration as received; past 2^63 it is unset. */
int64_t history_time(uint64_t time_ns);

/* Reports a root of the trace, to compare with the requested one. Of several
 * the earliest names a hit. */
void gather_root(struct gather *g, uint32_t trace, struct str service,
		 struct str name);

/* Same for hits only, when service and name come separately. */
void gather_root_service(struct gather *g, uint32_t trace, struct str service);
void gather_root_name(struct gather *g, uint32_t trace, struct str name);

/* Sets the numbers of spans and of failed spans. */
void gather_stats(struct gather *g, uint32_t trace, uint64_t spans,
		  uint64_t errors);

/* Marks these numbers as unknown. */
void gather_stats_forget(struct gather *g, uint32_t trace);

/* Extends the trace to include the span. */
void gather_extent(struct gather *g, uint32_t trace,
		   const struct span_facts *f);

/* Keeps the span if its operation is wanted. */
bool gather_span(struct gather *g, uint32_t trace, const struct span_facts *f,
		 struct error *err) MUST_CHECK;

/* If is_read, moves everything to the history; then releases. Returns false if
 * not read or not stored. */
bool gather_finish(struct gather *g, bool is_read,
		   struct error *err) MUST_CHECK;

enum attrs_of {
	ATTRS_OF_PROCESS,
	ATTRS_OF_SPAN,
};

struct waiting_span;
struct taken_process;

/* The caller of a decoder sets one of b, gather and watch. */
struct taker {
	/* Also for data only the model has: events, links, resume places. */
	struct trace_build *b;
	struct notes *notes; /* for b */
	uint32_t source;     /* index of the input, if b has several */
	struct gather *gather;
	struct service_watch *watch;
	size_t span_count;       /* over all traces */
	struct span_facts facts; /* unless b is set */

	/* For gather: spans that came before their resources. */
	struct arena arena;
	struct waiting_span *spans;
	size_t waiting_count, waiting_cap;
	struct taken_process *processes;
	size_t process_count, process_cap;
};

/* Call with b, gather or watch set, and everything else 0. */
void taker_init(struct taker *t);
void taker_release(struct taker *t);

/* Starts collecting attributes of a resource or span. */
void taker_attrs_begin(struct taker *t, enum attrs_of of);

/* Returns whether this key is a fact. */
bool taker_wants_fact(const struct taker *t, struct str key);
bool taker_set_fact(struct taker *t, struct str key, struct str value);

/* Returns whether an attribute with this key is used. */
static inline bool taker_wants(const struct taker *t, struct str key)
{
	return t->b ? trace_build_wants(t->b, key) : taker_wants_fact(t, key);
}

/* Adds one to the resource or span started last. */
MUST_CHECK static inline bool taker_attr(struct taker *t, struct str key,
					 struct str value, struct error *err)
{
	return t->b ? trace_build_attr(t->b, key, value, err)
		    : taker_set_fact(t, key, value);
}

/* Interns a text that only the model keeps. */
bool taker_text(struct taker *t, struct str text, uint32_t *symbol,
		struct error *err) MUST_CHECK;
/* Sets the name of the span started last. */
bool taker_name(struct taker *t, struct str text, struct span_input *in,
		struct error *err) MUST_CHECK;

/* See trace_build_resource() and the following functions. */
bool taker_process(struct taker *t, uint32_t *process,
		   struct error *err) MUST_CHECK;
bool taker_process_reserve(struct taker *t, uint32_t *process,
			   struct error *err) MUST_CHECK;
bool taker_process_describe(struct taker *t, uint32_t process,
			    struct error *err) MUST_CHECK;

/* Returns whether spans of this trace are not kept, so that only their ids and
 * times are needed. */
static inline bool taker_skips(const struct taker *t, const struct trace_id *id)
{
	return t->b && trace_build_skips(t->b, id);
}

/* Returns whether events and links are used, which go to t->b. */
static inline bool taker_has_details(const struct taker *t)
{
	return t->b && trace_build_has_details(t->b);
}

/* Returns whether links are used, which go to t->b; their attributes only with
 * taker_has_details(). */
static inline bool taker_has_links(const struct taker *t)
{
	return t->b != NULL;
}

/* Ends a span. */
bool taker_span(struct taker *t, const struct span_input *in,
		struct error *err) MUST_CHECK;

/* Declares that resources reserved so far will not be described or referred to
 * any more. Call it before the end. */
bool taker_settle(struct taker *t, struct error *err) MUST_CHECK;

/* Ends a trace that comes in one piece, possibly without spans. */
bool taker_trace_end(struct taker *t, const struct trace_id *id,
		     struct error *err) MUST_CHECK;

/* Records that the response continues on another page. */
void taker_next_page(struct taker *t, struct str token);

/* Records that spans are missing; the note says why. */
void taker_partial(struct taker *t, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
