/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the span that caused the slowness: from the trace alone, and again when
 * the typical durations of its operations are known. Sends nothing.
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
	struct messages messages; /* in the result's arena */
	struct guilty_pick pick;
	struct guilty_want want; /* conditions of the choice */
	struct choice choice;    /* details of the choice */
	bool has_choice;
};

void suspect_init(struct suspect *s);
void suspect_release(struct suspect *s);

/* Finds the span in v->trace; fills the part of the result about the trace. */
bool suspect_find(struct investigation *v, struct suspect *s,
		  struct error *err) MUST_CHECK;

/* Chooses again with typical durations, and with the side that the time between
 * a call and its callee is assigned to (guilty_want.has_gap_of_caller). */
bool suspect_find_again(struct investigation *v, struct suspect *s,
			const struct typical *typical, bool has_gap_of_caller,
			struct error *err) MUST_CHECK;

/* Returns the entry span, as in other traces, of the process whose time is to
 * be explained: the one that carries the profile id. */
uint32_t suspect_entry(const struct trace *t, const struct suspect *s);

#endif
