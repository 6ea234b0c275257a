/* SPDX-License-Identifier: Apache-2.0 */
#include "model/stack_walk.h"

void stack_walk_init(struct stack_walk *w, const struct profile *p)
{
	const struct packed_stacks *packed = p->packed;

	w->profile = p;
	w->index = 0;
	w->words = NULL;
	w->at = NULL;
	if (!packed)
		return;
	w->at = (const unsigned char *)packed->bytes.data + packed->first;
	w->places = packed->places;
	w->runs = packed->runs;
}

static void fill_words(const struct packed_stacks *packed,
		       const uint32_t *words, uint32_t *places, uint32_t *runs)
{
	for (uint32_t i = 0; i < packed->place_count; i++) {
		places[i] = packed->places[i];
		if (packed->sums[i] && !(places[i] & PACKED_RUN))
			places[i] = words[places[i]];
	}
	for (uint32_t i = 0; i < packed->run_count; i += 1 + runs[i]) {
		runs[i] = packed->runs[i];
		for (uint32_t k = 1; k <= runs[i]; k++)
			runs[i + k] = words[packed->runs[i + k]];
	}
}

bool stack_walk_init_words(struct stack_walk *w, const struct profile *p,
			   const uint32_t *words, struct arena *arena,
			   struct error *err)
{
	const struct packed_stacks *packed = p->packed;
	uint32_t *places, *runs;

	stack_walk_init(w, p);
	w->words = words;
	if (!packed)
		return true;
	places = arena_array(arena, packed->place_count, sizeof *places);
	runs = arena_array(arena, packed->run_count, sizeof *runs);
	if (!places || !runs)
		return arena_fail(arena, "going through the stacks", err);
	fill_words(packed, words, places, runs);
	w->places = places;
	w->runs = runs;
	return true;
}

/* The numbers come from the leaf on: the frames are laid down backwards. They
 * all have room, see profile_build_packed(). */
static void unpack(struct stack_walk *w)
{
	const uint32_t *places = w->places;
	const unsigned char *at = w->at;
	uint64_t numbers = varint_take(&at);
	uint32_t *end = w->room + LIMIT_STACK_FRAMES;
	uint32_t *to = end;

	w->now = w->at;
	while (numbers--) {
		uint32_t place = places[varint_take(&at)];
		const uint32_t *run;

		if (!(place & PACKED_RUN)) {
			*--to = place;
			continue;
		}
		run = &w->runs[place & ~PACKED_RUN];
		for (uint32_t i = *run; i; i--)
			*--to = run[i];
	}
	w->frames = to;
	w->count = (uint32_t)(end - to);
	w->value = (int64_t)varint_take(&at);
	w->at = at;
}

static void take_stack(struct stack_walk *w, const struct stack *s)
{
	const uint32_t *ids = &w->profile->frame_ids[s->frame_first];

	w->frames = ids;
	w->count = s->frame_count;
	w->value = s->value;
	if (!w->words)
		return;
	for (uint32_t i = 0; i < s->frame_count; i++)
		w->room[i] = w->words[ids[i]];
	w->frames = w->room;
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

void stack_walk_frames(const struct stack_walk *w, struct stack_walk *frames)
{
	stack_walk_init(frames, w->profile);
	frames->index = w->index - 1;
	frames->at = w->now;
	(void)stack_walk_next(frames);
}
