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

/* Whether both windows burn faster than the pair allows, and enough of it was
 * seen. */
bool burn_pair_fires(const struct burn_pair *pair, double objective,
		     struct burn_count long_window,
		     struct burn_count short_window);

#endif
