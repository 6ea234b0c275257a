/* SPDX-License-Identifier: Apache-2.0
 *
 * --dry-run: requests as command lines of curl, without their secrets.
 */
#ifndef CLI_DRY_RUN_H
#define CLI_DRY_RUN_H

#include "base/buf.h"
#include "base/error.h"
#include "wire/http.h"

/* Appends one line that a POSIX shell runs as the same request, without a
 * newline. Tokens and passwords are variables ("$TRACES_TOKEN"), headers that
 * are not known to be harmless "<redacted>". */
void dry_run_line(struct buf *line, const struct http_request *request);

/* Writes the lines of a batch to standard output; comment is one of ours above
 * them, or NULL. */
bool dry_run_write(const char *comment, const struct http_request *requests,
		   size_t n, struct error *err) MUST_CHECK;

/* The end of a dry run: ERROR_STOPPED, with what could not be told. Always
 * false. */
bool dry_run_stop(struct error *err);

#endif
