/* SPDX-License-Identifier: Apache-2.0
 *
 * Adds up the stacks of both sides by the entries of a table. Private to
 * flatcum.c.
 */
#ifndef ANALYZE_FUNCTION_TOTALS_SUMS_H
#define ANALYZE_FUNCTION_TOTALS_SUMS_H

#include "analyze/function_table.h"

/* Fills in the values of the entries, and what those tell: leaf, file and line,
 * kind, and where of the kernel's entry they are. Large sides are gone through
 * at once. The entries and classes of the sides must be there. */
bool func_table_sum(struct func_table *t, struct error *err) MUST_CHECK;

#endif
