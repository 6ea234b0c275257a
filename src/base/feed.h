/* SPDX-License-Identifier: Apache-2.0
 *
 * An input that is read from the front, piece by piece, so that it may be
 * larger than the memory spent on it: bytes that lie in memory, or a regular
 * file, unpacked on the way when it is packed (gz.h). It can be taken up again
 * at any place. The first failure sticks: reading ends there, and feed_check() tells
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

/* Where an input can be taken up again: where a value begins and, in JSON,
 * inside of what (json_tell()). */
struct feed_place {
	uint64_t offset;
	uint64_t levels[FEED_LEVEL_WORDS];
	unsigned depth;
};

/* Bytes in memory, borrowed until feed_free(). NULL when out of memory. */
struct feed *feed_new(struct str bytes, struct error *err) MUST_CHECK;

/* The file at this path, borrowed likewise; larger than max_packed_bytes, or
 * unpacked larger than max_plain_bytes, it is refused. *is_regular says
 * whether it is a file that can be read twice; when it is none, nothing is
 * opened and NULL is given without an error. */
struct feed *feed_open(const char *path, size_t max_packed_bytes,
		       size_t max_plain_bytes, bool *is_regular,
		       struct error *err) MUST_CHECK;
void feed_free(struct feed *f);

/* Returns whether all of it lies in memory, and where. */
bool feed_in_memory(const struct feed *f, struct str *bytes);

/* The front of an input, to recognise its format by. */
#define FEED_FRONT_BYTES (128 * KIB)

/* The first bytes, so many or all, before anything is read: they are read
 * again. Borrowed until then. */
struct str feed_front(struct feed *f);

/* The next bytes, as many as there is room for; fewer only where the input
 * ends or fails. */
size_t feed_read(struct feed *f, char *into, size_t room);

/* Goes on at so many plain bytes from the front. */
void feed_seek(struct feed *f, uint64_t offset);

/* False and the error when reading failed. */
bool feed_check(const struct feed *f, struct error *err) MUST_CHECK;

#endif
