/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the frames of a flame graph of two profiles lie when both are drawn in
 * one: a stack is as wide as the larger of its sides, so that what is gone
 * stands where it was. Knows values and parts of the whole width, neither
 * pixels nor columns.
 */
#ifndef RENDER_FLAME_UNION_H
#define RENDER_FLAME_UNION_H

#include "model/flame.h"

struct flame_union {
	double *widths; /* by node, parts (0..1) of that of the root */
	double *starts; /* a neighbour begins at just start + width */
};

/* The own value of each stack counts with its larger side, the baseline's as it
 * compares with the slow one's; a frame is the sum of those in and beneath it.
 * False when memory ran out; flame_union_release() in any case. */
bool flame_union_init(struct flame_union *u, const struct flame *f) MUST_CHECK;
/* The same of one side alone. */
bool flame_union_init_side(struct flame_union *u, const struct flame *f,
			   enum flame_side side) MUST_CHECK;
void flame_union_release(struct flame_union *u);

#endif
