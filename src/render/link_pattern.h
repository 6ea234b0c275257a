/* SPDX-License-Identifier: Apache-2.0
 *
 * Addresses that a user gives once, with {names} in them, as of --trace-link.
 * What stands for a name is escaped, so that it leads to no other host. Knows
 * no renderer.
 */
#ifndef RENDER_LINK_PATTERN_H
#define RENDER_LINK_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

struct link_value {
	struct str name; /* with its braces: "{trace_id}" */
	struct str value;
};

/* Whether a pattern can be one: http or https, of characters that an address
 * may have, with the name in it. what: "the file", for the message. */
bool link_pattern_check(const char *pattern, const char *name, const char *what,
			const char *example, struct error *err) MUST_CHECK;

/* Adds the address, each name replaced by its value; other names stay. */
void link_pattern_fill(const char *pattern, const struct link_value *values,
		       size_t count, struct buf *out);

/* Adds a part of an address, escaped but for letters, digits, "-_.~" and those
 * in kept. */
void link_escape(struct buf *out, const char *kept, struct str value);

#endif
