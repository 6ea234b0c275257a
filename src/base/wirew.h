/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes protobuf fields into a buffer, whose state keeps the failures. Knows
 * the wire format, no schema; decode/wire.h reads it.
 *
 *   at = wirew_open(b, 4);         a message in field 4
 *   wirew_varint(b, 1, id);
 *   wirew_close(b, at);
 */
#ifndef BASE_WIREW_H
#define BASE_WIREW_H

#include <stdint.h>

#include "base/buf.h"

/* A number; negative ones as their two's complement, as int64 is. */
void wirew_varint(struct buf *b, uint32_t field, uint64_t value);

/* The same, but nothing for 0, which a reader takes for granted. */
void wirew_known(struct buf *b, uint32_t field, uint64_t value);

/* The same in eight bytes, as times and ids are. */
void wirew_fixed64(struct buf *b, uint32_t field, uint64_t value);

/* Text or bytes, also when empty. */
void wirew_str(struct buf *b, uint32_t field, struct str text);

/* A string of proto3, which has to be UTF-8: readers refuse the whole message
 * for a byte that is not. */
void wirew_utf8(struct buf *b, uint32_t field, struct str text);

/* An element of a packed array that is open. */
void wirew_element(struct buf *b, uint64_t value);

/* A number of 64 bits has ten groups of seven at most. */
#define WIREW_VARINT_BYTES 10u

/* An element that ends where `end` points, of an array that is written from its
 * end on. There is room for WIREW_VARINT_BYTES before it. Returns how many
 * bytes it takes. */
size_t wirew_before(char *end, uint64_t value) MUST_CHECK;

/* Begins a message or a packed array; what is written until wirew_close() is
 * inside it. */
size_t wirew_open(struct buf *b, uint32_t field) MUST_CHECK;
void wirew_close(struct buf *b, size_t opened);

#endif
