/* SPDX-License-Identifier: Apache-2.0
 *
 * Properties of the terminal on standard output (width, colors, character set),
 * and the pager. Long answers go through a pager as in git: TRACEFIND_PAGER,
 * the configured one, PAGER, or less, which exits at once if everything fits on
 * the screen.
 */
#ifndef BASE_TERMINAL_H
#define BASE_TERMINAL_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

unsigned terminal_width(void);

/* Returns COLUMNS from the environment, within limits; 0 if unset. */
unsigned terminal_columns_asked(void);

/* Returns whether the environment variables for the locale select a Unicode
 * character set; fallback if none is set. */
bool terminal_is_unicode(bool fallback);

enum color_mode { COLOR_AUTO = 0, COLOR_ALWAYS, COLOR_NEVER };

/* Decides by the mode, then the environment, then the kind of terminal. */
bool terminal_wants_color(enum color_mode mode, bool is_terminal);
bool terminal_has_256_colors(void);
bool terminal_has_truecolor(void);

struct pager {
	pid_t pid;
	int fd;                           /* to write to */
	struct sigaction interrupt, quit; /* previous handlers */
};

/* Returns the pager command, or NULL for none: it is off, standard output is
 * not a terminal or a dumb one, or the command is empty or "cat". configured
 * comes after TRACEFIND_PAGER and before PAGER; may be NULL. */
const char *pager_command(bool is_off, const char *configured);

/* Forks a child in advance, for when the sandbox no longer allows starting
 * programs: it waits until pager_start() or the end of this process. Call
 * before there are threads. If it fails, pager_start() starts the pager
 * itself. */
void pager_prepare(const char *command);

/* Starts the pager. Returns false if that fails; write to standard output then.
 * Interrupt keys are left to the pager until pager_finish(). */
bool pager_start(struct pager *p, const char *command) MUST_CHECK;

/* Closes the pager's input and waits until it exits. Returns false if the shell
 * could not run the command, in which case nothing was shown. */
bool pager_finish(struct pager *p) MUST_CHECK;

#endif
