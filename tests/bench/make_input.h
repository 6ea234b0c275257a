/* SPDX-License-Identifier: Apache-2.0
 *
 * Made-up inputs of any size for the benchmarks, equal for an equal shape:
 * profiles with the shared prefixes of a call graph, traces with chains,
 * fan-outs and repeated queries. Bytes are appended to out, whose state tells
 * a failure (buf_check()).
 */
#ifndef BENCH_MAKE_INPUT_H
#define BENCH_MAKE_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* The later side repeats the earlier one with other values and ids, 4 % of
 * its stacks gone, and one function 30 % slower. */
struct profile_shape {
	uint32_t stacks;
	uint32_t functions;
	bool is_later;
};

bool make_pprof(const struct profile_shape *shape, struct buf *out);
bool make_folded(const struct profile_shape *shape, struct buf *out);

/* All encodings hold the same spans of one trace, in which six services call
 * each other. */
bool make_otlp_pb(uint32_t span_count, struct buf *out);
bool make_otlp_json(uint32_t span_count, struct buf *out);
bool make_jaeger_json(uint32_t span_count, struct buf *out);

/* SplitMix64: a step of the state, then a mix of it. */
static inline uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* 0..limit-1. The bias is of no account here. */
static inline uint32_t random_below(uint64_t *state, uint32_t limit)
{
	return (uint32_t)((random_next(state) >> 32) * limit >> 32);
}

/* Protobuf fields: a number, and bytes with their length. */
void pb_varint(struct buf *out, uint64_t value);
void pb_number(struct buf *out, unsigned field, uint64_t value);
void pb_fixed64(struct buf *out, unsigned field, uint64_t value);
void pb_bytes(struct buf *out, unsigned field, struct str bytes);
void pb_text(struct buf *out, unsigned field, const char *text);

/* Ceiling of every buffer of the benchmarks. */
#define MADE_BYTES GIB

#endif
