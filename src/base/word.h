/* SPDX-License-Identifier: Apache-2.0
 *
 * Eight bytes at once, wherever they lie.
 */
#ifndef BASE_WORD_H
#define BASE_WORD_H

#include <stdint.h>
#include <string.h>

/* To and from least significant byte first. */
static inline uint64_t little_endian(uint64_t word)
{
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap64(word)
						      : word;
}

/* Least significant byte first on every machine. */
static inline uint64_t load_word(const void *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof word);
	return little_endian(word);
}

/* Four of them. */
static inline uint32_t load_half_word(const void *bytes)
{
	uint32_t word;

	memcpy(&word, bytes, sizeof word);
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap32(word)
						      : word;
}

/* A number of so many bytes, one to eight, as store_number() puts it there.
 * Eight are read. */
static inline uint64_t load_number(const void *bytes, unsigned count)
{
	return load_word(bytes) & UINT64_MAX >> (64 - 8 * count);
}

/* Eight bytes are written, of which a smaller number needs the first few. */
static inline void store_number(void *bytes, uint64_t number)
{
	number = little_endian(number);
	memcpy(bytes, &number, sizeof number);
}

#endif
