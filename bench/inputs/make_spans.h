/* SPDX-License-Identifier: Apache-2.0
 *
 * The spans of made-up traces, before any encoding: a trace is a tree over a
 * fixed set of services, a child lies inside its parent.
 */
#ifndef BENCH_MAKE_SPANS_H
#define BENCH_MAKE_SPANS_H

#include "make_input.h"

#define SERVICES 14
#define NO_PARENT UINT32_MAX
/* Bits of an id that decide what a span carries. */
#define SPAN_EVENT_EVERY 10
#define SPAN_ERROR_EVERY 50

struct made_span {
	uint64_t id;
	uint64_t start_ns;
	uint64_t duration_ns;
	uint32_t parent; /* index in the batch */
	uint32_t number; /* of all spans */
	uint32_t alike;  /* id that its text is made of; siblings may share */
	uint8_t service;
};

struct made_trace {
	uint64_t id[2];
	uint32_t first, count; /* spans */
};

/* Whole traces, of some hundred spans or more together. */
struct batch {
	struct made_span *spans;
	struct made_trace *traces;
	size_t span_count, span_cap;
	size_t trace_count, trace_cap;
};

struct spans_maker {
	struct arena arena;
	struct batch batch;
	enum trace_kind kind;
	uint32_t span_count, made;
	uint64_t random;
	uint64_t start_ns;
};

void spans_init(struct spans_maker *m, enum trace_kind kind,
		uint32_t span_count);
void spans_release(struct spans_maker *m);

/* Fills the batch anew. False at the end, or when memory failed. */
bool spans_next(struct spans_maker *m);

extern const char *const service_names[SERVICES];

/* Text of the name of a span, with a NUL. */
#define SPAN_NAME_BYTES 96
void made_span_name(enum trace_kind kind, const struct made_span *s,
		    char name[SPAN_NAME_BYTES]);

static inline bool span_has_event(const struct made_span *s)
{
	return (s->id >> 16) % SPAN_EVENT_EVERY == 0;
}

static inline bool span_is_error(const struct made_span *s)
{
	return (s->id >> 8) % SPAN_ERROR_EVERY == 0;
}

#endif
