/* SPDX-License-Identifier: Apache-2.0 */
#include "render/flame_lanes.h"

#include <math.h>

#include "base/mem.h"
#include "base/num.h"

static bool lane_init(struct flame_lane *l, enum flame_side side, double scale,
		      uint32_t count)
{
	*l = (struct flame_lane){
		.side = side,
		.scale = scale,
		.widths = mem_alloc(count * sizeof *l->widths),
		.starts = mem_alloc(count * sizeof *l->starts)
	};
	return l->widths && l->starts;
}

static void lane_release(struct flame_lane *l)
{
	mem_free(l->widths);
	mem_free(l->starts);
}

/* starts[] of a parent holds where its next child begins until all of them
 * are placed, and is put back then. */
static void lane_place(struct flame_lane *l, const struct flame *f)
{
	l->starts[0] = 0;
	for (uint32_t i = 1; i < f->node_count; i++) {
		uint32_t parent = f->nodes[i].parent;

		l->starts[i] = l->starts[parent];
		l->starts[parent] =
			sat_add_i64(l->starts[parent], l->widths[i]);
	}
	for (uint32_t i = f->node_count; i-- > 1;)
		l->starts[f->nodes[i].parent] = l->starts[i];
	l->starts[0] = 0;
}

static void lay_side(struct flame_lane *l, const struct flame *f)
{
	for (uint32_t i = 0; i < f->node_count; i++)
		l->widths[i] = f->nodes[i].values[l->side].total;
	lane_place(l, f);
}

/* Tells nodes beneath one that is gone, before starts[] hold anything else. */
#define IS_BENEATH 1

/* What is gone, all beneath it, and above it as much as leads there. */
static void lay_gone(struct flame_lane *l, const struct flame *f)
{
	int64_t *widths = l->widths;
	int64_t *marks = l->starts;

	for (uint32_t i = 0; i < f->node_count;) {
		const struct flame_node *n = &f->nodes[i];
		bool is_gone = f->has_baseline && flame_is_gone(f, n);
		uint32_t end = is_gone ? n->end : i + 1;

		widths[i] = is_gone ? n->values[FLAME_BASELINE].total : 0;
		marks[i] = 0;
		while (++i < end) {
			widths[i] = f->nodes[i].values[FLAME_BASELINE].total;
			marks[i] = IS_BENEATH;
		}
	}
	for (uint32_t i = f->node_count; i-- > 1;)
		if (!marks[i])
			widths[f->nodes[i].parent] = sat_add_i64(
				widths[f->nodes[i].parent], widths[i]);
	lane_place(l, f);
}

bool flame_lanes_init(struct flame_lanes *l, const struct flame *f)
{
	double scale = f->baseline_scale;
	bool is_done;

	*l = (struct flame_lanes){ .f = f };
	is_done = lane_init(&l->slow, FLAME_SLOW, 1, f->node_count);
	if (!lane_init(&l->gone, FLAME_BASELINE, scale, f->node_count) ||
	    !is_done)
		return false;
	lay_side(&l->slow, f);
	lay_gone(&l->gone, f);
	l->unit = fmax((double)l->slow.widths[0],
		       (double)l->gone.widths[0] * scale);
	return true;
}

bool flame_lanes_add_before(struct flame_lanes *l)
{
	double scale = l->f->baseline_scale;

	if (!lane_init(&l->before, FLAME_BASELINE, scale, l->f->node_count))
		return false;
	lay_side(&l->before, l->f);
	l->unit = fmax(l->unit, (double)l->before.widths[0] * scale);
	return true;
}

void flame_lanes_release(struct flame_lanes *l)
{
	lane_release(&l->before);
	lane_release(&l->slow);
	lane_release(&l->gone);
}

static double part(const struct flame_lanes *l, const struct flame_lane *lane,
		   int64_t value)
{
	return l->unit > 0 ? fmin(1, (double)value * lane->scale / l->unit) : 0;
}

double flame_lane_start(const struct flame_lanes *l,
			const struct flame_lane *lane, uint32_t node)
{
	return part(l, lane, lane->starts[node]);
}

double flame_lane_end(const struct flame_lanes *l,
		      const struct flame_lane *lane, uint32_t node)
{
	return part(l, lane,
		    sat_add_i64(lane->starts[node], lane->widths[node]));
}

/* Sums that saturated are narrower than what they are of. */
double flame_lane_width(const struct flame_lanes *l,
			const struct flame_lane *lane, uint32_t node)
{
	return fmin(part(l, lane, lane->widths[node]),
		    1 - part(l, lane, lane->starts[node]));
}
