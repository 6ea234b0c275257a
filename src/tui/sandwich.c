/* SPDX-License-Identifier: Apache-2.0
 *
 * The explorer's view of one function: who calls it, above it, and what it
 * calls, below, before and after.
 */
#include "base/escape.h"
#include "render/flame_text.h"
#include "render/page.h"
#include "tui/explorer.h"

/* One line of the body is the head. */
static uint32_t page_rows(const struct explorer *e)
{
	uint32_t rows = explorer_body_rows(e);

	return rows > 1 ? rows - 1 : 1;
}

static void select_row(struct explorer *e, uint32_t row)
{
	list_select(&e->calls_list, row, e->calls.count, page_rows(e));
	if (e->calls.count)
		e->function = e->calls.rows[e->calls_list.selected].function;
}

/* The function becomes the one in the middle. */
static bool build(struct explorer *e, uint32_t function)
{
	if (e->calls_of == function && e->calls.rows)
		return true;
	e->has_failed |= !callers_build(&e->calls, e->f, function);
	e->calls_of = function;
	e->calls_list = (struct list){ 0 };
	if (e->has_failed)
		return false;
	/* With some callers above it in sight. */
	if (e->calls.place > page_rows(e) / 2)
		e->calls_list.top = e->calls.place - page_rows(e) / 2;
	select_row(e, e->calls.place);
	return true;
}

void sandwich_enter(struct explorer *e)
{
	(void)build(e, e->function);
}

static uint32_t selected_function(const struct explorer *e)
{
	return e->calls.count ? e->calls.rows[e->calls_list.selected].function
			      : e->function;
}

static void click(struct explorer *e, uint32_t row)
{
	uint32_t first = EXPLORER_BODY_TOP + 1;

	if (row < first || row - first >= page_rows(e) ||
	    e->calls_list.top + row - first >= e->calls.count)
		return;
	row += e->calls_list.top - first;
	if (row == e->calls_list.selected)
		(void)build(e, selected_function(e));
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
		(void)build(e, selected_function(e));
	} else if (event->key == TUI_CLICK) {
		click(e, event->row);
	} else if (event->key == TUI_CHARACTER) {
		if (event->character == 'n' || event->character == 'N')
			find_next(e, event->character == 'n');
	} else {
		list_move(&e->calls_list, event->key, e->calls.count,
			  page_rows(e));
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
			 "total", "before", "change", measure,
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
		    page_rows(e));
	draw_head(e, s);
	for (uint32_t i = 0; i < page_rows(e); i++) {
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
