/* SPDX-License-Identifier: Apache-2.0
 *
 * Tells of what kind the functions of a table are. Private to flatcum.c.
 */
#ifndef ANALYZE_FUNCTION_TOTALS_KINDS_H
#define ANALYZE_FUNCTION_TOTALS_KINDS_H

#include "analyze/function_table.h"

/* Fills in the classes of both sides, and which entries are of the application.
 * Both sides vote for the languages: a function must be of one kind on both.
 * Large sides are gone through in halves, at once. The entries of the sides
 * must be there. */
bool func_table_classify(struct func_table *t, struct error *err) MUST_CHECK;

/* The class of a function of one more profile, whose entry, which may be
 * ENTRY_NONE, is that of a classified table. */
struct code_class func_table_class(const struct func_table *t,
				   const struct profile *p, uint32_t f,
				   uint32_t id);

#endif
