/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/callers.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"

/* By function: what was called from it, and what it was called for. */
struct counting {
	int64_t (*above)[FLAME_SIDES];
	int64_t (*below)[FLAME_SIDES];
	uint32_t *ends; /* a callee is within itself up to there */
};

static void add(int64_t sum[FLAME_SIDES], const struct flame_node *n)
{
	for (int s = 0; s < FLAME_SIDES; s++)
		sum[s] = sat_add_i64(sum[s], n->values[s].total);
}

/* The function within itself is no caller of itself: its outermost frame of a
 * stack counts. */
static void count(struct counting *c, const struct flame *f, uint32_t function)
{
	uint32_t end = 0;

	for (uint32_t i = 0; i < f->node_count; i++) {
		const struct flame_node *n = &f->nodes[i];
		uint32_t above = n->parent == FLAME_NONE
					 ? FLAME_NONE
					 : f->nodes[n->parent].function;

		if (n->function == function) {
			if (i >= end && above != FLAME_NONE)
				add(c->above[above], n);
			end = i >= end ? n->end : end;
		} else if (above == function && i >= c->ends[n->function]) {
			add(c->below[n->function], n);
			c->ends[n->function] = n->end;
		}
	}
}

static int compare(const void *pa, const void *pb)
{
	const struct callers_row *a = pa, *b = pb;
	int order = (int)a->role - (int)b->role;

	if (!order)
		order = compare_f64(b->larger, a->larger);
	return order ? order : compare_u64(a->function, b->function);
}

static void add_row(struct callers *c, const struct flame *f,
		    enum callers_role role, uint32_t function,
		    const int64_t values[FLAME_SIDES])
{
	if (!values[FLAME_SLOW] && !values[FLAME_BASELINE])
		return;
	c->rows[c->count++] = (struct callers_row){
		.role = role,
		.function = function,
		.values = { values[FLAME_SLOW], values[FLAME_BASELINE] },
		.larger = fmax((double)values[FLAME_SLOW],
			       (double)values[FLAME_BASELINE] *
				       f->baseline_scale),
	};
}

/* Of a tree that has callees first they lie above. */
static void add_rows(struct callers *c, const struct counting *n,
		     const struct flame *f, uint32_t function)
{
	const struct flame_function *fn = &f->functions[function];
	enum callers_role above =
		f->is_reversed ? CALLERS_CALLEE : CALLERS_CALLER;
	enum callers_role below =
		f->is_reversed ? CALLERS_CALLER : CALLERS_CALLEE;

	for (uint32_t i = 0; i < f->function_count; i++) {
		add_row(c, f, above, i, n->above[i]);
		add_row(c, f, below, i, n->below[i]);
	}
	add_row(c, f, CALLERS_THIS, function, fn->totals);
	qsort(c->rows, c->count, sizeof *c->rows, compare);
	for (c->place = 0; c->place < c->count; c->place++)
		if (c->rows[c->place].role == CALLERS_THIS)
			return;
	c->place = 0;
}

bool callers_build(struct callers *c, const struct flame *f, uint32_t function)
{
	size_t count_all = f->function_count;
	struct counting n = {
		.above = mem_calloc(count_all, sizeof *n.above),
		.below = mem_calloc(count_all, sizeof *n.below),
		.ends = mem_calloc(count_all, sizeof *n.ends),
	};
	bool is_done;

	callers_release(c);
	c->rows = mem_calloc(2 * count_all + 1, sizeof *c->rows);
	is_done = n.above && n.below && n.ends && c->rows;
	if (is_done) {
		count(&n, f, function);
		add_rows(c, &n, f, function);
	}
	mem_free(n.above);
	mem_free(n.below);
	mem_free(n.ends);
	return is_done;
}

void callers_release(struct callers *c)
{
	mem_free(c->rows);
	*c = (struct callers){ 0 };
}
