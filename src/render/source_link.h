/* SPDX-License-Identifier: Apache-2.0
 *
 * URLs of source lines: by the pattern of --source-url, or, for a Go module
 * with a version, on the host in its path.
 */
#ifndef RENDER_SOURCE_LINK_H
#define RENDER_SOURCE_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

/* Validates a pattern: http or https, contains {path}, only characters allowed
 * in URLs. */
bool source_pattern_check(const char *pattern, struct error *err) MUST_CHECK;

/* Appends the URL of a file, as named by the compiler, and a line (0: unknown).
 * pattern: NULL for none, and for files that are not the application's own;
 * root: see source_path_shorten(). Returns false, appending nothing, if there
 * is none. File names are escaped, and cannot lead to another host or
 * folder. */
bool source_link(const char *pattern, struct str root, struct str file,
		 uint32_t line, struct buf *out);

/* URL patterns with {names}, as in --trace-link. Values are escaped, so they
 * cannot lead to another host. */

struct link_value {
	struct str name; /* including braces: "{trace_id}" */
	struct str value;
};

/* Validates a pattern: http or https, only characters allowed in URLs, contains
 * `name`. what: "the file", for the message. */
bool link_pattern_check(const char *pattern, const char *name, const char *what,
			const char *example, struct error *err) MUST_CHECK;

/* Appends the URL with names replaced by their values; unknown names stay. */
void link_pattern_fill(const char *pattern, const struct link_value *values,
		       size_t count, struct buf *out);

/* Appends part of a URL; percent-encodes everything except letters, digits,
 * "-_.~" and the characters in kept. */
void link_escape(struct buf *out, const char *kept, struct str value);

#endif
