/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds out which functions of both sides are one. Private to flatcum.c.
 */
#ifndef ANALYZE_FUNCTION_TOTALS_ENTRIES_H
#define ANALYZE_FUNCTION_TOTALS_ENTRIES_H

#include "analyze/function_table.h"
#include "base/buf.h"

/* What the functions of one name are known by (function_key.h): the name
 * itself, or what it puts into the buffer. */
bool func_identity(struct str name, struct buf *key, struct str *identity,
		   struct error *err) MUST_CHECK;

/* Fills in the entries of the table and, by function, those of its sides, whose
 * profiles are set. The names of both are looked through at once. */
bool func_table_enter(struct func_table *t, struct error *err) MUST_CHECK;

/* Room for what is known of a side's functions. */
bool func_side_alloc(const struct func_table *t, struct func_side *side,
		     struct error *err) MUST_CHECK;

#endif
