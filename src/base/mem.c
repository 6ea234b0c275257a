/* SPDX-License-Identifier: Apache-2.0 */
#include "base/mem.h"

#include <limits.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/system.h"

#ifdef SYSTEM_GLIBC
#include <malloc.h>
#include <sys/mman.h>
#endif

static int (*mem_gate)(size_t size);

/* ---- huge pages ---- */

#ifdef SYSTEM_GLIBC
/* Growth step of the heap, small enough for common address space limits. */
#define TOP_PAD_BYTES (16 * 1024 * 1024)
/* Typical size of a huge page, and a multiple of other page sizes. */
#define LARGE_PAGE_BYTES ((uintptr_t)2 * 1024 * 1024)
/* Memory used by runs that read nothing. */
#define SMALL_PAGES_BYTES ((uintptr_t)128 * 1024)

/* Heaps begin at random addresses. A huge page requires that none of its memory
 * is mapped by small pages yet, so memory that is used anyway is placed right
 * before the first one; the gap is never touched. */
static void place_heap(void)
{
	uintptr_t begin = (uintptr_t)sbrk(0);
	uintptr_t skip = -(begin + SMALL_PAGES_BYTES) % LARGE_PAGE_BYTES;
	/* Volatile, so that the write is not optimized away. */
	void *volatile step;

	(void)sbrk((intptr_t)skip);
	begin += skip + SMALL_PAGES_BYTES;
	/* Uses a huge page for it, by touching it first. Without huge pages
	 * small ones are used as usual. */
	step = malloc(1);
	free(step);
	if ((uintptr_t)sbrk(0) >= begin + LARGE_PAGE_BYTES)
		(void)madvise((void *)begin, LARGE_PAGE_BYTES, MADV_HUGEPAGE);

}

void mem_init(void)
{
	mallopt(M_MMAP_THRESHOLD, INT_MAX);
	mallopt(M_TRIM_THRESHOLD, INT_MAX);
	mallopt(M_TOP_PAD, TOP_PAD_BYTES);
	mallopt(M_ARENA_MAX, 1);
	place_heap();
}
#else
void mem_init(void)
{
}
#endif

/* ---- allocation ---- */

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

static void *memory_given(void *ptr)
{
	if (!ptr)
		has_failed = true;
	return ptr;
}

void *mem_alloc(size_t size)
{
	return memory_given(is_refused(size) ? NULL : malloc(size ? size : 1));
}

void *mem_calloc(size_t count, size_t size)
{
	if (size && count > SIZE_MAX / size)
		return NULL;
	if (is_refused(count * size))
		return memory_given(NULL);
	return memory_given(count && size ? calloc(count, size) : calloc(1, 1));
}

void *mem_realloc(void *ptr, size_t size)
{
	return memory_given(is_refused(size) ? NULL
					     : realloc(ptr, size ? size : 1));
}

void mem_free(void *ptr)
{
	free(ptr);
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
	system_wipe(ptr, size);
}

#define STACK_BYTES ((size_t)32 * 1024)

/* Not inlined, so that its frame overlaps theirs. */
__attribute__((noinline)) void mem_wipe_stack(void)
{
	char below[STACK_BYTES];

	mem_wipe(below, sizeof below);
}

/* ---- memory with secrets ---- */

/* Header of each allocation, which keeps it aligned for any type. */
union wiped_head {
	size_t size;
	max_align_t align;
};

void *mem_wiped_alloc(size_t size)
{
	union wiped_head *head;

	if (size > SIZE_MAX - sizeof *head)
		return memory_given(NULL);
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
		return memory_given(NULL);
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

/* realloc() would not wipe the old memory. */
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
