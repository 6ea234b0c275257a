/* SPDX-License-Identifier: Apache-2.0
 *
 * Demangling of linker symbols: C++ of the Itanium ABI (GCC, Clang) and Rust
 * (legacy and v0). As in pprof, without parameters, return type and template
 * arguments, so that instances of one function are not separate.
 *
 * C++ names are demangled by the C++ runtime (demangle/cpp.h); without it they
 * stay mangled.
 *
 * Names are untrusted: work, nesting and length are limited per name, and the
 * work for all names together. Names that are malformed or over a limit stay as
 * they are.
 */
#ifndef DEMANGLE_DEMANGLE_H
#define DEMANGLE_DEMANGLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

struct demangler;

/* For the names of one profile. NULL when out of memory. */
struct demangler *demangler_new(void) MUST_CHECK;
void demangler_free(struct demangler *d);

/* Lowers the limit LIMIT_DEMANGLE_WORK. */
void demangler_limit_work(struct demangler *d, uint64_t work);

/* Returns whether the total limit was reached, so that names stayed mangled. */
bool demangler_is_exhausted(const struct demangler *d);

/* Returns whether the name begins like a mangled one; cheap. */
bool is_mangled(struct str name);

/* Returns the demangled name, borrowed until the next call; `name` itself if it
 * is not mangled or cannot be demangled. */
struct str demangle(struct demangler *d, struct str name);

/* Shared by both Rust mangling schemes. Private to demangle/. */

/* Append the demangled name to out; false if it does not follow the scheme.
 * *steps grows by the steps taken. */
bool rust_demangle(struct str name, struct buf *out, uint64_t *steps);
bool rust_demangle_legacy(struct str name, struct buf *out);

#endif
