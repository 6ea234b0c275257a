/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory that runs out where a test wants it to.
 */
#ifndef TESTS_STARVING_H
#define TESTS_STARVING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"

/* Threads allocate, too. */
static atomic_long allocations_left;

static inline int starving_gate(size_t size)
{
	(void)size;
	return allocations_left-- > 0;
}

static inline int starving_once_gate(size_t size)
{
	(void)size;
	return allocations_left-- != 0;
}

/* The allocation after `count` more fails, and all that follow. */
static inline void starve_after(long count)
{
	allocations_left = count;
	mem_set_gate(starving_gate);
}

/* The allocation after `count` more fails; later ones work again. */
static inline void starve_once_after(long count)
{
	allocations_left = count;
	mem_set_gate(starving_once_gate);
}

/* True when an allocation was refused since. */
static inline bool stop_starving(void)
{
	mem_set_gate(NULL);
	return allocations_left < 0;
}

#endif
