/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/pprof.h"

#include <limits.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/notes.h"
#include "base/num.h"
#include "base/path.h"
#include "base/regex.h"
#include "decode/formats.h"
#include "decode/wire.h"
#include "model/profile.h"

/* Limit of the total, so that a value counted for each frame of the deepest
 * stack cannot overflow. */
#define TOTAL_MAX (INT64_MAX / LIMIT_STACK_FRAMES)

/* Sums are indexed by id, up to the number of locations. */
#define FIRST_IDS 1024u
#define FIRST_ID_BYTES 2u

/* Arbitrary ids are encoded as varints: many are small even then. */
#define ID_VARINTS 0u
#define ID_VARINT_BYTES 10u

/* Maximum size of a stack without ids: two counts and a value. Counts are
 * small, so at least eight bytes follow the last id. */
#define STACK_BYTES 30u

_Static_assert(LIMIT_LOCATIONS <= 1 << 24, "ids of locations fit three bytes");

/* Ids have as many bytes as the largest so far needs: then the position of each
 * is known without decoding the one before. */
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

/* Each id is at least one frame, so no sum of a location can overflow. */
static bool is_value_small(const struct pprof_pack *pack, int64_t value)
{
	return value >= 0 && value <= TOTAL_MAX - pack->total;
}

/* The first chunk is small; sizes double. */
#define FIRST_CHUNK_BYTES (8 * KIB)
#define CHUNK_BYTES (256 * KIB)

/* Returns the common divisor of all values so far: values of profilers are
 * mostly multiples of the sampling period, and small numbers are short. */
static uint64_t value_unit(const struct pprof_pack *pack)
{
	return pack->is_ordered ? 1 : pack->divisor;
}

/* Returns the value in units, lowering the unit if necessary. */
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

/* Chunks count towards the limit of an arena, and fail alike. */
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

/* Makes room for a stack of this many ids. */
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

/* Writes the beginning of a stack, for which there is room; the ids that differ
 * follow. */
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

/* ---- previous stack ---- */

/* Reduces it to its first `kept` locations from the root. A location's sum is
 * added to that of its caller. */
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

/* Returns the length of the common suffix. */
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

/* Returns whether it is within a varint, whose last byte is the only one
 * without the eighth bit. */
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

/* Counts the varints in a range; bytes after it are read but not counted. */
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

/* Returns the length of the common suffix in whole varints. */
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

/* Adds locations to the path and packs their ids, from the root's side. Returns
 * the end; NULL, having added none, if some ids are not near. */
static unsigned char *path_extend(struct pprof_pack *pack,
				  const unsigned char *begin,
				  unsigned char *packed)
{
	struct pack_path *path = pack->path;
	const unsigned char *at = path_end(path) - path->len;
	size_t count = path->count;

	while (at > begin) {
		/* The varint of up to three bytes before it. Branch-free, since
		 * lengths are unpredictable. */
		uint32_t word = load_half_word(at - sizeof word);
		uint32_t longer = word >> 23 & 1;
		unsigned size = 1 + longer + (longer & word >> 15);
		uint32_t varint = word >> (sizeof word - size) * CHAR_BIT;
		uint64_t id = (varint & 0x7F) | (varint >> 1 & 0x7F << 7) |
			      (varint >> 2 & 0x7F << 14);

		at -= size;
		if (at[-1] >= 0x80 || id - 1 >= pack->near_end - 1)
			return NULL;
		/* Needed when the location is removed from the path. */
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
	unsigned char *begin, *end;
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
	/* Copies the differing varints in front of the common ones. */
	begin = path_end(path) - len - varints.len;
	memcpy(begin, varints.ptr, varints.len);
	begin[-1] = 0; /* terminates a varint */
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

/* Such samples are rare, and share nothing with their neighbours. */
bool pprof_pack_add(struct pprof_pack *pack, const uint64_t *ids, size_t count,
		    int64_t value, struct error *err)
{
	unsigned char *end;
	uint64_t units;
	size_t i;

	if (!is_value_small(pack, value) || !count ||
	    count > LIMIT_STACK_FRAMES)
		pack->is_ordered = true;
	if (!add_to_places(pack, ids, count, value, err))
		return false;
	/* Extends sums and id size to these ids. */
	if (pack->is_ordered) {
		pack->id_bytes = ID_VARINTS;
	} else {
		for (i = 0; i < count; i++)
			if (bytes_of(ids[i]) > pack->id_bytes)
				pack->id_bytes = bytes_of(ids[i]);
		set_near_end(pack);
	}
	units = count_units(pack, value);
	if (!make_room(pack, count))
		return pprof_no_memory(pack->p, err);
	path_cut(pack, 0);
	pack->path->len = 0;
	end = begin_stack(pack, 0, count);
	for (i = count; i-- > 0;) {
		if (pack->id_bytes == ID_VARINTS) {
			put_varint(&end, ids[i]);
			continue;
		}
		store_number(end, ids[i]);
		end += pack->id_bytes;
	}
	end_stack(pack, count, units, end);
	return true;
}

void pprof_pack_end(struct pprof_pack *pack)
{
	path_cut(pack, 0);
}

/* ---- iteration ---- */

void pprof_unpack_begin(struct pprof_unpack *u, const struct pprof_pack *pack,
			uint64_t *ids)
{
	*u = (struct pprof_unpack){
		.ids = ids,
		.chunk = pack->first,
		.at = pack->first ? pack->first->bytes : NULL,
	};
}

/* A stack with more ids than a path can hold was packed without sharing, and so
 * is the next one. */
bool pprof_unpack_next(struct pprof_unpack *u, const struct pprof_pack *pack)
{
	uint32_t *path = pack->path->ids;
	unsigned bytes;
	size_t kept;

	if (!u->chunk || !packed_next(&u->chunk, &u->at))
		return false;
	bytes = u->chunk->number_bytes;
	kept = (size_t)varint_take(&u->at);
	u->count = kept + (size_t)varint_take(&u->at);
	for (size_t i = 0; i < kept; i++)
		u->ids[u->count - 1 - i] = path[i];
	for (size_t i = kept; i < u->count; i++) {
		uint64_t id = bytes == ID_VARINTS ? varint_take(&u->at)
						  : load_number(u->at, bytes);

		u->at += bytes;

		if (i < LIMIT_STACK_FRAMES)
			path[i] = (uint32_t)id;
		u->ids[u->count - 1 - i] = id;
	}
	u->value = (int64_t)(varint_take(&u->at) * u->chunk->value_unit);
	return true;
}

/* Resolves locations to frames of the model. The first line of a location is
 * the innermost. */

/* A string and its index in the table. */
struct text {
	struct str text;
	uint64_t number;
};

static bool read_mapping(const struct pprof *p, struct pprof_mapping *m,
			 struct error *err)
{
	uint32_t index = pprof_find(&p->mappings, m->id);
	struct wire w;
	struct wire_field f;

	if (index == PPROF_NONE)
		return pprof_malformed(err, "mapping", m->id, "is missing");
	pprof_wire(p, pprof_message(p, p->mapping_fields[index]), &w);
	while (wire_next(&w, &f)) {
		if (f.tag == WIRE_TAG(2, WIRE_VARINT))
			m->start = f.value;
		else if (f.tag == WIRE_TAG(3, WIRE_VARINT))
			m->limit = f.value;
		else if (f.tag == WIRE_TAG(4, WIRE_VARINT))
			m->offset = f.value;
		else if (f.tag == WIRE_TAG(5, WIRE_VARINT))
			m->file_number = f.value;
	}
	return pprof_check(p, &w, err) &&
	       pprof_string(p, m->file_number, &m->file, err);
}

/* Returns the mapping, cached, since most locations are in the same one as the
 * previous. NULL: err is set. Locations without a mapping have 0. */
static const struct pprof_mapping *find_mapping(struct pprof *p, uint64_t id,
						struct error *err)
{
	struct pprof_mapping m = { .id = id, .file = STR("") };

	if (p->mapping.file.ptr && p->mapping.id == id)
		return &p->mapping;
	if (id && !read_mapping(p, &m, err))
		return NULL;
	p->mapping = m;
	return &p->mapping;
}

struct location {
	uint64_t mapping_id;
	uint64_t address;
	struct text mapping; /* its file, from PROFILE_DETAIL_PLACES on */
};

/* Adds a nameless frame: by its offset in the file, which is the same in every
 * process, else its address, else "[unknown]". */
static bool add_nameless(struct pprof *p, const struct location *l,
			 uint32_t *function, struct error *err)
{
	const struct pprof_mapping *m;
	struct str name = STR("");
	struct str file;
	uint64_t address = l->address;

	if (p->detail) {
		/* As pprof shows it: named by its mapping. */
		file = path_base(l->mapping.text);
		name = STR("<unknown>");
		if (file.len)
			name = arena_printf(&p->scratch, "[%.*s]",
					    STR_ARGS(file));
		if (!name.ptr)
			return pprof_no_memory(p, err);
		return profile_build_mapped(p->build, name, STR(""),
					    l->mapping.text, true, function,
					    err);
	}
	m = find_mapping(p, l->mapping_id, err);
	if (!m)
		return false;
	if (address >= m->start && address < m->limit)
		address = address - m->start + m->offset;
	/* "/usr/lib/libc.so.6" becomes libc.so.6, "[vdso]" vdso. */
	file = path_base(m->file);
	if (str_starts(file, STR("[")) && str_ends(file, STR("]")))
		file = str_slice(file, 1, file.len - 2);
	if (file.len && l->address)
		name = arena_printf(&p->scratch, "[%.*s+0x%llx]",
				    STR_ARGS(file),
				    (unsigned long long)address);
	else if (file.len)
		name = arena_printf(&p->scratch, "[%.*s]", STR_ARGS(file));
	else if (l->address)
		name = arena_printf(&p->scratch, "0x%llx",
				    (unsigned long long)l->address);
	if (!name.ptr)
		return pprof_no_memory(p, err);
	return profile_build_function(p->build, name, STR(""), function, err);
}

struct function_texts {
	struct text name;
	struct text file;
};

static bool read_text(const struct pprof *p, uint64_t number, struct text *text,
		      struct error *err)
{
	text->number = number;
	return pprof_string(p, number, &text->text, err);
}

/* Fields 2, 3 and 4 are string indices: name, system name, file. */
enum { FUNCTION_FIELDS = 5 };

static bool read_function(const struct pprof *p, uint32_t index,
			  struct function_texts *texts, struct error *err)
{
	struct pprof_function row = p->function_rows[index];
	uint64_t fields[FUNCTION_FIELDS] = { 0, 0, row.name, row.system_name,
					     row.file };
	struct text system_name;
	struct wire w;
	struct wire_field f;

	if (row.name == PPROF_NONE) {
		memset(fields, 0, sizeof fields);
		pprof_wire(p, pprof_message(p, row.file), &w);
		while (wire_next(&w, &f))
			if (f.tag >> 3 < FUNCTION_FIELDS &&
			    (f.tag & 7) == WIRE_VARINT)
				fields[f.tag >> 3] = f.value;
		if (!pprof_check(p, &w, err))
			return false;
	}
	if (!read_text(p, fields[2], &texts->name, err) ||
	    !read_text(p, fields[3], &system_name, err) ||
	    !read_text(p, fields[4], &texts->file, err))
		return false;
	if (texts->name.text.len == 0)
		texts->name = system_name;
	return true;
}

static bool text_intern(struct pprof *p, const struct text *text, bool is_name,
			uint32_t *id, struct error *err)
{
	uint32_t *known;

	if (text->text.len == 0)
		return profile_build_text(p->build, text->text, id, err);
	known = &p->text_ids[2 * text->number + is_name];
	if (!*known) {
		if (!(is_name ? profile_build_name(p->build, text->text, id,
						   err)
			      : profile_build_text(p->build, text->text, id,
						   err)))
			return false;
		*known = *id + 1;
	}
	*id = *known - 1;
	return true;
}

/* Resolves a function. Nameless ones depend on the location and are not cached.
 * With more detail functions differ by mapping: the last one is cached. */
static bool resolve_function(struct pprof *p, uint64_t id,
			     const struct location *l, uint32_t *function,
			     struct error *err)
{
	uint32_t index = pprof_find(&p->functions, id);
	struct function_texts texts;
	struct pprof_known *known;
	struct function f = { .is_nameless = false };

	if (id == 0)
		return add_nameless(p, l, function, err);
	if (index == PPROF_NONE)
		return pprof_malformed(err, "function", id, "is missing");
	known = &p->known[index];
	*function = known->function;
	if (*function != PPROF_NONE && known->mapping == l->mapping.number)
		return true;
	if (!read_function(p, index, &texts, err))
		return false;
	if (texts.name.text.len == 0)
		return add_nameless(p, l, function, err);
	if (!(text_intern(p, &texts.name, true, &f.name, err) &&
	      text_intern(p, &texts.file, false, &f.file, err) &&
	      text_intern(p, &l->mapping, false, &f.mapping, err) &&
	      profile_build_interned(p->build, &f, function, err)))
		return false;
	*known = (struct pprof_known){ *function, (uint32_t)l->mapping.number };
	return true;
}

struct line {
	uint64_t function_id;
	uint64_t number;
	uint64_t column;
	bool is_outermost;
};

/* Appends to the frames of the current location. */
static bool push_frame(struct pprof *p, const struct line *line,
		       const struct location *l, struct error *err)
{
	void *frames = p->frames;
	struct whole_frame place = { .frame.line =
					     pprof_place_number(line->number) };
	struct frame_detail *detail = &place.detail;

	if (!resolve_function(p, line->function_id, l, &place.frame.function,
			      err))
		return false;
	if (p->detail >= PROFILE_DETAIL_ADDRESSES) {
		detail->column = pprof_place_number(line->column);
		detail->address_high = (uint32_t)(l->address >> 32);
		detail->address_low = (uint32_t)l->address;
	}
	detail->is_inlined = p->detail && !line->is_outermost;
	if (!arena_reserve(&p->scratch, &frames, &p->frame_cap,
			   p->frame_count + 1, sizeof *p->frames) ||
	    p->frame_count >= UINT32_MAX)
		return pprof_no_memory(p, err);
	p->frames = frames;
	if (!profile_build_place(p->build, &place, &p->frames[p->frame_count],
				 err))
		return false;
	p->frame_count++;
	return true;
}

static bool unfold_line(struct pprof *p, struct wire *parent,
			const struct wire_field *field,
			const struct location *l, bool is_outermost,
			struct error *err)
{
	struct line line = { .is_outermost = is_outermost };
	struct wire w;
	struct wire_field f;

	w = wire_inside(parent, field);
	while (wire_next(&w, &f)) {
		if (f.tag == WIRE_TAG(1, WIRE_VARINT))
			line.function_id = f.value;
		else if (f.tag == WIRE_TAG(2, WIRE_VARINT))
			line.number = f.value;
		else if (f.tag == WIRE_TAG(3, WIRE_VARINT))
			line.column = f.value;
	}
	return pprof_check(p, &w, err) && push_frame(p, &line, l, err);
}

/* The file of its mapping, where the wanted detail needs it. */
static bool find_file(struct pprof *p, struct location *l, struct error *err)
{
	const struct pprof_mapping *m;

	l->mapping = (struct text){ .text = STR("") };
	if (!p->detail)
		return true;
	m = find_mapping(p, l->mapping_id, err);
	if (!m)
		return false;
	l->mapping = (struct text){ m->file, m->file_number };
	return true;
}

/* In the encoding the innermost line is first: the order of frames is reversed.
 * The first `dropped` lines are skipped. */
static bool unfold_message(struct pprof *p, const struct pprof_location *row,
			   uint32_t dropped, struct error *err)
{
	struct str message = pprof_message(p, (uint32_t)row->place);
	size_t first = p->frame_count;
	struct location l = { 0 };
	struct wire w;
	struct wire_field f;
	uint32_t line = 0;

	pprof_wire(p, message, &w);
	while (wire_next(&w, &f)) {
		if (f.tag == WIRE_TAG(2, WIRE_VARINT))
			l.mapping_id = f.value;
		else if (f.tag == WIRE_TAG(3, WIRE_VARINT))
			l.address = f.value;
	}
	if (!pprof_check(p, &w, err) || !find_file(p, &l, err))
		return false;
	pprof_wire(p, message, &w);
	while (wire_next(&w, &f))
		if (f.tag == WIRE_TAG(4, WIRE_BYTES) && ++line > dropped &&
		    !unfold_line(p, &w, &f, &l, line == row->line, err))
			return false;
	if (p->frame_count == first &&
	    !push_frame(p, &(struct line){ .is_outermost = true }, &l, err))
		return false;
	frames_turn_round(p->frames + first, p->frame_count - first);

	return true;
}

static inline uint64_t pprof_mapping_id(const struct pprof_location *row)
{
	return row->place >> PPROF_ADDRESS_BITS;
}

/* A single line is dropped together with its location, or not at all. */
static bool unfold_usual(struct pprof *p, const struct pprof_location *row,
			 struct error *err)
{
	struct line line = {
		.function_id = row->function,
		.number = row->line,
		.is_outermost = true,
	};
	struct location l = {
		.mapping_id = pprof_mapping_id(row),
		.address = pprof_address(row),
	};

	return find_file(p, &l, err) && push_frame(p, &line, &l, err);
}

bool pprof_unfold(struct pprof *p, uint64_t id, uint32_t location,
		  struct pprof_unfolded *out, struct error *err)
{
	const struct pprof_location *row;
	size_t first = p->frame_count;
	uint32_t dropped;

	if (location == PPROF_NONE)
		return pprof_malformed(err, "location", id, "is missing");
	row = &p->location_rows[location];
	/* The stack was cut before, so this is known. */
	dropped = p->is_dropped ? p->dropped_lines[location] : 0;
	if (!(row->function == PPROF_NONE ? unfold_message(p, row, dropped, err)
					  : unfold_usual(p, row, err)))
		return false;
	*out = (struct pprof_unfolded){ (uint32_t)first,
					(uint32_t)(p->frame_count - first) };
	return true;
}

/* Converts the packed samples of a pprof message to the packed stacks of the
 * model, now that ids can be resolved. */

/* ---- depth of stacks ---- */

/* Returns the number of frames for an id. Missing locations are reported
 * later. */
static uint32_t frames_at(const struct pprof_pack *pack, uint64_t id)
{
	const struct pprof *p = pack->p;
	uint32_t location = pprof_find(&p->locations, id);

	return location == PPROF_NONE
		       ? 1
		       : pprof_frames_of(&p->location_rows[location]);
}

/* Returns whether no stack is too deep, nor all of them together too large. The
 * first glance is enough for nearly all. Nothing is unfolded for it: those that
 * are not small are unfolded as they are added. */
static bool are_stacks_small(const struct pprof_pack *pack, uint32_t deepest,
			     uint64_t *ids)
{
	struct pprof_unpack u;
	uint64_t total = 0;

	if (pack->longest <= LIMIT_STACK_FRAMES / deepest &&
	    pack->id_total <= LIMIT_STACK_FRAMES_TOTAL / deepest)
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

/* ---- locations ---- */

/* In the scratch arena until complete. */
struct places {
	struct packed_place *items; /* by id */
	uint32_t count;
	uint32_t *runs;
	size_t run_cap;
	uint32_t run_count;
};

_Static_assert(LIMIT_DECODE_HEAP_BYTES / sizeof(uint32_t) < PACKED_RUN,
	       "all runs that fit the arena are found by 31 bits");

static bool fill_place(struct pprof_pack *pack, struct places *places,
		       uint64_t id, struct error *err)
{
	struct pprof *p = pack->p;
	uint32_t *words = places->items[id].frames;
	struct pprof_unfolded u;
	void *runs;

	if (!pprof_unfold(p, id, pprof_find(&p->locations, id), &u, err))
		return false;
	words[0] = p->frames[u.first + u.count - 1];
	words[1] = u.count > 1 ? p->frames[u.first] : PACKED_NONE;
	p->frame_count = u.first;
	if (u.count <= 2)
		return true;
	words[0] = PACKED_RUN | places->run_count;
	/* There is room, already, where rows count right. */
	runs = places->runs;
	if (!arena_reserve(&p->scratch, &runs, &places->run_cap,
			   places->run_count + (size_t)1 + u.count,
			   sizeof *places->runs))
		return pprof_no_memory(p, err);
	places->runs = runs;
	places->runs[places->run_count++] = u.count;
	memcpy(&places->runs[places->run_count], &p->frames[u.first],
	       u.count * sizeof *p->frames);
	places->run_count += u.count;
	return true;
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

bool pprof_pack_build(struct pprof_pack *pack, struct arena *arena,
		      uint64_t *ids, struct packed_stacks **out,
		      struct error *err)
{
	struct packed_stacks *built;
	struct places places;
	uint32_t deepest = 1; /* most frames of one place */
	size_t run_words = 0; /* of all that have more than two */

	*out = NULL;
	if (pack->is_ordered || !pack->count || pack->p->is_dropped)
		return true;
	for (uint64_t id = 0; id < pack->id_end; id++) {
		uint32_t count = pack->sums[id] ? frames_at(pack, id) : 1;

		if (count > 2)
			run_words += (size_t)1 + count;
		if (count > deepest)
			deepest = count;
	}
	if (!are_stacks_small(pack, deepest, ids))
		return true;
	if (!places_init(pack, &places, run_words, err))
		return false;
	built = stacks_new(pack, &places, arena);
	if (!built)
		return arena_fail(arena, PPROF_WHAT, err);
	*out = built;
	/* Chunks count like memory of the arena. */
	if (pack->size_bytes > arena->max_bytes - arena->used_bytes) {
		arena->is_over_limit = true;
		return arena_fail(arena, PPROF_WHAT, err);
	}
	built->chunks = pack->first;
	pack->first = pack->last = NULL;
	return true;
}

/* drop_frames and keep_frames: patterns in the file for functions, such as
 * internals of an allocator or profiler, that are removed with everything they
 * called. The rules are pprof's: a pattern must match the whole name without
 * parameters, and stacks are cut from the root. */

/* ---- the patterns ---- */

struct patterns {
	struct regex *drop;
	struct regex *keep; /* NULL: none */
};

static void patterns_free(struct patterns *patterns)
{
	regex_free(patterns->drop);
	regex_free(patterns->keep);
}

/* The limit of steps is divided by the number of names. */
static struct regex *whole_name_new(const struct pprof *p, uint64_t string,
				    const char *subject, struct error *err)
{
	uint32_t steps = LIMIT_DROP_STEPS_TOTAL / (p->functions.count + 1);
	struct str pattern = STR("");
	struct regex *re = NULL;
	struct buf text;

	if (string < p->string_count)
		pattern = pprof_text(p, (size_t)string);
	if (pattern.len > LIMIT_DROP_PATTERN_BYTES) {
		error_set(err, ERROR_LIMIT, "%s: longer than %zu bytes",
			  subject, LIMIT_DROP_PATTERN_BYTES);
		return NULL;
	}
	buf_init(&text, LIMIT_DROP_PATTERN_BYTES + 16);
	buf_add_text(&text, "^(");
	buf_add_str(&text, pattern);
	buf_add_text(&text, ")\\z");
	if (buf_check(&text, subject, err))
		re = regex_new(buf_str(&text), subject, err);
	buf_release(&text);
	if (re && steps < LIMIT_REGEX_STEPS)
		regex_limit_steps(re, steps);
	return re;
}

static bool patterns_new(const struct pprof *p, struct patterns *patterns,
			 struct error *err)
{
	const struct pprof_header *h = &p->header;

	*patterns = (struct patterns){ NULL, NULL };
	patterns->drop = whole_name_new(p, h->drop_frames, "drop_frames", err);
	if (!patterns->drop)
		return false;
	if (!h->keep_frames)
		return true;
	patterns->keep = whole_name_new(p, h->keep_frames, "keep_frames", err);
	return patterns->keep;
}

/* ---- the functions ---- */

/* Returns the name without parameters; in the old PowerPC ABI without the
 * dot. */
static struct str without_parameters(struct str name)
{
	struct str unnamed = STR("(anonymous namespace)");
	size_t at = 0;

	if (str_starts(name, STR(".")))
		name = str_slice(name, 1, name.len);
	while (at < name.len) {
		struct str rest = str_slice(name, at, name.len);
		size_t open = str_find(rest, STR("("));

		if (open == SIZE_MAX)
			return name;
		at += open;
		if (str_starts(str_slice(name, at, name.len), unnamed))
			at += unnamed.len;
		else if (str_ends(str_slice(name, 0, at), STR("operator")) &&
			 str_starts(str_slice(name, at, name.len), STR("()")))
			at += 2;
		else
			return str_slice(name, 0, at);
	}
	return name;
}

/* Once for all functions of the same name. */
static bool judge_once(struct pprof *p, const struct patterns *patterns,
		       struct map *judged, struct str name, bool *is_dropped,
		       bool *has_pattern_failed, struct error *err)
{
	uint64_t key = name.len ? (uint64_t)(name.ptr - p->texts) : 0;
	uint32_t known = map_find_u64(judged, key);
	bool is_kept = false;

	*is_dropped = known == 1;
	if (!name.len || known != MAP_NONE)
		return true;
	if (!profile_build_demangle(p->build, &name, err))
		return false;
	name = without_parameters(name);
	if (!regex_match(patterns->drop, name, is_dropped, err) ||
	    (*is_dropped && patterns->keep &&
	     !regex_match(patterns->keep, name, &is_kept, err))) {
		*has_pattern_failed = true;
		return false;
	}
	*is_dropped = *is_dropped && !is_kept;
	return map_insert_u64(judged, key, *is_dropped, &known) ||
	       pprof_no_memory(p, err);
}

/* *has_pattern_failed distinguishes a bad pattern from a damaged file. */
static bool judge_functions(struct pprof *p, const struct patterns *patterns,
			    bool *is_dropped, bool *has_pattern_failed,
			    struct error *err)
{
	struct map judged;

	map_init(&judged, &p->scratch);
	for (uint32_t i = 0; i < p->functions.count; i++) {
		struct function_texts texts;

		if (!read_function(p, i, &texts, err) ||
		    !judge_once(p, patterns, &judged, texts.name.text,
				&is_dropped[i], has_pattern_failed, err))
			return false;
	}
	return true;
}

static bool note_failure(struct notes *notes, struct error *err)
{
	/* Not caused by the pattern. */
	if (err->code == ERROR_MEMORY || err->code == ERROR_INTERNAL)
		return false;
	notes_add(notes, "frames that the file wants left out are shown: %s",
		  err->message);
	error_clear(err);
	return true;
}

bool pprof_drop_prepare(struct pprof *p, struct notes *notes, struct error *err)
{
	bool *is_dropped;
	struct patterns patterns;
	bool has_pattern_failed = false;
	bool is_done;

	if (!p->header.drop_frames)
		return true;
	is_dropped = arena_array(&p->scratch, p->functions.count,
				 sizeof *is_dropped);
	p->cuts = arena_array(&p->scratch, p->locations.count, sizeof *p->cuts);
	p->dropped_lines = arena_array(&p->scratch, p->locations.count,
				       sizeof *p->dropped_lines);
	if (!is_dropped || !p->cuts || !p->dropped_lines)
		return pprof_no_memory(p, err);
	if (!patterns_new(p, &patterns, err)) {
		patterns_free(&patterns);
		return note_failure(notes, err);
	}
	is_done = judge_functions(p, &patterns, is_dropped, &has_pattern_failed,
				  err);
	patterns_free(&patterns);
	if (is_done)
		p->is_dropped = is_dropped;
	return is_done || (has_pattern_failed && note_failure(notes, err));
}

/* ---- the stacks ---- */

static bool is_function_dropped(const struct pprof *p, uint64_t id)
{
	uint32_t function = pprof_find(&p->functions, id);

	return function != PPROF_NONE && p->is_dropped[function];
}

static bool is_dropped_line(const struct pprof *p, struct str message,
			    bool *is_dropped, struct error *err)
{
	struct wire w;
	struct wire_field f;
	uint64_t id = 0;

	pprof_wire(p, message, &w);
	while (wire_next(&w, &f))
		if (f.tag == WIRE_TAG(1, WIRE_VARINT))
			id = f.value;
	*is_dropped = is_function_dropped(p, id);
	return pprof_check(p, &w, err);
}

/* *lines: number of lines of the location. */
static bool count_lines(const struct pprof *p, const struct pprof_location *row,
			uint32_t *dropped, uint32_t *lines, struct error *err)
{
	struct wire w;
	struct wire_field f;

	if (row->function != PPROF_NONE) {
		*lines = 1;
		*dropped = is_function_dropped(p, row->function);
		return true;
	}
	*dropped = *lines = 0;
	pprof_wire(p, pprof_message(p, (uint32_t)row->place), &w);
	while (wire_next(&w, &f)) {
		bool is_dropped;

		if (f.tag != WIRE_TAG(4, WIRE_BYTES))
			continue;
		if (!is_dropped_line(p, f.bytes, &is_dropped, err))
			return false;
		++*lines;
		if (is_dropped)
			*dropped = *lines;
	}
	return pprof_check(p, &w, err);
}

/* The part of a location that drop_frames remove. */
enum pprof_cut {
	PPROF_CUT_UNKNOWN = 0, /* not determined yet */
	PPROF_CUT_NOTHING,
	PPROF_CUT_INNER, /* all but the outer lines */
	PPROF_CUT_WHOLE,
};

/* Missing locations are reported later. */
static bool cut_of(struct pprof *p, uint64_t id, enum pprof_cut *cut,
		   struct error *err)
{
	uint32_t location = pprof_find(&p->locations, id);
	uint32_t dropped, lines;

	*cut = PPROF_CUT_NOTHING;
	if (location == PPROF_NONE)
		return true;
	if (p->cuts[location] == PPROF_CUT_UNKNOWN) {
		if (!count_lines(p, &p->location_rows[location], &dropped,
				 &lines, err))
			return false;
		if (dropped)
			*cut = dropped == lines ? PPROF_CUT_WHOLE
						: PPROF_CUT_INNER;
		p->cuts[location] = (unsigned char)*cut;
		/* A location that is dropped completely may still begin a
		 * stack. */
		p->dropped_lines[location] = dropped == lines ? 0 : dropped;
	}
	*cut = p->cuts[location];
	return true;
}

bool pprof_drop_cut(struct pprof *p, const uint64_t *ids, size_t count,
		    size_t *first, struct error *err)
{
	bool has_kept = false;

	*first = 0;
	for (size_t i = count; p->is_dropped && i-- > 0;) {
		enum pprof_cut cut;

		if (!cut_of(p, ids[i], &cut, err))
			return false;
		if (cut == PPROF_CUT_NOTHING) {
			has_kept = true;
		} else if (has_kept) {
			*first = cut == PPROF_CUT_WHOLE ? i + 1 : i;
			break;
		}
	}
	return true;
}
