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

#endif
