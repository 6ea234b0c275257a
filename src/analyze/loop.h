/* SPDX-License-Identifier: Apache-2.0
 *
 * Who runs the loop: when a trace shows many small calls in a row, the
 * profile's hottest owner is often the query helper, while the code to mend
 * stands a few frames above it.
 */
#ifndef ANALYZE_LOOP_H
#define ANALYZE_LOOP_H

#include "analyze/function_table.h"

/* Rows that are moved to the front at most. */
#define LOOP_ROWS 3

/* Callers walked from the hottest owner; loops sit close to their query. */
#define LOOP_CHAIN 8

/* A caller explains the hot owner when it carries this part of its value. */
#define LOOP_CALLER_SHARE 0.6

/* A caller with more than this many times the owner's value does other work
 * too: a router, a request handler of everything. */
#define LOOP_CALLER_TIMES 4.0

/* A function named by the span must carry this part of the profile to be
 * believed; below, the loop does not show in this profile. */
#define LOOP_NAMED_SHARE 0.05

/* Growth of what an owner owns from which it counts as hot by growth. */
#define LOOP_TIME_CHANGE 0.01

/* Entries to rank first, at most LOOP_ROWS, best first; returns how many. 0
 * when the profile tells nothing about the loop. */
bool loop_rows_find(const struct func_table *t, struct str span_name,
		    uint32_t rows[LOOP_ROWS], size_t *count,
		    struct error *err) MUST_CHECK;

#endif
