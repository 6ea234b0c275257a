/* SPDX-License-Identifier: Apache-2.0 */
#include "model/stack_walk.h"

#include "base/varint.h"
#include "base/word.h"

_Static_assert(LIMIT_STACK_FRAMES <= UINT16_MAX, "ends fit two bytes");

/* The numbers of a stack are read while the one before is looked at: its
 * places lie far apart, and come from memory meanwhile. */
static void read_ahead(struct stack_walk *w)
{
	const struct packed_place *places = w->profile->packed->places;
	struct stack_ahead *next = &w->next;
	const unsigned char *at;
	unsigned bytes;

	(void)packed_next(&w->chunk, &w->at);
	bytes = w->chunk->number_bytes;
	at = w->at;
	next->kept = (uint32_t)varint_take(&at);
	next->count = (uint32_t)varint_take(&at);
	for (uint32_t i = 0; i < next->count; i++) {
		next->numbers[i] = (uint32_t)load_number(at, bytes);
		at += bytes;
		__builtin_prefetch(&places[next->numbers[i]]);
	}
	next->value = (int64_t)(varint_take(&at) * w->chunk->value_unit);
	w->at = at;
}

void stack_walk_init(struct stack_walk *w, const struct profile *p)
{
	const struct packed_stacks *packed = p->packed;

	w->profile = p;
	w->index = 0;
	w->kept = 0;
	if (!packed)
		return;
	w->chunk = packed->chunks;
	w->at = w->chunk->bytes;
	w->frames = w->room;
	w->ends[0] = 0;
	if (p->stack_count)
		read_ahead(w);
}

/* The frames all have room, see profile_build_packed(). */
static void unpack(struct stack_walk *w)
{
	const struct packed_stacks *packed = w->profile->packed;
	const struct stack_ahead *next = &w->next;
	uint16_t *end = &w->ends[next->kept];
	uint32_t *to = w->room + *end;

	w->kept = *end;
	for (uint32_t i = 0; i < next->count; i++) {
		struct packed_place place = packed->places[next->numbers[i]];
		const uint32_t *run;

		if (place.frames[0] & PACKED_RUN) {
			run = &packed->runs[place.frames[0] & ~PACKED_RUN];
			for (uint32_t k = 1; k <= *run; k++)
				*to++ = run[k];
		} else {
			to[0] = place.frames[1];
			to += place.frames[1] != PACKED_NONE;
			*to++ = place.frames[0];
		}
		*++end = (uint16_t)(to - w->room);
	}
	w->count = (uint32_t)(to - w->room);
	w->value = next->value;
	if (w->index + 1 < w->profile->stack_count)
		read_ahead(w);
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
