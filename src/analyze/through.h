/* SPDX-License-Identifier: Apache-2.0
 *
 * Which of the changed functions hold their change, and which only pass on
 * that of another. A function passes on what a callee holds, and a helper what
 * one of its callers asks it for; the rest are the answer.
 */
#ifndef ANALYZE_THROUGH_H
#define ANALYZE_THROUGH_H

#include "analyze/diff.h"

/* A function holds another's change from this part of it. */
#define THROUGH_PART 0.8

/* Sets `through` of the rows of d, a comparison of totals. owned: the same of
 * what functions own, to tell whose code calls a library. */
bool through_find(struct diff *d, const struct diff *self_lib,
		  struct error *err) MUST_CHECK;

#endif
