/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

/* Shared blocks amortise calls to the allocator; allocations of this size or
 * more get their own block, which realloc() can grow in place. */
#define BLOCK_BYTES (64 * KIB)
/* Many arenas hold a handful of short strings: the first block is small, each
 * further one four times the one before. */
#define FIRST_BLOCK_BYTES (4 * KIB)
#define BLOCK_GROWTH 4
#define LARGE_BYTES (16 * KIB)
#define ALIGN_BYTES (_Alignof(max_align_t))

struct arena_block {
	struct arena_block *next;
	struct arena_block *prev; /* large blocks only */
	size_t size;              /* usable bytes behind the header */
	size_t used;
	max_align_t data[];
};

static bool is_unshared;

void arena_set_unshared(bool is_each_alone)
{
	is_unshared = is_each_alone;
}

void arena_init(struct arena *a, size_t max_bytes)
{
	*a = (struct arena){ .max_bytes = max_bytes };
}

static void free_list(struct arena_block *block)
{
	while (block) {
		struct arena_block *next = block->next;

		mem_free(block);
		block = next;
	}
}

void arena_release(struct arena *a)
{
	free_list(a->small);
	free_list(a->large);
	arena_init(a, a->max_bytes);
}

static void wipe_list(struct arena_block *block)
{
	for (; block; block = block->next)
		mem_wipe(block->data, block->used);
}

void arena_wipe(struct arena *a)
{
	wipe_list(a->small);
	wipe_list(a->large);
}

/* Adds size to the used bytes; returns false and records it if over the
 * limit. */
static bool arena_charge(struct arena *a, size_t size)
{
	if (size > a->max_bytes - a->used_bytes) {
		a->is_over_limit = true;
		return false;
	}
	a->used_bytes += size;
	return true;
}

static struct arena_block *block_new(struct arena *a, size_t size,
				     bool is_zeroed)
{
	struct arena_block *block;

	a->is_over_limit = false;
	if (size > SIZE_MAX - sizeof *block ||
	    !arena_charge(a, size + sizeof *block))
		return NULL;
	block = is_zeroed ? mem_calloc(1, size + sizeof *block)
			  : mem_alloc(size + sizeof *block);
	if (!block) {
		a->used_bytes -= size + sizeof *block;
		return NULL;
	}
	*block = (struct arena_block){ .size = size };
	return block;
}

static void link_large(struct arena *a, struct arena_block *block)
{
	block->prev = NULL;
	block->next = a->large;
	if (a->large)
		a->large->prev = block;
	a->large = block;
}

/* Returns the size of a full block, or near the limit whatever is left. */
static size_t shared_size(const struct arena *a, size_t room)
{
	size_t left = a->max_bytes - a->used_bytes;
	size_t whole = a->small ? a->small->size * BLOCK_GROWTH
				: FIRST_BLOCK_BYTES;

	if (is_unshared)
		return room;
	while (whole < room)
		whole *= BLOCK_GROWTH;
	if (whole > BLOCK_BYTES)
		whole = BLOCK_BYTES;
	if (left >= whole + sizeof(struct arena_block))
		return whole;
	if (left < room + sizeof(struct arena_block))
		return room;
	return left - sizeof(struct arena_block);
}

static void *arena_chunk_take(struct arena *a, size_t size, bool is_zeroed)
{
	struct arena_block *block = a->small;
	size_t room;
	void *taken;

	if (size >= LARGE_BYTES) {
		block = block_new(a, size, is_zeroed);
		if (!block)
			return NULL;
		block->used = size;
		link_large(a, block);
		return block->data;
	}
	room = ((size ? size : 1) + ALIGN_BYTES - 1) / ALIGN_BYTES *
	       ALIGN_BYTES;
	if (!block || block->size - block->used < room) {
		block = block_new(a, shared_size(a, room), false);
		if (!block)
			return NULL;
		block->next = a->small;
		a->small = block;
	}
	taken = (char *)block->data + block->used;
	block->used += room;
	return is_zeroed ? memset(taken, 0, room) : taken;
}

void *arena_alloc(struct arena *a, size_t size)
{
	return arena_chunk_take(a, size, true);
}

void *arena_array(struct arena *a, size_t count, size_t size)
{
	if (size && count > SIZE_MAX / size) {
		a->is_over_limit = true;
		return NULL;
	}
	return arena_alloc(a, count * size);
}

/* Resizes the block of a large allocation and relinks it. */
static void *resize_large(struct arena *a, struct arena_block *block,
			  size_t size)
{
	struct arena_block *moved = mem_realloc(block, sizeof *block + size);

	if (!moved)
		return NULL;
	moved->size = moved->used = size;
	if (moved->prev)
		moved->prev->next = moved;
	else
		a->large = moved;
	if (moved->next)
		moved->next->prev = moved;
	return moved->data;
}

static struct arena_block *block_of(void *ptr)
{
	return (void *)((char *)ptr - offsetof(struct arena_block, data));
}

static void *grow_large(struct arena *a, void *ptr, size_t new_size)
{
	struct arena_block *block = block_of(ptr);
	size_t more;
	void *grown;

	a->is_over_limit = false;
	if (new_size <= block->size)
		return ptr;
	more = new_size - block->size;
	if (new_size > SIZE_MAX - sizeof *block || !arena_charge(a, more))
		return NULL;
	grown = resize_large(a, block, new_size);
	if (!grown)
		a->used_bytes -= more;
	return grown;
}

/* Unlinks the block of a large allocation. */
static struct arena_block *unlink_large(struct arena *a, void *ptr)
{
	struct arena_block *block = block_of(ptr);

	if (block->prev)
		block->prev->next = block->next;
	else
		a->large = block->next;
	if (block->next)
		block->next->prev = block->prev;
	a->used_bytes -= block->size + sizeof *block;
	return block;
}

void arena_drop(struct arena *a, void *ptr, size_t size)
{
	if (ptr && size >= LARGE_BYTES)
		mem_free(unlink_large(a, ptr));
}

/* Grows an allocation; the new part is uninitialized. */
static void *block_grow(struct arena *a, void *ptr, size_t old_size,
			size_t new_size)
{
	void *fresh;

	if (ptr && new_size <= old_size)
		return ptr;
	if (ptr && old_size >= LARGE_BYTES)
		return grow_large(a, ptr, new_size);
	fresh = arena_chunk_take(a, new_size, false);
	if (fresh && ptr)
		memcpy(fresh, ptr, old_size);
	return fresh;
}

void *arena_grow(struct arena *a, void *ptr, size_t old_size, size_t new_size)
{
	char *grown = block_grow(a, ptr, old_size, new_size);

	if (grown && new_size > old_size)
		memset(grown + old_size, 0, new_size - old_size);
	return grown;
}

bool arena_reserve_exactly(struct arena *a, void **items, size_t *cap,
			   size_t need, size_t size)
{
	void *grown;

	if (need <= *cap)
		return true;
	if (need > SIZE_MAX / 2 / size) {
		a->is_over_limit = true;
		return false;
	}
	grown = block_grow(a, *items, *cap * size, need * size);
	if (!grown)
		return false;
	*items = grown;
	*cap = need;
	return true;
}

bool arena_reserve(struct arena *a, void **items, size_t *cap, size_t need,
		   size_t size)
{
	size_t more = *cap < 16 ? 16 : *cap;

	if (need <= *cap)
		return true;
	while (more < need && more <= SIZE_MAX / 2)
		more *= 2;
	/* Near the limit only as much as needed. */
	return arena_reserve_exactly(a, items, cap, more, size) ||
	       (a->is_over_limit &&
		arena_reserve_exactly(a, items, cap, need, size));
}

void arena_trim(struct arena *a, void **items, size_t *cap, size_t count,
		size_t size)
{
	size_t used = count * size;
	void *trimmed;

	if (!*items || used < LARGE_BYTES || count >= *cap)
		return;
	trimmed = resize_large(a, block_of(*items), used);
	if (!trimmed)
		return;
	a->used_bytes -= *cap * size - used;
	*items = trimmed;
	*cap = count;
}

void *arena_hand_over(struct arena *from, struct arena *to, void *items,
		      size_t cap, size_t count, size_t size)
{
	struct arena_block *block;
	void *copy;

	if (!items || cap * size < LARGE_BYTES) {
		copy = arena_alloc(to, count * size);
		return copy && items ? memcpy(copy, items, count * size) : copy;
	}
	arena_trim(from, &items, &cap, count, size);
	block = unlink_large(from, items);
	/* Over the limit of `to`: freed with it. */
	if (!arena_charge(to, block->size + sizeof *block)) {
		from->used_bytes += block->size + sizeof *block;
		link_large(from, block);
		return NULL;
	}
	link_large(to, block);
	return items;
}

struct str arena_str(struct arena *a, struct str text)
{
	char *copy = text.len < SIZE_MAX
			     ? arena_chunk_take(a, text.len + 1, false)
			     : NULL;

	if (!copy)
		return (struct str){ NULL, 0 };
	if (text.len)
		memcpy(copy, text.ptr, text.len);
	copy[text.len] = '\0';
	return (struct str){ copy, text.len };
}

struct str arena_printf(struct arena *a, const char *format, ...)
{
	va_list args;
	int len;
	char *text;

	va_start(args, format);
	len = vsnprintf(NULL, 0, format, args);
	va_end(args);
	text = len < 0 ? NULL : arena_alloc(a, (size_t)len + 1);
	if (!text)
		return (struct str){ NULL, 0 };
	va_start(args, format);
	vsnprintf(text, (size_t)len + 1, format, args);
	va_end(args);
	return (struct str){ text, (size_t)len };
}

bool arena_fail(const struct arena *a, const char *what, struct error *err)
{
	if (!a->is_over_limit)
		return error_memory(err, what);
	return error_set(err, ERROR_LIMIT,
			 "%s needs more than %zu %s of memory, the limit for "
			 "one input",
			 what,
			 a->max_bytes < MIB ? a->max_bytes : a->max_bytes / MIB,
			 a->max_bytes < MIB ? "bytes" : "MiB");
}
