/* SPDX-License-Identifier: Apache-2.0
 *
 * Builds the flame graph of one or two profiles: a tree of their stacks. Linear
 * in the frames, without recursion; deterministic.
 */
#ifndef ANALYZE_FLAME_H
#define ANALYZE_FLAME_H

#include "analyze/code_kind.h"
#include "base/error.h"
#include "model/flame.h"
#include "model/profile.h"

struct flame_want {
	const struct code_rules *rules; /* the user's rules about kinds, or
					 * NULL */
	bool is_plain;                  /* as in struct rank_want */
	bool is_reversed;               /* callees first */
};

/* Fills f, whose arena the caller has initialised. baseline may be NULL.
 * Changes are those of result, ranked with is_drawn; without a comparison in it
 * the baseline is left out. Functions with generated numbers in their names and
 * renamed ones are merged, like in the rows. f borrows from both profiles. */
bool flame_build(struct flame *f, const struct profile *slow,
		 const struct profile *baseline, const struct result *result,
		 const struct flame_want *want, struct error *err) MUST_CHECK;

#endif
