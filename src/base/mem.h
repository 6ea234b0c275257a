/* SPDX-License-Identifier: Apache-2.0
 *
 * All heap allocations of the program go through these functions, so that a
 * test can make the n-th allocation fail; wire/http.c and wire/har.c pass them
 * to libraries that accept allocators.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>

/* Tunes the heap; call once, at startup. Freed memory is kept for reuse, and 2
 * MiB of the heap, after its first 128 KiB, come as one huge page. Runs are
 * short, and getting a page takes longer than filling it: keeping memory saves
 * a twentieth of comparing two large profiles, the huge page a twentieth of
 * comparing two small ones (docs/lab/performance.md, "one large page" and
 * "freed memory stays"). More huge pages gain a few percent at best, and on a
 * virtual machine whose host reclaims free memory each takes up to 3 ms. */
void mem_init(void);

/* As malloc, calloc, realloc and free. NULL when out of memory; size 0 gives a
 * non-NULL pointer that may be freed. */
void *mem_alloc(size_t size);
void *mem_calloc(size_t count, size_t size);
void *mem_realloc(void *ptr, size_t size);
void mem_free(void *ptr);

/* Return a NUL-terminated copy, to be freed by the caller. */
char *mem_strndup(const char *text, size_t len);
char *mem_strdup(const char *text);

/* Overwrites memory that held a secret; never optimized away. */
void mem_wipe(void *ptr, size_t size);

/* Overwrites stack memory left by functions that have returned, such as lines
 * of a file in a library's buffer. */
void mem_wipe_stack(void);

/* Same functions for libraries that handle secrets: memory is overwritten when
 * freed or moved. Do not mix with those above. */
void *mem_wiped_alloc(size_t size);
void *mem_wiped_calloc(size_t count, size_t size);
void *mem_wiped_realloc(void *ptr, size_t size);
void mem_wiped_free(void *ptr);
char *mem_wiped_strdup(const char *text);

/* Returns whether any allocation has failed so far. Libraries report that as
 * another error, such as an unreachable server, or not at all, so later results
 * may be wrong. */
bool mem_has_failed(void);

/* For tests: gate is called before each allocation; returning false makes it
 * fail. NULL restores the normal behaviour. */
void mem_set_gate(int (*gate)(size_t size));

#endif
