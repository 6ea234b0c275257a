/* SPDX-License-Identifier: Apache-2.0
 *
 * What an inquiry chose, put into the answer: rows and both sides; and the view
 * of them that filters ask for. Has no words.
 */
#ifndef INVESTIGATE_CONCLUSION_H
#define INVESTIGATE_CONCLUSION_H

#include "investigate/profile_inquiry.h"

/* From q->shown, NULL when no profile explains anything: then a note says
 * so. */
bool profile_inquiry_conclude(struct profile_inquiry *q,
			      struct error *err) MUST_CHECK;

/* What the filters leave is for the rows and drawings: all that was decided
 * and said is of the whole, so this comes after the words. */
bool profile_inquiry_view(struct profile_inquiry *q,
			  struct error *err) MUST_CHECK;

/* The rows once more, of what filters leave of the profiles, while the verdict
 * and what is said of the whole stay. */

/* What a view of the rows leaves as the verdict has it. */
struct kept_verdict {
	struct category_shares categories;
	struct category_shares baseline_categories;
};

/* Around ranking the rows once more. note_count: how many notes the result had
 * before it was first ranked. */
bool rows_view_begin(struct investigation *v, size_t note_count,
		     struct kept_verdict *kept, struct error *err) MUST_CHECK;
void rows_view_end(struct investigation *v, const struct kept_verdict *kept);

/* Instead of ranking: nothing was left. */
void rows_view_empty(struct investigation *v);

#endif
