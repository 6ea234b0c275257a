/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/pprof_pack.h"

#include <limits.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/varint.h"
#include "base/word.h"

/* So large a total that one value, counted for each frame of the deepest
 * stack, still fits. */
#define TOTAL_MAX (INT64_MAX / LIMIT_STACK_FRAMES)

/* Sums are kept by id, below as many as there may be. */
#define FIRST_IDS 1024u
#define FIRST_ID_BYTES 2u

/* Where ids may be any numbers they are varints: many are small even then. */
#define ID_VARINTS 0u
#define ID_VARINT_BYTES 10u

/* Of a stack without its ids: two counts and a value. Counts are small, so that
 * eight bytes are left behind the last id. */
#define STACK_BYTES 30u

_Static_assert(LIMIT_LOCATIONS <= 1 << 24, "ids of locations fit three bytes");

/* Ids have as many bytes as the largest before them: where each begins is known
 * before the one in front is read. */
static unsigned bytes_of(uint64_t id)
{
	return id <= UINT16_MAX ? FIRST_ID_BYTES : 3;
}

static void set_near_end(struct pprof_pack *pack)
{
	pack->near_end = pack->id_end;
	while (bytes_of(pack->near_end - 1) > pack->id_bytes)
		pack->near_end /= 2;
}

/* Makes room for the sums of ids up to this one. */
static bool reserve_sums(struct pprof_pack *pack, uint64_t id,
			 struct error *err)
{
	uint64_t end = pack->id_end ? pack->id_end : FIRST_IDS;
	void *sums;

	if (id < pack->id_end)
		return true;
	while (end <= id)
		end *= 2;
	sums = arena_grow(&pack->p->scratch, pack->sums,
			  (size_t)pack->id_end * sizeof *pack->sums,
			  (size_t)end * sizeof *pack->sums);
	if (!sums)
		return pprof_no_memory(pack->p, err);
	pack->sums = sums;
	pack->id_end = end;
	set_near_end(pack);
	return true;
}

bool pprof_pack_init(struct pprof_pack *pack, struct pprof *p,
		     struct error *err)
{
	*pack = (struct pprof_pack){
		.p = p,
		.path = arena_alloc(&p->scratch, sizeof *pack->path),
		.id_bytes = FIRST_ID_BYTES,
	};
	return pack->path ? reserve_sums(pack, 0, err)
			  : pprof_no_memory(p, err);
}

void pprof_pack_release(struct pprof_pack *pack)
{
	packed_chunks_free(pack->first);
}

/* Each id is a frame or more, so that no sum of a place can overflow. */
static bool is_value_small(const struct pprof_pack *pack, int64_t value)
{
	return value >= 0 && value <= TOTAL_MAX - pack->total;
}

/* The first chunk is small, each further one twice the one before. */
#define FIRST_CHUNK_BYTES (8 * KIB)
#define CHUNK_BYTES (256 * KIB)

/* What all values so far are multiples of: few values of profilers are not
 * those of the sampling period, and small numbers are short. */
static uint64_t value_unit(const struct pprof_pack *pack)
{
	return pack->is_ordered ? 1 : pack->divisor;
}

/* How many units the value is, with a smaller unit where it must be. */
static uint64_t count_units(struct pprof_pack *pack, int64_t value)
{
	uint64_t count = (uint64_t)value;

	if (pack->is_ordered)
		return count;
	if (pack->divisor)
		count /= pack->divisor;
	if (count * pack->divisor != (uint64_t)value) {
		pack->divisor = gcd_u64((uint64_t)value, pack->divisor);
		count = (uint64_t)value / pack->divisor;
	}
	return count;
}

/* Chunks have the ceiling of an arena, and fail as one. */
static bool add_chunk(struct pprof_pack *pack, size_t need)
{
	size_t size = pack->last ? min_size(pack->room * 2, CHUNK_BYTES)
				 : FIRST_CHUNK_BYTES;
	struct packed_chunk *chunk;

	size = max_size(size, need);
	pack->p->scratch.is_over_limit =
		pack->size_bytes + size > LIMIT_DECODE_HEAP_BYTES;
	if (pack->p->scratch.is_over_limit)
		return false;
	chunk = mem_alloc(sizeof *chunk + size);
	if (!chunk)
		return false;
	chunk->next = NULL;
	chunk->len = 0;
	chunk->number_bytes = pack->id_bytes;
	chunk->value_unit = value_unit(pack);
	*(pack->last ? &pack->last->next : &pack->first) = chunk;
	pack->last = chunk;
	pack->room = size;
	pack->size_bytes += size;
	return true;
}

/* Room for a stack of so many ids. */
static bool make_room(struct pprof_pack *pack, size_t count)
{
	const struct packed_chunk *last = pack->last;
	size_t need = STACK_BYTES + count * (pack->id_bytes == ID_VARINTS
						     ? ID_VARINT_BYTES
						     : pack->id_bytes);

	return (last && last->number_bytes == pack->id_bytes &&
		last->value_unit == value_unit(pack) &&
		pack->room - last->len >= need) ||
	       add_chunk(pack, need);
}

static void put_varint(unsigned char **end, uint64_t value)
{
	while (value >= 0x80) {
		*(*end)++ = (unsigned char)(value | 0x80);
		value >>= 7;
	}
	*(*end)++ = (unsigned char)value;
}

/* Where room was made. Then follow as many ids as are no longer the same. */
static unsigned char *begin_stack(const struct pprof_pack *pack, size_t kept,
				  size_t others)
{
	unsigned char *end = pack->last->bytes + pack->last->len;

	put_varint(&end, kept);
	put_varint(&end, others);
	return end;
}

static void end_stack(struct pprof_pack *pack, size_t count, uint64_t units,
		      unsigned char *end)
{
	put_varint(&end, units);
	pack->last->len = (size_t)(end - pack->last->bytes);
	pack->count++;
	if (!pack->is_ordered)
		pack->total += (int64_t)(units * pack->divisor);
	pack->id_total += count;
	if (count > pack->longest)
		pack->longest = count;
}

/* ---- the path ---- */

/* Leaves so many places of it, from the root on. A place hands down what was
 * added to it, as it was called by the one before. */
static void path_cut(struct pprof_pack *pack, size_t kept)
{
	struct pack_path *path = pack->path;
	int64_t sum = 0;

	while (path->count > kept) {
		path->count--;
		sum += path->sums[path->count];
		pack->sums[path->ids[path->count]] += sum;
	}
	if (kept)
		path->sums[kept - 1] += sum;
}

static unsigned char *path_end(struct pack_path *path)
{
	return path->varints + PACK_SPARE_BYTES + LIMIT_STACK_FRAMES;
}

/* How many bytes are the same before both ends. */
static size_t common_bytes(const unsigned char *end,
			   const unsigned char *other_end, size_t most)
{
	size_t count = 0;

	while (most - count >= sizeof(uint64_t)) {
		uint64_t differing;

		count += sizeof differing;
		differing =
			load_word(end - count) ^ load_word(other_end - count);
		if (differing)
			return count - sizeof differing +
			       (size_t)__builtin_clzll(differing) / CHAR_BIT;
	}
	while (count < most && *(end - count - 1) == *(other_end - count - 1))
		count++;
	return count;
}

/* Of a varint the last byte alone lacks the eighth bit. */
static bool is_within_varint(const unsigned char *begin,
			     const unsigned char *at)
{
	return at > begin && at[-1] >= 0x80;
}

#define ALL_BYTES UINT64_C(0x0101010101010101)

static uint64_t varint_ends(uint64_t word)
{
	return ~word >> 7 & ALL_BYTES;
}

/* Of a part of the path's; what lies behind it is read, and not counted. */
static size_t count_varints(const unsigned char *bytes, size_t len)
{
	size_t count = 0;

	for (; len >= sizeof(uint64_t); bytes += sizeof(uint64_t)) {
		count += varint_ends(load_word(bytes)) * ALL_BYTES >> 56;
		len -= sizeof(uint64_t);
	}
	return count + ((varint_ends(load_word(bytes)) &
			 ((UINT64_C(1) << len * CHAR_BIT) - 1)) *
				ALL_BYTES >>
			56);
}

/* The bytes of whole varints that the path and these both end with. */
static size_t common_varints(struct pack_path *path, struct str varints)
{
	const unsigned char *begin = (const unsigned char *)varints.ptr;
	const unsigned char *end = begin + varints.len;
	const unsigned char *other_end = path_end(path);
	size_t len =
		common_bytes(end, other_end, min_size(varints.len, path->len));
	uint64_t ends;

	if (!is_within_varint(begin, end - len) &&
	    !is_within_varint(other_end - path->len, other_end - len))
		return len;
	ends = varint_ends(load_word(other_end - len));
	return len - (size_t)__builtin_ctzll(ends) / CHAR_BIT - 1;
}

/* The varint of up to three bytes in front of `at`, as it is, and how many
 * bytes. Whichever length it has, the same steps are taken: which one comes
 * next cannot be foreseen. */
static uint32_t varint_before(const unsigned char *at, unsigned *size)
{
	uint32_t word = load_half_word(at - sizeof word), longer;

	longer = word >> 23 & 1;
	*size = 1 + longer + (longer & word >> 15);
	return word >> (sizeof word - *size) * CHAR_BIT;
}

static uint32_t varint_value(uint32_t varint)
{
	return (varint & 0x7F) | (varint >> 1 & 0x7F << 7) |
	       (varint >> 2 & 0x7F << 14);
}

/* Copies what comes before the path's varints; where it begins. */
static const unsigned char *path_prepend(struct pack_path *path,
					 struct str varints)
{
	unsigned char *begin = path_end(path) - path->len - varints.len;

	memcpy(begin, varints.ptr, varints.len);
	begin[-1] = 0; /* the end of a varint */
	return begin;
}

/* Adds the places from there on to the path, and packs their ids from the
 * root's side on. Where those end, NULL: not all are near, and none was added.
 */
static unsigned char *path_extend(struct pprof_pack *pack,
				  const unsigned char *begin,
				  unsigned char *packed)
{
	struct pack_path *path = pack->path;
	const unsigned char *at = path_end(path) - path->len;
	size_t count = path->count;

	while (at > begin) {
		unsigned size;
		uint32_t varint = varint_before(at, &size);
		uint64_t id = varint_value(varint);

		at -= size;
		if (at[-1] >= 0x80 || id - 1 >= pack->near_end - 1)
			return NULL;
		/* Needed when the path leaves the place. */
		__builtin_prefetch(&pack->sums[id], 1);
		path->ids[count] = (uint32_t)id;
		path->sums[count++] = 0;
		store_number(packed, id);
		packed += pack->id_bytes;
	}
	path->len = (size_t)(path_end(path) - begin);
	path->count = count;
	return packed;
}

bool pprof_pack_add_varints(struct pprof_pack *pack, struct str varints,
			    int64_t value)
{
	struct pack_path *path = pack->path;
	const unsigned char *begin;
	unsigned char *end;
	uint64_t units;
	size_t len, kept;

	if (pack->is_ordered || !is_value_small(pack, value) || !varints.len ||
	    varints.len > LIMIT_STACK_FRAMES ||
	    varints.ptr[varints.len - 1] & 0x80)
		return false;
	units = count_units(pack, value);
	if (!make_room(pack, varints.len))
		return false;
	len = common_varints(path, varints);
	kept = count_varints(path_end(path) - len, len);
	path_cut(pack, kept);
	path->len = len;
	varints.len -= len;
	begin = path_prepend(path, varints);
	end = begin_stack(pack, kept, count_varints(begin, varints.len));
	end = path_extend(pack, begin, end);
	if (!end)
		return false;
	path->sums[path->count - 1] += value;
	end_stack(pack, path->count, units, end);
	return true;
}

static bool add_to_places(struct pprof_pack *pack, const uint64_t *ids,
			  size_t count, int64_t value, struct error *err)
{
	for (size_t i = 0; i < count && !pack->is_ordered; i++) {
		if (ids[i] >= LIMIT_LOCATIONS) {
			pack->is_ordered = true;
			break;
		}
		if (!reserve_sums(pack, ids[i], err))
			return false;
		pack->sums[ids[i]] += value;
	}
	return true;
}

/* For ids of so many bytes there are sums and room from now on. */
static void widen(struct pprof_pack *pack, const uint64_t *ids, size_t count)
{
	if (pack->is_ordered) {
		pack->id_bytes = ID_VARINTS;
		return;
	}
	for (size_t i = 0; i < count; i++)
		if (bytes_of(ids[i]) > pack->id_bytes)
			pack->id_bytes = bytes_of(ids[i]);
	set_near_end(pack);
}

static void put_id(const struct pprof_pack *pack, unsigned char **end,
		   uint64_t id)
{
	if (pack->id_bytes == ID_VARINTS) {
		put_varint(end, id);
		return;
	}
	store_number(*end, id);
	*end += pack->id_bytes;
}

/* These are few: they have nothing in common with the ones beside them. */
bool pprof_pack_add(struct pprof_pack *pack, const uint64_t *ids, size_t count,
		    int64_t value, struct error *err)
{
	unsigned char *end;
	uint64_t units;
	size_t i = count;

	if (!is_value_small(pack, value) || !count ||
	    count > LIMIT_STACK_FRAMES)
		pack->is_ordered = true;
	if (!add_to_places(pack, ids, count, value, err))
		return false;
	widen(pack, ids, count);
	units = count_units(pack, value);
	if (!make_room(pack, count))
		return pprof_no_memory(pack->p, err);
	path_cut(pack, 0);
	pack->path->len = 0;
	end = begin_stack(pack, 0, count);
	while (i > 0)
		put_id(pack, &end, ids[--i]);
	end_stack(pack, count, units, end);
	return true;
}

void pprof_pack_end(struct pprof_pack *pack)
{
	path_cut(pack, 0);
}

/* ---- read again ---- */

void pprof_unpack_begin(struct pprof_unpack *u, const struct pprof_pack *pack,
			uint64_t *ids)
{
	*u = (struct pprof_unpack){
		.ids = ids,
		.chunk = pack->first,
		.at = pack->first ? pack->first->bytes : NULL,
	};
}

static uint64_t take_id(struct pprof_unpack *u)
{
	unsigned bytes = u->chunk->number_bytes;
	uint64_t id;

	if (bytes == ID_VARINTS)
		return varint_take(&u->at);
	id = load_number(u->at, bytes);
	u->at += bytes;
	return id;
}

/* One of more ids than a path has was packed for itself, and so is the one
 * behind it. */
bool pprof_unpack_next(struct pprof_unpack *u, const struct pprof_pack *pack)
{
	uint32_t *path = pack->path->ids;
	size_t kept;

	if (!u->chunk || !packed_next(&u->chunk, &u->at))
		return false;
	kept = (size_t)varint_take(&u->at);
	u->count = kept + (size_t)varint_take(&u->at);
	for (size_t i = 0; i < kept; i++)
		u->ids[u->count - 1 - i] = path[i];
	for (size_t i = kept; i < u->count; i++) {
		uint64_t id = take_id(u);

		if (i < LIMIT_STACK_FRAMES)
			path[i] = (uint32_t)id;
		u->ids[u->count - 1 - i] = id;
	}
	u->value = (int64_t)(varint_take(&u->at) * u->chunk->value_unit);
	return true;
}
