/* SPDX-License-Identifier: Apache-2.0
 *
 * Radix sort for large lists with integer keys (docs/lab/performance.md, "radix
 * sorts").
 */
#ifndef BASE_RADIX_H
#define BASE_RADIX_H

#include <stdint.h>

struct radix_item {
	uint64_t key;
	uint32_t index; /* of the item the key belongs to, set by the caller */
};

/* Stable sort by key. room is scratch space for `count` items. Returns
 * whichever of the two arrays holds the result; the other one is undefined.
 * Makes one pass for each 11 (short lists: 8) bits in which keys differ. */
struct radix_item *radix_sort(struct radix_item *items, struct radix_item *room,
			      uint32_t count);

#endif
