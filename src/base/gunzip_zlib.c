/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <string.h>

#define ZLIB_CONST
#include <zlib.h>

#include "base/gz.h"
#include "base/num.h"

/* 15: the largest window; 16: gzip only. */
#define WINDOW_BITS (15 + 16)

struct gunzip {
	z_stream z;
};

struct gunzip *gunzip_new(void)
{
	struct gunzip *g = mem_calloc(1, sizeof *g);

	if (!g)
		return NULL;
	g->z.zalloc = zlib_alloc;
	g->z.zfree = zlib_free;
	if (inflateInit2(&g->z, WINDOW_BITS) == Z_OK)
		return g;
	mem_free(g);
	return NULL;
}

void gunzip_free(struct gunzip *g)
{
	if (!g)
		return;
	inflateEnd(&g->z);
	mem_free(g);
}

enum gunzip_state gunzip_step(struct gunzip *g, struct str *packed, char *into,
			      size_t room, size_t *len)
{
	unsigned offered = (unsigned)min_size(packed->len, INT_MAX);
	unsigned most = (unsigned)min_size(room, INT_MAX);
	int status;

	g->z.next_in = (const unsigned char *)packed->ptr;
	g->z.avail_in = offered;
	g->z.next_out = (unsigned char *)into;
	g->z.avail_out = most;
	status = inflate(&g->z, Z_NO_FLUSH);
	*packed = str_slice(*packed, offered - g->z.avail_in, packed->len);
	*len = most - g->z.avail_out;
	switch (status) {
	case Z_STREAM_END:
		inflateReset(&g->z);
		return GUNZIP_END;
	case Z_OK:
	case Z_BUF_ERROR:
		return GUNZIP_MORE;
	case Z_MEM_ERROR:
		return GUNZIP_NO_MEMORY;
	default:
		return GUNZIP_DAMAGED;
	}
}
