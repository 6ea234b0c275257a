/* SPDX-License-Identifier: Apache-2.0
 *
 * Takes the spans that the reader of a trace format meets: into the model of
 * one trace, or into a history of many. A reader knows its format and hands
 * all that it reads to a taker; a taker knows no format.
 */
#ifndef DECODE_TAKER_H
#define DECODE_TAKER_H

#include "base/notes.h"
#include "decode/gather.h"
#include "model/trace.h"

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

/* What facts there are of. */
bool taker_wants_fact(const struct taker *t, struct str key);
bool taker_set_fact(struct taker *t, struct str key, struct str value);

/* Whether an attribute with this key will be taken. */
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

/* Whether spans of this trace are not kept, so that nothing but their ids and
 * times is wanted. */
static inline bool taker_skips(const struct taker *t, const struct trace_id *id)
{
	return t->b && trace_build_skips(t->b, id);
}

/* Whether events and links will be taken, which go to t->b. */
static inline bool taker_has_details(const struct taker *t)
{
	return t->b && trace_build_has_details(t->b);
}

/* Whether links will be taken, which go to t->b; attributes of theirs only
 * with details. */
static inline bool taker_has_links(const struct taker *t)
{
	return t->b && trace_build_has_links(t->b);
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
