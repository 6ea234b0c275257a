/* SPDX-License-Identifier: Apache-2.0
 *
 * Internals of the JSON reader, for json.c and its tests only.
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

/* Minimum window size: a number must fit as a whole. */
#define JSON_WINDOW_LEAST (LIMIT_NUMBER_BYTES + 8)

/* The token expected next by the grammar. At depth 0 always a value. */
enum due {
	DUE_VALUE = 0,
	/* Just inside a bracket: a first member or the closing bracket. */
	DUE_FIRST,
	DUE_COMMA,   /* after a member: a comma or the closing bracket */
	DUE_COLON,   /* after a key */
	DUE_NOTHING, /* after a failure: disables all fast paths */
};

struct json_reader {
	const char *data; /* unread input is data[at..end), then the feed */
	size_t at;
	size_t end;
	uint64_t passed; /* input bytes before data */

	enum due due;
	/* json_next_item() returned true for the next value. */
	bool is_announced;
	bool is_in_object; /* the innermost level, copied from levels */
	unsigned depth;
	uint64_t levels[FEED_LEVEL_WORDS]; /* a bit per level: object? */

	struct feed *feed; /* NULL: all input is in data */
	char *window;      /* the buffer of data then */
	size_t window_bytes;
	/* Receives the input consumed from raw_from on, or NULL. */
	struct buf *raw;
	size_t raw_from;

	struct buf scratch; /* strings that are not contiguous in data */
	size_t trimmed;
	struct error err;
};

/* Reads a feed through a window of this size, even if it is in memory. */
struct json_reader *json_new_window(struct feed *feed, size_t window_bytes,
				    struct error *err) MUST_CHECK;

/* Returns the length of the run up to a quote, a backslash, a control character
 * or the end. json_plain_run_words() is the portable version, eight bytes at a
 * time; sixteen are worth it (docs/lab/performance.md, "strings by 16
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
