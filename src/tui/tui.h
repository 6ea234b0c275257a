/* SPDX-License-Identifier: Apache-2.0
 *
 * The explorer as a full-screen terminal program. Not available in builds
 * without ncurses.
 */
#ifndef TUI_TUI_H
#define TUI_TUI_H

#include "base/error.h"
#include "render/input.h"

/* Loads ncurses. ERROR_INTERNAL. */
bool tui_prepare(struct error *err) MUST_CHECK;

/* Checks before any work that standard input and output are a terminal with
 * cursor control. ERROR_USAGE. */
bool tui_check(struct error *err) MUST_CHECK;

/* Runs until the user quits; needs result, flame, style and picture of the
 * input. Restores the terminal in any case, also when a signal ends the
 * program, which is then raised again for the previous handler. */
bool tui_run(const struct render_input *in, struct error *err) MUST_CHECK;

/* Returns whether the terminal on standard output, named by TERM, is known and
 * has cursor control. ERROR_USAGE. */
bool terminfo_check(struct error *err) MUST_CHECK;

#endif
