/* SPDX-License-Identifier: Apache-2.0
 *
 * What the span to blame grew by, laid out as a sum. Asks nothing.
 */
#ifndef INVESTIGATE_EXCESS_FILL_H
#define INVESTIGATE_EXCESS_FILL_H

#include "investigate/profile_inquiry.h"

/* Fills result->cause.excess, of what the trace and its history tell and, where
 * they came to something, of the profiles (q; NULL: none were looked for). None
 * where it is not known what is usual, or as ever. */
void excess_fill(const struct symptom *s, const struct suspect *g,
		 const struct profile_inquiry *q, struct result *result);

#endif
