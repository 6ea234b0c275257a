/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/explorer.h"

#include <string.h>

#include "render/flame_colors.h"
#include "render/flame_head.h"

static bool write_title(struct explorer *e)
{
	/* Nothing of it depends on the terminal. */
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

static bool place_frames(struct explorer *e)
{
	if (!flame_union_init(&e->places[EXPLORER_BOTH], e->f))
		return false;
	return !e->has_baseline ||
	       (flame_union_init_side(&e->places[EXPLORER_AFTER], e->f,
				      FLAME_SLOW) &&
		flame_union_init_side(&e->places[EXPLORER_BEFORE], e->f,
				      FLAME_BASELINE));
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
	return search_init(&e->search, e->f) && place_frames(e) &&
	       write_title(e);
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

/* ---- what is seen ---- */

/* A frame has four lines with a baseline, three without. */
uint32_t explorer_detail_rows(const struct explorer *e)
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

/* Without what changed, by kind unless asked for otherwise. */
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

/* In the order of their words for --palette. */
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

/* ---- views ---- */

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

bool explorer_has_tab(const struct explorer *e, enum explorer_tab tab)
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

static void go_next(struct explorer *e)
{
	enum explorer_tab tab = e->tab;

	do
		tab = (enum explorer_tab)((tab + 1) % TABS);
	while (!explorer_has_tab(e, tab));
	explorer_go(e, tab);
}

void explorer_not_found(struct explorer *e)
{
	e->message = e->search.is_active ? e->tab == TAB_FLAME
						   ? "no such frame is in sight"
						   : "nothing here matches"
					 : "nothing was searched for: /";
}

/* To the next that matches, unless what is selected does. */
static void find_typed(struct explorer *e)
{
	const struct tui_event next = { .key = TUI_CHARACTER,
					.character = 'n' };

	if (!e->search.is_active ||
	    (e->tab != TAB_TRACE && e->search.is_match[e->function]))
		return;
	views[e->tab].event(e, &next);
}

static void escape(struct explorer *e)
{
	if (e->search.is_active)
		search_clear(&e->search);
	else if (e->zoom)
		graph_zoom(e, e->f->nodes[e->zoom].parent);
}

static void type(struct explorer *e, const struct tui_event *event)
{
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
		find_typed(e);
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
	switch (event->key) {
	case TUI_CHARACTER:
		return on_common_character(e, event->character);
	case TUI_TAB:
		go_next(e);
		return true;
	case TUI_ESCAPE:
		escape(e);
		return true;
	case TUI_BACKSPACE:
		if (e->zoom)
			graph_zoom(e, e->f->nodes[e->zoom].parent);
		return true;
	default:
		return false;
	}
}

/* The letters that vi moves with are arrows. */
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

static void click_name(struct explorer *e, uint32_t column)
{
	enum explorer_tab tab = explorer_tab_at(e, column);

	if (tab != TABS)
		explorer_go(e, tab);
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
		type(e, event);
		return;
	}
	if (!e->has_report && on_common(e, event))
		return;
	moved = as_arrow(*event);
	if (e->has_report)
		report_event(e, &moved);
	else if (event->key == TUI_CLICK && event->row == 1)
		click_name(e, event->column);
	else
		views[e->tab].event(e, &moved);
}
