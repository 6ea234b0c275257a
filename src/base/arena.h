/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory that lives and dies together, with a ceiling from birth. A model
 * object owns one arena; its strings and arrays are freed by releasing it.
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
	size_t used_bytes;         /* taken from the system */
	size_t max_bytes;
	bool is_over_limit; /* the last failure was the ceiling */
};

/* For tests: each allocation of every arena has a block of its own, so that
 * each can fail by itself. */
void arena_set_unshared(bool is_unshared);

/* No allocation happens here. */
void arena_init(struct arena *a, size_t max_bytes);

/* Frees everything; the arena may be used again. */
void arena_release(struct arena *a);

/* Overwrites all that it holds, secrets among it; to be released next. */
void arena_wipe(struct arena *a);

/* Zeroed memory aligned for any type, or NULL: out of memory or over the
 * ceiling; arena_fail() tells which. */
void *arena_alloc(struct arena *a, size_t size) MUST_CHECK;

/* Array form, checked against overflow. */
void *arena_array(struct arena *a, size_t count, size_t size) MUST_CHECK;

/* Resizes memory that came from the same arena (or NULL with old_size 0);
 * new bytes are zero. On failure the old memory stays valid. */
void *arena_grow(struct arena *a, void *ptr, size_t old_size,
		 size_t new_size) MUST_CHECK;

/* Gives back memory of `size` bytes that came from the arena, or NULL, where
 * that is possible: large pieces. The others go with the arena. */
void arena_drop(struct arena *a, void *ptr, size_t size);

/* Makes room for `need` items of `size` bytes in the array *items with
 * capacity *cap, doubling; what is in the new ones says nothing. False on
 * failure, array unchanged. */
bool arena_reserve(struct arena *a, void **items, size_t *cap, size_t need,
		   size_t size) MUST_CHECK;

/* The same with no more than that, where it is known how many there will be:
 * what was given back before is often large enough then. */
bool arena_reserve_exactly(struct arena *a, void **items, size_t *cap,
			   size_t need, size_t size) MUST_CHECK;

/* One of the two. */
typedef bool arena_reserver(struct arena *a, void **items, size_t *cap,
			    size_t need, size_t size);

/* Gives back what is behind the first `count` items of such an array, where
 * that is possible: of a large one, whose place may change. */
void arena_trim(struct arena *a, void **items, size_t *cap, size_t count,
		size_t size);

/* Hands such an array, or NULL with a capacity of 0, on to another arena, and
 * trims it. Large ones are not copied. NULL on failure: then it goes with the
 * first arena, and is no longer to be used. */
void *arena_hand_over(struct arena *from, struct arena *to, void *items,
		      size_t cap, size_t count, size_t size) MUST_CHECK;

/* Copies; the results are NUL-terminated. NULL ptr in the str on failure. */
struct str arena_str(struct arena *a, struct str text) MUST_CHECK;
struct str arena_printf(struct arena *a, const char *format, ...)
	PRINTF_LIKE(2, 3) MUST_CHECK;

/* Tells a failed allocation in words: the ceiling or the system. Returns
 * false. `what` is the thing being read, such as "the trace". */
bool arena_fail(const struct arena *a, const char *what, struct error *err);

#endif
