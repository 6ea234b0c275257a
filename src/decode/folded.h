/* SPDX-License-Identifier: Apache-2.0
 *
 * The lines of folded stacks as numbers of names: the part of reading that
 * needs no profile, so that it is done beside what is made of the lines
 * before.
 */
#ifndef DECODE_FOLDED_H
#define DECODE_FOLDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/feed.h"
#include "base/str.h"
#include "base/thread.h"

/* The part of a trimmed line before its weight. A stack may begin with '#', as
 * Ruby's "#<Class:Cart>#total" does; metadata of profilers is "# mode: wall".
 */
static inline bool folded_is_comment(struct str stack)
{
	return stack.len > 1 && stack.ptr[0] == '#' &&
	       (stack.ptr[1] == ' ' || stack.ptr[1] == '\t');
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

/* The lines of an input that is larger than the memory spent on it: piece
 * after piece, each of whole lines. While one is looked at the next one is
 * read beside it, which for a packed input takes longer than its lines. */

/* The bytes of an input per thread at a time: larger ones take longer to come
 * from the cache, smaller ones are a thread each too often. */
#define LINE_PIECE_BYTES (1024 * KIB)

struct line_piece {
	struct buf bytes;
	struct feed *feed;
	size_t room; /* bytes asked for last, all of them came but at the end */
	size_t got;
};

struct line_reader {
	struct line_piece pieces[2];
	unsigned now; /* the one whose lines were handed out */
	bool is_ahead;
	bool is_end;
	struct thread ahead; /* reads into the other one */
};

/* The feed is borrowed, and nobody else's, until line_reader_release(). A line
 * of more than max_bytes is refused. */
void line_reader_init(struct line_reader *r, struct feed *feed,
		      size_t max_bytes);
void line_reader_release(struct line_reader *r);

/* The next lines, with their ends; the last of the input may lack its own.
 * Borrowed until the next call. Only at the end (r->is_end) there may be none.
 * False when reading failed or memory lacks. */
bool line_reader_next(struct line_reader *r, struct str *lines,
		      struct error *err) MUST_CHECK;

#endif
