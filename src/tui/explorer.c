/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/explorer.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/num.h"
#include "base/str.h"
#include "model/flame.h"
#include "model/source_path.h"
#include "render/flame.h"
#include "render/input.h"
#include "render/page.h"
#include "render/render.h"
#include "render/units.h"

/* Drawing surface, see explorer.h. */

void surface_text(const struct surface *s, uint32_t row, uint32_t column,
		  uint32_t columns, struct str text, const struct look *look)
{
	static const struct str blanks = { "                                ",
					   32 };

	if (row >= s->rows || column >= s->columns)
		return;
	columns = (uint32_t)min_size(columns, s->columns - column);
	text = str_slice(text, 0, text_fit(text, columns));
	if (text.len)
		s->put(s->context, row, column, text, look);
	for (uint32_t at = (uint32_t)text_width(text), part; at < columns;
	     at += part) {
		part = (uint32_t)min_size(columns - at, blanks.len);
		s->put(s->context, row, column + at, str_slice(blanks, 0, part),
		       look);
	}
}

/* Renders the command's table. */

static void write_report(struct explorer *e)
{
	const struct render_format *table = render_find(STR("table"));
	struct render_input in = *e->in;
	struct out out;

	if (e->report_columns == e->columns)
		return;
	buf_clear(&e->report);
	out_init_memory(&out, &e->report);
	in.style.width = e->columns;
	in.style.use_color = false;
	table->render(&in, &out);
	out_release(&out);
	e->has_failed |= e->report.state != BUF_OK;
	e->report_columns = e->columns;
}

static void scroll_to(struct explorer *e, uint32_t line)
{
	uint32_t count = 0, page = e->rows - 1;

	for (size_t i = 0; i < e->report.len; i++)
		count += e->report.data[i] == '\n';

	e->report_top =
		(uint32_t)min_size(line, count > page ? count - page : 0);
}

/* Handles input while the command's table is shown. */
static void report_event(struct explorer *e, const struct tui_event *event)
{
	uint32_t top = e->report_top, page = e->rows > 2 ? e->rows - 2 : 1;

	if (event->key == TUI_UP || event->key == TUI_WHEEL_UP)
		scroll_to(e, top ? top - 1 : 0);
	else if (event->key == TUI_DOWN || event->key == TUI_WHEEL_DOWN)
		scroll_to(e, top + 1);
	else if (event->key == TUI_PAGE_UP)
		scroll_to(e, top > page ? top - page : 0);
	else if (event->key == TUI_PAGE_DOWN)
		scroll_to(e, top + page);
	else if (event->key == TUI_HOME || event->key == TUI_END)
		scroll_to(e, event->key == TUI_END ? UINT32_MAX : 0);
	else if (event->key != TUI_CLICK)
		e->has_report = false;
}

static void report_draw(struct explorer *e, const struct surface *s)
{
	static const struct look plain = { 0 }, dim = { .is_dim = true };
	struct str rest;

	write_report(e);
	scroll_to(e, e->report_top);
	rest = buf_str(&e->report);
	for (uint32_t i = 0; rest.len && i < e->report_top; i++)
		str_take_line(&rest);
	for (uint32_t row = 0; row + 1 < s->rows; row++)
		surface_text(s, row, 0, s->columns,
			     rest.len ? str_take_line(&rest) : STR(""), &plain);
	surface_text(s, s->rows - 1, 0, s->columns,
		     STR("arrows scroll, Esc goes back"), &dim);
}

static bool write_title(struct explorer *e)
{
	/* Independent of the terminal. */
	static const struct render_style style = { .use_unicode = true };
	struct out out;
	struct page page;

	out_init_memory(&out, &e->title);
	page_begin(&page, &style, &out);
	flame_head_write(&page, FLAME_HEAD_TITLE, e->f, e->in->result);
	page_flush(&page, PAINT_NONE, "", 0);
	page_end(&page);
	out_release(&out);
	while (e->title.len && e->title.data[e->title.len - 1] == '\n')
		e->title.len--;
	return e->title.state == BUF_OK;
}

bool explorer_init(struct explorer *e, const struct render_input *in,
		   uint32_t rows, uint32_t columns)
{
	*e = (struct explorer){ .f = in->flame,
				.in = in,
				.palette = in->picture.palette,
				.rows = rows,
				.columns = columns,
				.has_baseline = in->flame->has_baseline,
				.tab = TAB_FLAME,
				.is_grid_old = true };
	buf_init(&e->line, LIMIT_PAGE_TEXT_BYTES);
	buf_init(&e->name, LIMIT_PAGE_TEXT_BYTES);
	buf_init(&e->report, LIMIT_PAGE_TEXT_BYTES);
	buf_init(&e->title, LIMIT_PAGE_TEXT_BYTES);
	flame_labeler_init(&e->labels, e->f, in->result, in->style.use_unicode);
	e->functions.is_old = true;
	if (!search_init(&e->search, e->f) ||
	    !flame_union_init(&e->places[EXPLORER_BOTH], e->f))
		return false;
	if (e->has_baseline &&
	    (!flame_union_init_side(&e->places[EXPLORER_AFTER], e->f,
				    FLAME_SLOW) ||
	     !flame_union_init_side(&e->places[EXPLORER_BEFORE], e->f,
				    FLAME_BASELINE)))
		return false;
	return write_title(e);
}

void explorer_release(struct explorer *e)
{
	search_release(&e->search);
	functions_release(&e->functions);
	callers_release(&e->calls);
	flame_grid_release(&e->grid);
	for (int side = 0; side < EXPLORER_SIDES; side++)
		flame_union_release(&e->places[side]);
	(void)flame_labeler_release(&e->labels);
	buf_release(&e->line);
	buf_release(&e->name);
	buf_release(&e->report);
	buf_release(&e->title);
}

/* ---- layout ---- */

/* Details of a frame have four lines with a baseline, three without. */
static uint32_t explorer_detail_rows(const struct explorer *e)
{
	uint32_t wanted = e->has_baseline ? 4 : 3;

	if (e->rows >= 16)
		return wanted;
	return e->rows >= 10 ? 2 : 1;
}

uint32_t explorer_body_rows(const struct explorer *e)
{
	uint32_t others = EXPLORER_BODY_TOP + 1 + explorer_detail_rows(e);

	return e->rows > others ? e->rows - others : 1;
}

uint32_t explorer_page_rows(const struct explorer *e)
{
	uint32_t rows = explorer_body_rows(e);

	return rows > 1 ? rows - 1 : 1;
}

const struct flame_union *explorer_places(const struct explorer *e)
{
	return &e->places[e->side];
}

enum flame_side explorer_flame_side(const struct explorer *e)
{
	return e->side == EXPLORER_BEFORE ? FLAME_BASELINE : FLAME_SLOW;
}

struct flame_view explorer_view(const struct explorer *e)
{
	return (struct flame_view){ .f = e->f,
				    .places = explorer_places(e),
				    .node = e->zoom,
				    .columns = e->columns,
				    .top = e->top,
				    .rows = explorer_body_rows(e) };
}

/* Without a baseline, by kind unless requested otherwise. */
enum palette explorer_palette(const struct explorer *e)
{
	enum palette palette = flame_palette(e->f, e->palette);

	return e->side != EXPLORER_BOTH && palette == PALETTE_DIFF
		       ? PALETTE_KIND
		       : palette;
}

void explorer_resize(struct explorer *e, uint32_t rows, uint32_t columns)
{
	e->rows = rows;
	e->columns = columns;
	graph_settle(e);
}

/* ---- keys ---- */

static void toggle_side(struct explorer *e)
{
	if (!e->has_baseline) {
		e->message = "there is no baseline to compare with";
		return;
	}
	e->side = (enum explorer_side)((e->side + 1) % EXPLORER_SIDES);
	e->functions.is_old = true;
	graph_settle(e);
}

/* In the order of --palette. */
static void toggle_palette(struct explorer *e)
{
	static const char *const words[] = {
		[PALETTE_HOT] = "colours: warm, by name",
		[PALETTE_JAVA] = "colours: by language",
		[PALETTE_KIND] = "colours: by kind of code",
		[PALETTE_DIFF] = "colours: what changed",
	};
	enum palette next = flame_palette(e->f, e->palette);

	do
		next = next == PALETTE_DIFF ? PALETTE_HOT
					    : (enum palette)(next + 1);
	while (flame_palette(e->f, next) != next);
	e->palette = next;
	e->message = words[next];
}

/* ---- tabs ---- */

static const struct view {
	bool (*is_there)(const struct explorer *e); /* NULL: always */
	const char *missing;
	void (*enter)(struct explorer *e);
	void (*event)(struct explorer *e, const struct tui_event *event);
} views[TABS] = {
	[TAB_TRACE] = { trace_is_there, "there is no trace in this answer",
			trace_enter, trace_event },
	[TAB_FLAME] = { NULL, NULL, graph_enter, graph_event },
	[TAB_FUNCTIONS] = { NULL, NULL, table_enter, table_event },
	[TAB_SANDWICH] = { NULL, NULL, sandwich_enter, sandwich_event },
	[TAB_HISTORY] = { history_is_there,
			  "no other requests of this operation were seen",
			  history_enter, history_event },
};

static bool explorer_has_tab(const struct explorer *e, enum explorer_tab tab)
{
	return !views[tab].is_there || views[tab].is_there(e);
}

void explorer_go(struct explorer *e, enum explorer_tab tab)
{
	if (!explorer_has_tab(e, tab)) {
		e->message = views[tab].missing;
		return;
	}
	e->tab = tab;
	views[tab].enter(e);
}

void explorer_not_found(struct explorer *e)
{
	e->message = e->search.is_active ? e->tab == TAB_FLAME
						   ? "no matching frame in view"
						   : "no match"
					 : "no search yet: press /";
}

static void text_type(struct explorer *e, const struct tui_event *event)
{
	const struct tui_event next = { .key = TUI_CHARACTER,
					.character = 'n' };
	switch (event->key) {
	case TUI_CHARACTER:
		search_add(&e->search, event->character);
		break;
	case TUI_BACKSPACE:
		if (e->search.len)
			search_drop(&e->search);
		else
			e->is_typing = false;
		break;
	case TUI_ENTER:
		e->is_typing = false;
		/* To the next match, unless the selection matches. */
		if (e->search.is_active &&
		    (e->tab == TAB_TRACE || !e->search.is_match[e->function]))
			views[e->tab].event(e, &next);
		break;
	case TUI_ESCAPE:
		e->is_typing = false;
		search_clear(&e->search);
		break;
	default:
		break;
	}
}

static bool on_common_character(struct explorer *e, uint32_t c)
{
	if (c >= '1' && c < '1' + TABS) {
		explorer_go(e, (enum explorer_tab)(c - '1'));
		return true;
	}
	switch (c) {
	case 'q':
		e->is_done = true;
		return true;
	case '?':
		e->has_help = true;
		return true;
	case '/':
		search_clear(&e->search);
		e->is_typing = true;
		return true;
	case 'v':
		e->has_report = true;
		e->report_top = 0;
		return true;
	case 't':
		explorer_go(e, e->tab == TAB_FUNCTIONS ? TAB_FLAME
						       : TAB_FUNCTIONS);
		return true;
	case 'w':
		explorer_go(e, TAB_SANDWICH);
		return true;
	case 'b':
		toggle_side(e);
		return true;
	case 'c':
		toggle_palette(e);
		return true;
	case '0':
		graph_zoom(e, 0);
		return true;
	default:
		return false;
	}
}

static bool on_common(struct explorer *e, const struct tui_event *event)
{
	enum explorer_tab tab = e->tab;
	switch (event->key) {
	case TUI_CHARACTER:
		return on_common_character(e, event->character);
	case TUI_TAB:
		do
			tab = (enum explorer_tab)((tab + 1) % TABS);
		while (!explorer_has_tab(e, tab));
		explorer_go(e, tab);
		return true;
	case TUI_ESCAPE:
		if (e->search.is_active)
			search_clear(&e->search);
		else if (e->zoom)
			graph_zoom(e, e->f->nodes[e->zoom].parent);
		return true;
	case TUI_BACKSPACE:
		if (e->zoom)
			graph_zoom(e, e->f->nodes[e->zoom].parent);
		return true;
	default:
		return false;
	}
}

/* Maps vi's movement keys to arrow keys. */
static struct tui_event as_arrow(struct tui_event event)
{
	static const struct {
		char letter;
		enum tui_key key;
	} arrows[] = {
		{ 'h', TUI_LEFT },  { 'j', TUI_DOWN }, { 'k', TUI_UP },
		{ 'l', TUI_RIGHT }, { 'g', TUI_HOME }, { 'G', TUI_END }
	};

	for (size_t i = 0;
	     event.key == TUI_CHARACTER && i < sizeof arrows / sizeof *arrows;
	     i++)
		if (event.character == (uint32_t)arrows[i].letter)
			event.key = arrows[i].key;
	return event;
}

void explorer_event(struct explorer *e, const struct tui_event *event)
{
	struct tui_event moved;

	if (event->key == TUI_NONE)
		return;
	e->message = NULL;
	if (e->has_help) {
		e->has_help = false;
		return;
	}
	if (e->is_typing) {
		text_type(e, event);
		return;
	}
	if (!e->has_report && on_common(e, event))
		return;
	moved = as_arrow(*event);
	if (e->has_report) {
		report_event(e, &moved);
	} else if (event->key == TUI_CLICK && event->row == 1) {
		enum explorer_tab tab = explorer_tab_at(e, event->column);

		if (tab != TABS)
			explorer_go(e, tab);
	} else {
		views[e->tab].event(e, &moved);
	}
}

static const struct look plain_look = { 0 };
static const struct look title_look = { .is_reverse = true, .is_bold = true };
static const struct look bold = { .is_bold = true };
static const struct look dim_look = { .is_dim = true };

void explorer_put(struct explorer *e, const struct surface *s, uint32_t row,
		  uint32_t column, uint32_t columns, const struct look *look)
{
	surface_text(s, row, column, columns, buf_str(&e->line), look);
	e->has_failed |= e->line.state != BUF_OK;
	buf_clear(&e->line);
}

/* ---- the title ---- */

/* Appends the view's settings: "by change, both, what changed". */
static void add_mode(struct explorer *e)
{
	static const char *const sides[] = {
		[EXPLORER_BOTH] = "both sides",
		[EXPLORER_AFTER] = "comparison only",
		[EXPLORER_BEFORE] = "baseline only",
	};
	static const char *const orders[] = {
		[FUNCTIONS_ANSWER] = "by rank",
		[FUNCTIONS_SELF] = "by self",
		[FUNCTIONS_TOTAL] = "by total",
		[FUNCTIONS_CHANGE] = "by change",
		[FUNCTIONS_NAME] = "by name",
	};
	if (e->tab == TAB_FUNCTIONS)
		buf_addf(&e->line, "%s%s",
			 e->functions.order == FUNCTIONS_SELF &&
					 functions_have_self_lib(e->f, e->zoom)
				 ? "by self+lib"
				 : orders[e->functions.order],
			 e->functions.is_reversed ? ", reversed" : "");
	else if (e->tab == TAB_FLAME && e->has_baseline)
		buf_add_text(&e->line, sides[e->side]);
	else if (e->tab == TAB_HISTORY)
		history_add_operation(e);
}

/* ---- tab names ---- */

static const char *const names[TABS] = {
	[TAB_TRACE] = "trace",         [TAB_FLAME] = "flame",
	[TAB_FUNCTIONS] = "functions", [TAB_SANDWICH] = "sandwich",
	[TAB_HISTORY] = "history",
};

/* Width of "1 trace", or of "1" if there is not enough room. */
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
			     &plain_look);
		column = s->columns - width;
	} else {
		surface_text(s, 1, column, 2, STR(""), &plain_look);
		column += 2;
	}
	explorer_put(e, s, 1, column,
		     s->columns > column ? s->columns - column : 0,
		     &plain_look);
}

/* ---- selection ---- */

/* Returns a node for a table row, with the values of the function. */
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

/* Removes the divisor, which is also in the heading of functions, if there is
 * not enough room. */
static void line_drop_per(struct explorer *e)
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

/* Appends a line of details, from 0, the most important first; false if there
 * is none. */
static bool add_detail(struct explorer *e, uint32_t line)
{
	const struct flame_node n = selected_node(e);
	const struct flame_words *words = &e->labels.words;
	bool is_table = e->tab == TAB_FUNCTIONS;
	bool is_sandwich = e->tab == TAB_SANDWICH;
	struct out out;

	if (e->tab == TAB_TRACE)
		return trace_add_detail(e, line);
	if (e->tab == TAB_HISTORY)
		return history_add_detail(e, line);
	out_init_memory(&out, &e->line);
	if (line == 0)
		add_name(e, &n);
	else if (line == 1 && is_table && (!e->has_baseline || e->zoom))
		/* Rows of the table have no path: their values within the
		 * zoomed node. */
		flame_path_write(&out, words, &n,
				 e->zoom ? "within the zoom " : "total ");
	else if (line == 1 && !is_table && !is_sandwich)
		flame_path_write(&out, words, &n, NULL);
	else if (line == 2 && n.parent != FLAME_NONE)
		flame_function_write(&out, words, &n);
	else if (line > 2 && e->has_baseline && !is_sandwich)
		flame_self_write(&out, words, &n, is_table ? "self " : NULL);
	out_release(&out);
	line_drop_per(e);
	return e->line.len > 0;
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
		add_share(e, ", baseline ",
			  search_share(search, FLAME_BASELINE, e->zoom));
	if (search->is_late)
		buf_add_text(&e->line, " (stopped after its time limit)");
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
	if (e->is_typing || e->search.len) {
		struct str text = { e->search.text, e->search.len };

		/* The end of a long pattern. */
		buf_add_char(&e->line, '/');
		while (text_width(text) > s->columns / 3)
			text = str_slice(text, text_fit(text, 2), text.len);
		escape_terminal_buf(&e->line, text);
		if (e->is_typing)
			buf_add_char(&e->line, '_');
	}
	add_found(e);
	if (e->zoom)
		add_share(e, "  zoomed to ",
			  flame_share(e->f, side,
				      (double)zoom->values[side].total));
	if (e->tab == TAB_FLAME && e->grid.hidden_rows)
		buf_addf(&e->line, "  %" PRIu32 " row%s deeper",
			 e->grid.hidden_rows,
			 e->grid.hidden_rows == 1 ? "" : "s");
	explorer_put(e, s, s->rows - 1, 0, s->columns, &plain_look);
	if (width + 24 < s->columns)
		surface_text(s, s->rows - 1, s->columns - width, width,
			     str_from(hint), &dim_look);
}

/* ---- help ---- */

static const char *const help_lines[] = {
	"1 to 5, Tab       views: trace, flame, functions, sandwich, history;",
	"                  what is selected in one is selected in the others",
	"arrows, h j k l   to the frame beside, above, below; to a row",
	"PgUp PgDn g G     by a screen, to the root, to the deepest",
	"Enter, click      zoom into the frame; on a function: show its frame;",
	"                  in the sandwich: put it in the middle",
	"Backspace         zoom out by a frame;  0: all the way",
	"Esc               end the search, else zoom out",
	"/  n  N           search by regular expression, next, previous",
	"t  w              functions and back; callers and callees (sandwich)",
	"s  r              in functions: sort by the next column, reversed",
	"b  c              both sides, comparison, baseline; next colours",
	"v                 the answer in words; arrows scroll, Esc leaves",
	"q, Ctrl-C         quit",
	"",
	"+ grew or new, - shrank or gone, ! the function to blame",
	"/// gone in the comparison;  ... several narrow frames",
};

/* Draws the legend of colors in a line. */
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
			     &plain_look);
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
			     &plain_look);
	draw_legend(e, s, count + 2);
}

static void (*const drawers[TABS])(struct explorer *e,
				   const struct surface *s) = {
	[TAB_TRACE] = trace_draw,     [TAB_FLAME] = graph_draw,
	[TAB_FUNCTIONS] = table_draw, [TAB_SANDWICH] = sandwich_draw,
	[TAB_HISTORY] = history_draw,
};

#define EXPLORER_ROWS_MIN 6u

/* On smaller screens only a message is shown. */
#define EXPLORER_COLUMNS_MIN 20u

void explorer_draw(struct explorer *e, const struct surface *s)
{
	uint32_t row, end;

	if (s->rows < EXPLORER_ROWS_MIN || s->columns < EXPLORER_COLUMNS_MIN) {
		for (row = 0; row < s->rows; row++)
			surface_text(s, row, 0, s->columns,
				     row ? STR("") : STR("too small"),
				     &plain_look);
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
	surface_text(s, 0, 0, s->columns, buf_str(&e->title), &title_look);
	draw_names(e, s);
	/* As many details as there are lines. */
	row = EXPLORER_BODY_TOP + explorer_body_rows(e);
	end = row + explorer_detail_rows(e);
	for (uint32_t i = 0; i < 4 && row < end; i++)
		if (add_detail(e, i))
			explorer_put(e, s, row++, 0, s->columns,
				     i ? &plain_look : &bold);
	while (row < end)
		explorer_put(e, s, row++, 0, s->columns, &plain_look);
	draw_status(e, s);
}

/* Scrollable list, see explorer.h. */

void list_select(struct list *l, uint32_t row, uint32_t count, uint32_t page)
{
	l->selected = count ? (uint32_t)min_size(row, count - 1) : 0;
	if (l->selected < l->top)
		l->top = l->selected;
	if (l->selected >= l->top + page)
		l->top = l->selected - page + 1;
}

void list_move(struct list *l, enum tui_key key, uint32_t count, uint32_t page)
{
	uint32_t row = l->selected;

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
		row = count;
	list_select(l, row, count, page);
}
