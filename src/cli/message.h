/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages to the user on standard error: errors, and progress with -v.
 */
#ifndef CLI_MESSAGE_H
#define CLI_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "wire/http.h"

struct options;

/* Print a message as one line, with foreign text escaped: "tracefind: ...". */
void message_error(const struct error *err);
bool message_has_told_error(void);
/* Prints a line if -v was given. */
void message_info(const char *format, ...) PRINTF_LIKE(1, 2);

/* Progress line on a terminal's standard error, shown when a run takes longer
 * than a second, and cleared before anything else is written. Its state is
 * global: signal handlers must be able to clear it. */

/* Returns whether progress is wanted: not with --quiet. The line is only shown
 * if standard error is a terminal that can clear lines, and without -v;
 * otherwise a wait that a server asks for is printed once. Time is counted from
 * the first call. */
bool progress_begin(const struct options *o);

/* Redirects progress to a descriptor, one line each with a newline,
 * independently of standard error. */
void progress_report(int fd);

/* For struct http_settings: refreshes the line a few times per second. */
void progress_show(const struct http_progress *p);

/* Sets the number of profiles listed so far, which is shown from then on. */
void progress_listed(uint32_t count);

/* Sets the progress of an export, which is shown from then on. */
void progress_exported(uint64_t done, uint64_t count);

/* Clears the line, if any. */
void progress_clear(void);

/* Same for signal handlers. */
void progress_clear_signal(void);

/* Appends the text of the line, without "tracefind: ". elapsed_ns: of the run;
 * before_bytes: received before this batch. */
void progress_text(const struct http_progress *p, int64_t before_bytes,
		   int64_t elapsed_ns, struct buf *out);

#endif
