/* SPDX-License-Identifier: Apache-2.0
 *
 * The findings of an investigation of a slow trace: the suspect span, the
 * evidence from other traces, and the profile that explains it. Facts only;
 * struct result has the conclusions.
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
	bool has_symptom;                 /* other traces were queried */
	struct profile_inquiry *profiles; /* NULL: no profiles were queried */
	/* Profiles chosen by the user, instead of `profiles`. */
	struct chosen_want want;
	struct chosen chosen;
	/* The comparison that the answer is about, borrowed from one of the
	 * two; NULL: no profile shows the cause. */
	const struct comparison *shown;
	bool has_conclusion; /* profiles led to one */
	/* Evidence for the cause without a conclusion, and for chosen
	 * profiles. */
	struct cause_facts cause;
	size_t note_count; /* of the result before ranking */
};

/* v must outlive f. */
void finding_init(struct finding *f, struct investigation *v);
void finding_release(struct finding *f);

/* Returns the samples of the traced request, per request, if those of similar
 * requests are shown; pick.profile_span is its span. NULL: there are none, or
 * filters show only a part. */
const struct profile *finding_own_samples(const struct finding *f,
					  const struct investigation *v);

/* Finds why a request was slow: from the suspect span over other traces of its
 * operation to the profile that explains it. slow.c decides which servers are
 * queried for what, and in which order. */

/* Investigates the suspect found by suspect_find(). Returns false if there is
 * no profile, with the reason in investigation.shortfall and
 * suspect.choice.missing; the results from traces remain valid after
 * slow_without_profiles() has completed them. */
bool slow_investigate(struct investigation *v, struct finding *f,
		      struct error *err) MUST_CHECK;
void slow_without_profiles(struct investigation *v, struct finding *f);

/* Applies the filters to rows and graphs. Call it last: conclusions and texts
 * are about the unfiltered profiles. */
bool slow_view(struct investigation *v, struct finding *f,
	       struct error *err) MUST_CHECK;

#endif
