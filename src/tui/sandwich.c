/* SPDX-License-Identifier: Apache-2.0
 *
 * Callers tab: a function between its callers, above, and callees, below, on
 * both sides.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/num.h"
#include "model/flame.h"
#include "tui/explorer.h"

/* A function between its callers and callees, see explorer.h. */

/* By function: value of its calls to the function in the middle, and of that
 * function's calls to it. */
struct counting {
	int64_t (*above)[FLAME_SIDES];
	int64_t (*below)[FLAME_SIDES];
	uint32_t *ends; /* end of the outermost frame of a callee */
};

static void sums_add(int64_t sum[FLAME_SIDES], const struct flame_node *n)
{
	for (int s = 0; s < FLAME_SIDES; s++)
		sum[s] = sat_add_i64(sum[s], n->values[s].total);
}

/* Recursive calls are not counted: only the outermost frame of a stack. */
static void parts_count(struct counting *c, const struct flame *f,
			uint32_t function)
{
	uint32_t end = 0;

	for (uint32_t i = 0; i < f->node_count; i++) {
		const struct flame_node *n = &f->nodes[i];
		uint32_t above = n->parent == FLAME_NONE
					 ? FLAME_NONE
					 : f->nodes[n->parent].function;

		if (n->function == function) {
			if (i >= end && above != FLAME_NONE)
				sums_add(c->above[above], n);
			end = i >= end ? n->end : end;
		} else if (above == function && i >= c->ends[n->function]) {
			sums_add(c->below[n->function], n);
			c->ends[n->function] = n->end;
		}
	}
}

static int parts_compare(const void *pa, const void *pb)
{
	const struct callers_row *a = pa, *b = pb;
	int order = (int)a->role - (int)b->role;

	if (!order)
		order = compare_f64(b->larger, a->larger);
	return order ? order : compare_u64(a->function, b->function);
}

static void add_caller_row(struct callers *c, const struct flame *f,
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

/* Adds rows; in a reversed graph callers are the descendants. */
static void add_rows(struct callers *c, const struct counting *n,
		     const struct flame *f, uint32_t function)
{
	const struct flame_function *fn = &f->functions[function];
	enum callers_role above =
		f->is_reversed ? CALLERS_CALLEE : CALLERS_CALLER;
	enum callers_role below =
		f->is_reversed ? CALLERS_CALLER : CALLERS_CALLEE;

	for (uint32_t i = 0; i < f->function_count; i++) {
		add_caller_row(c, f, above, i, n->above[i]);
		add_caller_row(c, f, below, i, n->below[i]);
	}
	add_caller_row(c, f, CALLERS_THIS, function, fn->totals);
	qsort(c->rows, c->count, sizeof *c->rows, parts_compare);
	for (c->place = 0; c->place < c->count; c->place++)
		if (c->rows[c->place].role == CALLERS_THIS)
			return;
	c->place = 0;
}

/* Replaces the contents. Returns false when out of memory; call
 * callers_release() in any case. */
static bool callers_build(struct callers *c, const struct flame *f,
			  uint32_t function)
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
		parts_count(&n, f, function);
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

static void select_row(struct explorer *e, uint32_t row)
{
	list_select(&e->calls_list, row, e->calls.count, explorer_page_rows(e));
	if (e->calls.count)
		e->function = e->calls.rows[e->calls_list.selected].function;
}

/* Shows another function in the middle. */
static bool sandwich_build(struct explorer *e, uint32_t function)
{
	if (e->calls_of == function && e->calls.rows)
		return true;
	e->has_failed |= !callers_build(&e->calls, e->f, function);
	e->calls_of = function;
	e->calls_list = (struct list){ 0 };
	if (e->has_failed)
		return false;
	/* Keeps some callers above it visible. */
	if (e->calls.place > explorer_page_rows(e) / 2)
		e->calls_list.top = e->calls.place - explorer_page_rows(e) / 2;
	select_row(e, e->calls.place);
	return true;
}

void sandwich_enter(struct explorer *e)
{
	(void)sandwich_build(e, e->function);
}

static uint32_t selected_function(const struct explorer *e)
{
	return e->calls.count ? e->calls.rows[e->calls_list.selected].function
			      : e->function;
}

static void sandwich_click(struct explorer *e, uint32_t row)
{
	uint32_t first = EXPLORER_BODY_TOP + 1;

	if (row < first || row - first >= explorer_page_rows(e) ||
	    e->calls_list.top + row - first >= e->calls.count)
		return;
	row += e->calls_list.top - first;
	if (row == e->calls_list.selected)
		(void)sandwich_build(e, selected_function(e));
	else
		select_row(e, row);
}

static void find_next(struct explorer *e, bool is_forward)
{
	uint32_t row = e->calls_list.selected, count = e->calls.count;

	for (uint32_t left = count; left; left--) {
		row = (row + (is_forward ? 1 : count - 1)) % count;
		if (e->search.is_active &&
		    e->search.is_match[e->calls.rows[row].function]) {
			select_row(e, row);
			return;
		}
	}
	explorer_not_found(e);
}

void sandwich_event(struct explorer *e, const struct tui_event *event)
{
	if (event->key == TUI_ENTER) {
		(void)sandwich_build(e, selected_function(e));
	} else if (event->key == TUI_CLICK) {
		sandwich_click(e, event->row);
	} else if (event->key == TUI_CHARACTER) {
		if (event->character == 'n' || event->character == 'N')
			find_next(e, event->character == 'n');
	} else {
		list_move(&e->calls_list, event->key, e->calls.count,
			  explorer_page_rows(e));
		select_row(e, e->calls_list.selected);
	}
}

/* ---- rows ---- */

static void draw_head(struct explorer *e, const struct surface *s)
{
	static const struct look dim = { .is_dim = true };
	const struct scale *scale = &e->labels.words.scale;
	char measure[2 * UNIT_TEXT_BYTES];

	if (e->has_baseline) {
		scale_measure(e->in->result, measure);
		buf_addf(&e->line,
			 "%9s%9s%9s     callers, the function, "
			 "callees   (%s%s%s)",
			 "total", "baseline", "change", measure,
			 *scale->unit ? ", " : "", scale->unit);
	} else {
		buf_addf(&e->line, "%9s  callers, the function, callees",
			 "total");
	}
	explorer_put(e, s, EXPLORER_BODY_TOP, 0, s->columns, &dim);
}

static void add_row(struct explorer *e, const struct callers_row *row)
{
	static const char *const signs[] = { [CALLERS_CALLER] = "  by ",
					     [CALLERS_THIS] = "",
					     [CALLERS_CALLEE] = "  calls " };

	if (e->has_baseline)
		table_add_compared(e, row->function, row->values);
	else
		table_add_share(e, row->values[FLAME_SLOW]);
	buf_addf(&e->line, "  %s", signs[row->role]);
	table_add_function(e, row->function);
}

void sandwich_draw(struct explorer *e, const struct surface *s)
{
	list_select(&e->calls_list, e->calls_list.selected, e->calls.count,
		    explorer_page_rows(e));
	draw_head(e, s);
	for (uint32_t i = 0; i < explorer_page_rows(e); i++) {
		uint32_t row = e->calls_list.top + i;
		struct look look = { .is_reverse =
					     row == e->calls_list.selected };

		if (row < e->calls.count) {
			const struct callers_row *r = &e->calls.rows[row];

			look.is_bold = r->role == CALLERS_THIS ||
				       (e->search.is_active &&
					e->search.is_match[r->function]);
			add_row(e, r);
		}
		explorer_put(e, s, EXPLORER_BODY_TOP + 1 + i, 0, s->columns,
			     &look);
	}
}
