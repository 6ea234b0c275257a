/* SPDX-License-Identifier: Apache-2.0
 *
 * A machine's answer cut to a number of bytes, for readers to whom each costs:
 * lists keep their first elements, what lies deep is left out, texts are
 * trimmed, numbers rounded, and what has no value is dropped. What was left out
 * is listed in `left_out`, by its JSON pointer (RFC 6901), and can be had by
 * that. The document is read as often as it takes, never held.
 */
#ifndef RENDER_REDUCE_H
#define RENDER_REDUCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/out.h"
#include "base/str.h"

/* The bytes of a token of a model, taken low: JSON of names and numbers has
 * three to four bytes in each. */
#define REDUCE_TOKEN_BYTES 3u

/* Names of what was left out take most of less. */
#define REDUCE_LEAST_TOKENS 200u
#define REDUCE_MOST_TOKENS 100000u

struct reduction {
	struct str json; /* an object */
	size_t budget_bytes;
	/* What was left out gets a `cursor` of this, ":", an offset, ":" and
	 * the pointer; NULL: none. */
	const char *cursor_front;
};

/* Appends the reduced object. ERROR_FORMAT for what is no JSON object. */
bool reduce(const struct reduction *r, struct buf *out,
	    struct error *err) MUST_CHECK;

/* Appends what the pointer means: of a list as many elements from this one on
 * as fit, and how many there are; else the value alone. ERROR_NOT_FOUND: there
 * is no such part. */
bool reduce_part(const struct reduction *r, struct str pointer, uint64_t offset,
		 struct buf *out, struct error *err) MUST_CHECK;

/* An answer in short, to be pasted into a chat: the machine's answer, reduced,
 * as lines of text. */

/* The size of an answer by default. */
#define BRIEF_TOKENS 2000u

/* json is an object; what it has no room for is told in the last lines. */
void brief_write(struct str json, size_t tokens, struct out *out);

#endif
