/* SPDX-License-Identifier: Apache-2.0 */
#include "base/out.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"

/* A pipe holds this much; larger chunks save no calls. */
#define CHUNK_BYTES (64 * KIB)

bool out_init_fd(struct out *o, int fd, struct error *err)
{
	*o = (struct out){ .fd = fd, .chunk = mem_alloc(CHUNK_BYTES) };
	return o->chunk || error_memory(err, "the output");
}

void out_init_memory(struct out *o, struct buf *memory)
{
	*o = (struct out){ .fd = -1, .memory = memory };
}

void out_release(struct out *o)
{
	mem_free(o->chunk);
	*o = (struct out){ .fd = -1 };
}

static void fail(struct out *o, int error_number)
{
	o->is_failed = true;
	o->error_number = error_number;
}

void out_fail_memory(struct out *o)
{
	if (o->memory)
		o->memory->state = BUF_OUT_OF_MEMORY;
	else if (!o->is_failed)
		fail(o, ENOMEM);
}

static bool is_worth_retry(int fd, int error_number)
{
	struct pollfd ready = { .fd = fd, .events = POLLOUT };

	if (error_number == EINTR)
		return true;
	/* A terminal or pipe that another process made non-blocking. */
	if (error_number != EAGAIN)
		return false;
	return poll(&ready, 1, -1) >= 0 || errno == EINTR;
}

static void write_all(struct out *o, const char *data, size_t len)
{
	while (len && !o->is_failed) {
		ssize_t done = write(o->fd, data, len);

		if (done >= 0) {
			data += done;
			len -= (size_t)done;
		} else if (!is_worth_retry(o->fd, errno)) {
			fail(o, errno);
		}
	}
}

static void flush(struct out *o)
{
	write_all(o, o->chunk, o->used);
	o->used = 0;
}

void out_wipe(struct out *o)
{
	size_t used = o->used;

	flush(o);
	if (o->chunk)
		mem_wipe(o->chunk, used);
}

void out_add(struct out *o, const void *data, size_t len)
{
	if (o->memory) {
		buf_add(o->memory, data, len);
		return;
	}
	if (o->is_failed || !len)
		return;
	if (len > CHUNK_BYTES - o->used)
		flush(o);
	if (len >= CHUNK_BYTES) {
		write_all(o, data, len);
		return;
	}
	memcpy(o->chunk + o->used, data, len);
	o->used += len;
}

void out_str(struct out *o, struct str text)
{
	out_add(o, text.ptr, text.len);
}

void out_text(struct out *o, const char *text)
{
	out_add(o, text, strlen(text));
}

void out_char(struct out *o, char c)
{
	out_add(o, &c, 1);
}

void out_repeat(struct out *o, const char *text, size_t times)
{
	size_t len = strlen(text);

	while (times--)
		out_add(o, text, len);
}

void out_int(struct out *o, int64_t value)
{
	char text[1 + DIGITS_U64] = "-";
	char *digits = text + (value < 0);

	out_add(o, text,
		(size_t)(put_u64(digits, magnitude_i64(value), 1) - text));
}

/* Text too long for the stack goes through a buffer of its own. */
static PRINTF_LIKE(3, 0) void add_long(struct out *o, size_t len,
				       const char *format, va_list args)
{
	char *text = mem_alloc(len + 1);

	if (!text) {
		out_fail_memory(o);
		return;
	}
	vsnprintf(text, len + 1, format, args);
	out_add(o, text, len);
	mem_free(text);
}

void outf(struct out *o, const char *format, ...)
{
	char text[512];
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (len < 0)
		return;
	if ((size_t)len < sizeof text) {
		out_add(o, text, (size_t)len);
		return;
	}
	va_start(args, format);
	add_long(o, (size_t)len, format, args);
	va_end(args);
}

bool out_finish(struct out *o, const char *name, struct error *err)
{
	if (o->memory)
		return buf_check(o->memory, name, err);
	flush(o);
	if (!o->is_failed)
		return true;
	return error_set(err, ERROR_OUTPUT, "%s: cannot write: %s", name,
			 strerror(o->error_number));
}

bool out_is_broken_pipe(const struct out *o)
{
	return o->is_failed && o->error_number == EPIPE;
}
