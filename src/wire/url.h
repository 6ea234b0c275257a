/* SPDX-License-Identifier: Apache-2.0
 *
 * Strict URL parsing: only accepts URLs that are unambiguous, so that our idea
 * of the host and the HTTP library's cannot differ.
 */
#ifndef WIRE_URL_H
#define WIRE_URL_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/str.h"

struct url_parts {
	bool is_https;
	struct str user_info; /* without '@'; empty if absent */
	struct str host;      /* without brackets */
	struct str authority; /* host and port as written, for messages */
	struct str rest;      /* path, query and fragment */
};

/* Fails unless it is an absolute http or https URL of printable ASCII with a
 * plain host name or address. Parts point into url. */
bool url_split(struct str url, struct url_parts *parts);

/* Returns base + path with exactly one slash in between; the caller frees
 * it. */
char *url_join(const char *base, const char *path);

/* Percent-encodes everything except unreserved characters. */
void url_encode(struct buf *out, struct str value);

/* Same for the content of a buffer, which is released. If the buffer failed,
 * out fails, too, so that truncated text is never sent. */
void url_encode_built(struct buf *out, struct buf *owned_text);

#endif
