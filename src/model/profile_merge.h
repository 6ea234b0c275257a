/* SPDX-License-Identifier: Apache-2.0
 *
 * Adds up profiles: the blocks of a window, the pods of a service.
 */
#ifndef MODEL_PROFILE_MERGE_H
#define MODEL_PROFILE_MERGE_H

#include "model/profile.h"

/* Adds up n profiles of one sample type into out, which must be initialised
 * and empty; its texts are its own. Empty parts count for nothing, those that
 * filters emptied for whole_total. What all other parts agree on is kept: the
 * period (else 0), lines (has_lines), a known sample_count (else -1). The time
 * is the earliest, durations are added up, a gauge stays one and is not
 * divided. Of the types offered only the decoded one is named. Where a part is
 * packed or loose, out is loose. n may be 0. Fails on parts of different types
 * and on limits; out is to be released then too. */
bool profile_merge(struct profile *out, const struct profile *const *parts,
		   size_t n, struct notes *notes, struct error *err) MUST_CHECK;

/* What the sum says of itself: all but its functions, frames, stacks, total and
 * types. */
void profile_merge_heads(struct profile *out,
			 const struct profile *const *parts, size_t n);

#endif
