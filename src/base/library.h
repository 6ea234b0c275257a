/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared libraries that most runs can do without, loaded when a run needs one.
 * Linked in the ordinary way, libcurl and libcrypto bring thirty others along,
 * and finding their symbols takes longer than all else that a run on a small
 * file does. What that pays, and for which: docs/lab/performance.md, "libcurl opened
 * late" and the two rows below it; others are linked.
 */
#ifndef BASE_LIBRARY_H
#define BASE_LIBRARY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/num.h"

/* The files of those that a run may load late, in the sandbox. libcrypto is
 * named by the version whose headers there are: meson defines LIBCRYPTO. */
#define LIBRARY_CURL "libcurl.so.4" /* since 2006 */
#define LIBRARY_CPP "libstdc++.so.6" /* since 2004 */
#define LIBRARY_ZSTD "libzstd.so.1"  /* since 2016 */

struct library_symbol {
	const char *name;
	void *target; /* a pointer to a function, which is set */
};

/* The one file that uses a library lists what it takes of it, LIST(X), and has
 *   LIBRARY_CALLS(LIST, LIBCRYPTO)
 *   #define BIO_free LIBRARY_CALL(BIO_free)   and so on
 * Then calls_load(), which loads the library the first time, comes before any
 * other call. A program that is linked with its libraries needs none of it. */
#ifdef LAZY_LIBRARIES
#define LIBRARY_CALL(name) (*calls.name##_call)
#define LIBRARY_CALLS(LIST, file)                                              \
	static struct {                                                        \
		LIST(LIBRARY_MEMBER)                                           \
	} calls;                                                               \
                                                                               \
	static bool calls_load(struct error *err)                              \
	{                                                                      \
		static const struct library_symbol symbols[] = { LIST(         \
			LIBRARY_SYMBOL) };                                     \
		static atomic_bool is_loaded;                                  \
                                                                               \
		return is_loaded ||                                            \
		       library_load(file, symbols, COUNT_OF(symbols),          \
				    &is_loaded, err);                          \
	}
#else
#define LIBRARY_CALL(name) name
#define LIBRARY_CALLS(LIST, file)                                              \
	static bool calls_load(struct error *err)                              \
	{                                                                      \
		(void)err;                                                     \
		return true;                                                   \
	}
#endif
#define LIBRARY_MEMBER(name) __typeof__(&name) name##_call;
#define LIBRARY_SYMBOL(name) { #name, &calls.name##_call },

/* Where several files do, LIBRARY_LATE_CALLS(LIST, load) has their calls go to
 * functions of our own, which pass them on; load(), which is one of ours, comes
 * before any other. A program that is linked with the library, too, as some
 * tests are, has both. */
#define LIBRARY_LATE(name) extern __typeof__(name) name __asm__("late_" #name);
#ifdef LAZY_LIBRARIES
#define LIBRARY_LATE_CALLS(LIST, load)                                         \
	LIST(LIBRARY_LATE)                                                     \
	bool load(struct error *err) MUST_CHECK;
#else
#define LIBRARY_LATE_CALLS(LIST, load)                                         \
	static inline bool load(struct error *err)                             \
	{                                                                      \
		(void)err;                                                     \
		return true;                                                   \
	}
#endif

/* Loads the library, such as "libcurl.so.4", and sets all targets, then
 * *is_loaded, unless another thread has done so; it stays until the end of the
 * program. Fails (ERROR_INTERNAL) when it is not there or lacks a symbol;
 * targets are undefined then. */
bool library_load(const char *file, const struct library_symbol *symbols,
		  size_t count, atomic_bool *is_loaded,
		  struct error *err) MUST_CHECK;

/* Calls visit with each folder that libraries are looked for in, but for those
 * of the system's configuration. */
void library_folders(void (*visit)(const char *folder, void *data), void *data);

/* Calls visit with the path of every library that is loaded. */
void library_each(void (*visit)(const char *path, void *data), void *data);

#endif
