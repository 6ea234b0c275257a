/* SPDX-License-Identifier: Apache-2.0
 *
 * Growth: the time a candidate takes beyond the typical time, without the
 * growth of its callees. A span that is always long does not explain a slow
 * trace.
 */
#ifndef ANALYZE_CHANGE_OF_TIME_H
#define ANALYZE_CHANGE_OF_TIME_H

#include "analyze/findings.h"
#include "analyze/typical.h"

/* Conditions for growth: a candidate took 1.5 times its typical time and more
 * than 90 % of others, in total or by its self time: a service that waits for a
 * long call may take ten times its self time and hardly longer in total. The
 * growth of self time has to be at least a tenth of the trace's critical path;
 * less is the normal variance of traces. If most requests of the slow window
 * grew (typical_operation.has_own_moved) the factor of 1.5 is not required. */
#define TIME_CHANGE_RATIO 1.5
#define TIME_CHANGE_PATH_PERCENT 10

struct time_change {
	bool is_known;
	bool is_new;      /* called in no typical trace, or in far
			   * fewer */
	bool is_longer;   /* in total, beyond the variance */
	bool is_grown;    /* is_longer, and by its self time */
	bool is_manifold; /* self time grew by a large factor: see
			   * above */
	bool is_alone;    /* the self time of other requests in the slow
			   * window did not grow */
	bool is_gap;      /* the time between the call and its server side
			   * grew, the server side hardly */
	int64_t grown_ns; /* growth of self time: between 0 and the self
			   * time on the path; estimated if not known */
	/* part of it that counts in the choice: half for a call with a server
	 * side, unless is_gap */
	int64_t own_ns;
	int64_t total_ns;       /* growth including callees; at least 0 */
	int64_t typical_ns;     /* of all members; -1: not known or new */
	uint32_t typical_count; /* number of traces it is based on */
	uint32_t called_count;  /* of these traces, those with it, if it is
				 * new */
	uint32_t calls;         /* typical number per trace */
};

struct time_changes {
	const struct calls *calls;
	const struct trace_times *times;
	const struct typical *typical;
	const struct typical_operation **known; /* by span; NULL: not known */
	uint32_t *all;    /* by span: number of spans of its operation in the
			   * tree */
	int64_t *span_ns; /* by span: duration beyond the typical one */
	double unknown_share;
	struct time_change *items; /* by candidate, in the given order */
	size_t count;
};

/* Finds the growth of each candidate. Client spans with a server side count
 * half, as in the ranking, unless the typical time between the two is known and
 * the server side grew by less than half as much: then the call did not wait
 * for the callee. *out lives in the arena and borrows the rest. */
bool time_changes_find(const struct calls *c, const struct trace_times *times,
		       const struct typical *typical,
		       const struct candidates *candidates, struct arena *arena,
		       struct time_changes *out, struct error *err) MUST_CHECK;

struct change_choice {
	size_t best;       /* candidate; SIZE_MAX: nothing grew */
	int64_t change_ns; /* its growth, including its service's code */
	int64_t others_ns; /* of other candidates of its operation, not
			    * included */
	int64_t next_ns;   /* of the next operation */
	int64_t trace_ns;  /* of the whole trace; 0: not known */
};

/* Chooses the candidate that grew most; a service's code counts at its entry
 * span, together with the same operation elsewhere in the trace. Growth that
 * other requests do not share counts half, as it may be chance: of two
 * candidates the shared one is more likely to recur. Candidates without typical
 * times compete, but cannot win alone. */
bool time_changes_choose(const struct time_changes *g,
			 const struct candidates *candidates,
			 struct arena *arena, struct change_choice *out,
			 struct error *err) MUST_CHECK;

/* Returns whether a loop grew by its number of calls. Its time is number times
 * duration: the factor that grew by the larger ratio explains it. False if the
 * calls have no typical values. */
bool time_changes_is_by_number(const struct time_changes *g,
			       const struct repeats *repeats,
			       const struct repeat *loop);

/* Returns the growth of repeated calls, including those below them; 0 for a
 * loop whose number did not grow: then the calls grew, or nothing. An estimate
 * for calls without typical values. */
int64_t time_changes_of_loop(const struct time_changes *g,
			     const struct repeats *repeats,
			     const struct repeat *loop);

#endif
