/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared libraries that most runs can do without, loaded when a run needs one.
 * Linked in the ordinary way, libcurl and libcrypto bring thirty others along,
 * and finding their symbols takes longer than all else that a run on a small
 * file does.
 */
#ifndef BASE_LIBRARY_H
#define BASE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct library_symbol {
	const char *name;
	void *target; /* a pointer to a function, which is set */
};

/* A program that calls a library's functions under their own names without
 * being linked with it lists them, LIST(X), and has
 *   LIST(LIBRARY_LATE)    calls go to symbols of our own, so that a program
 *                         that is linked with it, as some tests are, has both
 *   struct { LIST(LIBRARY_MEMBER) } calls;   where they are
 *   struct library_symbol symbols[] = { LIST(LIBRARY_SYMBOL) }; */
#define LIBRARY_LATE(name) extern __typeof__(name) name __asm__("late_" #name);
#define LIBRARY_MEMBER(name) __typeof__(&name) name##_call;
#define LIBRARY_SYMBOL(name) { #name, &calls.name##_call },

/* Loads the library, such as "libz.so.1", and sets all targets; it stays until
 * the end of the program. Fails (ERROR_INTERNAL) when it is not there or lacks
 * a symbol; targets are undefined then. */
bool library_load(const char *file, const struct library_symbol *symbols,
		  size_t count, struct error *err) MUST_CHECK;

/* Calls visit with the path of every library that is loaded. */
void library_each(void (*visit)(const char *path, void *data), void *data);

#endif
