/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the first and last line of a function in its source from one of its
 * lines. Profiles have only sampled lines.
 */
#ifndef ANALYZE_FUNCTION_EXTENT_H
#define ANALYZE_FUNCTION_EXTENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct function_extent {
	uint32_t first; /* from 1 */
	uint32_t last;
	struct str text; /* these lines; a slice of the source */
};

/* Finds the function called `name` in a profile that contains `line`, by
 * indentation, which works for many languages. Returns false if no line around
 * it has the name: the source is of another version, or has another layout. */
bool function_extent_find(struct str source, struct str name, uint32_t line,
			  struct function_extent *out);

#endif
