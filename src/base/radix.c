/* SPDX-License-Identifier: Apache-2.0 */
#include "base/radix.h"

#include <stddef.h>
#include <string.h>

/* Bits per pass: as many as keep the counters in the L1 cache; fewer for short
 * lists, since each pass clears and sums all counters. */
#define MOST_BITS 11u
#define FEW_BITS 8u
#define FEW_ITEMS 1024u

struct digit {
	unsigned shift;
	uint64_t most; /* the largest digit, all bits set */
};

static size_t digit_of(const struct radix_item *item, struct digit d)
{
	return item->key >> d.shift & d.most;
}

static void order_by_digit(const struct radix_item *from, struct radix_item *to,
			   uint32_t count, struct digit d)
{
	uint32_t places[1u << MOST_BITS];
	uint32_t before = 0;

	memset(places, 0, (d.most + 1) * sizeof *places);
	for (uint32_t i = 0; i < count; i++)
		places[digit_of(&from[i], d)]++;
	for (size_t value = 0; value <= d.most; value++) {
		uint32_t n = places[value];

		places[value] = before;
		before += n;
	}
	for (uint32_t i = 0; i < count; i++)
		to[places[digit_of(&from[i], d)]++] = from[i];
}

struct radix_item *radix_sort(struct radix_item *items, struct radix_item *room,
			      uint32_t count)
{
	uint64_t bits = 0; /* in which keys differ */
	unsigned digit_bits = count < FEW_ITEMS ? FEW_BITS : MOST_BITS;
	struct digit d = { .most = (1u << digit_bits) - 1 };

	for (uint32_t i = 1; i < count; i++)
		bits |= items[i].key ^ items[0].key;
	for (; d.shift < 64; d.shift += digit_bits) {
		struct radix_item *swap = room;

		if (!(bits >> d.shift & d.most))
			continue;
		order_by_digit(items, room, count, d);
		room = items;
		items = swap;
	}
	return items;
}
