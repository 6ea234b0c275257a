/* SPDX-License-Identifier: Apache-2.0
 *
 * V8 profiles: call tree nodes, the nodes sampled, and the microseconds between
 * samples, as defined by the Chrome DevTools Protocol, domains Profiler and
 * HeapProfiler. Private to decoders of V8's files.
 */
#ifndef DECODE_V8_PROFILE_H
#define DECODE_V8_PROFILE_H

#include "base/json.h"
#include "base/map.h"
#include "decode/column.h"
#include "decode/profile_type.h"

#define V8_WHAT "the V8 profile"

/* The call tree of one thread. */
struct v8_calls {
	struct arena *arena;
	struct json_reader *json;
	struct profile_build *build;
	const struct profile *profile;
	struct column nodes;
	struct column calls;
	struct column samples; /* uint64_t: node ids */
	struct column times;   /* double: microseconds */
	uint32_t *by_id;       /* index + 1; NULL: index_by_id has them */
	size_t by_id_count;
	struct map index_by_id;
	struct v8_tally *tallies; /* by node */
	double start_us;
	double end_us;
	bool has_deltas; /* times are differences */
	bool has_end;    /* the last time is the end */
	bool may_lack_nodes;
	bool is_heap;
	uint64_t sample_count; /* not idle */
	uint64_t lost_count;   /* whose node is missing */
	int64_t idle_ns;
	/* Has nodes for states, not functions, as V8 does. */
	bool has_states;
	/* Sampling interval; 0: gaps between samples are not meaningful. */
	double interval_us;
	int64_t gaps_ns; /* time without samples, beyond the interval */
};

/* The content of a file. Everything except `all` and `count` is borrowed and
 * set by the caller. */
struct v8_group {
	struct arena *arena; /* for data read */
	struct json_reader *json;
	struct profile_build *build;
	struct profile *profile; /* the one being built */
	struct v8_calls *all;
	size_t count;
};

/* Allocates nothing. */
void v8_calls_init(struct v8_calls *c, const struct v8_group *g);

/* Reads the value of this key of a profile, or skips it. Returns false only for
 * errors of its own; those of the JSON parser stay there. */
bool v8_calls_read(struct v8_calls *c, struct str key,
		   struct error *err) MUST_CHECK;

/* Sums up the requested type and finishes the build. */
bool v8_group_finish(struct v8_group *g, const struct profile_want *want,
		     struct notes *notes, struct error *err) MUST_CHECK;

#endif
