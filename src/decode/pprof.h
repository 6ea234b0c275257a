/* SPDX-License-Identifier: Apache-2.0
 *
 * The tables of a pprof message, of which all but the samples is kept: usual
 * functions and locations as rows, others, as mappings, as their bytes, which
 * are looked at when a sample first needs them, never before. pprof.c reads
 * and keeps them; pprof_pack.c resolves them, finds the frames that the file
 * wants left out, and keeps the samples until the tables are there. Private to
 * decode/.
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

/* Messages of one kind with ids of their own. */
struct pprof_table {
	const char *what;
	uint32_t limit;
	uint32_t count;
	uint32_t idless_count; /* of them */
	uint64_t *ids;         /* NULL: they are 1, 2, 3... in place */
	size_t id_cap;
	uint32_t *by_id; /* id -> index + 1 when ids are small numbers */
	uint64_t by_id_len;
	struct map map; /* otherwise */
};

/* A location of one line or none, whose numbers fit. */
struct pprof_location {
	uint32_t function; /* its id; 0: none; PPROF_NONE: not usual */
	uint32_t line;     /* as in the model; if not usual how many lines */
	/* The mapping's id in the upper 16 bits, the address in the others;
	 * where the field begins in pprof.bytes, if it is not usual. */
	uint64_t place;
};

#define PPROF_ADDRESS_BITS 48

/* The upper bits of addresses are all alike, those of a kernel are set. */
static inline uint64_t pprof_address(const struct pprof_location *row)
{
	uint64_t sign = UINT64_C(1) << (PPROF_ADDRESS_BITS - 1);
	uint64_t address = row->place & ((sign << 1) - 1);

	return (address ^ sign) - sign;
}

/* Numbers of strings. */
struct pprof_function {
	uint32_t name; /* PPROF_NONE: not usual */
	uint32_t system_name;
	uint32_t file; /* where the field begins, if it is not usual */
};

/* A location's frames, root first, in pprof.frames. */
struct pprof_unfolded {
	uint32_t first;
	uint32_t count; /* 0: not looked at yet */
};

/* A function as it was added last. */
struct pprof_known {
	uint32_t function; /* of the model, PPROF_NONE: not added yet */
	uint32_t mapping;  /* its file's string, 0 without detail */
};

struct pprof_mapping {
	uint64_t id;
	uint64_t start;
	uint64_t limit;
	uint64_t offset;
	uint64_t file_number; /* of a string */
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
	uint64_t drop_frames; /* string numbers, 0 none */
	uint64_t keep_frames;
};

/* From this byte of what is kept on, so many of the input are left out. */
struct pprof_gap {
	size_t at;
	uint64_t left_out;
};

struct pprof {
	struct buf bytes; /* of fields that are kept, one behind another */
	struct pprof_gap *gaps;
	size_t gap_count;
	size_t gap_cap;
	struct arena scratch;
	struct profile_build *build;
	struct pprof_header header;
	/* All strings, each with a NUL behind it, in the arena of the profile,
	 * whose texts they become. */
	struct arena *kept;
	char *texts;
	size_t texts_len;
	size_t texts_cap;
	uint32_t *strings; /* where they begin */
	size_t string_count;
	size_t string_cap;
	uint64_t sample_count;
	struct pprof_table functions;
	struct pprof_table locations;
	struct pprof_table mappings;
	/* The first thing that is wrong with them, told when all has come: it
	 * may be the input that is damaged. */
	struct error damage;
	struct pprof_function *function_rows;
	struct pprof_location *location_rows;
	uint32_t *mapping_fields; /* where they begin in bytes */
	size_t function_row_cap;
	size_t location_row_cap;
	size_t frames_expected; /* of all locations */
	size_t mapping_field_cap;
	enum profile_detail detail;
	/* Strings that became texts of the model + 1, as they are and, behind
	 * each, as names, which are read: many functions may share a long
	 * one. */
	uint32_t *text_ids;
	struct pprof_known *known;    /* by function */
	struct pprof_mapping mapping; /* the last one that was looked at */
	/* Of each function and location; both NULL where nothing is dropped. */
	bool *is_dropped;
	unsigned char *cuts; /* enum pprof_cut */
	/* How many of a location's lines, innermost first, are dropped: up to
	 * the outermost one of a dropped function. Known with its cut. */
	uint32_t *dropped_lines;
	uint32_t *frames;
	size_t frame_count;
	size_t frame_cap;
};

/* The message whose field begins there in p->bytes. */
struct str pprof_message(const struct pprof *p, uint32_t field);

/* Numbers of lines and columns are signed on the wire; one that cannot be is
 * unknown. */
static inline uint32_t pprof_place_number(uint64_t number)
{
	return number > INT32_MAX ? 0 : (uint32_t)number;
}

/* A reader of a message that lies within p->bytes. */
static inline void pprof_wire(const struct pprof *p, struct str message,
			      struct wire *w)
{
	*w = (struct wire){
		.bytes = message,
		.start = (size_t)(message.ptr - p->bytes.data),
	};
}

/* wire_check() of such a reader: offsets are those of the input. */
bool pprof_check(const struct pprof *p, const struct wire *w,
		 struct error *err) MUST_CHECK;

/* False, always, with err set. */
static inline bool pprof_no_memory(const struct pprof *p, struct error *err)
{
	return arena_fail(&p->scratch, PPROF_WHAT, err);
}

/* PPROF_NONE when absent. */
static inline uint32_t pprof_find(const struct pprof_table *t, uint64_t id)
{
	if (!t->ids)
		return id - 1 < t->count ? (uint32_t)(id - 1) : PPROF_NONE;
	if (t->by_id)
		return id < t->by_id_len ? t->by_id[id] - 1 : PPROF_NONE;
	return map_find_u64(&t->map, id);
}

/* False, always: what is wrong with the message of this id. */
bool pprof_malformed(struct error *err, const char *what, uint64_t id,
		     const char *why);

/* The string with this number, which is below p->string_count. */
static inline struct str pprof_text(const struct pprof *p, size_t number)
{
	size_t first = p->strings[number];
	size_t end = number + 1 < p->string_count ? p->strings[number + 1]
						  : p->texts_len;

	return (struct str){ p->texts + first, end - first - 1 };
}

/* The same with any number. */
bool pprof_string(const struct pprof *p, uint64_t index, struct str *text,
		  struct error *err) MUST_CHECK;

/* How many frames it has, where nothing is dropped. */
static inline uint32_t pprof_frames_of(const struct pprof_location *row)
{
	return row->function == PPROF_NONE && row->line ? row->line : 1;
}

/* Unfolds the frames of the location pprof_find() gave for this id, at the end
 * of p->frames. */
bool pprof_unfold(struct pprof *p, uint64_t id, uint32_t location,
		  struct pprof_unfolded *out, struct error *err) MUST_CHECK;

/* Applies drop_frames and keep_frames of the header to the functions. Patterns
 * that are wrong or take too long drop nothing; a note says so. */
bool pprof_drop_prepare(struct pprof *p, struct notes *notes,
			struct error *err) MUST_CHECK;

/* Cuts a stack of location ids, leaf first, as pprof does: from the root the
 * first location with something dropped ends it, unless only such ones lie
 * before it. At `first` the stack begins now. */
bool pprof_drop_cut(struct pprof *p, const uint64_t *ids, size_t count,
		    size_t *first, struct error *err) MUST_CHECK;

/* Packs the samples of a pprof message (model/profile.h: packed_stacks) as they
 * come: what their ids stand for is not known before the end. Measured in
 * docs/lab/performance.md, "packed samples of files". Private to decode/. */

/* Words are read that begin before the varints, or end behind them. */
#define PACK_SPARE_BYTES 8u

/* The stack that was packed last, which the next one begins like: only what
 * differs is packed, and added up. */
struct pack_path {
	size_t count;
	uint32_t ids[LIMIT_STACK_FRAMES]; /* root first */
	int64_t sums[LIMIT_STACK_FRAMES]; /* not yet in those of the pack */
	size_t len;
	/* Its ids as the message has them, leaf first: they end in front of the
	 * spare bytes. */
	unsigned char varints[PACK_SPARE_BYTES + LIMIT_STACK_FRAMES +
			      PACK_SPARE_BYTES];
};

struct pprof_pack {
	struct pprof *p;
	struct pack_path *path;
	struct packed_chunk *first;
	struct packed_chunk *last;
	size_t room;       /* of the last one */
	size_t size_bytes; /* of all of them */
	int64_t *sums;     /* by id of a location */
	uint64_t id_end;
	uint64_t near_end; /* ids below have sums, and room in id_bytes */
	unsigned id_bytes; /* 0: varints */
	uint64_t id_total;
	size_t longest; /* in ids */
	uint32_t count;
	int64_t total;
	uint64_t divisor;
	/* Values are negative or large, stacks empty, or ids no small numbers.
	 */
	bool is_ordered;
};

/* Release also after failure. */
bool pprof_pack_init(struct pprof_pack *pack, struct pprof *p,
		     struct error *err) MUST_CHECK;
void pprof_pack_release(struct pprof_pack *pack);

/* Adds a sample that was read: ids leaf first. */
bool pprof_pack_add(struct pprof_pack *pack, const uint64_t *ids, size_t count,
		    int64_t value, struct error *err) MUST_CHECK;

/* The same of ids that are still varints, and may be anything: false where they
 * are to be read one by one, to be added or refused. Nothing is added then. */
bool pprof_pack_add_varints(struct pprof_pack *pack, struct str varints,
			    int64_t value);

/* After the last one. */
void pprof_pack_end(struct pprof_pack *pack);

/* Packed samples, read again one by one. */
struct pprof_unpack {
	uint64_t *ids; /* leaf first */
	size_t count;
	int64_t value;
	/* private */
	const struct packed_chunk *chunk;
	const unsigned char *at;
};

/* After pprof_pack_end(). ids has room for pack->longest. */
void pprof_unpack_begin(struct pprof_unpack *u, const struct pprof_pack *pack,
			uint64_t *ids);

/* False behind the last. */
bool pprof_unpack_next(struct pprof_unpack *u, const struct pprof_pack *pack);

/* ---- pprof_pack.c ---- */

/* Packs the samples, in this arena but for the bytes, which it takes over. *out
 * is NULL where values may cancel out or overflow, stacks must be cut, or none
 * is left: then they are to be unpacked, and added one by one. ids: room for
 * pack->longest. */
bool pprof_pack_build(struct pprof_pack *pack, struct arena *arena,
		      uint64_t *ids, struct packed_stacks **out,
		      struct error *err) MUST_CHECK;

#endif
