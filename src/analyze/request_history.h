/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts the requests of an operation for people to look at: a histogram of
 * their durations and how these went over time, with examples.
 */
#ifndef ANALYZE_REQUEST_HISTORY_H
#define ANALYZE_REQUEST_HISTORY_H

#include "analyze/baseline.h"
#include "analyze/code_kind.h"
#include "analyze/contrasts.h"
#include "model/history.h"
#include "model/profile.h"

struct request_history_want {
	const struct history *history;
	const struct window_roles *roles;
	uint32_t operation;
	int64_t start_ns; /* of the request in question */
	int64_t duration_ns;
	const struct cohorts *cohorts;          /* NULL: nothing was judged */
	const struct baseline_choice *baseline; /* NULL: none */
	struct time_range slow_range;
	const struct onset *onset; /* NULL: not looked for */
};

/* *out is NULL when there are no requests; else it lives in the arena, as do
 * the operation's names in the history. */
bool request_history_build(const struct request_history_want *want,
			   struct arena *arena, struct request_history **out,
			   struct error *err) MUST_CHECK;

/* Which stacks of a profile serve requests. Samples that carry the id of a span
 * do, and what they begin with tells the others: loops of uploaders, tickers
 * and idle workers begin elsewhere, and no request waits in them. */

/* Outermost functions that are told apart; of more nothing is known. */
#define REQUEST_ROOTS 4u

struct request_roots {
	struct str names[REQUEST_ROOTS]; /* borrowed from the profiles */
	/* 0: no samples told; then those of widely used servers count. */
	size_t count;
};

/* From profiles of samples that carry span ids, none of them packed; those
 * without stacks tell nothing. rules: the user's about kinds of code, or
 * NULL. */
void request_roots_find(const struct profile *const *profiles, size_t count,
			const struct code_rules *rules,
			struct request_roots *out);

/* Leaves of profiles that are compared what serves requests, as if there were no more of
 * them; returns which part of the first was left out, 0..1. They stay as they are (0) when
 * one is packed, or when nothing of any begins with the roots. */
double request_roots_keep(const struct request_roots *roots,
			  struct profile *const *profiles, size_t count);

#endif
