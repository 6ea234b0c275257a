/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TUI_TERMINFO_H
#define TUI_TERMINFO_H

#include "base/error.h"

/* Whether the terminal on standard output, named by TERM, is known and moves
 * its cursor. ERROR_USAGE. */
bool terminfo_check(struct error *err) MUST_CHECK;

#endif
