/* SPDX-License-Identifier: Apache-2.0
 *
 * A snapshot as the baseline of a function table. Runs are put back so that
 * their sum and their spread are those that were measured, which is all that the
 * test of a comparison looks at.
 */
#ifndef ANALYZE_SNAPSHOT_BASELINE_H
#define ANALYZE_SNAPSHOT_BASELINE_H

#include "analyze/slice_values.h"
#include "model/snapshot.h"

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
