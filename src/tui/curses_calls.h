/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions of ncurses used by screen.c (base/library.h). Linking it would add
 * a sixth to the duration of the smallest runs.
 */
#ifndef TUI_CURSES_CALLS_H
#define TUI_CURSES_CALLS_H

#include <ncurses.h>

#include "base/library.h"

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

/* LIBNCURSES is the version that matches the header. */
LIBRARY_CALLS(CURSES_CALLS, LIBNCURSES)

#undef wattr_set
#define COLORS LIBRARY_CALL(COLORS)
#define COLOR_PAIRS LIBRARY_CALL(COLOR_PAIRS)
#define curscr LIBRARY_CALL(curscr)
#define stdscr LIBRARY_CALL(stdscr)
#define cbreak LIBRARY_CALL(cbreak)
#define clearok LIBRARY_CALL(clearok)
#define curs_set LIBRARY_CALL(curs_set)
#define define_key LIBRARY_CALL(define_key)
#define delscreen LIBRARY_CALL(delscreen)
#define endwin LIBRARY_CALL(endwin)
#define getmouse LIBRARY_CALL(getmouse)
#define has_colors LIBRARY_CALL(has_colors)
#define init_extended_pair LIBRARY_CALL(init_extended_pair)
#define intrflush LIBRARY_CALL(intrflush)
#define keypad LIBRARY_CALL(keypad)
#define mouseinterval LIBRARY_CALL(mouseinterval)
#define mousemask LIBRARY_CALL(mousemask)
#define newterm LIBRARY_CALL(newterm)
#define nodelay LIBRARY_CALL(nodelay)
#define noecho LIBRARY_CALL(noecho)
#define nonl LIBRARY_CALL(nonl)
#define reset_prog_mode LIBRARY_CALL(reset_prog_mode)
#define resizeterm LIBRARY_CALL(resizeterm)
#define set_escdelay LIBRARY_CALL(set_escdelay)
#define start_color LIBRARY_CALL(start_color)
#define use_default_colors LIBRARY_CALL(use_default_colors)
#define use_env LIBRARY_CALL(use_env)
#define use_tioctl LIBRARY_CALL(use_tioctl)
#define waddch LIBRARY_CALL(waddch)
#define waddnstr LIBRARY_CALL(waddnstr)
#define wattr_set LIBRARY_CALL(wattr_set)
#define werase LIBRARY_CALL(werase)
#define wget_wch LIBRARY_CALL(wget_wch)
#define wmove LIBRARY_CALL(wmove)
#define wrefresh LIBRARY_CALL(wrefresh)

#endif
