/* SPDX-License-Identifier: Apache-2.0
 *
 * Tells the user on standard error what went wrong, and with -v what is done.
 * Knows no command.
 */
#ifndef CLI_MESSAGE_H
#define CLI_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "wire/http.h"

struct options;

/* Messages on stderr, each one line, foreign text escaped: "tracefind: ...". */
void message_error(const struct error *err);
bool message_has_told_error(void);
/* Prints a line for -v. */
void message_info(const char *format, ...) PRINTF_LIKE(1, 2);

/* One line on a terminal's standard error about what a run waits for, once it
 * takes longer than a second; gone again before anything else is written. The
 * state is the process's own: a signal handler has to clear the line. */

/* Returns whether anything is wanted: not with --quiet. The line is, where
 * standard error is a terminal that can clear lines, and without -v; elsewhere
 * a pause that a server asks for is told once. Time counts from the first call.
 */
bool progress_begin(const struct options *o);

/* Lines go to this descriptor from now on, each ended by a newline, whatever
 * standard error is. */
void progress_report(int fd);

/* For struct http_settings: writes the line anew, a few times a second. */
void progress_show(const struct http_progress *p);

/* How many profiles are known so far, where a server lists them one by one:
 * the line tells from now on. */
void progress_listed(uint32_t count);

/* How much of an export is done: the line tells from now on. */
void progress_exported(uint64_t done, uint64_t count);

/* Takes the line away, if there is one. */
void progress_clear(void);

/* The same in a signal handler. */
void progress_clear_signal(void);

/* The line's text, without "tracefind: ", for a run of elapsed_ns that had
 * before_bytes before this batch. */
void progress_text(const struct http_progress *p, int64_t before_bytes,
		   int64_t elapsed_ns, struct buf *out);

#endif
