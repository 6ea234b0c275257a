/* SPDX-License-Identifier: Apache-2.0
 *
 * Flame graph tab: movement and frames.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/str.h"
#include "model/flame.h"
#include "render/flame.h"
#include "tui/explorer.h"

#define COLOR_SELECTED 0x005fd7u
#define COLOR_FOUND 0xc026d3u
/* Color of other frames of the selected function. */
#define COLOR_SAME 0x5f7f9fu

/* ---- movement ---- */

static uint32_t depth_of(const struct explorer *e, uint32_t node)
{
	return e->f->nodes[node].depth;
}

static bool is_shown(const struct explorer *e, uint32_t node)
{
	const struct flame_view view = explorer_view(e);

	return flame_view_shows(&view, node);
}

/* Scrolls until the selected frame is visible. */
static void graph_scroll(struct explorer *e)
{
	uint32_t depth = depth_of(e, e->selected);
	uint32_t rows = explorer_body_rows(e);

	if (depth < e->top)
		e->top = depth;
	if (depth >= e->top + rows)
		e->top = depth - rows + 1;
	e->is_grid_old = true;
}

static void select_node(struct explorer *e, uint32_t node)
{
	e->selected = node;
	/* Other tabs have their own selection, which zooming does not
	 * change. */
	if (e->tab == TAB_FLAME)
		e->function = e->f->nodes[node].function;
	graph_scroll(e);
}

/* Keeps some rows above the frame, so that callees at the edge are visible. */
void graph_zoom(struct explorer *e, uint32_t node)
{
	uint32_t depth = depth_of(e, node);
	uint32_t rows = explorer_body_rows(e);

	e->zoom = node;
	e->functions.is_old = true;
	if (e->top > depth || depth + rows / 3 > e->top + rows)
		e->top = depth > rows / 3 ? depth - rows / 3 : 0;
	select_node(e, is_shown(e, e->selected) ? e->selected : node);
}

void graph_settle(struct explorer *e)
{
	while (e->zoom && !(explorer_places(e)->widths[e->zoom] > 0))
		e->zoom = e->f->nodes[e->zoom].parent;
	while (e->selected && !is_shown(e, e->selected))
		e->selected = e->f->nodes[e->selected].parent;
	graph_scroll(e);
}

/* Callers of the zoomed node fill the width, too. */
static bool is_caller(const struct explorer *e, uint32_t node)
{
	return node < e->zoom && e->f->nodes[node].end > e->zoom;
}

static uint32_t widest_child(const struct explorer *e, uint32_t node)
{
	const struct flame_node *nodes = e->f->nodes;
	const double *widths = explorer_places(e)->widths;
	uint32_t widest = FLAME_NONE;

	for (uint32_t i = node + 1; i < nodes[node].end; i = nodes[i].end)
		if (is_shown(e, i) &&
		    (widest == FLAME_NONE || widths[i] > widths[widest]))
			widest = i;
	return widest;
}

/* Moves towards the zoomed node, else to the widest child. */
static void go_down(struct explorer *e)
{
	uint32_t child = e->zoom;

	if (is_caller(e, e->selected))
		while (e->f->nodes[child].parent != e->selected)
			child = e->f->nodes[child].parent;
	else
		child = widest_child(e, e->selected);
	if (child != FLAME_NONE)
		select_node(e, child);
}

static void go_up(struct explorer *e)
{
	if (e->selected)
		select_node(e, e->f->nodes[e->selected].parent);
}

/* Moves to the next drawn frame of the same depth. */
static void go_aside(struct explorer *e, bool is_right)
{
	uint32_t depth = depth_of(e, e->selected);
	uint32_t end = e->f->nodes[e->zoom].end;
	uint32_t i = e->selected;

	if (is_caller(e, i))
		return;
	while (is_right ? ++i < end : i-- > e->zoom)
		if (depth_of(e, i) == depth && is_shown(e, i)) {
			select_node(e, i);
			return;
		}
}

/* Moves to the next match after the selected frame, within the zoomed node, and
 * wraps around. */
static void graph_next(struct explorer *e, bool is_forward)
{
	uint32_t first = e->zoom, end = e->f->nodes[e->zoom].end;
	uint32_t i = e->selected < first ? first : e->selected;

	for (uint32_t left = end - first; left; left--) {
		if (is_forward)
			i = i + 1 < end ? i + 1 : first;
		else
			i = i > first ? i - 1 : end - 1;
		if (search_finds(&e->search, i) && is_shown(e, i)) {
			select_node(e, i);
			return;
		}
	}
	explorer_not_found(e);
}

/* Returns the widest frame of a function within a node, FLAME_NONE if none. */
static uint32_t widest_of(const struct explorer *e, uint32_t node,
			  uint32_t function)
{
	const double *widths = explorer_places(e)->widths;
	uint32_t widest = FLAME_NONE;

	for (uint32_t i = node; i < e->f->nodes[node].end; i++)
		if (e->f->nodes[i].function == function && widths[i] > 0 &&
		    (widest == FLAME_NONE || widths[i] > widths[widest]))
			widest = i;
	return widest;
}

/* Selects the widest frame of a function, zooming out if there is none. */
static void graph_show(struct explorer *e, uint32_t function)
{
	uint32_t widest = widest_of(e, e->zoom, function);

	if (widest == FLAME_NONE) {
		widest = widest_of(e, 0, function);
		if (widest == FLAME_NONE) {
			e->message = "not on this side: b shows the others";
			return;
		}
		graph_zoom(e, 0);
	}
	select_node(e, widest);
	if (!is_shown(e, widest))
		graph_zoom(e, widest);
}

/* Selects what was selected in another tab, unless it is already. */
void graph_enter(struct explorer *e)
{
	graph_settle(e);
	if (e->f->nodes[e->selected].function != e->function)
		graph_show(e, e->function);
}

static bool graph_build(struct explorer *e)
{
	const struct flame_view view = explorer_view(e);

	if (!e->is_grid_old)
		return true;
	flame_grid_release(&e->grid);
	e->has_failed |= !flame_grid_init(&e->grid, &view);
	e->is_grid_old = e->has_failed;
	return !e->has_failed;
}

/* Converts between rows of the grid and of the body, which are reversed for a
 * flame (root at the bottom). */
static uint32_t turn_row(const struct explorer *e, uint32_t row)
{
	return e->in->picture.has_root_below ? explorer_body_rows(e) - 1 - row
					     : row;
}

/* A second click zooms in. */
static void graph_click(struct explorer *e, uint32_t row, uint32_t column)
{
	if (row < EXPLORER_BODY_TOP ||
	    row - EXPLORER_BODY_TOP >= explorer_body_rows(e) || !graph_build(e))
		return;
	row = turn_row(e, row - EXPLORER_BODY_TOP);
	if (row >= e->grid.row_count)
		return;
	for (size_t i = e->grid.row_starts[row];
	     i < e->grid.row_starts[row + 1]; i++) {
		const struct flame_bar *bar = &e->grid.bars[i];

		if (bar->count > 1 || column < bar->column ||
		    column - bar->column >= bar->columns)
			continue;
		if (bar->node == e->selected)
			graph_zoom(e, bar->node);
		else
			select_node(e, bar->node);
		return;
	}
}

static void on_character(struct explorer *e, uint32_t c)
{
	if (c == 'n' || c == 'N')
		graph_next(e, c == 'n');
	else if (c == 'z' || c == '+' || c == ' ')
		graph_zoom(e, e->selected);
	else if (c == 'u' || c == '-')
		graph_zoom(e, e->zoom ? e->f->nodes[e->zoom].parent : 0);
}

/* In a flame, up is towards the callees. */
static enum tui_key turn_key(const struct explorer *e, enum tui_key key)
{
	static const enum tui_key turned[][2] = {
		{ TUI_UP, TUI_DOWN },
		{ TUI_WHEEL_UP, TUI_WHEEL_DOWN },
		{ TUI_PAGE_UP, TUI_PAGE_DOWN },
	};

	for (size_t i = 0; e->in->picture.has_root_below &&
			   i < sizeof turned / sizeof *turned;
	     i++)
		for (int up = 0; up < 2; up++)
			if (key == turned[i][up])
				return turned[i][!up];
	return key;
}

void graph_event(struct explorer *e, const struct tui_event *event)
{
	enum tui_key key = turn_key(e, event->key);
	uint32_t child;

	switch (key) {
	case TUI_UP:
	case TUI_WHEEL_UP:
		go_up(e);
		break;
	case TUI_DOWN:
	case TUI_WHEEL_DOWN:
		go_down(e);
		break;
	case TUI_LEFT:
	case TUI_RIGHT:
		go_aside(e, key == TUI_RIGHT);
		break;
	case TUI_PAGE_UP:
	case TUI_PAGE_DOWN:
		for (uint32_t i = explorer_body_rows(e); i > 1; i--)
			if (key == TUI_PAGE_DOWN)
				go_down(e);
			else
				go_up(e);
		break;
	case TUI_HOME:
		select_node(e, 0);
		break;
	case TUI_END:
		if (is_caller(e, e->selected))
			e->selected = e->zoom;
		while ((child = widest_child(e, e->selected)) != FLAME_NONE)
			e->selected = child;
		select_node(e, e->selected);
		break;
	case TUI_ENTER:
		graph_zoom(e, e->selected);
		break;
	case TUI_CLICK:
		graph_click(e, event->row, event->column);
		break;
	case TUI_CHARACTER:
		on_character(e, event->character);
		break;
	default:
		break;
	}
}

/* ---- frames ---- */

static struct look look_of(const struct explorer *e, const struct surface *s,
			   const struct flame_bar *bar)
{
	uint32_t node = bar->node;
	bool is_found = search_finds(&e->search, node);
	bool is_same = node && e->f->nodes[node].function == e->function;
	struct look look = { .is_filled = true,
			     .fill = flame_color(e->f, explorer_palette(e),
						 node) };

	look.is_bold = e->has_baseline &&
		       e->f->functions[e->f->nodes[node].function].is_to_blame;
	if (is_same)
		look.fill = COLOR_SAME;
	if (is_found)
		look.fill = COLOR_FOUND;
	if (node == e->selected)
		look.fill = COLOR_SELECTED;
	look.is_light = is_same || is_found || node == e->selected;
	if (!s->has_color) {
		look.is_filled = false;
		look.is_reverse = node == e->selected;
		look.is_bold = is_found || is_same;
	}
	return look;
}

/* Without color, edges replace the background. */
static void add_frame(struct explorer *e, const struct surface *s,
		      const struct flame_bar *bar)
{
	size_t edges = s->has_color ? 1 : 2;
	size_t room = bar->columns > edges ? bar->columns - edges : 0;
	const char *fill = s->has_color ? "" : "=";
	struct str label = flame_label(&e->labels, explorer_flame_side(e),
				       bar->node, room);

	if (s->has_color)
		buf_add_text(&e->line, s->use_unicode ? "▏" : "|");
	else
		buf_add_text(&e->line, bar->columns > 1 ? "[" : "|");
	buf_add_str(&e->line, label);
	if (e->side == EXPLORER_BOTH && flame_is_gone(&e->f->nodes[bar->node]))
		fill = s->use_unicode ? "╱" : "/";
	for (size_t i = text_width(label); *fill && i < room; i++)
		buf_add_text(&e->line, fill);
	if (!s->has_color && bar->columns > 1)
		buf_add_char(&e->line, ']');
}

static void draw_bar(struct explorer *e, const struct surface *s, uint32_t row,
		     const struct flame_bar *bar)
{
	static const struct look narrow = { .is_dim = true };
	struct look look;

	if (bar->count > 1) {
		for (uint32_t i = 0; i < bar->columns; i++)
			buf_add_text(&e->line, s->use_unicode ? "·" : ":");
		explorer_put(e, s, row, bar->column, bar->columns, &narrow);
		return;
	}
	look = look_of(e, s, bar);
	add_frame(e, s, bar);
	explorer_put(e, s, row, bar->column, bar->columns, &look);
}

static void draw_row(struct explorer *e, const struct surface *s, uint32_t row)
{
	static const struct look plain = { 0 };
	const struct flame_grid *g = &e->grid;
	uint32_t column = 0, at = turn_row(e, row);
	size_t i = at < g->row_count ? g->row_starts[at] : 0;
	size_t end = at < g->row_count ? g->row_starts[at + 1] : 0;

	for (; i < end; i++) {
		const struct flame_bar *bar = &g->bars[i];

		surface_text(s, row + EXPLORER_BODY_TOP, column,
			     bar->column - column, STR(""), &plain);
		draw_bar(e, s, row + EXPLORER_BODY_TOP, bar);
		column = bar->column + bar->columns;
	}
	surface_text(s, row + EXPLORER_BODY_TOP, column, s->columns - column,
		     STR(""), &plain);
}

void graph_draw(struct explorer *e, const struct surface *s)
{
	if (!graph_build(e))
		return;
	for (uint32_t row = 0; row < explorer_body_rows(e); row++)
		draw_row(e, s, row);
	e->has_failed |= !flame_labeler_is_good(&e->labels);
}
