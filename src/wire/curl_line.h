/* SPDX-License-Identifier: Apache-2.0
 *
 * A request as a command line of curl, without its secrets. Sends nothing.
 */
#ifndef WIRE_CURL_LINE_H
#define WIRE_CURL_LINE_H

#include "base/buf.h"
#include "wire/http.h"

/* What a line may take: a request's body as base64, quoted, and its
 * addresses. */
#define CURL_LINE_BYTES (4 * LIMIT_OPTION_VALUE_BYTES + 4 * MIB)

/* Appends one line that a POSIX shell runs as the same request, without a
 * newline. Tokens and passwords are variables ("$TRACES_TOKEN"), headers that
 * are not known to be harmless "<redacted>". */
void curl_line_add(struct buf *line, const struct http_request *request);

/* Writes the lines of a batch to standard output; comment is one of ours above
 * them, or NULL. */
bool curl_lines_write(const char *comment, const struct http_request *requests,
		      size_t n, struct error *err) MUST_CHECK;

#endif
