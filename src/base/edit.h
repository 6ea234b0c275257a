/* SPDX-License-Identifier: Apache-2.0
 *
 * How far one word is from another, for "did you mean".
 */
#ifndef BASE_EDIT_H
#define BASE_EDIT_H

#include "base/str.h"

/* Longer words are compared by their beginnings: a name this long is not
 * mistyped, and the work stays small. */
#define EDIT_WORD_BYTES 64u

/* How many bytes to insert, drop or change to make b of a. Neighbours that are
 * swapped cost swap_cost: 1 for words that were typed, 2 where a swap is no
 * likelier than two other slips. Case counts: fold it before. */
size_t edit_distance(struct str a, struct str b, size_t swap_cost);

#endif
