/* SPDX-License-Identifier: Apache-2.0 */
#include "base/radix.h"

#include <stddef.h>

/* So many counters that they stay in the first cache. */
#define DIGIT_BITS 11u
#define DIGITS (1u << DIGIT_BITS)

static size_t digit_of(const struct radix_item *item, unsigned shift)
{
	return item->key >> shift & (DIGITS - 1);
}

static void order_by_digit(const struct radix_item *from, struct radix_item *to,
			   uint32_t count, unsigned shift)
{
	uint32_t places[DIGITS] = { 0 };
	uint32_t before = 0;

	for (uint32_t i = 0; i < count; i++)
		places[digit_of(&from[i], shift)]++;
	for (size_t digit = 0; digit < DIGITS; digit++) {
		uint32_t n = places[digit];

		places[digit] = before;
		before += n;
	}
	for (uint32_t i = 0; i < count; i++)
		to[places[digit_of(&from[i], shift)]++] = from[i];
}

/* The bits in which keys are not all the same. */
static uint64_t differing_bits(const struct radix_item *items, uint32_t count)
{
	uint64_t bits = 0;

	for (uint32_t i = 1; i < count; i++)
		bits |= items[i].key ^ items[0].key;
	return bits;
}

struct radix_item *radix_sort(struct radix_item *items, struct radix_item *room,
			      uint32_t count)
{
	uint64_t bits = differing_bits(items, count);

	for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS) {
		struct radix_item *swap = room;

		if (!(bits >> shift & (DIGITS - 1)))
			continue;
		order_by_digit(items, room, count, shift);
		room = items;
		items = swap;
	}
	return items;
}
