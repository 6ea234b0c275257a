/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions of a table in the blocks that its sides were cut into.
 */
#ifndef ANALYZE_SLICE_VALUES_H
#define ANALYZE_SLICE_VALUES_H

#include "analyze/function_table.h"
#include "analyze/profile_analysis.h"

/* One side. Blocks without values or exposure tell nothing and are left out;
 * count is that of the others. */
struct slice_side {
	size_t count;
	double *exposures;
	double *wholes; /* all values of the block */
	double *values; /* count for each entry of the table */
};

struct slice_values {
	struct slice_side sides[SIDE_COUNT];
};

/* Sums the ranked measure by entry and block, in the table's arena. is_share:
 * the exposure of a block is all of its values. */
bool slice_values_build(struct slice_values *out, const struct func_table *t,
			const struct rank_want *want, bool is_share,
			struct error *err) MUST_CHECK;

#endif
