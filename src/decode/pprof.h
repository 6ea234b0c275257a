/* SPDX-License-Identifier: Apache-2.0
 *
 * Internals of the pprof decoder. Everything but the samples is kept: common
 * functions and locations as compact rows; unusual ones, and mappings, as
 * encoded bytes that are decoded when a sample first needs them. pprof.c reads
 * and stores them; pprof_pack.c resolves them, applies drop_frames, and stores
 * samples until the tables are complete. Private to decode/.
 */
#ifndef DECODE_PPROF_H
#define DECODE_PPROF_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/notes.h"
#include "decode/profile_type.h"
#include "decode/wire.h"
#include "model/profile.h"

#define PPROF_WHAT "the pprof profile"
#define PPROF_NONE UINT32_MAX

/* Messages of one kind that have ids. */
struct pprof_table {
	const char *what;
	uint32_t limit;
	uint32_t count;
	uint32_t idless_count; /* how many have no id */
	uint64_t *ids;         /* NULL: ids are 1, 2, 3... in order */
	size_t id_cap;
	uint32_t *by_id; /* id -> index + 1, if ids are small */
	uint64_t by_id_len;
	struct map map; /* otherwise */
};

/* A location with at most one line, whose numbers fit. */
struct pprof_location {
	uint32_t function; /* its id; 0: none; PPROF_NONE: unusual */
	uint32_t line;     /* as in the model; number of lines if unusual */
	/* Mapping id in the upper 16 bits, address in the lower 48; if unusual,
	 * offset of the field in pprof.bytes. */
	uint64_t place;
};

#define PPROF_ADDRESS_BITS 48

/* Sign-extends the address: the upper bits of kernel addresses are set. */
static inline uint64_t pprof_address(const struct pprof_location *row)
{
	uint64_t sign = UINT64_C(1) << (PPROF_ADDRESS_BITS - 1);
	uint64_t address = row->place & ((sign << 1) - 1);

	return (address ^ sign) - sign;
}

/* String indices. */
struct pprof_function {
	uint32_t name; /* PPROF_NONE: unusual */
	uint32_t system_name;
	uint32_t file; /* offset of the field, if unusual */
};

/* A location's frames, root first, in pprof.frames. */
struct pprof_unfolded {
	uint32_t first;
	uint32_t count; /* 0: not decoded yet */
};

/* The most recent function of the model for a pprof function. */
struct pprof_known {
	uint32_t function; /* of the model, PPROF_NONE: not added yet */
	uint32_t mapping;  /* string index of its file, 0 without detail */
};

struct pprof_mapping {
	uint64_t id;
	uint64_t start;
	uint64_t limit;
	uint64_t offset;
	uint64_t file_number; /* string index */
	struct str file;
};

struct pprof_header {
	struct type_name types[LIMIT_SAMPLE_TYPES];
	struct str type_messages[LIMIT_SAMPLE_TYPES];
	uint32_t type_count;
	struct type_name period_type;
	struct str period_message;
	int64_t period;
	int64_t time_ns;
	int64_t duration_ns;
	uint64_t default_type;
	uint64_t drop_frames; /* string indices, 0 none */
	uint64_t keep_frames;
};

/* From this offset in the kept bytes on, left_out bytes of the input are
 * missing before it. */
struct pprof_gap {
	size_t at;
	uint64_t left_out;
};

struct pprof {
	struct buf bytes; /* kept fields, concatenated */
	struct pprof_gap *gaps;
	size_t gap_count;
	size_t gap_cap;
	struct arena scratch;
	struct profile_build *build;
	struct pprof_header header;
	/* All strings, NUL-terminated, in the profile's arena, where they
	 * become its texts. */
	struct arena *kept;
	char *texts;
	size_t texts_len;
	size_t texts_cap;
	uint32_t *strings; /* offsets */
	size_t string_count;
	size_t string_cap;
	uint64_t sample_count;
	struct pprof_table functions;
	struct pprof_table locations;
	struct pprof_table mappings;
	/* The first error in the tables, reported at the end of the input,
	 * since the input itself may be damaged. */
	struct error damage;
	struct pprof_function *function_rows;
	struct pprof_location *location_rows;
	uint32_t *mapping_fields; /* offsets in bytes */
	size_t function_row_cap;
	size_t location_row_cap;
	size_t frames_expected; /* over all locations */
	size_t mapping_field_cap;
	enum profile_detail detail;
	/* Symbol + 1 of strings already added to the model, two entries each:
	 * as they are, and as function names, which are cleaned up. Many
	 * functions may share a long string. */
	uint32_t *text_ids;
	struct pprof_known *known;    /* by function */
	struct pprof_mapping mapping; /* the last one decoded */
	/* By function and by location; both NULL if nothing is dropped. */
	bool *is_dropped;
	unsigned char *cuts; /* enum pprof_cut */
	/* Number of a location's lines, innermost first, that are dropped: up
	 * to the outermost line of a dropped function. Set together with its
	 * cut. */
	uint32_t *dropped_lines;
	uint32_t *frames;
	size_t frame_count;
	size_t frame_cap;
};

/* Returns the message whose field is at this offset in p->bytes. */
struct str pprof_message(const struct pprof *p, uint32_t field);

/* Line and column numbers are signed on the wire; negative ones become 0,
 * unknown. */
static inline uint32_t pprof_place_number(uint64_t number)
{
	return number > INT32_MAX ? 0 : (uint32_t)number;
}

/* Sets up a reader for a message within p->bytes. */
static inline void pprof_wire(const struct pprof *p, struct str message,
			      struct wire *w)
{
	*w = (struct wire){
		.bytes = message,
		.start = (size_t)(message.ptr - p->bytes.data),
	};
}

/* wire_check() for such a reader, with offsets in the input. */
bool pprof_check(const struct pprof *p, const struct wire *w,
		 struct error *err) MUST_CHECK;

/* Sets err. Returns false. */
static inline bool pprof_no_memory(const struct pprof *p, struct error *err)
{
	return arena_fail(&p->scratch, PPROF_WHAT, err);
}

/* Returns the index, PPROF_NONE if absent. */
static inline uint32_t pprof_find(const struct pprof_table *t, uint64_t id)
{
	if (!t->ids)
		return id - 1 < t->count ? (uint32_t)(id - 1) : PPROF_NONE;
	if (t->by_id)
		return id < t->by_id_len ? t->by_id[id] - 1 : PPROF_NONE;
	return map_find_u64(&t->map, id);
}

/* Sets the error for the message with this id. Returns false. */
bool pprof_malformed(struct error *err, const char *what, uint64_t id,
		     const char *why);

/* Returns the string of this index, which must be below p->string_count. */
static inline struct str pprof_text(const struct pprof *p, size_t number)
{
	size_t first = p->strings[number];
	size_t end = number + 1 < p->string_count ? p->strings[number + 1]
						  : p->texts_len;

	return (struct str){ p->texts + first, end - first - 1 };
}

/* Same for any index; fails if out of range. */
bool pprof_string(const struct pprof *p, uint64_t index, struct str *text,
		  struct error *err) MUST_CHECK;

/* Returns the number of frames if nothing is dropped. */
static inline uint32_t pprof_frames_of(const struct pprof_location *row)
{
	return row->function == PPROF_NONE && row->line ? row->line : 1;
}

/* Appends the frames of the location pprof_find() returned for this id to
 * p->frames. */
bool pprof_unfold(struct pprof *p, uint64_t id, uint32_t location,
		  struct pprof_unfolded *out, struct error *err) MUST_CHECK;

/* Applies drop_frames and keep_frames of the header to the functions. Invalid
 * or slow patterns drop nothing, with a note. */
bool pprof_drop_prepare(struct pprof *p, struct notes *notes,
			struct error *err) MUST_CHECK;

/* Truncates a stack of location ids, leaf first, as pprof does: from the root,
 * it ends at the first location with dropped lines that follows one without.
 * The remaining stack begins at `first`. */
bool pprof_drop_cut(struct pprof *p, const uint64_t *ids, size_t count,
		    size_t *first, struct error *err) MUST_CHECK;

/* Packs the samples of a pprof message (model/profile.h: packed_stacks) as they
 * are read, before the tables their ids refer to are known. Measured in
 * docs/lab/performance.md, "packed samples of files". Private to decode/. */

/* Margin for word-wise reads that begin before or end after the varints. */
#define PACK_SPARE_BYTES 8u

/* The stack packed last. Only the difference to it is packed and summed. */
struct pack_path {
	size_t count;
	uint32_t ids[LIMIT_STACK_FRAMES]; /* root first */
	int64_t sums[LIMIT_STACK_FRAMES]; /* not yet added to pack->sums */
	size_t len;
	/* Its ids as encoded varints, leaf first, ending before the spare
	 * bytes. */
	unsigned char varints[PACK_SPARE_BYTES + LIMIT_STACK_FRAMES +
			      PACK_SPARE_BYTES];
};

struct pprof_pack {
	struct pprof *p;
	struct pack_path *path;
	struct packed_chunk *first;
	struct packed_chunk *last;
	size_t room;       /* capacity of the last chunk */
	size_t size_bytes; /* of all chunks */
	int64_t *sums;     /* by location id */
	uint64_t id_end;
	uint64_t near_end; /* ids below it have sums and fit into id_bytes */
	unsigned id_bytes; /* 0: varints */
	uint64_t id_total;
	size_t longest; /* number of ids */
	uint32_t count;
	int64_t total;
	uint64_t divisor;
	/* Samples cannot be packed: values negative or large, stacks empty, or
	 * ids large. */
	bool is_ordered;
};

/* Release even after a failure. */
bool pprof_pack_init(struct pprof_pack *pack, struct pprof *p,
		     struct error *err) MUST_CHECK;
void pprof_pack_release(struct pprof_pack *pack);

/* Adds a decoded sample: ids leaf first. */
bool pprof_pack_add(struct pprof_pack *pack, const uint64_t *ids, size_t count,
		    int64_t value, struct error *err) MUST_CHECK;

/* Fast path: same with ids still encoded, unvalidated. Returns false, having
 * added nothing, if they have to be decoded one by one. */
bool pprof_pack_add_varints(struct pprof_pack *pack, struct str varints,
			    int64_t value);

/* Call after the last sample. */
void pprof_pack_end(struct pprof_pack *pack);

/* Iterator over packed samples. */
struct pprof_unpack {
	uint64_t *ids; /* leaf first */
	size_t count;
	int64_t value;
	/* private */
	const struct packed_chunk *chunk;
	const unsigned char *at;
};

/* Call after pprof_pack_end(). ids must have room for pack->longest. */
void pprof_unpack_begin(struct pprof_unpack *u, const struct pprof_pack *pack,
			uint64_t *ids);

/* Returns false after the last. */
bool pprof_unpack_next(struct pprof_unpack *u, const struct pprof_pack *pack);

/* ---- pprof_pack.c ---- */

/* Packs the samples in this arena, except their bytes, which it takes over.
 * *out is NULL if values may cancel out or overflow, stacks must be truncated,
 * or there are none: then unpack and add them one by one. ids: room for
 * pack->longest. */
bool pprof_pack_build(struct pprof_pack *pack, struct arena *arena,
		      uint64_t *ids, struct packed_stacks **out,
		      struct error *err) MUST_CHECK;

#endif
