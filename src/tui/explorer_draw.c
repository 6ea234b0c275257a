/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "base/escape.h"
#include "model/source_path.h"
#include "render/flame_colors.h"
#include "render/flame_text.h"
#include "render/kind_words.h"
#include "render/page.h"
#include "render/units.h"
#include "tui/explorer.h"

static const struct look plain = { 0 };
static const struct look title_look = { .is_reverse = true, .is_bold = true };
static const struct look bold = { .is_bold = true };
static const struct look dim = { .is_dim = true };

static void clear_line(struct explorer *e)
{
	e->has_failed |= e->line.state != BUF_OK;
	buf_clear(&e->line);
}

void explorer_put(struct explorer *e, const struct surface *s, uint32_t row,
		  uint32_t column, uint32_t columns, const struct look *look)
{
	surface_text(s, row, column, columns, buf_str(&e->line), look);
	clear_line(e);
}

/* ---- the title ---- */

static const char *side_words(const struct explorer *e)
{
	static const char *const words[] = {
		[EXPLORER_BOTH] = "both, what changed",
		[EXPLORER_AFTER] = "after alone",
		[EXPLORER_BEFORE] = "before alone",
	};

	return e->has_baseline ? words[e->side] : "";
}

/* How it is looked at: "by change, both, what changed". */
static void add_mode(struct explorer *e)
{
	static const char *const orders[] = {
		[FUNCTIONS_SELF] = "by self",
		[FUNCTIONS_TOTAL] = "by total",
		[FUNCTIONS_CHANGE] = "by change",
		[FUNCTIONS_NAME] = "by name",
	};
	const char *side = side_words(e);

	if (e->tab == TAB_FUNCTIONS)
		buf_addf(&e->line, "%s%s%s", orders[e->functions.order],
			 e->functions.order == FUNCTIONS_SELF &&
					 functions_have_self_lib(e->f, e->zoom)
				 ? "+lib"
				 : "",
			 e->functions.is_reversed ? ", reversed" : "");
	else if (e->tab == TAB_FLAME)
		buf_add_text(&e->line, side);
	else if (e->tab == TAB_HISTORY)
		history_add_operation(e);
}

static void draw_title(struct explorer *e, const struct surface *s)
{
	surface_text(s, 0, 0, s->columns, buf_str(&e->title), &title_look);
}

/* ---- the names of the views ---- */

static const char *const names[TABS] = {
	[TAB_TRACE] = "trace",         [TAB_FLAME] = "flame",
	[TAB_FUNCTIONS] = "functions", [TAB_SANDWICH] = "sandwich",
	[TAB_HISTORY] = "history",
};

/* "1 trace", or where there is no room for all of that "1". */
static size_t name_width(const struct explorer *e, enum explorer_tab tab)
{
	size_t all = 0;

	for (int i = 0; i < TABS; i++)
		all += strlen(names[i]) + 4;
	return all <= e->columns || tab == e->tab ? strlen(names[tab]) + 4 : 3;
}

enum explorer_tab explorer_tab_at(const struct explorer *e, uint32_t column)
{
	size_t end = 0;

	for (int i = 0; i < TABS; i++) {
		end += name_width(e, (enum explorer_tab)i);
		if (column < end)
			return (enum explorer_tab)i;
	}
	return TABS;
}

static void draw_names(struct explorer *e, const struct surface *s)
{
	uint32_t column = 0, width;

	for (int i = 0; i < TABS; i++) {
		enum explorer_tab tab = (enum explorer_tab)i;
		const struct look look = {
			.is_reverse = tab == e->tab,
			.is_dim = !explorer_has_tab(e, tab),
		};

		width = (uint32_t)name_width(e, tab);
		buf_addf(&e->line, " %d", i + 1);
		if (width > 3)
			buf_addf(&e->line, " %s", names[i]);
		explorer_put(e, s, 1, column, width, &look);
		column += width;
	}
	add_mode(e);
	width = (uint32_t)text_width(buf_str(&e->line));
	if (column + width + 2 < s->columns) {
		surface_text(s, 1, column, s->columns - width - column, STR(""),
			     &plain);
		column = s->columns - width;
	} else {
		surface_text(s, 1, column, 2, STR(""), &plain);
		column += 2;
	}
	explorer_put(e, s, 1, column,
		     s->columns > column ? s->columns - column : 0, &plain);
}

/* ---- what is selected ---- */

/* Of a row of a list a node that is all of the function's. */
static struct flame_node selected_node(const struct explorer *e)
{
	const struct functions *t = &e->functions;
	struct flame_node n = e->f->nodes[e->selected];

	if (e->tab == TAB_FLAME)
		return n;
	n.function = e->function;
	n.parent = e->function ? 0 : FLAME_NONE;
	for (int side = 0; side < FLAME_SIDES; side++)
		if (e->tab == TAB_FUNCTIONS && t->list.selected < t->count)
			n.values[side] = t->rows[t->list.selected].values[side];
	return n;
}

static void add_name(struct explorer *e, const struct flame_node *n)
{
	const struct flame_function *fn = &e->f->functions[n->function];

	escape_terminal_buf(&e->line, name_shown(fn->name));
	if (fn->file.len) {
		buf_add_text(&e->line, "  ");
		escape_terminal_buf(
			&e->line,
			source_path_shorten(fn->file, e->f->source_root));
		if (fn->line)
			buf_addf(&e->line, ":%" PRIu32, fn->line);
	}
	if (n->parent != FLAME_NONE)
		buf_addf(&e->line, "  %s", code_kind_words(fn->kind));
}

static void add_function(struct explorer *e, const struct flame_node *n)
{
	struct out out;

	if (n->parent == FLAME_NONE)
		return;
	out_init_memory(&out, &e->line);
	flame_function_write(&out, &e->labels.words, n);
	out_release(&out);
}

/* Rows of the table have no path: what they take within what is zoomed to. */
static const char *path_label(const struct explorer *e)
{
	if (e->tab != TAB_FUNCTIONS)
		return NULL;
	return e->zoom ? "within the zoom " : "total ";
}

static void add_path(struct explorer *e, const struct flame_node *n)
{
	struct out out;

	/* As the whole function. */
	if (e->tab == TAB_SANDWICH ||
	    (e->tab == TAB_FUNCTIONS && e->has_baseline && !e->zoom))
		return;
	out_init_memory(&out, &e->line);
	flame_path_write(&out, &e->labels.words, n, path_label(e));
	out_release(&out);
}

static void add_self(struct explorer *e, const struct flame_node *n)
{
	struct out out;

	if (!e->has_baseline || e->tab == TAB_SANDWICH)
		return;
	out_init_memory(&out, &e->line);
	flame_self_write(&out, &e->labels.words, n);
	out_release(&out);
}

/* What values are divided by is also in the head of the functions: it gives way
 * where there is no room for all. */
static void drop_per(struct explorer *e)
{
	struct str per = str_from(scale_per(e->in->result));
	struct str line = buf_str(&e->line);
	size_t at = per.len ? str_find(line, per) : SIZE_MAX;

	if (text_width(line) <= e->columns || at >= line.len)
		return;
	memmove(e->line.data + at, line.ptr + at + per.len,
		line.len - at - per.len);
	e->line.len -= per.len;
}

/* A line, from 0 on, in the order of what matters; false: it says nothing. */
static bool add_detail(struct explorer *e, uint32_t line)
{
	const struct flame_node n = selected_node(e);

	if (e->tab == TAB_TRACE)
		return trace_add_detail(e, line);
	if (e->tab == TAB_HISTORY)
		return history_add_detail(e, line);
	if (line == 0)
		add_name(e, &n);
	else if (line == 1)
		add_path(e, &n);
	else if (line == 2)
		add_function(e, &n);
	else
		add_self(e, &n);
	drop_per(e);
	return e->line.len > 0;
}

/* As far as there are lines. */
static void draw_details(struct explorer *e, const struct surface *s)
{
	uint32_t row = EXPLORER_BODY_TOP + explorer_body_rows(e);
	uint32_t end = row + explorer_detail_rows(e);

	for (uint32_t i = 0; i < 4 && row < end; i++)
		if (add_detail(e, i))
			explorer_put(e, s, row++, 0, s->columns,
				     i ? &plain : &bold);
	while (row < end)
		explorer_put(e, s, row++, 0, s->columns, &plain);
}

/* ---- the last line ---- */

static void add_share(struct explorer *e, const char *label, double share)
{
	char text[UNIT_TEXT_BYTES];

	format_share(share, text);
	buf_addf(&e->line, "%s%s", label, text);
}

static void add_found(struct explorer *e)
{
	const struct search *search = &e->search;

	if (!search->is_active)
		return;
	add_share(e, "  matched ", search_share(search, FLAME_SLOW, e->zoom));
	if (e->has_baseline)
		add_share(e, ", before ",
			  search_share(search, FLAME_BASELINE, e->zoom));
	if (search->is_late)
		buf_add_text(&e->line, " (stopped: takes too long)");
}

/* The end of what was typed, where there is no room for all of it. */
static void add_pattern(struct explorer *e, uint32_t columns)
{
	struct str text = { e->search.text, e->search.len };

	buf_add_char(&e->line, '/');
	while (text_width(text) > columns)
		text = str_slice(text, text_fit(text, 2), text.len);
	escape_terminal_buf(&e->line, text);
	if (e->is_typing)
		buf_add_char(&e->line, '_');
}

static void draw_status(struct explorer *e, const struct surface *s)
{
	const struct flame_node *zoom = &e->f->nodes[e->zoom];
	enum flame_side side = explorer_flame_side(e);
	const char *hint =
		e->is_typing ? "Enter finds, Esc leaves " : "? help  q quit ";
	uint32_t width = (uint32_t)text_width(str_from(hint));

	if (e->message)
		buf_addf(&e->line, "%s  ", e->message);
	if (e->is_typing || e->search.len)
		add_pattern(e, s->columns / 3);
	add_found(e);
	if (e->zoom)
		add_share(e, "  zoomed to ",
			  flame_share(e->f, side,
				      (double)zoom->values[side].total));
	if (e->tab == TAB_FLAME && e->grid.hidden_rows)
		buf_addf(&e->line, "  %" PRIu32 " row%s deeper",
			 e->grid.hidden_rows,
			 e->grid.hidden_rows == 1 ? "" : "s");
	explorer_put(e, s, s->rows - 1, 0, s->columns, &plain);
	if (width + 24 < s->columns)
		surface_text(s, s->rows - 1, s->columns - width, width,
			     str_from(hint), &dim);
}

/* ---- help ---- */

static const char *const help_lines[] = {
	"1 to 5, Tab       views: trace, flame, functions, sandwich, history;",
	"                  what is selected in one is selected in the others",
	"arrows, h j k l   to the frame beside, above, below; to a row",
	"PgUp PgDn g G     by a screen, to the root, to the deepest",
	"Enter, click      zoom into the frame; of a function: show its frame;",
	"                  in the sandwich: put it in the middle",
	"Backspace         zoom out by a frame;  0: all the way",
	"Esc               end the search, else zoom out",
	"/  n  N           search by regular expression, next, previous",
	"t  w              functions and back; callers and callees (sandwich)",
	"s  r              of functions: sort by the next column, reversed",
	"b  c              both sides, after, before alone; other colours",
	"v                 the answer in words; arrows scroll, Esc leaves",
	"q, Ctrl-C         quit",
	"",
	"+ grew or new, - shrank or gone, ! the function to blame",
	"/// not there after;  ... narrow frames side by side",
};

/* What the colours mean, beside each other. */
static void draw_legend(struct explorer *e, const struct surface *s,
			uint32_t row)
{
	struct flame_meaning m;
	uint32_t column = 0;
	size_t at = 0;

	while (s->has_color &&
	       flame_meaning_next(explorer_palette(e), UINT64_MAX, &at, &m)) {
		const struct look look = { .is_filled = true, .fill = m.color };
		uint32_t width = (uint32_t)text_width(str_from(m.text));

		if (column && column + 4 + width > s->columns) {
			column = 0;
			row++;
		}
		surface_text(s, row, column, 2, STR(""), &look);
		surface_text(s, row, column + 3, width, str_from(m.text),
			     &plain);
		column += width + 5;
	}
}

static void draw_help(struct explorer *e, const struct surface *s)
{
	uint32_t count = sizeof help_lines / sizeof *help_lines;

	surface_text(s, 0, 0, s->columns, STR("Keys; any of them goes back"),
		     &title_look);
	for (uint32_t row = 1; row < s->rows; row++)
		surface_text(s, row, 0, s->columns,
			     row <= count ? str_from(help_lines[row - 1])
					  : STR(""),
			     &plain);
	draw_legend(e, s, count + 2);
}

static void draw_too_small(const struct surface *s)
{
	for (uint32_t row = 0; row < s->rows; row++)
		surface_text(s, row, 0, s->columns,
			     row ? STR("") : STR("too small"), &plain);
}

static void (*const drawers[TABS])(struct explorer *e,
				   const struct surface *s) = {
	[TAB_TRACE] = trace_draw,     [TAB_FLAME] = graph_draw,
	[TAB_FUNCTIONS] = table_draw, [TAB_SANDWICH] = sandwich_draw,
	[TAB_HISTORY] = history_draw,
};

void explorer_draw(struct explorer *e, const struct surface *s)
{
	if (s->rows < EXPLORER_ROWS_MIN || s->columns < EXPLORER_COLUMNS_MIN) {
		draw_too_small(s);
		return;
	}
	if (e->has_help) {
		draw_help(e, s);
		return;
	}
	if (e->has_report) {
		report_draw(e, s);
		return;
	}
	drawers[e->tab](e, s);
	draw_title(e, s);
	draw_names(e, s);
	draw_details(e, s);
	draw_status(e, s);
}
