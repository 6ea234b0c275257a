/* SPDX-License-Identifier: Apache-2.0
 *
 * Traces that a search found, each once, with what the answers tell of them.
 * Filled by decode/, ordered and counted by analyze/.
 */
#ifndef MODEL_HITS_H
#define MODEL_HITS_H

#include "base/arena.h"
#include "base/error.h"
#include "base/map.h"
#include "base/timefmt.h"
#include "model/trace.h"

struct hit {
	struct trace_id id;
	struct str root_service; /* empty: not known */
	struct str root_name;
	struct str service; /* of the longest span that matched; empty: none */
	struct str name;
	int64_t start_ns;    /* of the trace */
	int64_t trace_ns;    /* from its start to its end */
	int64_t span_ns;     /* the longest span that matched, 0 none */
	int64_t duration_ns; /* of the two, the one that was asked about */
	uint32_t span_count; /* 0 unknown */
	uint32_t error_count;
};

/* What a trace must have to be kept; the server judged most of it. */
struct hit_want {
	struct str service; /* of a span; empty: any */
	struct str name;
	bool is_error;
	bool is_by_span; /* the span's duration counts, not the trace's */
	bool has_span;   /* else no span stands out, and none is kept */
	bool must_match; /* a span of those that the answer holds */
	int64_t min_duration_ns;
	/* A trace's duration is told so much too short at most. */
	int64_t slack_ns;
	struct time_range range; /* the trace overlaps it */
};

struct hits {
	struct arena arena;
	struct map by_id;
	struct hit *items;
	size_t count, cap;
	size_t answer_count; /* traces that the last answer held */
};

void hits_init(struct hits *h);
void hits_release(struct hits *h);

/* Copies the hit, its texts included. One that is there already stays, with
 * the longer of both durations. False: memory. */
bool hits_add(struct hits *h, const struct hit *hit,
	      struct error *err) MUST_CHECK;

#endif
