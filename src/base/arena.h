/* SPDX-License-Identifier: Apache-2.0
 *
 * Arena allocator: memory with one lifetime and a size limit set at creation. A
 * model object owns one arena; releasing it frees all its strings and arrays.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/str.h"

struct arena_block;

struct arena {
	struct arena_block *small; /* current shared block, then older ones */
	struct arena_block *large; /* blocks of one allocation each */
	size_t used_bytes;         /* allocated from the system */
	size_t max_bytes;
	bool is_over_limit; /* the last failure was the size limit */
};

/* For tests: gives each allocation of every arena a block of its own, so that
 * each can be made to fail. */
void arena_set_unshared(bool is_unshared);

/* Allocates nothing. */
void arena_init(struct arena *a, size_t max_bytes);

/* Frees everything; the arena may be used again. */
void arena_release(struct arena *a);

/* Overwrites everything it holds, for secrets. Call arena_release() next. */
void arena_wipe(struct arena *a);

/* Returns zeroed memory aligned for any type. NULL when out of memory or over
 * the limit; arena_fail() reports which. */
void *arena_alloc(struct arena *a, size_t size) MUST_CHECK;

/* Allocates an array; count * size is checked for overflow. */
void *arena_array(struct arena *a, size_t count, size_t size) MUST_CHECK;

/* Resizes memory that came from the same arena (or NULL with old_size 0);
 * new bytes are zero. On failure the old memory stays valid. */
void *arena_grow(struct arena *a, void *ptr, size_t old_size,
		 size_t new_size) MUST_CHECK;

/* Returns memory of `size` bytes (or NULL) to the system if it is a large
 * block; smaller pieces are freed with the arena. */
void arena_drop(struct arena *a, void *ptr, size_t size);

/* Makes room for `need` items of `size` bytes in the array *items of capacity
 * *cap, doubling it; new items are uninitialized. On failure returns false and
 * leaves the array unchanged. */
bool arena_reserve(struct arena *a, void **items, size_t *cap, size_t need,
		   size_t size) MUST_CHECK;

/* Same, without doubling, for arrays whose final size is known: memory that was
 * given back earlier is then often large enough. */
bool arena_reserve_exactly(struct arena *a, void **items, size_t *cap,
			   size_t need, size_t size) MUST_CHECK;

/* arena_reserve() or arena_reserve_exactly(). */
typedef bool arena_reserver(struct arena *a, void **items, size_t *cap,
			    size_t need, size_t size);

/* Shrinks such an array to its first `count` items where possible. Only large
 * arrays shrink; the array may move. */
void arena_trim(struct arena *a, void **items, size_t *cap, size_t count,
		size_t size);

/* Moves such an array (or NULL with capacity 0) to another arena and trims it.
 * Large arrays are not copied. On failure returns NULL; the array is then freed
 * with the first arena and must not be used. */
void *arena_hand_over(struct arena *from, struct arena *to, void *items,
		      size_t cap, size_t count, size_t size) MUST_CHECK;

/* Return NUL-terminated copies. On failure the ptr of the str is NULL. */
struct str arena_str(struct arena *a, struct str text) MUST_CHECK;
struct str arena_printf(struct arena *a, const char *format, ...)
	PRINTF_LIKE(2, 3) MUST_CHECK;

/* Sets the error for a failed allocation: size limit or out of memory. `what`
 * is the thing being read, such as "the trace". Returns false. */
bool arena_fail(const struct arena *a, const char *what, struct error *err);

#endif
