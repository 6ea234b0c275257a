/* SPDX-License-Identifier: Apache-2.0 */
#include "base/suggest.h"

#include <stdint.h>
#include <string.h>

#include "base/edit.h"
#include "base/num.h"

/* Names of ours are shorter; a longer word is not a slip of one of them. */
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
	/* A quarter of the letters may be wrong; the start of a longer word
	 * counts as one slip, since abbreviations are a habit. */
	near = min_size(s->wanted.len, known.len) / 4 + 1;
	distance = edit_distance(s->wanted, known, 1);
	if (distance > 1 && s->wanted.len > 1 && str_starts(known, s->wanted))
		distance = 1;
	if (distance > near || distance >= s->distance)
		return;
	s->distance = distance;
	memcpy(s->best, known.ptr, known.len);
	s->best[known.len] = '\0';
}
