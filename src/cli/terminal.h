/* SPDX-License-Identifier: Apache-2.0
 *
 * What standard output shows: its width, and what the environment says of
 * colours and letters.
 */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stdbool.h>

#include "cli/options.h"

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
