/* SPDX-License-Identifier: Apache-2.0 */
#include "model/stack_walk.h"

#include "base/varint.h"

void stack_walk_init(struct stack_walk *w, const struct profile *p)
{
	const struct packed_stacks *packed = p->packed;

	w->profile = p;
	w->index = 0;
	w->kept = 0;
	w->at = NULL;
	if (!packed)
		return;
	w->at = (const unsigned char *)packed->bytes.data + packed->first;
	w->frames = w->room;
	w->ends[0] = 0;
}

/* The frames all have room, see profile_build_packed(). */
static void unpack(struct stack_walk *w)
{
	const struct packed_stacks *packed = w->profile->packed;
	const struct packed_place *places = packed->places;
	const unsigned char *at = w->at;
	uint32_t *end = &w->ends[varint_take(&at)];
	uint64_t others = varint_take(&at);
	uint32_t *to = w->room + *end;

	w->kept = *end;
	while (others--) {
		struct packed_place place = places[varint_take(&at)];
		const uint32_t *run;

		if (place.frames[0] & PACKED_RUN) {
			run = &packed->runs[place.frames[0] & ~PACKED_RUN];
			for (uint32_t i = 1; i <= *run; i++)
				*to++ = run[i];
		} else {
			to[0] = place.frames[1];
			to += place.frames[1] != PACKED_NONE;
			*to++ = place.frames[0];
		}
		*++end = (uint32_t)(to - w->room);
	}
	w->count = (uint32_t)(to - w->room);
	w->value = (int64_t)varint_take(&at);
	w->at = at;
}

static void take_stack(struct stack_walk *w, const struct stack *s)
{
	w->frames = &w->profile->frame_ids[s->frame_first];
	w->count = s->frame_count;
	w->value = s->value;
}

bool stack_walk_next(struct stack_walk *w)
{
	if (w->index == w->profile->stack_count)
		return false;
	if (w->profile->packed)
		unpack(w);
	else
		take_stack(w, &w->profile->stacks[w->index]);
	w->index++;
	return true;
}
