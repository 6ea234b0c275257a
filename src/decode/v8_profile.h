/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls as V8 tells them: nodes, the nodes at which samples met the program
 * and the microseconds between samples. The Chrome DevTools Protocol describes
 * them, domains Profiler and HeapProfiler. Private to readers of V8's files.
 */
#ifndef DECODE_V8_PROFILE_H
#define DECODE_V8_PROFILE_H

#include "base/json.h"
#include "base/map.h"
#include "decode/column.h"
#include "decode/profile_type.h"

#define V8_WHAT "the V8 profile"

/* The calls of one thread. */
struct v8_calls {
	struct arena *arena;
	struct json_reader *json;
	struct profile_build *build;
	const struct profile *profile;
	struct column nodes;
	struct column calls;
	struct column samples; /* uint64_t: ids of nodes */
	struct column times;   /* double: microseconds */
	uint32_t *by_id; /* index + 1; NULL: index_by_id has them */
	size_t by_id_count;
	struct map index_by_id;
	struct v8_tally *tallies; /* by node */
	double start_us;
	double end_us;
	bool has_deltas; /* times tell differences */
	bool has_end;    /* the last time is the end */
	bool may_lack_nodes;
	bool is_heap;
	uint64_t sample_count; /* those that are not idle */
	uint64_t lost_count;   /* those whose node is missing */
	int64_t idle_ns;
	bool has_states;    /* nodes of what is no function, as V8 has them */
	double interval_us; /* between samples; 0: gaps between them say nothing */
	int64_t gaps_ns; /* without samples, beyond that */
};

/* The content of a file. All but `all` and `count` are borrowed, and set by the
 * caller. */
struct v8_group {
	struct arena *arena; /* for what is read */
	struct json_reader *json;
	struct profile_build *build;
	struct profile *profile; /* of the build */
	struct v8_calls *all;
	size_t count;
};

/* No allocation happens here. */
void v8_calls_init(struct v8_calls *c, const struct v8_group *g);

/* Reads the value of this key of a profile, or passes over it. False for
 * failures of its own only; what the JSON reader met sticks there. */
bool v8_calls_read(struct v8_calls *c, struct str key,
		   struct error *err) MUST_CHECK;

/* Adds up what was read, of the type that is wanted, and finishes the build. */
bool v8_group_finish(struct v8_group *g, const struct profile_want *want,
		     struct notes *notes, struct error *err) MUST_CHECK;

#endif
