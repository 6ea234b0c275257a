/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions that are the same under another name.
 */
#ifndef ANALYZE_RENAME_H
#define ANALYZE_RENAME_H

#include "analyze/call_edges.h"
#include "analyze/rank_facts.h"

/* Pairs gone functions with new ones of the same callers and callees, or of
 * the same place in the same file, and of similar value. Neither is claimed
 * then, and facts hold the pair. edges must hold those of all claims. */
bool rename_find(struct diff *d, const struct call_edges *edges,
		 struct rank_facts *facts, struct error *err) MUST_CHECK;

#endif
