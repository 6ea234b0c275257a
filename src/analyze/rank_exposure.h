/* SPDX-License-Identifier: Apache-2.0
 *
 * What the values of a ranking's sides are divided by before they are compared.
 */
#ifndef ANALYZE_RANK_EXPOSURE_H
#define ANALYZE_RANK_EXPOSURE_H

#include "analyze/profile_analysis.h"
#include "analyze/rank_facts.h"

/* Fills what of the comparison the way wanted decides, or the next that is known
 * on both sides, which facts tell. */
void rank_exposure_set(const struct rank_want *want, struct diff_want *out,
		       const struct profile *slow, struct rank_facts *facts);

#endif
