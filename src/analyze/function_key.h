/* SPDX-License-Identifier: Apache-2.0
 *
 * The identity of a function across builds and restarts: its name without
 * the parts that compilers and virtual machines number afresh each time, so
 * that "Pricing$$Lambda/0x7f1c.apply" of two processes is one function and
 * not one gone and one new.
 */
#ifndef ANALYZE_FUNCTION_KEY_H
#define ANALYZE_FUNCTION_KEY_H

#include "base/buf.h"
#include "base/str.h"

/* Appends the identity of name to out. */
void function_key(struct str name, struct buf *out);

#endif
