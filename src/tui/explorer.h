/* SPDX-License-Identifier: Apache-2.0
 *
 * Flame graph explorer, independent of the terminal: a state that events change
 * and that draws itself on a surface.
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

/* A function between its callers and callees, with the value of each call on
 * both sides. */

enum callers_role { CALLERS_CALLER = 0, CALLERS_THIS, CALLERS_CALLEE };

struct callers_row {
	enum callers_role role;
	uint32_t function;
	/* Value of the calls between the two, each stack once: callers add up
	 * to the function. For the function itself, its total. */
	int64_t values[FLAME_SIDES];
	double larger; /* of both sides, scaled for comparison */
};

struct callers {
	/* Callers, the function, callees; each sorted by value, largest
	 * first. */
	struct callers_row *rows;
	uint32_t count;
	uint32_t place; /* index of the function */
};

void callers_release(struct callers *c);

/* User input: a key, or the mouse. Independent of the terminal. */

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
	uint32_t character; /* code point for TUI_CHARACTER */
	uint32_t row;       /* for TUI_CLICK */
	uint32_t column;
};

/* Scrollable list with a selected row, for explorer views. */

struct list {
	uint32_t selected; /* row */
	uint32_t top;      /* first visible row */
};

/* Selects a row, at most the last of `count`, and scrolls to keep it visible
 * among `page` rows (at least 1). */
void list_select(struct list *l, uint32_t row, uint32_t count, uint32_t page);

/* Moves the selection by arrow keys, page keys, home, end and the wheel. */
void list_move(struct list *l, enum tui_key key, uint32_t count, uint32_t page);

/* Functions below a node of a flame graph with their values, sorted. */

enum functions_order {
	FUNCTIONS_ANSWER = 0, /* as in the answer, others by change */
	FUNCTIONS_SELF,
	FUNCTIONS_TOTAL,
	FUNCTIONS_CHANGE, /* skipped without a baseline */
	FUNCTIONS_NAME,
	FUNCTIONS_ORDERS,
};

/* Values of a function, with recursion counted once. */
struct function_sum {
	uint32_t function;
	struct str name;
	struct flame_values values[FLAME_SIDES];
	int64_t own[FLAME_SIDES]; /* self, or self+lib */
	/* Index among the answer's rows, if sorted by them. */
	uint32_t place;
	double key; /* sort key, descending */
};

struct functions {
	struct function_sum *rows;
	uint32_t count;
	enum functions_order order;
	bool is_reversed;
	struct list list;
	bool is_old; /* needs functions_build() */
};

/* Returns whether rows below the node show self+lib, as comparison tables do:
 * it is only known for complete functions. */
bool functions_have_self_lib(const struct flame *f, uint32_t node);

void functions_release(struct functions *t);

/* Incremental search: which functions match the pattern typed, and their share
 * of the width. */

/* Longer than anyone types. */
#define SEARCH_BYTES 200u

struct search {
	const struct flame *f;
	char text[SEARCH_BYTES + 1];
	size_t len;
	bool *is_match;   /* by function */
	struct regex *re; /* NULL: empty or invalid pattern */
	bool is_active;
	bool is_late; /* timed out on a name: later names were not matched */
};

/* Returns false when out of memory. */
bool search_init(struct search *s, const struct flame *f) MUST_CHECK;
void search_release(struct search *s);

void search_clear(struct search *s);

/* Append or remove a character and search again. Control characters and those
 * that do not fit are ignored. */
void search_add(struct search *s, uint32_t character);
void search_drop(struct search *s);

bool search_finds(const struct search *s, uint32_t node);

/* Returns whether the pattern matches one of two texts that are not functions;
 * the first one that takes too long ends the search. */
bool search_finds_text(struct search *s, struct str a, struct str b);

/* Returns the share of matching frames in a node's value on a side, each stack
 * counted once; 0..1. */
double search_share(const struct search *s, enum flame_side side,
		    uint32_t node);

/* Drawing surface of the explorer: a screen of character cells. Independent of
 * the terminal, so that tests can read it. */

/* Text attributes. All zero: terminal defaults. */
struct look {
	bool is_filled; /* background `fill`, else the terminal's */
	uint32_t fill;  /* 0xrrggbb */
	bool is_light;  /* white text on the fill, not black */
	bool is_bold;
	bool is_dim;
	bool is_reverse;
};

struct surface {
	uint32_t rows;
	uint32_t columns;
	bool has_color; /* else fills are invisible */
	bool use_unicode;
	/* Draws escaped text that is within the screen. */
	void (*put)(void *context, uint32_t row, uint32_t column,
		    struct str text, const struct look *look);
	void *context;
};

/* Writes at most `columns` of an escaped text, padded with spaces; clipped to
 * the screen. */
void surface_text(const struct surface *s, uint32_t row, uint32_t column,
		  uint32_t columns, struct str text, const struct look *look);

/* First row of the body, below the title and tabs. */
#define EXPLORER_BODY_TOP 2u

/* Tabs, selected by the keys from 1 on. */
enum explorer_tab {
	TAB_TRACE = 0,
	TAB_FLAME,
	TAB_FUNCTIONS,
	TAB_SANDWICH,
	TAB_HISTORY,
	TABS,
};

/* Which side determines widths and colors. */
enum explorer_side {
	EXPLORER_BOTH = 0, /* the larger one; colors show changes */
	EXPLORER_AFTER,    /* candidate only */
	EXPLORER_BEFORE,   /* baseline only */
	EXPLORER_SIDES,
};

struct explorer {
	const struct flame *f;
	const struct render_input *in;
	enum palette palette; /* as requested */
	struct flame_union places[EXPLORER_SIDES];
	struct flame_labeler labels;
	struct search search;
	struct functions functions;
	struct flame_grid grid;
	struct buf line;  /* of the screen, under construction */
	struct buf name;  /* a part of it */
	struct buf title; /* escaped */
	uint32_t rows;    /* of the screen */
	uint32_t columns;
	bool has_baseline;
	enum explorer_side side;
	enum explorer_tab tab;
	uint32_t function; /* selected in all views; the root's: none */
	struct callers calls;
	uint32_t calls_of; /* the function whose calls are shown */
	struct list calls_list;
	struct list spans; /* rows of the waterfall */
	bool was_trace_seen;
	struct list requests; /* rows of the history */
	bool was_history_seen;
	bool has_help;
	bool has_report; /* the command's table is shown over everything else */
	struct buf report;
	uint32_t report_columns; /* width it was rendered for, 0: not yet */
	uint32_t report_top;     /* first line */
	bool is_typing;          /* editing the search pattern */
	uint32_t zoom;           /* node that fills the width */
	uint32_t selected;
	uint32_t top; /* depth of the first row */
	const char *message;
	bool is_grid_old;
	bool is_done;    /* user has quit */
	bool has_failed; /* out of memory */
};

/* The input is borrowed. Returns false when out of memory; call
 * explorer_release() in any case. */
bool explorer_init(struct explorer *e, const struct render_input *in,
		   uint32_t rows, uint32_t columns) MUST_CHECK;
void explorer_release(struct explorer *e);

void explorer_resize(struct explorer *e, uint32_t rows, uint32_t columns);
void explorer_event(struct explorer *e, const struct tui_event *event);

/* Draws the whole screen. */
void explorer_draw(struct explorer *e, const struct surface *s);

/* ---- shared by its files ---- */

/* Return the number of rows between the title and the details of the selected
 * frame; including those and what is below. */
uint32_t explorer_body_rows(const struct explorer *e);

/* Returns the rows of a list in the body, below its head: at least one. */
uint32_t explorer_page_rows(const struct explorer *e);

const struct flame_union *explorer_places(const struct explorer *e);
enum flame_side explorer_flame_side(const struct explorer *e);
struct flame_view explorer_view(const struct explorer *e);
enum palette explorer_palette(const struct explorer *e);

/* Switches to another tab, keeping the selection; shows a message if it is
 * empty. */
void explorer_go(struct explorer *e, enum explorer_tab tab);
/* Returns the tab whose name is at a column of the second row, TABS if none. */
enum explorer_tab explorer_tab_at(const struct explorer *e, uint32_t column);
/* Shows the message that nothing was found. */
void explorer_not_found(struct explorer *e);

/* For each tab: select on entering, handle input, draw. */
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
/* Appends "cart  GET /cart" to e->line. */
void history_add_operation(struct explorer *e);
void history_enter(struct explorer *e);
void history_event(struct explorer *e, const struct tui_event *event);
void history_draw(struct explorer *e, const struct surface *s);

/* Append a line (from 0) of details on the selected row; false if there is
 * none. */
bool trace_add_detail(struct explorer *e, uint32_t line);
bool history_add_detail(struct explorer *e, uint32_t line);

void graph_zoom(struct explorer *e, uint32_t node);
/* After a change of side or size: selects a frame that has a width and scrolls
 * to it. */
void graph_settle(struct explorer *e);

/* Table cells: values as in the command's table, name and location of a
 * function. */
void table_add_compared(struct explorer *e, uint32_t function,
			const int64_t values[FLAME_SIDES]);
void table_add_share(struct explorer *e, int64_t value);
void table_add_function(struct explorer *e, uint32_t function);

/* Draws e->line, which may contain foreign text, and empties it. */
void explorer_put(struct explorer *e, const struct surface *s, uint32_t row,
		  uint32_t column, uint32_t columns, const struct look *look);

#endif
