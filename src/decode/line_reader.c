/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/line_reader.h"

#include <string.h>

void line_reader_init(struct line_reader *r, struct feed *feed,
		      size_t max_bytes)
{
	*r = (struct line_reader){ 0 };
	for (unsigned i = 0; i < 2; i++) {
		buf_init(&r->pieces[i].bytes, max_bytes);
		r->pieces[i].feed = feed;
	}
}

void line_reader_release(struct line_reader *r)
{
	thread_join(&r->ahead);
	for (unsigned i = 0; i < 2; i++)
		buf_release(&r->pieces[i].bytes);
}

/* There is room. */
static void piece_read(void *task)
{
	struct line_piece *p = task;

	p->got = feed_read(p->feed, p->bytes.data + p->bytes.len, p->room);
	buf_commit(&p->bytes, p->got);
}

static bool piece_reserve(struct line_piece *p, size_t room, struct error *err)
{
	p->room = room;
	return buf_reserve(&p->bytes, room) ||
	       buf_check(&p->bytes, "the lines of a file", err);
}

/* Up to the last whole line. */
static struct str whole_lines(struct str text)
{
	return str_slice(text, 0, str_behind_last(text, '\n'));
}

/* What was read ahead, or else is read now. */
static bool take_piece(struct line_reader *r, struct line_piece *p,
		       struct error *err)
{
	thread_join(&r->ahead);
	if (!r->is_ahead) {
		if (!piece_reserve(p, LINE_PIECE_BYTES, err))
			return false;
		piece_read(p);
	}
	r->is_ahead = false;
	return true;
}

/* A line that does not fit makes the piece twice as large. */
static bool find_lines(struct line_piece *p, struct str *lines,
		       struct error *err)
{
	for (;;) {
		*lines = whole_lines(buf_str(&p->bytes));
		if (lines->len || p->got < p->room)
			return true;
		if (!piece_reserve(p, p->bytes.len, err))
			return false;
		piece_read(p);
	}
}

/* What stands behind the whole lines begins the piece after them. */
static bool read_ahead(struct line_reader *r, struct line_piece *p,
		       struct str rest, struct error *err)
{
	buf_clear(&p->bytes);
	buf_add_str(&p->bytes, rest);
	if (!piece_reserve(p, LINE_PIECE_BYTES, err))
		return false;
	r->is_ahead = true;
	thread_start(&r->ahead, piece_read, p);
	return true;
}

bool line_reader_next(struct line_reader *r, struct str *lines,
		      struct error *err)
{
	struct line_piece *before = &r->pieces[r->now];
	struct line_piece *p = &r->pieces[!r->now];
	struct str text;

	r->now = !r->now;
	if (!take_piece(r, p, err) || !find_lines(p, lines, err))
		return false;
	text = buf_str(&p->bytes);
	r->is_end = p->got < p->room;
	if (!r->is_end)
		return read_ahead(r, before,
				  str_slice(text, lines->len, text.len), err);
	*lines = text;
	return feed_check(p->feed, err);
}
