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
#include "tui/callers.h"
#include "tui/event.h"
#include "tui/functions.h"
#include "tui/list.h"
#include "tui/search.h"
#include "tui/surface.h"

/* Smaller screens say only that they are. */
#define EXPLORER_COLUMNS_MIN 20u
#define EXPLORER_ROWS_MIN 6u

/* The body begins below the title and the names of the views. */
#define EXPLORER_BODY_TOP 2u

/* What is looked at, in the order of their keys, from 1 on. */
enum explorer_tab {
	TAB_TRACE = 0,
	TAB_FLAME,
	TAB_FUNCTIONS,
	TAB_SANDWICH,
	TAB_HISTORY,
	TABS,
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
	struct buf name;  /* a part of it */
	struct buf title; /* escaped */
	uint32_t rows;    /* of the screen */
	uint32_t columns;
	bool has_baseline;
	enum explorer_side side;
	enum explorer_tab tab;
	uint32_t function; /* selected, whatever the view; the root's: none */
	struct callers calls;
	uint32_t calls_of; /* the function in the middle */
	struct list calls_list;
	struct list spans; /* rows of the waterfall */
	bool was_trace_seen;
	struct list requests; /* rows of the history */
	bool was_history_seen;
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

/* Another view, with what is selected there, too; a message when there is
 * nothing to show. */
void explorer_go(struct explorer *e, enum explorer_tab tab);
bool explorer_has_tab(const struct explorer *e, enum explorer_tab tab);
/* The view whose name is in a column of the second row; TABS: none. */
enum explorer_tab explorer_tab_at(const struct explorer *e, uint32_t column);
/* Says that there is nothing of what was searched for. */
void explorer_not_found(struct explorer *e);

/* Each view: what it selects when it is shown, keys, rows. */
void graph_enter(struct explorer *e);
void graph_event(struct explorer *e, const struct tui_event *event);
void graph_draw(struct explorer *e, const struct surface *s);
void table_enter(struct explorer *e);
void table_event(struct explorer *e, const struct tui_event *event);
void table_draw(struct explorer *e, const struct surface *s);
void sandwich_enter(struct explorer *e);
void sandwich_event(struct explorer *e, const struct tui_event *event);
void sandwich_draw(struct explorer *e, const struct surface *s);
bool trace_is_there(const struct explorer *e);
void trace_enter(struct explorer *e);
void trace_event(struct explorer *e, const struct tui_event *event);
void trace_draw(struct explorer *e, const struct surface *s);
bool history_is_there(const struct explorer *e);
/* "cart  GET /cart", into e->line. */
void history_add_operation(struct explorer *e);
void history_enter(struct explorer *e);
void history_event(struct explorer *e, const struct tui_event *event);
void history_draw(struct explorer *e, const struct surface *s);

/* Adds a line, from 0 on, about the selected row; false: there is none. */
bool trace_add_detail(struct explorer *e, uint32_t line);
bool history_add_detail(struct explorer *e, uint32_t line);

void graph_zoom(struct explorer *e, uint32_t node);
/* The widest frame of a function, zoomed to where it is none. */
void graph_show(struct explorer *e, uint32_t function);
/* The next frame found, from the selected one on. */
void graph_next(struct explorer *e, bool is_forward);
/* After a change of side or size: to what has a width, into sight. */
void graph_settle(struct explorer *e);

/* The answer that the command gives without the explorer. */
void report_event(struct explorer *e, const struct tui_event *event);
void report_draw(struct explorer *e, const struct surface *s);

/* Cells of a row: values as the table of the command has them, the name of a
 * function and its place. */
void table_add_compared(struct explorer *e, uint32_t function,
			const int64_t values[FLAME_SIDES]);
void table_add_share(struct explorer *e, int64_t value);
void table_add_function(struct explorer *e, uint32_t function);

/* What of a text of ours and others' there is in e->line; then empties it. */
void explorer_put(struct explorer *e, const struct surface *s, uint32_t row,
		  uint32_t column, uint32_t columns, const struct look *look);

#endif
