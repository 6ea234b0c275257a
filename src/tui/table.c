/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions tab: the functions below the zoomed node.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"
#include "model/flame.h"
#include "model/source_path.h"
#include "render/flame.h"
#include "render/page.h"
#include "render/units.h"
#include "tui/explorer.h"

/* Functions below a node of a flame graph with their values, sorted. */

/* Returns the growth of the total, as flame_moved(). */
static double sum_moved(const struct flame *f, const struct function_sum *row)
{
	return (double)row->values[FLAME_SLOW].total -
	       (double)row->values[FLAME_BASELINE].total * f->baseline_scale;
}

/* Counts a function until the end of its outermost node. */
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

		for (int side = 0; side < FLAME_SIDES; side++) {
			const struct flame_values *v = &n->values[side];
			struct flame_values *sum =
				&rows[n->function].values[side];

			sum->self = sat_add_i64(sum->self, v->self);
			if (!is_nested)
				sum->total = sat_add_i64(sum->total, v->total);
		}
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
	case FUNCTIONS_ANSWER:
		return fabs(sum_moved(f, row));
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

static int rows_compare(const void *pa, const void *pb)
{
	const struct function_sum *a = pa, *b = pb;
	int order = compare_u64(a->place, b->place);

	if (!order)
		order = compare_f64(b->key, a->key);
	if (!order)
		order = str_compare(a->name, b->name);
	return order ? order : compare_u64(a->function, b->function);
}

bool functions_have_self_lib(const struct flame *f, uint32_t node)
{
	return f->has_baseline && !node;
}

/* Keeps rows with a value within the node, without the root, which is not a
 * function. */
static void keep_rows(struct functions *t, const struct flame *f, uint32_t node,
		      enum flame_side side)
{
	bool has_lib = functions_have_self_lib(f, node);
	uint32_t count = 0;

	for (uint32_t i = 0; i < f->function_count; i++) {
		struct function_sum row = t->rows[i];

		if (i == f->nodes[0].function ||
		    (!row.values[FLAME_SLOW].total &&
		     !row.values[FLAME_BASELINE].total))
			continue;
		row.function = i;
		row.name = f->functions[i].name;
		for (int s = 0; s < FLAME_SIDES; s++)
			row.own[s] = has_lib ? f->functions[i].self_lib[s]
					     : row.values[s].self;
		row.key = key_of(t, f, &row, side);
		/* Without a row: after all others. */
		row.place = t->order == FUNCTIONS_ANSWER
				    ? f->functions[i].row - 1
				    : 0;
		t->rows[count++] = row;
	}
	t->count = count;
}

/* Keeps the order and, if possible, the selected row. by_side: whose values are
 * sorted by. Returns false when out of memory. */
static bool functions_build(struct functions *t, const struct flame *f,
			    uint32_t node, enum flame_side by_side)
{
	mem_free(t->rows);
	t->count = 0;
	t->is_old = false;
	t->rows = mem_calloc((size_t)f->function_count + 1, sizeof *t->rows);
	if (!t->rows || !add_nodes(t->rows, f, node))
		return false;
	keep_rows(t, f, node, by_side);
	qsort(t->rows, t->count, sizeof *t->rows, rows_compare);
	for (uint32_t i = 0; t->is_reversed && i < t->count / 2; i++) {
		struct function_sum row = t->rows[i];

		t->rows[i] = t->rows[t->count - 1 - i];
		t->rows[t->count - 1 - i] = row;
	}
	if (t->list.selected >= t->count)
		t->list.selected = t->count ? t->count - 1 : 0;
	return true;
}

void functions_release(struct functions *t)
{
	mem_free(t->rows);
}

static void select_row(struct explorer *e, uint32_t row)
{
	struct functions *t = &e->functions;

	list_select(&t->list, row, t->count, explorer_page_rows(e));
	if (t->count)
		e->function = t->rows[t->list.selected].function;
}

static bool table_build(struct explorer *e)
{
	struct functions *t = &e->functions;

	if (t->is_old)
		e->has_failed |= !functions_build(t, e->f, e->zoom,
						  explorer_flame_side(e));
	if (!e->has_failed)
		select_row(e, t->list.selected);
	return !e->has_failed;
}

/* Selects the row of what was selected in another tab. */
void table_enter(struct explorer *e)
{
	uint32_t wanted = e->function;

	if (!table_build(e))
		return;
	for (uint32_t row = 0; row < e->functions.count; row++)
		if (e->functions.rows[row].function == wanted)
			select_row(e, row);
}

static void find_next(struct explorer *e, bool is_forward)
{
	struct functions *t = &e->functions;
	uint32_t row = t->list.selected;

	for (uint32_t left = t->count; left; left--) {
		row = is_forward ? (row + 1) % t->count
				 : (row + t->count - 1) % t->count;
		if (e->search.is_active &&
		    e->search.is_match[t->rows[row].function]) {
			select_row(e, row);
			return;
		}
	}
	explorer_not_found(e);
}

static void on_character(struct explorer *e, uint32_t c)
{
	if (c == 's') {
		struct functions *t = &e->functions;

		t->order = (enum functions_order)((t->order + 1) %
						  FUNCTIONS_ORDERS);
		if (t->order == FUNCTIONS_CHANGE && !e->has_baseline)
			t->order = FUNCTIONS_NAME;
		t->is_old = true;
		t->list = (struct list){ 0 };
	} else if (c == 'r') {
		e->functions.is_reversed = !e->functions.is_reversed;
		e->functions.is_old = true;
	} else if (c == 'n' || c == 'N') {
		find_next(e, c == 'n');
	}
}

/* A second click shows the function. */
static void table_click(struct explorer *e, uint32_t row)
{
	struct functions *t = &e->functions;
	uint32_t first = EXPLORER_BODY_TOP + 1;

	if (row < first || row - first >= explorer_page_rows(e) ||
	    t->list.top + row - first >= t->count)
		return;
	row += t->list.top - first;
	if (row == t->list.selected)
		explorer_go(e, TAB_FLAME);
	else
		select_row(e, row);
}

void table_event(struct explorer *e, const struct tui_event *event)
{
	struct functions *t = &e->functions;

	if (!table_build(e) || !t->count)
		return;
	if (event->key == TUI_CHARACTER) {
		on_character(e, event->character);
	} else if (event->key == TUI_CLICK) {
		table_click(e, event->row);
	} else if (event->key == TUI_ENTER) {
		explorer_go(e, TAB_FLAME);
	} else {
		list_move(&t->list, event->key, t->count,
			  explorer_page_rows(e));
		select_row(e, t->list.selected);
	}
}

/* ---- rows ---- */

/* Appends a value in the functions' unit, which is in the heading; a share
 * without a baseline. */
void table_add_share(struct explorer *e, int64_t value)
{
	char text[UNIT_TEXT_BYTES];

	format_share(flame_share(e->f, FLAME_SLOW, (double)value), text);
	buf_addf(&e->line, "%9s", value ? text : "-");
}

static void add_steps(struct explorer *e, int64_t steps)
{
	char text[UNIT_TEXT_BYTES];

	scale_format(&e->labels.words.scale, steps, text);
	buf_addf(&e->line, "%9s", text);
}

static void add_change(struct explorer *e, uint32_t function, int64_t steps)
{
	const struct flame_function *fn = &e->f->functions[function];
	const char *mark = " ";
	char text[UNIT_TEXT_BYTES];

	scale_format_signed(&e->labels.words.scale, steps, text);
	if (change_is_up(fn->change) && steps > 0)
		mark = "+";
	if (change_is_down(fn->change) && steps < 0)
		mark = "-";
	buf_addf(&e->line, "%9s %s%s", text, mark, fn->is_to_blame ? "!" : " ");
}

/* Total, before and change, as in the command's table. */
void table_add_compared(struct explorer *e, uint32_t function,
			const int64_t values[FLAME_SIDES])
{
	const struct scale *scale = &e->labels.words.scale;
	int64_t now = scale_after(scale, values[FLAME_SLOW]);
	int64_t before = scale_before(scale, values[FLAME_BASELINE]);

	add_steps(e, now);
	add_steps(e, before);
	add_change(e, function, now - before);
}

/* Truncates a long name at its start. */
void table_add_function(struct explorer *e, uint32_t function)
{
	const struct flame_function *fn = &e->f->functions[function];
	size_t used = text_width(buf_str(&e->line));
	size_t room = e->columns > used ? e->columns - used : 0;
	struct str name;

	e->has_failed |= e->name.state != BUF_OK;
	buf_clear(&e->name);
	escape_terminal_buf(&e->name, name_shown(fn->name));
	name = buf_str(&e->name);
	if (text_width(name) > room)
		name = name_fit(name, room);
	buf_add_str(&e->line, name);
	if (!fn->file.len)
		return;
	buf_add_text(&e->line, "   ");
	escape_terminal_buf(&e->line,
			    source_path_shorten(fn->file, e->f->source_root));
}

static void add_row(struct explorer *e, const struct function_sum *row)
{
	const int64_t totals[FLAME_SIDES] = {
		row->values[FLAME_SLOW].total,
		row->values[FLAME_BASELINE].total,
	};

	if (e->has_baseline) {
		table_add_compared(e, row->function, totals);
		add_steps(e, scale_after(&e->labels.words.scale,
					 row->own[FLAME_SLOW]));
	} else {
		table_add_share(e, row->values[FLAME_SLOW].self);
		table_add_share(e, row->values[FLAME_SLOW].total);
	}
	buf_add_text(&e->line, "  ");
	table_add_function(e, row->function);
}

static void draw_head(struct explorer *e, const struct surface *s)
{
	static const struct look dim = { .is_dim = true };
	const struct scale *scale = &e->labels.words.scale;
	char measure[2 * UNIT_TEXT_BYTES];

	if (e->has_baseline) {
		scale_measure(e->in->result, measure);
		buf_addf(&e->line, "%9s%9s%9s   %9s  function   (%s%s%s)",
			 "total", "baseline", "change",
			 functions_have_self_lib(e->f, e->zoom) ? "self+lib"
								: "self",
			 measure, *scale->unit ? ", " : "", scale->unit);
	} else {
		buf_addf(&e->line, "%9s%9s  function", "self", "total");
	}
	explorer_put(e, s, EXPLORER_BODY_TOP, 0, s->columns, &dim);
}

void table_draw(struct explorer *e, const struct surface *s)
{
	const struct functions *t = &e->functions;

	if (!table_build(e))
		return;
	draw_head(e, s);
	for (uint32_t i = 0; i < explorer_page_rows(e); i++) {
		uint32_t row = t->list.top + i;
		struct look look = { .is_reverse = row == t->list.selected };

		if (row < t->count) {
			look.is_bold =
				e->search.is_active &&
				e->search.is_match[t->rows[row].function];
			add_row(e, &t->rows[row]);
		}
		explorer_put(e, s, EXPLORER_BODY_TOP + 1 + i, 0, s->columns,
			     &look);
	}
}
