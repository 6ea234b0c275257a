/* SPDX-License-Identifier: Apache-2.0 */
#include "base/mem.h"

#include <limits.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined M_MMAP_THRESHOLD && defined MADV_HUGEPAGE /* glibc's, Linux' */
#define HAS_ONE_HEAP 1
#endif

static int (*mem_gate)(size_t size);

/* ---- pages ---- */

#ifdef HAS_ONE_HEAP
/* The heap grows by so much, which fits into usual limits of address space.
 * Only the first step has large pages: half of the last one is never filled, on
 * average, and those that were long idle are slow to come where the machine is
 * a virtual one, 3 ms each. */
#define TOP_PAD_BYTES (16 * 1024 * 1024)
/* A multiple of the size of pages, whatever that is. */
#define PAGES_BYTES ((uintptr_t)64 * 1024)

/* None were asked for yet, since mem_init(). */
static atomic_bool is_to_ask;

/* Asks for them up to the end of the heap, when this piece is the first one in
 * it. Where there are none small ones come as ever. */
static void ask_for_large_pages(uintptr_t piece, size_t size)
{
	uintptr_t from, heap_end;

	if (!is_to_ask)
		return;
	heap_end = (uintptr_t)sbrk(0);
	if (piece + size > heap_end || !atomic_exchange(&is_to_ask, false))
		return;
	from = (piece + PAGES_BYTES - 1) / PAGES_BYTES * PAGES_BYTES;
	if (from < heap_end)
		(void)madvise((void *)from, heap_end - from, MADV_HUGEPAGE);
}

void mem_init(void)
{
	mallopt(M_MMAP_THRESHOLD, INT_MAX);
	mallopt(M_TRIM_THRESHOLD, INT_MAX);
	mallopt(M_TOP_PAD, TOP_PAD_BYTES);
	mallopt(M_ARENA_MAX, 1);
	is_to_ask = true;
}
#else
static void ask_for_large_pages(uintptr_t piece, size_t size)
{
	(void)piece;
	(void)size;
}

void mem_init(void)
{
}
#endif

/* ---- pieces ---- */

void mem_set_gate(int (*gate)(size_t size))
{
	mem_gate = gate;
}

static atomic_bool has_failed;

bool mem_has_failed(void)
{
	return has_failed;
}

static int is_refused(size_t size)
{
	return mem_gate && !mem_gate(size);
}

static void *given(void *ptr, size_t size)
{
	if (ptr)
		ask_for_large_pages((uintptr_t)ptr, size);
	else
		has_failed = true;
	return ptr;
}

void *mem_alloc(size_t size)
{
	return given(is_refused(size) ? NULL : malloc(size ? size : 1), size);
}

void *mem_calloc(size_t count, size_t size)
{
	if (size && count > SIZE_MAX / size)
		return NULL;
	if (is_refused(count * size))
		return given(NULL, 0);
	return given(count && size ? calloc(count, size) : calloc(1, 1),
		     count * size);
}

void *mem_realloc(void *ptr, size_t size)
{
	return given(is_refused(size) ? NULL : realloc(ptr, size ? size : 1),
		     size);
}

void mem_free(void *ptr)
{
	free(ptr);
}

#define PAGE_BYTES ((size_t)4096) /* or more */

void mem_touch(void *ptr, size_t size)
{
	volatile char *bytes = ptr;

	for (size_t at = 0; at < size; at += PAGE_BYTES)
		bytes[at] = 0;
}

char *mem_strndup(const char *text, size_t len)
{
	char *copy = len < SIZE_MAX ? mem_alloc(len + 1) : NULL;

	if (!copy)
		return NULL;
	if (len)
		memcpy(copy, text, len);
	copy[len] = '\0';
	return copy;
}

char *mem_strdup(const char *text)
{
	return mem_strndup(text, strlen(text));
}

void mem_wipe(void *ptr, size_t size)
{
	explicit_bzero(ptr, size);
}

#define STACK_BYTES ((size_t)32 * 1024)

/* Not inlined: its frame has to lie where theirs were. */
__attribute__((noinline)) void mem_wipe_stack(void)
{
	char below[STACK_BYTES];

	mem_wipe(below, sizeof below);
}

/* ---- memory of those who handle secrets ---- */

/* Stands before each piece, which stays aligned for any type. */
union wiped_head {
	size_t size;
	max_align_t align;
};

void *mem_wiped_alloc(size_t size)
{
	union wiped_head *head;

	if (size > SIZE_MAX - sizeof *head)
		return given(NULL, 0);
	head = mem_alloc(sizeof *head + size);
	if (!head)
		return NULL;
	head->size = size;
	return head + 1;
}

void *mem_wiped_calloc(size_t count, size_t size)
{
	void *ptr;

	if (size && count > SIZE_MAX / size)
		return given(NULL, 0);
	ptr = mem_wiped_alloc(count * size);
	if (ptr)
		memset(ptr, 0, count * size);
	return ptr;
}

void mem_wiped_free(void *ptr)
{
	union wiped_head *head = ptr;

	if (!ptr)
		return;
	head--;
	mem_wipe(ptr, head->size);
	mem_free(head);
}

/* realloc() would leave the old place as it is. */
void *mem_wiped_realloc(void *ptr, size_t size)
{
	const union wiped_head *head = ptr;
	void *moved = mem_wiped_alloc(size);

	if (!ptr || !moved)
		return moved;
	head--;
	memcpy(moved, ptr, head->size < size ? head->size : size);
	mem_wiped_free(ptr);
	return moved;
}

char *mem_wiped_strdup(const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = mem_wiped_alloc(size);

	if (copy)
		memcpy(copy, text, size);
	return copy;
}
