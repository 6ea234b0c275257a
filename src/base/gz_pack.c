/* SPDX-License-Identifier: Apache-2.0 */
#include <libdeflate.h>

#include "base/gz.h"
#include "base/mem.h"

/* Usual trade of time against size; higher levels gain a percent or two. */
#define PACK_LEVEL 6
/* The least that finds matches. */
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
