/* SPDX-License-Identifier: Apache-2.0
 *
 * Reduces a JSON answer to a number of bytes, for readers with a token budget:
 * lists keep their first elements, deep parts are left out, texts truncated,
 * numbers rounded, nulls dropped. `left_out` lists what was removed by JSON
 * pointer (RFC 6901), which can be retrieved by that. The document is parsed
 * repeatedly, never held as a tree.
 */
#ifndef RENDER_REDUCE_H
#define RENDER_REDUCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/out.h"
#include "base/str.h"

/* Bytes per model token, a low estimate: JSON of names and numbers has three to
 * four. */
#define REDUCE_TOKEN_BYTES 3u

/* Smaller budgets would mostly go to the list of what was left out. */
#define REDUCE_LEAST_TOKENS 200u
#define REDUCE_MOST_TOKENS 100000u

struct reduction {
	struct str json; /* an object */
	size_t budget_bytes;
	/* Adds a `cursor` to what was left out: this text, ":", an offset, ":"
	 * and the pointer; NULL: none. */
	const char *cursor_front;
};

/* Appends the reduced object. ERROR_FORMAT if it is not a JSON object. */
bool reduce(const struct reduction *r, struct buf *out,
	    struct error *err) MUST_CHECK;

/* Appends the part at the pointer: of a list, its length and as many elements
 * from `offset` on as fit; else the value alone. ERROR_NOT_FOUND: no such
 * part. */
bool reduce_part(const struct reduction *r, struct str pointer, uint64_t offset,
		 struct buf *out, struct error *err) MUST_CHECK;

/* The format brief: the JSON answer, reduced, as lines of text for pasting into
 * a chat. */

/* Default size of an answer. */
#define BRIEF_TOKENS 2000u

/* json is an object; the last lines list what did not fit. */
void brief_write(struct str json, size_t tokens, struct out *out);

#endif
