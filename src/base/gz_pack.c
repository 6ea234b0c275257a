/* SPDX-License-Identifier: Apache-2.0 */
#include <libdeflate.h>

#include "base/gz.h"
#include "base/library.h"
#include "base/mem.h"

#define DEFLATE_CALLS(X)                                                       \
	X(libdeflate_alloc_compressor)                                         \
	X(libdeflate_free_compressor)                                          \
	X(libdeflate_gzip_compress)                                            \
	X(libdeflate_gzip_compress_bound)                                      \
	X(libdeflate_set_memory_allocator)

LIBRARY_CALLS(DEFLATE_CALLS, "libdeflate.so.0")

#define libdeflate_alloc_compressor LIBRARY_CALL(libdeflate_alloc_compressor)
#define libdeflate_free_compressor LIBRARY_CALL(libdeflate_free_compressor)
#define libdeflate_gzip_compress LIBRARY_CALL(libdeflate_gzip_compress)
#define libdeflate_gzip_compress_bound                                         \
	LIBRARY_CALL(libdeflate_gzip_compress_bound)
#define libdeflate_set_memory_allocator                                        \
	LIBRARY_CALL(libdeflate_set_memory_allocator)

/* Usual trade of time against size; higher levels gain a percent or two. */
#define PACK_LEVEL 6
/* The least that finds matches. */
#define PACK_LEVEL_FAST 1

bool gz_prepare(struct error *err)
{
	if (!calls_load(err))
		return false;
	libdeflate_set_memory_allocator(mem_alloc, mem_free);
	return true;
}

static bool deflate_all(struct str bytes, int level, struct buf *out,
			struct error *err)
{
	struct libdeflate_compressor *c;
	size_t room;
	char *target;

	if (!gz_prepare(err))
		return false;
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
