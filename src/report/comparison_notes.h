/* SPDX-License-Identifier: Apache-2.0
 *
 * What weakens a comparison of functions, in notes: which way of comparing was
 * not possible, how noise was told, what was put down to the load, which
 * functions were renamed.
 */
#ifndef REPORT_COMPARISON_NOTES_H
#define REPORT_COMPARISON_NOTES_H

#include "base/notes.h"

struct rank_facts; /* analyze/rank_facts.h */
struct result;     /* model/result.h */

/* What weakens the answer is a note; how noise was told, a reason. */
void comparison_notes_add(const struct rank_facts *f, struct notes *notes,
			  struct notes *reasons);

/* The same of a result's comparison, where there is one, and how clear its
 * first row is. */
void comparison_notes_report(const struct result *r, struct notes *notes,
			     struct notes *reasons);

#endif
