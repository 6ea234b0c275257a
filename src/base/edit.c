/* SPDX-License-Identifier: Apache-2.0 */
#include "base/edit.h"

#include "base/num.h"

/* Restricted Damerau-Levenshtein: no byte is edited twice, so that three rows
 * of the table are enough. */
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
