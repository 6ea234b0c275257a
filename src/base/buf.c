/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

#define FIRST_BYTES ((size_t)256)

void buf_init(struct buf *b, size_t max_bytes)
{
	*b = (struct buf){ .max_bytes = max_bytes };
}

void buf_release(struct buf *b)
{
	mem_free(b->data);
	buf_init(b, b->max_bytes);
}

void buf_wipe(struct buf *b)
{
	if (b->data)
		mem_wipe(b->data, b->cap);
}

void buf_clear(struct buf *b)
{
	b->len = 0;
	b->state = BUF_OK;
	if (b->data)
		b->data[0] = '\0';
}

void buf_cut(struct buf *b, size_t len)
{
	if (len >= b->len)
		return;
	b->len = len;
	b->data[len] = '\0';
}

char *buf_reserve(struct buf *b, size_t len)
{
	size_t cap;
	char *grown;

	if (b->state != BUF_OK)
		return NULL;
	if (b->len > b->max_bytes || len > b->max_bytes - b->len ||
	    b->len + len == SIZE_MAX) {
		b->state = BUF_OVER_LIMIT;
		return NULL;
	}
	if (b->len + len < b->cap)
		return b->data + b->len;
	/* Includes a NUL: doubled, but not past the limit. */
	cap = b->cap > FIRST_BYTES / 2 ? b->cap : FIRST_BYTES / 2;
	cap = cap > SIZE_MAX / 2 ? SIZE_MAX : cap * 2;
	if (cap - 1 > b->max_bytes)
		cap = b->max_bytes + 1;
	if (cap <= b->len + len)
		cap = b->len + len + 1;
	grown = mem_realloc(b->data, cap);
	if (!grown) {
		b->state = BUF_OUT_OF_MEMORY;
		return NULL;
	}
	b->data = grown;
	b->cap = cap;
	b->data[b->len] = '\0';
	return b->data + b->len;
}

void buf_commit(struct buf *b, size_t len)
{
	b->len += len;
	b->data[b->len] = '\0';
}

void buf_add(struct buf *b, const void *data, size_t len)
{
	char *room = buf_reserve(b, len);

	if (!room)
		return;
	if (len)
		memcpy(room, data, len);
	buf_commit(b, len);
}

void buf_add_str(struct buf *b, struct str text)
{
	buf_add(b, text.ptr, text.len);
}

void buf_add_text(struct buf *b, const char *text)
{
	buf_add(b, text, strlen(text));
}

void buf_add_char(struct buf *b, char c)
{
	buf_add(b, &c, 1);
}

void buf_addf(struct buf *b, const char *format, ...)
{
	va_list args;
	char *room;
	int len;

	va_start(args, format);
	len = vsnprintf(NULL, 0, format, args);
	va_end(args);
	room = len < 0 ? NULL : buf_reserve(b, (size_t)len);
	if (!room)
		return;
	va_start(args, format);
	vsnprintf(room, (size_t)len + 1, format, args);
	va_end(args);
	buf_commit(b, (size_t)len);
}

struct str buf_str(const struct buf *b)
{
	return b->data ? (struct str){ b->data, b->len } : STR("");
}

const char *buf_text(const struct buf *b)
{
	return b->data ? b->data : "";
}

bool buf_check(const struct buf *b, const char *what, struct error *err)
{
	switch (b->state) {
	case BUF_OK:
		return true;
	case BUF_OUT_OF_MEMORY:
		return error_memory(err, what);
	case BUF_OVER_LIMIT:
		break;
	}
	if (b->max_bytes % MIB == 0)
		return error_set(err, ERROR_LIMIT,
				 "%s is larger than the limit of %zu MiB", what,
				 b->max_bytes / MIB);
	return error_set(err, ERROR_LIMIT,
			 "%s is larger than the limit of %zu bytes", what,
			 b->max_bytes);
}
