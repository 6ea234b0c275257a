/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads protobuf fields out of bytes in memory, nothing copied, nothing
 * allocated. Knows the wire format, no schema: a decoder switches on the tag
 * (number and type in one), so a field of an unexpected type falls through
 * as unknown, as protobuf asks.
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
	uint64_t value;   /* varint and fixed types; of WIRE_BYTES the length */
	struct str bytes; /* WIRE_BYTES only; borrowed */
};

/* One message being read. */
struct wire {
	struct str bytes;
	size_t at;
	size_t start; /* offset of this message in the whole input */
	unsigned depth;
	const char *failure; /* NULL while all is well */
	size_t failed_at;
	bool is_short; /* it failed for want of bytes */
};

/* The bytes of a length in front of a message, the first byte first, as the
 * collector's file exporter writes it ("format: proto"). */
#define WIRE_LENGTH_BYTES ((size_t)4)

/* The outermost message of a feed, of which a window is in memory, as large
 * as the largest field of this message needs. */
struct wire_feed {
	struct wire w; /* over the window */
	struct feed *feed;
	struct buf window;
	uint64_t field_start; /* offset of the last field in the input */
};

/* The outermost message. */
void wire_init(struct wire *w, struct str bytes);

/* From where the feed, which is borrowed, stands. */
void wire_feed_init(struct wire_feed *wf, struct feed *feed);
void wire_feed_release(struct wire_feed *wf);

/* wire_check() of the outermost message, and whether there was room for all of
 * its fields: where there is none it seems to end. */
bool wire_feed_check(const struct wire_feed *wf, const char *what,
		     struct error *err) MUST_CHECK;

/* Goes on at this offset, where a field begins. */
void wire_feed_seek(struct wire_feed *wf, uint64_t offset);

/* Passes over the length, in four bytes, that may stand here in front of a message:
 * below 128 MiB it begins with a byte that no field does, since none has number 0. */
void wire_feed_skip_length(struct wire_feed *wf);

/* The message (or packed array) in a WIRE_BYTES field of `parent`. */
static inline struct wire wire_inside(const struct wire *parent,
				      const struct wire_field *f)
{
	return (struct wire){
		.bytes = f->bytes,
		.start = parent->start + parent->at - f->bytes.len,
		.depth = parent->depth + 1,
	};
}

/* The same for messages that may hold themselves. False, with the parent
 * failed, when nested past LIMIT_PB_DEPTH. */
bool wire_enter(struct wire *parent, const struct wire_field *f,
		struct wire *child) MUST_CHECK;

/* Records a failure of the caller's at the current place; the text must be a
 * literal. Returns false. */
bool wire_fail(struct wire *w, const char *failure);

/* The same, where more bytes might mend it. */
bool wire_fail_short(struct wire *w, const char *failure);

/* The parts of the readers below that are seldom needed: the field that begins
 * at `at` in the window does not end there. */
bool wire_feed_widen(struct wire_feed *wf, size_t at,
		     struct wire_field *f) MUST_CHECK;
bool wire_read_long(struct wire *w, uint64_t *value) MUST_CHECK;
bool wire_read_other(struct wire *w, struct wire_field *f) MUST_CHECK;

/* Tags and most lengths are one byte. The more callers there are the less a
 * compiler inlines by itself. */
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

/* The next field; false at the end of the message or on failure. Inline:
 * large inputs have hundreds of millions of them. */
MUST_CHECK static inline bool wire_next(struct wire *w, struct wire_field *f)
{
	uint64_t tag = 0;

	if (w->failure || w->at == w->bytes.len || !wire_read_varint(w, &tag))
		return false;
	/* Of number 0 and so below 8, or of more than 29 bits. */
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

/* The next field of the outermost message, whole, valid until the next call;
 * false at the end or on failure of wf->w. */
MUST_CHECK static inline bool wire_feed_next(struct wire_feed *wf,
					     struct wire_field *f)
{
	size_t at = wf->w.at;

	wf->field_start = wf->w.start + at;
	return wire_next(&wf->w, f) || wire_feed_widen(wf, at, f);
}

/* The next element of a packed array of varints; false as above. */
MUST_CHECK static inline bool wire_next_varint(struct wire *w, uint64_t *value)
{
	if (w->failure || w->at == w->bytes.len)
		return false;
	return wire_read_varint(w, value);
}

/* False and the error (ERROR_FORMAT, with byte offset) when reading failed.
 * `what` names the format. */
bool wire_check(const struct wire *w, const char *what,
		struct error *err) MUST_CHECK;

#endif
