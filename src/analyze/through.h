/* SPDX-License-Identifier: Apache-2.0
 *
 * Which of the changed functions hold their change, and which only pass on
 * that of another. A function passes on what a callee holds, and a helper what
 * one of its callers asks it for; the rest are the answer.
 */
#ifndef ANALYZE_THROUGH_H
#define ANALYZE_THROUGH_H

#include "analyze/diff.h"

/* The largest changes that are looked at. A table shows ten; the callers of
 * those that hold them are some forty at most in ordinary stacks. Each stack
 * costs the square of those on it. */
#define THROUGH_ROWS 48u

/* A function holds another's change from this part of it. */
#define THROUGH_PART 0.8

/* Calls from elsewhere tell whether a helper itself changed when they are this
 * part of it, and they did not when they moved by less than half as much, and
 * by less than half of what they took. */
#define THROUGH_OTHERS_PART 0.1
#define THROUGH_OTHERS_STILL 0.5

/* Sets `through` of the rows of d, a comparison of totals. owned: the same of
 * what functions own, to tell whose code calls a library. */
bool through_find(struct diff *d, const struct diff *self_lib,
		  struct error *err) MUST_CHECK;

#endif
