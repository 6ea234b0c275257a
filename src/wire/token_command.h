/* SPDX-License-Identifier: Apache-2.0
 *
 * A token from a program of the user's own, such as a cloud's command line.
 * The only file that starts another program.
 */
#ifndef WIRE_TOKEN_COMMAND_H
#define WIRE_TOKEN_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/limits.h"

/* Room for a token and its end. */
#define TOKEN_BYTES (LIMIT_SECRET_FILE_BYTES + 1)

/* Runs `command` by /bin/sh -c, without standard input, and puts the first
 * line it prints into token. Fails when it takes longer than timeout_ms, prints
 * more than the limit, nothing, or control characters, or ends with a status
 * other than 0: the message holds the end of what it wrote to standard error,
 * never what it printed. */
bool token_command_run(const char *command, int64_t timeout_ms,
		       char token[TOKEN_BYTES], struct error *err) MUST_CHECK;

#endif
