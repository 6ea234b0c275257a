/* SPDX-License-Identifier: Apache-2.0
 *
 * From the packed samples of a pprof message to the packed stacks of the model:
 * what the ids stand for is known now.
 */
#include <string.h>

#include "decode/pprof_pack.h"

/* ---- how deep stacks are ---- */

/* Of the place with this id. One that is missing is found out later. */
static uint32_t frames_at(const struct pprof_pack *pack, uint64_t id)
{
	const struct pprof *p = pack->p;
	uint32_t location = pprof_find(&p->locations, id);

	return location == PPROF_NONE
		       ? 1
		       : pprof_frames_of(&p->location_rows[location]);
}

/* What places that stacks are on have. */
struct extent {
	uint32_t deepest; /* most frames of one */
	size_t run_words; /* of all that have more than two */
};

static struct extent measure(const struct pprof_pack *pack)
{
	struct extent x = { .deepest = 1 };

	for (uint64_t id = 0; id < pack->id_end; id++) {
		uint32_t count = pack->sums[id] ? frames_at(pack, id) : 1;

		if (count > 2)
			x.run_words += (size_t)1 + count;
		if (count > x.deepest)
			x.deepest = count;
	}
	return x;
}

/* Whether no stack is too deep, nor all of them together too large. The first
 * glance is enough for nearly all. Nothing is unfolded for it: those that are
 * not small are unfolded as they are added. */
static bool are_stacks_small(const struct pprof_pack *pack,
			     const struct extent *x, uint64_t *ids)
{
	struct pprof_unpack u;
	uint64_t total = 0;

	if (pack->longest <= LIMIT_STACK_FRAMES / x->deepest &&
	    pack->id_total <= LIMIT_STACK_FRAMES_TOTAL / x->deepest)
		return true;
	pprof_unpack_begin(&u, pack, ids);
	while (pprof_unpack_next(&u, pack)) {
		uint64_t depth = 0;

		for (size_t i = 0; i < u.count; i++)
			depth += frames_at(pack, ids[i]);
		total += depth;
		if (depth > LIMIT_STACK_FRAMES ||
		    total > LIMIT_STACK_FRAMES_TOTAL)
			return false;
	}
	return true;
}

/* ---- places ---- */

/* In the scratch arena until all is known. */
struct places {
	struct packed_place *items; /* by id */
	uint32_t count;
	uint32_t *runs;
	size_t run_cap;
	uint32_t run_count;
};

_Static_assert(LIMIT_DECODE_HEAP_BYTES / sizeof(uint32_t) < PACKED_RUN,
	       "all runs that fit the arena are found by 31 bits");

static bool add_run(struct pprof_pack *pack, struct places *places,
		    const uint32_t *frames, uint32_t count, struct error *err)
{
	void *runs = places->runs;
	size_t need = places->run_count + (size_t)1 + count;
	/* There is, already, where rows count right. */
	bool has_room =
		arena_reserve(&pack->p->scratch, &runs, &places->run_cap, need,
			      sizeof *places->runs);

	if (has_room) {
		places->runs = runs;
		places->runs[places->run_count++] = count;
		memcpy(&places->runs[places->run_count], frames,
		       count * sizeof *frames);
		places->run_count += count;
	}
	return has_room || pprof_no_memory(pack->p, err);
}

static bool fill_place(struct pprof_pack *pack, struct places *places,
		       uint64_t id, struct error *err)
{
	struct pprof *p = pack->p;
	uint32_t *words = places->items[id].frames;
	struct pprof_unfolded u;

	if (!pprof_unfold(p, id, pprof_find(&p->locations, id), &u, err))
		return false;
	words[0] = p->frames[u.first + u.count - 1];
	words[1] = u.count > 1 ? p->frames[u.first] : PACKED_NONE;
	p->frame_count = u.first;
	if (u.count <= 2)
		return true;
	words[0] = PACKED_RUN | places->run_count;
	return add_run(pack, places, &p->frames[u.first], u.count, err);
}

static bool places_init(struct pprof_pack *pack, struct places *places,
			size_t run_words, struct error *err)
{
	uint64_t count = pack->id_end;

	while (count && !pack->sums[count - 1])
		count--;
	*places = (struct places){
		.items = arena_array(&pack->p->scratch, (size_t)count,
				     sizeof *places->items),
		.count = (uint32_t)count,
	};
	if (!places->items ||
	    !arena_reserve_exactly(&pack->p->scratch, (void **)&places->runs,
				   &places->run_cap, run_words,
				   sizeof *places->runs))
		return pprof_no_memory(pack->p, err);
	for (uint64_t id = 0; id < count; id++)
		if (pack->sums[id] && !fill_place(pack, places, id, err))
			return false;
	return true;
}

static struct packed_stacks *stacks_new(struct pprof_pack *pack,
					struct places *places,
					struct arena *arena)
{
	struct arena *scratch = &pack->p->scratch;
	struct packed_stacks *out = arena_alloc(arena, sizeof *out);

	if (!out)
		return NULL;
	*out = (struct packed_stacks){
		.place_count = places->count,
		.run_count = places->run_count,
		.divisor = (int64_t)pack->divisor,
	};
	out->places =
		arena_hand_over(scratch, arena, places->items, places->count,
				places->count, sizeof *out->places);
	if (!out->places)
		return NULL;
	out->runs =
		arena_hand_over(scratch, arena, places->runs, places->run_cap,
				places->run_count, sizeof *out->runs);
	if (!out->runs)
		return NULL;
	out->sums = arena_hand_over(scratch, arena, pack->sums,
				    (size_t)pack->id_end, places->count,
				    sizeof *out->sums);
	return out->sums ? out : NULL;
}

/* Chunks count like what is in the arena. */
static bool take_chunks(struct pprof_pack *pack, struct arena *arena,
			struct packed_stacks *out, struct error *err)
{
	if (pack->size_bytes > arena->max_bytes - arena->used_bytes) {
		arena->is_over_limit = true;
		return arena_fail(arena, PPROF_WHAT, err);
	}
	out->chunks = pack->first;
	pack->first = pack->last = NULL;
	return true;
}

bool pprof_pack_build(struct pprof_pack *pack, struct arena *arena,
		      uint64_t *ids, struct packed_stacks **out,
		      struct error *err)
{
	struct packed_stacks *built;
	struct places places;
	struct extent x;

	*out = NULL;
	if (pack->is_ordered || !pack->count || pack->p->is_dropped)
		return true;
	x = measure(pack);
	if (!are_stacks_small(pack, &x, ids))
		return true;
	if (!places_init(pack, &places, x.run_words, err))
		return false;
	built = stacks_new(pack, &places, arena);
	if (!built)
		return arena_fail(arena, PPROF_WHAT, err);
	*out = built;
	return take_chunks(pack, arena, built, err);
}
