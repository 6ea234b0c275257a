/* SPDX-License-Identifier: Apache-2.0
 *
 * Takes the spans that the reader of a trace format meets: into the model of
 * one trace, or into a history of many. A reader knows its format and hands
 * all that it reads to a taker; a taker knows no format.
 */
#ifndef DECODE_TAKER_H
#define DECODE_TAKER_H

#include "base/notes.h"
#include "decode/history.h"
#include "model/trace.h"

/* Gathers the spans of a search's answer by trace, with what is known of each
 * and of its process, until all are there and go to the history. Knows no
 * format. */

/* Where attributes stand decides which of them count. */
enum facts_scope {
	FACTS_TRACEQL = 1 << 0, /* selected: of the span, its process, and
				   intrinsics */
	FACTS_PROCESS = 1 << 1,
	FACTS_SPAN = 1 << 2,
};

/* The facts of attributes. */
enum fact {
	FACT_SERVICE,
	FACT_NAME,
	FACT_POD,
	FACT_INSTANCE,
	FACT_HOST,
	FACT_VERSION,
	FACT_TEXTS, /* those before are texts */
	FACT_PROFILE = FACT_TEXTS,
	FACT_PARENT,
	FACT_KIND,
	FACT_STATUS,
	FACT_NONE,
};

/* The facts of a span and its process while reading. */
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
	uint64_t parent_id; /* 0: none, or not known */
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

/* Returns the fact of the attribute of this name in this scope. */
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

enum attrs_of {
	ATTRS_OF_PROCESS,
	ATTRS_OF_SPAN,
};

struct waiting_span;
struct taken_process;

/* One of b, gather and watch is set, by the caller of a reader. */
struct taker {
	struct trace_build *b; /* also for what only the model has: events,
				  links, where to take the input up again */
	struct notes *notes;   /* of b */
	uint32_t source;       /* which of several inputs of b this is */
	struct gather *gather;
	struct service_watch *watch;
	size_t span_count;       /* of all traces */
	struct span_facts facts; /* unless there is a build */

	/* Of gather: what came before the processes that it names. */
	struct arena arena;
	struct waiting_span *spans;
	size_t waiting_count, waiting_cap;
	struct taken_process *processes;
	size_t process_count, process_cap;
};

/* With b, gather or watch set, and nothing else. */
void taker_init(struct taker *t);
void taker_release(struct taker *t);

/* Begins collecting attributes of a process, or of a span. */
void taker_attrs_begin(struct taker *t, enum attrs_of of);

/* Returns whether there is a fact of this key. */
bool taker_wants_fact(const struct taker *t, struct str key);
bool taker_set_fact(struct taker *t, struct str key, struct str value);

/* Returns whether an attribute with this key will be taken. */
static inline bool taker_wants(const struct taker *t, struct str key)
{
	return t->b ? trace_build_wants(t->b, key) : taker_wants_fact(t, key);
}

/* Adds one to those of the process or span that began last. */
MUST_CHECK static inline bool taker_attr(struct taker *t, struct str key,
					 struct str value, struct error *err)
{
	return t->b ? trace_build_attr(t->b, key, value, err)
		    : taker_set_fact(t, key, value);
}

/* Any text that only the model keeps: the symbol. */
bool taker_text(struct taker *t, struct str text, uint32_t *symbol,
		struct error *err) MUST_CHECK;
/* The name of the span that began last. */
bool taker_name(struct taker *t, struct str text, struct span_input *in,
		struct error *err) MUST_CHECK;

/* See trace_build_resource() and those behind it. */
bool taker_process(struct taker *t, uint32_t *process,
		   struct error *err) MUST_CHECK;
bool taker_process_reserve(struct taker *t, uint32_t *process,
			   struct error *err) MUST_CHECK;
bool taker_process_describe(struct taker *t, uint32_t process,
			    struct error *err) MUST_CHECK;

/* Returns whether spans of this trace are not kept, so that nothing but their
 * ids and times is wanted. */
static inline bool taker_skips(const struct taker *t, const struct trace_id *id)
{
	return t->b && trace_build_skips(t->b, id);
}

/* Returns whether events and links will be taken, which go to t->b. */
static inline bool taker_has_details(const struct taker *t)
{
	return t->b && trace_build_has_details(t->b);
}

/* Returns whether links will be taken, which go to t->b; attributes of theirs
 * only with details. */
static inline bool taker_has_links(const struct taker *t)
{
	return t->b != NULL;
}

/* The span ends. */
bool taker_span(struct taker *t, const struct span_input *in,
		struct error *err) MUST_CHECK;

/* No process that was reserved so far is described or named any more. Due
 * before the end. */
bool taker_settle(struct taker *t, struct error *err) MUST_CHECK;

/* A trace ends that comes in one piece, perhaps without spans. */
bool taker_trace_end(struct taker *t, const struct trace_id *id,
		     struct error *err) MUST_CHECK;

/* The answer goes on elsewhere. */
void taker_next_page(struct taker *t, struct str token);

/* Spans are missing; the note says why. */
void taker_partial(struct taker *t, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
