/* SPDX-License-Identifier: Apache-2.0
 *
 * Sequential input read in pieces, so that it may be larger than the memory
 * used: bytes in memory, or a regular file, decompressed on the fly (gz.h).
 * Supports seeking. The first failure ends reading, and feed_check() reports
 * it.
 */
#ifndef BASE_FEED_H
#define BASE_FEED_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

struct feed;

#define FEED_LEVEL_WORDS (LIMIT_JSON_DEPTH / 64)

/* A position to resume reading from: the start of a value and, in JSON, the
 * enclosing objects and arrays (json_tell()). */
struct feed_place {
	uint64_t offset;
	uint64_t levels[FEED_LEVEL_WORDS];
	unsigned depth;
};

/* Reads bytes in memory, borrowed until feed_free(). NULL when out of
 * memory. */
struct feed *feed_new(struct str bytes, struct error *err) MUST_CHECK;

/* Reads the file at path (borrowed until feed_free()). Refuses files larger
 * than max_packed_bytes, or than max_plain_bytes when decompressed. *is_regular
 * is set to whether it is a regular file, one that can be read twice; if not,
 * nothing is opened and NULL is returned without an error. */
struct feed *feed_open(const char *path, size_t max_packed_bytes,
		       size_t max_plain_bytes, bool *is_regular,
		       struct error *err) MUST_CHECK;
void feed_free(struct feed *f);

/* Returns whether all input is in memory, and sets *bytes to it. */
bool feed_in_memory(const struct feed *f, struct str *bytes);

/* Length of the beginning that formats are recognised by. */
#define FEED_FRONT_BYTES (128 * KIB)

/* Returns the first FEED_FRONT_BYTES, or all there are, without consuming them.
 * Call before reading; borrowed until the first read. */
struct str feed_front(struct feed *f);

/* Reads up to `room` bytes; returns fewer only at the end of input or on
 * failure. */
size_t feed_read(struct feed *f, char *into, size_t room);

/* Seeks to an offset from the beginning, in decompressed bytes. */
void feed_seek(struct feed *f, uint64_t offset);

/* Returns false and sets the error if reading failed. */
bool feed_check(const struct feed *f, struct error *err) MUST_CHECK;

#endif
