/* SPDX-License-Identifier: Apache-2.0
 *
 * What weakens a comparison of functions, in notes: how noise was told, what
 * was put down to the load, which names were counted as one.
 */
#ifndef ANALYZE_RANK_NOTES_H
#define ANALYZE_RANK_NOTES_H

#include "analyze/diff.h"

/* d: NULL when nothing was judged. */
void rank_notes_add(const struct func_table *t, const struct diff *d,
		    struct notes *notes);

#endif
