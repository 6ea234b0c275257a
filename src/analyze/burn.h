/* SPDX-License-Identifier: Apache-2.0
 *
 * Error budgets: how much is left, the burn rate, and the pairs of windows for
 * alerts. Follows the chapter on alerting of Google's SRE workbook.
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

/* The requests of a window, and the bad ones among them. */
struct burn_count {
	double total;
	double bad;
};

/* Returns the burn rate: 1 uses up the budget exactly within the window of the
 * objective. 0 without requests. */
double burn_rate(struct burn_count c, double objective);

/* Returns the fraction of the error budget that is left; below 0 if it is
 * overspent. 1 without requests. */
double burn_left(struct burn_count c, double objective);

/* Returns the seconds until the rest of a window's budget is used up at this
 * rate; 0 if it is, INFINITY if it never will be. */
double burn_seconds_left(double left, double rate, int64_t window_ns);

/* An alert condition, for a page or a ticket: both windows burn faster than the
 * rate. The long window shows that this part of the budget was spent, the short
 * one that it is still being spent. */
struct burn_pair {
	int64_t long_ns;
	int64_t short_ns; /* a twelfth of long_ns, at least 5 minutes */
	double spent;     /* fraction of the budget */
	double rate;
	bool is_page; /* else a ticket */
};

#define BURN_PAIRS 4u

/* Computes the pairs for the window of a budget, with rates for the fractions
 * of the budget that the standard pairs stand for, and returns their number.
 * Shorter windows have fewer pairs: a rate of at most 1 is no alert. If none
 * are left (below 45 hours), the windows of the pairs are scaled, too, without
 * those of less than ten minutes, so that below 100 minutes there is none. */
size_t burn_pairs(int64_t window_ns, struct burn_pair out[BURN_PAIRS]);

/* Adds all windows of the pairs and window_ns to the list, ascending, without
 * duplicates; returns their number. The list may already have `count`
 * windows. */
#define BURN_WINDOWS (2 * BURN_PAIRS + 2)
size_t burn_windows(const struct burn_pair *pairs, size_t pair_count,
		    int64_t window_ns, int64_t list[BURN_WINDOWS],
		    size_t count);

/* Returns whether the pair can fire: no burn rate exceeds 1 / (1 - objective),
 * when all requests are bad. */
bool burn_pair_can_fire(const struct burn_pair *pair, double objective);

/* Minimum number of bad requests in the long window; with fewer its rate is
 * unreliable. */
#define BURN_BAD_LEAST 5.0

/* Returns whether both windows burn faster than the rate, with enough bad
 * requests. */
bool burn_pair_fires(const struct burn_pair *pair, double objective,
		     struct burn_count long_window,
		     struct burn_count short_window);

/* The consumers of an error budget: investigated bad requests, grouped by
 * cause. The budget is counted in requests, so each has the same weight: its
 * share counts for its cause as far as that explains its excess time, and the
 * rest is unexplained. */

/* One bad request. */
struct spent_request {
	char trace_id[33];
	bool is_failed;        /* and not slow: no time to explain */
	enum cause_kind cause; /* of a slow request */
	struct str service;    /* of the suspect span, or of the first that
				* failed */
	struct str operation;  /* name of that span */
	struct str function;   /* shown by the profile; empty: none */
	struct str file;
	uint32_t line;       /* 0: not known */
	int64_t duration_ns; /* of the request */
	int64_t excess_ns;   /* part of the duration beyond the typical one */
	double explained;    /* fraction of the excess explained by the cause */
};

/* Requests with the same cause, service, operation and function. */
struct spent_row {
	const struct spent_request *example; /* the one explained best */
	size_t count;
	double share; /* of the bad requests, 0..1 */
	double low;   /* its 95 % interval */
	double high;
	int64_t excess_ns; /* explained, total */
};

struct spent {
	struct spent_row *rows; /* by share */
	size_t row_count;
	size_t count;       /* number of requests */
	int64_t excess_ns;  /* total */
	double unexplained; /* share */
	double unexplained_low;
	double unexplained_high;
};

/* Groups the requests. Causes and functions that are missing in some requests
 * are copied from otherwise similar ones with the same suspect span. Rows live
 * in the arena and borrow from the list. */
bool spent_sum(struct spent_request *list, size_t count, struct arena *arena,
	       struct spent *out, struct error *err) MUST_CHECK;

/* Computes Wilson's 95 % interval of a share observed in count requests; it
 * also bounds shares of fractional requests. */
void spent_interval(double share, size_t count, double *low, double *high);

#endif
