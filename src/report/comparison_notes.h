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

void comparison_notes_add(const struct rank_facts *f, struct notes *notes);

#endif
