/* SPDX-License-Identifier: Apache-2.0 */
#include "base/gz.h"

#include <limits.h>
#include <string.h>
#include <threads.h>

#include <libdeflate.h>
#define ZLIB_CONST
#include <zlib.h>

#include "base/mem.h"
#include "base/num.h"

/* Usual trade of time against size; higher levels gain a percent or two. */
#define PACK_LEVEL 6
/* The least that finds matches. */
#define PACK_LEVEL_FAST 1
#define FIRST_ROOM (64 * KIB)
#define CHUNK_BYTES (32 * KIB)

/* Room that is taken on the word of a file, or for so many times its size:
 * JSON packs some 20 to 1, text of perf 30. */
#define UNMEASURED_BYTES (64 * MIB)
#define USUAL_RATIO ((size_t)50)

/* 15: the largest window; 32: tell gzip and zlib headers apart; 16: gzip. */
#define WINDOW_BITS (15 + 32)
#define MORE_WINDOW_BITS (15 + 16)

/* Smallest member: 10 bytes header, 2 of data, 8 of check sum and size. */
#define MEMBER_BYTES 20

static once_flag is_allocator_set = ONCE_FLAG_INIT;

static void set_allocator(void)
{
	libdeflate_set_memory_allocator(mem_alloc, mem_free);
}

bool gz_is(struct str bytes)
{
	return str_starts(bytes, STR("\x1f\x8b"));
}

/* Plain bytes that so many packed ones may honestly stand for. */
static size_t honest_size(size_t packed_size)
{
	if (packed_size >
	    (SIZE_MAX - LIMIT_EXPANSION_FREE_BYTES) / LIMIT_EXPANSION_RATIO)
		return SIZE_MAX;
	return LIMIT_EXPANSION_FREE_BYTES + packed_size * LIMIT_EXPANSION_RATIO;
}

static bool fail_bomb(const char *what, struct error *err)
{
	return error_set(err, ERROR_LIMIT,
			 "%s: unpacks to more than %u times its size; refused "
			 "as a decompression bomb",
			 what, LIMIT_EXPANSION_RATIO);
}

static bool fail_ceiling(const char *what, size_t ceiling_bytes,
			 struct error *err)
{
	if (ceiling_bytes % MIB == 0)
		return error_set(err, ERROR_LIMIT,
				 "%s: unpacks to more than the limit of %zu "
				 "MiB",
				 what, ceiling_bytes / MIB);
	return error_set(err, ERROR_LIMIT,
			 "%s: unpacks to more than the limit of %zu bytes",
			 what, ceiling_bytes);
}

static bool fail_truncated(const char *what, struct error *err)
{
	return error_set(err, ERROR_FORMAT,
			 "%s: truncated: the compressed data ends early", what);
}

static bool fail_damaged(const char *what, struct error *err)
{
	return error_set(err, ERROR_FORMAT,
			 "%s: damaged: the compressed data is not valid", what);
}

static void *zlib_alloc(void *opaque, unsigned count, unsigned size)
{
	(void)opaque;
	return mem_calloc(count, size);
}

static void zlib_free(void *opaque, void *ptr)
{
	(void)opaque;
	mem_free(ptr);
}

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

/* A member gone through step by step, for what libdeflate, which has it all at
 * once, cannot tell. */
enum walk {
	WALK_WHOLE,
	WALK_TRUNCATED,
	WALK_DAMAGED,
	WALK_BOMB,  /* it outgrows its bytes */
	WALK_LARGE, /* larger than it may be */
	WALK_NO_MEMORY,
};

static enum walk walk_status(int status)
{
	switch (status) {
	case Z_STREAM_END:
		return WALK_WHOLE;
	case Z_BUF_ERROR:
		return WALK_TRUNCATED;
	case Z_OK:
		return WALK_BOMB; /* or too large, as its size tells */
	case Z_MEM_ERROR:
		return WALK_NO_MEMORY;
	default:
		return WALK_DAMAGED;
	}
}

static enum walk walk_chunks(struct str member, size_t max_plain_bytes,
			     unsigned char *chunk, size_t *plain)
{
	size_t packed = 0;
	int status;
	z_stream z;

	if (!zlib_init(&z))
		return WALK_NO_MEMORY;
	do {
		if (!z.avail_in) {
			size_t step = min_size(member.len, CHUNK_BYTES);

			zlib_set_input(&z, member.ptr, step);
			member = str_slice(member, step, member.len);
			packed += step;
		}
		z.next_out = chunk;
		z.avail_out = CHUNK_BYTES;
		status = inflate(&z, Z_NO_FLUSH);
		*plain += CHUNK_BYTES - z.avail_out;
	} while (status == Z_OK && *plain <= max_plain_bytes &&
		 *plain <= honest_size(packed));
	inflateEnd(&z);
	return walk_status(status);
}

/* *plain receives the size of the member, as far as it went. */
static enum walk walk_member(struct str member, size_t max_plain_bytes,
			     size_t *plain)
{
	unsigned char *chunk = mem_alloc(CHUNK_BYTES);
	enum walk walked = WALK_NO_MEMORY;

	*plain = 0;
	if (chunk)
		walked = walk_chunks(member, max_plain_bytes, chunk, plain);
	mem_free(chunk);
	return walked;
}

size_t gz_size(const char end[GZ_SIZE_BYTES])
{
	size_t size = 0;

	for (int i = GZ_SIZE_BYTES - 1; i >= 0; i--)
		size = size << 8 | (unsigned char)end[i];
	return size;
}

/* A hint, bounded by the caller. */
static size_t size_hint(struct str bytes)
{
	if (bytes.len < MEMBER_BYTES)
		return 0;
	return gz_size(bytes.ptr + (bytes.len - GZ_SIZE_BYTES));
}

/* Room that is taken without knowing what for. */
static size_t usual_room(struct str bytes)
{
	return max_size(UNMEASURED_BYTES, bytes.len > SIZE_MAX / USUAL_RATIO
						  ? SIZE_MAX
						  : bytes.len * USUAL_RATIO);
}

/* Unpacks one member with more and more room, up to max_room; before much is
 * taken the member is measured. *used receives its packed size. */
static enum walk inflate_member(struct libdeflate_decompressor *d,
				struct str bytes, size_t max_room,
				struct buf *out, size_t *used)
{
	size_t room = max_size(size_hint(bytes), FIRST_ROOM);
	enum libdeflate_result result;

	for (;; room = room > SIZE_MAX / 2 ? SIZE_MAX : room * 2) {
		size_t plain = 0;
		char *target;

		if (room > usual_room(bytes)) {
			enum walk walked = walk_member(bytes, max_room, &room);

			if (walked != WALK_WHOLE)
				return room > max_room ? WALK_LARGE : walked;
		}
		room = min_size(room, max_room);
		target = buf_reserve(out, room);
		if (!target)
			return WALK_NO_MEMORY;
		result = libdeflate_gzip_decompress_ex(
			d, bytes.ptr, bytes.len, target, room, used, &plain);
		if (result == LIBDEFLATE_SUCCESS) {
			buf_commit(out, plain);
			return WALK_WHOLE;
		}
		if (result != LIBDEFLATE_INSUFFICIENT_SPACE)
			break;
		if (room == max_room)
			return WALK_LARGE;
	}
	/* It calls every failure bad data; zlib tells whether the bytes were
	 * good as far as they went. */
	switch (walk_member(bytes, max_room, &room)) {
	case WALK_NO_MEMORY:
		return WALK_NO_MEMORY;
	case WALK_TRUNCATED:
		return WALK_TRUNCATED;
	default:
		return WALK_DAMAGED;
	}
}

/* Some tools pad archives with zeros behind the last member. */
static bool is_padding(struct str bytes)
{
	for (size_t i = 0; i < bytes.len; i++)
		if (bytes.ptr[i])
			return false;
	return true;
}

static bool inflate_all(struct libdeflate_decompressor *d, struct str bytes,
			const char *what, struct buf *out, struct error *err)
{
	size_t honest = honest_size(bytes.len), packed = 0;
	size_t start = out->len;

	do {
		size_t left = honest - (out->len - start);
		size_t room = min_size(left, out->max_bytes - out->len);
		size_t used = 0;

		switch (inflate_member(d, bytes, room, out, &used)) {
		case WALK_WHOLE:
			break;
		case WALK_LARGE:
			return room == left ? fail_bomb(what, err)
					    : fail_ceiling(what, out->max_bytes,
							   err);
		case WALK_BOMB:
			return fail_bomb(what, err);
		case WALK_NO_MEMORY:
			return error_memory(err, what);
		case WALK_TRUNCATED:
			return fail_truncated(what, err);
		case WALK_DAMAGED:
			return fail_damaged(what, err);
		}
		packed += used;
		if (out->len - start > honest_size(packed))
			return fail_bomb(what, err);
		bytes = str_slice(bytes, used, bytes.len);
	} while (gz_is(bytes));
	return is_padding(bytes) || fail_damaged(what, err);
}

bool gz_inflate(struct str bytes, const char *what, struct buf *out,
		struct error *err)
{
	struct libdeflate_decompressor *d;
	bool is_done;

	if (!buf_check(out, what, err))
		return false;
	call_once(&is_allocator_set, set_allocator);
	d = libdeflate_alloc_decompressor();
	if (!d)
		return error_memory(err, what);
	is_done = inflate_all(d, bytes, what, out, err);
	libdeflate_free_decompressor(d);
	return is_done;
}

static bool deflate_all(struct str bytes, int level, struct buf *out,
			struct error *err)
{
	struct libdeflate_compressor *c;
	size_t room;
	char *target;

	call_once(&is_allocator_set, set_allocator);
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
	mem_free(z);
}

/* Hands the chunk on, counted. */
static bool take_chunk(struct gz_stream *z, struct buf *out, struct error *err)
{
	size_t len = CHUNK_BYTES - z->z.avail_out;

	z->plain_bytes += len;
	if (z->plain_bytes > z->ceiling_bytes)
		return fail_ceiling("content", z->ceiling_bytes, err);
	if (z->plain_bytes > honest_size(z->packed_bytes))
		return fail_bomb("content", err);
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
			return fail_damaged("content", err);
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
			return fail_damaged("content", err);
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
		return fail_damaged("content", err);
	z->is_failed = !feed(z, bytes, out, err);
	return !z->is_failed;
}

bool gz_stream_finish(struct gz_stream *z, struct error *err)
{
	if (z->is_failed)
		return fail_damaged("content", err);
	return !z->is_started || fail_truncated("content", err);
}
