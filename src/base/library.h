/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared libraries that most runs do without, loaded on first use. Linked in
 * the ordinary way, libcurl and libcrypto pull in thirty others, and resolving
 * their symbols takes longer than everything else a run on a small file does.
 * Savings per library: docs/lab/performance.md, "libcurl opened late" and the
 * two rows below it; all other libraries are linked.
 */
#ifndef BASE_LIBRARY_H
#define BASE_LIBRARY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/num.h"

/* Names of the libraries that a run may load late, inside the sandbox. meson
 * defines LIBCRYPTO with the version that matches its headers. */
#define LIBRARY_CURL "libcurl.so.4"  /* since 2006 */
#define LIBRARY_CPP "libstdc++.so.6" /* since 2004 */
#define LIBRARY_ZSTD "libzstd.so.1"  /* since 2016 */

struct library_symbol {
	const char *name;
	void *target; /* the function pointer to set */
};

/* The single source file that uses a library lists the functions it calls as
 * LIST(X), and contains
 *
 *   LIBRARY_CALLS(LIST, LIBCRYPTO)
 *   #define BIO_free LIBRARY_CALL(BIO_free)   and so on
 *
 * It must call calls_load(), which loads the library once, before any other
 * function of it. In builds linked with the libraries this does nothing. */
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

/* For libraries used by several files: LIBRARY_LATE_CALLS(LIST, load) redirects
 * their calls to wrapper functions of ours that forward them; call load(), also
 * ours, before any other. A program linked with the library as well, such as
 * some tests, contains both. */
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
 * *is_loaded, unless another thread has done so; it stays loaded until exit.
 * Fails (ERROR_INTERNAL) if it is missing or lacks a symbol; targets are
 * undefined then. */
bool library_load(const char *file, const struct library_symbol *symbols,
		  size_t count, atomic_bool *is_loaded,
		  struct error *err) MUST_CHECK;

/* Calls visit with each folder in the library search path, except those from
 * the system's configuration. */
void library_folders(void (*visit)(const char *folder, void *data), void *data);

/* Calls visit with the path of every loaded library. */
void library_each(void (*visit)(const char *path, void *data), void *data);

#endif
