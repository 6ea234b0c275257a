/* SPDX-License-Identifier: Apache-2.0
 *
 * What spent an error budget: bad requests that were looked at, added up by
 * what made each of them bad. The budget is counted in requests, so that each
 * weighs as much as any other: its share goes to its cause as far as that
 * explains its excess time, and the rest is not explained.
 */
#ifndef ANALYZE_SPENT_H
#define ANALYZE_SPENT_H

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "model/result.h"

/* One bad request. */
struct spent_request {
	char trace_id[33];
	bool is_failed;        /* and not slow: there is no time to explain */
	enum cause_kind cause; /* of a slow one */
	struct str service;    /* of the span to blame, or that failed first */
	struct str operation;  /* its name */
	struct str function;   /* that the profile shows; empty: none */
	struct str file;
	uint32_t line;       /* 0: not known */
	int64_t duration_ns; /* of the request */
	int64_t excess_ns;   /* of it, beyond what is usual */
	double explained;    /* of that by its cause, 0..1 */
};

/* Requests of the same cause, service, operation and function. */
struct spent_row {
	const struct spent_request *example; /* of which most is explained */
	size_t count;
	double share; /* of the bad requests, 0..1 */
	double low;   /* 95 % interval of it */
	double high;
	int64_t excess_ns; /* explained, of all of them */
};

struct spent {
	struct spent_row *rows; /* by share */
	size_t row_count;
	size_t count;       /* of requests */
	int64_t excess_ns;  /* of all of them */
	double unexplained; /* share */
	double unexplained_low;
	double unexplained_high;
};

/* Adds up. What only some of the requests show that are alike otherwise, with
 * the same span to blame, is so of the others, too: causes that are not known
 * and functions are filled in. Rows
 * live in the arena and borrow from the list. */
bool spent_sum(struct spent_request *list, size_t count, struct arena *arena,
	       struct spent *out, struct error *err) MUST_CHECK;

/* Wilson's 95 % interval of a share that was seen in so many of all; a share of
 * parts of requests lies no wider. */
void spent_interval(double share, size_t count, double *low, double *high);

#endif
