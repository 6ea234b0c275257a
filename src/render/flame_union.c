/* SPDX-License-Identifier: Apache-2.0 */
#include "render/flame_union.h"

#include <math.h>

#include "base/mem.h"

typedef double own_of(const struct flame *f, const struct flame_node *n);

static double own_after(const struct flame *f, const struct flame_node *n)
{
	(void)f;
	return (double)n->values[FLAME_SLOW].self;
}

static double own_before(const struct flame *f, const struct flame_node *n)
{
	return (double)n->values[FLAME_BASELINE].self * f->baseline_scale;
}

static double own_larger(const struct flame *f, const struct flame_node *n)
{
	return fmax(own_after(f, n), own_before(f, n));
}

/* Sums from the last node to the root, as parts of the root's. */
static void measure(struct flame_union *u, const struct flame *f, own_of *own)
{
	double whole;

	for (uint32_t i = 0; i < f->node_count; i++)
		u->widths[i] = 0;
	for (uint32_t i = f->node_count; i-- > 0;) {
		u->widths[i] += own(f, &f->nodes[i]);
		if (i)
			u->widths[f->nodes[i].parent] += u->widths[i];
	}
	whole = u->widths[0] > 0 ? u->widths[0] : 1;
	for (uint32_t i = 0; i < f->node_count; i++)
		u->widths[i] /= whole;
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

static bool init(struct flame_union *u, const struct flame *f, own_of *own)
{
	*u = (struct flame_union){
		.widths = mem_alloc(f->node_count * sizeof *u->widths),
		.starts = mem_alloc(f->node_count * sizeof *u->starts)
	};
	if (!u->widths || !u->starts)
		return false;
	measure(u, f, own);
	place(u, f);
	return true;
}

bool flame_union_init(struct flame_union *u, const struct flame *f)
{
	return init(u, f, own_larger);
}

bool flame_union_init_side(struct flame_union *u, const struct flame *f,
			   enum flame_side side)
{
	return init(u, f, side == FLAME_BASELINE ? own_before : own_after);
}

void flame_union_release(struct flame_union *u)
{
	mem_free(u->widths);
	mem_free(u->starts);
}
