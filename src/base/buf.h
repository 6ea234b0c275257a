/* SPDX-License-Identifier: Apache-2.0
 *
 * A growing byte buffer with a ceiling from birth. Appending never reports:
 * the first failure sticks, later appends do nothing, and buf_check() at the
 * end tells it. So text is built without a test on every line.
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

/* No allocation happens here. */
void buf_init(struct buf *b, size_t max_bytes);
void buf_release(struct buf *b);

/* Overwrites all that it ever held, before a release. What it held before it
 * grew is not reached: reserve enough for a secret at once. */
void buf_wipe(struct buf *b);

/* Empties it and forgets a failure; memory is kept for reuse. */
void buf_clear(struct buf *b);

/* Keeps the first len bytes. */
void buf_cut(struct buf *b, size_t len);

/* Appended. Past the ceiling, or without memory, nothing is added and the
 * state says so from then on: check once, at the end. */
void buf_add(struct buf *b, const void *data, size_t len);
void buf_add_str(struct buf *b, struct str text);
void buf_add_text(struct buf *b, const char *text);
void buf_add_char(struct buf *b, char c);
void buf_addf(struct buf *b, const char *format, ...) PRINTF_LIKE(2, 3);

/* Room for len more bytes at data + buf.len, or NULL (state is set). Call
 * buf_commit() with what was really written. */
char *buf_reserve(struct buf *b, size_t len) MUST_CHECK;
void buf_commit(struct buf *b, size_t len);

/* Borrowed view of the content; never a NULL pointer. */
struct str buf_str(const struct buf *b);

/* As a C string, "" when empty. */
const char *buf_text(const struct buf *b);

/* False and an error when an append failed; `what` names the content. */
bool buf_check(const struct buf *b, const char *what,
	       struct error *err) MUST_CHECK;

#endif
