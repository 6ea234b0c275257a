/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the time of a request went: each nanosecond of its critical path
 * belongs to one place, an operation, and one state. The same of requests
 * before it as means; and what it grew by, split exactly.
 */
#ifndef ANALYZE_ACCOUNT_H
#define ANALYZE_ACCOUNT_H

#include "analyze/calls.h"
#include "analyze/operations.h"

enum account_state {
	ACCOUNT_SELF = 0, /* code of the operation, or a wait in it */
	ACCOUNT_CALL,     /* a call whose callee has no spans */
	ACCOUNT_GAP,      /* of a call, outside its server side */
	ACCOUNT_QUEUE,    /* of a message whose receiver is waited for */
	ACCOUNT_PAUSE,    /* between attempts at a call */
	ACCOUNT_SET_UP,   /* of a connection */
	ACCOUNT_STATES
};

/* A place of a request, or of requests on average. calls * own time of a call *
 * the part of it on the path is the time on the path. */
struct account_place {
	double calls;   /* attempts that failed are none */
	double self_ns; /* of all calls, without what they wait for */
	double path_ns[ACCOUNT_STATES];
	double through_ns; /* on the path, with what is below */
};

struct account {
	/* By operation; what is of none of them belongs to the next above. */
	struct account_place places[OPERATIONS_MAX];
	uint32_t count;
	uint32_t requests;
	double total_ns; /* the sum of all places and states */
};

double account_path_ns(const struct account_place *p);

/* Whose calls these are: of most spans of an operation the next operation
 * above, OPERATION_NONE for the root's and those that do not occur. */
struct account_callers {
	uint32_t of[OPERATIONS_MAX];
	/* All of them: a bit for each. */
	uint32_t all[OPERATIONS_MAX];
	/* First span of the operation on the path, else at all. */
	uint32_t span[OPERATIONS_MAX];
	/* A bit for each that another service is asked by, or answers in. */
	uint32_t remote;
};

/* The request of times->root. */
bool account_of_trace(const struct calls *c, const struct trace_times *times,
		      const struct operation *operations, uint32_t count,
		      struct account *out, struct account_callers *callers,
		      struct error *err) MUST_CHECK;

/* Requests of an operation that began in the range (both ends 0: all) of a
 * window: all of their traces' spans that are of known operations. Where the
 * source does not say who called one, or that is of no known operation, it is
 * the shortest span of a caller that contains it. No requests when too many of
 * them lie in none. */
bool account_of_history(const struct history *h, uint32_t window,
			struct time_range range, uint32_t root,
			const struct account_callers *callers,
			struct account *out, struct error *err) MUST_CHECK;

/* A cell of what a request grew by. */
struct account_growth_cell {
	uint32_t place;
	enum account_why why;
	double change_ns;
	uint32_t of; /* whose calls, the largest part; OPERATION_NONE else */
};

struct account_growth {
	/* The largest first, by what they grew; shrunk ones last. */
	struct account_growth_cell cells[OPERATIONS_MAX * ACCOUNT_WHYS];
	uint32_t count;
	double total_ns; /* their sum: what the request grew by */
};

/* By the logarithmic mean Divisia index (LMDI-I; B. W. Ang, The LMDI approach
 * to decomposition analysis, Energy Policy 33, 2005), which leaves no rest.
 * More calls and less overlap are charged to the caller whose plan changed: the
 * first above who does not itself do more, or overlap less, by as much. Calls to
 * what was not called before are more calls, with all below them. */
void account_compare(const struct account *before, const struct account *now,
		     const struct account_callers *callers,
		     struct account_growth *out);

/* A request, the others of its time and those before them. */
struct account_change {
	struct account before;
	struct account others;
	struct account now;
	struct account_callers callers;
	struct account_growth growth;        /* of this one */
	struct account_growth others_growth; /* what is new for them, too */
	uint32_t root; /* span of the request */
};

/* Returns the cell that holds most of what the request and others of its time grew by
 * alike, when that is a plan that changed: more calls, or calls that no longer overlap.
 * NULL: time went into what is done, or there was no growth that is worth a word. */
const struct account_growth_cell *
account_changed_plan(const struct account_change *a);

/* Returns what the place of a cell calls itself, with most of the cell in it or below it;
 * OPERATION_NONE where none of it is charged to its calls. */
uint32_t account_called(const struct account_change *a,
			const struct account_growth_cell *cell);

/* Returns the server side of calls, else the calls themselves: clients of HTTP are named
 * by their method. */
uint32_t account_served(const struct account_change *a, uint32_t called);

#endif
