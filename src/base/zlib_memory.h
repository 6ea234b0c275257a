/* SPDX-License-Identifier: Apache-2.0
 *
 * What zlib takes memory with. Private to base/.
 */
#ifndef BASE_ZLIB_MEMORY_H
#define BASE_ZLIB_MEMORY_H

#include "base/mem.h"

static inline void *zlib_alloc(void *opaque, unsigned count, unsigned size)
{
	(void)opaque;
	return mem_calloc(count, size);
}

static inline void zlib_free(void *opaque, void *ptr)
{
	(void)opaque;
	mem_free(ptr);
}

#endif
