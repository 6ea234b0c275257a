/* SPDX-License-Identifier: Apache-2.0 */
#include "render/flame_union.h"

#include <math.h>

#include "base/mem.h"

/* Sums from the last node to the root. */
static void measure(struct flame_union *u, const struct flame *f)
{
	for (uint32_t i = 0; i < f->node_count; i++)
		u->widths[i] = 0;
	for (uint32_t i = f->node_count; i-- > 0;) {
		const struct flame_values *v = f->nodes[i].values;

		u->widths[i] += fmax((double)v[FLAME_SLOW].self,
				     (double)v[FLAME_BASELINE].self *
					     f->baseline_scale);
		if (i)
			u->widths[f->nodes[i].parent] += u->widths[i];
	}
}

/* starts[] of a parent holds where its next child begins until all of them
 * are placed, and is put back then. */
static void place(struct flame_union *u, const struct flame *f)
{
	u->starts[0] = 0;
	for (uint32_t i = 1; i < f->node_count; i++) {
		uint32_t parent = f->nodes[i].parent;

		u->starts[i] = u->starts[parent];
		u->starts[parent] += u->widths[i];
	}
	for (uint32_t i = f->node_count; i-- > 1;)
		u->starts[f->nodes[i].parent] = u->starts[i];
	u->starts[0] = 0;
}

bool flame_union_init(struct flame_union *u, const struct flame *f)
{
	double whole;

	*u = (struct flame_union){
		.widths = mem_alloc(f->node_count * sizeof *u->widths),
		.starts = mem_alloc(f->node_count * sizeof *u->starts)
	};
	if (!u->widths || !u->starts)
		return false;
	measure(u, f);
	place(u, f);
	whole = u->widths[0] > 0 ? u->widths[0] : 1;
	for (uint32_t i = 0; i < f->node_count; i++) {
		u->widths[i] /= whole;
		u->starts[i] /= whole;
	}
	return true;
}

void flame_union_release(struct flame_union *u)
{
	mem_free(u->widths);
	mem_free(u->starts);
}
