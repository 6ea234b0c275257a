/* SPDX-License-Identifier: Apache-2.0
 *
 * Taking URLs apart, strictly: what this accepts has one reading only, so
 * that our idea of the host and the transfer library's never differ.
 */
#ifndef WIRE_URL_H
#define WIRE_URL_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/str.h"

struct url_parts {
	bool is_https;
	struct str user_info; /* without '@'; empty when absent */
	struct str host;      /* without brackets */
	struct str authority; /* host and port as written, for messages */
	struct str rest;      /* path, query and fragment */
};

/* False when it is not an absolute http or https URL of printable ASCII with
 * a plain host name or address. Parts point into url. */
bool url_split(struct str url, struct url_parts *parts);

/* base + path with exactly one slash between. Caller frees. */
char *url_join(const char *base, const char *path);

/* Percent-encodes everything but unreserved characters. */
void url_encode(struct buf *out, struct str value);

/* The same of a text that was built on its own and is released: when that went
 * wrong, out is as wrong, so that half of a text is never sent. */
void url_encode_built(struct buf *out, struct buf *owned_text);

#endif
