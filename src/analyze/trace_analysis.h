/* SPDX-License-Identifier: Apache-2.0
 *
 * From a trace to the span that cost the time: self time, critical path,
 * candidates with sibling groups, repeated calls, waterfall rows. Pure
 * functions of the model; all walks are iterative.
 */
#ifndef ANALYZE_TRACE_ANALYSIS_H
#define ANALYZE_TRACE_ANALYSIS_H

#include "base/buf.h"
#include "base/error.h"
#include "base/notes.h"
#include "model/result.h"
#include "model/trace.h"

/* Per span, by index, in the given arena. */
struct trace_times {
	int64_t *self_ns;     /* duration not covered by waiting children */
	int64_t *critical_ns; /* own segments on the critical path */
	bool *is_on_path;     /* the path runs through it or its subtree */
	uint32_t root;        /* the analysed root: longest extent */
	int64_t path_ns;      /* sum of segments = the root's duration */
	uint32_t async_count; /* children that start after their parent ended */
};

/* Self time (union of blocking children, traces-api 6.2) for all spans and
 * the critical path (6.3) from the longest root. */
bool trace_times_compute(const struct trace *t, struct arena *arena,
			 struct trace_times *out, struct error *err) MUST_CHECK;

enum guilty_by { GUILTY_BY_CRITICAL_PATH = 0, GUILTY_BY_SELF, GUILTY_BY_DURATION };

struct guilty_want {
	enum guilty_by by;
	uint64_t span_id;   /* 0: not forced */
	struct str service; /* empty: any; else only spans of this service */
	struct str name;    /* empty: any */
};

/* A span or a group of siblings with the same service, name, kind and
 * normalised query text. */
struct candidate {
	uint32_t span;      /* first member in time */
	uint32_t parent;    /* SPAN_NONE for a root */
	uint32_t count;
	uint32_t member_first; /* into candidates.members */
	int64_t start_ns;
	int64_t end_ns;
	int64_t duration_ns; /* summed */
	int64_t self_ns;
	int64_t critical_ns;
	int64_t score;
};

struct candidates {
	struct candidate *items; /* best first, stable order */
	size_t count;
	uint32_t *members; /* span indices, grouped per candidate */
};

bool candidates_rank(const struct trace *t, const struct trace_times *times,
		     const struct guilty_want *want, struct arena *arena,
		     struct candidates *out, struct error *err) MUST_CHECK;

/* Fills result->trace, span, cause (as far as the trace alone tells),
 * findings (n_plus_one, error, clock skew, async work) and waterfall-free
 * parts. ERROR_NOT_FOUND when want matches no span, naming what there is. */
struct guilty_pick {
	uint32_t span;    /* guilty span or first of the group */
	uint32_t owner;   /* the span whose code runs the loop or waits: the
			     parent for an N+1 group and for a client span
			     without server side, else span itself */
	struct str service; /* the service to profile: owner's */
	int64_t start_ns;   /* time of the guilty part, original clock */
	int64_t end_ns;
	struct str profile_id; /* pyroscope.profile.id found walking up from
				  owner inside its process, or NULL ptr */
	uint32_t profile_span; /* the span that carries it, or SPAN_NONE */
	int64_t profile_own_ns; /* of that span: duration not spent waiting for
				   spans of other processes */
};

bool guilty_find(const struct trace *t, const struct trace_times *times,
		 const struct guilty_want *want, struct result *result,
		 struct guilty_pick *pick, struct error *err) MUST_CHECK;

/* A query with literals replaced by '?', blanks collapsed, comments dropped,
 * IN lists and VALUES rows collapsed, keywords lower-cased (traces-api 6.5);
 * appended to out. */
void query_normalize(struct str query, struct buf *out);

/* The waterfall, depth first, repeats (same parent, service, name, query;
 * at least 3) folded; result->waterfall. */
bool waterfall_build(const struct trace *t, const struct trace_times *times,
		     const struct guilty_pick *pick, struct result *result,
		     struct error *err) MUST_CHECK;

#endif
