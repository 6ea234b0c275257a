/* SPDX-License-Identifier: Apache-2.0
 *
 * Loaded into a program before all else (LD_PRELOAD): keeps in the file
 * BENCH_HEAP, eight bytes, how many bytes its heap held at most. The file is
 * mapped at once, since a program may give up opening files, or end in a hurry.
 */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* glibc's own, under names that nobody else takes. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *ptr, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *ptr);

static _Atomic int64_t held;
static _Atomic int64_t *most;

__attribute__((constructor)) static void open_file(void)
{
	const char *path = getenv("BENCH_HEAP");
	int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	void *map;

	if (fd < 0)
		return;
	map = mmap(NULL, sizeof *most, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		   0);
	close(fd);
	if (map != MAP_FAILED)
		most = map;
}

static void *taken(void *ptr)
{
	int64_t size = (int64_t)malloc_usable_size(ptr);
	int64_t now = atomic_fetch_add(&held, size) + size;

	for (int64_t seen = most ? *most : now; seen < now;)
		if (atomic_compare_exchange_weak(most, &seen, now))
			break;
	return ptr;
}

static void given_back(void *ptr)
{
	atomic_fetch_sub(&held, (int64_t)malloc_usable_size(ptr));
}

void *malloc(size_t size)
{
	return taken(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
	return taken(__libc_calloc(count, size));
}

/* What could not grow is there as before. */
void *realloc(void *ptr, size_t size)
{
	void *grown;

	given_back(ptr);
	grown = __libc_realloc(ptr, size);
	if (!grown && size)
		taken(ptr);
	return taken(grown);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
	*out = taken(__libc_memalign(alignment, size));
	return *out ? 0 : ENOMEM;
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return taken(__libc_memalign(alignment, size));
}

void free(void *ptr)
{
	given_back(ptr);
	__libc_free(ptr);
}
