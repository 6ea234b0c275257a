/* SPDX-License-Identifier: Apache-2.0
 *
 * Sorts by digits of a byte, the last one first: no comparison depends on how
 * many spans there are, and no input makes it slow. Each round that is not
 * left out keeps the order of the one before.
 */
#include <string.h>

#include "model/trace_build.h"

#define DIGITS 16u /* bytes of minor, then of major, lowest first */
#define VALUES 256u

static unsigned digit_of(const struct span_key *key, unsigned digit)
{
	uint64_t number = digit < 8 ? key->minor : key->major;

	return number >> (digit % 8 * 8) & 0xFF;
}

static bool is_before(const struct span_key *a, const struct span_key *b)
{
	return a->major < b->major ||
	       (a->major == b->major && a->minor < b->minor);
}

static bool is_sorted(const struct span_key *keys, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (is_before(&keys[i], &keys[i - 1]))
			return false;
	return true;
}

/* How often each value of each digit occurs. */
static void count_digits(const struct span_key *keys, size_t count,
			 uint32_t counts[DIGITS][VALUES])
{
	memset(counts, 0, sizeof(uint32_t[DIGITS][VALUES]));
	for (size_t i = 0; i < count; i++)
		for (unsigned digit = 0; digit < DIGITS; digit++)
			counts[digit][digit_of(&keys[i], digit)]++;
}

/* Moves all keys to where the digit wants them. */
static void deal(const struct span_key *from, struct span_key *to, size_t count,
		 unsigned digit, const uint32_t counts[VALUES])
{
	uint32_t place[VALUES];
	uint32_t next = 0;

	for (unsigned value = 0; value < VALUES; value++) {
		place[value] = next;
		next += counts[value];
	}
	for (size_t i = 0; i < count; i++)
		to[place[digit_of(&from[i], digit)]++] = from[i];
}

void span_keys_sort(const struct span_sort *sort, size_t count)
{
	uint32_t counts[DIGITS][VALUES];
	struct span_key *from = sort->keys, *to = sort->spare;

	if (is_sorted(from, count))
		return;
	count_digits(from, count, counts);
	for (unsigned digit = 0; digit < DIGITS; digit++) {
		struct span_key *dealt = to;

		if (counts[digit][digit_of(&from[0], digit)] == count)
			continue;
		deal(from, to, count, digit, counts[digit]);
		to = from;
		from = dealt;
	}
	if (from != sort->keys)
		memcpy(sort->keys, from, count * sizeof *from);
}
