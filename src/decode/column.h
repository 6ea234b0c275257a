/* SPDX-License-Identifier: Apache-2.0
 *
 * Growing array in a decoder's scratch arena. Private to decode/.
 */
#ifndef DECODE_COLUMN_H
#define DECODE_COLUMN_H

#include "base/arena.h"

struct column {
	void *items;
	size_t count;
	size_t cap;
};

/* Returns an uninitialised new item at the end, NULL when out of memory. */
static inline void *column_add(struct arena *arena, struct column *c,
			       size_t size)
{
	if (c->count == c->cap &&
	    !arena_reserve(arena, &c->items, &c->cap, c->count + 1, size))
		return NULL;
	return (char *)c->items + c->count++ * size;
}

#endif
