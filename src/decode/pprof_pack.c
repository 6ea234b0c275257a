/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/pprof_pack.h"

#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/varint.h"

/* So large a total that one value, counted for each frame of the deepest
 * stack, still fits. */
#define TOTAL_MAX (INT64_MAX / LIMIT_STACK_FRAMES)

/* Samples have just been unpacked, far more than caches hold, and are not gone
 * through byte by byte: nothing else fetches them in time. */
#define AHEAD_BYTES 1024u
#define CACHE_LINE_BYTES 64u

bool pprof_can_pack(const struct pprof *p)
{
	return p->sample_count && p->are_samples_together && !p->is_dropped &&
	       (p->locations.is_counted || p->locations.by_id);
}

bool pprof_pack_init(struct pprof_pack *pack, struct pprof *p,
		     struct buf *bytes, struct arena *arena, struct error *err)
{
	const struct pprof_table *t = &p->locations;

	*pack = (struct pprof_pack){
		.p = p,
		.arena = arena,
		.begin = (unsigned char *)bytes->data + p->samples_first,
		.id_end = t->is_counted ? t->count + UINT64_C(1) : t->by_id_len,
	};
	pack->end = pack->begin;
	pack->sums =
		arena_array(arena, (size_t)pack->id_end, sizeof *pack->sums);
	return pack->sums || arena_fail(arena, PPROF_WHAT, err);
}

static void put_varint(struct pprof_pack *pack, uint64_t value)
{
	while (value >= 0x80) {
		*pack->end++ = (unsigned char)(value | 0x80);
		value >>= 7;
	}
	*pack->end++ = (unsigned char)value;
}

static bool add_to_places(struct pprof_pack *pack, const uint64_t *ids,
			  size_t count, int64_t value, struct error *err)
{
	for (size_t i = 0; i < count; i++) {
		if (ids[i] >= pack->id_end)
			return pprof_missing_location(ids[i], err);
		/* Ordered ones are looked up one by one anyhow. */
		if (!pack->is_ordered)
			pack->sums[ids[i]] += value;
	}
	return true;
}

/* Each id is a frame or more, so that no sum of a place can overflow. */
static bool is_value_small(const struct pprof_pack *pack, int64_t value)
{
	return value >= 0 && value <= TOTAL_MAX - pack->total;
}

static void add_stack(struct pprof_pack *pack, size_t count, int64_t value)
{
	pack->count++;
	pack->total += pack->is_ordered ? 0 : value;
	pack->divisor = gcd_u64((uint64_t)value, pack->divisor);
	pack->id_total += count;
	if (count > pack->longest)
		pack->longest = count;
	put_varint(pack, count);
}

/* How many they are, 0: not all are ids of the table. What lies behind them in
 * the message may be read. */
static size_t check_ids(const struct pprof_pack *pack, struct str varints,
			uint32_t *ids)
{
	const unsigned char *at = (const unsigned char *)varints.ptr;
	const unsigned char *end = at + varints.len;
	uint32_t *to = ids;

	/* As much is fetched for samples to come as this one takes. */
	for (size_t i = 0; i < varints.len; i += CACHE_LINE_BYTES)
		__builtin_prefetch(end + AHEAD_BYTES + i);
	while (at < end) {
		uint64_t id;
		unsigned len = varint_short(at, &id);

		if (!len || id - 1 >= pack->id_end - 1)
			return 0;
		at += len;
		*to++ = (uint32_t)id;
	}
	return at == end ? (size_t)(to - ids) : 0;
}

bool pprof_pack_add_varints(struct pprof_pack *pack, struct str varints,
			    int64_t value)
{
	uint32_t ids[LIMIT_STACK_FRAMES];
	size_t count;

	if (pack->is_ordered || !is_value_small(pack, value) ||
	    varints.len > LIMIT_STACK_FRAMES)
		return false;
	count = check_ids(pack, varints, ids);
	if (!count)
		return false;
	for (size_t i = 0; i < count; i++)
		pack->sums[ids[i]] += value;
	add_stack(pack, count, value);
	memmove(pack->end, varints.ptr, varints.len);
	pack->end += varints.len;
	put_varint(pack, (uint64_t)value);
	return true;
}

bool pprof_pack_add(struct pprof_pack *pack, const uint64_t *ids, size_t count,
		    int64_t value, struct error *err)
{
	if (!is_value_small(pack, value) || !count ||
	    count > LIMIT_STACK_FRAMES)
		pack->is_ordered = true;
	if (!add_to_places(pack, ids, count, value, err))
		return false;
	add_stack(pack, count, value);
	for (size_t i = 0; i < count; i++)
		put_varint(pack, ids[i]);
	put_varint(pack, (uint64_t)value);
	return true;
}

/* Behind packed samples lies what is left of longer ones, then the tables. */
void pprof_pack_end(const struct pprof_pack *pack)
{
	const struct pprof *p = pack->p;
	size_t packed = (size_t)(pack->end - pack->begin);

	mem_discard(pack->end, p->samples_end - p->samples_first - packed);
}

bool pprof_pack_next(const struct pprof_pack *pack, const unsigned char **at,
		     uint64_t *ids, size_t *count, int64_t *value)
{
	if (*at == pack->end)
		return false;
	*count = (size_t)varint_take(at);
	for (size_t i = 0; i < *count; i++)
		ids[i] = varint_take(at);
	*value = (int64_t)varint_take(at);
	return true;
}

/* ---- places ---- */

/* Frames of the place with this id, of the build. */
static struct pprof_unfolded unfolded(const struct pprof_pack *pack,
				      uint64_t id)
{
	return pack->p->unfolded[pprof_find(&pack->p->locations, id)];
}

static bool unfold_places(struct pprof_pack *pack, uint32_t *deepest,
			  size_t *run_words, struct error *err)
{
	*deepest = 0;
	*run_words = 0;
	for (uint64_t id = 0; id < pack->id_end; id++) {
		uint32_t frames;

		if (!pack->sums[id])
			continue;
		if (!pprof_unfold(pack->p, id,
				  pprof_find(&pack->p->locations, id), err))
			return false;
		frames = unfolded(pack, id).count;
		*run_words += frames > 2 ? 1 + (size_t)frames : 0;
		if (frames > *deepest)
			*deepest = frames;
	}
	return true;
}

/* Whether no stack is too deep, nor all of them together too large. The first
 * glance is enough for nearly all. */
static bool are_stacks_small(const struct pprof_pack *pack, uint32_t deepest,
			     uint64_t *ids)
{
	const unsigned char *at = pack->begin;
	uint64_t total = 0;
	int64_t value;
	size_t count;

	if (deepest && pack->longest <= LIMIT_STACK_FRAMES / deepest &&
	    pack->id_total <= LIMIT_STACK_FRAMES_TOTAL / deepest)
		return true;
	while (pprof_pack_next(pack, &at, ids, &count, &value)) {
		uint64_t depth = 0;

		for (size_t i = 0; i < count; i++)
			depth += unfolded(pack, ids[i]).count;
		total += depth;
		if (depth > LIMIT_STACK_FRAMES ||
		    total > LIMIT_STACK_FRAMES_TOTAL)
			return false;
	}
	return true;
}

static void fill_place(struct packed_stacks *out, uint64_t id,
		       const uint32_t *frames, uint32_t count)
{
	uint32_t *words = out->places[id].frames;

	words[0] = frames[count - 1];
	words[1] = count > 1 ? frames[0] : PACKED_NONE;
	if (count <= 2)
		return;
	words[0] = PACKED_RUN | out->run_count;
	out->runs[out->run_count++] = count;
	memcpy(&out->runs[out->run_count], frames, count * sizeof *frames);
	out->run_count += count;
}

static void fill_places(const struct pprof_pack *pack,
			struct packed_stacks *out)
{
	for (uint32_t id = 0; id < out->place_count; id++) {
		struct pprof_unfolded u;

		if (!pack->sums[id])
			continue;
		u = unfolded(pack, id);
		fill_place(out, id, &pack->p->frames[u.first], u.count);
	}
}

static struct packed_stacks *places_new(const struct pprof_pack *pack,
					size_t run_words)
{
	struct packed_stacks *out = arena_alloc(pack->arena, sizeof *out);

	if (!out)
		return NULL;
	*out = (struct packed_stacks){
		.first = pack->p->samples_first,
		.size = (size_t)(pack->end - pack->begin),
		.places = arena_array(pack->arena, (size_t)pack->id_end,
				      sizeof *out->places),
		.place_count = (uint32_t)pack->id_end,
		.runs = arena_array(pack->arena, run_words, sizeof *out->runs),
		.sums = pack->sums,
		.divisor = (int64_t)pack->divisor,
	};
	if (!out->places || !out->runs)
		return NULL;
	fill_places(pack, out);
	return out;
}

bool pprof_pack_build(struct pprof_pack *pack, uint64_t *ids,
		      struct packed_stacks **out, struct error *err)
{
	uint32_t deepest;
	size_t run_words;

	*out = NULL;
	if (pack->is_ordered || !pack->count)
		return true;
	if (!unfold_places(pack, &deepest, &run_words, err))
		return false;
	if (!are_stacks_small(pack, deepest, ids) || run_words >= PACKED_RUN)
		return true;
	*out = places_new(pack, run_words);
	return *out || arena_fail(pack->arena, PPROF_WHAT, err);
}
