/* SPDX-License-Identifier: Apache-2.0
 *
 * Orders number sequences lexicographically: names packed into words, pairs,
 * whole stacks. Private to model/. A merge sort that remembers how much each
 * sequence shares with the one before it, so long common beginnings (every
 * stack has them) are compared once and no input makes it quadratic.
 */
#ifndef MODEL_SEQUENCE_H
#define MODEL_SEQUENCE_H

#include <stddef.h>
#include <stdint.h>

struct sequence {
	const uint32_t *items;
	uint32_t count;
};

struct sequence_place {
	uint32_t index;	 /* of the sequence */
	uint32_t common; /* items shared with the sequence before it */
};

/* Fills order[0..count), using scratch of the same size. Shorter ones come
 * first on a tie, equal ones keep their place. With rank, items are compared
 * by rank[item] over the whole sequence first and by themselves after. */
void sequence_sort(const struct sequence *sequences, size_t count,
		   const uint32_t *rank, struct sequence_place *order,
		   struct sequence_place *scratch);

#endif
