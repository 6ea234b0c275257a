/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/wire.h"

#define FIELD_NUMBER_MAX ((1u << 29) - 1)

void wire_init(struct wire *w, struct str bytes)
{
	*w = (struct wire){ .bytes = bytes };
}

bool wire_fail(struct wire *w, const char *failure)
{
	if (!w->failure) {
		w->failure = failure;
		w->failed_at = w->start + w->at;
	}
	return false;
}

bool wire_enter(struct wire *parent, const struct wire_field *f,
		struct wire *child)
{
	*child = (struct wire){
		.bytes = f->bytes,
		.start = parent->start + parent->at - f->bytes.len,
		.depth = parent->depth + 1,
	};
	if (child->depth < LIMIT_PB_DEPTH)
		return true;
	return wire_fail(parent, "messages are nested too deeply");
}

static bool read_long_varint(struct wire *w, uint64_t *value)
{
	uint64_t sum = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		unsigned char byte;

		if (w->at == w->bytes.len)
			return wire_fail(w, "ends inside a number");
		byte = (unsigned char)w->bytes.ptr[w->at++];
		if (shift == 63 && byte > 1)
			break;
		sum |= (uint64_t)(byte & 0x7F) << shift;
		if (byte < 0x80) {
			*value = sum;
			return true;
		}
	}
	return wire_fail(w, "a number has more than 64 bits");
}

/* Tags and most lengths are one byte. */
static inline bool read_varint(struct wire *w, uint64_t *value)
{
	if (w->at < w->bytes.len && !(w->bytes.ptr[w->at] & 0x80)) {
		*value = (unsigned char)w->bytes.ptr[w->at++];
		return true;
	}
	return read_long_varint(w, value);
}

/* Little-endian, whatever the machine. */
static bool read_fixed(struct wire *w, unsigned size, uint64_t *value)
{
	uint64_t sum = 0;

	if (w->bytes.len - w->at < size)
		return wire_fail(w, "ends inside a number");
	for (unsigned i = 0; i < size; i++)
		sum |= (uint64_t)(unsigned char)w->bytes.ptr[w->at + i]
		       << (8 * i);
	w->at += size;
	*value = sum;
	return true;
}

static bool read_bytes(struct wire *w, struct wire_field *f)
{
	if (!read_varint(w, &f->value))
		return false;
	if (f->value > w->bytes.len - w->at)
		return wire_fail(w, "a field is longer than what is left");
	f->bytes = (struct str){ w->bytes.ptr + w->at, (size_t)f->value };
	w->at += f->bytes.len;
	return true;
}

bool wire_next(struct wire *w, struct wire_field *f)
{
	uint64_t tag = 0;

	if (w->failure || w->at == w->bytes.len || !read_varint(w, &tag))
		return false;
	if (tag >> 3 == 0 || tag >> 3 > FIELD_NUMBER_MAX)
		return wire_fail(w, "a field has an impossible number");
	*f = (struct wire_field){ .tag = (uint32_t)tag };
	switch (tag & 7) {
	case WIRE_VARINT:
		return read_varint(w, &f->value);
	case WIRE_FIXED64:
		return read_fixed(w, 8, &f->value);
	case WIRE_BYTES:
		return read_bytes(w, f);
	case WIRE_FIXED32:
		return read_fixed(w, 4, &f->value);
	default:
		return wire_fail(w, "a field has an impossible type");
	}
}

bool wire_next_varint(struct wire *w, uint64_t *value)
{
	if (w->failure || w->at == w->bytes.len)
		return false;
	return read_varint(w, value);
}

bool wire_check(const struct wire *w, const char *what, struct error *err)
{
	if (!w->failure)
		return true;
	return error_set(err, ERROR_FORMAT,
			 "%s is damaged or cut off at byte %zu: %s", what,
			 w->failed_at, w->failure);
}
