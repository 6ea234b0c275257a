/* SPDX-License-Identifier: Apache-2.0
 *
 * Why a request was slow: from the span to blame over other traces of its
 * operation to the profile that explains it. Which server is asked for what, in
 * which order; no words.
 */
#ifndef INVESTIGATE_SLOW_H
#define INVESTIGATE_SLOW_H

#include "investigate/finding.h"
#include "investigate/investigation.h"

/* For the suspect that suspect_find() found. False: there is no profile, with
 * the reason (see investigation.shortfall, and suspect.choice.missing); what
 * the traces say stands, once slow_without_profiles() has put it so. */
bool slow_investigate(struct investigation *v, struct finding *f,
		      struct error *err) MUST_CHECK;
void slow_without_profiles(struct investigation *v, struct finding *f);

/* What the filters leave is for the rows and drawings: all that was decided and
 * said is of the whole, so this comes after the words. */
bool slow_view(struct investigation *v, struct finding *f,
	       struct error *err) MUST_CHECK;

#endif
