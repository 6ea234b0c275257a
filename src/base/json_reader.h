/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside of the JSON reader, for json.c (grammar, values), json_text.c
 * (strings, numbers) and their tests only.
 */
#ifndef BASE_JSON_READER_H
#define BASE_JSON_READER_H

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/ascii.h"
#include "base/json.h"

/* Enough of a long string to find a character boundary at the limit. */
#define KEPT_BYTES (LIMIT_STRING_BYTES + 4)

/* Of a feed at a time: fits the second cache of any machine. */
#define JSON_WINDOW_BYTES (256 * KIB)
/* The least that a window may have: a number is seen whole. */
#define JSON_WINDOW_LEAST (LIMIT_NUMBER_BYTES + 8)

/* What the grammar wants next. At depth 0 it is always a value. */
enum due {
	DUE_VALUE = 0,
	DUE_FIRST,   /* just inside a bracket: a first member or the closing */
	DUE_COMMA,   /* behind a member: a comma or the closing */
	DUE_COLON,   /* behind a key */
	DUE_NOTHING, /* it failed: no quick way is open any more */
};

struct json_reader {
	const char *data; /* unread input is data[at..end), then the feed */
	size_t at;
	size_t end;
	uint64_t passed; /* bytes of the input in front of data */

	enum due due;
	bool is_announced; /* json_next_item said that a value comes */
	bool is_in_object; /* what levels say of the innermost level */
	unsigned depth;
	uint64_t levels[FEED_LEVEL_WORDS]; /* a bit each: an object? */

	struct feed *feed; /* NULL: all is in data */
	char *window;      /* what data is then */
	size_t window_bytes;
	struct buf *raw; /* takes what is passed from raw_from on, or NULL */
	size_t raw_from;

	struct buf scratch; /* strings that are not in one piece */
	size_t trimmed;
	struct error err;
};

/* Over a feed with a window of this size even when it lies in memory. */
struct json_reader *json_new_window(struct feed *feed, size_t window_bytes,
				    struct error *err) MUST_CHECK;

/* Moves the window: unread bytes keep their distance from r->at, which
 * becomes 0, and more follow them. False at the end of the input, and when
 * the unread ones fill the window. */
bool json_more(struct json_reader *r);

/* Whether so many bytes are left. */
static inline bool json_has(struct json_reader *r, size_t need)
{
	while (r->end - r->at < need)
		if (!json_more(r))
			return false;
	return true;
}

/* Fails with what stands where something else should. */
bool json_fail_expected(struct json_reader *r, const char *what);

static inline bool json_is_number_byte(char c)
{
	return ascii_is_digit(c) || c == '-' || c == '+' || c == '.' ||
	       c == 'e' || c == 'E';
}

/* Part of a word or a number? */
static inline bool json_is_word_byte(char c)
{
	return ascii_is_alnum(c) || c == '_';
}

/* Length of the bytes that stand for themselves: up to a quote, a backslash,
 * a control or the end. json_plain_run_words() is the same on any machine,
 * eight bytes at a time; sixteen pay (docs/performance.md, "strings by 16
 * bytes"). */
size_t json_plain_run_words(const char *text, size_t len);

static inline size_t json_plain_run(const char *text, size_t len)
{
	size_t at = 0;

#ifdef __SSE2__
	for (; len - at >= 16; at += 16) {
		__m128i bytes = _mm_loadu_si128((const void *)(text + at));
		__m128i control = _mm_set1_epi8(0x1F);
		__m128i special = _mm_or_si128(
			_mm_or_si128(
				_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')),
				_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'))),
			_mm_cmpeq_epi8(_mm_min_epu8(bytes, control), bytes));
		unsigned mask = (unsigned)_mm_movemask_epi8(special);

		if (mask)
			return at + (unsigned)__builtin_ctz(mask);
	}
#endif
	return at + json_plain_run_words(text + at, len - at);
}

/* At the opening quote. A string in one piece is shown where it lies. */
bool json_view_any_string(struct json_reader *r, struct str *text);

/* The same, with the ordinary case in line. */
static inline bool json_view_string(struct json_reader *r, struct str *text)
{
	const char *start = r->data + r->at + 1;
	size_t run = json_plain_run(start, r->end - r->at - 1);
	size_t behind = r->at + 1 + run;

	if (behind == r->end || *(start + run) != '"' ||
	    run > LIMIT_STRING_BYTES)
		return json_view_any_string(r, text);
	*text = (struct str){ start, run };
	r->at = behind + 1;
	return true;
}

/* From behind the opening quote to behind the closing one. sink may be NULL:
 * checked only. What passes max_bytes is not kept. */
bool json_copy_string(struct json_reader *r, struct buf *sink,
		      size_t max_bytes);

/* At the opening quote. Consumes the string, checked. */
static inline bool json_pass_string(struct json_reader *r)
{
	size_t start = ++r->at;
	size_t run = json_plain_run(r->data + start, r->end - start);

	if (start + run == r->end || r->data[start + run] != '"')
		return json_copy_string(r, NULL, 0);
	r->at = start + run + 1;
	return true;
}

static inline bool json_is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* Behind an opening bracket or a member: passes over members and closing
 * brackets as long as they are ordinary and whole in sight, out to this depth.
 * What is not ordinary, damage included, is where r stands then. */
void json_skip_ahead(struct json_reader *r, unsigned outer);

/* How many digits a plain whole number has; 0 when it is anything else or may
 * go on behind what is in sight. */
static inline size_t json_whole_digits(const char *text, size_t len)
{
	size_t count = 0;

	while (count < len && ascii_is_digit(text[count]))
		count++;
	if (count == len || (text[0] == '0' && count > 1) ||
	    json_is_number_byte(text[count]) || json_is_word_byte(text[count]))
		return 0;
	return count < LIMIT_NUMBER_BYTES ? count : 0;
}

/* At the first digit or the sign. Consumes the number, checked. */
bool json_view_number(struct json_reader *r, struct str *text);

#endif
