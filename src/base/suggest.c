/* SPDX-License-Identifier: Apache-2.0 */
#include "base/suggest.h"

#include <stdint.h>
#include <string.h>

#include "base/num.h"

/* Edit distance. */

/* Restricted Damerau-Levenshtein: no byte is edited twice, so three rows of the
 * table suffice. */
size_t edit_distance(struct str a, struct str b, size_t swap_cost)
{
	size_t rows[3][EDIT_WORD_BYTES + 1];
	size_t *before = rows[0], *above = rows[1], *row = rows[2], *spare;

	a = str_slice(a, 0, EDIT_WORD_BYTES);
	b = str_slice(b, 0, EDIT_WORD_BYTES);
	for (size_t j = 0; j <= b.len; j++)
		above[j] = j;
	for (size_t i = 1; i <= a.len; i++) {
		row[0] = i;
		for (size_t j = 1; j <= b.len; j++) {
			bool is_same = a.ptr[i - 1] == b.ptr[j - 1];

			row[j] = min_size(above[j], row[j - 1]) + 1;
			row[j] = min_size(row[j], above[j - 1] + !is_same);
			if (i > 1 && j > 1 && a.ptr[i - 1] == b.ptr[j - 2] &&
			    a.ptr[i - 2] == b.ptr[j - 1])
				row[j] = min_size(row[j],
						  before[j - 2] + swap_cost);
		}
		spare = before;
		before = above;
		above = row;
		row = spare;
	}
	return above[b.len];
}

/* Our names are shorter; longer words are not typos of one of them. */
#define MAX_WORD 63

void suggestion_init(struct suggestion *s, struct str wanted)
{
	s->wanted = wanted;
	s->distance = SIZE_MAX;
	s->best[0] = '\0';
}

void suggestion_offer(struct suggestion *s, const char *word)
{
	suggestion_offer_text(s, str_from(word));
}

void suggestion_offer_text(struct suggestion *s, struct str known)
{
	size_t distance, near;

	if (s->wanted.len == 0 || s->wanted.len > MAX_WORD ||
	    known.len > MAX_WORD)
		return;
	/* A quarter of the letters may be wrong, one in words of up to four; a
	 * prefix of a longer word counts as one edit, since people
	 * abbreviate. */
	near = min_size(s->wanted.len, known.len);
	near = near < 5 ? 1 : near / 4 + 1;
	distance = edit_distance(s->wanted, known, 1);
	if (distance > 1 && s->wanted.len > 1 && str_starts(known, s->wanted))
		distance = 1;
	if (distance > near || distance >= s->distance)
		return;
	s->distance = distance;
	memcpy(s->best, known.ptr, known.len);
	s->best[known.len] = '\0';
}
