/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside of the JSON reader, for json.c (grammar, values) and json_text.c
 * (strings, numbers) only.
 */
#ifndef BASE_JSON_READER_H
#define BASE_JSON_READER_H

#include "base/json.h"

/* Enough of a long string to find a character boundary at the limit. */
#define KEPT_BYTES (LIMIT_STRING_BYTES + 4)

/* What the grammar wants next. At depth 0 it is always a value. */
enum due {
	DUE_VALUE = 0,
	DUE_FIRST, /* just inside a bracket: a first member or the closing */
	DUE_COMMA, /* behind a member: a comma or the closing */
	DUE_COLON, /* behind a key */
};

struct json_reader {
	const char *data; /* unread input is data[at..end) */
	size_t at;
	size_t end;

	enum due due;
	bool is_announced; /* json_next_item said that a value comes */
	unsigned depth;
	unsigned char is_object[LIMIT_JSON_DEPTH / 8];

	struct buf scratch; /* strings that are not in one piece */
	size_t trimmed;
	struct error err;
};

/* Whether so many bytes are left. */
static inline bool json_has(const struct json_reader *r, size_t need)
{
	return r->end - r->at >= need;
}

/* Fails with what stands where something else should. */
bool json_fail_expected(struct json_reader *r, const char *what);

/* Part of a word or a number? */
bool json_is_word_byte(char c);

/* At the opening quote. A string in one piece is shown where it lies. */
bool json_view_string(struct json_reader *r, struct str *text);

/* From behind the opening quote to behind the closing one. sink may be NULL:
 * checked only. What passes max_bytes is not kept. */
bool json_copy_string(struct json_reader *r, struct buf *sink,
		      size_t max_bytes);

/* At the first digit or the sign. Consumes the number, checked. */
bool json_view_number(struct json_reader *r, struct str *text);

#endif
