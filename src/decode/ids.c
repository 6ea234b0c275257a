/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/ids.h"

#include <string.h>

#include "base/num.h"

#define TRACE_BYTES 16
#define SPAN_BYTES 8

/* Hex text of 2 * size digits whose bytes are 3/2 * size: someone decoded it
 * as base64. Encoding gives the digits back. */
static bool undo_base64(struct str bytes, unsigned char *id, size_t size)
{
	char text[4 * ((TRACE_BYTES * 3 / 2 + 2) / 3) + 1];

	if (bytes.len != size * 3 / 2)
		return false;
	base64_encode((const unsigned char *)bytes.ptr, bytes.len, text);
	return hex_decode((struct str){ text, 2 * size }, id, size);
}

static bool id_from_bytes(struct str bytes, unsigned char *id, size_t size)
{
	memset(id, 0, size);
	if (bytes.len == 0)
		return true;
	if (bytes.len != size)
		return undo_base64(bytes, id, size);
	memcpy(id, bytes.ptr, size);
	return true;
}

static bool id_from_text(struct str text, unsigned char *id, size_t size)
{
	unsigned char bytes[2 * TRACE_BYTES];
	size_t len;

	memset(id, 0, size);
	if (text.len == 0)
		return true;
	if (text.len == 2 * size)
		return hex_decode(text, id, size);
	if (!base64_decode(text, bytes, 2 * size, &len))
		return false;
	if (len == 2 * size)
		return hex_decode((struct str){ (const char *)bytes, len }, id,
				  size);
	if (len != size)
		return false;
	memcpy(id, bytes, size);
	return true;
}

static uint64_t number_of(const unsigned char bytes[SPAN_BYTES])
{
	uint64_t number = 0;

	for (unsigned i = 0; i < SPAN_BYTES; i++)
		number = number << 8 | bytes[i];
	return number;
}

bool trace_id_from_bytes(struct str bytes, struct trace_id *id)
{
	/* 64-bit trace ids are padded on the left everywhere. */
	if (bytes.len == SPAN_BYTES) {
		memset(id->bytes, 0, SPAN_BYTES);
		memcpy(id->bytes + SPAN_BYTES, bytes.ptr, SPAN_BYTES);
		return true;
	}
	return id_from_bytes(bytes, id->bytes, TRACE_BYTES);
}

bool span_id_from_bytes(struct str bytes, uint64_t *id)
{
	unsigned char raw[SPAN_BYTES];

	if (!id_from_bytes(bytes, raw, SPAN_BYTES))
		return false;
	*id = number_of(raw);
	return true;
}

bool trace_id_from_text(struct str text, struct trace_id *id)
{
	if (text.len == 2 * SPAN_BYTES)
		return trace_id_parse(text, id);
	return id_from_text(text, id->bytes, TRACE_BYTES) ||
	       trace_id_parse(text, id);
}

bool span_id_from_text(struct str text, uint64_t *id)
{
	unsigned char raw[SPAN_BYTES];

	if (!id_from_text(text, raw, SPAN_BYTES))
		return false;
	*id = number_of(raw);
	return true;
}

bool trace_id_from_short_text(struct str text, struct trace_id *id)
{
	return trace_id_parse(text, id) || trace_id_from_text(text, id);
}

bool span_id_from_short_text(struct str text, uint64_t *id)
{
	return parse_hex_u64(text, id) || span_id_from_text(text, id);
}
