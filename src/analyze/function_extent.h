/* SPDX-License-Identifier: Apache-2.0
 *
 * The lines of a function within its source, found from one of them. Profiles
 * know lines that were sampled, neither the first nor the last of a function.
 */
#ifndef ANALYZE_FUNCTION_EXTENT_H
#define ANALYZE_FUNCTION_EXTENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct function_extent {
	uint32_t first; /* from 1 */
	uint32_t last;
	struct str text; /* these lines, a piece of the source */
};

/* Finds the lines around `line` of the function that a profile calls `name`, by
 * indentation, which languages have in common. False where no line around it
 * has the name: the source is of another version, or the layout is another. */
bool function_extent_find(struct str source, struct str name, uint32_t line,
			  struct function_extent *out);

#endif
