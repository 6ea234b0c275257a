/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads protobuf fields from bytes in memory without copying or allocating.
 * Independent of any schema: decoders switch on the tag (number and type in
 * one), so a field of an unexpected type is treated as unknown, as protobuf
 * requires.
 *
 *   while (wire_next(&w, &f))
 *           switch (f.tag) {
 *           case WIRE_TAG(5, WIRE_BYTES): name = f.bytes; break;
 *           }
 *   return wire_check(&w, "OTLP protobuf", err);
 *
 * The first failure sticks and ends the loop.
 */
#ifndef DECODE_WIRE_H
#define DECODE_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/feed.h"
#include "base/str.h"

enum wire_type {
	WIRE_VARINT = 0,
	WIRE_FIXED64 = 1,
	WIRE_BYTES = 2, /* text, bytes, a message or a packed array */
	WIRE_FIXED32 = 5,
};

#define WIRE_TAG(number, type) ((uint32_t)(number) << 3 | (uint32_t)(type))

struct wire_field {
	uint32_t tag;     /* WIRE_TAG() */
	uint64_t value;   /* varint and fixed types; the length of WIRE_BYTES */
	struct str bytes; /* WIRE_BYTES only; borrowed */
};

/* A message being read. */
struct wire {
	struct str bytes;
	size_t at;
	size_t start; /* offset of this message in the whole input */
	unsigned depth;
	const char *failure; /* NULL if none */
	size_t failed_at;
	bool is_short; /* the failure is a lack of bytes */
};

/* Size of the length before each message, most significant byte first, in files
 * of the Collector's file exporter ("format: proto"). */
#define WIRE_LENGTH_BYTES ((size_t)4)

/* The outermost message of a feed; a window of it is in memory, large enough
 * for its largest field. */
struct wire_feed {
	struct wire w; /* over the window */
	struct feed *feed;
	struct buf window;
	uint64_t field_start; /* offset of the last field in the input */
};

/* The outermost message. */
void wire_init(struct wire *w, struct str bytes);

/* Starts at the feed's current position; the feed is borrowed. */
void wire_feed_init(struct wire_feed *wf, struct feed *feed);
void wire_feed_release(struct wire_feed *wf);

/* wire_check() of the outermost message; also fails if there was no memory for
 * a field, after which the message seems to end. */
bool wire_feed_check(const struct wire_feed *wf, const char *what,
		     struct error *err) MUST_CHECK;

/* Continues at this offset, where a field begins. */
void wire_feed_seek(struct wire_feed *wf, uint64_t offset);

/* Skips a 4-byte length before a message, if there is one. Below 128 MiB its
 * first byte cannot begin a field, since field numbers are not 0. */
void wire_feed_skip_length(struct wire_feed *wf);

/* Returns a reader for the message (or packed array) in a WIRE_BYTES field of
 * `parent`. */
static inline struct wire wire_inside(const struct wire *parent,
				      const struct wire_field *f)
{
	return (struct wire){
		.bytes = f->bytes,
		.start = parent->start + parent->at - f->bytes.len,
		.depth = parent->depth + 1,
	};
}

/* Same for messages that can nest in themselves. Past LIMIT_PB_DEPTH the parent
 * fails and false is returned. */
bool wire_enter(struct wire *parent, const struct wire_field *f,
		struct wire *child) MUST_CHECK;

/* Records a failure of the caller's at the current offset; the text must be a
 * literal. Returns false. */
bool wire_fail(struct wire *w, const char *failure);

/* Same for failures that more bytes might fix. */
bool wire_fail_short(struct wire *w, const char *failure);

/* Slow paths of the readers below. wire_feed_widen(): the field that begins at
 * `at` does not end within the window. */
bool wire_feed_widen(struct wire_feed *wf, size_t at,
		     struct wire_field *f) MUST_CHECK;
bool wire_read_long(struct wire *w, uint64_t *value) MUST_CHECK;
bool wire_read_other(struct wire *w, struct wire_field *f) MUST_CHECK;

/* Tags and most lengths are one byte. always_inline, because with many callers
 * compilers stop inlining on their own. */
__attribute__((always_inline)) static inline bool
wire_read_varint(struct wire *w, uint64_t *value)
{
	if (w->at < w->bytes.len && !(w->bytes.ptr[w->at] & 0x80)) {
		*value = (unsigned char)w->bytes.ptr[w->at++];
		return true;
	}
	return wire_read_long(w, value);
}

static inline bool wire_read_bytes(struct wire *w, struct wire_field *f)
{
	if (!wire_read_varint(w, &f->value))
		return false;
	if (f->value > w->bytes.len - w->at)
		return wire_fail_short(w, "a field is longer than what is "
					  "left");
	f->bytes = (struct str){ w->bytes.ptr + w->at, (size_t)f->value };
	w->at += f->bytes.len;
	return true;
}

/* Reads the next field; false at the end of the message or on failure. Inline:
 * large inputs have hundreds of millions of them. */
MUST_CHECK static inline bool wire_next(struct wire *w, struct wire_field *f)
{
	uint64_t tag = 0;

	if (w->failure || w->at == w->bytes.len || !wire_read_varint(w, &tag))
		return false;
	/* Field number 0, or tag over 32 bits. */
	if (tag - 8 > UINT32_MAX - 8) {
		wire_fail(w, "a field has an impossible number");
		return false;
	}
	f->tag = (uint32_t)tag;
	if ((tag & 7) == WIRE_BYTES)
		return wire_read_bytes(w, f);
	f->bytes = STR("");
	if ((tag & 7) == WIRE_VARINT)
		return wire_read_varint(w, &f->value);
	return wire_read_other(w, f);
}

/* Reads the next field of the outermost message, complete, valid until the next
 * call; false at the end or on failure of wf->w. */
MUST_CHECK static inline bool wire_feed_next(struct wire_feed *wf,
					     struct wire_field *f)
{
	size_t at = wf->w.at;

	wf->field_start = wf->w.start + at;
	return wire_next(&wf->w, f) || wire_feed_widen(wf, at, f);
}

/* Reads the next element of a packed array of varints; false as above. */
MUST_CHECK static inline bool wire_next_varint(struct wire *w, uint64_t *value)
{
	if (w->failure || w->at == w->bytes.len)
		return false;
	return wire_read_varint(w, value);
}

/* Returns false and sets the error (ERROR_FORMAT, with byte offset) if reading
 * failed. `what` names the format. */
bool wire_check(const struct wire *w, const char *what,
		struct error *err) MUST_CHECK;

#endif
