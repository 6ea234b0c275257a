/* SPDX-License-Identifier: Apache-2.0
 *
 * The explorer of a flame graph: what keys do and what is then to be seen. A
 * state that events change and that draws itself on a surface; knows no
 * terminal.
 */
#ifndef TUI_EXPLORER_H
#define TUI_EXPLORER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "model/flame.h"
#include "render/flame.h"
#include "render/input.h"

/* A function between those that call it and those that it calls, with what each
 * of these calls took on both sides. */

enum callers_role { CALLERS_CALLER = 0, CALLERS_THIS, CALLERS_CALLEE };

struct callers_row {
	enum callers_role role;
	uint32_t function;
	/* Of the calls between the two, each stack once: callers add up to the
	 * function. Of the function itself all that it took. */
	int64_t values[FLAME_SIDES];
	double larger; /* of both sides, as they compare */
};

struct callers {
	struct callers_row *rows; /* callers, the function, callees; the largest
				     first of each */
	uint32_t count;
	uint32_t place; /* of the function */
};

void callers_release(struct callers *c);

/* The input of a person: a key, or the mouse. Knows no terminal. */

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

/* Rows of which one is selected and some are seen, for the explorer's views
 * that are lists. */

struct list {
	uint32_t selected; /* row */
	uint32_t top;      /* the first that is seen */
};

/* Selects a row, or the last of `count`, and scrolls as far as it takes to see
 * it among `page` rows, 1 and more. */
void list_select(struct list *l, uint32_t row, uint32_t count, uint32_t page);

/* Moves a list by arrows, pages, ends and the wheel. */
void list_move(struct list *l, enum tui_key key, uint32_t count, uint32_t page);

/* The functions beneath a node of a flame graph with what they took, sorted. */

enum functions_order {
	FUNCTIONS_ANSWER = 0, /* as its rows, what it has not by its change */
	FUNCTIONS_SELF,
	FUNCTIONS_TOTAL,
	FUNCTIONS_CHANGE, /* without a baseline left out */
	FUNCTIONS_NAME,
	FUNCTIONS_ORDERS,
};

/* A function with recursion counted once. */
struct function_sum {
	uint32_t function;
	struct str name;
	struct flame_values values[FLAME_SIDES];
	int64_t own[FLAME_SIDES]; /* self, or with the libraries it calls */
	uint32_t place;           /* among the answer's rows, when by these */
	double key;               /* what is sorted by, the largest first */
};

struct functions {
	struct function_sum *rows;
	uint32_t count;
	enum functions_order order;
	bool is_reversed;
	struct list list;
	bool is_old; /* functions_build() is due */
};

/* Returns whether rows beneath the node tell self+lib, as tables that compare
 * do: it is known of whole functions. */
bool functions_have_self_lib(const struct flame *f, uint32_t node);

void functions_release(struct functions *t);

/* Which functions a pattern that is being typed finds, and how much of the
 * width they cover. */

/* Longer than anybody types. */
#define SEARCH_BYTES 200u

struct search {
	const struct flame *f;
	char text[SEARCH_BYTES + 1];
	size_t len;
	bool *is_match;   /* by function */
	struct regex *re; /* NULL: none, or none that is one */
	bool is_active;
	bool is_late; /* a name took too long: what follows was not looked at */
};

/* False when memory ran out. */
bool search_init(struct search *s, const struct flame *f) MUST_CHECK;
void search_release(struct search *s);

void search_clear(struct search *s);

/* Add or take away a character, and look again. A character that is a control
 * or does not fit is left out. */
void search_add(struct search *s, uint32_t character);
void search_drop(struct search *s);

bool search_finds(const struct search *s, uint32_t node);

/* Returns whether the pattern is in one of two texts that are no functions; the
 * first that takes too long ends the search. */
bool search_finds_text(struct search *s, struct str a, struct str b);

/* The part of a node's values of a side that frames found have, each stack
 * once; 0..1. */
double search_share(const struct search *s, enum flame_side side,
		    uint32_t node);

/* The surface that the explorer draws on: a screen of cells, whatever shows
 * them. Knows no terminal, so that tests read what was drawn. */

/* How a text looks. All zero: as the terminal writes. */
struct look {
	bool is_filled; /* on `fill`, else on the terminal's own ground */
	uint32_t fill;  /* 0xrrggbb */
	bool is_light;  /* the text on the fill is white, not black */
	bool is_bold;
	bool is_dim;
	bool is_reverse;
};

struct surface {
	uint32_t rows;
	uint32_t columns;
	bool has_color; /* else fills are not seen */
	bool use_unicode;
	/* Text that is escaped and within the screen. */
	void (*put)(void *context, uint32_t row, uint32_t column,
		    struct str text, const struct look *look);
	void *context;
};

/* Writes at most `columns` of an escaped text, blanks behind it up to there;
 * nothing outside of the screen. */
void surface_text(const struct surface *s, uint32_t row, uint32_t column,
		  uint32_t columns, struct str text, const struct look *look);

/* The body begins below the title and the names of the views. */
#define EXPLORER_BODY_TOP 2u

/* The views, in the order of their keys, from 1 on. */
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

const struct flame_union *explorer_places(const struct explorer *e);
enum flame_side explorer_flame_side(const struct explorer *e);
struct flame_view explorer_view(const struct explorer *e);
enum palette explorer_palette(const struct explorer *e);

/* Another view, with what is selected there, too; a message when there is
 * nothing to show. */
void explorer_go(struct explorer *e, enum explorer_tab tab);
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
/* After a change of side or size: to what has a width, into sight. */
void graph_settle(struct explorer *e);

/* Cells of a row: values as the table of the command has them, the name of a
 * function and its place. */
void table_add_compared(struct explorer *e, uint32_t function,
			const int64_t values[FLAME_SIDES]);
void table_add_share(struct explorer *e, int64_t value);
void table_add_function(struct explorer *e, uint32_t function);

/* Puts the text of ours and others' that is in e->line; then empties it. */
void explorer_put(struct explorer *e, const struct surface *s, uint32_t row,
		  uint32_t column, uint32_t columns, const struct look *look);

#endif
