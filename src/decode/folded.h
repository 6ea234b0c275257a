/* SPDX-License-Identifier: Apache-2.0
 *
 * Parses lines of folded stacks into name numbers. This part does not access
 * the profile, so it can run in parallel with building it from earlier lines.
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

/* Returns whether a line (trimmed, without its weight) is a comment. A stack
 * may begin with '#', such as Ruby's "#<Class:Cart>#total"; profilers write
 * metadata as "# mode: wall". */
static inline bool folded_is_comment(struct str stack)
{
	return stack.len > 1 && stack.ptr[0] == '#' &&
	       (stack.ptr[1] == ' ' || stack.ptr[1] == '\t');
}

struct folded_line {
	int64_t weight;
	uint32_t shared; /* leading frames shared with the previous stack */
	/* Further frames; both together are at most LIMIT_LOCATIONS. Stacks of
	 * more than LIMIT_STACK_FRAMES share none, neither with the previous
	 * nor with the next. */
	uint32_t count;
};

/* Consecutive lines of the input. */
struct folded_batch {
	struct folded_line *lines;
	uint32_t line_count;
	uint32_t *names; /* frames of all lines, concatenated */
	size_t name_count;
	size_t name_cap;
	/* Names that are new in this batch; numbers continue from batch to
	 * batch, starting with 0. */
	struct str *texts;
	size_t text_count;
	size_t text_cap;
	bool is_last;
	struct error err; /* if set, ignore the rest */
};

struct folded_lines;

/* The feed is borrowed. NULL when out of memory. */
struct folded_lines *folded_lines_new(struct feed *feed,
				      struct error *err) MUST_CHECK;
void folded_lines_free(struct folded_lines *f);

/* Returns the next lines; the last batch (is_last) may be empty. Borrowed until
 * the next call, texts until folded_lines_free(). */
const struct folded_batch *folded_lines_next(struct folded_lines *f);

/* Reads an input larger than memory in pieces of whole lines. The next piece is
 * read in the background while the current one is processed; for compressed
 * input reading takes longer than parsing. */

/* Piece size: larger ones no longer fit into the cache, smaller ones start
 * threads too often. */
#define LINE_PIECE_BYTES (1024 * KIB)

struct line_piece {
	struct buf bytes;
	struct feed *feed;
	size_t room; /* bytes requested; got is less only at the end */
	size_t got;
};

struct line_reader {
	struct line_piece pieces[2];
	unsigned now; /* index of the piece returned last */
	bool is_ahead;
	bool is_end;
	struct thread ahead; /* fills the other piece */
};

/* The feed is borrowed exclusively until line_reader_release(). Lines of more
 * than max_bytes are refused. */
void line_reader_init(struct line_reader *r, struct feed *feed,
		      size_t max_bytes);
void line_reader_release(struct line_reader *r);

/* Returns the next whole lines with their line feeds, which the last line of
 * the input may lack. Borrowed until the next call. Empty only at the end
 * (r->is_end). Returns false on read errors and when out of memory. */
bool line_reader_next(struct line_reader *r, struct str *lines,
		      struct error *err) MUST_CHECK;

#endif
