/* SPDX-License-Identifier: Apache-2.0
 *
 * "Did you mean": the known word that lies nearest to a mistyped one.
 */
#ifndef BASE_SUGGEST_H
#define BASE_SUGGEST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/* Keeps the best of the words offered so far. */
struct suggestion {
	struct str wanted;
	size_t distance;
	char best[64]; /* "" while nothing is near enough */
};

/* wanted is borrowed as long as words are offered. */
void suggestion_init(struct suggestion *s, struct str wanted);
void suggestion_offer(struct suggestion *s, const char *word);
void suggestion_offer_text(struct suggestion *s, struct str known);

/* How far one word is from another, for "did you mean". */

/* Longer words are compared by their beginnings: a name this long is not
 * mistyped, and the work stays small. */
#define EDIT_WORD_BYTES 64u

/* How many bytes to insert, drop or change to make b of a. Neighbours that are
 * swapped cost swap_cost: 1 for words that were typed, 2 where a swap is no
 * likelier than two other slips. Case counts: fold it before. */
size_t edit_distance(struct str a, struct str b, size_t swap_cost);

#endif
