/* SPDX-License-Identifier: Apache-2.0 */
#include "base/gz.h"

#include <libdeflate.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"

/* Expansion limit and its error. `what` is the subject of an error, or NULL if
 * the caller adds it. */

#define LIMIT_EXPANSION_FREE_BYTES MIB

/* Maximum compression ratio. Repetitive JSON reaches 100:1; small inputs may
 * exceed it, so it applies after the first MiB. */
#define LIMIT_EXPANSION_RATIO 200u

/* Returns the largest plausible decompressed size. */
static size_t gz_honest_bytes(size_t packed_bytes)
{
	if (packed_bytes >
	    (SIZE_MAX - LIMIT_EXPANSION_FREE_BYTES) / LIMIT_EXPANSION_RATIO)
		return SIZE_MAX;
	return LIMIT_EXPANSION_FREE_BYTES +
	       packed_bytes * LIMIT_EXPANSION_RATIO;
}

/* what: the subject, or NULL where the caller has one. */
static bool unpack_fail(const char *what, struct error *err)
{
	return what ? error_prefix(err, "%s", what) : false;
}

static bool gz_fail_bomb(const char *what, struct error *err)
{
	error_set(err, ERROR_LIMIT,
		  "unpacks to more than %u times its size; refused as a "
		  "decompression bomb",
		  LIMIT_EXPANSION_RATIO);
	return unpack_fail(what, err);
}

static bool gz_fail_ceiling(const char *what, size_t ceiling_bytes,
			    struct error *err)
{
	bool is_even = ceiling_bytes % MIB == 0;

	error_set(err, ERROR_LIMIT, "unpacks to more than the limit of %zu %s",
		  is_even ? ceiling_bytes / MIB : ceiling_bytes,
		  is_even ? "MiB" : "bytes");
	return unpack_fail(what, err);
}

static bool gz_fail_truncated(const char *what, struct error *err)
{
	error_set(err, ERROR_FORMAT,
		  "truncated: the compressed data ends early");
	return unpack_fail(what, err);
}

static bool gz_fail_damaged(const char *what, struct error *err)
{
	error_set(err, ERROR_FORMAT,
		  "damaged: the compressed data is not valid");
	return unpack_fail(what, err);
}

#define FIRST_ROOM (64 * KIB)

/* A member may expand to this size before the ratio so far counts. Also limits
 * the allocation for a declared size. */
#define UNMEASURED_BYTES (64 * MIB)

/* Smallest member: 10 bytes of header, 2 of data, 8 of checksum and size. */
#define MEMBER_BYTES 20
#define SIZE_BYTES 4u /* at its end, modulo 2^32 */

bool gz_is(struct str bytes)
{
	return str_starts(bytes, STR("\x1f\x8b"));
}

#define ZSTD_MAGIC "\x28\xb5\x2f\xfd"

enum packing packing_of(struct str front)
{
	if (gz_is(front))
		return PACKING_GZIP;
	/* Or a skippable frame, as at the start of pzstd files. */
	if (str_starts(front, STR(ZSTD_MAGIC)) ||
	    (str_starts(str_slice(front, 1, front.len), STR("\x2a\x4d\x18")) &&
	     (front.ptr[0] & 0xf0) == 0x50))
		return PACKING_ZSTD;
	return str_starts(str_slice(front, 4, front.len), STR(ZSTD_MAGIC))
		       ? PACKING_ZSTD_MESSAGES
		       : PACKING_NONE;
}

struct gz_reader {
	struct gunzip *gunzip; /* one of these two */
	struct unzstd *unzstd;
	const char *what;
	size_t file_bytes; /* compressed */
	size_t ceiling_bytes;
	size_t packed_bytes; /* read so far */
	size_t plain_bytes;
	bool is_inside; /* within a member */
	bool has_ended; /* a member has ended */
	bool is_padded; /* zeros followed it */
};

struct gz_reader *gz_reader_new(enum packing packing, const char *what,
				size_t file_bytes, size_t ceiling_bytes,
				struct error *err)
{
	struct gz_reader *r = mem_calloc(1, sizeof *r);
	bool is_zstd = packing_is_zstd(packing);

	if (r && is_zstd)
		r->unzstd = unzstd_new(packing == PACKING_ZSTD_MESSAGES, err);
	else if (r)
		r->gunzip = gunzip_new();
	if (!r || (!r->gunzip && !r->unzstd)) {
		if (!r || !is_zstd)
			error_memory(err, what ? what : "unpacking");
		mem_free(r);
		return NULL;
	}
	r->what = what;
	r->file_bytes = file_bytes;
	r->ceiling_bytes = ceiling_bytes;
	return r;
}

void gz_reader_free(struct gz_reader *r)
{
	if (!r)
		return;
	gunzip_free(r->gunzip);
	unzstd_free(r->unzstd);
	mem_free(r);
}

/* All of the file may unpack to so much, and what was seen of it, where that is
 * large or has ended. */
static size_t most_bytes(const struct gz_reader *r)
{
	size_t seen = gz_honest_bytes(r->packed_bytes);

	if (r->is_inside)
		seen = max_size(seen, UNMEASURED_BYTES);
	return min_size(gz_honest_bytes(r->file_bytes), seen);
}

/* Decompresses a step within a member. */
static bool read_step(struct gz_reader *r, struct str *packed, char *into,
		      size_t room, size_t *len, struct error *err)
{
	size_t offered = packed->len;
	enum gunzip_state state =
		r->gunzip ? gunzip_step(r->gunzip, packed, into, room, len)
			  : unzstd_step(r->unzstd, packed, into, room, len);

	r->packed_bytes += offered - packed->len;
	r->plain_bytes += *len;
	r->is_inside = state == GUNZIP_MORE;
	r->has_ended |= state == GUNZIP_END;
	if (state == GUNZIP_NO_MEMORY)
		return error_memory(err, r->what ? r->what : "unpacking");
	if (r->plain_bytes > r->ceiling_bytes)
		return gz_fail_ceiling(r->what, r->ceiling_bytes, err);
	if (r->plain_bytes > most_bytes(r))
		return gz_fail_bomb(r->what, err);
	if (state == GUNZIP_WIDE || state == GUNZIP_DICTIONARY) {
		error_set(err, ERROR_FORMAT,
			  "packed by zstd with %s; unpack it first (zstd -d)",
			  state == GUNZIP_WIDE ? "a window of more than 128 MiB"
					       : "a dictionary");
		return unpack_fail(r->what, err);
	}
	return state != GUNZIP_DAMAGED || gz_fail_damaged(r->what, err);
}

bool gz_reader_read(struct gz_reader *r, struct str *packed, char *into,
		    size_t room, size_t *len, struct error *err)
{
	*len = 0;
	while (*len < room) {
		size_t offered, got = 0;

		if (!r->is_inside) {
			if (r->gunzip && r->has_ended) {
				size_t at = 0;

				/* Some tools pad archives with zeros behind the
				 * last member. */
				while (at < packed->len && !packed->ptr[at])
					at++;
				r->is_padded |= at > 0;
				*packed = str_slice(*packed, at, packed->len);
				if (packed->len && r->is_padded)
					return gz_fail_damaged(r->what, err);
			}
			if (!packed->len)
				return true;
			r->is_inside = true;
		}
		offered = packed->len;
		if (!read_step(r, packed, into + *len, room - *len, &got, err))
			return false;
		*len += got;
		if (!got && r->is_inside && packed->len == offered)
			return !offered || gz_fail_damaged(r->what, err);
	}
	return true;
}

bool gz_reader_finish(const struct gz_reader *r, struct error *err)
{
	return !r->is_inside || gz_fail_truncated(r->what, err);
}

/* Adds room for the last step, which detects the end. */
static size_t and_one(size_t bytes)
{
	return bytes < SIZE_MAX ? bytes + 1 : bytes;
}

/* Returns the decompressed size stored in the last gzip member, which is
 * untrusted. */
static size_t first_room(struct str bytes)
{
	size_t hint = 0;

	if (packing_is_zstd(packing_of(bytes)))
		return FIRST_ROOM;
	for (size_t i = 0; bytes.len >= MEMBER_BYTES && i < SIZE_BYTES; i++)
		hint = hint << 8 | (unsigned char)bytes.ptr[bytes.len - 1 - i];
	return and_one(max_size(hint, FIRST_ROOM));
}

static bool inflate_all(struct gz_reader *r, struct str bytes, struct buf *out,
			struct error *err)
{
	size_t room = first_room(bytes), len;

	r->is_inside = true;
	do {
		size_t left = out->max_bytes - out->len;
		char spare[1], *into = spare;

		/* Even without room left the input may be complete. */
		room = min_size(room, and_one(most_bytes(r) - r->plain_bytes));
		room = left ? min_size(room, left) : sizeof spare;
		if (left)
			into = buf_reserve(out, room);
		if (!into)
			return error_memory(err, r->what);
		if (!gz_reader_read(r, &bytes, into, room, &len, err))
			return false;
		if (left)
			buf_commit(out, len);
		room = max_size(out->len, FIRST_ROOM);
	} while (len);
	return gz_reader_finish(r, err);
}

bool gz_inflate(struct str bytes, const char *what, struct buf *out,
		struct error *err)
{
	struct gz_reader *r;
	bool is_done;

	if (!buf_check(out, what, err))
		return false;
	r = gz_reader_new(packing_of(bytes), what, bytes.len,
			  out->max_bytes - out->len, err);
	if (!r)
		return false;
	is_done = inflate_all(r, bytes, out, err);
	gz_reader_free(r);
	return is_done;
}

/* A common trade-off; higher levels save a percent or two. */
#define PACK_LEVEL 6
/* The lowest level that finds matches. */
#define PACK_LEVEL_FAST 1

static bool deflate_all(struct str bytes, int level, struct buf *out,
			struct error *err)
{
	struct libdeflate_compressor *c;
	size_t room;
	char *target;

	libdeflate_set_memory_allocator(mem_alloc, mem_free);
	c = libdeflate_alloc_compressor(level);
	if (!c)
		return error_memory(err, "the compressor");
	room = libdeflate_gzip_compress_bound(c, bytes.len);
	target = buf_reserve(out, room);
	if (target)
		buf_commit(out, libdeflate_gzip_compress(
					c, bytes.ptr, bytes.len, target, room));
	libdeflate_free_compressor(c);
	return buf_check(out, "the compressed data", err);
}

bool gz_deflate(struct str bytes, struct buf *out, struct error *err)
{
	return deflate_all(bytes, PACK_LEVEL, out, err);
}

bool gz_deflate_fast(struct str bytes, struct buf *out, struct error *err)
{
	return deflate_all(bytes, PACK_LEVEL_FAST, out, err);
}

#define ZLIB_CONST
#include <zlib.h>

#define CHUNK_BYTES (32 * KIB)

/* 15: the largest window; 32: detect gzip or zlib headers; 16: gzip. */
#define WINDOW_BITS (15 + 32)
#define MORE_WINDOW_BITS (15 + 16)

struct gz_stream {
	z_stream z;
	size_t ceiling_bytes;
	size_t packed_bytes;
	size_t plain_bytes;
	bool is_started;  /* within a member */
	bool is_complete; /* a member has ended */
	bool is_padded;   /* zeros followed it */
	bool is_failed;
	unsigned char chunk[CHUNK_BYTES];
};

struct gz_stream *gz_stream_new(size_t ceiling_bytes, struct error *err)
{
	struct gz_stream *z = mem_calloc(1, sizeof *z);

	if (z) {
		z->z.zalloc = zlib_alloc;
		z->z.zfree = zlib_free;
	}
	if (!z || inflateInit2(&z->z, WINDOW_BITS) != Z_OK) {
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

/* Runs zlib until it needs more input or the member ends. */
static bool inflate_step(struct gz_stream *z, struct buf *out,
			 struct error *err)
{
	size_t len;
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
		len = CHUNK_BYTES - z->z.avail_out;
		z->plain_bytes += len;
		if (z->plain_bytes > z->ceiling_bytes)
			return gz_fail_ceiling("content", z->ceiling_bytes,
					       err);
		if (z->plain_bytes > gz_honest_bytes(z->packed_bytes))
			return gz_fail_bomb("content", err);
		buf_add(out, z->chunk, len);
		if (!buf_check(out, "content", err))
			return false;
	} while (status == Z_OK && (z->z.avail_in || !z->z.avail_out));
	if (status == Z_STREAM_END) {
		z->is_started = false;
		z->is_complete = true;
		/* As gz_inflate(): zlib format has one member only. */
		inflateReset2(&z->z, MORE_WINDOW_BITS);
	}
	return true;
}

static bool stream_feed(struct gz_stream *z, struct str bytes, struct buf *out,
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
		z->z.next_in = (const unsigned char *)bytes.ptr;
		z->z.avail_in = (unsigned)step;
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
	z->is_failed = !stream_feed(z, bytes, out, err);
	return !z->is_failed;
}

bool gz_stream_finish(struct gz_stream *z, struct error *err)
{
	if (z->is_failed)
		return gz_fail_damaged("content", err);
	return !z->is_started || gz_fail_truncated("content", err);
}
