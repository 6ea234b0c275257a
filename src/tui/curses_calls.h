/* SPDX-License-Identifier: Apache-2.0
 *
 * What tui/ needs of ncurses under its own names, for a program that is not
 * linked with it: few runs draw on the whole terminal, and loading it is a
 * sixth of what all others would wait for before they begin.
 */
#ifndef TUI_CURSES_CALLS_H
#define TUI_CURSES_CALLS_H

#include <ncurses.h>

#include "base/library.h"

#ifdef LAZY_LIBRARIES

#define CURSES_CALLS(X)                                                        \
	X(COLORS)                                                              \
	X(COLOR_PAIRS)                                                         \
	X(curscr)                                                              \
	X(stdscr)                                                              \
	X(cbreak)                                                              \
	X(clearok)                                                             \
	X(curs_set)                                                            \
	X(define_key)                                                          \
	X(delscreen)                                                           \
	X(endwin)                                                              \
	X(getmouse)                                                            \
	X(has_colors)                                                          \
	X(init_extended_pair)                                                  \
	X(intrflush)                                                           \
	X(keypad)                                                              \
	X(mouseinterval)                                                       \
	X(mousemask)                                                           \
	X(newterm)                                                             \
	X(nodelay)                                                             \
	X(noecho)                                                              \
	X(nonl)                                                                \
	X(reset_prog_mode)                                                     \
	X(resizeterm)                                                          \
	X(set_escdelay)                                                        \
	X(start_color)                                                         \
	X(use_default_colors)                                                  \
	X(use_env)                                                             \
	X(use_tioctl)                                                          \
	X(waddch)                                                              \
	X(waddnstr)                                                            \
	X(wattr_set)                                                           \
	X(werase)                                                              \
	X(wget_wch)                                                            \
	X(wmove)                                                               \
	X(wrefresh)

extern struct curses_calls {
	CURSES_CALLS(LIBRARY_MEMBER)
} curses_calls;

/* Before any other call. Loads the library the first time. */
bool curses_calls_load(struct error *err) MUST_CHECK;

#undef wattr_set
#define COLORS (*curses_calls.COLORS_call)
#define COLOR_PAIRS (*curses_calls.COLOR_PAIRS_call)
#define curscr (*curses_calls.curscr_call)
#define stdscr (*curses_calls.stdscr_call)
#define cbreak (*curses_calls.cbreak_call)
#define clearok (*curses_calls.clearok_call)
#define curs_set (*curses_calls.curs_set_call)
#define define_key (*curses_calls.define_key_call)
#define delscreen (*curses_calls.delscreen_call)
#define endwin (*curses_calls.endwin_call)
#define getmouse (*curses_calls.getmouse_call)
#define has_colors (*curses_calls.has_colors_call)
#define init_extended_pair (*curses_calls.init_extended_pair_call)
#define intrflush (*curses_calls.intrflush_call)
#define keypad (*curses_calls.keypad_call)
#define mouseinterval (*curses_calls.mouseinterval_call)
#define mousemask (*curses_calls.mousemask_call)
#define newterm (*curses_calls.newterm_call)
#define nodelay (*curses_calls.nodelay_call)
#define noecho (*curses_calls.noecho_call)
#define nonl (*curses_calls.nonl_call)
#define reset_prog_mode (*curses_calls.reset_prog_mode_call)
#define resizeterm (*curses_calls.resizeterm_call)
#define set_escdelay (*curses_calls.set_escdelay_call)
#define start_color (*curses_calls.start_color_call)
#define use_default_colors (*curses_calls.use_default_colors_call)
#define use_env (*curses_calls.use_env_call)
#define use_tioctl (*curses_calls.use_tioctl_call)
#define waddch (*curses_calls.waddch_call)
#define waddnstr (*curses_calls.waddnstr_call)
#define wattr_set (*curses_calls.wattr_set_call)
#define werase (*curses_calls.werase_call)
#define wget_wch (*curses_calls.wget_wch_call)
#define wmove (*curses_calls.wmove_call)
#define wrefresh (*curses_calls.wrefresh_call)

#else

static inline bool curses_calls_load(struct error *err)
{
	(void)err;
	return true;
}

#endif

#endif
