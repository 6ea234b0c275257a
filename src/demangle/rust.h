/* SPDX-License-Identifier: Apache-2.0
 *
 * What both forms of Rust's names share. Private to demangle/.
 */
#ifndef DEMANGLE_RUST_H
#define DEMANGLE_RUST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

/* Each appended to out; false when it is no name of its form. *steps grows by
 * those taken. */
bool rust_demangle(struct str name, struct buf *out, uint64_t *steps);
bool rust_demangle_legacy(struct str name, struct buf *out);

#endif
