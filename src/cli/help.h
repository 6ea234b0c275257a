/* SPDX-License-Identifier: Apache-2.0
 *
 * Help texts, made from the tables of commands and options.
 */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "base/out.h"
#include "cli/commands.h"

/* Lines of an ordinary terminal, into which the help of a command fits. */
#define HELP_LINES 24

/* Of one command, or of the whole program for NULL. is_all: not only what fits
 * on a screen. */
void help_write(const struct command *command, bool is_all, struct out *out);

/* What a run without arguments is told: usage and the commands. */
void help_write_short(struct out *out);

#endif
