/* SPDX-License-Identifier: Apache-2.0 */
#include "make_input.h"

#define WIRE_VARINT 0u
#define WIRE_FIXED64 1u
#define WIRE_BYTES 2u

void pb_varint(struct buf *out, uint64_t value)
{
	char bytes[10];
	size_t len = 0;

	for (; value >= 0x80; value >>= 7)
		bytes[len++] = (char)(value | 0x80);
	bytes[len++] = (char)value;
	buf_add(out, bytes, len);
}

void pb_number(struct buf *out, unsigned field, uint64_t value)
{
	pb_varint(out, field << 3 | WIRE_VARINT);
	pb_varint(out, value);
}

void pb_fixed64(struct buf *out, unsigned field, uint64_t value)
{
	char bytes[8];

	for (unsigned i = 0; i < sizeof bytes; i++)
		bytes[i] = (char)(value >> 8 * i);
	pb_varint(out, field << 3 | WIRE_FIXED64);
	buf_add(out, bytes, sizeof bytes);
}

void pb_bytes(struct buf *out, unsigned field, struct str bytes)
{
	pb_varint(out, field << 3 | WIRE_BYTES);
	pb_varint(out, bytes.len);
	buf_add_str(out, bytes);
}

void pb_text(struct buf *out, unsigned field, const char *text)
{
	pb_bytes(out, field, str_from(text));
}
