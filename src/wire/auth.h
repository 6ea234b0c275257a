/* SPDX-License-Identifier: Apache-2.0
 *
 * Credentials: reading them from files, deciding whether they may be sent, and
 * wiping them. No secret reaches argv, a message, a log or a file.
 */
#ifndef WIRE_AUTH_H
#define WIRE_AUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/limits.h"
#include "wire/http_message.h"

/* Returns the first line of a file (or standard input for "-") without its
 * newline; refuses empty files, control characters and files over the limit.
 * Free with secret_free(), which wipes it. `option` names the option in errors,
 * which never quote the content. */
char *secret_read(const char *path, const char *option, struct error *err);

/* Same for content already read; `path` names it in errors. */
char *secret_take(struct str content, const char *path, const char *option,
		  struct error *err);
void secret_free(char *secret);

/* Returns whether the endpoint sends any credential (token, password, or a
 * header not known to be harmless). */
bool endpoint_has_secret(const struct endpoint *e);

/* Returns false (ERROR_AUTH) if a credential would be sent over plain HTTP to
 * another machine without --insecure-auth. */
bool endpoint_check(const struct endpoint *e, struct error *err) MUST_CHECK;

/* Validates a header from the user: "Name: value" without control characters;
 * headers that we set ourselves (Host, Content-Length...) are refused. */
bool header_check(const char *header, struct error *err) MUST_CHECK;

/* Returns whether the host is localhost, 127.0.0.0/8 or ::1. */
bool host_is_loopback(const char *url);

/* Tokens from an external program, such as a cloud provider's CLI. The only
 * file that starts other programs. */

/* Size of a token with its NUL. */
#define TOKEN_BYTES (LIMIT_SECRET_FILE_BYTES + 1)

/* Runs `command` by /bin/sh -c, without standard input, and stores the first
 * line of its output in token. Fails if it takes longer than timeout_ms, its
 * output is empty, over the limit or contains control characters, or its exit
 * status is not 0: the error quotes the end of its standard error, never its
 * output. */
bool token_command_run(const char *command, int64_t timeout_ms,
		       char token[TOKEN_BYTES], struct error *err) MUST_CHECK;

/* Overwrites every copy of the endpoint's credentials with '*': plain, base64,
 * percent-encoded, JSON-escaped. Keeps the length, so binary bodies stay
 * intact. Values shorter than min_bytes are skipped, since they would match
 * ordinary text. Returns false only when out of memory. */
bool secrets_mask(const struct endpoint *e, char *data, size_t len,
		  size_t min_bytes) MUST_CHECK;

#endif
