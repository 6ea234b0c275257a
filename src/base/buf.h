/* SPDX-License-Identifier: Apache-2.0
 *
 * A growing byte buffer with a size limit. Appending never fails visibly: after
 * the first failure later appends do nothing, and buf_check() at the end
 * reports it, so callers need not test every append.
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/str.h"

enum buf_state { BUF_OK = 0, BUF_OUT_OF_MEMORY, BUF_OVER_LIMIT };

struct buf {
	char *data; /* NUL-terminated once anything was appended */
	size_t len;
	size_t cap;
	size_t max_bytes;
	enum buf_state state;
};

/* Allocates nothing. */
void buf_init(struct buf *b, size_t max_bytes);
void buf_release(struct buf *b);

/* Overwrites the content; call before buf_release(). Earlier copies left behind
 * when the buffer grew are not reached: reserve enough for a secret up
 * front. */
void buf_wipe(struct buf *b);

/* Empties the buffer and clears the failure; keeps the memory. */
void buf_clear(struct buf *b);

/* Truncates to len bytes. */
void buf_cut(struct buf *b, size_t len);

/* Append. Over the limit or out of memory nothing is added and the state is
 * set: check once, at the end. */
void buf_add(struct buf *b, const void *data, size_t len);
void buf_add_str(struct buf *b, struct str text);
void buf_add_text(struct buf *b, const char *text);
void buf_add_char(struct buf *b, char c);
void buf_addf(struct buf *b, const char *format, ...) PRINTF_LIKE(2, 3);

/* Returns room for len more bytes at the end, or NULL (the state is set).
 * buf_commit() then appends the bytes actually written. */
char *buf_reserve(struct buf *b, size_t len) MUST_CHECK;
void buf_commit(struct buf *b, size_t len);

/* Returns the content, borrowed; ptr is never NULL. */
struct str buf_str(const struct buf *b);

/* Returns the content as a C string, borrowed; "" when empty. */
const char *buf_text(const struct buf *b);

/* Returns false and sets the error if an append failed; `what` names the
 * content. */
bool buf_check(const struct buf *b, const char *what,
	       struct error *err) MUST_CHECK;

#endif
