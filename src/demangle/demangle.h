/* SPDX-License-Identifier: Apache-2.0
 *
 * Names as linkers know them, turned into those of the source: C++ of the
 * Itanium ABI (GCC, Clang) and Rust (legacy and v0). As pprof shows them:
 * without parameters, return type and template arguments, which tell
 * instances apart that nobody wrote.
 *
 * Those of C++ are read by the C++ runtime (demangle/cpp.h); without it they stay.
 *
 * Names are a stranger's: work, nesting and length of one are bounded, and the
 * work of all together. What is malformed or goes beyond stays as it is.
 */
#ifndef DEMANGLE_DEMANGLE_H
#define DEMANGLE_DEMANGLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

struct demangler;

/* NULL when memory is lacking. One serves the names of one profile. */
struct demangler *demangler_new(void) MUST_CHECK;
void demangler_free(struct demangler *d);

/* Less than LIMIT_DEMANGLE_WORK. */
void demangler_limit_work(struct demangler *d, uint64_t work);

/* Returns whether names stayed as they are since the work of all was done. */
bool demangler_is_exhausted(const struct demangler *d);

/* Returns whether the name begins as mangled ones do; cheap. */
bool is_mangled(struct str name);

/* The name of the source: borrowed until the next call; `name` itself when it
 * is none of these languages or cannot be read. */
struct str demangle(struct demangler *d, struct str name);

/* The parts that both forms of Rust's names share. Private to demangle/. */

/* Each appended to out; false when it is no name of its form. *steps grows by
 * those taken. */
bool rust_demangle(struct str name, struct buf *out, uint64_t *steps);
bool rust_demangle_legacy(struct str name, struct buf *out);

#endif
