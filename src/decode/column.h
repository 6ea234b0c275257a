/* SPDX-License-Identifier: Apache-2.0
 *
 * An array of a reader that grows item by item in its scratch arena. Private
 * to decode/.
 */
#ifndef DECODE_COLUMN_H
#define DECODE_COLUMN_H

#include "base/arena.h"

struct column {
	void *items;
	size_t count;
	size_t cap;
};

/* Room for one more item, whose bytes say nothing yet; NULL: no memory. */
static inline void *column_add(struct arena *arena, struct column *c,
			       size_t size)
{
	if (c->count == c->cap &&
	    !arena_reserve(arena, &c->items, &c->cap, c->count + 1, size))
		return NULL;
	return (char *)c->items + c->count++ * size;
}

#endif
