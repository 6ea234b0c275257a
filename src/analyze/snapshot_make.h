/* SPDX-License-Identifier: Apache-2.0
 *
 * Snapshots of profiles, and what they were as a whole.
 */
#ifndef ANALYZE_SNAPSHOT_MAKE_H
#define ANALYZE_SNAPSHOT_MAKE_H

#include "analyze/diff.h"
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

/* A snapshot as the baseline of a function table. Runs are put back so that
 * their sum and their spread are those that were measured, which is all that the
 * test of a comparison looks at. */

/* Adds the values of the snapshot to a table that was built without a baseline,
 * and the functions that only it has. whole: of snapshot_profile(). */
bool snapshot_join(struct func_table *t, const struct snapshot *s,
		   const struct profile *whole,
		   struct error *err) MUST_CHECK;

/* The runs of the baseline by one measure, in the table's arena. is_share: as
 * in slice_values_build(). */
bool snapshot_slices(struct slice_side *out, const struct func_table *t,
		     const struct snapshot *s, enum rank_by by, bool is_share,
		     struct error *err) MUST_CHECK;

#endif
