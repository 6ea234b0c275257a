/* SPDX-License-Identifier: Apache-2.0
 *
 * Puts large lists into order by a number, without comparing items
 * (docs/lab/performance.md, "radix sorts").
 */
#ifndef BASE_RADIX_H
#define BASE_RADIX_H

#include <stdint.h>

struct radix_item {
	uint64_t key;
	uint32_t index; /* of what the key is of: the caller's */
};

/* By key, equal ones staying as they are. room takes as many. Returns which of
 * both holds the list then; what the other one holds says nothing. Goes through
 * all items once for each 11 (of short lists 8) bits that keys differ in. */
struct radix_item *radix_sort(struct radix_item *items, struct radix_item *room,
			      uint32_t count);

#endif
