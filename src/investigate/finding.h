/* SPDX-License-Identifier: Apache-2.0
 *
 * What an investigation of a slow trace yields: the span to blame, what other
 * traces say of it, and which profile explains it. Facts only; struct result
 * has what they come down to.
 */
#ifndef INVESTIGATE_FINDING_H
#define INVESTIGATE_FINDING_H

#include "analyze/verdict.h"
#include "investigate/chosen.h"
#include "investigate/investigation.h"
#include "investigate/profile_inquiry.h"
#include "investigate/suspect.h"
#include "investigate/symptom.h"

struct finding {
	struct suspect suspect;
	struct operation_history history;
	struct symptom symptom;
	bool has_symptom;                 /* other traces were asked for */
	struct profile_inquiry *profiles; /* NULL: none were looked for */
	/* Profiles that the user chose, in their place. */
	struct chosen_want want;
	struct chosen chosen;
	/* What the answer is of, borrowed from one of the two; NULL: no
	 * profile shows it. */
	const struct comparison *shown;
	bool has_conclusion; /* profiles came to one */
	/* Without one, and of chosen profiles: what the cause is by. */
	struct cause_facts cause;
	size_t note_count; /* of the result before it was ranked */
};

/* The investigation must outlive it. */
void finding_init(struct finding *f, struct investigation *v);
void finding_release(struct finding *f);

/* The samples of this very request, where those of requests like it are shown,
 * by the request; pick.profile_span is its span. NULL: there are none, or
 * filters leave only a part of what is shown. */
const struct profile *finding_own_samples(const struct finding *f,
					  const struct investigation *v);

/* Why a request was slow: from the span to blame over other traces of its
 * operation to the profile that explains it. Which server is asked for what, in
 * which order; no words. */

/* For the suspect that suspect_find() found. False: there is no profile, with
 * the reason (see investigation.shortfall, and suspect.choice.missing); what
 * the traces say stands, once slow_without_profiles() has put it so. */
bool slow_investigate(struct investigation *v, struct finding *f,
		      struct error *err) MUST_CHECK;
void slow_without_profiles(struct investigation *v, struct finding *f);

/* Applies the filters, for the rows and drawings: all that was decided and said
 * is of the whole, so this comes after the words. */
bool slow_view(struct investigation *v, struct finding *f,
	       struct error *err) MUST_CHECK;

#endif
