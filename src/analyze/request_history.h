/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts the requests of an operation for display: a histogram of their
 * durations and their course over time, with examples.
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
	const struct cohorts *cohorts;          /* NULL: slow requests were not
						 * determined */
	const struct baseline_choice *baseline; /* NULL: none */
	struct time_range slow_range;
	const struct onset *onset; /* NULL: not determined */
};

/* Builds the history. *out is NULL if there are no requests; else it lives in
 * the arena; the operation's names live in the input history. */
bool request_history_build(const struct request_history_want *want,
			   struct arena *arena, struct request_history **out,
			   struct error *err) MUST_CHECK;

/* Selects the stacks of a profile that serve requests. Samples with span ids
 * do, and their root functions identify the others: loops of uploaders, tickers
 * and idle workers have other roots, and no request waits in them. */

/* Maximum number of root functions; with more nothing is known. */
#define REQUEST_ROOTS 4u

struct request_roots {
	struct str names[REQUEST_ROOTS]; /* borrowed from the profiles */
	/* 0: no samples with span ids; then the roots of widely used servers
	 * are used. */
	size_t count;
};

/* Finds the roots from profiles of samples with span ids, none of them packed;
 * those without stacks are ignored. rules: the user's about kinds of code, or
 * NULL. */
void request_roots_find(const struct profile *const *profiles, size_t count,
			const struct code_rules *rules,
			struct request_roots *out);

/* Removes stacks that do not serve requests from the compared profiles; returns
 * the fraction of the first that was removed, 0..1. They are unchanged (0) if
 * one is packed, or if no stack of any starts with the roots. */
double request_roots_keep(const struct request_roots *roots,
			  struct profile *const *profiles, size_t count);

#endif
