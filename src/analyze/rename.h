/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions that are the same under another name.
 */
#ifndef ANALYZE_RENAME_H
#define ANALYZE_RENAME_H

#include "analyze/function_table.h"
#include "analyze/rank_facts.h"

/* What lies behind the changes of a comparison: functions that were renamed,
 * and cost that only moved between siblings that took each other's place. */

/* Takes back claims of d that renaming or shifting explains: they become
 * CHANGE_SAME, and facts say what happened. */
bool explain_changes(struct diff *d, struct rank_facts *facts,
		     struct error *err) MUST_CHECK;

/* Functions whose package, namespace or module was renamed between the two
 * sides: "Acme.Orders.Pricing.Quote" is "Acme.Sales.Orders.Pricing.Quote",
 * "shop/db.Find" is "shop/v2/db.Find". A deploy seldom falls on the edge of a
 * window, so that some of each name is on both sides and neither is gone or
 * new: they must be one function before anything is tested. */

/* Finds moves between the sides of t, whose entries are interned, and lets
 * the functions of its sides stand for the entry of the newer name. Fills
 * t->moves, most functions first. Linear in the frames of the stacks. */
bool moved_join(struct func_table *t, struct error *err) MUST_CHECK;

#endif
