/* SPDX-License-Identifier: Apache-2.0
 *
 * Snapshots of profiles: making them, and using them as a baseline.
 */
#ifndef ANALYZE_SNAPSHOT_MAKE_H
#define ANALYZE_SNAPSHOT_MAKE_H

#include "analyze/diff.h"
#include "analyze/profile_analysis.h"
#include "model/snapshot.h"

/* Makes a profile without stacks that has the totals of the snapshot; p must be
 * initialised. */
bool snapshot_profile(const struct snapshot *s, struct profile *p,
		      struct error *err) MUST_CHECK;

/* Fills the functions, the total and the number of runs of s, whose `per` is
 * set, from a profile and its runs, at least one. */
bool snapshot_make(struct snapshot *s, const struct profile *whole,
		   const struct rank_slices *runs,
		   const struct code_rules *rules,
		   struct error *err) MUST_CHECK;

/* A snapshot as the baseline of a function table. Runs are reconstructed so
 * that their sum and variance are the measured ones, which is all that the test
 * of a comparison uses. */

/* Adds the values of the snapshot to a table that was built without a baseline,
 * and the functions that only it has. whole: from snapshot_profile(). */
bool snapshot_join(struct func_table *t, const struct snapshot *s,
		   const struct profile *whole,
		   struct error *err) MUST_CHECK;

/* Reconstructs the runs of the baseline for one measure, in the table's arena.
 * is_share: as in slice_values_build(). */
bool snapshot_slices(struct slice_side *out, const struct func_table *t,
		     const struct snapshot *s, enum rank_by by, bool is_share,
		     struct error *err) MUST_CHECK;

#endif
