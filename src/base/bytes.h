/* SPDX-License-Identifier: Apache-2.0
 *
 * Eight bytes at once, wherever they lie.
 */
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include <stdint.h>
#include <string.h>

#include "base/str.h"

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

/* Returns a word of the length of a text and all its bytes, of one over 16 from
 * both ends: to be multiplied, for a hash of words that are known beforehand.
 */
static inline uint64_t word_of_ends(struct str text)
{
	const char *front = text.ptr, *back = text.ptr + text.len;
	uint64_t first = 0, last = 0;

	if (text.len >= 8) {
		first = load_word(front);
		last = load_word(back - 8);
	} else if (text.len >= 4) {
		first = load_half_word(front);
		last = load_half_word(back - 4);
	} else if (text.len) {
		first = (unsigned char)front[0];
		last = (uint64_t)(unsigned char)front[text.len / 2] << 8 |
		       (unsigned char)back[-1];
	}
	return first ^ ((last << 19 | last >> 45) + text.len);
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

/* Varints: seven bits a byte, the low ones first, the eighth bit of all bytes
 * but the last. Inline: large profiles have hundreds of millions of them. */

/* Bytes of a number below 2^21, which are the bulk, read without a call; 0: it
 * is longer. Three bytes must be there, or as many as end the number. */
static inline unsigned varint_short(const unsigned char *bytes, uint64_t *value)
{
	*value = bytes[0] & 0x7Fu;
	if (bytes[0] < 0x80)
		return 1;
	*value |= (bytes[1] & 0x7Fu) << 7;
	if (bytes[1] < 0x80)
		return 2;
	*value |= (uint64_t)bytes[2] << 14;
	return bytes[2] < 0x80 ? 3 : 0;
}

/* A varint, which must be whole. Up to three bytes, places of all but the
 * largest profiles, without a loop. */
static inline uint64_t varint_take(const unsigned char **at)
{
	const unsigned char *bytes = *at;
	uint64_t value = bytes[0] & 0x7Fu;
	unsigned shift = 21;

	if (bytes[0] < 0x80) {
		*at = bytes + 1;
		return value;
	}
	value |= (bytes[1] & 0x7Fu) << 7;
	if (bytes[1] < 0x80) {
		*at = bytes + 2;
		return value;
	}
	value |= (bytes[2] & 0x7Fu) << 14;
	for (bytes += 3; bytes[-1] >= 0x80; bytes++, shift += 7)
		value |= (uint64_t)(bytes[0] & 0x7Fu) << shift;
	*at = bytes;
	return value;
}

/* FNV-1a (draft-eastlake-fnv): the same on every machine and in every run, for
 * what is kept or shown. Whoever chooses the text chooses the hash: tables are
 * base/map.h. */

#define FNV64_BEGIN UINT64_C(0xcbf29ce484222325)

/* The begin of a second hash beside it, where 64 bits are not enough. */
#define FNV64_OTHER_BEGIN UINT64_C(0x84222325cbf29ce4)

/* Goes on from a hash, or from FNV64_BEGIN. */
uint64_t fnv64(uint64_t hash, struct str bytes);

/* Returns a hash of 32 bits, the upper half mixed into the lower: names that
 * differ in one letter only differ in low bits. */
uint32_t fnv32_mixed(struct str bytes);

#endif
