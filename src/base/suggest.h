/* SPDX-License-Identifier: Apache-2.0
 *
 * "Did you mean": finds the known word closest to a mistyped one.
 */
#ifndef BASE_SUGGEST_H
#define BASE_SUGGEST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

/* The best candidate so far. */
struct suggestion {
	struct str wanted;
	size_t distance;
	char best[64]; /* "" while none is close enough */
};

/* wanted is borrowed while candidates are offered. */
void suggestion_init(struct suggestion *s, struct str wanted);
void suggestion_offer(struct suggestion *s, const char *word);
void suggestion_offer_text(struct suggestion *s, struct str known);

/* Edit distance. */

/* Only this many bytes of each word are compared, which bounds the work; names
 * this long are not typed by hand. */
#define EDIT_WORD_BYTES 64u

/* Returns the number of bytes to insert, delete or replace to turn a into b.
 * Swapping two neighbours costs swap_cost: 1 for typed words, 2 where swaps are
 * no likelier than two other edits. Case-sensitive. */
size_t edit_distance(struct str a, struct str b, size_t swap_cost);

#endif
