/* SPDX-License-Identifier: Apache-2.0
 *
 * The span of a trace that is to blame: by the trace alone, and once more when
 * it is known what its operations usually take. Asks no server.
 */
#ifndef INVESTIGATE_SUSPECT_H
#define INVESTIGATE_SUSPECT_H

#include "analyze/choice.h"
#include "analyze/messages.h"
#include "analyze/trace_analysis.h"
#include "analyze/typical.h"
#include "investigate/investigation.h"

struct suspect {
	struct trace_times times; /* in the result's arena */
	struct messages messages; /* so, too */
	struct guilty_pick pick;
	struct guilty_want want; /* that the choice is by */
	struct choice choice;    /* how it came about */
	bool has_choice;
};

void suspect_init(struct suspect *s);
void suspect_release(struct suspect *s);

/* Finds the span of v->trace; fills the result's half of the trace. */
bool suspect_find(struct investigation *v, struct suspect *s,
		  struct error *err) MUST_CHECK;

/* Chooses once more, now that it is known what is usual, and whose the time
 * between a call and its callee is (guilty_want.has_gap_of_caller). */
bool suspect_find_again(struct investigation *v, struct suspect *s,
			const struct typical *typical, bool has_gap_of_caller,
			struct error *err) MUST_CHECK;

/* The span of the process whose time is to be explained, as the traces of
 * other requests have it: the one that carries the profile id. */
uint32_t suspect_entry(const struct trace *t, const struct suspect *s);

#endif
