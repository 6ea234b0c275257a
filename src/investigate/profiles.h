/* SPDX-License-Identifier: Apache-2.0
 *
 * The profile half of `slow`: which type on which rung of the ladder explains
 * what the span grew by, asked for step by step, cheapest and strongest
 * evidence first (rules in analyze/verdict.h).
 */
#ifndef INVESTIGATE_PROFILES_H
#define INVESTIGATE_PROFILES_H

#include "investigate/profile_inquiry.h"

/* NULL without memory. The service is to be filled in then. */
struct profile_inquiry *profile_inquiry_new(struct investigation *v,
					    const struct symptom *s,
					    struct error *err);
void profile_inquiry_free(struct profile_inquiry *q);

/* Looks for the profile that explains: q->shown is then what the answer is of,
 * NULL when none explains anything; fills result->profile, ->baseline,
 * ->functions and completes ->cause but for its words. False: no profile at
 * all, with the reason; the trace's half of the answer stands. */
bool profile_inquiry_run(struct profile_inquiry *q,
			 struct error *err) MUST_CHECK;

#endif
