/* SPDX-License-Identifier: Apache-2.0
 *
 * Snapshots of profiles, and what they were as a whole.
 */
#ifndef ANALYZE_SNAPSHOT_MAKE_H
#define ANALYZE_SNAPSHOT_MAKE_H

#include "analyze/profile_analysis.h"
#include "model/snapshot.h"

/* A profile without stacks that says what the snapshot was as a whole; p must
 * be initialised. */
bool snapshot_profile(const struct snapshot *s, struct profile *p,
		      struct error *err) MUST_CHECK;

/* Fills the functions, the whole and the number of runs of s, whose `per` is
 * set, from a profile and its runs, of which there is one at least. */
bool snapshot_make(struct snapshot *s, const struct profile *whole,
		   const struct rank_slices *runs,
		   const struct code_rules *rules,
		   struct error *err) MUST_CHECK;

#endif
