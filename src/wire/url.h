/* SPDX-License-Identifier: Apache-2.0
 *
 * Taking URLs apart, strictly: what this accepts has one reading only, so
 * that our idea of the host and the transfer library's never differ.
 */
#ifndef WIRE_URL_H
#define WIRE_URL_H

#include <stdbool.h>

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

#endif
