/* SPDX-License-Identifier: Apache-2.0
 *
 * The lines of folded stacks as numbers of names: the part of reading that
 * needs no profile, so that it is done beside what is made of the lines
 * before.
 */
#ifndef DECODE_FOLDED_LINES_H
#define DECODE_FOLDED_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/feed.h"
#include "base/str.h"

/* The part of a trimmed line before its weight. A stack may begin with '#', as
 * Ruby's "#<Class:Cart>#total" does; metadata of profilers is "# mode: wall".
 */
static inline bool folded_is_comment(struct str stack)
{
	return stack.len > 1 && stack.ptr[0] == '#' &&
	       (stack.ptr[1] == ' ' || stack.ptr[1] == '\t');
}

/* The first line without a byte order mark. */
static inline struct str folded_unmarked(struct str text)
{
	return str_slice(text, str_starts(text, STR("\xef\xbb\xbf")) ? 3 : 0,
			 text.len);
}

struct folded_line {
	int64_t weight;
	uint32_t shared; /* frames it begins with, of the stack before */
	uint32_t count;  /* after them; all of them may be LIMIT_LOCATIONS,
			    but of more than LIMIT_STACK_FRAMES none are
			    shared, neither with the stack before nor after */
};

/* Some lines, in the order of the input. */
struct folded_batch {
	struct folded_line *lines;
	uint32_t line_count;
	uint32_t *names; /* of all lines, one after the other */
	size_t name_count;
	size_t name_cap;
	/* Names that were not there before; they are numbered from 0 on, batch
	 * after batch. */
	struct str *texts;
	size_t text_count;
	size_t text_cap;
	bool is_last;
	struct error err; /* then the rest is of no use */
};

struct folded_lines;

/* The feed is borrowed. NULL when out of memory. */
struct folded_lines *folded_lines_new(struct feed *feed,
				      struct error *err) MUST_CHECK;
void folded_lines_free(struct folded_lines *f);

/* The next lines; the last of them (is_last) may be none. Borrowed until the
 * next call, but the texts until folded_lines_free(). */
const struct folded_batch *folded_lines_next(struct folded_lines *f);

/* After the last batch: the last line has no end. */
bool folded_lines_cut_off(const struct folded_lines *f);

/* After the last batch: how long was recorded, if a comment told; or 0. */
int64_t folded_lines_duration_us(const struct folded_lines *f);

/* After the last batch: all lines, of one at least, end in two numbers. */
bool folded_lines_are_pairs(const struct folded_lines *f);

#endif
