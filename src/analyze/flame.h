/* SPDX-License-Identifier: Apache-2.0
 *
 * Lays the stacks of one or two profiles out as a tree. Linear in their
 * frames, without recursion; the same input gives the same tree.
 */
#ifndef ANALYZE_FLAME_H
#define ANALYZE_FLAME_H

#include "analyze/code_kind.h"
#include "base/error.h"
#include "model/flame.h"
#include "model/profile.h"

struct flame_want {
	const struct code_rules *rules; /* the user's about kinds, or NULL */
	bool is_plain;                  /* as in struct rank_want */
	bool is_reversed;               /* callees first */
};

/* Fills f, whose arena the caller has initialised. baseline may be NULL. What
 * changed is taken from result, ranked with is_drawn; without a comparison in
 * it the baseline is left out. Functions with generated numbers in their names
 * and renamed ones are one, as in the rows. f borrows from both profiles. */
bool flame_build(struct flame *f, const struct profile *slow,
		 const struct profile *baseline, const struct result *result,
		 const struct flame_want *want, struct error *err) MUST_CHECK;

#endif
