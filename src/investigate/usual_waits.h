/* SPDX-License-Identifier: Apache-2.0
 *
 * How long messages usually wait whose sender and receiver stand in traces of
 * their own: no search pairs those, so a few pairs are fetched.
 */
#ifndef INVESTIGATE_USUAL_WAITS_H
#define INVESTIGATE_USUAL_WAITS_H

#include "investigate/symptom.h"

/* Pairs, each of two requests. */
#define USUAL_WAITS 3u

/* For the linked message that waited longest, when that may be what is slow:
 * adds to h->typical what messages of the baseline waited. What cannot be had
 * leaves it unknown. */
bool usual_waits_ask(struct operation_history *h, struct investigation *v,
		     const struct suspect *s, struct error *err) MUST_CHECK;

#endif
