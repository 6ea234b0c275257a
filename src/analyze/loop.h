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

/* Entries to rank first, at most LOOP_ROWS, best first; returns how many. 0
 * when the profile tells nothing about the loop. */
bool loop_rows_find(const struct func_table *t, struct str span_name,
		    uint32_t rows[LOOP_ROWS], size_t *count,
		    struct error *err) MUST_CHECK;

#endif
