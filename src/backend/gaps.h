/* SPDX-License-Identifier: Apache-2.0
 *
 * Questions that were put to servers for an answer and were not answered: what
 * the answer was made without. Each is noted, so that no figure is missing in
 * silence; that there are some weakens the answer (context_report()) and ends a
 * run with --strict.
 */
#ifndef BACKEND_GAPS_H
#define BACKEND_GAPS_H

#include <stddef.h>

#include "base/error.h"
#include "base/notes.h"

/* Notes of a run about them: what many have in common these tell. */
#define GAPS_TOLD 8u

struct gaps {
	struct notes *notes; /* of the run, whatever is looked at aside */
	size_t count;
	size_t told_count;
	struct error first; /* why there was no answer to it */
};

/* One more. */
void gaps_count(struct gaps *g, const struct error *err);

/* Notes what about there is no answer. */
void gaps_tell(struct gaps *g, const char *about, const struct error *err);

/* Whether an answer with this status says that the server cannot answer, which
 * is an answer; 0: there is none. */
bool gaps_is_refusal(int status);

#endif
