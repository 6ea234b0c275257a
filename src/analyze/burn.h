/* SPDX-License-Identifier: Apache-2.0
 *
 * Error budgets: how much of one is used up, how fast, and which pairs of
 * windows are looked at to tell that. After the chapter on alerting of Google's
 * SRE workbook. Knows no server.
 */
#ifndef ANALYZE_BURN_H
#define ANALYZE_BURN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "model/result.h"

/* Requests of a window, and those of them that are bad. */
struct burn_count {
	double total;
	double bad;
};

/* How many times as fast as the objective allows the budget is used up. 0
 * without requests. */
double burn_rate(struct burn_count c, double objective);

/* Part of the budget of so many requests that is left; below 0 when more was
 * used. 1 without requests. */
double burn_left(struct burn_count c, double objective);

/* Seconds until what is left of a window's budget is used up at this rate; 0
 * when it is, INFINITY when it never will be. */
double burn_seconds_left(double left, double rate, int64_t window_ns);

/* A page or a ticket where both windows burn faster than the rate: the long
 * one, in which so much of the budget was spent, and a short one, which tells
 * that it goes on. */
struct burn_pair {
	int64_t long_ns;
	int64_t short_ns; /* a twelfth of it, five minutes at least */
	double spent;     /* of the budget, 0..1 */
	double rate;
	bool is_page; /* else a ticket */
};

#define BURN_PAIRS 4u

/* The pairs for a budget of so long a window: the shares of the budget that the
 * usual pairs stand for make the rates. Shorter windows have fewer pairs: one
 * whose rate is no faster than the objective allows tells nothing. Where that
 * leaves none (below 45 hours), the windows of the pairs are scaled, too; those
 * of less than ten minutes are left out, so that below 100 minutes there is
 * none. */
size_t burn_pairs(int64_t window_ns, struct burn_pair out[BURN_PAIRS]);

/* All windows that pairs look at, and this one, ascending, each once; returns
 * how many. The list may begin with some. */
#define BURN_WINDOWS (2 * BURN_PAIRS + 2)
size_t burn_windows(const struct burn_pair *pairs, size_t pair_count,
		    int64_t window_ns, int64_t list[BURN_WINDOWS],
		    size_t count);

/* Nothing burns faster than 1 / (1 - objective), when all requests are bad: a
 * pair that asks for more never fires. */
bool burn_pair_can_fire(const struct burn_pair *pair, double objective);

/* With fewer bad requests in the long window its rate tells little. */
#define BURN_BAD_LEAST 5.0

/* Returns whether both windows burn faster than the pair allows, and enough of
 * it was seen. */
bool burn_pair_fires(const struct burn_pair *pair, double objective,
		     struct burn_count long_window,
		     struct burn_count short_window);

/* The consumers of an error budget: investigated bad requests, added up by what
 * made each of them bad. The budget is counted in requests, so that each weighs
 * as much as any other: its share goes to its cause as far as that explains its
 * excess time, and the rest is not explained. */

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
