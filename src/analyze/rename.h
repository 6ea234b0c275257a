/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions that are the same under another name.
 */
#ifndef ANALYZE_RENAME_H
#define ANALYZE_RENAME_H

#include "analyze/rank_facts.h"

/* What lies behind the changes of a comparison: functions that were renamed,
 * and cost that only moved between siblings that took each other's place. */

/* Takes back claims of d that renaming or shifting explains: they become
 * CHANGE_SAME, and facts say what happened. */
bool explain_changes(struct diff *d, struct rank_facts *facts,
		     struct error *err) MUST_CHECK;

#endif
