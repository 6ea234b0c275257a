/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/values.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"

/* Attribute values as text, see values.h. */

#define KEPT_BYTES (LIMIT_STRING_BYTES + 16)

void value_init(struct value_text *v)
{
	*v = (struct value_text){ 0 };
	buf_init(&v->buf, KEPT_BYTES);
}

void value_release(struct value_text *v)
{
	buf_release(&v->buf);
}

void value_clear(struct value_text *v)
{
	buf_clear(&v->buf);
	v->depth = 0;
}

/* Appends as much as fits: text is truncated. */
static void value_text_add(struct value_text *v, struct str text)
{
	buf_add_str(&v->buf, str_slice(text, 0, KEPT_BYTES - v->buf.len));
}

static void add_char(struct value_text *v, char c)
{
	value_text_add(v, (struct str){ &c, 1 });
}

/* Writes the comma before the second and later members. In strings the last
 * byte is the closing quote, so the last byte decides. */
static void value_separate(struct value_text *v)
{
	char last = v->buf.len ? v->buf.data[v->buf.len - 1] : '[';

	if (v->depth && last != '[' && last != '{' && last != ':')
		add_char(v, ',');
}

void value_open(struct value_text *v, char bracket)
{
	value_separate(v);
	add_char(v, bracket);
	v->depth++;
}

void value_close(struct value_text *v, char bracket)
{
	v->depth--;
	add_char(v, bracket);
}

static void add_quoted(struct value_text *v, struct str text)
{
	add_char(v, '"');
	for (size_t i = 0; i < text.len && v->buf.len < KEPT_BYTES; i++) {
		unsigned char c = (unsigned char)text.ptr[i];
		char escaped[8];

		if (c == '"' || c == '\\') {
			add_char(v, '\\');
			add_char(v, (char)c);
		} else if (c < 0x20) {
			snprintf(escaped, sizeof escaped, "\\u%04x", c);
			value_text_add(v, str_from(escaped));
		} else {
			add_char(v, (char)c);
		}
	}
	add_char(v, '"');
}

void value_key(struct value_text *v, struct str key)
{
	value_separate(v);
	add_quoted(v, key);
	add_char(v, ':');
}

void value_string(struct value_text *v, struct str text)
{
	value_separate(v);
	if (v->depth)
		add_quoted(v, text);
	else
		value_text_add(v, text);
}

/* Writes a value that is not quoted in JSON. */
static void add_bare(struct value_text *v, struct str text)
{
	value_separate(v);
	value_text_add(v, text);
}

void value_bool(struct value_text *v, bool value)
{
	add_bare(v, value ? STR("true") : STR("false"));
}

void value_null(struct value_text *v)
{
	if (v->depth)
		add_bare(v, STR("null"));
}

void value_i64(struct value_text *v, int64_t value)
{
	char text[24];

	snprintf(text, sizeof text, "%" PRId64, value);
	add_bare(v, str_from(text));
}

void value_f64(struct value_text *v, double value)
{
	char text[40] = "NaN";
	double back;

	if (isinf(value))
		snprintf(text, sizeof text, "%sInfinity", value > 0 ? "" : "-");
	/* The shortest digits that read back as the same number. */
	for (int digits = 15; digits <= 17 && isfinite(value); digits++) {
		snprintf(text, sizeof text, "%.*g", digits, value);
		if (parse_f64(str_from(text), &back) &&
		    !memcmp(&back, &value, sizeof back))
			break;
	}
	add_bare(v, str_from(text));
}

void value_bytes(struct value_text *v, struct str bytes)
{
	bool is_quoted = v->depth > 0;

	value_separate(v);
	if (is_quoted)
		add_char(v, '"');
	/* Multiples of three bytes concatenate without padding. */
	while (bytes.len && v->buf.len < KEPT_BYTES) {
		struct str piece = str_slice(bytes, 0, 48);
		char text[4 * 16 + 1];

		base64_encode((const unsigned char *)piece.ptr, piece.len,
			      text);
		value_text_add(v, str_from(text));
		bytes = str_slice(bytes, piece.len, bytes.len);
	}
	if (is_quoted)
		add_char(v, '"');
}

bool value_check(const struct value_text *v, struct str *text,
		 struct error *err)
{
	*text = buf_str(&v->buf);
	return buf_check(&v->buf, "an attribute's value", err);
}

/* Trace and span ids, see values.h. */

#define TRACE_BYTES 16
#define SPAN_BYTES 8

static bool id_from_bytes(struct str bytes, unsigned char *id, size_t size)
{
	memset(id, 0, size);
	if (bytes.len == 0)
		return true;
	if (bytes.len != size) {
		char text[4 * ((TRACE_BYTES * 3 / 2 + 2) / 3) + 1];

		/* Hex text decoded as base64 has 3/2 of the id's bytes.
		 * Encoding restores the digits. */
		if (bytes.len != size * 3 / 2)
			return false;
		base64_encode((const unsigned char *)bytes.ptr, bytes.len,
			      text);
		return hex_decode((struct str){ text, 2 * size }, id, size);
	}
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
	/* 64-bit trace ids are zero-padded on the left. */
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
