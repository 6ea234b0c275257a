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
struct profile;

void comparison_notes_add(const struct rank_facts *f, struct notes *notes);

/* Profiles of whole runs were compared as such, though their lengths differ. */
void comparison_notes_add_whole_runs(const struct profile *slow,
				     const struct profile *baseline,
				     struct notes *notes);

#endif
