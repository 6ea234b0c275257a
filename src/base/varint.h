/* SPDX-License-Identifier: Apache-2.0
 *
 * Varints: seven bits a byte, the low ones first, the eighth bit of all bytes
 * but the last. Inline: large profiles have hundreds of millions of them.
 */
#ifndef BASE_VARINT_H
#define BASE_VARINT_H

#include <stdint.h>

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

#endif
