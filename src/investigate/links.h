/* SPDX-License-Identifier: Apache-2.0
 *
 * From a trace to those that belong to its story: what its messages set off, or
 * who sent the message that it took, in traces of their own that only links
 * lead to. A few requests, and none where a trace has neither messages nor
 * links.
 */
#ifndef INVESTIGATE_LINKS_H
#define INVESTIGATE_LINKS_H

#include "investigate/investigation.h"
#include "investigate/suspect.h"
#include "investigate/symptom.h"

/* Joins them to v->trace (model/trace_join.h) and finds the suspect again.
 * Traces that cannot be had are noted at most: the answer is then of this one
 * trace. */
bool links_follow(struct investigation *v, struct suspect *s,
		  struct error *err) MUST_CHECK;

/* How long messages usually wait whose sender and receiver stand in traces of
 * their own: no search pairs those, so a few pairs are fetched. */

/* For the linked message that waited longest, when that may be what is slow:
 * adds to h->typical what messages of the baseline waited. What cannot be had
 * leaves it unknown. */
bool usual_waits_ask(struct operation_history *h, struct investigation *v,
		     const struct suspect *s, struct error *err) MUST_CHECK;

#endif
