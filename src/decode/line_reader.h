/* SPDX-License-Identifier: Apache-2.0
 *
 * The lines of an input that is larger than the memory spent on it: piece
 * after piece, each of whole lines. While one is looked at the next one is
 * read beside it, which for a packed input takes longer than its lines.
 */
#ifndef DECODE_LINE_READER_H
#define DECODE_LINE_READER_H

#include "base/buf.h"
#include "base/feed.h"
#include "base/thread.h"

/* Of an input at a time: larger ones take longer to come from the cache,
 * smaller ones are a thread each too often. */
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
