/* SPDX-License-Identifier: Apache-2.0
 *
 * One failure, reported once, in words fit to print. The struct has a fixed
 * size and lives on the caller's stack, so reporting "out of memory" needs no
 * memory. Library code fills it; only cli/ prints it, through the terminal
 * escaper, because messages may quote foreign text.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdbool.h>

#include "base/limits.h"

#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))
#define MUST_CHECK __attribute__((warn_unused_result))

/* The kind of failure; error_exit_code() maps it to the exit status. */
enum error_code {
	ERROR_NONE = 0,
	ERROR_USAGE,
	ERROR_AUTH,
	ERROR_PARTIAL,
	ERROR_NOT_FOUND,
	ERROR_NETWORK,
	ERROR_FORMAT,
	ERROR_LIMIT,
	ERROR_OUTPUT,
	ERROR_MEMORY,
	ERROR_INTERRUPTED,
	ERROR_STOPPED, /* on request (--dry-run), not a failure */
	ERROR_INTERNAL,
};

struct error {
	enum error_code code;
	char message[LIMIT_ERROR_BYTES];
};

/* Sets code and message. Always returns false, so that a failing function can
 * end with `return error_set(err, ...)`. Long messages are cut at a character
 * boundary and end in "...". err must not be NULL. */
bool error_set(struct error *err, enum error_code code, const char *format, ...)
	PRINTF_LIKE(3, 4);

/* Prefixes the message with context: "context: message". Always returns
 * false. */
bool error_prefix(struct error *err, const char *format, ...) PRINTF_LIKE(2, 3);

/* Sets the out-of-memory error; `what` names the thing that did not fit. */
bool error_memory(struct error *err, const char *what);

/* Resets to "no failure". */
void error_clear(struct error *err);

/* Returns whether an error ends the run even if it affects only optional
 * data. */
static inline bool error_ends_run(const struct error *err)
{
	return err->code == ERROR_MEMORY || err->code == ERROR_STOPPED ||
	       err->code == ERROR_INTERRUPTED;
}

/* Returns the program's exit status for a code (documented in the man page). */
int error_exit_code(enum error_code code);

#endif
