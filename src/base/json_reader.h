/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside of the JSON reader, for json.c and its tests only.
 */
#ifndef BASE_JSON_READER_H
#define BASE_JSON_READER_H

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/buf.h"
#include "base/error.h"
#include "base/feed.h"
#include "base/limits.h"

/* Enough of a long string to find a character boundary at the limit. */
#define KEPT_BYTES (LIMIT_STRING_BYTES + 4)

/* The least that a window may have: a number is seen whole. */
#define JSON_WINDOW_LEAST (LIMIT_NUMBER_BYTES + 8)

/* The token that the grammar wants next. At depth 0 it is always a value. */
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

/* Length of the bytes that stand for themselves: up to a quote, a backslash,
 * a control or the end. json_plain_run_words() is the same on any machine,
 * eight bytes at a time; sixteen pay (docs/lab/performance.md, "strings by 16
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

#endif
