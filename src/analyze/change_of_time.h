/* SPDX-License-Identifier: Apache-2.0
 *
 * What grew: the time a candidate takes beyond what is usual for it, without
 * what its callees grew by. A span that is always long is no reason for a
 * trace to be slow.
 */
#ifndef ANALYZE_CHANGE_OF_TIME_H
#define ANALYZE_CHANGE_OF_TIME_H

#include "analyze/findings.h"
#include "analyze/typical.h"

/* A candidate grew when it took half as much again as usual and more than
 * nine in ten do, as a whole or by its own time: a service that waits for a
 * long call may take ten times its own time and hardly longer in all. Its own
 * growth has to be at least a tenth of the trace's critical path. Less is the
 * scatter of every trace. What grew for most requests of the slow window
 * (typical_operation.has_own_moved) need not have grown by half. */
#define TIME_CHANGE_RATIO 1.5
#define TIME_CHANGE_PATH_PERCENT 10

struct time_change {
	bool is_known;
	bool is_new;            /* no usual trace calls it, or far fewer do */
	bool is_longer;         /* as a whole, beyond scatter */
	bool is_grown;          /* and by its own time */
	bool is_manifold;       /* many times its own time: see above */
	bool is_alone;          /* other requests of the slow window did not
				   grow by their own time */
	bool is_gap;            /* the way to its server side takes longer than
				   usual, the server side about as ever */
	int64_t grown_ns;       /* own growth: 0 to the own time on the path;
				   estimated when not known */
	int64_t own_ns;         /* of it what counts in the choice: half of a
				   call with a server side, unless is_gap */
	int64_t total_ns;       /* with what is below; at least 0 */
	int64_t typical_ns;     /* of all members; -1 not known or new */
	uint32_t typical_count; /* traces behind it */
	uint32_t called_count;  /* of them, where it is new: those with it */
	uint32_t calls;         /* by trace: usual */
};

struct time_changes {
	const struct calls *calls;
	const struct trace_times *times;
	const struct typical *typical;
	const struct typical_operation **known; /* by span, NULL not known */
	uint32_t *all;    /* by span: spans of its operation in the tree */
	int64_t *span_ns; /* by span: duration beyond the usual */
	double unknown_share;
	struct time_change
		*items; /* by candidate, in the order it was given in */
	size_t count;
};

/* Growth of each candidate. Client spans that have a server side count half,
 * as in the ranking, unless it is known what the way between the two usually
 * takes and the server side grew by less than half as much: then it is not the
 * callee that does not get to it. *out lives in the arena and borrows the
 * rest. */
bool time_changes_find(const struct calls *c, const struct trace_times *times,
		       const struct typical *typical,
		       const struct candidates *candidates, struct arena *arena,
		       struct time_changes *out, struct error *err) MUST_CHECK;

struct change_choice {
	size_t best;       /* candidate, SIZE_MAX when nothing grew */
	int64_t change_ns; /* of it, with the code it stands for */
	int64_t others_ns; /* of others of its operation, which are no part */
	int64_t next_ns;   /* of the next operation */
	int64_t trace_ns;  /* of the whole trace, 0 not known */
};

/* The candidate that grew most, a service's code counted at its entry span, and
 * with it what is of the same operation elsewhere in the trace.
 * What only this request suffered from is bad luck beside what all of them
 * did: it counts half. Of two that stand out it is the other that will be
 * there tomorrow.
 * What nothing is known of competes, but does not win alone. */
bool time_changes_choose(const struct time_changes *g,
			 const struct candidates *candidates,
			 struct arena *arena, struct change_choice *out,
			 struct error *err) MUST_CHECK;

/* Returns whether the number of a loop's calls is what grew. Their time is
 * number times duration: of the two the one that became the larger multiple of
 * what is usual explains it. False when nothing is known of the calls. */
bool time_changes_is_by_number(const struct time_changes *g,
			       const struct repeats *repeats,
			       const struct repeat *loop);

/* Returns the growth of repeated calls together, with what is below them; 0 for
 * a loop whose number did not grow: then the calls grew, or nothing. Of calls
 * that nothing is known of the estimate. */
int64_t time_changes_of_loop(const struct time_changes *g,
			     const struct repeats *repeats,
			     const struct repeat *loop);

#endif
