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

/* Goes on at this offset, where a field begins. */
void wire_feed_seek(struct wire_feed *wf, uint64_t offset);

/* The next field of the outermost message, whole, valid until the next call;
 * false at the end or on failure of wf->w. */
bool wire_feed_next(struct wire_feed *wf, struct wire_field *f) MUST_CHECK;

/* The message (or packed array) in a WIRE_BYTES field of `parent`. False,
 * with the parent failed, when nested past LIMIT_PB_DEPTH. */
bool wire_enter(struct wire *parent, const struct wire_field *f,
		struct wire *child) MUST_CHECK;

/* The next field; false at the end of the message or on failure. */
bool wire_next(struct wire *w, struct wire_field *f) MUST_CHECK;

/* The next element of a packed array of varints; false as above. */
bool wire_next_varint(struct wire *w, uint64_t *value) MUST_CHECK;

/* Records a failure of the caller's at the current place; the text must be a
 * literal. Returns false. */
bool wire_fail(struct wire *w, const char *failure);

/* False and the error (ERROR_FORMAT, with byte offset) when reading failed.
 * `what` names the format. */
bool wire_check(const struct wire *w, const char *what,
		struct error *err) MUST_CHECK;

#endif
