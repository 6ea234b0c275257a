/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the time of a request went: each nanosecond of its critical path
 * belongs to one operation and one state. The same as means of earlier
 * requests; and an exact decomposition of the growth.
 */
#ifndef ANALYZE_ACCOUNT_H
#define ANALYZE_ACCOUNT_H

#include "analyze/calls.h"
#include "analyze/operations.h"

enum account_state {
	ACCOUNT_SELF = 0, /* code of the operation, or its waits */
	ACCOUNT_CALL,     /* a call whose callee has no spans */
	ACCOUNT_GAP,      /* part of a call outside its server side */
	ACCOUNT_QUEUE,    /* of a message that is waited for */
	ACCOUNT_PAUSE,    /* between attempts at a call */
	ACCOUNT_SET_UP,   /* of a connection */
	ACCOUNT_STATES
};

/* One operation of a request, or of a mean request. The time on the path is
 * calls * self time of a call * the fraction of it on the path. */
struct account_place {
	double calls;   /* without failed attempts */
	double self_ns; /* of all calls, without waits for others */
	double path_ns[ACCOUNT_STATES];
	double through_ns; /* on the path, including operations below */
};

struct account {
	/* By operation; time of unknown operations belongs to the nearest known
	 * one above. */
	struct account_place places[OPERATIONS_MAX];
	uint32_t count;
	uint32_t requests;
	double total_ns; /* sum over all places and states */
};

double account_path_ns(const struct account_place *p);

/* The caller of each operation: the next operation above most of its spans,
 * OPERATION_NONE for the root's and those that do not occur. */
struct account_callers {
	uint32_t of[OPERATIONS_MAX];
	/* All callers, as bit masks. */
	uint32_t all[OPERATIONS_MAX];
	/* First span of the operation on the path, else anywhere. */
	uint32_t span[OPERATIONS_MAX];
	/* Bit mask of operations that call another service, or serve another's
	 * call. */
	uint32_t remote;
};

/* Computes the account of the request times->root. */
bool account_of_trace(const struct calls *c, const struct trace_times *times,
		      const struct operation *operations, uint32_t count,
		      struct account *out, struct account_callers *callers,
		      struct error *err) MUST_CHECK;

/* Computes the mean account of requests of operation `root` that began in the
 * range (both ends 0: all) of a window, from their traces' spans with known
 * operations. If the caller of a span is not known or of no known operation,
 * the shortest span of a possible caller that contains it is used. There are no
 * requests if too many spans are contained in none. */
bool account_of_history(const struct history *h, uint32_t window,
			struct time_range range, uint32_t root,
			const struct account_callers *callers,
			struct account *out, struct error *err) MUST_CHECK;

/* One term of a request's growth. */
struct account_growth_cell {
	uint32_t place;
	enum account_why why;
	double change_ns;
	uint32_t of; /* callee with the largest part; OPERATION_NONE: none */
};

struct account_growth {
	/* The largest growth first; terms that shrank last. */
	struct account_growth_cell cells[OPERATIONS_MAX * ACCOUNT_WHYS];
	uint32_t count;
	double total_ns; /* sum: growth of the request */
};

/* Decomposes the growth by the logarithmic mean Divisia index (LMDI-I; B. W.
 * Ang, The LMDI approach to decomposition analysis, Energy Policy 33, 2005),
 * which leaves no residual. More calls and less overlap are assigned to the
 * caller whose plan changed: the first one above that did not itself run more
 * often, or overlap less, by as much. Calls of a new operation count as more
 * calls, with everything below them. */
void account_compare(const struct account *before, const struct account *now,
		     const struct account_callers *callers,
		     struct account_growth *out);

/* The accounts of a request, of others at the same time and of earlier ones. */
struct account_change {
	struct account before;
	struct account others;
	struct account now;
	struct account_callers callers;
	struct account_growth growth;        /* of the request */
	struct account_growth others_growth; /* of the others */
	uint32_t root; /* span of the request */
};

/* Returns the largest term in the growth of both the request and the others, if
 * it is a changed plan: more calls, or calls that no longer overlap. NULL: the
 * work itself takes longer, or there was no relevant growth. */
const struct account_growth_cell *
account_changed_plan(const struct account_change *a);

/* Returns the operation called by the place of a cell that has most of the cell
 * in it or below it; OPERATION_NONE if none of it is assigned to calls. */
uint32_t account_called(const struct account_change *a,
			const struct account_growth_cell *cell);

/* Returns the operation of the server side of calls, else that of the calls:
 * HTTP clients are named only by their method. */
uint32_t account_served(const struct account_change *a, uint32_t called);

#endif
