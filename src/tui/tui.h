/* SPDX-License-Identifier: Apache-2.0
 *
 * The explorer on a terminal, full screen. Not there when the program was
 * built without ncurses.
 */
#ifndef TUI_TUI_H
#define TUI_TUI_H

#include "base/error.h"
#include "render/input.h"

/* Loads ncurses. ERROR_INTERNAL. */
bool tui_prepare(struct error *err) MUST_CHECK;

/* Before any work: whether standard input and output are a terminal that can
 * move its cursor. ERROR_USAGE. */
bool tui_check(struct error *err) MUST_CHECK;

/* Until the user quits; needs result, flame, style and picture of the input.
 * The terminal is as it was in any case, also when a signal ends the program,
 * which is then raised again for the handler that was there before. */
bool tui_run(const struct render_input *in, struct error *err) MUST_CHECK;

/* Returns whether the terminal on standard output, named by TERM, is known and
 * moves its cursor. ERROR_USAGE. */
bool terminfo_check(struct error *err) MUST_CHECK;

#endif
