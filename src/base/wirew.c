/* SPDX-License-Identifier: Apache-2.0 */
#include "base/wirew.h"

#include <string.h>

#include "base/escape.h"

/* Wire types written here. */
#define TYPE_VARINT 0u
#define TYPE_FIXED64 1u
#define TYPE_BYTES 2u

static size_t varint_encode(uint64_t value, char bytes[WIREW_VARINT_BYTES])
{
	size_t len = 0;

	for (; value >= 0x80; value >>= 7)
		bytes[len++] = (char)(value | 0x80);
	bytes[len++] = (char)value;
	return len;
}

void wirew_element(struct buf *b, uint64_t value)
{
	char bytes[WIREW_VARINT_BYTES];

	if (b->state == BUF_OK && b->cap - b->len > WIREW_VARINT_BYTES)
		buf_commit(b, varint_encode(value, b->data + b->len));
	else
		buf_add(b, bytes, varint_encode(value, bytes));
}

size_t wirew_before(char *end, uint64_t value)
{
	size_t len = 1;

	for (uint64_t rest = value >> 7; rest; rest >>= 7)
		len++;
	return varint_encode(value, end - len);
}

static void add_tag(struct buf *b, uint32_t field, uint32_t type)
{
	wirew_element(b, (uint64_t)field << 3 | type);
}

void wirew_varint(struct buf *b, uint32_t field, uint64_t value)
{
	add_tag(b, field, TYPE_VARINT);
	wirew_element(b, value);
}

void wirew_fixed64(struct buf *b, uint32_t field, uint64_t value)
{
	char bytes[8];

	for (unsigned i = 0; i < sizeof bytes; i++)
		bytes[i] = (char)(value >> 8 * i);
	add_tag(b, field, TYPE_FIXED64);
	buf_add(b, bytes, sizeof bytes);
}

void wirew_known(struct buf *b, uint32_t field, uint64_t value)
{
	if (value)
		wirew_varint(b, field, value);
}

void wirew_str(struct buf *b, uint32_t field, struct str text)
{
	add_tag(b, field, TYPE_BYTES);
	wirew_element(b, text.len);
	buf_add_str(b, text);
}

/* Nearly all messages are shorter than 128 bytes: one byte is reserved for the
 * length; longer content is moved. */
size_t wirew_open(struct buf *b, uint32_t field)
{
	add_tag(b, field, TYPE_BYTES);
	buf_add_char(b, 0);
	return b->len;
}

void wirew_close(struct buf *b, size_t opened)
{
	char bytes[WIREW_VARINT_BYTES];
	size_t len, size;

	if (b->state != BUF_OK)
		return;
	size = b->len - opened;
	len = varint_encode(size, bytes);
	if (len > 1) {
		buf_add(b, bytes, len - 1);
		if (b->state != BUF_OK)
			return;
		memmove(b->data + opened + len - 1, b->data + opened, size);
	}
	memcpy(b->data + opened - 1, bytes, len);
}

void wirew_utf8(struct buf *b, uint32_t field, struct str text)
{
	unsigned char all = 0;
	struct out out;
	size_t at;

	for (size_t i = 0; i < text.len; i++)
		all |= (unsigned char)text.ptr[i];
	if (all < 0x80) {

		wirew_str(b, field, text);
		return;
	}
	at = wirew_open(b, field);
	out_init_memory(&out, b);
	escape_utf8(&out, text);
	out_release(&out);
	wirew_close(b, at);
}
