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

#endif
