/* SPDX-License-Identifier: Apache-2.0
 *
 * What changed between two profiles: all that is spent in a function (total),
 * tested together with what it owns (self+lib) and what it does itself (self),
 * each in its own right. A total may wander too much to show what its own code
 * shows clearly, and a helper that several functions share shows nothing of
 * what one of them does.
 */
#ifndef ANALYZE_CHANGES_H
#define ANALYZE_CHANGES_H

#include "analyze/diff.h"

/* The three measures of one comparison; `total` is the one that is shown. */
struct changes {
	struct diff total;
	struct diff self_lib;
	struct diff self;
};

/* Compares all entries of t by the three measures, whose wants only differ in
 * `by`, in their runs, and in what was tested before them. False discoveries
 * are controlled over all three as one family. A row of the total whose part
 * changed says so in `measure`, unless the total moved with it. Rows get
 * `through`. */
bool changes_find(struct changes *c, const struct func_table *t,
		  const struct diff_want *total,
		  const struct diff_want *self_lib,
		  const struct diff_want *self, struct error *err) MUST_CHECK;

#endif
