/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the frames of a flame graph lie, for all drawings: in one lane what
 * the slow side spent, in a second one what vanished since the baseline, both
 * to the same scale. Knows values and parts of the whole width, neither pixels
 * nor columns.
 */
#ifndef RENDER_FLAME_LANES_H
#define RENDER_FLAME_LANES_H

#include "model/flame.h"

struct flame_lane {
	enum flame_side side;
	int64_t *widths; /* by node, in the side's values; 0: not in it */
	int64_t *starts;
	double scale; /* values to those of the slow side */
};

struct flame_lanes {
	const struct flame *f;
	struct flame_lane slow;
	struct flame_lane gone;   /* what is gone, and what leads there */
	struct flame_lane before; /* all of the baseline; when added */
	double unit;              /* values of the slow side across the width */
};

/* Borrows f. False when memory ran out; flame_lanes_release() in any case. */
bool flame_lanes_init(struct flame_lanes *l, const struct flame *f) MUST_CHECK;
/* The third lane, whose place the baseline has in `unit` from then on. False
 * when memory ran out. */
bool flame_lanes_add_before(struct flame_lanes *l) MUST_CHECK;
void flame_lanes_release(struct flame_lanes *l);

/* Where a node begins and ends, to the bit where its neighbour begins, and how
 * wide it is, in parts (0..1) of the width. */
double flame_lane_start(const struct flame_lanes *l,
			const struct flame_lane *lane, uint32_t node);
double flame_lane_end(const struct flame_lanes *l,
		      const struct flame_lane *lane, uint32_t node);
double flame_lane_width(const struct flame_lanes *l,
			const struct flame_lane *lane, uint32_t node);

/* Where the nodes that are gone with this one end, when asked for all nodes
 * in their order; `end` is the answer for the one before, first 0. */
static inline uint32_t flame_gone_end(const struct flame *f, uint32_t node,
				      uint32_t end)
{
	if (node >= end && f->has_baseline && flame_is_gone(f, &f->nodes[node]))
		return f->nodes[node].end;
	return end;
}

#endif
