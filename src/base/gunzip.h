/* SPDX-License-Identifier: Apache-2.0
 *
 * One member of a gzip file after another, unpacked step by step: by ISA-L
 * where the build has it, which takes a third less time than libdeflate and,
 * unlike it, needs neither all of the input nor of the output at once
 * (docs/performance.md, "ISA-L unpacks"); else by zlib. Both check header, check sum and size. Knows nothing of limits: gz.c
 * has them. Private to base/.
 */
#ifndef BASE_GUNZIP_H
#define BASE_GUNZIP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"
#include "base/str.h"

struct gunzip;

enum gunzip_state {
	GUNZIP_MORE, /* wants more bytes, or more room */
	GUNZIP_END,  /* of the member: the next step begins another one */
	GUNZIP_DAMAGED,
	GUNZIP_NO_MEMORY,
};

/* NULL when out of memory. */
struct gunzip *gunzip_new(void);
void gunzip_free(struct gunzip *g);

/* Unpacks until *packed, of which it takes off what it has used, or the room
 * is exhausted. *len: how much of the room was filled. */
enum gunzip_state gunzip_step(struct gunzip *g, struct str *packed, char *into,
			      size_t room, size_t *len);

/* What zlib unpacks with, in which what it unpacked stays behind: an answer may
 * hold a token. Private to base/. */

static inline void *zlib_alloc(void *opaque, unsigned count, unsigned size)
{
	(void)opaque;
	return mem_wiped_calloc(count, size);
}

static inline void zlib_free(void *opaque, void *ptr)
{
	(void)opaque;
	mem_wiped_free(ptr);
}

#endif
