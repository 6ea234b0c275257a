/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/wire.h"

#include <string.h>

#include "base/mem.h"
#include "base/num.h"

/* Initial window size of a feed. */
#define WINDOW_BYTES (64 * KIB)

void wire_init(struct wire *w, struct str bytes)
{
	*w = (struct wire){ .bytes = bytes };
}

bool wire_fail(struct wire *w, const char *failure)
{
	if (!w->failure) {
		w->failure = failure;
		w->failed_at = w->start + w->at;
	}
	return false;
}

bool wire_fail_short(struct wire *w, const char *failure)
{
	w->is_short = true;
	return wire_fail(w, failure);
}

bool wire_enter(struct wire *parent, const struct wire_field *f,
		struct wire *child)
{
	*child = wire_inside(parent, f);
	if (child->depth < LIMIT_PB_DEPTH)
		return true;
	return wire_fail(parent, "messages are nested too deeply");
}

bool wire_read_long(struct wire *w, uint64_t *value)
{
	uint64_t sum = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		unsigned char byte;

		if (w->at == w->bytes.len)
			return wire_fail_short(w, "ends inside a number");
		byte = (unsigned char)w->bytes.ptr[w->at++];
		if (shift == 63 && byte > 1)
			break;
		sum |= (uint64_t)(byte & 0x7F) << shift;
		if (byte < 0x80) {
			*value = sum;
			return true;
		}
	}
	return wire_fail(w, "a number has more than 64 bits");
}

/* Little-endian, whatever the machine. */
static bool read_fixed(struct wire *w, unsigned size, uint64_t *value)
{
	uint64_t sum = 0;

	if (w->bytes.len - w->at < size)
		return wire_fail_short(w, "ends inside a number");
	for (unsigned i = 0; i < size; i++)
		sum |= (uint64_t)(unsigned char)w->bytes.ptr[w->at + i]
		       << (8 * i);
	w->at += size;
	*value = sum;
	return true;
}

bool wire_read_other(struct wire *w, struct wire_field *f)
{
	switch (f->tag & 7) {
	case WIRE_FIXED64:
		return read_fixed(w, 8, &f->value);
	case WIRE_FIXED32:
		return read_fixed(w, 4, &f->value);
	default:
		return wire_fail(w, "a field has an impossible type");
	}
}

void wire_feed_init(struct wire_feed *wf, struct feed *feed)
{
	struct str bytes;

	*wf = (struct wire_feed){ .feed = feed };
	buf_init(&wf->window, LIMIT_FILE_PLAIN_BYTES);
	if (feed_in_memory(feed, &bytes))
		wf->feed = NULL;
	wire_init(&wf->w, bytes);
}

void wire_feed_release(struct wire_feed *wf)
{
	buf_release(&wf->window);
}

void wire_feed_seek(struct wire_feed *wf, uint64_t offset)
{
	if (!wf->feed) {
		wf->w.at = min_size((size_t)offset, wf->w.bytes.len);
		return;
	}
	feed_seek(wf->feed, offset);
	wf->w = (struct wire){ .bytes = STR(""), .start = offset };
}

/* Moves the window to begin at `at`, and enlarges it if the field there fills
 * more than half. Returns false at the end of the input. */
static bool window_more(struct wire_feed *wf, size_t at)
{
	struct str kept = str_slice(wf->w.bytes, at, SIZE_MAX);
	struct buf *window = &wf->window;
	size_t room, got;
	char *into;

	if (!wf->feed)
		return false;
	if (kept.len)
		memmove(window->data, kept.ptr, kept.len);
	window->len = kept.len;
	room = kept.len * 2 > WINDOW_BYTES ? kept.len * 2 : WINDOW_BYTES;
	room -= kept.len;
	into = buf_reserve(window, room);
	got = into ? feed_read(wf->feed, into, room) : 0;
	if (!got)
		return false;
	buf_commit(window, got);
	wf->w = (struct wire){
		.bytes = buf_str(window),
		.start = wf->w.start + at,
	};
	return true;
}

bool wire_feed_widen(struct wire_feed *wf, size_t at, struct wire_field *f)
{
	do {
		if ((wf->w.failure && !wf->w.is_short) || !window_more(wf, at))
			return false;
		at = 0;
	} while (!wire_next(&wf->w, f));
	return true;
}

void wire_feed_skip_length(struct wire_feed *wf)
{
	while (wf->w.bytes.len - wf->w.at < WIRE_LENGTH_BYTES)
		if (!window_more(wf, wf->w.at))
			return;
	if ((unsigned char)wf->w.bytes.ptr[wf->w.at] < WIRE_TAG(1, 0))
		wf->w.at += WIRE_LENGTH_BYTES;
}

bool wire_check(const struct wire *w, const char *what, struct error *err)
{
	if (!w->failure)
		return true;
	return error_set(err, ERROR_FORMAT,
			 "%s is damaged or cut off at byte %zu: %s", what,
			 w->failed_at, w->failure);
}

bool wire_feed_check(const struct wire_feed *wf, const char *what,
		     struct error *err)
{
	return buf_check(&wf->window, what, err) &&
	       wire_check(&wf->w, what, err);
}
