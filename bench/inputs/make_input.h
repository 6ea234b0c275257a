/* SPDX-License-Identifier: Apache-2.0
 *
 * Made-up inputs of any size for the benchmarks, equal for an equal shape.
 * Bytes are appended to out, whose state tells a failure (buf_check()).
 */
#ifndef BENCH_MAKE_INPUT_H
#define BENCH_MAKE_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"

/* Ceiling of every buffer and arena of the benchmarks. */
#define MADE_BYTES (2 * GIB)

/* ---- profiles ---- */

/* How a profile departs from a real one, to find what is not linear. */
enum stacks_kind {
	STACKS_REAL = 0,
	STACKS_ONE,       /* one stack, of so many frames as there are stacks */
	STACKS_EQUAL,     /* all the same */
	STACKS_UNLIKE,    /* no two share a function */
	STACKS_SAME_NAME, /* every function has the same name */
};

/* A pair is two shapes that differ in is_later. The later side repeats the
 * earlier one under other ids, each value within 3 % of it, 4 % of the stacks
 * gone and as many new, and function 0, the hottest, 20 % slower. */
struct profile_shape {
	uint32_t stacks; /* of both sides together; each has 96 % of them */
	uint32_t functions;
	uint32_t locations; /* at least as many as functions */
	uint32_t depth;     /* frames of a stack, on average */
	enum stacks_kind kind;
	bool is_later;
};

bool make_pprof(const struct profile_shape *shape, struct buf *out);
bool make_folded(const struct profile_shape *shape, struct buf *out);

/* ---- traces ---- */

enum trace_kind {
	TRACES_MANY = 0, /* of some forty spans each */
	TRACE_ONE,       /* the rest are one trace of all spans */
	TRACE_SAME_NAME,
	TRACE_NAMES, /* no name twice */
	TRACE_FAN,   /* a root with all others below it */
	TRACE_CHAIN, /* each below the one before */
};

enum trace_format { OTLP_PB, OTLP_JSON, JAEGER_JSON };

/* Makes traces bit by bit: what was appended to out may be taken away between
 * two steps. All formats hold the same spans. */
struct trace_maker;

struct trace_maker *trace_maker_new(enum trace_kind kind, uint32_t span_count,
				    enum trace_format format);
void trace_maker_free(struct trace_maker *m);

/* False at the end. */
bool trace_maker_step(struct trace_maker *m, struct buf *out);

#endif
