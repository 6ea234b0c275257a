/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of C++, which the C++ runtime reads. It bounds neither its time nor
 * what it writes: parts that refer to earlier ones can double with every eight
 * bytes of a name. So cpp_bound.c tells before how much there can be. Private
 * to demangle/.
 */
#ifndef DEMANGLE_CPP_H
#define DEMANGLE_CPP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

/* Appended to out; false when it is no name of C++, goes beyond a limit, or the
 * runtime is not there. *work grows by the bytes that there could be. */
bool cpp_demangle(struct str name, struct buf *out, uint64_t *work);

struct cpp_bound {
	size_t end;           /* where parameters begin, which are not shown */
	size_t qualifiers_at; /* of the method: "const" and so on */
	size_t qualifiers;
	uint64_t bytes; /* at most, that what stands before the end unfolds into
			 */
};

/* False: the name is malformed, is not known here, or goes beyond a limit. */
bool cpp_bound(struct str name, struct cpp_bound *bound);

/* Appends what the runtime prints, without template arguments and without the
 * parameters of functions around a name; false when brackets do not match. */
bool cpp_shorten(struct str text, struct buf *out);

#endif
