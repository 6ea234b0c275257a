/* SPDX-License-Identifier: Apache-2.0
 *
 * What lies behind the changes of a comparison: functions that were renamed,
 * and cost that only moved between siblings that took each other's place.
 */
#ifndef ANALYZE_EXPLAIN_H
#define ANALYZE_EXPLAIN_H

#include "analyze/rank_facts.h"

/* Cost moved when this part of it, at most, did not come out again. */
#define EXPLAIN_SHIFT_REST 0.25

/* Shares of siblings always make up for each other under a parent that is
 * most of the profile: there nothing is said. */
#define EXPLAIN_SHIFT_PARENT 0.5

/* A new function is an old one renamed when so much of its callers and of its
 * callees are the same, and the value lies within this ratio. */
#define EXPLAIN_RENAME_OVERLAP 0.8
#define EXPLAIN_RENAME_RATIO 1.5

/* Largest new and gone functions that are looked at, each. */
#define EXPLAIN_RENAME_ROWS 64

/* Takes back claims of d that renaming or shifting explains: they become
 * CHANGE_SAME, and facts say what happened. */
bool explain_changes(struct diff *d, struct rank_facts *facts,
		     struct error *err) MUST_CHECK;

#endif
