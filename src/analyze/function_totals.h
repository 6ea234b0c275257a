/* SPDX-License-Identifier: Apache-2.0
 *
 * Values of functions on both sides of a comparison, from their profiles:
 * recursion and inlining count a stack once. Linear in the frames of the
 * stacks.
 */
#ifndef ANALYZE_FUNCTION_TOTALS_H
#define ANALYZE_FUNCTION_TOTALS_H

#include "analyze/function_table.h"
#include "base/buf.h"
#include "base/str.h"

/* baseline may be NULL, and so may rules, the user's own about kinds. Names
 * and files are borrowed from the profiles or live in arena. is_plain: as in
 * struct rank_want. */
bool func_table_build(struct func_table *t, struct arena *arena,
		      const struct profile *slow,
		      const struct profile *baseline,
		      const struct code_rules *rules, bool is_plain,
		      struct error *err) MUST_CHECK;

/* Sees one more profile, such as a block of a side, through a built table:
 * fills side, whose profile is set. Functions that the table does not hold
 * get ENTRY_NONE. */
bool func_side_bind(const struct func_table *t, struct func_side *side,
		    struct error *err) MUST_CHECK;

/* The entry of an identity, or ENTRY_NONE; and the same where one is added when
 * there is none. The identity of an added one is borrowed. */
uint32_t func_table_find(const struct func_table *t, struct str identity);
bool func_table_add(struct func_table *t, struct str identity, uint32_t *id,
		    struct error *err) MUST_CHECK;

/* The identity of a function across builds and restarts: its name without
 * the parts that compilers and virtual machines number afresh each time, so
 * that "Pricing$$Lambda/0x7f1c.apply" of two processes is one function and
 * not one gone and one new. */

/* Appends the identity of name to out. */
void function_key(struct str name, struct buf *out);

#endif
