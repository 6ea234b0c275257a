/* SPDX-License-Identifier: Apache-2.0
 *
 * One failure, told once, in words fit to print. The struct is of fixed size
 * and lives on the caller's stack, so reporting "out of memory" needs none.
 * Library code fills it; only cli/ prints it, through the terminal escaper,
 * because messages may quote foreign text.
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
	ERROR_STOPPED, /* as asked for, by --dry-run: no failure */
	ERROR_INTERNAL,
};

struct error {
	enum error_code code;
	char message[LIMIT_ERROR_BYTES];
};

/* Sets code and message. Always returns false, so that a failing function
 * can end with `return error_set(err, ...)`. Long messages are cut at a
 * character boundary and end in "...". err may not be NULL. */
bool error_set(struct error *err, enum error_code code, const char *format, ...)
	PRINTF_LIKE(3, 4);

/* Puts context in front: "context: message". Always returns false. */
bool error_prefix(struct error *err, const char *format, ...) PRINTF_LIKE(2, 3);

/* The out-of-memory failure; `what` names the thing that did not fit. */
bool error_memory(struct error *err, const char *what);

/* No failure. Allocates nothing, frees nothing. */
void error_clear(struct error *err);

/* Exit status of the program for a code (product contract, man page). */
int error_exit_code(enum error_code code);

#endif
