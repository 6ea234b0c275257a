/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/functions.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"

/* Of all that is spent in it and beneath, as flame_moved(). */
static double sum_moved(const struct flame *f, const struct function_sum *row)
{
	return (double)row->values[FLAME_SLOW].total -
	       (double)row->values[FLAME_BASELINE].total * f->baseline_scale;
}

static void add_node(struct function_sum *row, const struct flame_node *n,
		     bool is_nested)
{
	for (int side = 0; side < FLAME_SIDES; side++) {
		struct flame_values *sum = &row->values[side];

		sum->self = sat_add_i64(sum->self, n->values[side].self);
		if (!is_nested)
			sum->total =
				sat_add_i64(sum->total, n->values[side].total);
	}
}

/* A function is within itself up to the end of the outermost of its nodes. */
static bool add_nodes(struct function_sum *rows, const struct flame *f,
		      uint32_t node)
{
	uint32_t *ends =
		mem_calloc((size_t)f->function_count + 1, sizeof *ends);

	if (!ends)
		return false;
	for (uint32_t i = node; i < f->nodes[node].end; i++) {
		const struct flame_node *n = &f->nodes[i];
		bool is_nested = i < ends[n->function];

		add_node(&rows[n->function], n, is_nested);
		if (!is_nested)
			ends[n->function] = n->end;
	}
	mem_free(ends);
	return true;
}

static double key_of(const struct functions *t, const struct flame *f,
		     const struct function_sum *row, enum flame_side side)
{
	switch (t->order) {
	case FUNCTIONS_SELF:
		return (double)row->own[side];
	case FUNCTIONS_TOTAL:
		return (double)row->values[side].total;
	case FUNCTIONS_CHANGE:
		return change_is_real(f->functions[row->function].change)
			       ? fabs(sum_moved(f, row))
			       : 0;
	case FUNCTIONS_NAME:
	case FUNCTIONS_ORDERS:
		break;
	}
	return 0;
}

static int compare(const void *pa, const void *pb)
{
	const struct function_sum *a = pa, *b = pb;
	int order = compare_f64(b->key, a->key);

	if (!order)
		order = str_compare(a->name, b->name);
	return order ? order : compare_u64(a->function, b->function);
}

bool functions_have_self_lib(const struct flame *f, uint32_t node)
{
	return f->has_baseline && !node;
}

static void set_own(struct function_sum *row, const struct flame *f,
		    uint32_t node)
{
	const struct flame_function *fn = &f->functions[row->function];

	for (int s = 0; s < FLAME_SIDES; s++)
		row->own[s] = functions_have_self_lib(f, node)
				      ? fn->self_lib[s]
				      : row->values[s].self;
}

/* What the node takes no part in is left out, and the root, which is no
 * function, too. */
static void keep_rows(struct functions *t, const struct flame *f, uint32_t node,
		      enum flame_side side)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < f->function_count; i++) {
		struct function_sum row = t->rows[i];

		if (i == f->nodes[0].function ||
		    (!row.values[FLAME_SLOW].total &&
		     !row.values[FLAME_BASELINE].total))
			continue;
		row.function = i;
		row.name = f->functions[i].name;
		set_own(&row, f, node);
		row.key = key_of(t, f, &row, side);
		t->rows[count++] = row;
	}
	t->count = count;
}

static void reverse(struct functions *t)
{
	for (uint32_t i = 0; i < t->count / 2; i++) {
		struct function_sum row = t->rows[i];

		t->rows[i] = t->rows[t->count - 1 - i];
		t->rows[t->count - 1 - i] = row;
	}
}

bool functions_build(struct functions *t, const struct flame *f, uint32_t node,
		     enum flame_side by_side)
{
	mem_free(t->rows);
	t->count = 0;
	t->is_old = false;
	t->rows = mem_calloc((size_t)f->function_count + 1, sizeof *t->rows);
	if (!t->rows || !add_nodes(t->rows, f, node))
		return false;
	keep_rows(t, f, node, by_side);
	qsort(t->rows, t->count, sizeof *t->rows, compare);
	if (t->is_reversed)
		reverse(t);
	if (t->list.selected >= t->count)
		t->list.selected = t->count ? t->count - 1 : 0;
	return true;
}

void functions_release(struct functions *t)
{
	mem_free(t->rows);
}
