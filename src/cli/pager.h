/* SPDX-License-Identifier: Apache-2.0
 *
 * Long answers on a terminal go through a pager, as git's do: what
 * TRACEFIND_PAGER, the configuration or PAGER says, or less, which ends at once
 * when all fits on the screen.
 */
#ifndef CLI_PAGER_H
#define CLI_PAGER_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "cli/options.h"

struct pager {
	pid_t pid;
	int fd;                           /* to write to */
	struct sigaction interrupt, quit; /* what was set before */
};

/* The command to run, or NULL when there is to be none: --no-pager, standard
 * output is no terminal or a dumb one, or the command is empty or "cat". */
const char *pager_command(const struct options *o);

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

/* What standard output shows: its width, and what the environment says of
 * colours and letters. */

unsigned terminal_width(void);

/* What COLUMNS says, within limits; 0: nothing. */
unsigned terminal_columns_asked(void);

/* Whether what reads the text shows more than ASCII, by the variables that name
 * its character set; fallback where none does. */
bool terminal_is_unicode(bool fallback);

/* By --color, else by the environment, else by the kind of terminal. */
bool terminal_wants_color(const struct options *o, bool is_terminal);
bool terminal_has_256_colors(void);
bool terminal_has_truecolor(void);

#endif
