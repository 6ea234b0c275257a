/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes protobuf fields into a buffer, whose state records failures.
 * Independent of any schema; decode/wire.h is the reader.
 *
 *   at = wirew_open(b, 4);         a message in field 4
 *   wirew_varint(b, 1, id);
 *   wirew_close(b, at);
 */
#ifndef BASE_WIREW_H
#define BASE_WIREW_H

#include <stdint.h>

#include "base/buf.h"

/* Writes a number; negative ones in two's complement, as int64. */
void wirew_varint(struct buf *b, uint32_t field, uint64_t value);

/* Same, but omits 0, the default value. */
void wirew_known(struct buf *b, uint32_t field, uint64_t value);

/* Writes a number as fixed64, as for times and ids. */
void wirew_fixed64(struct buf *b, uint32_t field, uint64_t value);

/* Writes text or bytes, also if empty. */
void wirew_str(struct buf *b, uint32_t field, struct str text);

/* Writes a proto3 string, made valid UTF-8: readers reject the whole message
 * for one invalid byte. */
void wirew_utf8(struct buf *b, uint32_t field, struct str text);

/* Appends an element to the open packed array. */
void wirew_element(struct buf *b, uint64_t value);

/* The longest varint: 64 bits in groups of seven. */
#define WIREW_VARINT_BYTES 10u

/* Writes an element before `end`, for an array filled backwards, where
 * WIREW_VARINT_BYTES are available. Returns its length in bytes. */
size_t wirew_before(char *end, uint64_t value) MUST_CHECK;

/* Opens a message or a packed array; everything up to wirew_close() is
 * inside. */
size_t wirew_open(struct buf *b, uint32_t field) MUST_CHECK;
void wirew_close(struct buf *b, size_t opened);

#endif
