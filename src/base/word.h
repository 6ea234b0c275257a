/* SPDX-License-Identifier: Apache-2.0
 *
 * Eight bytes at once, wherever they lie.
 */
#ifndef BASE_WORD_H
#define BASE_WORD_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

/* Least significant byte first on every machine. */
static inline uint64_t load_word(const void *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof word);
	return le64toh(word);
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
	number = htole64(number);
	memcpy(bytes, &number, sizeof number);
}

#endif
