/* SPDX-License-Identifier: Apache-2.0 */
#include "base/ascii.h"
#include "base/json_reader.h"

#include "base/num.h"
#include "base/word.h"

/* The top bit of each byte that is a quote, a backslash or a control; above the
 * first of them others may be set too, by what it borrowed. */
static uint64_t special_bytes(uint64_t word)
{
	const uint64_t ones = 0x0101010101010101u;
	uint64_t quote = word ^ ones * '"';
	uint64_t slash = word ^ ones * '\\';

	return (((word - ones * 0x20) & ~word) | ((quote - ones) & ~quote) |
		((slash - ones) & ~slash)) &
	       ones << 7;
}

size_t json_plain_run_words(const char *text, size_t len)
{
	size_t at = 0;

	for (; len - at >= 8; at += 8) {
		uint64_t special = special_bytes(load_word(text + at));

		if (special)
			return at + (size_t)__builtin_ctzll(special) / 8;
	}
	while (at < len && (unsigned char)text[at] >= 0x20 && text[at] != '"' &&
	       text[at] != '\\')
		at++;
	return at;
}

/* Appends to a sink that may be missing (skipping) or full (trimming). */
static void keep_text(struct buf *sink, size_t max_bytes, const char *text,
		      size_t len)
{
	if (!sink || sink->len >= max_bytes)
		return;
	if (len > max_bytes - sink->len)
		len = max_bytes - sink->len;
	buf_add(sink, text, len);
}

static void keep_code(struct buf *sink, size_t max_bytes, unsigned code)
{
	char text[4];
	size_t len = 0;

	if (code < 0x80) {
		text[len++] = (char)code;
	} else if (code < 0x800) {
		text[len++] = (char)(0xC0 | code >> 6);
	} else if (code < 0x10000) {
		text[len++] = (char)(0xE0 | code >> 12);
		text[len++] = (char)(0x80 | (code >> 6 & 0x3F));
	} else {
		text[len++] = (char)(0xF0 | code >> 18);
		text[len++] = (char)(0x80 | (code >> 12 & 0x3F));
		text[len++] = (char)(0x80 | (code >> 6 & 0x3F));
	}
	if (code >= 0x80)
		text[len++] = (char)(0x80 | (code & 0x3F));
	keep_text(sink, max_bytes, text, len);
}

/* The four digits of a \u escape that begins `ahead` bytes from here. */
static bool peek_unit(struct json_reader *r, size_t ahead, unsigned *unit)
{
	uint64_t value;

	if (!json_has(r, ahead + 6) || r->data[r->at + ahead] != '\\' ||
	    r->data[r->at + ahead + 1] != 'u' ||
	    !parse_hex_u64((struct str){ r->data + r->at + ahead + 2, 4 },
			   &value))
		return false;
	*unit = (unsigned)value;
	return true;
}

static bool is_high_surrogate(unsigned unit)
{
	return unit >= 0xD800 && unit < 0xDC00;
}

static bool is_low_surrogate(unsigned unit)
{
	return unit >= 0xDC00 && unit < 0xE000;
}

static bool read_unicode(struct json_reader *r, struct buf *sink,
			 size_t max_bytes)
{
	unsigned unit;
	unsigned low;

	if (!peek_unit(r, 0, &unit))
		return json_fail(r, "\\u without four hex digits in a string");
	if (is_high_surrogate(unit) && peek_unit(r, 6, &low) &&
	    is_low_surrogate(low)) {
		unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
		r->at += 6;
	} else if (is_high_surrogate(unit) || is_low_surrogate(unit)) {
		unit = 0xFFFD;
	}
	r->at += 6;
	keep_code(sink, max_bytes, unit);
	return true;
}

/* At a backslash. */
static bool read_escape(struct json_reader *r, struct buf *sink,
			size_t max_bytes)
{
	static const char pairs[] = "\"\"\\\\//b\bf\fn\nr\rt\t";
	char c;

	if (!json_has(r, 2)) {
		r->at = r->end;
		return json_fail_expected(r, "the rest of a string");
	}
	c = r->data[r->at + 1];
	if (c == 'u')
		return read_unicode(r, sink, max_bytes);
	for (size_t i = 0; i + 1 < sizeof pairs; i += 2) {
		if (pairs[i] == c) {
			r->at += 2;
			keep_text(sink, max_bytes, &pairs[i + 1], 1);
			return true;
		}
	}
	return json_fail(r, "unknown escape in a string");
}

bool json_copy_string(struct json_reader *r, struct buf *sink, size_t max_bytes)
{
	for (;;) {
		size_t run = json_plain_run(r->data + r->at, r->end - r->at);
		bool is_done;

		keep_text(sink, max_bytes, r->data + r->at, run);
		r->at += run;
		if (!json_has(r, 1))
			return json_fail(r, "the text ends inside a string");
		is_done = r->data[r->at] == '"';
		if (is_done) {
			r->at++;
			break;
		}
		if (r->data[r->at] == '\\') {
			if (!read_escape(r, sink, max_bytes))
				return false;
		} else if ((unsigned char)r->data[r->at] < 0x20) {
			return json_fail(r,
					 "bare control byte 0x%02x in a "
					 "string",
					 (unsigned)r->data[r->at]);
		}
	}
	if (json_failed(r))
		return false;
	if (sink && !buf_check(sink, "a JSON string", &r->err))
		r->due = DUE_NOTHING;
	return r->due != DUE_NOTHING;
}

bool json_view_any_string(struct json_reader *r, struct str *text)
{
	size_t run;

	r->at++;
	run = json_plain_run(r->data + r->at, r->end - r->at);
	while (r->at + run == r->end && json_more(r))
		run += json_plain_run(r->data + r->at + run,
				      r->end - r->at - run);
	if (r->at + run < r->end && r->data[r->at + run] == '"') {
		*text = (struct str){ r->data + r->at, run };
		r->at += run + 1;
	} else {
		buf_clear(&r->scratch);
		if (!json_copy_string(r, &r->scratch, KEPT_BYTES))
			return false;
		*text = buf_str(&r->scratch);
	}
	if (text->len > LIMIT_STRING_BYTES) {
		text->len =
			utf8_floor(text->ptr, text->len, LIMIT_STRING_BYTES);
		r->trimmed++;
	}
	return true;
}

bool json_view_number(struct json_reader *r, struct str *text)
{
	size_t len = json_whole_digits(r->data + r->at, r->end - r->at);

	if (len) {
		*text = (struct str){ r->data + r->at, len };
		r->at += len;
		return true;
	}
	while (json_has(r, len + 1) &&
	       json_is_number_byte(r->data[r->at + len]))
		if (++len >= LIMIT_NUMBER_BYTES)
			return json_fail(r, "a number of too many digits");
	*text = (struct str){ r->data + r->at, len };
	if (json_failed(r))
		return false;
	if (!is_decimal(*text) ||
	    (r->at + len < r->end && json_is_word_byte(r->data[r->at + len])))
		return json_fail(r, "malformed number");
	r->at += len;
	return true;
}
