/* SPDX-License-Identifier: Apache-2.0
 *
 * Demangling of C++ by the C++ runtime, which limits neither its time nor its
 * output: back references can double the output with every eight bytes. So
 * cpp_bound.c computes an upper bound first. Private to demangle/.
 */
#ifndef DEMANGLE_CPP_H
#define DEMANGLE_CPP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

/* Appends the demangled name to out. Returns false if it is not a C++ name,
 * exceeds a limit, or the runtime is missing. *work grows by the upper bound in
 * bytes. */
bool cpp_demangle(struct str name, struct buf *out, uint64_t *work);

struct cpp_bound {
	/* Offset of the parameters, which are not shown. */
	size_t end;
	/* Offset of the method's qualifiers: "const" and so on. */
	size_t qualifiers_at;
	size_t qualifiers;
	uint64_t bytes; /* upper bound of the demangled length up to `end` */
};

/* Returns false if the name is malformed, uses unsupported syntax, or exceeds a
 * limit. */
bool cpp_bound(struct str name, struct cpp_bound *bound);

/* Appends the runtime's output without template arguments and without
 * parameters of enclosing functions; returns false if brackets do not match. */
bool cpp_shorten(struct str text, struct buf *out);

#endif
