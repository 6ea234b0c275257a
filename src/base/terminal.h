/* SPDX-License-Identifier: Apache-2.0
 *
 * What standard output shows: its width, and what the environment says of
 * colours and letters. Long answers go through a pager, as git's do: what
 * TRACEFIND_PAGER, the configuration or PAGER says, or less, which ends at once
 * when all fits on the screen.
 */
#ifndef BASE_TERMINAL_H
#define BASE_TERMINAL_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

unsigned terminal_width(void);

/* Returns the value of COLUMNS, within limits; 0: none. */
unsigned terminal_columns_asked(void);

/* Returns whether what reads the text shows more than ASCII, by the variables
 * that name its character set; fallback where none does. */
bool terminal_is_unicode(bool fallback);

enum color_mode { COLOR_AUTO = 0, COLOR_ALWAYS, COLOR_NEVER };

/* By the mode, else by the environment, else by the kind of terminal. */
bool terminal_wants_color(enum color_mode mode, bool is_terminal);
bool terminal_has_256_colors(void);
bool terminal_has_truecolor(void);

struct pager {
	pid_t pid;
	int fd;                           /* to write to */
	struct sigaction interrupt, quit; /* what was set before */
};

/* The command to run, or NULL when there is to be none: it is off, standard
 * output is no terminal or a dumb one, or the command is empty or "cat".
 * configured: behind TRACEFIND_PAGER and before PAGER; NULL: nothing. */
const char *pager_command(bool is_off, const char *configured);

/* Makes ready to start it later, when this process may start nothing any more:
 * a child waits until pager_start(), or until this process ends. Before there
 * are threads. Harmless when it fails: pager_start() does without. */
void pager_prepare(const char *command);

/* Starts it; false when that does not work, and standard output is then to be
 * written to. Until pager_finish() the keys that interrupt are the pager's
 * affair. */
bool pager_start(struct pager *p, const char *command) MUST_CHECK;

/* Closes its input and waits until the user leaves it. False when the shell
 * could not run the command: nothing was shown then. */
bool pager_finish(struct pager *p) MUST_CHECK;

#endif
