/* SPDX-License-Identifier: Apache-2.0
 *
 * Credentials: reading them from files, deciding whether they may travel,
 * and wiping them. No secret reaches argv, a message, a log or a file.
 */
#ifndef WIRE_AUTH_H
#define WIRE_AUTH_H

#include <stdbool.h>

#include "base/error.h"
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

#endif
