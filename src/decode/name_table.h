/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers for names, from 0 on, for texts that repeat some thousand names
 * millions of times: eight bytes a slot stay in the processor's cache where
 * those of struct map do not.
 */
#ifndef DECODE_NAME_TABLE_H
#define DECODE_NAME_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/str.h"

#define NAME_NONE UINT32_MAX

/* Longer names take hash_bytes(). */
#define NAME_HASHED_BYTES 256

struct name_table {
	struct arena *arena;
	/* Nobody knows them: so many words of a name, its length, the end. */
	uint64_t keys[NAME_HASHED_BYTES / 8 + 2];
	uint64_t *slots; /* upper half of a hash, number + 1; 0: empty */
	size_t slot_count;
	struct str *names; /* by their numbers */
	size_t count;
	size_t cap;
};

/* Empty; memory comes from the arena, which must outlive it. */
void name_table_init(struct name_table *t, struct arena *arena);

/* Of a name, for this table. */
uint64_t name_table_hash(const struct name_table *t, struct str name);

/* Of a name whose hash is known, or NAME_NONE. */
uint32_t name_table_find(const struct name_table *t, struct str name,
			 uint64_t hash);

/* A name to look up, and its hash. */
struct name_ref {
	struct str name;
	uint64_t hash;
	uint32_t number;
};

/* Fills in the numbers of so many names, as name_table_find() would. They are
 * looked up side by side: one after the other, the processor would wait for
 * memory longer than it works. */
void name_table_find_all(const struct name_table *t, struct name_ref *refs,
			 size_t count);

/* Gives the next number to a name that is not there, borrowed. NAME_NONE: no
 * memory in the arena. */
uint32_t name_table_add(struct name_table *t, struct str name,
			uint64_t hash) MUST_CHECK;

#endif
