/* SPDX-License-Identifier: Apache-2.0
 *
 * Analyses a trace to find the span that cost the time: self time, critical
 * path, candidates with sibling groups, repeated calls, waterfall rows. Pure
 * functions of the model; all walks are iterative.
 */
#ifndef ANALYZE_TRACE_ANALYSIS_H
#define ANALYZE_TRACE_ANALYSIS_H

#include "base/error.h"
#include "base/num.h"
#include "model/result.h"
#include "model/trace.h"

/* A trace that consists of several requests, with pauses between them. */
struct session {
	uint32_t request_count; /* 0: not a session */
	uint32_t slowest;       /* the top of the slowest request's tree */
	int64_t length_ns;      /* from the start of the first to the end of the
				 * last */
	int64_t pause_ns;       /* part of it in which nothing ran */
};

/* Arrays by span index, in the given arena. A tree is a root or an async span
 * (started after its parent ended or ran for the most part after it, consumer
 * under producer, follows-from, request of a session), with everything below
 * that is not such a span itself. Each tree has a critical path of its own; the
 * analysed one is that of `root`.
 * 
 * Calls between processes with clock skew are moved into their callers for all
 * sums, and so are spans whose start was rounded to a millisecond; times of
 * spans stay as recorded, shift_ns is the offset. */
struct trace_times {
	int64_t *self_ns;     /* duration not covered by waiting children */
	int64_t *critical_ns; /* own segments on its tree's critical path */
	int64_t *through_ns;  /* the same including its callees */
	/* offset of a span's times so that it fits its caller; includes
	 * late_ns, for a rounded start */
	int64_t *shift_ns;
	int64_t *late_ns;
	uint32_t late_count;  /* number of spans where that is not 0 */
	uint32_t *tree;       /* top span of its tree */
	bool *is_on_path;     /* the analysed path passes through it or below */
	uint32_t root;        /* the analysed root: longest extent; SPAN_NONE in
			       * a trace without spans */
	int64_t path_ns;      /* sum of segments = the root's duration; a root
			       * without an end lasts as long as the spans it
			       * waited for */
	uint32_t async_count; /* number of async spans */
	struct session session; /* if set, its slowest request is analysed */
};

/* Computes self time (without the union of blocking children) of all spans and
 * the critical path in every tree, backwards over the last child to finish. */
bool trace_times_compute(const struct trace *t, struct arena *arena,
			 struct trace_times *out, struct error *err) MUST_CHECK;

/* Makes the tree below top the analysed one, instead of that of the first
 * root. */
void trace_times_focus(const struct trace *t, struct trace_times *times,
		       uint32_t top);

/* Returns whether a span is the top of a long async tree. */
bool trace_times_is_long_async(const struct trace_times *times, uint32_t span);

enum guilty_by {
	GUILTY_BY_CRITICAL_PATH = 0,
	GUILTY_BY_SELF,
	GUILTY_BY_DURATION
};

struct typical; /* analyze/typical.h */

/* A message that waited longer than typical. */
struct queue_wait {
	uint32_t sender;    /* spans */
	uint32_t receiver;
	int64_t wait_ns;
	int64_t typical_ns; /* -1: not known */
	int64_t grown_ns;   /* beyond the typical wait, or all of it */
	int64_t next_ns;    /* next largest growth */
	uint32_t count;     /* messages that the typical wait is based on */
	bool has_moved;     /* others in the slow window wait, too */
};

struct guilty_want {
	enum guilty_by by;
	uint64_t span_id;   /* 0: not given */
	struct str service; /* empty: any; else only spans of this service */
	struct str name;    /* empty: any */
	bool has_gap_of_caller; /* time of a call outside its callee's spans is
				 * the caller's: profile the caller's code and
				 * not the callee's */
	bool has_queue;         /* the queue before the analysed tree's top is
				 * slow, not its work */
	struct queue_wait queue;
};

/* A span or a group of siblings with the same service, name, kind and
 * normalised query text. A wrapper and the one call inside it count as one: the
 * server spans of repeated calls are siblings, too. If they ran concurrently
 * and one of them has nearly all of the group's time on the path, that one
 * represents the group: a fan-out is as slow as its slowest branch. Ranked by
 * time on the critical path in which none of its children ran; a client span
 * with a server side counts half, since its self time is network or queueing,
 * not code. */
struct candidate {
	uint32_t span;   /* first member in time */
	uint32_t parent; /* SPAN_NONE for a root */
	uint32_t count;
	uint32_t branch_count; /* of the fan-out whose slowest branch it is,
				* else 0; then count is 1 */
	uint32_t member_first; /* into candidates.members */
	int64_t start_ns;      /* trace_times_start_ns() of the first, end of
				* the last */
	int64_t end_ns;
	int64_t duration_ns; /* sum */
	int64_t self_ns;
	int64_t critical_ns;
	int64_t score;
};

struct candidates {
	struct candidate *items; /* best first, deterministic order */
	size_t count;
	uint32_t *members; /* span indices, grouped per candidate */
};

/* The chosen span, as input for profiles. */
struct guilty_pick {
	uint32_t span;      /* guilty span or first of the group */
	uint32_t owner;     /* the span whose code runs the loop or waits: the
			     * parent for an N+1 group and for a client span
			     * without server side, the server span for a client
			     * span that has one, else span itself */
	struct str service; /* the service to profile: that of owner */
	int64_t start_ns;   /* time of the guilty part, original clock */
	int64_t end_ns;
	struct str profile_id;  /* pyroscope.profile.id of the nearest span at
				 * or above owner in its process, or NULL ptr */
	uint32_t profile_span;  /* the span with that id, or SPAN_NONE */
	int64_t profile_own_ns; /* of that span: duration without calls that
				 * leave its process; calls of a found N+1 loop
				 * are included */
	bool is_close;          /* the next candidate took nearly as long: more
				 * than two thirds of it */
	/* of the guilty part, beyond the typical time and the growth of its
	 * callees; -1: not known */
	int64_t change_ns;
	bool has_manifold_change; /* a large factor, for most requests: see
				   * change_of_time.h */
	bool is_gap;              /* the time lies in a call, but outside its
				   * callee's spans */
	/* Others in the slow window were not slower there. */
	bool is_alone;
	bool is_queue;            /* the time lies before the span: a message
				   * waited */
	bool is_lone_queue;       /* is_queue, but others in the window did not
				   * wait */
};

/* Fills result->trace (except source), span, cause and findings, without their
 * texts, in result->arena, which the caller has initialised. ERROR_NOT_FOUND
 * without a message if want matches no span.
 * 
 * N+1: the headline is the span that runs the loop. Its duration is its own;
 * self_ns and critical_ns include the repeated calls; count is the number of
 * calls. It is chosen if all its repeated calls together take at least 80 % of
 * the time of the best candidate.
 * 
 * With typical (NULL: nothing is known of other traces) the candidate that grew
 * most beyond its typical time comes first, see analyze/change_of_time.h; a
 * loop with a typical number of calls is no cause. If nothing grew, time on the
 * critical path decides.
 * 
 * The cause from the trace alone is n_plus_one, downstream (a call without
 * spans of its own), wait (a call whose time is in neither side's spans) or
 * unknown, which the caller may improve with a profile. Confidence is fair if
 * the choice takes at least 30 % of the critical path and 1.5 times the time of
 * the next candidate, in a complete trace; never strong; weak for an unknown
 * cause. */
bool guilty_find(const struct trace *t, const struct trace_times *times,
		 const struct guilty_want *want, const struct typical *typical,
		 struct result *result, struct guilty_pick *pick,
		 struct error *err) MUST_CHECK;

/* Builds result->waterfall, depth first, with repeats (same parent, service,
 * name, query; at least 3) folded. Spans below folded ones are collected and
 * folded again. Times are moved to the caller's clock if there is clock skew.
 * is_guilty marks the chosen span's row and, for an N+1, the rows of the loop
 * and of the calls; pick may be NULL. If result->view shows details of single
 * spans, nothing is folded. */
bool waterfall_build(const struct trace *t, const struct trace_times *times,
		     const struct guilty_pick *pick, struct result *result,
		     struct error *err) MUST_CHECK;

/* Builds result->spans, with a row for each span. */
bool waterfall_spans(const struct trace *t, const struct trace_times *times,
		     const struct guilty_pick *pick, struct result *result,
		     struct error *err) MUST_CHECK;

/* Selection of rows of the waterfall. */
struct waterfall_want {
	bool is_failed;     /* rows of failed spans */
	struct str service; /* rows of this service; empty: any */
	/* Names of services, or depths (digits only, roots are 0): spans below
	 * a span of such a service, or at such a depth, are merged into its
	 * row. */
	const char *const *collapse;
	size_t collapse_count;
	size_t limit; /* maximum number of rows, 0: all */
};

/* Keeps these rows and those above them in result->waterfall, and sets
 * waterfall_total if any was left out. */
bool waterfall_select(const struct trace *t, const struct waterfall_want *want,
		      struct result *result, struct error *err) MUST_CHECK;

/* Clock skew between hosts. A server span that does not fit into its caller's
 * time is moved into it by the smallest offset, for sums only: profiles are
 * stored with the times of their own host. */

/* Returns the offset of a server span that did not fit into its caller; 0 for
 * all others. */
int64_t clock_skew_ns(const struct trace *t, const struct trace_times *times,
		      uint32_t span);

/* Returns the offset of a span for clock skew. */
static inline int64_t trace_times_skew_ns(const struct trace_times *times,
					  uint32_t span)
{
	return sat_sub_i64(times->shift_ns[span], times->late_ns[span]);
}

/* Return the times of a span on the clock of its own host, corrected if its
 * process rounded its start to milliseconds. */
static inline int64_t trace_times_start_ns(const struct trace *t,
					   const struct trace_times *times,
					   uint32_t span)
{
	return sat_add_i64(t->spans[span].start_ns, times->late_ns[span]);
}

static inline int64_t trace_times_end_ns(const struct trace *t,
					 const struct trace_times *times,
					 uint32_t span)
{
	return sat_add_i64(t->spans[span].end_ns, times->late_ns[span]);
}

/* Fills late_ns[span], which is all 0, for processes whose spans begin at whole
 * milliseconds and end at finer times: the minimum delay of the real start,
 * below one millisecond, such that the span did not begin before a sibling
 * ended, or before the part of another ended, that the rounded start overlaps
 * by less than one millisecond. Spans that still overlap were concurrent and
 * stay. order lists all spans, parents first. */
bool whole_starts_find(const struct trace *t, const uint32_t *order,
		       int64_t *late_ns, struct error *err) MUST_CHECK;

#endif
