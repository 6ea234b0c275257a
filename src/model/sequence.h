/* SPDX-License-Identifier: Apache-2.0
 *
 * Orders number sequences lexicographically: names packed into words, and
 * stacks. Private to model/. A merge sort that remembers how much each sequence
 * shares with the one before it, so long common beginnings (every stack has
 * them) are compared once and no input makes it quadratic.
 */
#ifndef MODEL_SEQUENCE_H
#define MODEL_SEQUENCE_H

#include <stddef.h>
#include <stdint.h>

struct sequence {
	const uint32_t *items;
	uint32_t count;
	uint32_t index;  /* the caller's, to know it again */
	uint32_t common; /* items shared with the sequence before it */
	uint64_t next;   /* rank of the item after those + 1, 0: none */
};

/* Orders sequences[0..count), of which items, count and index are set, using
 * scratch of the same size. Shorter ones come first on a tie, equal ones keep
 * their order. With rank, items are compared by rank[item] over the whole
 * sequence first and by themselves after. */
void sequence_sort(struct sequence *sequences, size_t count,
		   const uint32_t *rank, struct sequence *scratch);

/* The same of two ordered runs, [0..first) and [first..count), into `out`,
 * where `common` then counts what each shares with the one before it: ranks,
 * the end mark and items where there are ranks, items else. */
void sequence_merge(struct sequence *sequences, size_t first, size_t count,
		    const uint32_t *rank, struct sequence *out);

#endif
