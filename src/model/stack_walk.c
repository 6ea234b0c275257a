/* SPDX-License-Identifier: Apache-2.0 */
#include "model/stack_walk.h"

void stack_walk_init(struct stack_walk *w, const struct profile *p)
{
	const struct packed_stacks *packed = p->packed;

	w->profile = p;
	w->index = 0;
	w->at = NULL;
	if (packed)
		w->at = (const unsigned char *)packed->bytes.data +
			packed->first;
}

/* The numbers come from the leaf on: the frames are laid down backwards. They
 * all have room, see profile_build_packed(). */
static void unpack(struct stack_walk *w)
{
	const struct packed_stacks *packed = w->profile->packed;
	const unsigned char *at = w->at;
	uint64_t numbers = varint_take(&at);
	uint32_t *end = w->room + LIMIT_STACK_FRAMES;
	uint32_t *to = end;

	while (numbers--) {
		uint32_t place = packed->places[varint_take(&at)];
		const uint32_t *run;

		if (!(place & PACKED_RUN)) {
			*--to = place;
			continue;
		}
		run = &packed->runs[place & ~PACKED_RUN];
		for (uint32_t i = *run; i; i--)
			*--to = run[i];
	}
	w->frames = to;
	w->count = (uint32_t)(end - to);
	w->value = (int64_t)varint_take(&at);
	w->at = at;
}

bool stack_walk_next(struct stack_walk *w)
{
	const struct profile *p = w->profile;

	if (w->index == p->stack_count)
		return false;
	if (p->packed) {
		unpack(w);
	} else {
		const struct stack *s = &p->stacks[w->index];

		w->frames = &p->frame_ids[s->frame_first];
		w->count = s->frame_count;
		w->value = s->value;
	}
	w->index++;
	return true;
}
