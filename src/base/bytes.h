/* SPDX-License-Identifier: Apache-2.0
 *
 * Loads and stores of unaligned integers, varints, and FNV hashes.
 */
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include <stdint.h>
#include <string.h>

#include "base/str.h"

/* Converts between host and little-endian byte order. */
static inline uint64_t little_endian(uint64_t word)
{
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap64(word)
						      : word;
}

/* Loads 8 bytes, little-endian. */
static inline uint64_t load_word(const void *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof word);
	return little_endian(word);
}

/* Loads 4 bytes, little-endian. */
static inline uint32_t load_half_word(const void *bytes)
{
	uint32_t word;

	memcpy(&word, bytes, sizeof word);
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap32(word)
						      : word;
}

/* Returns a word mixed from the length and the bytes of a text; of texts over
 * 16 bytes only the first and last 8. Multiplied, it serves as a perfect hash
 * of words known beforehand. */
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

/* Loads a little-endian integer of `count` bytes (1 to 8). Reads 8 bytes. */
static inline uint64_t load_number(const void *bytes, unsigned count)
{
	return load_word(bytes) & UINT64_MAX >> (64 - 8 * count);
}

/* Stores a little-endian integer. Writes 8 bytes; smaller numbers need only the
 * first few. */
static inline void store_number(void *bytes, uint64_t number)
{
	number = little_endian(number);
	memcpy(bytes, &number, sizeof number);
}

/* Varints: seven bits per byte, low bits first; the eighth bit is set in all
 * bytes but the last. Inline, because large profiles contain hundreds of
 * millions. */

/* Decodes a varint below 2^21, the common case. Returns its length in bytes, 0
 * if it is longer. Three bytes must be readable unless the varint ends
 * earlier. */
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

/* Decodes a complete varint and advances *at. Up to three bytes, enough for
 * indices in all but the largest profiles, are decoded without a loop. */
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
 * stored or displayed hashes. Not collision-resistant against chosen input: for
 * hash tables use base/map.h. */

#define FNV64_BEGIN UINT64_C(0xcbf29ce484222325)

/* Initial value of a second, independent hash where 64 bits are not enough. */
#define FNV64_OTHER_BEGIN UINT64_C(0x84222325cbf29ce4)

/* Continues from `hash`; start with FNV64_BEGIN. */
uint64_t fnv64(uint64_t hash, struct str bytes);

/* Returns a 32-bit hash whose upper half is mixed into the lower: names that
 * differ in one letter only differ in low bits. */
uint32_t fnv32_mixed(struct str bytes);

#endif
