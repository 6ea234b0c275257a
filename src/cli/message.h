/* SPDX-License-Identifier: Apache-2.0
 *
 * Tells the user on standard error what went wrong, and with -v what is done.
 * Knows no command.
 */
#ifndef CLI_MESSAGE_H
#define CLI_MESSAGE_H

#include <stdbool.h>

#include "base/error.h"

/* Messages on stderr, each one line, foreign text escaped: "tracefind: ...". */
void message_error(const struct error *err);
bool message_has_told_error(void);
/* What -v tells. */
void message_info(const char *format, ...) PRINTF_LIKE(1, 2);

#endif
