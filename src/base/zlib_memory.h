/* SPDX-License-Identifier: Apache-2.0
 *
 * What zlib unpacks with, in which what it unpacked stays behind: an answer may
 * hold a token. Private to base/.
 */
#ifndef BASE_ZLIB_MEMORY_H
#define BASE_ZLIB_MEMORY_H

#include "base/mem.h"

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
