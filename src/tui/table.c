/* SPDX-License-Identifier: Apache-2.0
 *
 * The explorer's table of functions, beneath what is zoomed into.
 */
#include "base/escape.h"
#include "base/num.h"
#include "model/source_path.h"
#include "render/flame_text.h"
#include "render/page.h"
#include "render/units.h"
#include "tui/explorer.h"

/* One line of the body is the head. */
static uint32_t page_rows(const struct explorer *e)
{
	uint32_t rows = explorer_body_rows(e);

	return rows > 1 ? rows - 1 : 1;
}

static void select_row(struct explorer *e, uint32_t row)
{
	struct functions *t = &e->functions;

	t->selected = t->count ? (uint32_t)min_size(row, t->count - 1) : 0;
	if (t->selected < t->top)
		t->top = t->selected;
	if (t->selected >= t->top + page_rows(e))
		t->top = t->selected - page_rows(e) + 1;
}

static bool build(struct explorer *e)
{
	struct functions *t = &e->functions;

	if (t->is_old)
		e->has_failed |= !functions_build(t, e->f, e->zoom,
						  explorer_flame_side(e));
	if (!e->has_failed)
		select_row(e, t->selected);
	return !e->has_failed;
}

static void sort_next(struct explorer *e)
{
	struct functions *t = &e->functions;

	t->order = (enum functions_order)((t->order + 1) % FUNCTIONS_ORDERS);
	if (t->order == FUNCTIONS_CHANGE && !e->has_baseline)
		t->order = FUNCTIONS_NAME;
	t->is_old = true;
	t->selected = t->top = 0;
}

static void find_next(struct explorer *e, bool is_forward)
{
	struct functions *t = &e->functions;
	uint32_t row = t->selected;

	for (uint32_t left = t->count; left; left--) {
		row = is_forward ? (row + 1) % t->count
				 : (row + t->count - 1) % t->count;
		if (e->search.is_active &&
		    e->search.is_match[t->rows[row].function]) {
			select_row(e, row);
			return;
		}
	}
	e->message = e->search.is_active ? "no such function"
					 : "nothing was searched for: /";
}

static void on_character(struct explorer *e, uint32_t c)
{
	if (c == 's') {
		sort_next(e);
	} else if (c == 'r') {
		e->functions.is_reversed = !e->functions.is_reversed;
		e->functions.is_old = true;
	} else if (c == 'n' || c == 'N') {
		find_next(e, c == 'n');
	}
}

/* A second click shows the function. */
static void click(struct explorer *e, uint32_t row)
{
	struct functions *t = &e->functions;

	if (row < 2 || row - 2 >= page_rows(e) || t->top + row - 2 >= t->count)
		return;
	if (t->top + row - 2 == t->selected)
		graph_show(e, t->rows[t->selected].function);
	else
		select_row(e, t->top + row - 2);
}

static void move(struct explorer *e, enum tui_key key)
{
	struct functions *t = &e->functions;
	uint32_t row = t->selected, page = page_rows(e);

	if (key == TUI_DOWN || key == TUI_WHEEL_DOWN)
		row++;
	else if (key == TUI_UP || key == TUI_WHEEL_UP)
		row -= row > 0;
	else if (key == TUI_PAGE_DOWN)
		row += page;
	else if (key == TUI_PAGE_UP)
		row -= row > page ? page : row;
	else if (key == TUI_HOME)
		row = 0;
	else if (key == TUI_END)
		row = t->count;
	select_row(e, row);
}

void table_event(struct explorer *e, const struct tui_event *event)
{
	if (!build(e) || !e->functions.count)
		return;
	if (event->key == TUI_CHARACTER)
		on_character(e, event->character);
	else if (event->key == TUI_CLICK)
		click(e, event->row);
	else if (event->key == TUI_ENTER)
		graph_show(e,
			   e->functions.rows[e->functions.selected].function);
	else
		move(e, event->key);
}

/* ---- rows ---- */

/* Of the functions' own unit, with its name in the head; shares without a
 * baseline. */
static void add_share(struct explorer *e, int64_t value)
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

static void add_change(struct explorer *e, const struct function_sum *row,
		       int64_t steps)
{
	const struct flame_function *fn = &e->f->functions[row->function];
	const char *mark = " ";
	char text[UNIT_TEXT_BYTES];

	scale_format_signed(&e->labels.words.scale, steps, text);
	if (change_is_up(fn->change))
		mark = "+";
	if (change_is_down(fn->change))
		mark = "-";
	buf_addf(&e->line, "%9s %s%s", text, mark, fn->is_to_blame ? "!" : " ");
}

/* As the table of the command: total, before, change, self+lib. */
static void add_compared(struct explorer *e, const struct function_sum *row)
{
	const struct scale *scale = &e->labels.words.scale;
	int64_t now = scale_after(scale, row->values[FLAME_SLOW].total);
	int64_t before = scale_before(scale, row->values[FLAME_BASELINE].total);

	add_steps(e, now);
	add_steps(e, before);
	add_change(e, row, now - before);
	add_steps(e, scale_after(scale, row->own[FLAME_SLOW]));
}

static void add_row(struct explorer *e, const struct function_sum *row)
{
	const struct flame_function *fn = &e->f->functions[row->function];

	if (e->has_baseline) {
		add_compared(e, row);
	} else {
		add_share(e, row->values[FLAME_SLOW].self);
		add_share(e, row->values[FLAME_SLOW].total);
	}
	buf_add_text(&e->line, "  ");
	escape_terminal_buf(&e->line, name_shown(row->name));
	if (fn->file.len) {
		buf_add_text(&e->line, "   ");
		escape_terminal_buf(
			&e->line,
			source_path_shorten(fn->file, e->f->source_root));
	}
}

static void draw_head(struct explorer *e, const struct surface *s)
{
	static const struct look dim = { .is_dim = true };
	const struct scale *scale = &e->labels.words.scale;
	char measure[2 * UNIT_TEXT_BYTES];

	if (e->has_baseline) {
		scale_measure(e->in->result, measure);
		buf_addf(&e->line, "%9s%9s%9s   %9s  function   (%s%s%s)",
			 "total", "before", "change",
			 functions_have_self_lib(e->f, e->zoom) ? "self+lib"
								: "self",
			 measure, *scale->unit ? ", " : "", scale->unit);
	} else {
		buf_addf(&e->line, "%9s%9s  function", "self", "total");
	}
	explorer_put(e, s, 1, 0, s->columns, &dim);
}

void table_draw(struct explorer *e, const struct surface *s)
{
	const struct functions *t = &e->functions;

	if (!build(e))
		return;
	draw_head(e, s);
	for (uint32_t i = 0; i < page_rows(e); i++) {
		uint32_t row = t->top + i;
		struct look look = { .is_reverse = row == t->selected };

		if (row < t->count) {
			look.is_bold =
				e->search.is_active &&
				e->search.is_match[t->rows[row].function];
			add_row(e, &t->rows[row]);
		}
		explorer_put(e, s, 2 + i, 0, s->columns, &look);
	}
}
