/* SPDX-License-Identifier: Apache-2.0
 *
 * Credentials: reading them from files, deciding whether they may travel,
 * and wiping them. No secret reaches argv, a message, a log or a file.
 */
#ifndef WIRE_AUTH_H
#define WIRE_AUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/limits.h"
#include "wire/http_message.h"

/* First line of a file (or "-" for standard input), without the newline;
 * refuses empty files, control characters and files over the limit. The
 * caller wipes and frees it (secret_free). `option` names the option in
 * errors; the content never appears. */
char *secret_read(const char *path, const char *option, struct error *err);

/* The same of what was read already; `path` names it in errors. */
char *secret_take(struct str content, const char *path, const char *option,
		  struct error *err);
void secret_free(char *secret);

/* True when the endpoint sends any credential (token, password, or a
 * header whose name is not known to be harmless). */
bool endpoint_has_secret(const struct endpoint *e);

/* False (ERROR_AUTH) when a credential would travel over plain http to
 * another machine without --insecure-auth. */
bool endpoint_check(const struct endpoint *e, struct error *err) MUST_CHECK;

/* A header given by the user: "Name: value" without controls; header names
 * we set ourselves (Host, Content-Length...) are refused. */
bool header_check(const char *header, struct error *err) MUST_CHECK;

/* localhost, 127.0.0.0/8, ::1. */
bool host_is_loopback(const char *url);

/* A token from a program of the user's own, such as a cloud's command line.
 * The only file that starts another program. */

/* Room for a token and its end. */
#define TOKEN_BYTES (LIMIT_SECRET_FILE_BYTES + 1)

/* Runs `command` by /bin/sh -c, without standard input, and puts the first
 * line it prints into token. Fails when it takes longer than timeout_ms, prints
 * more than the limit, nothing, or control characters, or ends with a status
 * other than 0: the message holds the end of what it wrote to standard error,
 * never what it printed. */
bool token_command_run(const char *command, int64_t timeout_ms,
		       char token[TOKEN_BYTES], struct error *err) MUST_CHECK;

/* Overwrites with '*', keeping the length (so that binary bodies stay whole),
 * every copy of the endpoint's credentials: plain, base64, percent-encoded,
 * JSON-escaped. Values shorter than min_bytes are left: they would hit
 * ordinary text. False only when out of memory. */
bool secrets_mask(const struct endpoint *e, char *data, size_t len,
		  size_t min_bytes) MUST_CHECK;

#endif
