/* SPDX-License-Identifier: Apache-2.0
 *
 * The one allocation seam. All heap memory of ours passes here, so that a
 * test can make the n-th allocation fail; wire/http.c and wire/har.c hand
 * the same functions to the libraries that take them.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>

/* Once, at the start: memory that is freed stays for what is asked for next,
 * and 2 MiB of the heap, behind its first 128 KiB, come in one large page. Runs
 * are short, and getting a page takes longer than filling it: what stays is a
 * twentieth of comparing two large profiles, the large page one of comparing
 * two small ones (docs/lab/performance.md, "one large page" and "freed memory
 * stays"). More of them gain a few percent at best, and where the
 * machine is a virtual one whose host takes back what is free each takes up to
 * 3 ms. */
void mem_init(void);

/* As malloc, calloc, realloc and free. NULL when there is no memory. A size
 * of 0 gives a pointer that may be freed, never NULL for lack of a size. */
void *mem_alloc(size_t size);
void *mem_calloc(size_t count, size_t size);
void *mem_realloc(void *ptr, size_t size);
void mem_free(void *ptr);

/* A NUL-terminated copy of len bytes; the caller frees it. */
char *mem_strndup(const char *text, size_t len);
char *mem_strdup(const char *text);

/* Overwrites memory that held a secret; not optimised away. */
void mem_wipe(void *ptr, size_t size);

/* Overwrites what functions that have returned left on the stack, such as
 * lines of a file in a library's buffer. */
void mem_wipe_stack(void);

/* The same functions for a library that is given secrets: what is freed or
 * moved is overwritten first. Not to be mixed with those above. */
void *mem_wiped_alloc(size_t size);
void *mem_wiped_calloc(size_t count, size_t size);
void *mem_wiped_realloc(void *ptr, size_t size);
void mem_wiped_free(void *ptr);
char *mem_wiped_strdup(const char *text);

/* Returns whether memory was ever lacking. Libraries tell it as something else,
 * as a server that does not answer, or not at all: an answer after that may be
 * another than it should. */
bool mem_has_failed(void);

/* For tests: called before each allocation, false makes it fail. NULL
 * restores the normal behaviour. */
void mem_set_gate(int (*gate)(size_t size));

#endif
