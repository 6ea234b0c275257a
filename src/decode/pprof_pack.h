/* SPDX-License-Identifier: Apache-2.0
 *
 * Packs the samples of a pprof message (model/profile.h: packed_stacks) as they
 * come: what their ids stand for is not known before the end. pprof_pack.c
 * packs and unpacks, pprof_places.c makes them stacks of the model. What it
 * pays: docs/performance.md, "packed samples of files". Private to decode/.
 */
#ifndef DECODE_PPROF_PACK_H
#define DECODE_PPROF_PACK_H

#include "decode/pprof.h"

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

/* ---- pprof_places.c ---- */

/* What the samples are packed into, in this arena but for the bytes, which it
 * takes over. *out is NULL where values may cancel out or overflow, stacks must
 * be cut, or none is left: then they are to be unpacked, and added one by one.
 * ids: room for pack->longest. */
bool pprof_pack_build(struct pprof_pack *pack, struct arena *arena,
		      uint64_t *ids, struct packed_stacks **out,
		      struct error *err) MUST_CHECK;

#endif
