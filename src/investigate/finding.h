/* SPDX-License-Identifier: Apache-2.0
 *
 * What an investigation of a slow trace yields: the span to blame, what other
 * traces say of it, and which profile explains it. Facts only; struct result
 * has what they come down to.
 */
#ifndef INVESTIGATE_FINDING_H
#define INVESTIGATE_FINDING_H

#include "investigate/profiles.h"
#include "investigate/suspect.h"
#include "investigate/symptom.h"

struct slow_finding {
	struct suspect suspect;
	struct operation_history history;
	struct symptom symptom;
	bool has_symptom;                 /* other traces were asked for */
	struct profile_inquiry *profiles; /* NULL: none were asked for */
	bool has_profiles;                /* and it came to a conclusion */
};

void slow_finding_init(struct slow_finding *f);
void slow_finding_release(struct slow_finding *f);

#endif
