/* SPDX-License-Identifier: Apache-2.0
 *
 * What both forms of Rust's names share. Private to demangle/.
 */
#ifndef DEMANGLE_RUST_H
#define DEMANGLE_RUST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/ascii.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"

/* Each appended to out; false when it is no name of its form. *steps grows by
 * those taken. */
bool rust_demangle(struct str name, struct buf *out, uint64_t *steps);
bool rust_demangle_legacy(struct str name, struct buf *out);

/* Of a lower-case digit; negative: it is none. */
static inline int rust_hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* A count of bytes; SIZE_MAX: none, or more than there are. Two closures are
 * "00": no number begins with a zero. */
static inline size_t rust_length(struct str text, size_t *at)
{
	size_t value = 0;
	size_t start = *at;

	if (*at < text.len && text.ptr[*at] == '0') {
		++*at;
		return 0;
	}
	while (*at < text.len && ascii_is_digit(text.ptr[*at])) {
		value = value * 10 + (size_t)(text.ptr[(*at)++] - '0');
		if (value > text.len)
			return SIZE_MAX;
	}
	return *at > start ? value : SIZE_MAX;
}

#endif
