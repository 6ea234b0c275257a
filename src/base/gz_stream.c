/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <string.h>

#define ZLIB_CONST
#include <zlib.h>

#include "base/gz.h"
#include "base/gz_limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/zlib_memory.h"

#define CHUNK_BYTES (32 * KIB)

/* 15: the largest window; 32: tell gzip and zlib headers apart; 16: gzip. */
#define WINDOW_BITS (15 + 32)
#define MORE_WINDOW_BITS (15 + 16)

static bool zlib_init(z_stream *z)
{
	memset(z, 0, sizeof *z);
	z->zalloc = zlib_alloc;
	z->zfree = zlib_free;
	return inflateInit2(z, WINDOW_BITS) == Z_OK;
}

static void zlib_set_input(z_stream *z, const char *data, size_t len)
{
	z->next_in = (const unsigned char *)data;
	z->avail_in = (unsigned)len;
}

struct gz_stream {
	z_stream z;
	size_t ceiling_bytes;
	size_t packed_bytes;
	size_t plain_bytes;
	bool is_started;  /* in the middle of a member */
	bool is_complete; /* a member has ended */
	bool is_padded;   /* zeros have followed it */
	bool is_failed;
	unsigned char chunk[CHUNK_BYTES];
};

struct gz_stream *gz_stream_new(size_t ceiling_bytes, struct error *err)
{
	struct gz_stream *z = mem_calloc(1, sizeof *z);

	if (!z || !zlib_init(&z->z)) {
		mem_free(z);
		error_memory(err, "unpacking an answer");
		return NULL;
	}
	z->ceiling_bytes = ceiling_bytes;
	return z;
}

void gz_stream_free(struct gz_stream *z)
{
	if (!z)
		return;
	inflateEnd(&z->z);
	mem_wipe(z, sizeof *z);
	mem_free(z);
}

/* Hands the chunk on, counted. */
static bool take_chunk(struct gz_stream *z, struct buf *out, struct error *err)
{
	size_t len = CHUNK_BYTES - z->z.avail_out;

	z->plain_bytes += len;
	if (z->plain_bytes > z->ceiling_bytes)
		return gz_fail_ceiling("content", z->ceiling_bytes, err);
	if (z->plain_bytes > gz_honest_bytes(z->packed_bytes))
		return gz_fail_bomb("content", err);
	buf_add(out, z->chunk, len);
	return buf_check(out, "content", err);
}

/* Runs zlib until it wants more input or the member ends. */
static bool inflate_step(struct gz_stream *z, struct buf *out,
			 struct error *err)
{
	int status;

	do {
		z->z.next_out = z->chunk;
		z->z.avail_out = CHUNK_BYTES;
		status = inflate(&z->z, Z_NO_FLUSH);
		if (status == Z_MEM_ERROR)
			return error_memory(err, "unpacking an answer");
		if (status != Z_OK && status != Z_STREAM_END &&
		    status != Z_BUF_ERROR)
			return gz_fail_damaged("content", err);
		if (!take_chunk(z, out, err))
			return false;
	} while (status == Z_OK && (z->z.avail_in || !z->z.avail_out));
	if (status == Z_STREAM_END) {
		z->is_started = false;
		z->is_complete = true;
		/* As gz_inflate(): of zlib's format there is one. */
		inflateReset2(&z->z, MORE_WINDOW_BITS);
	}
	return true;
}

static bool feed(struct gz_stream *z, struct str bytes, struct buf *out,
		 struct error *err)
{
	while (bytes.len) {
		size_t step = min_size(bytes.len, INT_MAX);
		size_t used;

		if (z->is_complete && !z->is_started && !bytes.ptr[0]) {
			z->is_padded = true;
			bytes = str_slice(bytes, 1, bytes.len);
			continue;
		}
		if (z->is_padded)
			return gz_fail_damaged("content", err);
		z->is_started = true;
		zlib_set_input(&z->z, bytes.ptr, step);
		z->packed_bytes += step;
		if (!inflate_step(z, out, err))
			return false;
		used = step - z->z.avail_in;
		z->packed_bytes -= step - used;
		bytes = str_slice(bytes, used, bytes.len);
	}
	return true;
}

bool gz_stream_feed(struct gz_stream *z, struct str bytes, struct buf *out,
		    struct error *err)
{
	if (z->is_failed)
		return gz_fail_damaged("content", err);
	z->is_failed = !feed(z, bytes, out, err);
	return !z->is_failed;
}

bool gz_stream_finish(struct gz_stream *z, struct error *err)
{
	if (z->is_failed)
		return gz_fail_damaged("content", err);
	return !z->is_started || gz_fail_truncated("content", err);
}
