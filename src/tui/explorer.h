/* SPDX-License-Identifier: Apache-2.0
 *
 * The explorer of a flame graph: what keys do and what is then to be seen. A
 * state that events change and that draws itself on a surface; knows no
 * terminal.
 */
#ifndef TUI_EXPLORER_H
#define TUI_EXPLORER_H

#include "base/buf.h"
#include "render/flame_grid.h"
#include "render/flame_label.h"
#include "render/input.h"
#include "tui/functions.h"
#include "tui/search.h"
#include "tui/surface.h"

/* Smaller screens say only that they are. */
#define EXPLORER_COLUMNS_MIN 20u
#define EXPLORER_ROWS_MIN 6u

enum tui_key {
	TUI_NONE = 0,
	TUI_CHARACTER,
	TUI_UP,
	TUI_DOWN,
	TUI_LEFT,
	TUI_RIGHT,
	TUI_PAGE_UP,
	TUI_PAGE_DOWN,
	TUI_HOME,
	TUI_END,
	TUI_ENTER,
	TUI_ESCAPE,
	TUI_BACKSPACE,
	TUI_TAB,
	TUI_CLICK,
	TUI_WHEEL_UP,
	TUI_WHEEL_DOWN,
};

struct tui_event {
	enum tui_key key;
	uint32_t character; /* code point of TUI_CHARACTER */
	uint32_t row;       /* of TUI_CLICK */
	uint32_t column;
};

/* Which side gives the widths, and what colours tell. */
enum explorer_side {
	EXPLORER_BOTH = 0, /* the larger one, what changed */
	EXPLORER_AFTER,    /* alone */
	EXPLORER_BEFORE,   /* alone */
	EXPLORER_SIDES,
};

struct explorer {
	const struct flame *f;
	const struct render_input *in;
	enum palette palette; /* asked for */
	struct flame_union places[EXPLORER_SIDES];
	struct flame_labeler labels;
	struct search search;
	struct functions functions;
	struct flame_grid grid;
	struct buf line;  /* of the screen, being put together */
	struct buf title; /* escaped */
	uint32_t rows;    /* of the screen */
	uint32_t columns;
	bool has_baseline;
	enum explorer_side side;
	bool is_table;
	bool has_help;
	bool has_report; /* the table of the command, over all else */
	struct buf report;
	uint32_t report_columns; /* that it was written for, 0: not yet */
	uint32_t report_top;     /* line */
	bool is_typing;          /* a pattern */
	uint32_t zoom;           /* node that fills the width */
	uint32_t selected;
	uint32_t top; /* depth of the first row */
	const char *message;
	bool is_grid_old;
	bool is_done;    /* quit */
	bool has_failed; /* memory ran out */
};

/* Borrows the input. False when memory ran out; explorer_release() in any
 * case. */
bool explorer_init(struct explorer *e, const struct render_input *in,
		   uint32_t rows, uint32_t columns) MUST_CHECK;
void explorer_release(struct explorer *e);

void explorer_resize(struct explorer *e, uint32_t rows, uint32_t columns);
void explorer_event(struct explorer *e, const struct tui_event *event);

/* Draws the whole screen. */
void explorer_draw(struct explorer *e, const struct surface *s);

/* ---- what its files share ---- */

/* Rows between the title and the details of the selected frame, and of those
 * and what is below them. */
uint32_t explorer_body_rows(const struct explorer *e);
uint32_t explorer_detail_rows(const struct explorer *e);

const struct flame_union *explorer_places(const struct explorer *e);
enum flame_side explorer_flame_side(const struct explorer *e);
struct flame_view explorer_view(const struct explorer *e);
enum palette explorer_palette(const struct explorer *e);

/* Moves in the graph. */
void graph_event(struct explorer *e, const struct tui_event *event);
void graph_zoom(struct explorer *e, uint32_t node);
/* The widest frame of a function, zoomed to where it is none. */
void graph_show(struct explorer *e, uint32_t function);
/* The next frame found, from the selected one on. */
void graph_next(struct explorer *e, bool is_forward);
/* After a change of side or size: to what has a width, into sight. */
void graph_settle(struct explorer *e);
void graph_draw(struct explorer *e, const struct surface *s);

/* The answer that the command gives without the explorer. */
void report_event(struct explorer *e, const struct tui_event *event);
void report_draw(struct explorer *e, const struct surface *s);

void table_event(struct explorer *e, const struct tui_event *event);
void table_draw(struct explorer *e, const struct surface *s);

/* What of a text of ours and others' there is in e->line; then empties it. */
void explorer_put(struct explorer *e, const struct surface *s, uint32_t row,
		  uint32_t column, uint32_t columns, const struct look *look);

#endif
