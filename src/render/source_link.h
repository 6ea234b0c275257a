/* SPDX-License-Identifier: Apache-2.0
 *
 * Addresses at which a line of source can be read: by the pattern of
 * --source-url, or, of a Go module with a version, on the host that its path
 * names. Knows no renderer.
 */
#ifndef RENDER_SOURCE_LINK_H
#define RENDER_SOURCE_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

/* Returns whether a pattern can be one: http or https, with {path} in it, of
 * characters that an address may have. */
bool source_pattern_check(const char *pattern, struct error *err) MUST_CHECK;

/* Adds the address of a file, as it was compiled, and a line (0: not known) to
 * `out`. pattern: NULL for none, as of files that are not the team's own; root:
 * see source_path_shorten(). False, and nothing added, when there is none. What
 * files are called is escaped, and leads to no other host or folder. */
bool source_link(const char *pattern, struct str root, struct str file,
		 uint32_t line, struct buf *out);

/* Addresses that a user gives once, with {names} in them, as of --trace-link.
 * What stands for a name is escaped, so that it leads to no other host. Knows
 * no renderer. */

struct link_value {
	struct str name; /* with its braces: "{trace_id}" */
	struct str value;
};

/* Returns whether a pattern can be one: http or https, of characters that an
 * address may have, with the name in it. what: "the file", for the message. */
bool link_pattern_check(const char *pattern, const char *name, const char *what,
			const char *example, struct error *err) MUST_CHECK;

/* Adds the address, each name replaced by its value; other names stay. */
void link_pattern_fill(const char *pattern, const struct link_value *values,
		       size_t count, struct buf *out);

/* Adds a part of an address, escaped but for letters, digits, "-_.~" and those
 * in kept. */
void link_escape(struct buf *out, const char *kept, struct str value);

#endif
