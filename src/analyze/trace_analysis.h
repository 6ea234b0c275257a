/* SPDX-License-Identifier: Apache-2.0
 *
 * From a trace to the span that cost the time: self time, critical path,
 * candidates with sibling groups, repeated calls, waterfall rows. Pure
 * functions of the model; all walks are iterative.
 */
#ifndef ANALYZE_TRACE_ANALYSIS_H
#define ANALYZE_TRACE_ANALYSIS_H

#include "base/error.h"
#include "base/num.h"
#include "model/result.h"
#include "model/trace.h"

/* The requests of a trace that is many of them, with pauses between them. */
struct session {
	uint32_t request_count; /* 0: it is none */
	uint32_t slowest;       /* of them: the top of its tree */
	int64_t length_ns;      /* from the first to the last */
	int64_t pause_ns;       /* of it, nothing ran */
};

/* Per span, by index, in the given arena. A tree is a root or a span nobody
 * waited for (started after its parent ended or ran for the most part after it,
 * consumer under producer, follows-from, request of a session), with everything
 * below that is not such a span itself. Each tree has a critical path of its
 * own; the analysed one is that of `root`.
 *
 * Calls between processes whose clocks disagree are moved into their callers
 * for all sums, and so is what began at a whole millisecond behind what ended
 * in it; times of spans stay as recorded, shift_ns tells the move. */
struct trace_times {
	int64_t *self_ns;     /* duration not covered by waiting children */
	int64_t *critical_ns; /* own segments on its tree's critical path */
	int64_t *through_ns;  /* the same with all that is below it */
	int64_t *shift_ns;    /* added to a span's times to fit its caller and,
				 late_ns of it, since its start was rounded */
	int64_t *late_ns;
	uint32_t late_count;  /* spans of which that is not 0 */
	uint32_t *tree;       /* top span of the tree it belongs to */
	bool *is_on_path;     /* the analysed path runs through it or below */
	uint32_t root;        /* the analysed root: longest extent; SPAN_NONE
				 in a trace without spans */
	int64_t path_ns;      /* sum of segments = the root's duration; a root
				 whose end was lost lasts as long as what it
				 waited for */
	uint32_t async_count; /* spans nobody waited for */
	struct session session; /* its slowest request is then analysed */
};

/* Self time (union of blocking children) for all spans and the critical
 * path: last-finishing child walked backwards, in every tree. */
bool trace_times_compute(const struct trace *t, struct arena *arena,
			 struct trace_times *out, struct error *err) MUST_CHECK;

/* Makes another tree than that of the first root the analysed one. */
void trace_times_focus(const struct trace *t, struct trace_times *times,
		       uint32_t top);

/* Returns whether a span is the top of such a tree. */
bool trace_times_is_long_async(const struct trace_times *times, uint32_t span);

enum guilty_by {
	GUILTY_BY_CRITICAL_PATH = 0,
	GUILTY_BY_SELF,
	GUILTY_BY_DURATION
};

struct typical; /* analyze/typical.h */

/* A message that lay in its queue for longer than usual. */
struct queue_wait {
	uint32_t sender;    /* spans */
	uint32_t receiver;
	int64_t wait_ns;
	int64_t typical_ns; /* -1 not known */
	int64_t grown_ns;   /* beyond the usual, or all of it */
	int64_t next_ns;    /* what grew next most */
	uint32_t count;     /* messages behind the usual */
	bool has_moved;     /* others of the slow window wait, too */
};

struct guilty_want {
	enum guilty_by by;
	uint64_t span_id;   /* 0: not forced */
	struct str service; /* empty: any; else only spans of this service */
	struct str name;    /* empty: any */
	bool has_gap_of_caller; /* time of a call outside its callee's spans is
				   the caller's: its code is to be profiled,
				   not the callee's */
	bool has_queue;         /* that of the analysed tree's top is slow, not
				   what it does */
	struct queue_wait queue;
};

/* A span or a group of siblings with the same service, name, kind and
 * normalised query text. A wrapper and the one call inside it count as one:
 * the server spans of repeated calls are siblings too. When they ran side by
 * side and one of them holds nearly all of the group's time on the path, that
 * one stands for the group: a fan-out is as slow as its slowest branch. Ranked
 * by time on the
 * critical path in which none of its children ran; a client span that has a
 * server side counts half, since its own time is network or queueing, not
 * code. */
struct candidate {
	uint32_t span;   /* first member in time */
	uint32_t parent; /* SPAN_NONE for a root */
	uint32_t count;
	uint32_t branch_count; /* of the fan-out that it is the slowest of, else
				  0; then count is 1 */
	uint32_t member_first; /* into candidates.members */
	int64_t start_ns;      /* trace_times_start_ns(); first, last end */
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

/* The choice as the profile side needs it. */
struct guilty_pick {
	uint32_t span;      /* guilty span or first of the group */
	uint32_t owner;     /* the span whose code runs the loop or waits: the
			       parent for an N+1 group and for a client span
			       without server side, the server span for a
			       client span that has one, else span itself */
	struct str service; /* the service to profile: owner's */
	int64_t start_ns;   /* time of the guilty part, original clock */
	int64_t end_ns;
	struct str profile_id;  /* pyroscope.profile.id found walking up from
				   owner inside its process, or NULL ptr */
	uint32_t profile_span;  /* the span that carries it, or SPAN_NONE */
	int64_t profile_own_ns; /* of that span: duration not spent in calls
				   out of its process; those of an N+1 loop
				   that was found stay in */
	bool is_close;          /* the next candidate took nearly as long: more
				   than two thirds of it */
	int64_t change_ns;      /* of the guilty part, beyond what is usual and
				   beyond what its callees grew by; -1 not known */
	bool has_manifold_change; /* many times what is usual, for most
				     requests: see growth.h */
	bool is_gap;              /* the time lies in a call, but outside its
				     callee's spans */
	/* Others of the slow window took as long as ever for it. */
	bool is_alone;
	bool is_queue;            /* it lies before the span: a message waited */
	bool is_lone_queue;       /* so, and others of the window did not */
};

/* Fills result->trace (source excepted), span, cause and findings, but for
 * their texts, in result->arena, which the caller has initialised.
 * ERROR_NOT_FOUND without a message when want matches no span.
 *
 * N+1: the headline is the span that runs the loop. Its duration is its own;
 * self_ns and critical_ns add the repeated calls to its own time; count is
 * the number of calls. It is chosen when all its repeated calls together
 * take at least 80 % of what the best candidate takes.
 *
 * With usual (NULL: nothing is known of other traces) the candidate that grew
 * most beyond what it usually takes comes first, see analyze/growth.h; a loop
 * of its usual number of calls is no reason. When nothing grew, time on the
 * critical path decides.
 *
 * The cause from the trace alone is n_plus_one, downstream (a call without
 * spans of its own), wait (a call whose time is in neither side's spans) or
 * unknown, which the caller may upgrade with a profile. Confidence is fair
 * when the choice takes at least 30 % of the critical path and 1.5 times
 * what the next candidate takes, in a complete trace; never strong; weak for
 * an unknown cause. */
bool guilty_find(const struct trace *t, const struct trace_times *times,
		 const struct guilty_want *want, const struct typical *typical,
		 struct result *result, struct guilty_pick *pick,
		 struct error *err) MUST_CHECK;

/* The waterfall, depth first, repeats (same parent, service, name, query;
 * at least 3) folded; result->waterfall. What is below folded spans is
 * gathered and folded again. Times are moved to the caller's clock where
 * clocks disagree. is_guilty marks the chosen span's row and, for an N+1, the
 * loop's and the calls'; pick may be NULL. Where result->view shows what
 * single spans say, nothing is folded. */
bool waterfall_build(const struct trace *t, const struct trace_times *times,
		     const struct guilty_pick *pick, struct result *result,
		     struct error *err) MUST_CHECK;

/* The same with a row for each span: result->spans. */
bool waterfall_spans(const struct trace *t, const struct trace_times *times,
		     const struct guilty_pick *pick, struct result *result,
		     struct error *err) MUST_CHECK;

/* Which rows of the waterfall to keep. */
struct waterfall_want {
	bool is_failed;     /* those of spans that failed */
	struct str service; /* those of this service; empty: any */
	/* What is below a span of one of these services, or at this depth
	 * (digits only, roots are 0), goes into its row. */
	const char *const *collapse;
	size_t collapse_count;
	size_t limit; /* the first so many, 0: all */
};

/* Keeps these rows and those above them, in result->waterfall, and sets
 * waterfall_total when any was left out. */
bool waterfall_select(const struct trace *t, const struct waterfall_want *want,
		      struct result *result, struct error *err) MUST_CHECK;

/* Clocks of different hosts disagree. A server span that does not fit into
 * its caller's time is moved into it, by as little as that takes, for the sums
 * only: profiles are stored with the times of their own host. */

/* How far a server span was moved against its caller because it did not fit;
 * 0 for all others. */
int64_t clock_skew_ns(const struct trace *t, const struct trace_times *times,
		      uint32_t span);

/* How far a span was moved for the clocks of hosts. */
static inline int64_t trace_times_skew_ns(const struct trace_times *times,
					  uint32_t span)
{
	return sat_sub_i64(times->shift_ns[span], times->late_ns[span]);
}

/* The times of a span on the clock of its own host, in nanoseconds where its
 * process rounded its start. */
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

/* Fills late_ns[span], which is all 0, of processes whose spans begin at whole
 * milliseconds and end at finer times: by how much less than one they began
 * later at least, as they did not before a sibling, or the part of another,
 * that their start overlaps by less than one had ended. What then does not fit
 * ran side by side and stays. order lists all spans, parents first. */
bool whole_starts_find(const struct trace *t, const uint32_t *order,
		       int64_t *late_ns, struct error *err) MUST_CHECK;

#endif
