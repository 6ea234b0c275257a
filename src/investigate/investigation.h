/* SPDX-License-Identifier: Apache-2.0
 *
 * One question on its way to an answer: who is asked, and where what was found
 * goes. Knows no options; prints nothing.
 */
#ifndef INVESTIGATE_INVESTIGATION_H
#define INVESTIGATE_INVESTIGATION_H

#include "backend/backends.h"
#include "investigate/facts.h"
#include "investigate/question.h"
#include "model/profile.h"
#include "model/trace.h"

struct investigation {
	const struct question *question;
	struct backends *backends;
	struct trace *trace;
	struct result *result;
	note_taker note; /* NULL: nobody takes notes */
	/* Why it failed where err has no words of its own. */
	struct shortfall shortfall;
	/* The profiles that the answer is of, for drawings. */
	struct profile *shown;
	struct profile *shown_baseline;
	bool has_shown;
	bool has_shown_baseline;
};

static inline void investigation_note(const struct investigation *v,
				      struct note note)
{
	if (v->note)
		v->note(&note, v->backends->notes);
}

/* ERROR_NOT_FOUND, without words; always false. */
static inline bool investigation_fail(struct investigation *v,
				      struct shortfall shortfall,
				      struct error *err)
{
	v->shortfall = shortfall;
	return error_set(err, ERROR_NOT_FOUND, "%s", "");
}

/* Whether an error ends the run, though nothing needed what it kept away. */
static inline bool investigation_must_end(const struct error *err)
{
	return err->code == ERROR_MEMORY || err->code == ERROR_STOPPED ||
	       err->code == ERROR_INTERRUPTED;
}

#endif
