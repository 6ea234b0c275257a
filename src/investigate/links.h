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

/* What came long after is another story, and was not waited for. */
#define LINKS_REACH_NS NS_PER_HOUR

/* Joins them to v->trace (model/trace_join.h) and finds the suspect again.
 * Traces that cannot be had are noted at most: the answer is then of this one
 * trace. */
bool links_follow(struct investigation *v, struct suspect *s,
		  struct error *err) MUST_CHECK;

#endif
